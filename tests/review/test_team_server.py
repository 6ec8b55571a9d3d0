"""`wikibot serve`: what it refuses to start with, and that it answers with several processes."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from cryptography.fernet import Fernet

from tests.mediawiki.wiki import free_port
from tests.review import sample
from tests.review.team import log_in, team_of
from tests.running_service import running_service
from tests.store.postgres import postgres_server
from tests.waiting import wait_until
from wikibot.cli import cli
from wikibot.config import Settings, load_settings
from wikibot.errors import BadInput, ConfigError
from wikibot.keys import Safe, make_key, open_safe, read_secret
from wikibot.roles import Profile, Requirement, roles_of
from wikibot.store import Store, open_store
from wikibot.web.team_server import requirements, team_from

ROOT = Path(__file__).parents[2]
GOOD = {
    "address": "https://links.example.org",
    "oauth_client": "0123456789abcdef",
    "oauth_url": "https://wiki.example.org/rest.php",
}


def settings(tmp_path: Path, **more: str) -> Settings:
    if not (tmp_path / "key").exists():
        make_key(tmp_path / "key")
    return load_settings(environ={}, **{"key_file": str(tmp_path / "key"), **GOOD, **more})


def test_good_settings_make_a_service(store: Store, tmp_path: Path) -> None:
    team = team_from(store, settings(tmp_path, address="https://Links.Example.org:443/"))
    assert team.origins == {"https://links.example.org"}
    assert team.consumer.return_address == "https://links.example.org/login/return"
    assert team.cookie_name == "__Host-wikibot"


def test_the_login_is_beside_the_wikis_api_unless_told_otherwise(
    store: Store, tmp_path: Path
) -> None:
    from sqlalchemy import update

    from wikibot.store.tables import Wiki

    with store.writing() as session:
        session.execute(update(Wiki).values(api_url="https://w.example.org/w/api.php"))
    team = team_from(store, settings(tmp_path, oauth_url=""))
    assert team.consumer.rest_url == "https://w.example.org/w/rest.php"


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"address": ""}, "without a path"),
        ({"address": "links.example.org"}, "without a path"),
        ({"address": "https://example.org/links"}, "without a path"),
        ({"address": "http://links.example.org"}, "use https"),
        ({"oauth_url": "http://wiki.example.org/rest.php"}, "use https"),
        ({"oauth_client": ""}, "OAuthConsumerRegistration"),
        ({"admin_groups": " , "}, "everybody could administer"),
        ({"key_file": "nowhere"}, "--make-key"),
    ],
)
def test_what_is_unsafe_or_missing_is_refused_in_a_sentence(
    store: Store, tmp_path: Path, wrong: dict[str, str], why: str
) -> None:
    with pytest.raises(ConfigError, match=why) as refused:
        team_from(store, settings(tmp_path, **wrong))
    assert "Nothing was started" in str(refused.value)


def test_a_database_with_two_wikis_is_refused(store: Store, tmp_path: Path) -> None:
    with store.writing() as session:
        sample.add_wiki(session, "he", sample.HEBREW, sample.HEBREW_PROPOSALS)
    with pytest.raises(ConfigError, match="holds 2 wikis"):
        team_from(store, settings(tmp_path))


def test_roles_come_from_groups_edits_and_blocks() -> None:
    needed = requirements(load_settings(environ={}, publish_groups="editor, autoconfirmed"))
    assert needed["publish"] == Requirement(frozenset({"editor", "autoconfirmed"}), 10)
    someone = Profile("1", "Ann", frozenset({"user", "editor"}), 10)
    assert roles_of(someone, needed) == {"review", "publish"}
    assert roles_of(Profile("1", "Ann", frozenset({"user", "editor"}), 9), needed) == set()
    assert roles_of(Profile("1", "Ann", frozenset({"sysop"}), 10), needed) == {
        "review",
        "administer",
    }
    assert roles_of(Profile("1", "A", frozenset({"sysop"}), 10, True), needed) == set()


def test_a_key_is_readable_by_its_owner_only_and_never_replaced(tmp_path: Path) -> None:
    make_key(tmp_path / "key")
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    before = (tmp_path / "key").read_text()
    with pytest.raises(ConfigError, match="there already"):
        make_key(tmp_path / "key")
    assert (tmp_path / "key").read_text() == before


def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    make_key(tmp_path / "key")
    (tmp_path / "key").chmod(0o640)
    with pytest.raises(ConfigError, match="chmod 600"):
        open_safe(str(tmp_path / "key"))


def test_a_secret_of_the_environment_comes_before_the_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("from the file\n")
    (tmp_path / "secret").chmod(0o600)
    file = str(tmp_path / "secret")
    assert read_secret("SECRET", file, {"SECRET": "from outside"}) == "from outside"
    assert read_secret("SECRET", file, {}) == "from the file"
    assert read_secret("SECRET", "", {}) == ""


def test_what_was_sealed_with_an_old_key_opens_while_the_old_key_is_listed() -> None:
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    sealed = Safe(old).seal("token")
    assert "token" not in sealed
    assert Safe(f"{new},{old}").open(sealed) == "token"
    with pytest.raises(BadInput):
        Safe(new).open(sealed)
    assert Safe(f"{new} {old}").key_for("forms") == Safe(new).key_for("forms")
    assert Safe(new).key_for("forms") != Safe(new).key_for("other")


@pytest.mark.parametrize("key", ["", " , ", "short", "x" * 44])
def test_a_key_that_is_not_one_is_refused(key: str) -> None:
    with pytest.raises(ConfigError):
        Safe(key)


def test_the_command_checks_settings_and_makes_a_key(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in GOOD.items():
        monkeypatch.setenv(f"WIKIBOT_{name.upper()}", value)
    assert "--make-key" in str(invoke("serve", "--check", "--db", str(store.path)).exception)
    assert invoke("serve", "--make-key").exit_code == 0
    checked = invoke("serve", "--check", "--db", str(store.path))
    assert checked.exit_code == 0 and "https://links.example.org/login/return" in checked.output
    monkeypatch.setenv("WIKIBOT_OAUTH_SECRET", "the secret of the client")
    assert "the secret of the client" not in invoke("config").output


def invoke(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


@pytest.mark.postgres
def test_the_service_answers_on_postgres_and_goes_on_after_being_killed(tmp_path: Path) -> None:
    """With processes and sockets of its own; a login and a decision outlive them."""
    with postgres_server() as server:
        where = server.new_database()
        with open_store(where, create=True) as store:
            with store.writing() as session:
                sample.add_wiki(session, "en", sample.ENGLISH, sample.ENGLISH_PROPOSALS)
            with running_service(
                where, tmp_path, WIKIBOT_OAUTH_URL="http://127.0.0.1:9/rest.php"
            ) as service:
                team = team_of(store, service.origin)
                headers = {"Cookie": f"{team.cookie_name}={log_in(team, 'Ann')}"}
                assert status(service.port, "/queue", headers) == 200
                assert status(service.port, "/queue", {}) == 403
                assert status(service.port, "/queue", headers | {"Host": "evil.example"}) == 403
                service.kill()
                service.start()
                assert status(service.port, "/queue", headers) == 200
                service.stop()
        assert "Traceback" not in service.log.read_text()


def status(port: int, path: str, headers: dict[str, str]) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers=headers)
    found = connection.getresponse().status
    connection.close()
    return found


def test_the_procfile_starts_the_service_with_secrets_from_the_environment_alone(
    store: Store, tmp_path: Path
) -> None:
    """In a clean folder, as a platform does it: no settings file, no key file."""
    line = (ROOT / "Procfile").read_text().partition("web: ")[2]
    folder, port = tmp_path / "clean", free_port()
    folder.mkdir()
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PORT": str(port),
        "WIKIBOT_DB": str(store.path),
        "WIKIBOT_KEY": Fernet.generate_key().decode(),
        "WIKIBOT_OAUTH_SECRET": "secret",
        **{f"WIKIBOT_{name.upper()}": value for name, value in GOOD.items()},
    }
    process = subprocess.Popen(["sh", "-c", f"exec {line}"], cwd=folder, env=environment)
    try:
        host = {"Host": "links.example.org"}
        wait_until(lambda: answers(port, host), within_s=120, what="an answer of the service")
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0
    assert list(folder.iterdir()) == []


def answers(port: int, headers: dict[str, str]) -> bool:
    try:
        return status(port, "/health", headers) == 200
    except OSError:
        return False


@pytest.mark.parametrize("unit", sorted((ROOT / "systemd").glob("*.service")), ids=str)
def test_every_unit_starts_commands_that_there_are(unit: Path) -> None:
    lines = re.findall(r"^ExecStart=\S+/wikibot (.*)$", unit.read_text(), re.MULTILINE)
    assert lines
    for line in lines:
        assert invoke(*line.split(), "--help").exit_code == 0
