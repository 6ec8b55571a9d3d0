"""The rules for a link that a person placed by hand: another anchor, or another target.

No model is needed: the page's wikitext and the rows of the store say it all. Rules about what the
words may mean (everyday words, other bearers of a name) are left out: the person has read them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wikibot.errors import BadInput
from wikibot.message import Message, message
from wikibot.never_list import NeverList
from wikibot.store import Store
from wikibot.store.pages import PageRow, WikiRow, links_of_page, redirects_to
from wikibot.store.suggestions import never_list
from wikibot.wikitext import PageText, read_page

_BESIDE_BEFORE = re.compile(r"\]\][^\W\d_]*[ '\u2019.-]*$")
_BESIDE_AFTER = re.compile(r"[ '\u2019.-]*\[\[")
_NEAR = 60  # characters looked at for a link beside the anchor


@dataclass(frozen=True, slots=True)
class Placed:
    """A link to `target` on page.text[start:end], and what must be known to judge it."""

    page: PageText
    source: PageRow
    target: PageRow | None
    start: int
    end: int
    linked: frozenset[int | None]  # row ids of the targets that the prose links, redirects followed
    never: NeverList

    @property
    def anchor(self) -> str:
        return self.page.text[self.start : self.end]


def checked_by_rules(
    store: Store,
    wiki: WikiRow,
    source: PageRow,
    start: int,
    end: int,
    target: PageRow | None,
    *,
    off: frozenset[str] = frozenset(),
    scope: str = "page",
) -> None:
    """A link to `target` on source.wikitext[start:end] breaks no rule; else BadInput says which.

    `off` names the rules that are switched off (the setting `rules_off`), `scope` is where one link
    is enough (`link_scope`). Nothing is changed.
    """
    page = read_page(source.wikitext, wiki.rules(link_scope=scope), source.title)
    named = {row.id: row.title for row in (source, target) if row}
    with store.reading() as session:
        links = links_of_page(session, source.id)
        ends = redirects_to(session, named)
        never = never_list(session, wiki.id)
    linked = frozenset(
        to
        for to, at, in_prose in zip(links.target_id, links.start, links.in_prose, strict=True)
        if in_prose and not page.is_excluded(at) and page.is_in_reach(at, start)
    )
    never = never.following({title: named[to] for title, to in ends.items()})
    placed = Placed(page, source, target, start, end, linked, never)
    for broken in _broken(placed, off):
        raise BadInput(
            message("{why} Nothing was changed; choose another place or target.", why=broken)
        )


def _broken(placed: Placed, off: frozenset[str]) -> Iterator[Message]:
    title = placed.target.title if placed.target else "it"
    for name, is_broken, says in HAND_RULES:
        if name not in off and is_broken(placed):
            yield message(says, anchor=placed.anchor, target=title, page=placed.source.title)


def _is_red(placed: Placed) -> bool:
    return placed.target is None or placed.target.redirect_to is not None


def _is_self(placed: Placed) -> bool:
    return placed.target is not None and placed.target.id == placed.source.id


def _is_disambiguation(placed: Placed) -> bool:
    return placed.target is not None and placed.target.is_disambiguation


def _is_linked(placed: Placed) -> bool:
    return placed.target is not None and placed.target.id in placed.linked


def _is_never(placed: Placed) -> bool:
    never, target = placed.never, placed.target
    return (
        never.forbids_words(placed.anchor)
        or placed.source.title in never.pages
        or (target is not None and target.title in never.targets)
    )


def _is_beside(placed: Placed) -> bool:
    text, start, end = placed.page.text, placed.start, placed.end
    before = _BESIDE_BEFORE.search(text[max(0, start - _NEAR) : start])
    return bool(before or _BESIDE_AFTER.match(text, end))


def _is_number(placed: Placed) -> bool:
    return not any(char.isalpha() for char in placed.anchor)


def _is_hyphenated(placed: Placed) -> bool:
    text, start, end = placed.page.text, placed.start, placed.end
    return text[start - 1 : start] in _HYPHENS or text[end : end + 1] in _HYPHENS


def _is_quoted(placed: Placed) -> bool:
    """Inside quotation marks that hold more than the anchor; a nickname in them is a name."""
    page, start, end = placed.page, placed.start, placed.end
    return page.is_quoted(start - 2, end) or page.is_quoted(start, end + 2)


_HYPHENS = ("-", "\u2010", "\u2011")

Rule = tuple[str, Callable[[Placed], bool], str]
HAND_RULES: tuple[Rule, ...] = (
    ("red-link", _is_red, "No page of that name is there to link to."),
    ("self-link", _is_self, "“{page}” would link to itself."),
    ("disambiguation", _is_disambiguation, "“{target}” is a disambiguation page."),
    ("one-link", _is_linked, "“{page}” links to “{target}” already."),
    ("never-list", _is_never, "“{anchor}”, “{target}” or “{page}” is on the never-link list."),
    ("beside-link", _is_beside, "“{anchor}” would stand right beside another link."),
    ("number", _is_number, "“{anchor}” is a number or a date, which is no anchor."),
    ("hyphen", _is_hyphenated, "“{anchor}” is part of a compound word."),
    ("quotation", _is_quoted, "“{anchor}” stands in a quotation, which is not ours to link."),
)  # fmt: skip
