"""Orphans on a small wiki: proposals where a name occurs, ideas elsewhere, decisions that teach."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tests.ideas.rivers import ANGLING, TROUT, lonely_store
from wikibot.anchors import best_anchors
from wikibot.cli import cli
from wikibot.dataset import load_dataset
from wikibot.errors import BadInput
from wikibot.ideas import OrphansReport, adopt, orphans
from wikibot.insertion import decisions_about_ideas, open_insertion_of
from wikibot.steps import Step
from wikibot.store import Store, ideas, open_store, queue
from wikibot.store.decisions import Voice
from wikibot.store.pages import page_by_id
from wikibot.train import train

pytestmark = pytest.mark.slow
ANN = Voice("Ann", "command")


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, OrphansReport]:
    """A wiki that was learned from and searched for orphans."""
    folder = tmp_path_factory.mktemp("orphans")
    with lonely_store(folder) as store:
        train(store)
        return folder, orphans(store)


@pytest.fixture
def store(searched: tuple[Path, OrphansReport], tmp_path: Path) -> Iterator[Store]:
    shutil.copytree(searched[0], tmp_path, dirs_exist_ok=True)
    with open_store(tmp_path / "w.db") as opened:
        yield opened


def waiting(store: Store, target: str) -> list[ideas.IdeaRow]:
    with store.reading() as session:
        return [row for row in ideas.ideas(session, 1) if row.target == target]


def decide(store: Store, number: int, verdict: str) -> ideas.IdeaRow:
    with store.writing() as session:
        return ideas.decide(session, number, verdict, ANN)


def test_every_page_without_a_link_to_it_is_reported(
    searched: tuple[Path, OrphansReport],
) -> None:
    assert [orphan.title for orphan in searched[1].orphans] == [ANGLING, TROUT]


def test_where_a_name_occurs_it_is_a_proposal_and_not_an_idea(store: Store) -> None:
    with store.reading() as session:
        lines = list(queue.every_line(session, queue.Filters(1, state=queue.ANY_STATE)))
        named = {line.page for line in lines if line.target == TROUT}
    pages_with_ideas = {row.page for row in waiting(store, TROUT)}
    assert not pages_with_ideas & named
    assert not any(page.startswith("River") for page in pages_with_ideas)  # all of them name trout


def test_elsewhere_it_is_an_idea_with_a_sentence_and_a_reason(store: Store) -> None:
    found = waiting(store, ANGLING)
    assert 0 < len(found) <= 3
    for row in found:
        with store.reading() as session:
            page = page_by_id(session, row.page_id)
        assert page is not None and ANGLING not in page.wikitext
        assert page.wikitext[row.start : row.end].strip().endswith((".", "]]"))
        assert row.reasons and row.sentence
        assert "[[" not in row.sentence


def test_running_twice_finds_nothing_new(store: Store) -> None:
    before = [row.id for row in waiting(store, ANGLING)]
    report = orphans(store)
    assert (report.new_proposals, report.new_ideas) == (0, 0)
    assert [row.id for row in waiting(store, ANGLING)] == before


def test_a_declined_idea_does_not_come_back_and_another_page_takes_its_place(store: Store) -> None:
    first = waiting(store, ANGLING)[0]
    decide(store, first.id, "decline")
    orphans(store)
    pages = {row.page for row in waiting(store, ANGLING)}
    assert first.page not in pages and pages


def test_decisions_teach_where_links_fit(store: Store) -> None:
    """After declining a page's ideas for a target, the page is less ahead of others for it."""
    first = waiting(store, ANGLING)[0]
    dataset = load_dataset(store)
    before = open_insertion_of(store, dataset)
    target = before.numbers[ANGLING]
    source = before.numbers[first.page]
    others = np.arange(len(dataset.rows)) != target
    scores = before.source_scores(target)
    lead = scores[source] - scores[others].mean()
    decide(store, first.id, "decline")
    said = decisions_about_ideas(store, dataset)
    assert [(one.source, one.target, one.is_accepted) for one in said] == [
        (first.page, ANGLING, False)
    ]
    before.model.learn_insertion(said)
    scores = before.source_scores(target)
    assert scores[source] - scores[others].mean() < lead


def test_what_was_learned_about_places_is_kept_until_enough_was_decided(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = load_dataset(store)
    asked: list[Step] = []
    open_insertion_of(store, dataset, tell=asked.append)
    assert not any("Learning" in step.name for step in asked)
    decide(store, waiting(store, ANGLING)[0].id, "accept")
    monkeypatch.setattr("wikibot.insertion.FEWEST_NEW_DECISIONS", 1)
    open_insertion_of(store, dataset, tell=asked.append)
    assert any("Learning" in step.name for step in asked)


def test_a_category_narrows_the_search_and_a_wrong_one_is_refused(store: Store) -> None:
    assert [orphan.title for orphan in orphans(store, category="Sports").orphans] == [ANGLING]
    with pytest.raises(BadInput, match='category "Fishes"'):
        orphans(store, category="Fishes")


def test_adopting_a_page_finds_links_on_it_links_to_it_and_ideas(store: Store) -> None:
    report = adopt(store, "angling")
    assert report.title == ANGLING
    assert {shown.page for shown in report.links_from} <= {ANGLING}
    assert {shown.target for shown in report.links_to} <= {ANGLING}
    assert report.ideas and {idea.target for idea in report.ideas} == {ANGLING}
    with pytest.raises(BadInput, match='no page "Nowhere"'):
        adopt(store, "Nowhere")


def test_anchors_shows_places_where_no_word_names_the_target(store: Store) -> None:
    found = best_anchors(store, "River Ala", ANGLING)
    assert found.models["linker"] == []
    assert found.places and all(place.endswith(".") for place in found.places)
    assert not best_anchors(store, "River Ala", "Sea").places


def run(store: Store, *words: str) -> str:
    done = CliRunner().invoke(cli, [*words, "--db", str(store.path)])
    assert done.exit_code == 0, done.output
    return done.output


def test_ideas_are_listed_and_decided_from_the_command_line(store: Store) -> None:
    first = waiting(store, ANGLING)[0]
    assert f"{first.page}: words about {ANGLING}" in run(store, "ideas")
    told = run(store, "ideas", str(first.id), "accept", "--reviewer", "Ann")
    assert told.startswith(f"Accepted: words about {ANGLING} on {first.page}")
    listed = json.loads(run(store, "ideas", "--state", "accepted", "--json"))
    assert [(row["id"], row["reviewer"]) for row in listed] == [(first.id, "Ann")]
    assert run(store, "ideas", str(first.id), "undo").startswith("Taken back")


def test_ideas_are_decided_one_by_one_in_the_terminal(store: Store) -> None:
    with store.reading() as session:
        first, *others = ideas.ideas(session, 1)
    done = CliRunner().invoke(
        cli,
        ["ideas", "--terminal", "--reviewer", "Ann", "--db", str(store.path)],
        input="x\nr\nq\n",
    )
    assert done.exit_code == 0, done.output
    assert "a: I will write it" in done.output and first.sentence in done.output
    with store.reading() as session:
        assert ideas.idea(session, first.id).state == "declined"
        assert [row.id for row in ideas.ideas(session, 1)] == [row.id for row in others]


def test_an_idea_with_a_small_chance_is_not_shown(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In so small a wiki every chance is one half."""
    monkeypatch.setattr("wikibot.ideas.LEAST_CHANCE", 0.6)
    orphans(store)
    assert waiting(store, ANGLING) == []
