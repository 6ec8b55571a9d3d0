"""Real exports in the database: the figures we promise, and every offset exact."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from wikibot.fetch.corpus import corpus_lines
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.store import open_store
from wikibot.store.pages import articles, links_of_wiki, wiki_by_name

pytestmark = [pytest.mark.slow, pytest.mark.no_cover, pytest.mark.timeout(1800)]

DATA = Path(os.environ.get("WIKIBOT_DATA") or Path(__file__).parents[3] / "shared" / "data")

# name: (articles, redirects, links within the set at least)
PROMISED = {
    "en-superheroes": (1640, 610, 28_000),
    "ltg": (877, 147, 2_000),
    "it-small": (607, 64, 1_000),
}


def data(name: str) -> Path:
    path = DATA / f"{name}.xml.bz2"
    if not path.exists():
        pytest.skip(f"{path} is not here.")
    return path


@pytest.mark.parametrize("name", PROMISED)
def test_an_export_gives_its_pages_and_every_link_stands_where_it_should(
    name: str, tmp_path: Path
) -> None:
    with open_store(tmp_path / "wiki.db", create=True) as store:
        report = fetch_export(store, ExportOptions(data(name)))
        with store.reading() as session:
            wiki = wiki_by_name(session)
            texts = {page.id: page.wikitext for page in articles(session, wiki.id)}
            links = links_of_wiki(session, wiki.id)
    pages, redirects, within = PROMISED[name]
    assert (report.pages, report.redirects) == (pages, redirects)
    assert report.links_within_set >= within
    assert len(report.skipped) <= pages // 200
    rows = zip(
        links.page_id,
        links.start,
        links.end,
        links.anchor_start,
        links.anchor_end,
        links.sentence_start,
        links.sentence_end,
        links.in_prose,
        strict=True,
    )
    for page, start, end, anchor_start, anchor_end, first, last, in_prose in rows:
        text = texts[page]
        assert text[start : start + 2] == "[["
        assert text[end - 2 : end] == "]]"
        assert start < anchor_start <= anchor_end < end
        assert not in_prose or first == -1 or first <= anchor_start <= anchor_end <= last


@pytest.mark.parametrize("name", ["ltg", "it-small"])
def test_a_corpus_has_anchors_without_loose_space_and_known_targets(name: str) -> None:
    lines = [json.loads(line) for line in corpus_lines(data(name))]
    titles = {line["title"] for line in lines}
    assert len(titles) == len(lines) > 500
    anchors = [
        (line["text"][start:end], target) for line in lines for start, end, target in line["links"]
    ]
    assert all(0 < len(anchor) < 200 and "\n" not in anchor for anchor, _ in anchors)
    loose = [anchor for anchor, _ in anchors if anchor != anchor.strip()]
    assert len(loose) <= len(anchors) // 1000
    assert sum(target in titles for _, target in anchors) > 500
    assert all("[[" not in line["text"] for line in lines[:50])
