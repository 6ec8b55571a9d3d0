"""Long work names its steps and counts truthfully."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress

from tests.linker.rivers import RIVERS, every_proposal, rivers_store
from wikibot.cli import common
from wikibot.cli.common import counts_of, progress
from wikibot.engine import watching
from wikibot.linker import topics
from wikibot.linker.topics import FULL_BATCH_PAGES
from wikibot.steps import Step, silent, told
from wikibot.suggest import suggest
from wikibot.train import train


def test_each_page_is_told_after_it_is_done() -> None:
    seen: list[Step] = []
    made = told("abc", "Spelling", 3, seen.append)
    assert next(made) == "a"
    assert seen == [Step("Spelling", 0, 3)], "the first page is still under way"
    assert list(made) == ["b", "c"]
    assert [step.done for step in seen] == [0, 1, 2, 3]
    assert list(told("abc", "Spelling", 3, silent)) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("step", "spent_s", "shown"),
    [
        (Step("Reading pages"), 9.0, ""),
        (Step("Learning to rank, folds", 2, 5), 30.0, "2/5, 0:45 left"),
        (Step("Fetching", 0, None, 120), 60.0, "120 pages, 2/s"),
        (Step("Counting", 30, 120, 30), 10.0, "25 %, 30 pages, 3/s, 0:30 left"),
        (Step("Counting", 30, 120, 30), 0.5, "25 %, 30 pages"),
        (Step("Counting", 120, 120, 120), 240.0, "100 %, 120 pages, 0/s, 0:00 left"),
    ],
)
def test_the_time_left_is_told_only_where_it_is_known(
    step: Step, spent_s: float, shown: str
) -> None:
    assert counts_of(step, spent_s) == shown


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the bar describes, one entry for each update."""
    seen: list[str] = []
    update = Progress.update

    def watch(self: Progress, task: object, **fields: object) -> None:
        seen.append(str(fields.get("description")))
        update(self, task, **fields)  # type: ignore[arg-type]

    monkeypatch.setattr(Progress, "update", watch)
    monkeypatch.setattr(Console, "is_terminal", property(lambda self: False))
    return seen


def test_what_is_compiled_once_is_said_until_the_first_result(
    drawn: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common, "needs_compiling", lambda: True)
    with progress() as tell:
        tell(Step("Reading pages"))
        tell(Step("Learning 8 topics", 0, 12, compiles=True))
        tell(Step("Learning 8 topics", 1, 12, compiles=True))
    assert drawn == ["Reading pages", "Compiling the numeric parts, once", "Learning 8 topics"]


@pytest.mark.slow
@pytest.mark.parametrize("full_batch_pages", [FULL_BATCH_PAGES, 20])
def test_training_and_suggesting_tell_their_steps_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full_batch_pages: int
) -> None:
    """Where topics are learned from all pages at once, and where they are learned in batches."""
    monkeypatch.setattr(topics, "FULL_BATCH_PAGES", full_batch_pages)
    monkeypatch.setattr(topics, "BATCH_PAGES", 10)
    seen: list[Step] = []

    def count(done: int, total: int | None) -> None:
        seen.append(Step(seen[-1].name, done, total, done))

    with rivers_store(tmp_path) as store, watching(count):
        train(store, tell=seen.append)
        suggest(store, settings=every_proposal(), tell=seen.append)
    steps = [(name, list(part)) for name, part in groupby(seen, key=lambda step: step.name)]
    names = [name for name, _ in steps]
    assert len(names) == len(set(names)) + 1, "pages are read twice, all else is done once"
    assert names[1].startswith("Learning ") and names[1].endswith(" topics")
    for _, part in steps:
        assert all(step.total is None or step.done <= step.total for step in part)
    last = {name: part[-1] for name, part in steps}
    passes = topics.topic_passes(len(RIVERS))
    learned = last[names[1]]
    assert learned.done == learned.total == learned.pages == passes * len(RIVERS)
    assert last["Counting names and links"].pages == len(RIVERS)
    assert last["Looking for missing links"].done == len(RIVERS)
