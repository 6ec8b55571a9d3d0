"""A database of the review sample, for jobs that need no wiki."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.review import sample
from wikibot.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with sample.make_store(tmp_path / "wikibot.db") as made:
        yield made
