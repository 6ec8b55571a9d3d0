"""Takes the README's picture of the review page, with the demo wiki in Debian's Chromium."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).resolve().parent.parent / "docs/pictures/review.png"
WIKIBOT = [sys.executable, "-m", "wikibot"]
SIZE = {"width": 1080, "height": 850}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [*WIKIBOT, "demo", "--headless"], cwd=folder, check=True, capture_output=True
        )
        served = subprocess.Popen(
            [*WIKIBOT, "review", "--no-browser", "--reviewer", "Anna"],
            cwd=folder,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert served.stdout is not None
        photograph(served.stdout.readline().strip())
        served.send_signal(signal.SIGINT)
        served.wait()


def photograph(address: str) -> None:
    """The picture shows the first proposal at ADDRESS."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        page = browser.new_page(viewport=SIZE)
        page.goto(address)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
