"""`wikibot suggest` looks only at what changed, and at everything that a new title may change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from tests.fetch.exports import HEAD, TAIL, page_xml
from wikibot.config import load_settings
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.store import Store, open_store
from wikibot.store.tables import Page
from wikibot.suggest import SuggestReport, suggest
from wikibot.train import train

RIVERS = {
    f"River {name}": f"The '''River {name}''' flows to the [[sea]]. It joins the [[River {before}]] near "
    "a [[mill]], and trout live in both of them."
    for before, name in zip("ABCDEFGHIJKLMNOPQRS", "BCDEFGHIJKLMNOPQRST", strict=True)
} | {"Sea": "The '''sea''' is salt water.", "Mill": "A '''mill''' grinds corn."}
SETTINGS = load_settings(environ={}, min_probability=0.0)


@pytest.fixture
def learned(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "w.db", create=True) as store:
        fetch(store, tmp_path, RIVERS)
        train(store)
        suggested(store)
        yield store


def fetch(store: Store, folder: Path, pages: dict[str, str]) -> None:
    """The pages are in the database; a text that the rivers do not have is a new revision."""
    rows = (
        page_xml(
            n, title, text, revision=None if text == RIVERS.get(title) else 5000 + n + len(text)
        )
        for n, (title, text) in enumerate(pages.items(), 1)
    )
    path = folder / "pages.xml"
    path.write_text(HEAD + "".join(rows) + TAIL)
    fetch_export(store, ExportOptions(path, processes=1))


def suggested(store: Store) -> SuggestReport:
    return suggest(store, settings=SETTINGS)


def test_a_new_page_is_proposed_on_old_pages_without_training(
    learned: Store, tmp_path: Path
) -> None:
    fetch(learned, tmp_path, RIVERS | {"Trout": "'''Trout''' are fish."})
    found = suggested(learned)
    assert found.pages == len(RIVERS) + 1
    assert {shown.page for shown in found.proposals if shown.target == "Trout"} > {"River B"}
    assert suggested(learned).pages == 0


def test_a_new_redirect_makes_all_pages_be_looked_at(learned: Store, tmp_path: Path) -> None:
    fetch(learned, tmp_path, RIVERS | {"Trout": "#REDIRECT [[Sea]]"})
    found = suggested(learned)
    assert found.pages == len(RIVERS)
    fetch(learned, tmp_path, RIVERS | {"Trout": "#REDIRECT [[Mill]]"})
    assert suggested(learned).pages == len(RIVERS), "it ends elsewhere now"


def test_a_disambiguation_page_stays_one_when_pages_come(learned: Store, tmp_path: Path) -> None:
    """The wiki says it, not the text."""
    pages = RIVERS | {"Trout": "'''Trout''' are fish."}
    fetch(learned, tmp_path, pages)
    with learned.writing() as session:
        query = update(Page).where(Page.title == "Trout")
        session.execute(query.values(is_disambiguation=True))
    assert not [shown for shown in suggested(learned).proposals if shown.target == "Trout"]
