"""Changing a proposal: the same checks as for a proposal."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.review.test_decisions import ALICE, decide, line
from wikibot import review
from wikibot.errors import AlreadyDecided, BadInput, UnsafeEdit
from wikibot.store import Store, queue
from wikibot.store.tables import Link, Page, Suggestion


def move(store: Store, proposal_id: int, step: str) -> str:
    """The anchor after the step."""
    review.move(store, proposal_id, step, ALICE, version=line(store, proposal_id).version)
    return line(store, proposal_id).anchor


def page_id(store: Store, title: str) -> int:
    with store.reading() as session:
        return session.query(Page).where(Page.title == title).one().id


def test_an_anchor_grows_and_shrinks_by_words_at_both_ends(store: Store) -> None:
    assert move(store, 2, "widen-end") == "fog horn, which"
    assert move(store, 2, "narrow-end") == "fog horn"
    assert move(store, 2, "widen-start") == "a fog horn"
    assert move(store, 2, "narrow-start") == "fog horn"
    assert move(store, 2, "narrow-start") == "horn"


def test_the_wikitext_follows_the_anchor(store: Store) -> None:
    move(store, 2, "narrow-start")
    assert line(store, 2).wikitext == "[[Foghorn|horn]]"


def test_every_change_of_an_anchor_can_be_taken_back(store: Store) -> None:
    move(store, 2, "widen-start")
    done = review.move(store, 2, "widen-start", ALICE, version=line(store, 2).version)
    review.undo(store, done, ALICE)
    assert line(store, 2).anchor == "a fog horn"
    assert line(store, 2).wikitext == "[[Foghorn|a fog horn]]"


def test_an_anchor_keeps_one_word(store: Store) -> None:
    with pytest.raises(BadInput, match="only one word"):
        move(store, 3, "narrow-end")


def test_an_anchor_does_not_leave_its_sentence(store: Store) -> None:
    with store.writing() as session:
        row = session.get_one(Suggestion, 3)
        page = session.get_one(Page, 1)
        row.start = page.wikitext.index("leave.")
        row.end = row.start + len("leave")
        row.anchor = "leave"
    with pytest.raises(BadInput, match="no further word"):
        move(store, 3, "widen-end")


def test_an_anchor_does_not_grow_over_markup(store: Store) -> None:
    with store.writing() as session:
        row = session.get_one(Suggestion, 2)
        page = session.get_one(Page, 1)
        row.start = page.wikitext.index("heard {{")
        row.end = row.start + len("heard")
        row.anchor = "heard"
    with pytest.raises(BadInput, match="no further word"):
        move(store, 2, "widen-end")


def test_a_place_where_no_link_may_stand_is_refused(store: Store) -> None:
    with store.writing() as session:
        row = session.get_one(Suggestion, 2)
        page = session.get_one(Page, 1)
        row.start = page.wikitext.index("Infobox")
        row.end = row.start + len("Infobox")
    with pytest.raises(UnsafeEdit, match="No link may stand"):
        move(store, 2, "widen-end")


def test_a_moved_anchor_of_a_decided_proposal_is_refused(store: Store) -> None:
    decide(store, 2, "approve")
    with pytest.raises(AlreadyDecided):
        move(store, 2, "widen-start")


def test_nothing_moves_once_the_page_has_changed(store: Store) -> None:
    with store.writing() as session:
        session.get_one(Page, 1).revision_id += 1
    with pytest.raises(BadInput, match="has changed since"):
        move(store, 2, "widen-end")


def test_another_target_is_checked_and_written_out(store: Store) -> None:
    new = review.retarget(store, 2, page_id(store, "Fog"), ALICE, version=1)
    assert line(store, new).wikitext == "[[Fog|fog horn]]"
    assert line(store, new).state == "pending"


def test_a_page_is_no_target_of_itself(store: Store) -> None:
    with pytest.raises(BadInput, match="itself"):
        review.retarget(store, 2, page_id(store, "Lighthouse"), ALICE, version=1)


def test_a_page_that_is_linked_already_is_no_target(store: Store) -> None:
    with pytest.raises(BadInput, match="links to “Harbour” already"):
        review.retarget(store, 2, page_id(store, "Harbour"), ALICE, version=1)
    with store.reading() as session:
        assert session.query(Link).where(Link.target_title == "Harbour").count() > 0


@pytest.mark.parametrize("what", ["is_disambiguation", "redirect_to"])
def test_redirects_and_disambiguation_pages_are_no_targets(store: Store, what: str) -> None:
    with store.writing() as session:
        page = session.query(Page).where(Page.title == "Fog").one()
        setattr(page, what, True if what == "is_disambiguation" else "Foghorn")
    with pytest.raises(BadInput, match=r"No page of that name|disambiguation page"):
        review.retarget(store, 2, page_id(store, "Fog"), ALICE, version=1)


def test_a_page_that_does_not_exist_is_no_target(store: Store) -> None:
    with pytest.raises(BadInput, match="No page of that name"):
        review.retarget(store, 2, 999, ALICE, version=1)


def lines_of(store: Store, page: int) -> list[queue.Line]:
    with store.reading() as session:
        return queue.lines_of_page(session, page, queue.OPEN_STATES)


def seen(rows: Iterable[queue.Line]) -> list[tuple[int, int]]:
    return [(row.id, row.version) for row in rows]


def test_approving_a_page_approves_what_is_probable_enough_each_by_a_decision(
    store: Store,
) -> None:
    likely = seen(row for row in lines_of(store, 1) if row.probability >= 0.8)
    outcome = review.decide_many(store, likely, "approve", ALICE)
    assert len(outcome.decided) == 4
    assert {row.anchor for row in lines_of(store, 1)} == {"clockwork", "passing ship"}
    review.undo(store, outcome.decided[0], ALICE)
    assert len(lines_of(store, 1)) == 3
    taken_back = review.undo_many(store, outcome.decided, ALICE)
    assert len(taken_back.decided) == 3
    assert len(taken_back.refused) == 1, "one was taken back before"
    assert len(lines_of(store, 1)) == 6


def test_approving_a_page_leaves_what_others_decided_meanwhile(store: Store) -> None:
    shown = seen(lines_of(store, 1))
    decide(store, 1, "reject")
    outcome = review.decide_many(store, shown, "approve", ALICE)
    assert len(outcome.decided) == 5
    assert len(outcome.refused) == 1
    assert line(store, 1).state == "rejected"


def test_words_are_chosen_by_their_places_and_cut_to_whole_words(store: Store) -> None:
    text = page_text(store)
    start = text.index("sounded a fog horn")
    review.reword_between(store, 2, start + 10, start + 13, ALICE, version=1)
    assert line(store, 2).anchor == "fog"
    review.reword_between(store, 2, start + 9, start + 16, ALICE, version=2)
    assert line(store, 2).anchor == "fog horn"


def test_words_outside_the_sentence_are_not_chosen(store: Store) -> None:
    end = len(page_text(store))
    with pytest.raises(BadInput, match="No word of the sentence is chosen"):
        review.reword_between(store, 2, end - 3, end, ALICE, version=1)
    assert line(store, 2).anchor == "fog horn"


def page_text(store: Store) -> str:
    with store.reading() as session:
        found = queue.proposal(session, 2)
    assert found is not None
    return found.page.wikitext
