"""Rows to learn from: links are hidden, are to be found again, and people's decisions count more."""

from __future__ import annotations

import numpy as np
import pytest

from tests.linker.wikis import Wiki, assert_same, learned, towns
from wikibot.linker import training
from wikibot.linker.counts import link_targets
from wikibot.linker.fallback import Fallback
from wikibot.linker.ranker import FEW_LINKS, FEWEST_LINKS, MANY_LINKS_HERE, NO_LINKS, TrainingRows
from wikibot.linker.training import (
    DECISION_WEIGHT,
    GROUPS,
    HIDDEN_SHARES,
    Decisions,
    count_links,
    gold_targets,
    learn_ranker,
    some_hidden,
    training_rows,
    truth,
)

SEAS = {
    "Sea": "The sea is deep.",
    "Lake": "A lake is small.",
    "River": "{{Box|[[Lake]]}} The [[sea]] takes every river. The sea and the lake are near.",
    "Mercury": "{{disambiguation}} Many things.",
    "Boat": "A boat on the lake or the [[sea]] or [[Mercury]] or [[Nowhere]].",
}


@pytest.fixture(scope="module")
def seas() -> Wiki:
    return learned(SEAS)


@pytest.fixture(scope="module")
def rows(town_wiki: Wiki) -> TrainingRows:
    return training_rows(town_wiki.pages, town_wiki.knowledge, town_wiki.parts, Decisions())


def test_every_page_with_links_appears_bare_and_in_variants_with_links(rows: TrainingRows) -> None:
    assert set(np.unique(rows.hidden).tolist()) == {1.0, *map(np.float32, HIDDEN_SHARES)}
    bare = np.unique(rows.page[rows.hidden == 1])
    assert len(bare) == 60
    assert set(np.unique(rows.page[rows.hidden < 1]).tolist()) <= set(bare.tolist())


def test_the_state_tells_bare_pages_from_linked_ones(rows: TrainingRows) -> None:
    assert (rows.state[rows.hidden == 1] == NO_LINKS).all()
    assert set(np.unique(rows.state[rows.hidden < 1]).tolist()) == {FEW_LINKS, MANY_LINKS_HERE}


def test_rows_of_groups_and_variants_stand_together(rows: TrainingRows) -> None:
    for column in (rows.variant, rows.group):
        assert (np.diff(column) >= 0).all()
        assert np.array_equal(np.unique(column), np.arange(column.max() + 1))


def test_spans_and_groups_of_two_variants_have_no_number_in_common(rows: TrainingRows) -> None:
    for column in (rows.group, rows.span):
        pairs = np.unique(np.stack([column, rows.variant]), axis=1)
        assert len(np.unique(pairs[0])) == pairs.shape[1]


def test_rows_are_right_where_the_page_has_the_link(town_wiki: Wiki, rows: TrainingRows) -> None:
    knowledge = town_wiki.knowledge
    for number in range(0, 60, 7):
        page = town_wiki.pages[number]
        gold = set(link_targets(page, knowledge.titles).tolist())
        here = (rows.page == number) & (rows.hidden == 1)
        assert here.any()
        expected = [target in gold for target in rows.target[here].tolist()]
        assert rows.is_linked[here].tolist() == expected
    assert (rows.is_linked | ~rows.is_place).all()


def test_all_links_of_a_target_are_hidden_together(town_wiki: Wiki) -> None:
    knowledge = town_wiki.knowledge
    for page in town_wiki.pages:
        target = link_targets(page, knowledge.titles)
        hidden = some_hidden(page, knowledge, 0.5)
        assert not set(target[hidden].tolist()) & set(target[~hidden].tolist())
        assert np.array_equal(hidden, some_hidden(page, knowledge, 0.5))


def test_about_the_share_is_hidden(town_wiki: Wiki) -> None:
    for share in (0.5, 0.15):
        hidden = np.concatenate(
            [some_hidden(p, town_wiki.knowledge, share) for p in town_wiki.pages]
        )
        assert hidden.mean() == pytest.approx(share, abs=0.1)


def test_links_out_of_the_wiki_are_never_hidden(seas: Wiki) -> None:
    hidden = some_hidden(seas.page("Boat"), seas.knowledge, 1.0)
    assert hidden.tolist() == [True, True, False]


def test_gold_targets_are_articles_linked_in_prose(seas: Wiki) -> None:
    knowledge = seas.knowledge
    assert gold_targets(seas.page("River"), 2, knowledge).tolist() == [0]
    assert gold_targets(seas.page("Boat"), 4, knowledge).tolist() == [0]
    assert count_links(seas.pages, knowledge) == 2


def test_the_place_of_a_link_is_the_mention_that_carries_it(seas: Wiki) -> None:
    page = seas.page("River")
    rows = seas.rows(page.hide())
    is_linked, is_place = truth(page, seas.number("River"), rows, seas.knowledge)
    sea = rows.target == seas.number("Sea")
    assert is_linked.tolist() == sea.tolist()
    assert is_place[sea].tolist() == [True, False]


def of_pair(rows: TrainingRows, page: int, target: int) -> np.ndarray:
    return (rows.page == page) & (rows.target == target)


def test_a_mention_that_a_box_links_teaches_nothing_unless_it_is_linked(seas: Wiki) -> None:
    rows = training_rows(seas.pages, seas.knowledge, seas.parts, Decisions())
    lake = of_pair(rows, seas.number("River"), seas.number("Lake"))
    sea = of_pair(rows, seas.number("River"), seas.number("Sea"))
    assert lake.any() and sea.any()
    assert (rows.weight[lake] == 0).all()
    assert (rows.weight[sea] == 1).all()


def test_decisions_change_the_labels_of_their_pairs_alone(seas: Wiki) -> None:
    river, boat, sea, lake = map(seas.number, ("River", "Boat", "Sea", "Lake"))
    decisions = Decisions(agreed=frozenset({(boat, lake)}), refused=frozenset({(river, sea)}))
    plain = training_rows(seas.pages, seas.knowledge, seas.parts, Decisions())
    told = training_rows(seas.pages, seas.knowledge, seas.parts, decisions)
    size = len(plain.page)
    assert told.is_as_it_is.tolist() == [False] * size + [True] * (len(told.page) - size)
    agreed, refused = of_pair(plain, boat, lake), of_pair(plain, river, sea)
    assert not plain.is_linked[agreed].any() and told.is_linked[:size][agreed].all()
    assert plain.is_linked[refused].all() and not told.is_linked[:size][refused].any()
    others = ~(agreed | refused)
    assert np.array_equal(told.is_linked[:size][others], plain.is_linked[others])
    assert np.array_equal(told.weight[:size][others], plain.weight[others])
    assert np.array_equal(told.values[:size], plain.values)


def test_on_pages_as_they_are_only_decisions_count(seas: Wiki) -> None:
    boat, lake = map(seas.number, ("Boat", "Lake"))
    decisions = Decisions(agreed=frozenset({(boat, lake)}))
    told = training_rows(seas.pages, seas.knowledge, seas.parts, decisions)
    decided = told.is_as_it_is & of_pair(told, boat, lake)
    assert decided.any()
    assert (told.weight[decided] == DECISION_WEIGHT).all()
    assert (told.decided[decided] == 1).all() and told.is_linked[decided].all()
    assert not told.weight[told.is_as_it_is & ~decided].any()
    assert set(told.page[told.is_as_it_is].tolist()) == {boat}
    assert not told.decided[~decided].any()


def test_a_link_that_people_accepted_and_saved_is_seen_as_they_saw_it(seas: Wiki) -> None:
    river, sea = seas.number("River"), seas.number("Sea")
    decisions = Decisions(agreed=frozenset({(river, sea)}))
    told = training_rows(seas.pages, seas.knowledge, seas.parts, decisions)
    assert (told.is_as_it_is & of_pair(told, river, sea)).any()


def test_what_a_person_agreed_to_counts_though_a_box_links_it(seas: Wiki) -> None:
    river, lake = seas.number("River"), seas.number("Lake")
    decisions = Decisions(agreed=frozenset({(river, lake)}))
    told = training_rows(seas.pages, seas.knowledge, seas.parts, decisions)
    assert (told.weight[of_pair(told, river, lake)] > 0).all()


def test_bare_pages_are_seen_with_the_others_of_their_group_bare_too(
    town_wiki: Wiki, rows: TrainingRows
) -> None:
    knowledge = town_wiki.knowledge
    group = [part for part in town_wiki.parts if part.page % GROUPS == 3]
    without = knowledge.minus(group)
    other = Wiki(town_wiki.pages, without, town_wiki.parts)
    candidates, features = other.features(town_wiki.pages[3].hide())
    here = (rows.page == 3) & (rows.hidden == 1)
    assert np.array_equal(rows.target[here], candidates.target)
    assert np.array_equal(rows.values[here], features.values)


def test_of_a_large_wiki_a_sample_of_pages_is_taken(
    town_wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "GROUPS", 1)
    monkeypatch.setattr(training, "MOST_PAGES", 30)
    rows = training_rows(town_wiki.pages, town_wiki.knowledge, town_wiki.parts, Decisions())
    assert len(np.unique(rows.page[rows.hidden == 1])) == 30


def test_rows_of_variants_are_numbered_through() -> None:
    wiki = learned(SEAS)
    rows = training_rows(wiki.pages, wiki.knowledge, wiki.parts, Decisions())
    assert_same(TrainingRows.joined([rows]), rows)
    twice = TrainingRows.joined([rows, rows])
    size = len(rows.page)
    assert np.array_equal(twice.group[size:], rows.group + rows.group.max() + 1)
    assert np.array_equal(twice.values[size:], rows.values)


def test_a_wiki_with_too_few_links_gets_the_fallback(seas: Wiki) -> None:
    assert count_links(seas.pages, seas.knowledge) < FEWEST_LINKS
    assert isinstance(learn_ranker(seas.pages, seas.knowledge, seas.parts), Fallback)


def test_only_links_of_known_pages_are_learned_from() -> None:
    known = [n % 2 == 0 for n in range(30)]
    wiki = learned(towns(30), known=known)
    assert [part is not None for part in wiki.parts] == known
    rows = training_rows(wiki.pages, wiki.knowledge, wiki.parts, Decisions())
    assert not (rows.page % 2).any()
