"""Every run of a command leaves a row that tells how it went."""

from __future__ import annotations

import pytest

from tests.store.filled import fill
from wikibot.store import Store, runs
from wikibot.store.runs import RunRow, latest_runs, recorded_run


def newest(store: Store) -> RunRow:
    with store.reading() as session:
        return latest_runs(session, limit=1)[0]


def test_a_run_is_running_and_then_done_with_its_result(store: Store) -> None:
    fill(store)
    with recorded_run(store, "fetch", {"depth": 2, "category": None}) as run:
        during = newest(store)
        run.belongs_to(1)
        run.result["pages"] = 7
    assert (during.state, during.options, during.finished_at) == ("running", {"depth": 2}, None)
    after = newest(store)
    assert (after.id, after.wiki_id, after.state, after.result) == (run.id, 1, "done", {"pages": 7})
    assert after.finished_at is not None
    assert after.finished_at >= after.started_at


def test_a_failed_run_says_why(store: Store) -> None:
    with pytest.raises(ValueError, match="too long"), recorded_run(store, "train", {}):
        raise ValueError("too long")
    assert (newest(store).state, newest(store).result) == ("failed", {"error": "too long"})


def test_a_stopped_run_is_interrupted(store: Store) -> None:
    with pytest.raises(KeyboardInterrupt), recorded_run(store, "fetch", {}):
        raise KeyboardInterrupt
    assert newest(store).state == "interrupted"


def test_a_killed_run_is_settled_by_the_next_of_its_kind(store: Store) -> None:
    killed = recorded_run(store, "fetch", {})
    killed.__enter__()
    with recorded_run(store, "train", {}):
        pass
    with store.reading() as session:
        assert latest_runs(session, command="fetch")[0].state == "running"
    with recorded_run(store, "fetch", {}):
        pass
    with store.reading() as session:
        states = [run.state for run in latest_runs(session, command="fetch")]
    assert states == ["done", "interrupted"]


def test_progress_is_written_now_and_then(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with recorded_run(store, "fetch", {}) as run:
        run.progress(done=1)
        run.progress(done=2)
        assert newest(store).progress == {"done": 1}
        monkeypatch.setattr(runs, "PROGRESS_EVERY_S", 0.0)
        run.progress(done=3)
        assert newest(store).progress == {"done": 3}
