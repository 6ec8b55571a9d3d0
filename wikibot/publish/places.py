"""Where our links stand in a text that others have edited since, and whether they still do.

A link is known by the words around it. Its target alone says nothing: somebody may have taken our
link out and linked the same page elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wikibot.errors import BadWikitext
from wikibot.store.outbox import OutboxRow
from wikibot.wikitext import SiteRules, normalise_title, read_page

# How many characters on either side are compared, from safest to just enough.
WIDE = (200, 60)
NARROW = (20,)
# Fewer letters around a link could stand around any other.
LEAST_LETTERS = 6
# As many on one side do if the other side was rewritten.
LEAST_LETTERS_ON_ONE_SIDE = 12


@dataclass(frozen=True, slots=True)
class OwnLink:
    """A link of ours at [start:end] of the text that we sent."""

    suggestion_id: int
    target: str
    text: str
    start: int
    end: int
    anchor_length: int
    anchor: str

    @property
    def wikitext(self) -> str:
        return self.text[self.start : self.end]


def own_links(row: OutboxRow, targets: dict[int, str]) -> list[OwnLink]:
    """The links that our edit put in, of those suggestions whose targets are given."""
    found = []
    shift = 0
    for item in row.items:
        start, anchor_length = item.start + shift, item.end - item.start
        shift += len(item.wikitext) - anchor_length
        if item.suggestion_id in targets:
            end = start + len(item.wikitext)
            target = targets[item.suggestion_id]
            anchor = shown_by(item.wikitext)
            found.append(
                OwnLink(item.suggestion_id, target, row.text, start, end, anchor_length, anchor)
            )
    return found


def shown_by(wikitext: str) -> str:
    """What a reader sees of a link.

    >>> shown_by("[[River|rivers]]"), shown_by("[[river]]s")
    ('rivers', 'rivers')
    """
    inside, _, trail = wikitext.removeprefix("[[").partition("]]")
    return inside.rpartition("|")[2] + trail


def find_link(link: OwnLink, live: str) -> int | None:
    """Where the link stands in the live text, if many words around it name one place only.

    >>> link = OwnLink(1, "B", "a lake by [[b]], not [[b]] there", 21, 26, 1, "b")
    >>> find_link(link, "Oh, a lake by [[b]], not [[b]] there")
    25
    """
    if link.text == live:
        return link.start
    return _find(link, link.wikitext, live, WIDE)


def find_link_by_few_words(link: OwnLink, live: str) -> int | None:
    """Where the link may stand, by the few words next to it, be it on one side."""
    return _find(link, link.wikitext, live, NARROW, is_one_side_enough=True)


def _find(
    link: OwnLink,
    written: str,
    live: str,
    lengths: tuple[int, ...],
    *,
    is_one_side_enough: bool = False,
) -> int | None:
    for before, after in _surroundings(link, lengths, is_one_side_enough=is_one_side_enough):
        piece = before + written + after
        if live.count(piece) == 1:
            return live.index(piece) + len(before)
    return None


def _surroundings(
    link: OwnLink, lengths: tuple[int, ...], *, is_one_side_enough: bool
) -> Iterator[tuple[str, str]]:
    """What stands before and after the link; too few letters are left out."""
    for length in lengths:
        before = link.text[max(0, link.start - length) : link.start]
        after = link.text[link.end : link.end + length]
        # Within its line first: what others did to the next paragraph does not matter.
        in_line = before.rpartition("\n")[2], after.partition("\n")[0]
        for pair in (in_line, (before, after)):
            if _letters(*pair) >= LEAST_LETTERS:
                yield pair
        for pair in ((in_line[0], ""), ("", in_line[1])) if is_one_side_enough else ():
            if _letters(*pair) >= LEAST_LETTERS_ON_ONE_SIDE:
                yield pair


def _letters(*texts: str) -> int:
    return sum(character.isalnum() for text in texts for character in text)


def stands_in(link: OwnLink, text: str, rules: SiteRules, title: str) -> bool:
    """Is the link in the text, where we put it or wherever its sentence was rewritten to?

    It is not where its words stand without it, even if the text links to its target elsewhere.
    """
    if link.target not in linked_targets(text, rules, title):
        return False
    if find_link(link, text) is not None:
        return True
    return _find(link, link.anchor, text, WIDE) is None


def linked_targets(text: str, rules: SiteRules, title: str) -> set[str]:
    """The pages that the text links to, roughly if it cannot be read safely."""
    try:
        return {link.target for link in read_page(text, rules, title).links}
    except BadWikitext:
        return {
            normalise_title(part.partition("]")[0].partition("|")[0], rules).text
            for part in text.split("[[")[1:]
        }
