"""Whatever stands in the wiki's answer, it is understood as it is meant or refused in a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.publish.odd import RAW, mutations
from wikibot.errors import OutcomeUnknown, WikibotError
from wikibot.site import connect, history, reading, writing
from wikibot.site.writing import EditRequest, Posted, understand

NOW = "2026-01-02T03:04:05Z"
ROW = {
    "revid": 8,
    "parentid": 7,
    "user": "LinkBot",
    "userid": 2,
    "timestamp": NOW,
    "comment": "Links added",
    "sha1": "abc",
    "tags": ["wikibot"],
    "slots": {"main": {"contentmodel": "wikitext", "content": "A [[river]]."}},
}
PAGE = {"pageid": 3, "ns": 0, "title": "Severn", "contentmodel": "wikitext", "revisions": [ROW]}
LIVE = {**PAGE, "actions": {"edit": [{"code": "protectedpage", "text": "No."}]}}


def answer_of(**query: Any) -> dict[str, Any]:
    return {"curtimestamp": NOW, "query": query}


@dataclass(slots=True)
class OneAnswer:
    """A site, and its requests: whatever is asked, there is one answer."""

    answer: Any
    maxlimit: int = 50
    asked: list[dict[str, Any]] = field(default_factory=list)

    def simple_request(self, **form: Any) -> OneAnswer:
        self.asked.append(form)
        return self

    def submit(self) -> Any:
        return self.answer


QUESTIONS: dict[str, tuple[Callable[[Any], Any], dict[str, Any]]] = {
    "read_live": (lambda site: history.read_live(site, "Severn"), answer_of(pages=[LIVE])),
    "read_many": (lambda site: history.read_many(site, [3]), answer_of(pages=[PAGE])),
    "pages_of_revisions": (
        lambda site: history.pages_of_revisions(site, [8]),
        answer_of(pages=[PAGE]),
    ),
    "revisions": (
        lambda site: list(history.revisions(site, title="Severn", with_text=True)),
        answer_of(pages=[PAGE]),
    ),
    "revision": (lambda site: history.revision(site, 8), answer_of(pages=[PAGE])),
    "text_of": (lambda site: history.text_of(site, 8), answer_of(pages=[PAGE])),
    "contributions": (
        lambda site: history.contributions(site, "LinkBot"),
        answer_of(
            usercontribs=[
                {"title": "Severn", "pageid": 3, "revid": 8, "parentid": 7, "comment": "x"}
            ]
        ),
    ),
    "read_time": (history.read_time, answer_of(general={})),
    "why_impossible": (
        lambda site: history.why_impossible(site, "User:X"),
        answer_of(pages=[{"ns": 2, "title": "User:X", "missing": True}]),
    ),
    "missing_targets": (
        lambda site: history.missing_targets(site, ["River"], "Severn"),
        answer_of(
            redirects=[{"from": "River", "to": "Stream"}],
            pages=[{"ns": 0, "title": "Stream", "missing": True}],
        ),
    ),
    "has_tag": (
        lambda site: history.has_tag(site, "wikibot"),
        answer_of(tags=[{"name": "wikibot", "source": ["manual"]}]),
    ),
    "account": (
        connect.account,
        {"query": {"userinfo": {"name": "LinkBot", "groups": ["bot"], "rights": ["edit"]}}},
    ),
    "saved_form": (
        lambda site: writing.saved_form(site, "Severn", "A."),
        {"parse": {"title": "Severn", "text": "A."}},
    ),
    "siteinfo": (
        lambda site: reading.WikiReader(site).article_url,
        {"query": {"general": {"server": "//a.org", "articlepath": "/wiki/$1"}}},
    ),
    "category_members": (
        lambda site: reading.WikiReader(site).category_members("Rivers"),
        {
            "batchcomplete": "",
            "query": {"pages": {"3": {"pageid": 3, "ns": 0, "title": "A", "lastrevid": 8}}},
        },
    ),
    "categories_like": (
        lambda site: reading.WikiReader(site).categories_like("Rivers"),
        ["Category:Rivers", ["Category:Rivers"]],
    ),
    "pages": (
        lambda site: list(reading.WikiReader(site).pages([3])),
        {
            "batchcomplete": "",
            "query": {
                "pages": {
                    "3": {
                        "pageid": 3,
                        "ns": 0,
                        "title": "A",
                        "protection": [{"type": "edit", "level": "sysop"}],
                        "revisions": [
                            {
                                "revid": 8,
                                "timestamp": NOW,
                                "slots": {"main": {"contentmodel": "wikitext", "*": "A."}},
                            }
                        ],
                    }
                }
            },
        },
    ),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_answered_or_refused_in_a_sentence(name: str) -> None:
    ask, good = QUESTIONS[name]
    assert ask(OneAnswer(good)) is not None, "the answer itself is understood"
    for odd in mutations(good):
        try:
            ask(OneAnswer(odd))
        except WikibotError as error:
            assert "\n" not in str(error) and str(error).endswith((".", "later."))


EDIT = EditRequest("Severn", "A [[river]].", 7, "links", "LinkBot")
SUCCESS = {
    "edit": {
        "result": "Success",
        "pageid": 3,
        "title": "Severn",
        "contentmodel": "wikitext",
        "oldrevid": 7,
        "newrevid": 8,
        "newtimestamp": NOW,
    }
}
REFUSED = {"errors": [{"code": "protectedpage", "text": "No."}], "servedby": "x"}


@dataclass(slots=True)
class Response:
    content: bytes
    status_code: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def json(self) -> Any:
        return json.loads(self.content)


@pytest.mark.parametrize("good", [SUCCESS, REFUSED])
def test_an_odd_answer_to_an_edit_is_never_taken_for_success(good: dict[str, Any]) -> None:
    bodies = [*RAW, *(json.dumps(odd).encode() for odd in mutations(good))]
    for body in bodies:
        try:
            posted = understand(Response(body), EDIT)
        except WikibotError as error:
            assert "Severn" in str(error) and "\n" not in str(error)
        else:
            assert posted in (Posted(8, 7), Posted(8, 0)), body


@pytest.mark.parametrize("path", ["result", "newrevid"])
def test_success_without_what_matters_leaves_the_outcome_open(path: str) -> None:
    lacking = {"edit": {key: value for key, value in SUCCESS["edit"].items() if key != path}}
    with pytest.raises(OutcomeUnknown):
        understand(Response(json.dumps(lacking).encode()), EDIT)
