"""The outbox on both databases: what is written down before, during and after an edit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from wikibot.errors import WikiRefused, WikiUnavailable
from wikibot.plan import Placed
from wikibot.store import Store, decisions, outbox, page_writes
from wikibot.store.lock import only_one
from wikibot.store.outbox import NewEdit
from wikibot.store.tables import Decision, Outbox, Page, Suggestion
from wikibot.wikitext import SiteRules

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
EDIT = NewEdit(
    wiki_id=1,
    batch="b1",
    kind="page",
    title="Severn",
    page_id=1,
    base_revision=7,
    text="A [[river]].",
    sha1="abc",
    summary="links",
    marker="wikibot-1",
    items=(Placed(1, 2, 7, "[[river]]"),),
    sender="LinkBot",
)


@pytest.fixture
def filled(store: Store) -> Iterator[Store]:
    """A wiki with two pages and two approved suggestions on the first."""
    with store.writing() as session:
        wiki = page_writes.save_wiki(session, "rivers", SiteRules.for_language("en"))
        for number, title in enumerate(("Severn", "River", "Wales"), start=1):
            session.add(
                Page(
                    id=number,
                    wiki_id=wiki,
                    page_id=number,
                    title=title,
                    namespace=0,
                    revision_id=7,
                    wikitext="A river in Wales.",
                )
            )
        session.flush()
        for number, (start, end, target) in enumerate(((2, 7, 2), (11, 16, 3)), start=1):
            session.add(
                Suggestion(
                    id=number,
                    wiki_id=wiki,
                    page_id=1,
                    target_id=target,
                    revision_id=7,
                    start=start,
                    end=end,
                    anchor="x",
                    wikitext="[[x]]",
                    sentence_start=0,
                    sentence_end=17,
                    sentence="A river in Wales.",
                    probability=0.5 + number / 10,
                    reasons=[],
                    created_at=NOW,
                )
            )
        session.flush()
        for number in (1, 2):
            voice = decisions.Voice("Ann", "talk" if number == 2 else "web")
            decisions.decide(session, number, "approve", voice)
    yield store


def add(store: Store, edit: NewEdit = EDIT) -> int:
    with store.writing() as session:
        return outbox.add(session, edit, NOW)


def send(store: Store, edit_id: int, *, version: int = 2, at: datetime = NOW) -> None:
    with store.writing() as session:
        outbox.mark_sent(session, edit_id, at, versions={1: version})


def finish(store: Store, edit_id: int, state: str, revision: int | None = None) -> None:
    with store.writing() as session:
        outbox.finish(session, edit_id, state, NOW, message="why", new_revision=revision)


def row(store: Store, edit_id: int) -> outbox.OutboxRow:
    with store.reading() as session:
        return next(edit for edit in outbox.edits(session, 1) if edit.id == edit_id)


def state(store: Store, suggestion_id: int) -> str:
    with store.reading() as session:
        return outbox.states_of(session, [suggestion_id])[suggestion_id]


def test_links_come_with_their_approver_and_in_the_order_of_the_text(filled: Store) -> None:
    with filled.reading() as session:
        links = outbox.links_of_page(session, 1, ("approved",))
        best = outbox.links_of_wiki(session, 1, ("approved",), limit=1)
    assert [(link.id, link.page, link.target) for link in links] == [
        (1, "Severn", "River"),
        (2, "Severn", "Wales"),
    ]
    assert [(link.approver, link.is_wiki_user) for link in links] == [("Ann", False), ("Ann", True)]
    assert [link.id for link in best] == [2]


def test_a_link_knows_the_redirects_to_its_target(filled: Store) -> None:
    with filled.writing() as session:
        session.add(
            Page(
                id=4,
                wiki_id=1,
                page_id=4,
                title="Stream",
                namespace=0,
                revision_id=7,
                wikitext="#REDIRECT [[River]]",
                redirect_to="River",
                redirect_id=2,
            )
        )
    with filled.reading() as session:
        links = outbox.links_of_page(session, 1, ("approved",))
    assert [link.redirects for link in links] == [("Stream",), ()]


def test_an_edit_is_written_down_with_everything_that_is_sent(filled: Store) -> None:
    edit = row(filled, add(filled))
    assert (edit.state, edit.text, edit.base_revision) == ("planned", "A [[river]].", 7)
    assert edit.items == EDIT.items and edit.attempts == 0 and edit.sent_at is None


def test_a_page_has_one_edit_in_flight(filled: Store) -> None:
    first = add(filled)
    send(filled, first)
    with pytest.raises(WikiRefused, match="still on its way"):
        add(filled, replace(EDIT, marker="wikibot-2"))
    finish(filled, first, "refused")
    assert add(filled, replace(EDIT, marker="wikibot-2")) != first


def test_the_database_itself_keeps_a_second_edit_away(filled: Store) -> None:
    add(filled)
    with pytest.raises(IntegrityError), filled.writing() as session:
        session.add(
            Outbox(
                wiki_id=1,
                batch="b2",
                kind="page",
                title="Severn",
                base_revision=7,
                text="",
                sha1="",
                summary="",
                marker="wikibot-9",
                state="sent",
                created_at=NOW,
            )
        )


def test_a_done_edit_publishes_its_suggestions_and_no_others(filled: Store) -> None:
    edit = add(filled)
    send(filled, edit)
    finish(filled, edit, "done", revision=8)
    assert (state(filled, 1), state(filled, 2)) == ("published", "approved")
    done = row(filled, edit)
    assert (done.state, done.new_revision, done.attempts) == ("done", 8, 1)
    with filled.reading() as session:
        assert [edit.new_revision for edit in outbox.own_edits(session, 1)] == [8]
        found = outbox.edit_with(session, 1)
        assert found is not None and found.id == edit
        assert outbox.edit_with(session, 2) is None


@pytest.mark.parametrize("outcome", ["refused", "later", "unknown"])
def test_any_other_outcome_leaves_the_approval_standing(filled: Store, outcome: str) -> None:
    edit = add(filled)
    send(filled, edit)
    finish(filled, edit, outcome)
    assert state(filled, 1) == "approved" and row(filled, edit).message == "why"
    with filled.reading() as session:
        assert [r.id for r in outbox.in_flight(session, 1)] == (
            [edit] if outcome == "unknown" else []
        )


def test_an_edit_is_not_sent_once_its_approval_changed(filled: Store) -> None:
    edit = add(filled)
    with pytest.raises(WikiRefused, match="decided otherwise"):
        send(filled, edit, version=1)
    with filled.writing() as session:
        outbox.set_states(session, [1], "rejected")
    with pytest.raises(WikiRefused, match="decided otherwise"):
        send(filled, edit, version=3)
    assert row(filled, edit).state == "planned"


def test_a_settled_edit_is_not_settled_again(filled: Store) -> None:
    edit = add(filled)
    send(filled, edit)
    finish(filled, edit, "done", revision=8)
    with pytest.raises(WikiRefused, match="settled by another process"):
        finish(filled, edit, "later")
    with pytest.raises(WikiRefused, match="decided otherwise"):
        send(filled, edit, version=3)


def test_planned_edits_are_forgotten_and_sent_ones_are_not(filled: Store) -> None:
    planned = add(filled)
    sent = add(filled, replace(EDIT, title="Wales", page_id=3, marker="wikibot-2", items=()))
    with filled.writing() as session:
        outbox.mark_sent(session, sent, NOW, versions={})
        outbox.drop_planned(session, 1)
    with filled.reading() as session:
        assert [edit.id for edit in outbox.edits(session, 1)] == [sent]
        assert outbox.states_of(session, [1]) == {1: "approved"}
    with filled.writing() as session:
        outbox.drop(session, sent)
        outbox.drop(session, planned)
    assert row(filled, sent).state == "sent"


def test_edits_that_may_yet_arrive_are_remembered(filled: Store) -> None:
    late = add(filled)
    send(filled, late)
    finish(filled, late, "later")
    with filled.reading() as session:
        assert [
            edit.id for edit in outbox.given_up(session, 1, refused_since=NOW, titles={"Severn"})
        ] == [late]
    finish(filled, late, "done", revision=9)
    with filled.reading() as session:
        assert outbox.given_up(session, 1, refused_since=NOW, titles={"Severn"}) == []
    assert state(filled, 1) == "published"


def test_a_second_attempt_that_is_refused_says_nothing_about_the_first(filled: Store) -> None:
    edit = add(filled)
    for _ in range(2):
        send(filled, edit)
        finish(filled, edit, "later")
    finish(filled, edit, "refused")
    with filled.reading() as session:
        assert [
            found.id for found in outbox.given_up(session, 1, refused_since=NOW, titles={"Severn"})
        ] == [edit]


def test_an_attempt_that_was_refused_long_ago_is_not_looked_for_any_more(filled: Store) -> None:
    edit = add(filled)
    for _ in range(2):
        send(filled, edit)
        finish(filled, edit, "later")
    finish(filled, edit, "refused")
    with filled.reading() as session:
        later = NOW + timedelta(days=1)
        assert outbox.given_up(session, 1, refused_since=later) == []


def test_a_page_whose_edit_was_lost_is_known_until_it_is_given_up(filled: Store) -> None:
    edit = add(filled)
    send(filled, edit)
    finish(filled, edit, "later")
    with filled.reading() as session:
        assert outbox.lost_titles(session, 1) == {"Severn"}
    finish(filled, edit, "expired")
    with filled.reading() as session:
        assert outbox.lost_titles(session, 1) == set()
        assert outbox.given_up(session, 1, refused_since=NOW) == []
    assert state(filled, 1) == "approved"


def test_the_cap_of_a_page_counts_it_under_every_title_it_had(filled: Store) -> None:
    edit = add(filled)
    send(filled, edit)
    finish(filled, edit, "done", revision=9)
    with filled.reading() as session:
        asked = {"since": NOW - timedelta(days=1), "title": "Another title"}
        assert outbox.count_sent(session, 1, **asked, page_id=EDIT.page_id) == 1
        assert outbox.count_sent(session, 1, **asked) == 0


def test_a_link_that_is_back_takes_back_the_revert_and_nothing_else(filled: Store) -> None:
    with filled.writing() as session:
        outbox.record_revert(session, 1, user="Bob", at=NOW, comment="no")
        outbox.keep(session, [1])
    assert state(filled, 1) == "kept"
    with filled.reading() as session:
        said = session.scalars(select(Decision).where(Decision.suggestion_id == 1)).all()
    assert {one.source for one in said if one.undone} == {"watch"}


def test_the_same_edit_is_known_to_have_been_refused(filled: Store) -> None:
    edit = add(filled)
    send(filled, edit)
    finish(filled, edit, "refused")
    other_text = replace(EDIT, text="other marker", sha1="def")
    with filled.reading() as session:
        assert outbox.refused_before(session, EDIT) == "why"
        assert outbox.refused_before(session, other_text) == "why"
        assert outbox.refused_before(session, replace(EDIT, base_revision=8)) is None
        more = (*EDIT.items, Placed(2, 11, 16, "[[Wales]]"))
        assert outbox.refused_before(session, replace(EDIT, items=more)) is None
        assert outbox.refused_before(session, replace(EDIT, items=(), sha1="xyz")) is None


def test_the_caps_count_what_was_made_or_may_have_been(filled: Store) -> None:
    for number, outcome in enumerate(("done", "unknown", "refused", "later"), start=1):
        edit = replace(EDIT, title=f"Page {number}", marker=f"m{number}", items=())
        edit_id = add(filled, edit)
        with filled.writing() as session:
            outbox.mark_sent(session, edit_id, NOW, versions={})
        finish(filled, edit_id, outcome)
    with filled.reading() as session:
        day = NOW - timedelta(hours=24)
        assert outbox.count_sent(session, 1, since=day) == 2
        assert outbox.count_sent(session, 1, since=day, title="Page 1") == 1
        assert outbox.count_sent(session, 1, since=NOW + timedelta(seconds=1)) == 0
        assert outbox.last_sent(session, 1) == NOW


def test_a_revert_is_recorded_once_with_its_author(filled: Store) -> None:
    for _ in range(2):
        with filled.writing() as session:
            outbox.record_revert(session, 1, user="Bob", at=NOW, comment="no")
    assert state(filled, 1) == "reverted"
    with filled.reading() as session:
        said = session.scalars(select(Decision).where(Decision.source == "watch")).all()
    assert [(d.reviewer, d.verdict, d.note, d.decided_at) for d in said] == [
        ("Bob", "reject", "no", NOW)
    ]


def test_what_was_proposed_on_a_page_is_remembered(filled: Store) -> None:
    talk = replace(EDIT, kind="talk", title="Talk:Severn", items=(Placed(2, 0, 0, ""),))
    edit = add(filled, talk)
    with filled.writing() as session:
        outbox.mark_sent(session, edit, NOW, versions={2: 2})
    finish(filled, edit, "done", revision=3)
    with filled.reading() as session:
        assert outbox.sent_before(session, 1, "Talk:Severn", ("talk",), page_id=None) == {2}
        assert outbox.sent_before(session, 1, "Talk:Severn", ("user-page",), page_id=None) == set()
    assert state(filled, 2) == "approved", "a proposal on a talk page is not published"


def test_only_one_process_publishes(store: Store) -> None:
    with only_one(store, "publish"):
        with (
            pytest.raises(WikiUnavailable, match="Another process is busy"),
            only_one(store, "publish"),
        ):
            pass
        with only_one(store, "run"):
            pass
    with only_one(store, "publish"):
        pass
