"""Takes the documentation's pictures of the review page, on the demo wiki, in Debian's Chromium.

    python scripts/screenshot.py [--db demo.db]

Without --db the demo wiki is learned anew, which takes a minute.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from wikibot.demo.tour import learn_demo_wiki
from wikibot.store import Store, open_store, queue
from wikibot.store.pages import wikis
from wikibot.web.review_app import ReviewApp
from wikibot.web.serve import make_server, stop

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
WIDE = {"viewport": {"width": 1080, "height": 790}}
NARROW = {"viewport": {"width": 390, "height": 780}, "is_mobile": True, "has_touch": True}
COLOURS = 128  # plenty for a page of text, and a third of the size


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--db", type=Path)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = chosen.db or Path(folder) / "demo.db"
        with open_store(path, create=True) as store:
            if chosen.db is None:
                learn_demo_wiki(store, print)
            serve_and_take(store)


def serve_and_take(store: Store) -> None:
    server, review_app = make_server(store, "Anna", port=0)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path="/usr/bin/chromium", args=["--no-sandbox"]
            )
            for name, profile, path in shots(store):
                take(browser, review_app, FOLDER / f"{name}.png", profile, path)
            browser.close()
    finally:
        stop(server)
        thread.join()


def shots(store: Store) -> list[tuple[str, dict[str, Any], str]]:
    """Each picture's name, the browser that takes it, and the page as a newcomer meets it."""
    with store.reading() as session:
        wiki_id = wikis(session)[0].id
        largest = queue.batches(session, wiki_id, "page", "pending", start=0, limit=1)[0]
    return [
        ("review", WIDE, "/"),
        ("review-dark", {**WIDE, "color_scheme": "dark"}, "/"),
        ("review-phone", NARROW, "/"),
        ("review-page", WIDE, f"/page/{largest.page_id}"),
        ("review-article", WIDE, f"/article/{largest.page_id}"),
        ("review-batches", WIDE, "/batches/target"),
    ]


def take(
    browser: Browser, review_app: ReviewApp, file: Path, profile: dict[str, Any], path: str
) -> None:
    """FILE shows the page at PATH."""
    context = browser.new_context(locale="en-GB", **profile)
    page = context.new_page()
    page.goto(review_app.address)
    page.goto(f"http://127.0.0.1:{review_app.port}{path}")
    page.screenshot(path=file)
    context.close()
    with Image.open(file) as picture:
        picture.convert("RGB").quantize(COLOURS).save(file, optimize=True)


if __name__ == "__main__":
    main()
