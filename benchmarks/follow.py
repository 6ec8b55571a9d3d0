"""python benchmarks/follow.py [EXPORT] [--pages 100]

What `wikibot follow` takes on a local MediaWiki that holds the articles of an export, as JSON: seconds
of computing for 100 changed pages (those of a run in which nothing changed are taken off), and
seconds from the save of one page to its new proposal in the queue with the default polling.
Needs PHP and MediaWiki, as the tests do (see CONTRIBUTING.md).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.fetch.exports import write_export
from tests.mediawiki import ADMIN, Person, Wiki
from tests.mediawiki.code_tree import code_tree
from wikibot.fetch.export import ExportReader
from wikibot.store import open_store
from wikibot.store.pages import wiki_by_name
from wikibot.store.queue import Filters, every_line

DATA = Path(os.environ.get("WIKIBOT_DATA", Path(__file__).parents[2] / "shared" / "data"))
CATEGORY = "Followed pages"
PATIENCE_S = 600


def articles_of(export: Path) -> dict[str, str]:
    """The articles and redirects of the export, the articles in one category more."""
    found = {}
    for page in ExportReader(export).pages():
        if page.namespace == 0 and page.model == "wikitext" and page.text:
            is_redirect = page.text.lstrip().startswith("#")
            found[page.title] = page.text + ("" if is_redirect else f"\n[[Category:{CATEGORY}]]")
    return found


def computed(command: list[str]) -> tuple[float, dict[str, Any]]:
    """Seconds of computing of a command and those it starts, and what it prints as JSON."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "wikibot", *command], capture_output=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, json.loads(done.stdout)


def waiting(database: Path) -> set[tuple[str, str]]:
    with open_store(database) as store, store.reading() as session:
        wiki = wiki_by_name(session)
        return {(one.page, one.target) for one in every_line(session, Filters(wiki.id))}


def one_save(person: Person, database: Path, page: str, target: str) -> float:
    """Seconds from the save of a page that mentions TARGET to the proposal in the queue."""
    process = subprocess.Popen(
        [sys.executable, "-m", "wikibot", "follow", "--json"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()  # it has caught up
        person.write(page, f"It is often compared with {target}.\n[[Category:{CATEGORY}]]")
        begun = time.monotonic()
        while (page, target) not in waiting(database):
            if time.monotonic() - begun > PATIENCE_S:
                raise SystemExit("The proposal did not come.")
            time.sleep(0.5)
        return time.monotonic() - begun
    finally:
        process.terminate()
        process.wait()


def measure(export: Path, folder: Path, count: int) -> dict[str, Any]:
    texts = articles_of(export)
    wiki = Wiki(folder / "wiki", code_tree())
    wiki.install()
    wiki.import_export(write_export(folder / "pages.xml", texts))
    database = folder / "w.db"
    os.environ["PYWIKIBOT_DIR"] = str(wiki.pywikibot_folder(folder / "pywikibot"))
    os.environ["WIKIBOT_DB"] = str(database)
    with wiki.start():
        os.environ["PYWIKIBOT_DIR"] = str(wiki.pywikibot_folder(folder / "pywikibot"))
        for words in (["fetch", CATEGORY, "--url", wiki.api], ["train"], ["suggest"]):
            computed([*words, "--json"])
        computed(["follow", "--once", "--json"])
        idle, _ = computed(["follow", "--once", "--json"])
        person = wiki.person(ADMIN)
        articles = [title for title, text in texts.items() if CATEGORY in text]
        for title in articles[:count]:
            person.write(title, f"{texts[title]}\n\nOne more sentence stands here.")
        busy, report = computed(["follow", "--once", "--json"])
        pairs = [pair for pair in sorted(waiting(database)) if pair[0] not in articles[:count]]
        target = max((pair[1] for pair in pairs), key=len)
        seconds = one_save(person, database, articles[-1], target)
    return {
        "pages_of_the_wiki": len(articles),
        "changed_pages": report["changed"],
        "cpu_s_per_100_changed_pages": round(100 * (busy - idle) / report["changed"], 2),
        "cpu_s_of_an_idle_start": round(idle, 2),
        "save_to_proposal_s": round(seconds, 1),
        "load_of_machine": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("export", nargs="?", type=Path, default=DATA / "wikis" / "en-electowiki.xml.bz2")  # fmt: skip
    parser.add_argument("--pages", type=int, default=100, help="pages that are changed")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(given.export, Path(folder), given.pages), indent=2))


if __name__ == "__main__":
    main()
