"""A small encyclopedia written for this project, so that everything runs with no network.

The pages are the readable files in `pages/`. A file's name is its page's title, with `_` for a
blank and the namespace in front: `Moore's_law.wiki`, `Category_Optics.wiki`, `Talk_Transistor.wiki`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from importlib.resources import files
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

__all__ = ["DemoPage", "build_export", "demo_pages"]

NAMESPACES = {
    -2: "Media",
    -1: "Special",
    0: "",
    1: "Talk",
    2: "User",
    3: "User talk",
    4: "Project",
    5: "Project talk",
    6: "File",
    7: "File talk",
    8: "MediaWiki",
    9: "MediaWiki talk",
    10: "Template",
    11: "Template talk",
    12: "Help",
    13: "Help talk",
    14: "Category",
    15: "Category talk",
}
_IN_FILE_NAMES = {NAMESPACES[number]: number for number in (1, 10, 14)}
_FIRST_EDIT = datetime(2024, 1, 1, tzinfo=timezone.utc)
_BASE_36 = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class DemoPage:
    """One page: its full title, namespace number and wikitext."""

    title: str
    namespace: int
    text: str

    @property
    def redirect_to(self) -> str | None:
        """The title after `#REDIRECT`, or None."""
        if not self.text.startswith("#REDIRECT"):
            return None
        return self.text.partition("[[")[2].partition("]]")[0]


def demo_pages() -> list[DemoPage]:
    """Every page, sorted by title."""
    folder = files("wikibot.demo") / "pages"
    pages = (
        _page(entry.name.removesuffix(".wiki"), entry.read_text(encoding="utf-8"))
        for entry in folder.iterdir()
        if entry.name.endswith(".wiki")
    )
    return sorted(pages, key=lambda page: page.title)


def build_export(path: Path) -> Path:
    """PATH holds the demo wiki as a MediaWiki export, the same bytes each time."""
    path.write_text("".join(_export(demo_pages())), encoding="utf-8")
    return path


def _page(name: str, text: str) -> DemoPage:
    prefix, _, rest = name.replace("_", " ").partition(" ")
    number = _IN_FILE_NAMES.get(prefix, 0)
    title = f"{prefix}:{rest}" if number else name.replace("_", " ")
    return DemoPage(title, number, text.rstrip("\n"))


def _export(pages: list[DemoPage]) -> Iterator[str]:
    yield '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">\n'
    yield from _siteinfo()
    for number, page in enumerate(pages, start=1):
        yield from _page_element(page, number)
    yield "</mediawiki>\n"


def _siteinfo() -> Iterator[str]:
    # <base> stays empty: there is no address at which the demo wiki could be visited.
    yield "  <siteinfo>\n    <sitename>Demo wiki</sitename>\n    <dbname>demowiki</dbname>\n"
    yield "    <base></base>\n    <generator>wikibot demo</generator>\n"
    yield "    <case>first-letter</case>\n    <namespaces>\n"
    for number, name in NAMESPACES.items():
        yield f'      <namespace key="{number}" case="first-letter">{name}</namespace>\n'
    yield "    </namespaces>\n  </siteinfo>\n"


def _page_element(page: DemoPage, number: int) -> Iterator[str]:
    written = _FIRST_EDIT + timedelta(hours=number)
    size = len(page.text.encode())
    yield f"  <page>\n    <title>{escape(page.title)}</title>\n    <ns>{page.namespace}</ns>\n"
    yield f"    <id>{number}</id>\n"
    if page.redirect_to:
        yield f"    <redirect title={quoteattr(page.redirect_to)} />\n"
    yield f"    <revision>\n      <id>{1000 + number}</id>\n"
    yield f"      <timestamp>{written:%Y-%m-%dT%H:%M:%SZ}</timestamp>\n"
    yield "      <contributor><username>Demo editor</username><id>1</id></contributor>\n"
    yield "      <model>wikitext</model>\n      <format>text/x-wiki</format>\n"
    yield f'      <text bytes="{size}" xml:space="preserve">{escape(page.text)}</text>\n'
    yield f"      <sha1>{_sha1(page.text)}</sha1>\n    </revision>\n  </page>\n"


def _sha1(text: str) -> str:
    """MediaWiki's form of the hash: 31 digits in base 36."""
    value = int(hashlib.sha1(text.encode()).hexdigest(), 16)
    digits = ""
    while value:
        value, digit = divmod(value, 36)
        digits = _BASE_36[digit] + digits
    return digits.rjust(31, "0")
