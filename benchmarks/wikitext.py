"""How much longer a full reading of pages takes than a bare mwparserfromhell.parse.

    python benchmarks/wikitext.py EXPORT.xml.bz2 [LANGUAGE] [PAGES]

Both readings take turns on the same pages in one process. Prints JSON; `ratio` is read / parse.
"""

from __future__ import annotations

import bz2
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import mwparserfromhell
import mwxml

from wikibot.errors import BadWikitext
from wikibot.wikitext import SiteRules, read_page


def pages(export: Path, most: int) -> Iterator[tuple[str, str]]:
    """(title, text) of the export's first pages, redirects left out."""
    with bz2.open(export, "rt", encoding="utf-8") as stream:
        found = (page for page in mwxml.Dump.from_file(stream) if not page.redirect)
        for _, page in zip(range(most), found, strict=False):
            yield page.title, next(iter(page)).text or ""


def read_all(title: str, text: str, site: SiteRules) -> int:
    """Everything that fetch and suggest ask of a page; the number of its links."""
    try:
        page = read_page(text, site, title)
    except BadWikitext:
        return 0
    asked = (page.spans, page.sentences, page.categories, page.templates, page.bold_names)
    assert all(isinstance(part, list) for part in asked)
    return len(page.links)


def seconds(work: Callable[[], object]) -> float:
    """Processor time of `work`, which other jobs on the machine do not touch."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main(export: str, language: str = "en", most: str = "10000") -> None:
    site = SiteRules.for_language(language)
    sample = list(pages(Path(export), int(most)))
    read_all("", "Warm. Up.", site)
    bare = read = 0.0
    links = 0
    for title, text in sample:
        bare += seconds(lambda text=text: mwparserfromhell.parse(text))  # type: ignore[misc]
        start = time.process_time()
        links += read_all(title, text, site)
        read += time.process_time() - start
    report = {
        "export": Path(export).name,
        "pages": len(sample),
        "characters": sum(len(text) for _, text in sample),
        "links": links,
        "parse_s": round(bare, 2),
        "read_s": round(read, 2),
        "ratio": round(read / bare, 3),
        "read_ms_per_page": round(1000 * read / len(sample), 2),
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
