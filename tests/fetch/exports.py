"""Small exports, written for a test."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

HEAD = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">\n'
    "<siteinfo><sitename>Test</sitename><dbname>testwiki</dbname>"
    "<base>https://wiki.example.org/wiki/Main_Page</base><case>first-letter</case><namespaces>"
    '<namespace key="0" case="first-letter" />'
    '<namespace key="14" case="first-letter">Category</namespace>'
    "</namespaces></siteinfo>\n"
)
TAIL = "</mediawiki>\n"

PAGES = {
    "Severn": "The '''Severn''' is a [[river]] in [[Wales]]. It passes [[Shrewsbury|the town]].\n\n"
    "[[Category:Rivers]]",
    "River": "A '''river''' is a stream of [[water]]s. The [[Severn]] is one.\n[[Category:Geography]]",
    "Shrewsbury": "'''Shrewsbury''' is a town on the [[River Severn]].\n[[Category:Towns]]",
    "River Severn": "#REDIRECT [[Severn]]",
    "Old Severn": "#REDIRECT [[River Severn]]",
    "Loop A": "#REDIRECT [[Loop B]]",
    "Loop B": "#REDIRECT [[Loop A]]",
    "Category:Rivers": "Flowing water. [[Category:Geography]]",
    "Category:Geography": "[[Category:Rivers]]",
}


def page_xml(
    number: int, title: str, text: str, *, revision: int | None = None, namespace: int | None = None
) -> str:
    space = namespace if namespace is not None else 14 * title.startswith("Category:")
    return (
        f"<page><title>{escape(title)}</title><ns>{space}</ns><id>{number}</id>"
        f"<revision><id>{revision or 1000 + number}</id>"
        "<timestamp>2024-05-06T07:08:09Z</timestamp><model>wikitext</model>"
        f'<text xml:space="preserve">{escape(text)}</text></revision></page>\n'
    )


def export_xml(pages: Mapping[str, str] = PAGES) -> str:
    rows = (page_xml(number, *page) for number, page in enumerate(pages.items(), 1))
    return HEAD + "".join(rows) + TAIL


def write_export(path: Path, pages: Mapping[str, str] = PAGES) -> Path:
    """PATH holds PAGES, packed as its ending says."""
    return pack(path, export_xml(pages).encode())


def pack(path: Path, content: bytes) -> Path:
    opener = {".bz2": bz2.open, ".gz": gzip.open}.get(path.suffix, open)
    with opener(path, "wb") as file:
        file.write(content)
    return path
