"""Takes the documentation's pictures of the review page, on the demo wiki, in Debian's Chromium.

    python scripts/screenshot.py [--db wikibot-demo.db] [--only review]

Without --db the demo wiki is learned anew, which takes a minute. The database is copied first: the
animation decides three proposals, and nobody's decisions are changed by that.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import threading
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Browser, Page, sync_playwright

from wikibot.demo.tour import learn_demo_wiki
from wikibot.store import Store, open_store, queue
from wikibot.store.pages import wikis
from wikibot.web.review_app import ReviewApp
from wikibot.web.serve import make_server, stop

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
WIDE = {"viewport": {"width": 1080, "height": 790}}
NARROW = {"viewport": {"width": 390, "height": 780}, "is_mobile": True, "has_touch": True}
COLOURS = 128  # plenty for a page of text, and a third of the size
FILM = "three-decisions"
DECIDING = ("a", "5")  # the keys of the film that end in a decision
FILM_COLOURS = 48
FILM_WIDTH_PX, CAPTION_PX = 900, 44
INK, PAPER = "#ffffff", "#1f3b57"


class Scene(NamedTuple):
    """A picture of the film: the key that leads to it, its caption, and how long it stays."""

    key: str
    caption: str
    stays_ms: int


SCENES = (
    Scene("", "One proposal at a time: the sentence, the target, the reasons.", 3200),
    Scene("a", "a  approves it, and the next one is there.", 3000),
    Scene("a", "a  approves again. Nothing is sent yet.", 2600),
    Scene("r", "r  rejects; a number says why.", 2600),
    Scene("5", "The rejected link never comes back, and the next training learns from it.", 3600),
)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--db", type=Path)
    options.add_argument("--only", help="the name of one picture, without its ending")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "demo.db"
        if chosen.db is not None:
            copy_database(chosen.db, path)
        with open_store(path, create=True) as store:
            if chosen.db is None:
                learn_demo_wiki(store, print)
            serve_and_take(store, chosen.only)


def copy_database(source: Path, target: Path) -> None:
    """TARGET and the models beside it are as SOURCE and its models."""
    shutil.copy(source, target)
    models = source.with_name(source.name + ".models")
    if models.is_dir():
        shutil.copytree(models, target.with_name(target.name + ".models"))


def serve_and_take(store: Store, only: str | None) -> None:
    server, review_app = make_server(store, "Anna", port=0)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path="/usr/bin/chromium", args=["--no-sandbox"]
            )
            for name, profile, path in shots(store):
                if only in (None, name):
                    take(browser, review_app, FOLDER / f"{name}.png", profile, path)
            if only in (None, FILM):
                film(browser, review_app, FOLDER / f"{FILM}.gif")
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


def film(browser: Browser, review_app: ReviewApp, file: Path) -> None:
    """FILE shows three decisions, one after the other."""
    context = browser.new_context(locale="en-GB", **WIDE)
    page = context.new_page()
    page.goto(review_app.address)
    frames = [captioned(played(page, scene.key), scene.caption) for scene in SCENES]
    context.close()
    # One palette for all pictures, so that what stays the same is the same.
    palette = side_by_side(frames).quantize(FILM_COLOURS)
    first, *others = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    first.save(
        file,
        save_all=True,
        append_images=others,
        duration=[scene.stays_ms for scene in SCENES],
        loop=0,
        optimize=True,
    )


def played(page: Page, key: str) -> Image.Image:
    """What the page shows after the key was pressed."""
    page.locator("html[data-keys]").wait_for(state="attached")
    before, counts = page.content(), page.locator(".counters").inner_text()
    if key:
        page.keyboard.press(key)
        page.wait_for_function(
            "before => document.documentElement.outerHTML !== before", arg=before
        )
        page.locator("html[data-keys]").wait_for(state="attached")
    if key in DECIDING:  # the newest counts come with the proposal after the next
        page.wait_for_function(
            "old => document.querySelector('.counters').innerText !== old", arg=counts
        )
    page.evaluate("window.scrollTo(0, 0)")
    with Image.open(BytesIO(page.screenshot(animations="disabled"))) as picture:
        height = round(picture.height * FILM_WIDTH_PX / picture.width)
        return picture.convert("RGB").resize((FILM_WIDTH_PX, height), Image.Resampling.LANCZOS)


def captioned(picture: Image.Image, caption: str) -> Image.Image:
    """The picture with a line of text below it."""
    framed = Image.new("RGB", (picture.width, picture.height + CAPTION_PX), PAPER)
    framed.paste(picture, (0, 0))
    place = (picture.width // 2, picture.height + CAPTION_PX // 2)
    font = ImageFont.load_default(size=20)
    ImageDraw.Draw(framed).text(place, caption, fill=INK, font=font, anchor="mm")
    return framed


def side_by_side(frames: list[Image.Image]) -> Image.Image:
    whole = Image.new("RGB", (sum(frame.width for frame in frames), frames[0].height))
    for number, frame in enumerate(frames):
        whole.paste(frame, (number * frames[0].width, 0))
    return whole


if __name__ == "__main__":
    main()
