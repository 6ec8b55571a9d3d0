"""What the wiki's answer to an edit means: one of four outcomes, whatever it looks like."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from typing import Any

import pytest

from wikibot.errors import (
    AccountRefused,
    EditConflict,
    EditRefused,
    OutcomeUnknown,
    Protected,
    SessionLost,
    UnsafeEdit,
    WikibotError,
    WikiUnavailable,
)
from wikibot.site.retry_after import (
    LONGEST_ASKED_S,
    LONGEST_WAIT_S,
    asked_for_s,
    bound_retry_after,
    seconds_of,
)
from wikibot.site.writing import (
    EditRequest,
    Posted,
    edit_form,
    post_edit,
    shortened,
    stored_form,
    understand,
)

EDIT = EditRequest("Severn", "A [[river]].", 7, "links", "LinkBot")


@dataclass
class Answer:
    """The parts of an HTTP response that are looked at."""

    body: str
    status_code: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def json(self) -> Any:
        return json.loads(self.body)


def error(code: str, text: str = "No.") -> Answer:
    return Answer(json.dumps({"errors": [{"code": code, "text": text}]}))


def result(**edit: object) -> Answer:
    return Answer(json.dumps({"edit": edit}))


def test_success_names_the_new_revision_and_its_parent() -> None:
    assert understand(result(result="Success", oldrevid=7, newrevid=8), EDIT) == Posted(8, 7)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("editconflict", EditConflict),
        ("missingtitle", EditConflict),
        ("articleexists", EditConflict),
        ("protectedpage", Protected),
        ("cascadeprotected", Protected),
        ("blocked", AccountRefused),
        ("globalblocking-blockedtext-ip", AccountRefused),
        ("permissiondenied", AccountRefused),
        ("badtoken", SessionLost),
        ("assertnameduserfailed", SessionLost),
        ("maxlag", WikiUnavailable),
        ("ratelimited", WikiUnavailable),
        ("readonly", WikiUnavailable),
        ("abusefilter-warning", EditRefused),
        ("abusefilter-disallowed", EditRefused),
        ("spamblacklist", EditRefused),
        ("titleblacklist-forbidden-edit", EditRefused),
        ("some-new-extension", EditRefused),
        ("internal_api_error_DBQueryError", OutcomeUnknown),
    ],
)
def test_an_error_code_has_one_meaning(code: str, kind: type[WikibotError]) -> None:
    with pytest.raises(WikibotError) as caught:
        understand(error(code), EDIT)
    assert type(caught.value) is kind
    assert "Severn" in str(caught.value) and code in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        Answer("", 502),
        Answer("", 504),
        Answer("<h1>Hello</h1>"),
        Answer("{}"),
        Answer("", 302),
        Answer("", 403),
        Answer('{"edit": []}'),
        Answer("[]"),
        Answer("null"),
        Answer('"ok"'),
        Answer("7"),
        Answer('{"errors": []}'),
        Answer('{"errors": {}}'),
        Answer('{"errors": [null]}'),
        Answer('{"errors": [{"code": 7}]}'),
        Answer('{"errors": [{"code": "protectedpage", "text": []}]}'),
        Answer('{"edit": {"result": "Success"}}'),
        Answer('{"edit": {"result": "Success", "newrevid": null}}'),
        Answer('{"edit": {"result": "Success", "newrevid": 0}}'),
        Answer('{"edit": {"result": "Success", "newrevid": true}}'),
        Answer('{"edit": {"result": "Success", "newrevid": "8"}}'),
        Answer('{"edit": {"result": "Success", "newrevid": 99999999999999999999}}'),
        Answer('{"edit": {"result": "Success", "newrevid": 8, "oldrevid": "x"}}'),
        Answer('{"edit": {"result": 1, "newrevid": 8}}'),
        Answer("[" * 100_000),
    ],
)
def test_an_answer_that_does_not_speak_of_the_edit_leaves_it_open(answer: Answer) -> None:
    with pytest.raises(OutcomeUnknown, match="history decides"):
        understand(answer, EDIT)


def test_too_many_requests_is_later_with_the_wikis_own_time() -> None:
    with pytest.raises(WikiUnavailable) as caught:
        understand(Answer("", 429, {"Retry-After": "17"}), EDIT)
    assert caught.value.retry_after_s == 17


def test_a_retry_after_that_is_a_date_is_the_time_until_then() -> None:
    soon = format_datetime(datetime.now(timezone.utc) + timedelta(minutes=5), usegmt=True)
    with pytest.raises(WikiUnavailable) as caught:
        understand(Answer("", 429, {"Retry-After": soon}), EDIT)
    assert 290 <= caught.value.retry_after_s <= 300


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("17", 17),
        ("0.5", 0.5),
        ("-3", 0),
        ("nan", 0),
        ("1e400", LONGEST_ASKED_S),
        ("soon", 0),
        ("", 0),
        ("Mon, 16 Nov 1998 04:00:00 GMT", 0),
        ("Mon, 16 Nov 1998 04:00:00", 0),
        ("Mon, 99 Nov 1998 04:00:00 GMT", 0),
    ],
)
def test_a_retry_after_of_any_form_is_a_time(value: str, seconds: float) -> None:
    assert seconds_of(value) == seconds


@pytest.mark.parametrize("asked", ["3600", "Fri, 31 Dec 2199 23:59:59 GMT"])
def test_pywikibot_sees_a_short_wait_and_we_what_was_asked_for(asked: str) -> None:
    answer = Answer("", 429, {"Retry-After": asked})
    bound_retry_after(answer)
    assert answer.headers["Retry-After"] == str(LONGEST_WAIT_S)
    assert asked_for_s(answer) >= 3600


def test_a_captcha_is_a_refusal() -> None:
    with pytest.raises(EditRefused, match="captcha"):
        understand(result(result="Failure", captcha={"type": "simple"}), EDIT)


def test_success_without_a_change_is_a_conflict_with_somebody_faster() -> None:
    with pytest.raises(EditConflict, match="somebody was faster"):
        understand(result(result="Success", nochange=True), EDIT)


def test_the_form_holds_everything_that_protects_others() -> None:
    form = edit_form(EDIT, "token+\\")
    assert form["baserevid"] == "7" and form["nocreate"] == "1" and form["assertuser"] == "LinkBot"
    assert form["bot"] == form["minor"] == "1" and form["maxlag"] == "5"
    assert form["md5"] == hashlib.md5(b"A [[river]].").hexdigest()
    assert "basetimestamp" not in form and "createonly" not in form
    assert list(form)[-1] == "token", "a request that was cut off must lack its token"


def test_a_page_to_be_created_must_not_exist() -> None:
    form = edit_form(EditRequest("Talk:Severn", "Hi", 0, "s", "LinkBot", is_minor=False), "t")
    assert form["createonly"] == "1" and "baserevid" not in form and "nocreate" not in form
    assert "minor" not in form


def test_tags_are_sent_where_there_are_some() -> None:
    tagged = EditRequest("Severn", "Hi", 1, "s", "LinkBot", tags=("wikibot",))
    assert edit_form(tagged, "t")["tags"] == "wikibot" and "tags" not in edit_form(EDIT, "t")


@pytest.mark.parametrize(
    "text", ["ends in a newline\n", "e\u0301 is not composed", "a\r\nb", "a\rb", "a\r\r\nb"]
)
def test_a_text_that_the_wiki_would_change_is_not_sent(text: str) -> None:
    assert stored_form(text) != text
    with pytest.raises(UnsafeEdit, match="would change more"):
        post_edit(None, EditRequest("Severn", text, 7, "s", "LinkBot"))


def test_a_long_reason_is_cut_at_a_word() -> None:
    short = shortened("word " * 100)
    assert len(short) <= 162 and short.endswith("word …")
