"""Who may ask: tokens, origins, hosts, and how much and how often."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.api.conftest import Asking, settings
from wikibot.api.access import Token, read_tokens
from wikibot.api.service import names_of
from wikibot.errors import ConfigError
from wikibot.store.pages import WikiRow

TOKEN = "correct-horse-battery-staple"
OURS, FOREIGN = "https://wiki.example.org", "https://evil.example"


@pytest.fixture
def tokens_file(tmp_path: Path) -> str:
    path = tmp_path / "tokens"
    path.write_text(f"# who may ask\n{TOKEN} Growth Experiments\n")
    return str(path)


def test_without_tokens_anybody_on_the_machine_may_ask(unlearned: Asking) -> None:
    answer = unlearned().post("/v1/links", json={"text": "x"})
    assert (answer.status_code, answer.get_json()["code"]) == (503, "nothing-learned")


@pytest.mark.parametrize(
    "header", [None, "Bearer wrong", f"Basic {TOKEN}", "Bearer ", f"Bearer {TOKEN}x", "Bearer é"]
)
def test_a_request_without_the_token_is_refused(
    unlearned: Asking, tokens_file: str, header: str | None
) -> None:
    headers = {} if header is None else {"Authorization": header}
    answer = unlearned(tokens_file=tokens_file).post("/v1/links", json={"text": "x"}, headers=headers)  # fmt: skip
    assert (answer.status_code, answer.get_json()["code"]) == (401, "no-token")


def test_a_request_with_the_token_goes_on(unlearned: Asking, tokens_file: str) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    answer = unlearned(tokens_file=tokens_file).post("/v1/links", json={"text": "x"}, headers=headers)  # fmt: skip
    assert answer.get_json()["code"] == "nothing-learned"


@pytest.mark.parametrize("path", ["/v1/openapi.json", "/v1/health", "/gadget.js"])
def test_what_holds_nothing_of_the_wiki_needs_no_token(
    unlearned: Asking, tokens_file: str, path: str
) -> None:
    assert unlearned(tokens_file=tokens_file).get(path).status_code == 200


def test_tokens_are_read_with_their_names(tokens_file: str) -> None:
    assert read_tokens(tokens_file) == (Token(TOKEN, "Growth Experiments"),)
    assert read_tokens("") == ()


@pytest.mark.parametrize("text", ["short ann\n", f"{TOKEN}\n", "# none\n", ""])
def test_a_file_of_tokens_that_cannot_be_used_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tokens"
    path.write_text(text)
    with pytest.raises(ConfigError, match="Nothing was started"):
        read_tokens(str(path))
    with pytest.raises(ConfigError, match="cannot be read"):
        read_tokens(str(tmp_path / "missing"))


def test_a_page_of_the_wiki_may_ask_from_a_browser(unlearned: Asking) -> None:
    answer = unlearned(origins=OURS).options(
        "/v1/links", headers={"Origin": OURS, "Access-Control-Request-Method": "POST"}
    )
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == OURS
    assert "Authorization" in answer.headers["Access-Control-Allow-Headers"]


@pytest.mark.parametrize("method", ["options", "post"])
def test_a_foreign_page_may_not(unlearned: Asking, method: str) -> None:
    answer = getattr(unlearned(), method)("/v1/links", json={"text": "x"}, headers={"Origin": FOREIGN})  # fmt: skip
    assert (answer.status_code, answer.get_json()["code"]) == (403, "wrong-origin")
    assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8080", 200),
        ("localhost", 200),
        ("[::1]:80", 200),
        ("links.example.org", 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example:80", 403),
        ("", 403),
    ],
)
def test_only_known_hosts_are_answered(unlearned: Asking, host: str, status: int) -> None:
    """A foreign page may let its own name lead to this machine."""
    client = unlearned(hosts="Links.example.org")
    assert client.get("/v1/health", headers={"Host": host}).status_code == status


def test_a_request_that_is_too_long_is_refused(unlearned: Asking) -> None:
    answer = unlearned(largest_text_kb=1).post("/v1/links", json={"text": "x" * 2000})
    assert (answer.status_code, answer.get_json()["code"]) == (413, "too-long")


def test_a_user_who_asks_too_often_is_told_when_to_go_on(unlearned: Asking) -> None:
    client = unlearned(requests_per_minute=6)
    statuses = [client.get("/v1/health").status_code for _ in range(3)]
    assert statuses == [200, 429, 429]
    assert 0 < int(client.get("/v1/health").headers["Retry-After"]) <= 10


@pytest.mark.parametrize(("path", "status"), [("/v1/nothing", 404), ("/nothing", 404)])
def test_an_unknown_address_is_told_in_json(unlearned: Asking, path: str, status: int) -> None:
    answer = unlearned().get(path)
    assert answer.status_code == status and answer.get_json()["code"] == "not-found"


def test_several_wikis_are_told_apart_by_what_callers_call_them() -> None:
    wiki = WikiRow(1, "electowiki.org", None, None, "en", {}, None)
    assert {"electo", "electowiki", "electowiki.org"} <= names_of(wiki)


def test_the_settings_of_the_api_have_defaults() -> None:
    assert settings().whole("largest_text_kb") == 2048
