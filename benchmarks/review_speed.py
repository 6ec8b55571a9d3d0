"""How long a reviewer waits from a decision to the next proposal, in Chromium: JSON on standard output.

    python benchmarks/review_speed.py [--decisions 60] [--proposals 100000] [--keep FOLDER]

A real Chromium without a window reviews a real server over a database with 100,000 proposals. The
clock runs in the page: from the press of the key to the first frame that shows the next proposal.
Between two decisions the reviewer looks at the
proposal for a moment, as people do; that is when the next one is fetched. `without_pause` is for
somebody who presses keys as fast as they are answered. `page_loads` is the same without the script,
where every decision loads a page.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import statistics
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.review_queue import fill
from wikibot.store import Store, open_store
from wikibot.web.review_app import ReviewApp
from wikibot.web.serve import get_ready, make_server, stop

LIMIT_MS = 60.0
LOOKS_FOR_MS = 400
KEYS = ("a", "s", "a")  # approve, skip, approve, and so on
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]

# Milliseconds from a key to the frame that shows another proposal.
DECIDE = """(key) => new Promise((resolve) => {
  const number = () => document.getElementById("proposal").dataset.proposal;
  const before = number();
  const start = performance.now();
  const watch = new MutationObserver(() => {
    if (number() === before) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
  });
  watch.observe(document.body, { childList: true, subtree: true });
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
})"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--decisions", type=int, default=60)
    options.add_argument("--proposals", type=int, default=100_000)
    options.add_argument("--pages", type=int, default=20_000)
    options.add_argument("--keep", type=Path)
    chosen = options.parse_args()
    with contextlib.ExitStack() as stack:
        folder = chosen.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        is_new = not (folder / "queue.db").exists()
        store = stack.enter_context(open_store(folder / "queue.db", create=True))
        if is_new:
            fill(store, chosen.pages, chosen.proposals)
        review_app = stack.enter_context(served(store))
        browser = stack.enter_context(chromium())
        report = measure(browser, review_app, chosen.decisions)
    print(json.dumps({"proposals": chosen.proposals, "limit_ms": LIMIT_MS, **report}, indent=2))


@contextlib.contextmanager
def served(store: Store) -> Iterator[ReviewApp]:
    """The review page, served by a thread of its own."""
    server, review_app = make_server(store, "bench", port=0)
    get_ready(review_app)
    thread = threading.Thread(target=server.run)
    thread.start()
    review_app.background.begin("settled", int).result()  # the model is loaded by now
    try:
        yield review_app
    finally:
        stop(server)
        thread.join()
        review_app.background.stop()


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium without a window."""
    path = shutil.which("chromium") or sys.exit("Chromium is missing: install Debian's `chromium`.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


def measure(browser: Browser, review_app: ReviewApp, decisions: int) -> dict[str, Any]:
    page = browser.new_page()
    page.goto(review_app.address)
    page.locator("html[data-keys]").wait_for(state="attached")
    with_pause = [decide(page, number, LOOKS_FOR_MS) for number in range(decisions)]
    without_pause = [decide(page, number, 0) for number in range(decisions)]
    return {
        "with_prefetch": summary(with_pause),
        "without_pause": summary(without_pause),
        "page_loads": summary(loads(browser, review_app, decisions)),
        "is_within_limit": statistics.median(with_pause) <= LIMIT_MS,
    }


def decide(page: Page, number: int, pause_ms: int) -> float:
    """Milliseconds from a decision to the next proposal, after a look at this one."""
    page.wait_for_timeout(pause_ms)
    return float(page.evaluate(DECIDE, KEYS[number % len(KEYS)]))


def loads(browser: Browser, review_app: ReviewApp, decisions: int) -> list[float]:
    """The same without the script: from the request of the form to the next page's load."""
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(review_app.address)
    times = []
    for _ in range(decisions):
        with page.expect_navigation():
            page.get_by_role("button", name="Skip").click()
        timing = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
        times.append(float(timing))
    return times


def summary(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "decisions": len(times),
        "median_ms": round(statistics.median(times), 1),
        "p90_ms": round(ordered[int(0.9 * (len(ordered) - 1))], 1),
        "worst_ms": round(ordered[-1], 1),
    }


if __name__ == "__main__":
    main()
