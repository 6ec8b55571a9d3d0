"""The ranker: what it learns, saves, refuses, and how it sees all candidates of a page at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.linker.wikis import Wiki, assert_same, learned, page_of
from wikibot.errors import ModelError
from wikibot.linker.arrays import open_arrays, save_arrays
from wikibot.linker.counts import count
from wikibot.linker.fallback import MOST, START, WEIGHTS, Fallback, open_ranker
from wikibot.linker.features import Features
from wikibot.linker.ranker import (
    FEW_LINKS,
    MANY_LINKS_HERE,
    NO_LINKS,
    PAGE_COLUMNS,
    STATES,
    Ranked,
    Ranker,
    best_rows,
    fit,
    page_columns,
    state_of,
)
from wikibot.linker.training import Decisions, learn_ranker, training_rows


def column(values: np.ndarray, name: str) -> list[float]:
    return [float(value) for value in values[:, PAGE_COLUMNS.index(name)]]


def test_each_candidate_sees_the_scores_of_all_others_on_its_page() -> None:
    # Variant 0 has targets 0 (two mentions) and 1, which shares its words with target 0's second
    # mention; variant 1 has target 2.
    variant, group = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 2])
    span, score = np.array([0, 1, 1, 2]), np.array([0.9, 0.4, 0.6, 0.5], dtype=np.float32)
    found = page_columns(variant, group, span, np.array([10.0, 10.0, 10.0, 5.0]), score)
    expected = {
        "first_score": [0.9, 0.4, 0.6, 0.5],
        "first_best": [0.9, 0.9, 0.6, 0.5],
        "first_sum": [1.3, 1.3, 0.6, 0.5],
        "first_rival": [0, 0.6, 0.4, 0],
        "first_lead": [0.9, -0.2, 0.2, 0.5],
        "first_page_sum": [0.6, 0.6, 0.9, 0],
        "first_page_mean": [0.75, 0.75, 0.75, 0.5],
        "first_page_rate": [0.15, 0.15, 0.15, 0.1],
    }
    for name, values in expected.items():
        assert column(found, name) == pytest.approx(values, abs=1e-6), name
    assert set(expected) == set(PAGE_COLUMNS)


def test_a_page_scored_with_others_sees_only_its_own_candidates() -> None:
    rng = np.random.default_rng(0)
    group = np.sort(rng.integers(0, 8, 30))
    group = np.unique(group, return_inverse=True)[1]
    variant = group // 3
    span = np.arange(30)
    score, size = rng.random(30).astype(np.float32), np.full(30, 4.0)
    whole = page_columns(variant, group, span, size, score)
    for number in np.unique(variant):
        part = variant == number
        alone = page_columns(
            variant[part] * 0,
            group[part] - group[part].min(),
            np.arange(part.sum()),
            size[part],
            score[part],
        )
        assert alone == pytest.approx(whole[part], abs=1e-6)


def test_without_candidates_there_is_nothing_to_see() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert page_columns(nothing, nothing, nothing, nothing, nothing).shape == (0, len(PAGE_COLUMNS))


def test_the_best_row_of_each_group_is_the_first_of_equals() -> None:
    group = np.array([0, 0, 0, 1, 2, 2])
    assert best_rows(group, np.array([0.1, 0.9, 0.9, 0.3, 0.5, 0.2])).tolist() == [1, 3, 4]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("one two three", NO_LINKS),
        ("[[Nowhere]] and three words", NO_LINKS),
        ("[[Thor]] and three words", MANY_LINKS_HERE),
        ("[[Thor]]" + " word" * 100, FEW_LINKS),
    ],
)
def test_the_state_of_a_page_goes_by_its_links_to_the_wiki(text: str, state: int) -> None:
    wiki = learned({"Thor": "x y z", "P": "By [[Thor]] and all that."})
    assert state_of(page_of(text), wiki.knowledge) == state


def ranked(wiki: Wiki, ranker: Ranker | Fallback, number: int) -> Ranked:
    knowledge, page = wiki.knowledge, wiki.pages[number].hide()
    rows, features = wiki.features(page)
    topics = knowledge.topics.read(page) if knowledge.topics else None
    return ranker.rank(page, number, rows, features, knowledge, topics)


@pytest.mark.parametrize("kind", ["town", "topic"])
def test_a_saved_ranker_gives_the_same_probabilities(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    wiki, ranker = (request.getfixturevalue(f"{kind}_{name}") for name in ("wiki", "ranker"))
    ranker.save(tmp_path / "r.arrays")
    opened = open_ranker(tmp_path / "r.arrays")
    assert isinstance(opened, Ranker)
    assert opened.names == ranker.names
    assert (opened.residuals is None) == (kind == "town")
    for number in range(0, 60, 9):
        assert_same(ranked(wiki, opened, number), ranked(wiki, ranker, number))


def test_learning_again_gives_the_same_ranker(
    town_wiki: Wiki, town_ranker: Ranker, tmp_path: Path
) -> None:
    again = learn_ranker(town_wiki.pages, town_wiki.knowledge, town_wiki.parts)
    assert again.save(tmp_path / "a") == town_ranker.save(tmp_path / "b")


def test_a_ranker_of_another_format_is_refused(town_ranker: Ranker, tmp_path: Path) -> None:
    town_ranker.save(tmp_path / "r")
    arrays, header = open_arrays(tmp_path / "r")
    save_arrays(tmp_path / "old", arrays, {**header, "format": 99})
    with pytest.raises(ModelError, match=r"another version of wikibot\. Nothing was changed\."):
        open_ranker(tmp_path / "old")


def test_other_features_are_refused(town_wiki: Wiki, town_ranker: Ranker) -> None:
    page = town_wiki.pages[0].hide()
    rows, features = town_wiki.features(page)
    other = Features(("unheard_of", *features.names[1:]), features.values)
    with pytest.raises(ModelError, match=r"other features .* Run `wikibot train` again"):
        town_ranker.rank(page, 0, rows, other, town_wiki.knowledge, None)


def test_scores_and_probabilities_lie_between_nothing_and_one(
    topic_wiki: Wiki, topic_ranker: Ranker
) -> None:
    rows, _ = topic_wiki.features(topic_wiki.pages[5].hide())
    found = ranked(topic_wiki, topic_ranker, 5)
    assert len(found.score) == len(found.place) == len(rows)
    assert len(found.probability) == len(found.acceptance) == int(rows.group.max()) + 1
    for values in (found.score, found.place, found.probability, found.acceptance):
        assert (values >= 0).all() and (values <= 1).all()


def test_what_the_wiki_links_gets_a_higher_probability(
    town_wiki: Wiki, town_ranker: Ranker
) -> None:
    """Pages link their own kind three times in five, others hardly ever."""
    same, other = [], []
    for number, page in enumerate(town_wiki.pages):
        rows, _ = town_wiki.features(page.hide())
        kinds = [
            town_wiki.knowledge.titles.titles[t].split()[0]
            for t in rows.target[best_rows(rows.group, -rows.first)]
        ]
        for kind, chance in zip(
            kinds, ranked(town_wiki, town_ranker, number).probability, strict=True
        ):
            (same if page.title.startswith(kind) else other).append(chance)
    assert len(other) > 20
    assert np.mean(same) > np.mean(other) + 0.2


def test_there_is_a_line_and_an_offset_for_each_state(
    town_ranker: Ranker, topic_ranker: Ranker
) -> None:
    for ranker, evidence in ((town_ranker, 1), (topic_ranker, 2)):
        assert len(ranker.lines) == len(ranker.box_offsets) == len(STATES)
        assert {len(line) for line in ranker.lines} == {1 + evidence}


def test_what_boxes_are_worth_is_learned_on_pages_with_links_alone(town_wiki: Wiki) -> None:
    rows = training_rows(town_wiki.pages, town_wiki.knowledge, town_wiki.parts, Decisions())
    values = rows.values.copy()
    values[~rows.is_linked, rows.names.index("box_link")] = 1
    never_repeated = replace(rows, values=values)
    offsets = fit(never_repeated, town_wiki.knowledge).box_offsets
    assert offsets[NO_LINKS] == 0
    assert offsets[MANY_LINKS_HERE] < 0


def test_a_box_link_moves_acceptance_alone(town_wiki: Wiki, town_ranker: Ranker) -> None:
    offsets = Ranker(
        town_ranker.names, town_ranker.models, town_ranker.lines, (-3.0, 0.0, 0.0), None
    )
    page = page_of(
        "{{Box|[[Village Durvel]]}} The lake of Village Durvel and of Village Jumdan.", "Draft"
    )
    rows, features = town_wiki.features(page)
    found = offsets.rank(page, -1, rows, features, town_wiki.knowledge, None)
    boxed = rows.target[best_rows(rows.group, -rows.first)] == town_wiki.number("Village Durvel")
    assert (found.acceptance[boxed] < found.probability[boxed]).all()
    assert np.array_equal(found.acceptance[~boxed], found.probability[~boxed])


def test_a_renumbered_ranker_keeps_its_models(topic_ranker: Ranker, town_ranker: Ranker) -> None:
    number = np.arange(60)[::-1].copy()
    other = topic_ranker.renumbered(number)
    assert other.models is topic_ranker.models
    assert other.residuals.pages.tolist() == sorted(number[topic_ranker.residuals.pages].tolist())
    assert town_ranker.renumbered(number).residuals is None


def test_the_fallback_ranks_by_hand_set_weights() -> None:
    wiki = learned({"Thor": "x", "P": "By Thor."})
    page = page_of("Then came Thor again.", "Draft")
    rows, features = wiki.features(page)
    found = Fallback().rank(page, -1, rows, features, wiki.knowledge, None)
    odds = START + sum(weight * float(features[name][0]) for name, weight in WEIGHTS.items())
    assert found.probability == pytest.approx([1 / (1 + np.exp(-odds))], rel=1e-5)
    # A title, a title without brackets, one word with a capital, one meaning.
    assert odds == pytest.approx(START + 1.5 + 0.5 + 0.4 + 0.5 - 0.3, abs=1e-5)


def test_the_fallback_is_never_sure() -> None:
    text = "The deep salt sea of many waves. "
    wiki = learned({"Deep Salt Sea Of Many Waves": text * 3, "P": text, "Q": "other", "R": "more"})
    page = page_of("The Deep Salt Sea Of Many Waves is here.", "Draft")
    rows, features = wiki.features(page)
    found = Fallback().rank(page, -1, rows, features, wiki.knowledge, None)
    assert found.probability.max() == pytest.approx(MOST)


def test_the_fallback_takes_the_first_mention_and_topics(topic_wiki: Wiki) -> None:
    found = ranked(topic_wiki, Fallback(), 4)
    rows, _ = topic_wiki.features(topic_wiki.pages[4].hide())
    assert np.array_equal(found.place, -rows.rank)
    assert Fallback().renumbered(np.arange(3)).is_fallback


def test_a_saved_fallback_is_opened_as_one(tmp_path: Path) -> None:
    Fallback().save(tmp_path / "f")
    assert isinstance(open_ranker(tmp_path / "f"), Fallback)


def test_counting_a_page_does_not_change_what_is_known(town_wiki: Wiki) -> None:
    knowledge = town_wiki.knowledge
    before = knowledge.counts.target_links.copy()
    count(town_wiki.pages[0], 0, knowledge.names, knowledge.titles)
    assert np.array_equal(before, knowledge.counts.target_links)
