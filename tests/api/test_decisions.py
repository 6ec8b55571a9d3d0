"""What a person dismisses elsewhere than on the review page becomes a decision."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.api.conftest import settings
from tests.linker.rivers import NAMES
from wikibot.api.app import create_app
from wikibot.api.service import Service
from wikibot.store import Store, open_store
from wikibot.store.decisions import Voice, latest, undo
from wikibot.store.pages import page_by_title, wiki_by_name
from wikibot.store.queue import Line, line_of_pair
from wikibot.store.suggestions import pending_count, put_in_queue
from wikibot.web.app import create_app as create_review_app
from wikibot.web.review_app import ReviewApp

pytestmark = pytest.mark.slow

PAGE, UNMENTIONED = f"River {NAMES[20]}", f"River {NAMES[7]}"
MENTIONED = f"River {NAMES[11]}"  # without a link
UNSAVED = f"The upper reaches of the {UNMENTIONED} are near."
PORT = 8127


@pytest.fixture
def own(learned: Path, tmp_path: Path) -> Iterator[Store]:
    """A copy of the database and its models, which this test may change."""
    shutil.copytree(learned.parent, tmp_path / "copy")
    with open_store(tmp_path / "copy" / learned.name) as store:
        yield store


@pytest.fixture
def editor(own: Store) -> FlaskClient:
    return create_app(Service.of(own, settings())).test_client()


def dismissed(editor: FlaskClient, link_target: str, **more: Any) -> TestResponse:
    said = {"page": PAGE, "target": link_target, "verdict": "reject", "user": "Ann"} | more
    return editor.post("/v1/decisions", json=said)


def line(store: Store, target: str) -> Line:
    with store.reading() as session:
        wiki = wiki_by_name(session).id
        rows = [page_by_title(session, wiki, title) for title in (PAGE, target)]
        assert rows[0] is not None and rows[1] is not None
        found = line_of_pair(session, rows[0].id, rows[1].id)
    assert found is not None
    return found


def proposed(editor: FlaskClient, text: str) -> set[str]:
    answer = editor.post(f"/v1/linkrecommendations/w/t/{PAGE}?threshold=0", json={"wikitext": text})
    return {one["link_target"] for one in answer.get_json()["links"]}


def waiting(store: Store) -> int:
    with store.reading() as session:
        return pending_count(session, wiki_by_name(session).id)


def test_a_link_on_the_stored_page_is_rejected_at_its_place(
    editor: FlaskClient, own: Store
) -> None:
    assert dismissed(editor, MENTIONED).status_code == 201
    found = line(own, MENTIONED)
    assert (found.state, found.anchor) == ("rejected", MENTIONED) and found.revision_id > 0


def test_a_link_that_was_seen_in_unsaved_text_is_rejected_with_its_sentence(
    editor: FlaskClient, own: Store
) -> None:
    before = waiting(own)
    assert UNMENTIONED in proposed(editor, UNSAVED)
    answer = dismissed(editor, UNMENTIONED, wikitext=UNSAVED)
    assert answer.status_code == 201, answer.text
    found = line(own, UNMENTIONED)
    assert (found.state, found.anchor, found.sentence) == ("rejected", UNMENTIONED, UNSAVED)
    assert UNMENTIONED not in proposed(editor, UNSAVED)
    with own.reading() as session:
        said = latest(session, wiki_by_name(session).id, limit=1)[0]
    assert (said.page, said.target, said.reviewer, said.source) == (
        PAGE, UNMENTIONED, "Ann", "api",
    )  # fmt: skip
    assert waiting(own) == before


@pytest.mark.parametrize("text", ["", "Nothing of the sort.", "\x01", "{{" * 20_000])
def test_a_rejection_is_kept_where_no_text_has_a_place_for_it(
    editor: FlaskClient, own: Store, text: str
) -> None:
    assert dismissed(editor, UNMENTIONED, wikitext=text).status_code == 201
    assert line(own, UNMENTIONED).state == "rejected"
    assert UNMENTIONED not in proposed(editor, UNSAVED)


def test_taken_back_a_rejection_of_unsaved_text_leaves_nothing_waiting(
    editor: FlaskClient, own: Store
) -> None:
    before = waiting(own)
    number = dismissed(editor, UNMENTIONED, wikitext=UNSAVED).get_json()["decision"]
    with own.writing() as session:
        undo(session, number, Voice("Ann", "web"))
    assert line(own, UNMENTIONED).state == "stale" and waiting(own) == before
    assert UNMENTIONED in proposed(editor, UNSAVED)


def test_a_proposal_whose_text_is_gone_can_be_rejected(editor: FlaskClient, own: Store) -> None:
    """It was in the queue, the page changed, and somebody types the words again."""
    number = dismissed(editor, MENTIONED).get_json()["decision"]
    with own.writing() as session:
        undo(session, number, Voice("Ann", "web"))
        wiki = wiki_by_name(session).id
        page = page_by_title(session, wiki, PAGE)
        assert page is not None
        put_in_queue(session, wiki, None, [], {page.id}, is_all=True)
    assert line(own, MENTIONED).state == "stale"
    assert dismissed(editor, MENTIONED).status_code == 201
    assert line(own, MENTIONED).state == "rejected"


def test_what_is_decided_is_not_decided_again(editor: FlaskClient) -> None:
    assert dismissed(editor, UNMENTIONED, wikitext=UNSAVED).status_code == 201
    again = dismissed(editor, UNMENTIONED, wikitext=UNSAVED, user="Bob")
    assert (again.status_code, again.get_json()["code"]) == (409, "already-decided")


def test_what_cannot_be_shown_again_is_not_skipped(editor: FlaskClient, own: Store) -> None:
    answer = dismissed(editor, UNMENTIONED, wikitext=UNSAVED, verdict="skip")
    assert (answer.status_code, answer.get_json()["code"]) == (409, "no-proposal")
    assert dismissed(editor, MENTIONED, verdict="skip").status_code == 201
    assert line(own, MENTIONED).state == "skipped"


@pytest.mark.parametrize(
    ("more", "status", "code"),
    [
        ({"page": "Rhine"}, 404, "no-page"),
        ({"target": "Rhine"}, 404, "no-page"),
        ({"target": PAGE}, 400, "bad-input"),
        ({"verdict": "approve"}, 400, "bad-input"),
        ({"reason": "dull"}, 400, "bad-input"),
        ({"user": " "}, 400, "bad-input"),
        ({"user": "x" * 256}, 400, "bad-input"),
        ({"wikitext": 7}, 400, "bad-input"),
    ],
)
def test_a_dismissal_that_cannot_be_kept_changes_nothing(
    editor: FlaskClient, own: Store, more: dict[str, Any], status: int, code: str
) -> None:
    answer = dismissed(editor, UNMENTIONED, **more)
    assert (answer.status_code, answer.get_json()["code"]) == (status, code)
    with own.reading() as session:
        assert latest(session, wiki_by_name(session).id, limit=1) == []


@pytest.mark.parametrize("text", ["", UNSAVED])
def test_the_review_page_shows_what_was_dismissed_elsewhere(
    editor: FlaskClient, own: Store, text: str
) -> None:
    dismissed(editor, UNMENTIONED, wikitext=text)
    number = line(own, UNMENTIONED).id
    review = ReviewApp(own, "Ann", PORT)
    client, base = create_review_app(review).test_client(), f"http://127.0.0.1:{PORT}"
    client.get(f"/?token={review.token}", base_url=base)
    for path in (f"/proposal/{number}", "/queue?state=rejected", "/decisions"):
        page = client.get(path, base_url=base)
        assert page.status_code == 200 and UNMENTIONED in page.text, path
