"""What is never proposed, whatever the ranker thinks: short, hard, and the same for links set by hand.

Each rule has a name, by which an operator switches it off (`rules_off`), and says why it refuses. What
a wiki prefers beyond this (links in lists, in quoted titles, after an article) is learned from its
links, not written here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from wikibot.linker.candidates import Candidates
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.names import MOST_WORDS, key_of, without_brackets, words_of
from wikibot.linker.page import (
    APOSTROPHE,
    BLOCK,
    BOLD,
    HYPHEN,
    IN_BRACKETS,
    LISTED,
    PUNCTUATION,
    Bools,
    Longs,
    Page,
)
from wikibot.never_list import NOTHING, NeverList

QUOTED_SHARE = 0.25  # of what is linked outside quotations: a wiki below it does not link in them


@dataclass(frozen=True, slots=True)
class Policy:
    """How strict to be. Limits of 0 are the wiki's own; others only narrow these."""

    min_probability: float = 0.5
    scope: str = "page"  # one link to a target on a "page", or in each "section"
    per_paragraph: int = 0
    per_page: int = 0
    words_per_link: int = 0
    off: frozenset[str] = frozenset()
    never: NeverList = NOTHING
    excluded_templates: frozenset[str] = frozenset()
    excluded_categories: frozenset[str] = frozenset()
    targets: frozenset[str] | None = None  # only these may be linked to
    decided: frozenset[str] = frozenset()  # targets that people have decided for this page
    is_draft: bool = False  # a draft gets every link that passes


@dataclass(frozen=True, slots=True)
class Place:
    """Runs of words on a page that might carry links: candidates, or what a person chose."""

    page: Page
    number: int
    target: Longs
    first: Longs
    length: Longs
    knowledge: Knowledge

    @property
    def last(self) -> Longs:
        """The last word of each."""
        return self.first + self.length - 1

    @classmethod
    def of(cls, page: Page, number: int, rows: Candidates, knowledge: Knowledge) -> Place:
        return cls(page, number, rows.target, rows.first, rows.length, knowledge)


@dataclass(frozen=True, slots=True)
class Rule:
    """`refuses` tells which places must not carry a link."""

    name: str
    says: str
    refuses: Callable[[Place, Policy], Bools]


def _never_listed(place: Place, policy: Policy) -> Bools:
    never, titles = policy.never, place.knowledge.titles.titles
    if place.page.title in never.pages:
        return np.ones(len(place.target), dtype=bool)
    spans = zip(place.target.tolist(), place.first.tolist(), place.length.tolist(), strict=True)
    return np.array(
        [
            titles[target] in never.targets or never.forbids_words(place.page.written(first, length))
            for target, first, length in spans
        ],
        dtype=bool,
    )


def _excluded(place: Place, policy: Policy) -> Bools:
    page = place.page
    left_alone = not policy.excluded_templates.isdisjoint(page.templates)
    left_alone |= not policy.excluded_categories.isdisjoint(page.categories)
    return np.full(len(place.target), left_alone, dtype=bool)


def _has_markup(place: Place, _: Policy) -> Bools:
    """Style, a bracket or the end of a sentence or block inside the words."""
    page, first, last = place.page, place.first, place.last
    same = np.ones(len(first), dtype=bool)
    for name in ("italic", "quote", "sentence"):
        column = page.column(name)
        same &= column[first] == column[last]
    flags = page.column("flags")
    same &= (flags[first] ^ flags[last]) & (BOLD | LISTED) == 0
    opened = np.concatenate([[0], np.cumsum((flags & IN_BRACKETS) > 0)])
    blocks = np.concatenate([[0], np.cumsum(page.column("gap") == BLOCK)])
    same &= (opened[last + 1] == opened[first + 1]) & (blocks[last + 1] == blocks[first + 1])
    return np.asarray(~same)


def _beside_link(place: Place, _: Policy) -> Bools:
    covered, gap = place.page.covered(), place.page.column("gap")
    after = np.minimum(place.last + 1, len(covered) - 1)
    before = covered[np.maximum(place.first - 1, 0)] & (gap[place.first] < PUNCTUATION) & (place.first > 0)  # fmt: skip
    follows = covered[after] & (gap[after] < PUNCTUATION) & (place.last + 1 < len(covered))
    return np.asarray(before | follows)


def _in_compound(place: Place, _: Policy) -> Bools:
    """Joined to a neighbour by a hyphen, or a letter cut off by an apostrophe."""
    gap, length = place.page.column("gap"), place.page.columns[1] - place.page.columns[0]
    after = np.minimum(place.last + 1, len(gap) - 1)
    follows = (gap[after] == HYPHEN) & (place.last + 1 < len(gap))
    cut = (gap[place.first] == APOSTROPHE) & (length[place.first] == 1)
    return np.asarray((gap[place.first] == HYPHEN) | follows | cut)


def _is_possessive(place: Place, _: Policy) -> Bools:
    gap, length = place.page.column("gap"), place.page.columns[1] - place.page.columns[0]
    return np.asarray((gap[place.last] == APOSTROPHE) & (length[place.last] == 1) & (place.length > 1))


def _is_own_name(place: Place, _: Policy) -> Bools:
    """What the page itself is called: its title or a name it gives itself in bold."""
    page, language = place.page, place.knowledge.language
    names = {words_of(name, language) for name in (page.title, without_brackets(page.title), *page.bold_names)}  # fmt: skip
    keys = {key_of(name) for name in names if 0 < len(name) <= MOST_WORDS}
    spans = zip(place.first.tolist(), place.length.tolist(), strict=True)
    return np.array([key_of(page.spelled(first, length)) in keys for first, length in spans], dtype=bool)


def _is_quoted(place: Place, _: Policy) -> Bools:
    """Inside a quotation that holds more than these words, where this wiki does not link there."""
    quote = place.page.column("quote")
    size = np.bincount(quote, minlength=1)
    here = quote[place.first]
    inside = (here > 0) & (size[here] > place.length)
    return np.asarray(inside & ~links_in_quotations(place.knowledge))


def links_in_quotations(knowledge: Knowledge) -> bool:
    """Do this wiki's editors link inside quotations nearly as often as elsewhere?"""
    mentions, links, quoted, quoted_links = knowledge.counts.quotations.tolist()
    if not mentions or not links:
        return False
    return bool((quoted_links + 1) / (quoted + 20) >= QUOTED_SHARE * links / mentions)


RULES: tuple[Rule, ...] = (
    Rule("never-list", "on the never-link list", _never_listed),
    Rule("excluded", "a page with an excluded template or category", _excluded),
    Rule("disambiguation", "the target is a disambiguation page",
         lambda place, _: place.knowledge.texts.is_disambiguation[place.target]),
    Rule("plain-text", "there is markup inside the words", _has_markup),
    Rule("beside-link", "right beside another link", _beside_link),
    Rule("compound", "part of a compound word", _in_compound),
    Rule("possessive", "the ending of a possessive stays outside the link", _is_possessive),
    Rule("own-name", "what the page itself is called", _is_own_name),
    Rule("quotation", "in a quotation, where this wiki does not link", _is_quoted),
)  # fmt: skip

BY_NAME: Mapping[str, Rule] = {rule.name: rule for rule in RULES}


def refused_by(place: Place, policy: Policy) -> list[str]:
    """For each place the name of the first rule that refuses it, "" where none does."""
    found = np.full(len(place.target), "", dtype=object)
    for rule in RULES:
        if rule.name not in policy.off:
            refused = rule.refuses(place, policy) & (found == "")
            found[refused] = rule.name
    return list(found)
