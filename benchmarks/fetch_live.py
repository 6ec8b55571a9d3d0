"""python benchmarks/fetch_live.py [--pages N | --export FILE --category NAME] [--rounds N]

Pages a second of `wikibot fetch CATEGORY` from a local MediaWiki, against a bare
PreloadingGenerator over the same category with the same account, turn by turn in one run. The
bare one only loads the texts; ours also parses them and stores pages, links and redirects.
The pages are invented ones, or those of an export.
Needs PHP and MediaWiki, as the tests do (see CONTRIBUTING.md).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from synthetic import CATEGORY, write_export

from tests.mediawiki import BOT, Wiki
from tests.mediawiki.code_tree import code_tree

GROUP_SIZE = 240


def stocked_wiki(folder: Path, export: Path) -> Wiki:
    """An installed wiki that holds the pages of EXPORT."""
    wiki = Wiki(folder / "wiki", code_tree())
    wiki.install()
    wiki.import_export(export)
    os.environ["PYWIKIBOT_DIR"] = str(wiki.pywikibot_folder(folder / "pywikibot"))
    return wiki


def preload(site: Any, name: str) -> tuple[int, float]:
    """(pages, seconds) of pywikibot's own way to load a category."""
    import pywikibot
    from pywikibot.pagegenerators import PreloadingGenerator

    started = time.perf_counter()
    category = pywikibot.Category(site, name)
    articles = category.articles(namespaces=[0])
    count = sum(1 for page in PreloadingGenerator(articles, groupsize=GROUP_SIZE) if page.text)
    return count, time.perf_counter() - started


def fetch(site: Any, name: str, folder: Path) -> tuple[int, float]:
    """(pages, seconds) of a fetch into an empty database."""
    from wikibot.fetch.from_wiki import WikiOptions, fetch_wiki
    from wikibot.site.reading import WikiReader
    from wikibot.store import open_store

    started = time.perf_counter()
    with open_store(folder / f"{started}.db", create=True) as store:
        reader = WikiReader(site, group_size=GROUP_SIZE)
        report = fetch_wiki(store, reader, WikiOptions(name))
    return report.read, time.perf_counter() - started


def measure(wiki: Wiki, category: str, folder: Path, rounds: int) -> dict[str, Any]:
    from wikibot.site.connect import connect, log_in

    with wiki:
        wiki.pywikibot_folder(folder / "pywikibot")
        site = connect(user=BOT.name)
        log_in(site)
        bare, ours = [], []
        for _ in range(rounds):
            bare.append(preload(site, category))
            ours.append(fetch(site, category, folder))
    bare_rate, our_rate = (max(count / spent for count, spent in runs) for runs in (bare, ours))
    return {
        "pages": ours[0][0],
        "rounds": rounds,
        "preloading_pages_per_second": round(bare_rate, 1),
        "fetch_pages_per_second": round(our_rate, 1),
        "ratio": round(our_rate / bare_rate, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--export", type=Path)
    parser.add_argument("--category", default=CATEGORY)
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        export = given.export or write_export(folder / "pages.xml", given.pages)
        wiki = stocked_wiki(folder, export)
        json.dump(measure(wiki, given.category, folder, given.rounds), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
