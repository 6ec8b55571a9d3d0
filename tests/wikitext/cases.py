"""The readable case files: one theme a file, one paragraph a case.

    name:   a mention in a template's argument is left alone
    before: "Paris {{quote|Paris}}"
    target: Paris
    after:  "[[Paris]] {{quote|Paris}}"

Every mention of `anchor` (the target, unless said) that may be linked is linked, which gives
`after`. Texts are JSON strings. `lang` and `title` describe the page; `with` sets options of the
site. A line that starts with # is a remark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from wikibot.wikitext import Insertion, PageText, SiteRules, read_page

FOLDER = Path(__file__).parents[1] / "cases"


@dataclass(frozen=True)
class Case:
    """One case of a file."""

    theme: str
    name: str
    before: str
    after: str
    target: str
    anchor: str
    site: SiteRules
    title: str

    def page(self) -> PageText:
        return read_page(self.before, self.site, self.title)

    def mentions(self) -> list[Insertion]:
        """Every mention of the anchor, linkable or not."""
        found = re.finditer(re.escape(self.anchor), self.before)
        return [Insertion(*mention.span(), self.target) for mention in found]

    def linkable(self) -> list[Insertion]:
        """The mentions that may be linked."""
        page = self.page()
        return [mention for mention in self.mentions() if page.allows(mention.start, mention.end)]


def read_cases() -> Iterator[Case]:
    """Every case of every file."""
    for file in sorted(FOLDER.glob("*.case")):
        for paragraph in re.split(r"\n\s*\n", file.read_text(encoding="utf-8")):
            fields = _fields(paragraph)
            if fields:
                yield _case(file.stem, fields)


def _fields(paragraph: str) -> dict[str, str]:
    lines = [line for line in paragraph.splitlines() if line.strip() and line[0] != "#"]
    return {key.strip(): value.strip() for key, _, value in (ln.partition(":") for ln in lines)}


def _words(value: str) -> str:
    """An anchor as it is, or as a JSON string where it holds what a line cannot."""
    return str(json.loads(value)) if value.startswith('"') else value


def _case(theme: str, fields: dict[str, str]) -> Case:
    site = SiteRules.for_language(fields.pop("lang", "en"))
    options = json.loads(fields.pop("with", "{}"))
    before, target = json.loads(fields.pop("before")), fields.pop("target")
    after = fields.pop("after")
    case = Case(
        theme,
        fields.pop("name"),
        before,
        before if after == "unchanged" else json.loads(after),
        target,
        _words(fields.pop("anchor", target)),
        replace(site, **options),
        fields.pop("title", "A page"),
    )
    assert not fields, f"unknown fields in {theme}: {fields}"
    return case
