"""The example of user-config.py: pywikibot can read it, with its remarks switched on or off."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = (Path(__file__).resolve().parent.parent / "user-config.example.py").read_text()


def read_as_pywikibot(text: str) -> dict[str, Any]:
    """What the file sets, with the names that pywikibot defines beforehand."""
    names: dict[str, Any] = {
        "usernames": defaultdict(dict),
        "family_files": {},
        "authenticate": {},
    }
    exec(compile(text, "user-config.py", "exec"), names)
    return names


def test_it_sets_the_wiki_the_account_and_the_contact() -> None:
    told = read_as_pywikibot(EXAMPLE)
    assert told["usernames"]["wikipedia"]["en"] == "YourBot"
    assert told["user_agent_description"]
    assert told["put_throttle"] == 10


@pytest.mark.parametrize("start", ['family_files["rivers"]', 'authenticate["en.wikipedia.org"]'])
def test_the_alternatives_in_its_remarks_can_be_switched_on(start: str) -> None:
    switched = EXAMPLE.replace(f"# {start}", start)
    assert switched != EXAMPLE
    name, key = re.match(r'(\w+)\["(.+)"\]', start).groups()  # type: ignore[union-attr]
    assert key in read_as_pywikibot(switched)[name]


def test_every_line_that_sets_something_is_explained_above() -> None:
    lines = EXAMPLE.splitlines()
    for number, line in enumerate(lines):
        if re.match(r"[a-z_]+(\[.*\])* = ", line):
            above = lines[number - 1]
            assert above.startswith("# ") or " = " in above, line


def test_it_holds_no_password() -> None:
    assert "password" not in {
        name for name in read_as_pywikibot(EXAMPLE) if name != "password_file"
    }
