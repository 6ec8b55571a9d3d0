"""The never-link list: words, targets and pages that are left alone, and how people write it.

One list from three places: a page on the wiki, a file, and what reviewers add. The store keeps all
of it (`store/never_links.py`); page and file are written alike:

    * everyday words      <!-- never an anchor -->
    * [[A title]]         <!-- never linked to -->
    * page: [[A title]]   <!-- gets no proposals -->

Text that is in no list is explanation, and `<!-- -->` is a comment. In a file the star may be
missing, and `#` starts a remark. Lines of more than 1,000 characters are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wikibot.wikitext import SiteRules, normalise_title

Entry = tuple[str, str]  # kind ("word", "target", "page") and value

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|<noinclude>|</noinclude>", re.DOTALL)
_KIND = re.compile(r"(word|target|page)\s*:\s*", re.IGNORECASE)
_LINK = re.compile(r"\[\[([^\[\]|]*)(?:\|[^\[\]]*)?\]\]")
_QUOTES = re.compile(r"''+")
_WORDS = re.compile(r"\w+")
# A title has 255 bytes at most; a longer line is not an entry.
LONGEST_LINE = 1_000


def plain(words: str) -> str:
    """Words as they are compared: whatever the case of the letters, hyphens and apostrophes."""
    return " ".join(_WORDS.findall(words.casefold()))


@dataclass(frozen=True, slots=True)
class NeverList:
    """What is never an anchor (in whatever letter case), never a target, never proposed on."""

    words: frozenset[str] = frozenset()
    targets: frozenset[str] = frozenset()
    pages: frozenset[str] = frozenset()

    def following(self, ends: Mapping[str, str]) -> NeverList:
        """The list with the pages at the end of redirects that it names; `ends` maps titles."""
        targets, pages = (
            named | {ends[title] for title in named if title in ends}
            for named in (self.targets, self.pages)
        )
        return NeverList(self.words, frozenset(targets), frozenset(pages))

    def forbids_words(self, anchor: str) -> bool:
        return plain(anchor) in self.words


NOTHING = NeverList()


def never_list(entries: Iterator[Entry]) -> NeverList:
    """The entries as sets."""
    found: dict[str, set[str]] = {"word": set(), "target": set(), "page": set()}
    for kind, value in entries:
        found[kind].add(plain(value) if kind == "word" else value)
    return NeverList(*(frozenset(found[kind]) for kind in ("word", "target", "page")))


def read_page_list(text: str, rules: SiteRules) -> list[Entry]:
    """The entries of a wiki page, in order, each once."""
    lines = _COMMENT.sub("", text).splitlines()
    return _entries((line[1:] for line in lines if line.startswith("*")), rules)


def read_file_list(text: str, rules: SiteRules) -> list[Entry]:
    """The entries of a file, in order, each once."""
    lines = (line.partition("#")[0].strip() for line in _COMMENT.sub("", text).splitlines())
    return _entries((line.removeprefix("*") for line in lines), rules)


def _entries(lines: Iterator[str], rules: SiteRules) -> list[Entry]:
    short = (line for line in lines if len(line) <= LONGEST_LINE)
    found = (_entry(_QUOTES.sub("", line).lstrip("*").strip(), rules) for line in short)
    return list(dict.fromkeys(entry for entry in found if entry[1]))


def _entry(line: str, rules: SiteRules) -> Entry:
    named = _KIND.match(line)
    kind = named[1].lower() if named else ""
    rest = line[named.end() :] if named else line
    link = _LINK.search(rest)
    value = link[1].strip().removeprefix(":").strip() if link else " ".join(rest.split())
    kind = kind or ("target" if link else "word")
    is_title = kind != "word" and value
    return kind, normalise_title(value, rules).text if is_title else value
