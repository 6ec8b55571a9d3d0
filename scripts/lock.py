"""Prints the versions installed beside this Python, as a constraints file for pip.

A version that needs a newer Python than the oldest we support gets a marker, so that the same file
serves every Python: there pip chooses by the lower bounds of setup.cfg alone.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import Distribution, distributions

OURS = "wikibot-links"
OLDEST = 10  # Python 3.10
LEFT_OUT = {OURS, "pip", "wheel"}


def pinned(installed: Distribution) -> str:
    """`name==version`, with a marker where it needs a newer Python."""
    name = re.sub(r"[-_.]+", "-", installed.metadata["Name"]).lower()
    needs = re.search(r">=\s*3\.(\d+)", installed.metadata.get("Requires-Python", ""))
    oldest = int(needs[1]) if needs else OLDEST
    marker = f' ; python_version >= "3.{oldest}"' if oldest > OLDEST else ""
    return f"{name}=={installed.version}{marker}"


def main() -> None:
    lines = {pinned(one) for one in distributions()}
    kept = sorted(line for line in lines if line.partition("==")[0] not in LEFT_OUT)
    sys.stdout.write("# Made by `make lock`; used by make and CI.\n")
    sys.stdout.write("".join(f"{line}\n" for line in kept))


if __name__ == "__main__":
    main()
