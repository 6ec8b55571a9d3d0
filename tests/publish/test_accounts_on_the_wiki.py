"""Every kind of account on a real wiki: logged in, checked, and edited with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pexpect
import pytest

from tests.mediawiki import ADMIN, BOT, BOT_PASSWORD, HUMAN, Wiki
from tests.mediawiki import provocations as provoke
from tests.publish.world import World

pytestmark = pytest.mark.wiki

OAUTH = Path(__file__).parents[1] / "mediawiki" / "oauth.php"
OAUTH_PARTS = "consumer-token\nconsumer-secret\naccess-token\naccess-secret\n"
TEXT = "The Severn is a river."


def wikibot(folder: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """The command as a user runs it, in FOLDER."""
    environment = {key: value for key, value in os.environ.items() if key != "PYWIKIBOT_DIR"}
    return subprocess.run(
        [sys.executable, "-m", "wikibot", *arguments],
        cwd=folder,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
    )


def init(folder: Path, wiki: Wiki, login: str, secret: str, *more: str, user: str = BOT.name):
    options = ["--url", wiki.url, "--user", user, "--login", login, "--contact", "me@example.org"]
    return wikibot(folder, "init", *options, "--secret-from", "-", *more, stdin=secret)


def publish_one(wiki: Wiki, folder: Path, title: str) -> subprocess.CompletedProcess[str]:
    """A page with one approved link is published by the command."""
    world = World.make(wiki, wiki.person(ADMIN), folder / "wikibot.db")
    with world.store:
        world.page("River", "'''River''' is a word.")
        world.approved(world.page(title, TEXT), "river", "River")
    return wikibot(folder, "publish", "--to", "page", "--yes")


@pytest.mark.parametrize(
    ("login", "secret", "more"),
    [
        ("botpassword", BOT_PASSWORD.password, ("--bot-name", "test")),
        ("password", BOT.password, ()),
        ("oauth", OAUTH_PARTS, ()),
    ],
)
def test_an_account_is_set_up_checked_and_edits(
    shared_wiki: Wiki, tmp_path: Path, login: str, secret: str, more: tuple[str, ...]
) -> None:
    with provoke.settings(shared_wiki, OAUTH.read_text() if login == "oauth" else ""):
        done = init(tmp_path, shared_wiki, login, secret, *more)
        assert done.returncode == 0, done.stderr
        assert "Logged in as LinkBot." in done.stdout and "every right" in done.stdout
        title = f"By {login}"
        published = publish_one(shared_wiki, tmp_path, title)
    assert published.returncode == 0, published.stderr
    newest = shared_wiki.person(ADMIN).history(title)[0]
    assert newest["user"] == "LinkBot" and newest["minor"]
    for name in ("user-config.py", "user-password.cfg", "pywikibot-LinkBot.lwp"):
        path = tmp_path / name
        assert not path.exists() or path.stat().st_mode & 0o077 == 0


def test_a_person_is_told_that_edits_are_their_own_and_approves_them(
    shared_wiki: Wiki, tmp_path: Path
) -> None:
    (tmp_path / "wikibot.cfg").write_text("# mine\n[publish]\ndaily_cap = 7\n")
    done = init(tmp_path, shared_wiki, "password", HUMAN.password, user=HUMAN.name)
    assert done.returncode == 0, done.stderr
    assert "edits carry no bot flag and say that they were assisted" in done.stdout
    assert "Missing right" not in done.stdout
    told = json.loads(wikibot(tmp_path, "config", "--json").stdout)
    settings = {one["key"]: one["value"] for one in told}
    assert settings["review.reviewer"] == HUMAN.name and settings["publish.daily_cap"] == 7
    assert (tmp_path / "wikibot.cfg").read_text().startswith("# mine\n")


def test_rights_that_a_bot_lacks_are_named(shared_wiki: Wiki, tmp_path: Path) -> None:
    taken = "$wgGroupPermissions['bot']['noratelimit'] = false;"
    with provoke.settings(shared_wiki, taken):
        done = init(tmp_path, shared_wiki, "password", BOT.password)
    assert done.returncode == 0 and "Missing right 'noratelimit'" in done.stdout
    assert "Nobody is named who approves: set review.reviewer" in done.stdout


def test_a_reviewer_who_is_no_account_is_refused(shared_wiki: Wiki, tmp_path: Path) -> None:
    done = init(
        tmp_path, shared_wiki, "password", BOT.password, "--reviewer", "Nobody of that name"
    )
    assert done.returncode == 1 and "There is no account “Nobody of that name”" in done.stderr
    assert list(tmp_path.glob("*.py")) == list(tmp_path.glob("*.cfg")) == []
    done = init(tmp_path, shared_wiki, "password", BOT.password, "--reviewer", "human")
    assert done.returncode == 0 and "human approves what is saved" in done.stdout
    assert "reviewer = human" in (tmp_path / "wikibot.cfg").read_text()


def test_one_publishes_as_oneself_by_oauth(shared_wiki: Wiki, tmp_path: Path) -> None:
    oneself = OAUTH.read_text().replace(BOT.name, HUMAN.name)
    with provoke.settings(shared_wiki, oneself):
        done = init(tmp_path, shared_wiki, "oauth", OAUTH_PARTS, user=HUMAN.name)
        assert done.returncode == 0, done.stderr
        published = publish_one(shared_wiki, tmp_path, "By oneself")
    assert published.returncode == 0, published.stderr
    person = shared_wiki.person(ADMIN)
    (change,) = person.recent_changes(rctitle="By oneself", rctype="edit")
    assert change["user"] == HUMAN.name and not change["bot"]
    assert "assisted by wikibot" in change["comment"]


def test_a_wrong_password_is_one_sentence_and_no_traceback(
    shared_wiki: Wiki, tmp_path: Path
) -> None:
    done = init(tmp_path, shared_wiki, "password", "wrong-password")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "Incorrect username or password" in done.stderr and "wrong-password" not in done.stderr


def test_an_address_without_a_wiki_is_one_sentence(tmp_path: Path, shared_wiki: Wiki) -> None:
    options = ["--user", "x", "--login", "password", "--contact", "me", "--secret-from", "-"]
    stylesheet = f"{shared_wiki.url}/skins/Vector/skin.json"
    done = wikibot(tmp_path, "init", "--url", stylesheet, *options, stdin="p")
    assert done.returncode == 2 and "is not a page of a MediaWiki" in done.stderr
    assert not (tmp_path / "user-config.py").exists()


def test_init_asks_for_what_is_not_given(shared_wiki: Wiki, tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "PYWIKIBOT_DIR"}
    command = f"{sys.executable} -m wikibot init"
    asked = pexpect.spawn(command, cwd=str(tmp_path), env=environment, timeout=60, encoding="utf-8")
    for question, answer in (
        ("Address of the wiki", shared_wiki.url),
        ("User name", "LinkBot"),
        ("Login with", "botpassword"),
        ("Name of the bot password", "test"),
        ("Your contact", "me@example.org"),
        ("Password", BOT_PASSWORD.password),
        ("Your own user name", "Nobody of that name"),
        ("There is no account.*Your own user name", HUMAN.name),
    ):
        asked.expect(question)
        asked.sendline(answer)
    asked.expect("Logged in as LinkBot")
    asked.expect(f"{HUMAN.name} approves what is saved")
    asked.expect(pexpect.EOF)
    assert BOT_PASSWORD.password not in str(asked.before)
    asked.close()
    assert asked.exitstatus == 0


def test_a_wrong_address_is_asked_again_and_a_failed_login_keeps_the_answers(
    shared_wiki: Wiki, tmp_path: Path
) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "PYWIKIBOT_DIR"}
    spawn = partial(pexpect.spawn, cwd=str(tmp_path), env=environment, timeout=60, encoding="utf-8")
    asked = spawn(f"{sys.executable} -m wikibot init")
    answer_all(asked, {"Address": f"{shared_wiki.url}/skins/Vector/skin.json"})
    asked.expect("is (?:no|not a) page of a MediaWiki")
    answers = {"Address": shared_wiki.url, "User name": "LinkBot", "Login with": "password"}
    answer_all(asked, answers | {"Your contact": "me@example.org", "Password": "wrong"})
    asked.expect("could not log in|login failed")
    asked.expect(pexpect.EOF)
    assert not list(tmp_path.glob("user-*"))
    again = spawn(f"{sys.executable} -m wikibot init")
    kept = dict.fromkeys(("Address", "User name", "Login with", "Your contact"), "")
    answer_all(again, kept | {"Password": BOT.password, "Your own user name": ""})
    again.expect("Logged in as LinkBot")
    again.expect(pexpect.EOF)
    assert "wrong" not in "".join(p.read_text() for p in tmp_path.glob(".wikibot*"))
    assert not list(tmp_path.glob(".wikibot-init.json"))


def answer_all(asked: pexpect.spawn, answers: dict[str, str]) -> None:
    """Each question, once it is asked, gets its answer; an empty one takes what is offered."""
    for question, answer in answers.items():
        asked.expect(question)
        asked.sendline(answer)


def test_a_cookie_from_before_the_password_changed_is_not_used(
    shared_wiki: Wiki, tmp_path: Path
) -> None:
    init(tmp_path, shared_wiki, "password", BOT.password)
    cookie = tmp_path / "pywikibot-LinkBot.lwp"
    first = cookie.read_text()
    os.utime(cookie, (1, 1))
    init(
        tmp_path,
        shared_wiki,
        "botpassword",
        BOT_PASSWORD.password,
        "--bot-name",
        "test",
        "--replace",
    )
    assert cookie.read_text() != first
