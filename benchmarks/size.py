"""How long the linker's source and its tests are: `python -m benchmarks.size` prints both as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("wikibot/linker", "wikibot/train.py", "wikibot/suggest.py", "wikibot/evaluation", "wikibot/link.py", "wikibot/why")  # fmt: skip
TESTS = ("tests/linker", "tests/evaluation", "tests/test_incremental_suggest.py", "tests/test_steps.py")  # fmt: skip


def lines(places: tuple[str, ...]) -> int:
    """The lines of all Python files at these places, empty ones left out."""
    files = [file for place in places for file in _files(ROOT / place)]
    return sum(bool(line.strip()) for file in files for line in file.read_text().splitlines())


def _files(place: Path) -> list[Path]:
    return [place] if place.is_file() else sorted(place.rglob("*.py"))


def main() -> None:
    """Print the lines of both and their ratio."""
    source, tests = lines(SOURCES), lines(TESTS)
    report = {"source_lines": source, "test_lines": tests, "ratio": round(tests / source, 2)}
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main()
