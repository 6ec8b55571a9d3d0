"""The ranker, its lessons, first opinions, the fallback and the baselines, on small wikis."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logit
from wikibot.ranking import ranker
from wikibot.ranking.baselines import tagme, title_match
from wikibot.ranking.fallback import MOST, Fallback
from wikibot.ranking.features import Features
from wikibot.ranking.lessons import (
    GROUPS,
    PEOPLE,
    SITUATIONS,
    Study,
    all_hidden,
    candidates_of,
    lessons_from_links,
    weighed_by_people,
)
from wikibot.ranking.opinions import NAMES, opinion_columns
from wikibot.ranking.proposals import propose
from wikibot.ranking.ranker import Ranker, best_rows, learn_ranker
from wikibot.ranking.rules import Options

from tests.ranking.small import candidates, studied
from wikibot.errors import ModelError


def town(number: int) -> str:
    """A page that links towns by name and leaves everyday words alone."""
    names = [f"[[Town{(number * 7 + step) % 40}]]" for step in (1, 2, 3)]
    return (
        f"Town{number} lies by a river. Roads lead from here to {names[0]}, to {names[1]} and to "
        f"{names[2]}. The river is long and the bridge is old, as a bridge is."
    )


@pytest.fixture(scope="module")
def towns() -> Study:
    pages = {f"Town{number}": town(number) for number in range(40)}
    return studied({**pages, "River": "A river is water.", "Bridge": "A bridge is a way."})


@pytest.fixture(scope="module")
def learned(towns: Study) -> Ranker:
    return learn_ranker(lessons_from_links(towns, np.ones(towns.wiki.size, dtype=bool)))


def everything(of: Study) -> np.ndarray:
    return np.ones(of.wiki.size, dtype=bool)


def test_names_are_told_from_everyday_words(towns: Study, learned: Ranker) -> None:
    rows, features = candidates_of(towns, all_hidden(towns.wiki), everything(towns))
    ranked = learned.rank(rows, features)
    is_town = rows.target[ranked.row] < 40
    assert ranked.probability[is_town].min() > ranked.probability[~is_town].max()


def test_a_ranker_is_the_same_after_it_was_written_and_read(towns: Study, learned: Ranker) -> None:
    rows, features = candidates_of(towns, all_hidden(towns.wiki), everything(towns))
    again = Ranker.from_dict(json.loads(json.dumps(learned.to_dict())))
    before, after = learned.rank(rows, features), again.rank(rows, features)
    assert np.allclose(before.probability, after.probability)
    assert before.row.tolist() == after.row.tolist()


def test_learning_twice_gives_the_same_ranker(towns: Study, learned: Ranker) -> None:
    again = learn_ranker(lessons_from_links(towns, everything(towns)))
    assert json.dumps(again.to_dict()) == json.dumps(learned.to_dict())


def test_a_ranker_of_another_format_is_refused(learned: Ranker) -> None:
    with pytest.raises(ModelError, match="another version"):
        Ranker.from_dict({**learned.to_dict(), "format": 99})


def test_a_ranker_refuses_features_that_are_not_its_own(towns: Study, learned: Ranker) -> None:
    rows, features = candidates_of(towns, all_hidden(towns.wiki), everything(towns))
    fewer = Features(features.names[1:], features.values[:, 1:])
    with pytest.raises(ModelError, match="wikibot train"):
        learned.rank(rows, fewer)


def test_lessons_come_with_all_links_hidden_and_with_some(towns: Study) -> None:
    lessons = lessons_from_links(towns, everything(towns))
    situations = lessons.code // towns.wiki.size**2
    assert set(situations.tolist()) == set(range(1 + len(SITUATIONS)))
    standing = lessons.features.column("own_links_here")
    assert (standing[situations == 0] == 0).all()
    assert (standing[situations == 2] > 0).any()
    hidden_links = [lessons.is_linked[situations == number].sum() for number in range(3)]
    assert hidden_links[0] > hidden_links[1] > hidden_links[2] > 0


def test_a_page_without_links_is_learned_from_as_one_of_a_group_without_links() -> None:
    pages = {f"Page{number}": f"Page{number} lies by a [[river]]." for number in range(4 * GROUPS)}
    of = studied({**pages, "River": "A river is water."})
    lessons = lessons_from_links(of, everything(of))
    bare = lessons.is_linked & (lessons.code < of.wiki.size**2)
    told = np.expm1(lessons.features.column("links_to_target"))[bare]
    assert told == pytest.approx(np.full(4 * GROUPS, 4 * GROUPS - 4))


def test_on_a_page_without_links_the_odds_are_told_with_caution(
    towns: Study, learned: Ranker, monkeypatch: pytest.MonkeyPatch
) -> None:
    caution = ranker.CAUTION
    monkeypatch.setattr(ranker, "CAUTION", 1.0)
    bold = learn_ranker(lessons_from_links(towns, everything(towns)))
    odds, without = np.linspace(-2, 2, 5)[:, None], np.zeros(5, dtype=bool)
    with_links = ~without
    ratio = logit(bold.calibrated(odds, without)) - logit(learned.calibrated(odds, without))
    assert np.exp(ratio) == pytest.approx(np.full(5, caution), rel=1e-3)
    assert (bold.calibrated(odds, with_links) == learned.calibrated(odds, with_links)).all()


def test_what_people_said_weighs_more_and_wins(towns: Study) -> None:
    lessons = lessons_from_links(towns, everything(towns))
    pair = lessons.code % towns.wiki.size**2
    linked, unlinked = pair[lessons.is_linked][0], pair[~lessons.is_linked][0]
    told = weighed_by_people(lessons, towns.wiki, np.array([unlinked]), np.array([linked]))
    assert told.is_linked[pair == unlinked].all()
    assert not told.is_linked[pair == linked].any()
    assert (told.weight[pair == linked] == PEOPLE).all()
    assert (told.hidden[pair == unlinked] == 1).all()


def test_proposals_are_the_missing_links(towns: Study, learned: Ranker) -> None:
    pages = {title: town(number) for number, title in enumerate(towns.wiki.titles[:40])}
    pages["Town5"] = town(5).replace("[[Town36]]", "Town36")
    of = studied({**pages, "River": "A river is water.", "Bridge": "A bridge is a way."})
    found = propose(of, learned, everything(of), Options(min_probability=0.05, words_per_link=5))
    assert [(of.wiki.titles[p.page], of.wiki.titles[p.target]) for p in found][:1] == [
        ("Town5", "Town36")
    ]
    assert pages["Town5"][found[0].start : found[0].end] == "Town36"
    assert found[0].reasons[0]["id"] == "linked-elsewhere"


def test_what_is_settled_is_not_proposed(towns: Study, learned: Ranker) -> None:
    of = studied(
        {**{t: town(i) for i, t in enumerate(towns.wiki.titles[:40])}, "X": "By Town1 now."}
    )
    settled = of.wiki.code(np.array([40]), np.array([1]))
    options = Options(min_probability=0.0, words_per_link=1, off=frozenset({"longer-name"}))
    before = {(p.page, p.target) for p in propose(of, learned, everything(of), options)}
    after = {
        (p.page, p.target) for p in propose(of, learned, everything(of), options, settled=settled)
    }
    assert before - after == {(40, 1)}


def test_the_best_row_of_each_code_is_the_first_of_equals() -> None:
    code = np.array([3, 1, 3, 1])
    value = np.array([0.5, 0.2, 0.5, 0.9], dtype=np.float32)
    assert best_rows(code, value).tolist() == [3, 0]


def test_first_opinions_know_rival_and_page() -> None:
    page = np.array([0, 0, 0, 1])
    code = np.array([1, 2, 2, 3])
    span = np.array([0, 0, 1, 2])
    opinion = np.array([0.8, 0.3, 0.5, 0.4], dtype=np.float32)
    columns = opinion_columns(page, code, span, np.ones(4, dtype=np.float32), opinion)
    told = dict(zip(NAMES, columns.T, strict=True))
    assert told["first_best"].tolist() == pytest.approx([0.8, 0.5, 0.5, 0.4])
    assert told["first_rival"].tolist() == pytest.approx([0.3, 0.8, 0.0, 0.0])
    assert told["first_page_sum"].tolist() == pytest.approx([0.5, 0.8, 0.8, 0.0])


def test_without_links_titles_are_proposed_with_low_confidence() -> None:
    of = studied({"Silver Surfer": "A hero.", "Story": "Here the Silver Surfer flies.", "Z": "z"})
    found = propose(of, Fallback(), everything(of), Options(min_probability=0.1))
    assert [(of.wiki.titles[p.page], of.wiki.titles[p.target]) for p in found] == [
        ("Story", "Silver Surfer")
    ]
    assert found[0].probability <= MOST
    assert found[0].reasons[0]["id"] == "few-links"


def test_a_wiki_without_mentions_gets_no_proposals() -> None:
    of = studied({"A": "", "B": "nothing here"})
    assert propose(of, Fallback(), everything(of), Options()) == []


def test_title_match_ranks_longer_titles_higher() -> None:
    of = studied({"Thor": "x", "Silver Surfer": "x", "Story": "Seen Thor and Silver Surfer."})
    rows = candidates(of)
    ranked = title_match(of.wiki, rows)
    best = ranked.row[np.argmax(ranked.probability)]
    assert of.wiki.titles[rows.target[best]] == "Silver Surfer"


def test_tagme_prefers_the_target_that_fits_the_company() -> None:
    pages = {
        "Pluto (planet)": "A planet. [[Mars]] and [[Venus]].",
        "Pluto (dog)": "A dog.",
        "Mars": "x",
        "Venus": "x",
        "A": "The [[Mars]], the [[Venus]], the [[Pluto (planet)|Pluto]].",
        "B": "The [[Mars]], the [[Venus]], the [[Pluto (planet)|Pluto]].",
        "C": "A [[Pluto (dog)|Pluto]] barks.",
        "D": "They saw Mars and Venus and Pluto.",
    }
    of = studied(pages)
    rows = candidates(of)
    ranked = tagme(of.wiki, of.knowledge, rows)
    chosen = {
        of.wiki.titles[rows.target[row]]: float(score)
        for row, score in zip(ranked.row, ranked.probability, strict=True)
        if of.wiki.titles[rows.page[row]] == "D"
    }
    assert chosen["Pluto (planet)"] > chosen.get("Pluto (dog)", 0.0)


def test_links_that_were_not_hidden_count_in_the_probabilities_of_pages_with_links(
    towns: Study, learned: Ranker
) -> None:
    lessons = lessons_from_links(towns, everything(towns))
    assert set(lessons.hidden.tolist()) == {float(np.float32(s)) for s in (1, *SITUATIONS)}
    untold = learn_ranker(replace(lessons, hidden=np.ones_like(lessons.hidden)))
    odds = np.zeros((2, 1), dtype=np.float32)
    stand = np.array([False, True])
    bare, linked = learned.calibrated(odds, stand) - untold.calibrated(odds, stand)
    assert bare == 0 < linked


def test_threads_that_wait_leave_the_core_to_others() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    told = subprocess.run(
        [sys.executable, "-c", "import wikibot.ranking.ranker"],
        env=environment | {"OMP_DISPLAY_ENV": "true"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "OMP_WAIT_POLICY = 'PASSIVE'" in told.stderr
