"""Decisions: once each, by one person, each to be taken back."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from sqlalchemy import event

from wikibot.errors import AlreadyDecided, BadInput
from wikibot.store import Store, decisions, open_store, queue
from wikibot.store.decisions import Place, Voice
from wikibot.store.queue import Line
from wikibot.store.tables import Decision, Outbox, OutboxItem, Page, Suggestion

ALICE, BOB = Voice("alice", "web"), Voice("bob", "terminal")


def line(store: Store, proposal_id: int) -> Line:
    with store.reading() as session:
        found = queue.proposal(session, proposal_id)
    assert found is not None
    return found.line


def decide(
    store: Store, proposal_id: int, verdict: str, voice: Voice = ALICE, **more: object
) -> int:
    with store.writing() as session:
        return decisions.decide(session, proposal_id, verdict, voice, **more)  # type: ignore[arg-type]


def undo(store: Store, decision_id: int, voice: Voice = ALICE) -> int:
    with store.writing() as session:
        return decisions.undo(session, decision_id, voice)


@pytest.mark.parametrize(
    ("verdict", "state"), [("approve", "approved"), ("reject", "rejected"), ("skip", "skipped")]
)
def test_a_decision_carries_reviewer_time_and_reason(
    store: Store, verdict: str, state: str
) -> None:
    done = decide(store, 1, verdict, reason="other", note="seen it")
    assert line(store, 1).state == state
    with store.reading() as session:
        said = decisions.decision(session, done)
    assert said is not None
    assert (said.verdict, said.reviewer, said.source) == (verdict, "alice", "web")
    assert (said.reason, said.note) == ("other", "seen it")
    assert said.decided_at.tzinfo is not None


@pytest.mark.parametrize("first", ["approve", "reject"])
@pytest.mark.parametrize("second", ["approve", "reject", "skip"])
def test_the_second_reviewer_sees_the_firsts_decision(
    store: Store, first: str, second: str
) -> None:
    decide(store, 1, first, ALICE, version=1)
    with pytest.raises(AlreadyDecided, match=f"alice said “{first}”"):
        decide(store, 1, second, BOB, version=1)
    with store.reading() as session:
        assert len(decisions.history(session, 1)) == 1


def test_a_version_that_is_no_longer_current_decides_nothing(store: Store) -> None:
    decide(store, 1, "skip", BOB)
    with pytest.raises(AlreadyDecided):
        decide(store, 1, "approve", ALICE, version=1)
    assert line(store, 1).state == "skipped"


def test_skip_is_not_reject_the_proposal_can_still_be_decided(store: Store) -> None:
    decide(store, 1, "skip")
    decide(store, 1, "approve")
    assert line(store, 1).state == "approved"


def test_ten_reviewers_at_once_decide_each_proposal_once(store: Store) -> None:
    outcomes: Counter[str] = Counter()
    start = threading.Barrier(10)

    def decide_all(name: str) -> None:
        start.wait()
        with open_store(str(store.path)) as own:
            for proposal_id in range(1, 6):
                try:
                    decide(own, proposal_id, "approve", Voice(name, "web"), version=1)
                    outcomes[f"{proposal_id} done"] += 1
                except AlreadyDecided:
                    outcomes["late"] += 1

    people = [threading.Thread(target=decide_all, args=(f"r{n}",)) for n in range(10)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert {name: n for name, n in outcomes.items() if name != "late"} == {
        f"{n} done": 1 for n in range(1, 6)
    }
    with store.reading() as session:
        assert session.query(Decision).count() == 5


def test_undo_puts_back_exactly_what_was_there(store: Store) -> None:
    before = line(store, 1)
    decision = decide(store, 1, "reject", reason="other")
    assert undo(store, decision) == 1
    after = line(store, 1)
    assert (after.state, after.start, after.end) == (before.state, before.start, before.end)
    assert after.version > before.version
    with store.reading() as session:
        assert [said.verdict for said in decisions.history(session, 1)] == ["reject", "undo"]


def test_undo_is_per_decision_and_leaves_the_others_alone(store: Store) -> None:
    first = decide(store, 1, "approve")
    decide(store, 2, "approve")
    undo(store, first)
    assert line(store, 1).state == "pending"
    assert line(store, 2).state == "approved"


def test_undoing_a_skip_after_an_approval_is_refused(store: Store) -> None:
    skipped = decide(store, 1, "skip")
    approved = decide(store, 1, "approve")
    with pytest.raises(AlreadyDecided, match="cannot be taken back"):
        undo(store, skipped)
    undo(store, approved)
    assert line(store, 1).state == "skipped"
    undo(store, skipped)
    assert line(store, 1).state == "pending"


def test_a_decision_is_taken_back_once(store: Store) -> None:
    decision = decide(store, 1, "approve")
    undo(store, decision)
    with pytest.raises(AlreadyDecided):
        undo(store, decision)


def test_a_published_link_is_not_undone_here(store: Store) -> None:
    decision = decide(store, 1, "approve")
    with store.writing() as session:
        session.get_one(Suggestion, 1).state = "published"
    with pytest.raises(AlreadyDecided):
        undo(store, decision)


def test_an_approval_on_its_way_to_the_wiki_is_not_undone(store: Store) -> None:
    decision = decide(store, 1, "approve")
    row = line(store, 1)
    with store.writing() as session:
        edit = Outbox(
            wiki_id=1, batch="b", kind="page", title="Lighthouse", base_revision=101, text="",
            sha1="", summary="", marker="m", state="sent", created_at=ALICE.time,
        )  # fmt: skip
        session.add(edit)
        session.flush()
        session.add(
            OutboxItem(
                outbox_id=edit.id, suggestion_id=1, start=row.start, end=row.end, wikitext=""
            )
        )
    with pytest.raises(BadInput, match="on its way"):
        undo(store, decision)


def test_there_is_no_undo_of_an_undo_or_of_nothing(store: Store) -> None:
    decision = decide(store, 1, "approve")
    undo(store, decision)
    with pytest.raises(BadInput, match="no decision"):
        undo(store, decision + 1)
    with pytest.raises(BadInput, match="no decision"):
        undo(store, 999)


def test_a_proposal_that_does_not_exist_is_named(store: Store) -> None:
    with pytest.raises(BadInput, match="no proposal 999"):
        decide(store, 999, "approve")


def test_an_approval_belongs_to_the_revision_it_was_given_on(store: Store) -> None:
    with store.writing() as session:
        session.get_one(Page, 1).revision_id += 1
    with pytest.raises(BadInput, match="has changed since"):
        decide(store, 1, "approve")
    decide(store, 1, "reject", reason="other")


def test_two_links_never_share_words(store: Store) -> None:
    decide(store, 1, "approve")
    row = line(store, 1)
    with store.writing() as session:
        other = session.get_one(Suggestion, 4)
        other.start, other.end = row.start + 2, row.end + 5
    with pytest.raises(BadInput, match="already carry the approved link"):
        decide(store, 4, "approve")


def test_the_newest_decision_of_a_reviewer_is_the_one_to_undo(store: Store) -> None:
    first = decide(store, 1, "approve", ALICE)
    decide(store, 2, "approve", BOB)
    with store.reading() as session:
        assert decisions.last_undoable(session, 1, "alice") == first
        assert decisions.last_undoable(session, 1, "carol") is None
    undo(store, first)
    with store.reading() as session:
        assert decisions.last_undoable(session, 1, "alice") is None


def place(row: Line) -> Place:
    return Place(row.start, row.end, row.anchor, f"[[Glass|{row.anchor}]]")


def test_another_target_rejects_the_first_and_waits_in_its_stead(store: Store) -> None:
    row = line(store, 4)
    with store.writing() as session:
        glass = session.query(Page).where(Page.title == "Glass").one().id
        new = decisions.retarget(session, 4, glass, place(row), ALICE, version=1)
    assert line(store, 4).state == "rejected"
    assert (line(store, new).target, line(store, new).state) == ("Glass", "pending")
    with store.reading() as session:
        assert decisions.history(session, 4)[-1].reason == "wrong-target"


def test_taking_a_new_target_back_withdraws_it(store: Store) -> None:
    row = line(store, 4)
    with store.writing() as session:
        glass = session.query(Page).where(Page.title == "Glass").one().id
        new = decisions.retarget(session, 4, glass, place(row), ALICE, version=1)
    with store.reading() as session:
        rejected = decisions.history(session, 4)[-1].id
    undo(store, rejected)
    assert line(store, 4).state == "pending"
    with store.reading() as session:
        assert queue.proposal(session, new) is None


def test_a_new_target_that_was_approved_is_not_withdrawn(store: Store) -> None:
    row = line(store, 4)
    with store.writing() as session:
        glass = session.query(Page).where(Page.title == "Glass").one().id
        new = decisions.retarget(session, 4, glass, place(row), ALICE, version=1)
    decide(store, new, "approve")
    with store.reading() as session:
        rejected = decisions.history(session, 4)[-1].id
    with pytest.raises(BadInput, match="take that back first"):
        undo(store, rejected)
    assert line(store, new).state == "approved"


def test_a_pair_that_was_rejected_does_not_come_back_as_a_target(store: Store) -> None:
    decide(store, 2, "reject")
    foghorn = line(store, 2).target_id
    with pytest.raises(BadInput, match="already has a proposal"), store.writing() as session:
        decisions.retarget(session, 3, foghorn, place(line(store, 3)), ALICE, version=1)


def test_the_newest_decisions_come_first(store: Store) -> None:
    decide(store, 1, "approve")
    decide(store, 2, "skip")
    with store.reading() as session:
        latest = decisions.latest(session, 1, limit=5)
    assert [said.suggestion_id for said in latest] == [2, 1]


def test_a_decision_takes_few_statements_and_reads_no_page(store: Store) -> None:
    """Fifty people decide at once on a server: each statement, and each page read, is multiplied."""
    asked: list[str] = []
    event.listen(store.writer, "before_cursor_execute", lambda *given: asked.append(given[2]))
    decide(store, 1, "approve")
    on_tables = [one for one in asked if not one.startswith(("PRAGMA", "BEGIN"))]
    assert len(on_tables) <= 7
    assert not [one for one in on_tables if "pages.wikitext" in one]
