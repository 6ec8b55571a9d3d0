"""The queue: its order, its filters, and a place in it that survives decisions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy import text as sql

from tests.review import sample
from wikibot.store import Session, Store, decisions, queue
from wikibot.store.decisions import Voice
from wikibot.store.queue import Filters
from wikibot.store.tables import Page, Suggestion

ALICE = Voice("alice", "web")


def filters(session: Session, **wanted: object) -> Filters:
    wiki = next(one for one in queue.wikis(session) if one.language == "en")
    return replace(Filters(wiki.id), **wanted)  # type: ignore[arg-type]


def walk(session: Session, wanted: Filters) -> list[int]:
    """The queue as a reviewer with the key `j` sees it."""
    seen = []
    at = queue.first_id(session, wanted)
    while at is not None:
        seen.append(at)
        at = queue.id_after(session, wanted, at)
    return seen


def test_the_most_probable_proposal_comes_first(store: Store) -> None:
    with store.reading() as session:
        shown = queue.lines(session, filters(session))
    shares = [line.probability for line in shown]
    assert shares == sorted(shares, reverse=True)
    assert shown[0].anchor == "Fresnel lens"


def test_walking_forwards_and_backwards_meets_every_proposal_once(store: Store) -> None:
    with store.writing() as session:
        for row in session.query(Suggestion).where(Suggestion.id <= 6):
            row.probability = 0.5  # equals, so that the place must be kept by number
    with store.reading() as session:
        wanted = filters(session)
        forwards = walk(session, wanted)
        at, backwards = queue.last_id(session, wanted), []
        while at is not None:
            backwards.append(at)
            at = queue.id_before(session, wanted, at)
    assert sorted(forwards) == list(range(1, 12))
    assert backwards == forwards[::-1]


def test_a_decided_proposal_still_marks_the_place_of_the_next(store: Store) -> None:
    with store.writing() as session:
        decisions.decide(session, 2, "approve", ALICE)
    with store.reading() as session:
        assert queue.id_after(session, filters(session), 2) == 3
        assert queue.id_before(session, filters(session), 2) == 1


def test_a_place_that_does_not_exist_is_the_start(store: Store) -> None:
    with store.reading() as session:
        assert queue.id_after(session, filters(session), 999) == 1


@pytest.mark.parametrize(
    ("wanted", "anchors"),
    [
        ({"page": "harb"}, {"lighthouse", "breakwater"}),
        ({"page": "HARBOUR"}, {"lighthouse", "breakwater"}),
        ({"target": "lighthouse", "page": "fresnel"}, {"lighthouse"}),
        ({"category": "Optics"}, {"lighthouse"}),
        ({"category": "No such"}, set()),
        ({"low": 0.9}, {"Fresnel lens", "fog horn"}),
        ({"low": 0.5, "high": 0.6}, {"fog"}),
        ({"state": "approved"}, set()),
        ({"page": "%"}, set()),
        ({"page": "fresnel_lens"}, {"lighthouse"}),  # as in addresses
    ],
)
def test_filters_show_what_they_say(
    store: Store, wanted: dict[str, object], anchors: set[str]
) -> None:
    with store.reading() as session:
        asked = filters(session, **wanted)
        lines = queue.lines(session, asked)
        assert {line.anchor for line in lines} == anchors
        assert queue.count(session, asked) == len(lines)
        assert walk(session, asked) == [line.id for line in lines]


def test_any_state_means_all(store: Store) -> None:
    with store.writing() as session:
        decisions.decide(session, 1, "reject", ALICE)
        decisions.decide(session, 2, "skip", ALICE)
    with store.reading() as session:
        assert queue.count(session, filters(session)) == 9
        assert queue.count(session, filters(session, state="any")) == 11


def test_a_letter_outside_ascii_is_found_in_either_case(store: Store) -> None:
    with store.writing() as session:
        session.get_one(Page, 1).title = "Öland lighthouse"
    with store.reading() as session:
        assert queue.count(session, filters(session, page="öland")) == 6
        assert queue.find_titles(session, 1, "öl")[0].title == "Öland lighthouse"


def test_the_whole_queue_comes_in_batches_without_gaps(store: Store) -> None:
    with store.reading() as session:
        ids = [line.id for line in queue.every_line(session, filters(session), batch=2)]
    assert sorted(ids) == list(range(1, 12))
    assert len(ids) == 11


def test_states_are_counted_and_absent_ones_are_zero(store: Store) -> None:
    with store.reading() as session:
        counts = queue.count_states(session, filters(session).wiki_id)
    assert counts["pending"] == 11
    assert counts["approved"] == 0
    assert set(counts) == set(queue.STATES)


def test_another_wikis_proposals_stay_apart(store: Store) -> None:
    with store.writing() as session:
        wiki = sample.add_wiki(session, "he", sample.HEBREW, sample.HEBREW_PROPOSALS)
        hebrew = wiki.id
    with store.reading() as session:
        assert queue.wikis(session)[0].id == hebrew, "the wiki that came last is in front"
        assert queue.count(session, Filters(hebrew)) == 2
        assert queue.count(session, filters(session)) == 11


def test_titles_are_found_exact_ones_first(store: Store) -> None:
    with store.reading() as session:
        titles = [one.title for one in queue.find_titles(session, 1, "fog")]
    assert titles == ["Fog", "Foghorn"]


def test_a_redirect_leads_to_its_page_and_a_disambiguation_page_is_not_offered(
    store: Store,
) -> None:
    with store.writing() as session:
        fog = session.query(Page).where(Page.title == "Foghorn").one()
        clock = session.query(Page).where(Page.title == "Clockwork").one()
        clock.is_disambiguation = True
        redirect = session.query(Page).where(Page.title == "Wick").one()
        redirect.title, redirect.redirect_to, redirect.redirect_id = "Siren", "Foghorn", fog.id
    with store.reading() as session:
        assert [one.title for one in queue.find_titles(session, 1, "siren")] == ["Foghorn"]
        assert queue.find_titles(session, 1, "clock") == []


def test_nothing_is_found_for_a_title_that_no_page_has(store: Store) -> None:
    with store.reading() as session:
        assert queue.find_titles(session, 1, "zzz") == []


def test_the_categories_that_hold_pages_are_listed(store: Store) -> None:
    with store.reading() as session:
        assert queue.categories(session, 1) == ["Coasts", "Optics"]


FILTERS = (
    {"page": "harbour"}, {"page": "h"}, {"target": "light"}, {"target": "e"}, {"category": "Coasts"},
    {"page": "h", "target": "o", "category": "Coasts"}, {"page": "h", "target": "l", "low": 0.6},
    {"page": "zzz"}, {"page": "e", "high": 0.8}, {"category": "Nowhere", "target": "e"},
)  # fmt: skip


@pytest.mark.parametrize("chosen", FILTERS, ids=str)
@pytest.mark.parametrize("state", ["pending", queue.ANY_STATE])
def test_few_pages_and_many_pages_are_found_by_other_ways_and_are_the_same(
    store: Store, monkeypatch: pytest.MonkeyPatch, chosen: dict[str, Any], state: str
) -> None:
    """However small "few" is, the same proposals come in the same order and number."""
    found = []
    for few in (0, 1, 3, 300):
        monkeypatch.setattr(queue, "FEW", few)
        with store.reading() as session:
            filters = queue.Filters(1, state=state, **chosen)
            ids = [line.id for line in queue.lines(session, filters)]
            first, last = queue.first_id(session, filters), queue.last_id(session, filters)
            found.append((ids, queue.count(session, filters), first, last))
    assert all(one == found[0] for one in found)
    ids, number, first, last = found[0]
    assert (number, first, last) == (len(ids), *((ids[0], ids[-1]) if ids else (None, None)))


def test_counting_stops_where_nobody_wants_to_know(store: Store) -> None:
    with store.reading() as session:
        assert queue.count(session, queue.Filters(1)) == 11
        assert queue.count(session, queue.Filters(1), at_most=4) == 4
        assert queue.count(session, queue.Filters(1, page="lighthouse"), at_most=100) == 6


def test_the_whole_queue_is_read_from_an_index_in_its_order(store: Store) -> None:
    """Sorting 100,000 proposals for each page takes too long."""
    for state, index in (("pending", "ix_suggestions_queue"), ("any", "ix_suggestions_order")):
        with store.reading() as session:
            query = queue._ordered(queue._matching_ids(session, queue.Filters(1, state=state)))
            text = query.compile(compile_kwargs={"literal_binds": True})
            plan = " ".join(row[3] for row in session.execute(sql(f"EXPLAIN QUERY PLAN {text}")))
        assert f"COVERING INDEX {index}" in plan
        assert "TEMP B-TREE" not in plan


def test_a_request_looks_for_the_pages_of_its_filters_once(store: Store) -> None:
    asked: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        asked.append(statement)

    event.listen(store.reader, "before_cursor_execute", note)
    filters = queue.Filters(1, page="harbour", target="o")
    with store.reading() as session:
        first = queue.first_id(session, filters)
        queue.count(session, filters)
        queue.lines(session, filters)
        assert first is not None
        queue.id_after(session, filters, first)
    assert sum("LIKE" in statement for statement in asked) == 2, "one for each filter"


def test_the_figures_of_a_long_queue_may_be_a_little_old(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "LONG_QUEUE", 5)
    with store.reading() as session:
        assert queue.count_states(session, 1)["pending"] == 11
    with store.writing() as session:
        decisions.decide(session, 1, "approve", Voice("ann", "web"))
        assert queue.count_states(session, 1)["pending"] == 10, "who writes must know"
    with store.reading() as session:
        assert queue.count_states(session, 1)["pending"] == 11
    monkeypatch.setattr(queue, "KEPT_S", 0.0)
    store._kept.clear()
    with store.reading() as session:
        assert queue.count_states(session, 1)["pending"] == 10


@pytest.mark.parametrize("by", queue.COLUMNS)
@pytest.mark.parametrize("descending", [False, True])
def test_a_list_is_sorted_by_any_column_and_comes_in_parts_without_gaps(
    store: Store, by: str, descending: bool
) -> None:
    def value(line: queue.Line) -> object:
        return line.anchor if by == "link" else getattr(line, by)

    with store.reading() as session:
        wanted = filters(session, state="any")
        parts = [
            queue.sorted_lines(session, wanted, by, descending=descending, start=n, limit=4)
            for n in (0, 4, 8)
        ]
    shown = [line for part in parts for line in part]
    assert len({line.id for line in shown}) == 11
    values = [value(line) for line in shown]
    assert values == sorted(values, reverse=descending)  # type: ignore[type-var]


def test_batches_group_what_waits_by_target_and_by_page(store: Store) -> None:
    with store.writing() as session:
        decisions.decide(session, 11, "reject", ALICE)
    with store.reading() as session:
        by_target = queue.batches(session, 1, "target", "pending", start=0, limit=3)
        by_page = queue.batches(session, 1, "page", "pending", start=0, limit=3)
        lines = queue.lines_to_target(session, by_target[0].page_id, queue.OPEN_STATES)
    assert [(one.title, one.size) for one in by_target[:1]] == [("Lighthouse", 2)]
    assert by_target[0].mean == pytest.approx((0.79 + 0.61) / 2)
    assert by_target[0].low == pytest.approx(0.61)
    assert [(one.title, one.size) for one in by_page[:2]] == [("Lighthouse", 6), ("Harbour", 2)]
    assert [line.page for line in lines] == ["Harbour", "Fresnel lens"]
