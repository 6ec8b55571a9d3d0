"""Suggest looks again only at pages whose text, models or settings changed; run learns only then."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sqlalchemy import delete, select, update

from tests.fetch.exports import write_export
from tests.linker.rivers import NAMES, RIVERS, every_proposal, rivers_store
from wikibot.cli import publish as commands
from wikibot.dataset import load_dataset
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.models import Models, keep_refreshed, open_models
from wikibot.policies import policy_of
from wikibot.steps import Step
from wikibot.store import Store, open_store
from wikibot.store.decisions import Voice, decide
from wikibot.store.readings import changed_since_learned
from wikibot.store.tables import Page, Suggestion
from wikibot.store.task_tables import PageReading
from wikibot.suggest import EVERYTHING, QueuePages, Work, refreshed, suggest
from wikibot.train import count_links, learned_when, train

pytestmark = pytest.mark.slow
ALA = "River Ala"


@pytest.fixture(scope="module")
def looked_at(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wiki that was learned from and looked at."""
    folder = tmp_path_factory.mktemp("looked-at")
    with rivers_store(folder) as store:
        train(store)
        suggest(store, settings=every_proposal())
    return folder


@pytest.fixture
def store(looked_at: Path, tmp_path: Path) -> Iterator[Store]:
    shutil.copytree(looked_at, tmp_path, dirs_exist_ok=True)
    with open_store(tmp_path / "w.db") as opened:
        yield opened


def pages_looked_at(store: Store, **settings: object) -> int:
    return suggest(store, settings=every_proposal(**settings)).pages


def rewrite(store: Store, title: str, text: str) -> None:
    with store.writing() as session:
        session.execute(
            update(Page)
            .where(Page.title == title)
            .values(wikitext=text, revision_id=Page.revision_id + 1_000)
        )


def fetch_more(store: Store, folder: Path, pages: dict[str, str]) -> None:
    export = write_export(folder / "more.xml", RIVERS | pages)
    fetch_export(store, ExportOptions(export, processes=1))


def models(store: Store) -> Models:
    return open_models(store, 1)


def counts_of(store: Store) -> list[list[int]]:
    counts = models(store).knowledge.counts
    return [counts.target_links.tolist(), counts.pages.tolist()]


def test_a_second_run_looks_at_no_page(store: Store) -> None:
    assert pages_looked_at(store) == 0


def test_a_page_whose_text_changed_is_looked_at_alone(store: Store) -> None:
    rewrite(store, ALA, f"The '''River Ala''' is near the River {NAMES[5]}.")
    assert pages_looked_at(store) == 1
    assert pages_looked_at(store) == 0


def test_a_changed_page_is_counted_anew_and_the_others_are_not(store: Store) -> None:
    links = int(models(store).knowledge.counts.target_links.sum())
    rewrite(store, ALA, "The '''River Ala''' has no link any more.")
    pages_looked_at(store)
    assert int(models(store).knowledge.counts.target_links.sum()) == links - 3


def test_counting_a_changed_page_anew_equals_counting_all(store: Store) -> None:
    rewrite(store, ALA, f"The '''River Ala''' joins the [[River {NAMES[7]}]] near a [[mill]].")
    pages_looked_at(store)
    afresh, _ = count_links(load_dataset(store), models(store).knowledge.topics)
    assert counts_of(store) == [afresh.counts.target_links.tolist(), afresh.counts.pages.tolist()]


def test_after_a_setting_changed_all_pages_are_looked_at(store: Store) -> None:
    assert pages_looked_at(store, excluded_sections="Length") == len(RIVERS)
    assert pages_looked_at(store, excluded_sections="Length") == 0


def test_after_a_decision_its_page_is_looked_at_alone(store: Store) -> None:
    with store.writing() as session:
        waiting = session.scalars(select(Suggestion.id).order_by(Suggestion.id)).first()
        assert waiting is not None
        decide(session, waiting, "reject", Voice("Ann", "command"))
    assert pages_looked_at(store) == 1


def test_after_training_all_pages_are_looked_at_if_something_else_was_learned(store: Store) -> None:
    rewrite(store, ALA, f"The '''River Ala''' joins the [[River {NAMES[7]}]] near a [[mill]].")
    mark = models(store).mark
    train(store)
    changed = models(store).mark != mark
    assert pages_looked_at(store) == (len(RIVERS) if changed else 1)


def test_new_pages_are_counted_and_what_was_learned_of_the_old_ones_stays(
    store: Store, tmp_path: Path
) -> None:
    before = models(store)
    fetch_more(store, tmp_path, {"Brook": "A '''brook''' runs to the [[River Ala]]."})
    assert pages_looked_at(store) == len(RIVERS) + 1
    after = models(store)
    assert set(after.knowledge.titles.titles) == set(before.knowledge.titles.titles) | {"Brook"}
    brook = after.knowledge.number_of("Brook")
    assert after.knowledge.titles.titles[after.knowledge.links_out(brook)[0]] == ALA
    assert residuals_by_title(after) == residuals_by_title(before)
    assert pages_looked_at(store) == 0


def residuals_by_title(of: Models) -> list[tuple[str, str, float]]:
    """What was learned of single links, by the titles of their pages."""
    kept, titles = of.ranker.residuals, of.knowledge.titles.titles  # type: ignore[union-attr]
    assert kept is not None
    pages = np.repeat(kept.pages, np.diff(kept.first)).tolist()
    rows = zip(pages, kept.target.tolist(), kept.error.tolist(), strict=True)
    return sorted((titles[page], titles[target], error) for page, target, error in rows)


def test_a_redirect_that_leads_elsewhere_is_counted_anew(store: Store, tmp_path: Path) -> None:
    fetch_more(store, tmp_path, {"Ala": "#REDIRECT [[River Ala]]"})
    pages_looked_at(store)
    assert models(store).knowledge.titles.ends()["Ala"] == ALA
    with store.writing() as session:
        other = session.scalar(select(Page.id).where(Page.title == f"River {NAMES[7]}"))
        session.execute(
            update(Page)
            .where(Page.title == "Ala")
            .values(redirect_to=f"River {NAMES[7]}", redirect_id=other)
        )
    pages_looked_at(store)
    assert models(store).knowledge.titles.ends()["Ala"] == f"River {NAMES[7]}"


@pytest.mark.parametrize("damage", [b"", b"\0\xff"])
def test_where_no_one_knows_how_a_page_was_counted_all_are_counted(
    store: Store, damage: bytes
) -> None:
    rewrite(store, ALA, "The '''River Ala''' has no link any more.")
    with store.writing() as session:
        page = select(Page.id).where(Page.title == ALA).scalar_subquery()
        session.execute(
            update(PageReading).where(PageReading.page_id == page).values(content=damage)
        )
    pages_looked_at(store)
    afresh, _ = count_links(load_dataset(store), models(store).knowledge.topics)
    assert counts_of(store) == [afresh.counts.target_links.tolist(), afresh.counts.pages.tolist()]


def test_stopped_before_the_counts_are_kept_the_next_run_counts_the_page(store: Store) -> None:
    rewrite(store, ALA, "The '''River Ala''' has no link any more.")
    load_dataset(store)  # as far as a run came that was stopped
    links = int(models(store).knowledge.counts.target_links.sum())
    pages_looked_at(store)
    assert int(models(store).knowledge.counts.target_links.sum()) == links - 3


def test_what_has_not_changed_is_not_written_again(store: Store) -> None:
    found = refreshed(store, load_dataset(store), models(store), lambda _: None)
    assert found.mark == models(store).mark
    kept = {path.name: path.stat().st_mtime_ns for path in store.folder.iterdir()}
    pages_looked_at(store)
    assert {path.name: path.stat().st_mtime_ns for path in store.folder.iterdir()} == kept
    assert keep_refreshed(store, 1, found.knowledge, found.ranker, {}).mark == found.mark


def test_stopped_while_it_learns_the_first_time_train_keeps_what_it_has_read(
    tmp_path: Path,
) -> None:
    def stop(step: Step) -> None:
        if step.name.startswith("Learning"):
            raise KeyboardInterrupt

    with rivers_store(tmp_path) as store:
        assert len(load_dataset(store).new) == len(RIVERS)
        with pytest.raises(KeyboardInterrupt):
            train(store, tell=stop)
        assert not load_dataset(store).new


def test_stopped_while_it_learns_again_train_leaves_what_was_counted(store: Store) -> None:
    def stop(step: Step) -> None:
        if step.name.startswith("Learning"):
            raise KeyboardInterrupt

    rewrite(store, ALA, "The '''River Ala''' has no link any more.")
    with pytest.raises(KeyboardInterrupt):
        train(store, tell=stop)
    assert len(load_dataset(store).new) == 1


def proposed(store: Store) -> list[tuple[object, ...]]:
    """All that waits, without what tells when it was put there."""
    columns = Suggestion.page_id, Suggestion.target_id, Suggestion.start, Suggestion.wikitext
    waiting = select(*columns, Suggestion.reasons, Suggestion.version).order_by(*columns)
    with store.reading() as session:
        return [tuple(row) for row in session.execute(waiting.where(Suggestion.state == "pending"))]


def test_what_a_machine_of_a_cluster_writes_is_what_suggest_writes_however_often(
    store: Store,
) -> None:
    before = proposed(store)
    with store.writing() as session:
        session.execute(delete(Suggestion))
        session.execute(update(PageReading).values(scored=None))
    dataset, settings = load_dataset(store), every_proposal()
    assert dataset.wiki is not None
    policy = policy_of(store, dataset.wiki, settings)
    work = Work(store, dataset, models(store), policy, EVERYTHING, settings)
    write = QueuePages(work.score_page(), store.address, dataset.wiki.id, None, is_all=True)
    marks = work.marks(work.numbers)
    asked = [(one, marks[one.row.id]) for one in work.asked()]
    first = write(asked)
    assert first.queued == (first.found, 0, 0) == (len(before), 0, 0)
    assert write(asked).queued == (0, 0, 0)
    assert proposed(store) == before
    assert pages_looked_at(store) == 0


def changed(store: Store) -> tuple[int, int]:
    with store.reading() as session:
        return changed_since_learned(session, 1)


def test_right_after_training_nothing_has_changed(store: Store) -> None:
    assert changed(store) == (0, len(RIVERS))
    assert learned_when(store, share=0.1) is not None


def test_changed_new_and_lost_pages_count_until_the_next_training(
    store: Store, tmp_path: Path
) -> None:
    fetch_more(store, tmp_path, {"Brook": "A brook."})
    rewrite(store, ALA, "New text.")
    with store.writing() as session:
        session.execute(update(Page).where(Page.title == "Mill").values(is_gone=True))
    pages_looked_at(store)
    assert changed(store) == (3, len(RIVERS) + 1)
    train(store)
    assert changed(store) == (0, len(RIVERS))


@pytest.mark.parametrize(("pages", "still_serves"), [(3, True), (4, False)])
def test_what_was_learned_serves_until_a_tenth_of_the_pages_changed(
    store: Store, pages: int, still_serves: bool
) -> None:
    for title in list(RIVERS)[:pages]:
        rewrite(store, title, "New text.")
    assert (learned_when(store, share=0.1) is not None) == still_serves


def test_with_a_share_of_nothing_any_change_is_enough(store: Store) -> None:
    assert learned_when(store, share=0) is not None
    rewrite(store, ALA, "New text.")
    assert learned_when(store, share=0) is None


def test_where_nothing_was_learned_yet_it_is_time(tmp_path: Path) -> None:
    with rivers_store(tmp_path) as store:
        assert learned_when(store, share=1) is None


@pytest.mark.parametrize("retrain", [False, True])
def test_run_says_whether_it_learned_anew(
    store: Store, retrain: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    trained = []
    context = SimpleNamespace(invoke=lambda command, **_: trained.append(command.name))
    commands.learn(context, store, None, retrain=retrain)  # type: ignore[arg-type]
    assert trained == (["train"] if retrain else [])
    assert ("Used what was learned on 20" in capsys.readouterr().out) != retrain


def test_a_reading_that_is_gone_is_made_again(store: Store) -> None:
    with store.writing() as session:
        session.execute(delete(PageReading))
    assert pages_looked_at(store) == len(RIVERS)
    assert load_dataset(store).new == {}
