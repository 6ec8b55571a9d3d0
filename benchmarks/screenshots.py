"""The pictures of the review page in the documentation, from the demo wiki, in a real browser.

    python benchmarks/screenshots.py [--db demo.db] [--to docs/images]

Needs Debian's Chromium. Without --db the demo wiki is learned anew, which takes a minute.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import threading
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from wikibot.demo.tour import learn_demo_wiki
from wikibot.store import Store, open_store
from wikibot.web.desk import Desk
from wikibot.web.serve import make_server, stop

ROOT = Path(__file__).resolve().parent.parent
WIDE = {"viewport": {"width": 1040, "height": 810}}
COLOURS = 128  # plenty for a page of text, and a third of the size
NARROW = {"viewport": {"width": 375, "height": 720}, "is_mobile": True, "has_touch": True}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--db", type=Path)
    options.add_argument("--to", type=Path, default=ROOT / "docs" / "images")
    chosen = options.parse_args()
    chosen.to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        path = chosen.db or Path(folder) / "demo.db"
        with open_store(path, create=True) as store:
            if chosen.db is None:
                learn_demo_wiki(store, print)
            serve_and_take(store, chosen.to)


def serve_and_take(store: Store, folder: Path) -> None:
    server, desk = make_server(store, "you", port=0)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        with sync_playwright() as playwright:
            path = shutil.which("chromium")
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            take(browser, desk, folder)
            browser.close()
    finally:
        stop(server)
        thread.join()


def take(browser: Browser, desk: Desk, folder: Path) -> None:
    """Each picture shows a page as a newcomer meets it."""
    root = f"http://127.0.0.1:{desk.port}"
    shots = (
        ("review", {**WIDE, "color_scheme": "light"}, "/"),
        ("review-dark", {**WIDE, "color_scheme": "dark"}, "/"),
        ("review-phone", {**NARROW, "color_scheme": "light"}, "/"),
    )
    for name, profile, path in shots:
        context = browser.new_context(locale="en-GB", **profile)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(desk.address)
        page.goto(root + path)
        file = folder / f"{name}.png"
        page.screenshot(path=file)
        context.close()
        make_small(file)


def make_small(file: Path) -> None:
    """The picture with fewer colours, which nobody will miss."""
    with Image.open(file) as picture:
        picture.convert("RGB").quantize(COLOURS).save(file, optimize=True)


if __name__ == "__main__":
    main()
