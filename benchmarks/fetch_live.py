"""python benchmarks/fetch_live.py [--pages N] [--rounds N]

Pages a second of `wikibot fetch CATEGORY` from a local MediaWiki, against a bare
PreloadingGenerator over the same category with the same account, turn by turn in one run. The
bare one only loads the texts; ours also parses them and stores pages, links and redirects.
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


def stocked_wiki(folder: Path, pages: int) -> Wiki:
    """A running wiki that holds PAGES invented articles."""
    wiki = Wiki(folder / "wiki", code_tree())
    wiki.install()
    wiki.import_export(write_export(folder / "pages.xml", pages))
    os.environ["PYWIKIBOT_DIR"] = str(wiki.pywikibot_folder(folder / "pywikibot"))
    return wiki


def preload(site: Any) -> tuple[int, float]:
    """(pages, seconds) of pywikibot's own way to load a category."""
    import pywikibot
    from pywikibot.pagegenerators import PreloadingGenerator

    started = time.perf_counter()
    category = pywikibot.Category(site, CATEGORY)
    articles = category.articles(namespaces=[0])
    count = sum(1 for page in PreloadingGenerator(articles, groupsize=GROUP_SIZE) if page.text)
    return count, time.perf_counter() - started


def fetch(site: Any, folder: Path) -> tuple[int, float]:
    """(pages, seconds) of a fetch into an empty database."""
    from wikibot.fetch.from_wiki import WikiOptions, fetch_wiki
    from wikibot.site.reading import WikiReader
    from wikibot.store import open_store

    started = time.perf_counter()
    with open_store(folder / f"{started}.db", create=True) as store:
        reader = WikiReader(site, group_size=GROUP_SIZE)
        report = fetch_wiki(store, reader, WikiOptions(CATEGORY))
    return report.read, time.perf_counter() - started


def measure(wiki: Wiki, folder: Path, rounds: int) -> dict[str, Any]:
    from wikibot.site.connect import connect, log_in

    with wiki:
        wiki.pywikibot_folder(folder / "pywikibot")
        site = connect(user=BOT.name)
        log_in(site)
        bare, ours = [], []
        for _ in range(rounds):
            bare.append(preload(site))
            ours.append(fetch(site, folder))
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
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wiki = stocked_wiki(folder, given.pages)
        json.dump(measure(wiki, folder, given.rounds), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
