"""The real exports, where they are at hand: WIKIBOT_DATA, else ../shared/data."""

from __future__ import annotations

import bz2
import os
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from wikibot.wikitext import SiteRules

DATA = Path(os.environ.get("WIKIBOT_DATA", Path(__file__).parents[3] / "shared" / "data"))
LANGUAGES = {"en-superheroes": "en", "it-small": "it", "scale-en": "en"}


def exports(*, small: bool = False) -> list[Path]:
    """Every export, or only the minidumps."""
    found = sorted((DATA / "minidumps").glob("*.xml.bz2"))
    return found if small else [*found, *sorted(DATA.glob("*.xml.bz2"))]


def language_of(export: Path) -> str:
    name = export.name.split(".")[0]
    return LANGUAGES.get(name, name)


def pages(export: Path) -> Iterator[tuple[str, str]]:
    """(title, text) of every page."""
    with bz2.open(export) as stream:
        for _, element in ElementTree.iterparse(stream):
            if element.tag.endswith("}page"):
                space = element.tag[: element.tag.index("}") + 1]
                text = element.find(f"{space}revision/{space}text")
                assert text is not None
                yield element.findtext(f"{space}title", ""), text.text or ""
                element.clear()


def site_of(export: Path) -> SiteRules:
    return SiteRules.for_language(language_of(export))
