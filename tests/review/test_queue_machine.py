"""Any order of decisions, undos, edits and never-links leaves the queue in a state that makes sense."""

from __future__ import annotations

import shutil
import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.review import sample
from wikibot import review
from wikibot.errors import AlreadyDecided, BadInput, UnsafeEdit
from wikibot.store import decisions, never_links, open_store, queue
from wikibot.store.decisions import STATE_AFTER, Voice
from wikibot.store.queue import Filters
from wikibot.store.tables import Decision, Page, Suggestion

FOLDER = Path(tempfile.mkdtemp(prefix="queue-machine"))
REFUSALS = (AlreadyDecided, BadInput, UnsafeEdit)

people = st.sampled_from([Voice("alice", "web"), Voice("bob", "terminal")])
some_proposal = st.integers(1, 14)
some_page = st.integers(1, len(sample.ENGLISH))


def template() -> Path:
    """The sample wiki's database, made once."""
    path = FOLDER / "template.db"
    if not path.exists():
        sample.make_store(path).close()
    return path


class QueueMachine(RuleBasedStateMachine):
    """Two people at a queue, doing whatever the pages offer, in any order."""

    @initialize()
    def open_queue(self) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=FOLDER))
        self.store = open_store(shutil.copy(template(), self.folder / "wiki.db"))
        self.snapshots: dict[int, tuple[object, ...]] = {}

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            shutil.rmtree(self.folder)

    def place(self, proposal_id: int) -> tuple[object, ...]:
        with self.store.reading() as session:
            row = session.get(Suggestion, proposal_id)
            return () if row is None else (row.state, row.start, row.end, row.anchor, row.wikitext)

    @rule(proposal_id=some_proposal, verdict=st.sampled_from(sorted(STATE_AFTER)), voice=people)
    def decide(self, proposal_id: int, verdict: str, voice: Voice) -> None:
        before = self.place(proposal_id)
        try:
            done = review.decide(self.store, proposal_id, verdict, voice)
        except REFUSALS:
            assert self.place(proposal_id) == before
        else:
            self.snapshots[done] = before
            assert self.place(proposal_id)[0] == STATE_AFTER[verdict]

    @rule(proposal_id=some_proposal, step=st.sampled_from(sorted(review.STEPS)), voice=people)
    def move(self, proposal_id: int, step: str, voice: Voice) -> None:
        before = self.place(proposal_id)
        with self.store.reading() as session:
            row = session.get(Suggestion, proposal_id)
            version = row.version if row else 1
        try:
            done = review.move(self.store, proposal_id, step, voice, version=version)
        except REFUSALS:
            assert self.place(proposal_id) == before
        else:
            self.snapshots[done] = before

    @rule(proposal_id=some_proposal, target_id=some_page, voice=people)
    def retarget(self, proposal_id: int, target_id: int, voice: Voice) -> None:
        before = self.place(proposal_id)
        with self.store.reading() as session:
            row = session.get(Suggestion, proposal_id)
            version = row.version if row else 1
        try:
            new = review.retarget(self.store, proposal_id, target_id, voice, version=version)
        except REFUSALS:
            assert self.place(proposal_id) == before
        else:
            assert self.place(proposal_id)[0] == "rejected"
            assert self.place(new)[0] == "pending"

    @precondition(lambda self: self.snapshots)
    @rule(data=st.data(), voice=people)
    def undo(self, data: st.DataObject, voice: Voice) -> None:
        decision = data.draw(st.sampled_from(sorted(self.snapshots)))
        try:
            proposal_id = review.undo(self.store, decision, voice)
        except REFUSALS:
            return
        assert self.place(proposal_id) == self.snapshots.pop(decision)

    @rule(kind=st.sampled_from(["word", "target"]), page_id=some_page, voice=people)
    def never_and_again(self, kind: str, page_id: int, voice: Voice) -> None:
        with self.store.writing() as session:
            title = session.get_one(Page, page_id).title
            waiting = session.query(Suggestion).where(Suggestion.state == "pending").count()
            never_links.never_link(session, 1, kind, title, voice)
        with self.store.writing() as session:
            never_links.allow_again(session, never_links.entries(session, 1)[0].id)
            back = session.query(Suggestion).where(Suggestion.state == "pending").count()
        assert back >= waiting

    @invariant()
    def nothing_is_decided_twice(self) -> None:
        if not hasattr(self, "store"):
            return
        with self.store.reading() as session:
            for row in session.query(Suggestion).where(
                Suggestion.state.in_(("approved", "rejected"))
            ):
                standing = (
                    session.query(Decision)
                    .where(Decision.suggestion_id == row.id, Decision.undone.is_(False))
                    .where(Decision.verdict.in_(("approve", "reject")))
                    .all()
                )
                assert [STATE_AFTER[said.verdict] for said in standing] == [row.state]

    @invariant()
    def approved_links_share_no_words(self) -> None:
        if not hasattr(self, "store"):
            return
        with self.store.reading() as session:
            rows = session.query(Suggestion).where(Suggestion.state == "approved").all()
            spans = sorted((row.page_id, row.start, row.end) for row in rows)
        for one, other in pairwise(spans):
            assert one[0] != other[0] or one[2] <= other[1]

    @invariant()
    def the_queue_is_exactly_what_waits(self) -> None:
        if not hasattr(self, "store"):
            return
        with self.store.reading() as session:
            waiting = session.query(Suggestion.id).where(Suggestion.state == "pending").all()
            shown = [line.id for line in queue.every_line(session, Filters(1), batch=3)]
            counts = queue.count_states(session, 1)
            assert sorted(shown) == sorted(one for (one,) in waiting)
            assert counts["pending"] == len(shown)
            assert sum(counts.values()) == session.query(Suggestion).count()

    @invariant()
    def every_open_anchor_is_the_text_of_its_page(self) -> None:
        if not hasattr(self, "store"):
            return
        with self.store.reading() as session:
            for row in session.query(Suggestion):
                page = session.get_one(Page, row.page_id)
                assert page.wikitext[row.start : row.end] == row.anchor


QueueMachine.TestCase.settings = settings(
    max_examples=20,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestAnyOrderOfWork = pytest.mark.slow(pytest.mark.no_cover(QueueMachine.TestCase))


def test_history_of_a_new_target_says_who_chose_it(tmp_path: Path) -> None:
    with open_store(shutil.copy(template(), tmp_path / "wiki.db")) as store:
        with store.reading() as session:
            fog = session.query(Page).where(Page.title == "Fog").one().id
        new = review.retarget(store, 2, fog, Voice("bob", "web"), version=1)
        with store.reading() as session:
            said = decisions.history(session, new)
    assert [(one.verdict, one.reviewer) for one in said] == [("choose", "bob")]
