"""`wikibot status` ends with what a person does next."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fetch.exports import write_export
from wikibot.cli import common
from wikibot.cli.fetch import _next_step
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.store import open_store
from wikibot.store.status import ModelRow, WikiStatus, read_status

MODEL = ModelRow("ranker", "ranker.json", "0", {}, "2026-01-01")


@pytest.fixture
def fetched(tmp_path: Path) -> WikiStatus:
    with open_store(tmp_path / "w.db", create=True) as store:
        fetch_export(store, ExportOptions(write_export(tmp_path / "r.xml"), processes=1))
        with store.reading() as session:
            return read_status(session).wikis[0]


def test_the_next_step_follows_the_way_from_training_to_publishing(fetched: WikiStatus) -> None:
    trained = replace(fetched, models=[MODEL])
    proposed = replace(trained, suggestions={"pending": 1234, "approved": 2})
    approved = replace(trained, suggestions={"approved": 2, "rejected": 1})
    decided = replace(trained, suggestions={"published": 2, "rejected": 1})
    lost = replace(proposed, outbox={"unknown": 3})
    steps = [_next_step(one) for one in (fetched, trained, proposed, approved, decided, lost)]
    named = [step.split("`")[1] for step in steps]
    assert named == [f"wikibot {x}" for x in ("train", "suggest", "review", "diff", "fetch", "publish")]  # fmt: skip
    assert "1,234 proposals" in steps[2] and "3 edits" in steps[5]


def test_the_first_use_is_known_by_the_missing_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert common.needs_compiling()
    (tmp_path / "crtm").mkdir()
    (tmp_path / "crtm" / "kernels.f-1.py311.nbi").touch()
    assert not common.needs_compiling()
