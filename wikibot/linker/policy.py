"""What is never proposed, whatever the ranker thinks: short, hard, and the same for links set by hand.

Each rule has a name, by which an operator switches it off (`rules_off`), and says why it refuses. What
a wiki prefers beyond this (links in lists, in quoted titles, after an article) is learned from its
links, not written here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wikibot.linker.candidates import Candidates
from wikibot.linker.inflection import Words
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.names import without_brackets, words_of
from wikibot.linker.page import (
    APOSTROPHE,
    BLOCK,
    BOLD,
    HYPHEN,
    IN_BRACKETS,
    LISTED,
    PREFORMATTED,
    PUNCTUATION,
    Bools,
    Longs,
    Page,
    word_keys,
)
from wikibot.never_list import NOTHING, NeverList

HABIT_SHARE = 0.05  # of all links: what fewer links do may be an accident
FEW_LINKS = 100  # that show no habit
_ROUND_BRACKETS = re.compile(r"\("), re.compile(r"\)")
_LETTERS, _ENTITY = re.compile(r"\w"), re.compile(r"&#?\w+;")
PLACE_SHARE = 0.25  # of what is linked anywhere: a wiki below it does not link in such places
FEW_MENTIONS = 10  # in preformatted lines, that show no habit


@dataclass(frozen=True, slots=True)
class Policy:
    """How strict to be. Limits of 0 are the wiki's own; others only narrow these.

    `min_probability` is the least expected acceptance, `min_probability_linked` that on pages which
    have links, where it is higher.
    """

    min_probability: float = 0.5
    min_probability_linked: float = 0.0
    scope: str = "page"  # one link to a target on a "page", or in each "section"
    per_paragraph: int = 0
    per_page: int = 0
    words_per_link: int = 0
    off: frozenset[str] = frozenset()
    never: NeverList = NOTHING
    excluded_templates: frozenset[str] = frozenset()
    excluded_categories: frozenset[str] = frozenset()
    excluded_sections: frozenset[str] = frozenset()  # names in lower case
    targets: frozenset[str] | None = None  # only these may be linked to
    decided: frozenset[str] = frozenset()  # targets that people have decided for this page
    is_draft: bool = False  # a draft gets every link that passes

    def least(self, has_links: bool) -> float:
        """The least expected acceptance on a page with links, or without."""
        return max(self.min_probability, self.min_probability_linked * has_links)

    def asking(self, least: float) -> Policy:
        """The same policy with this least acceptance on all pages."""
        return replace(self, min_probability=least, min_probability_linked=0.0)


@dataclass(frozen=True, slots=True)
class Habits:
    """Where this wiki's editors link, though many others do not."""

    in_quotations: bool = False
    beside_links: bool = False
    in_compounds: bool = False
    in_preformatted: bool = False


def habits_of(knowledge: Knowledge) -> Habits:
    """What the wiki's own links show; with few links, nothing."""
    mentions, linked, *places = knowledge.counts.mention_places.tolist()
    quoted, quoted_linked, preformatted, preformatted_linked = places
    enough = PLACE_SHARE * linked / max(1, mentions)
    links, beside, joined = knowledge.counts.habits.tolist()
    return Habits(
        in_quotations=bool(enough and (quoted_linked + 0.5) / (quoted + 5) >= enough),
        beside_links=beside / (links + FEW_LINKS) >= HABIT_SHARE,
        in_compounds=joined / (links + FEW_LINKS) >= HABIT_SHARE,
        in_preformatted=bool(
            enough and preformatted_linked / (preformatted + FEW_MENTIONS) >= enough
        ),
    )


@dataclass(frozen=True, slots=True)
class Places:
    """Runs of words on a page that might carry links: candidates, or what a person chose."""

    page: Page
    first: Longs
    length: Longs
    targets: Sequence[str]  # titles
    is_disambiguation: Bools
    language: str
    habits: Habits  # of the wiki

    @property
    def last(self) -> Longs:
        """The last word of each."""
        return self.first + self.length - 1

    def __len__(self) -> int:
        return len(self.first)

    @classmethod
    def of(cls, page: Page, rows: Candidates, knowledge: Knowledge) -> Places:
        """Where the candidates of a page stand."""
        titles = knowledge.titles.titles
        return cls(
            page, rows.first, rows.length, [titles[target] for target in rows.target.tolist()],
            np.asarray(knowledge.texts.is_disambiguation[rows.target]), knowledge.language,
            habits_of(knowledge),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rule:
    """`refuses` tells which places must not carry a link."""

    name: str
    says: str
    refuses: Callable[[Places, Policy], Bools]


def _never_listed(places: Places, policy: Policy) -> Bools:
    never = policy.never
    if places.page.title in never.pages:
        return np.ones(len(places), dtype=bool)
    spans = zip(places.targets, places.first.tolist(), places.length.tolist(), strict=True)
    return np.array(
        [
            title in never.targets or never.forbids_words(places.page.written(first, length))
            for title, first, length in spans
        ],
        dtype=bool,
    )


def _excluded(places: Places, policy: Policy) -> Bools:
    page = places.page
    left_alone = not policy.excluded_templates.isdisjoint(page.templates)
    left_alone |= not policy.excluded_categories.isdisjoint(page.categories)
    return np.full(len(places), left_alone, dtype=bool)


def _in_excluded_section(places: Places, policy: Policy) -> Bools:
    """In a section of such a name, or in a subsection of it."""
    left_alone, below = [False], 0
    for level, title in places.page.headings:
        if not below or level <= below:
            below = level if title.lower() in policy.excluded_sections else 0
        left_alone.append(below > 0)
    return np.array(left_alone)[places.page.column("section")[places.first]]


def _has_markup(places: Places, _: Policy) -> Bools:
    """Style, a bracket or the end of a sentence or block inside the words."""
    page, first, last = places.page, places.first, places.last
    same = np.ones(len(first), dtype=bool)
    for name in ("italic", "quote", "sentence"):
        column = page.column(name)
        same &= column[first] == column[last]
    flags = page.column("flags")
    same &= (flags[first] ^ flags[last]) & (BOLD | LISTED) == 0
    opened = np.concatenate([[0], np.cumsum((flags & IN_BRACKETS) > 0)])
    blocks = np.concatenate([[0], np.cumsum(page.column("gap") == BLOCK)])
    same &= (opened[last + 1] == opened[first + 1]) & (blocks[last + 1] == blocks[first + 1])
    return np.asarray(
        ~same | _has_loose_bracket(page, first, last) | _has_other_parts(page, first, last)
    )


def _has_loose_bracket(page: Page, first: Longs, last: Longs) -> Bools:
    """A bracket between the words that is opened or closed outside of them."""
    opening, closing = (
        np.array([found.start() for found in pattern.finditer(page.text)], dtype=np.int64)
        for pattern in _ROUND_BRACKETS
    )
    start, end = page.columns[0, first], page.columns[1, last]
    opened, closed = (
        np.searchsorted(marks, end) - np.searchsorted(marks, start) for marks in (opening, closing)
    )
    return np.asarray(opened != closed)


def _has_other_parts(page: Page, first: Longs, last: Longs) -> Bools:
    """Style between the words, or what is no prose: a web address, the page's own name in bold."""
    start, end = page.columns[:2]
    found = np.zeros(len(first), dtype=bool)
    for at in np.flatnonzero(last > first).tolist():
        words = range(first[at] + 1, last[at] + 1)
        between = " ".join(page.text[end[n - 1] : start[n]] for n in words)
        found[at] = "''" in between or _LETTERS.search(_ENTITY.sub("", between)) is not None
    return found


def _beside_link(places: Places, _: Policy) -> Bools:
    covered, gap = places.page.covered(), places.page.column("gap")
    after = np.minimum(places.last + 1, len(covered) - 1)
    before = covered[np.maximum(places.first - 1, 0)] & (gap[places.first] < PUNCTUATION) & (places.first > 0)  # fmt: skip
    follows = covered[after] & (gap[after] < PUNCTUATION) & (places.last + 1 < len(covered))
    return np.asarray((before | follows) & (not places.habits.beside_links))


def _in_compound(places: Places, _: Policy) -> Bools:
    """Joined to a neighbour by a hyphen, or a letter cut off by an apostrophe."""
    gap, length = places.page.column("gap"), places.page.columns[1] - places.page.columns[0]
    after = np.minimum(places.last + 1, len(gap) - 1)
    follows = (gap[after] == HYPHEN) & (places.last + 1 < len(gap))
    cut = (gap[places.first] == APOSTROPHE) & (length[places.first] == 1)
    joined = ((gap[places.first] == HYPHEN) | follows) & (not places.habits.in_compounds)
    return np.asarray(joined | cut)


def _is_possessive(places: Places, _: Policy) -> Bools:
    gap, length = places.page.column("gap"), places.page.columns[1] - places.page.columns[0]
    return np.asarray(
        (gap[places.last] == APOSTROPHE) & (length[places.last] == 1) & (places.length > 1)
    )


def _is_own_name(places: Places, _: Policy) -> Bools:
    """What the page itself is called, or a part of it: its title or a name it gives itself in bold.

    A target whose title differs in letter case alone is the same subject.
    """
    page = places.page
    names = {words_of(name, places.language) for name in (page.title, without_brackets(page.title), *page.bold_names)}  # fmt: skip
    title = page.title.casefold()
    same = np.array([target.casefold() == title for target in places.targets], dtype=bool)
    return same | _inside_one(places, names)


def _inside_one(places: Places, names: Collection[Words]) -> Bools:
    """Which places are one of these names, or stand inside one that is written out on the page."""
    words, first, last = places.page.words, places.first, places.last
    found = np.zeros(len(places), dtype=bool)
    for name in names:
        if not 0 < len(name) <= len(words):
            continue
        runs = np.lib.stride_tricks.sliding_window_view(words, len(name))
        starts = np.flatnonzero((runs == word_keys(name)).all(axis=1))
        at = np.searchsorted(starts, first, side="right") - 1
        begun = starts[np.maximum(at, 0)] if len(starts) else first
        found |= (at >= 0) & (last < begun + len(name))
    return found


def _is_linked_elsewhere(places: Places, policy: Policy) -> Bools:
    """The same words carry a link elsewhere on the page, in prose or a heading, to another title."""
    page = places.page
    if policy.scope != "page":
        return np.zeros(len(places), dtype=bool)
    links = zip(page.links.first.tolist(), page.links.last.tolist(), strict=True)
    linked = {page.written(a, b - a).casefold() for a, b in links if b > a}
    linked |= {words.strip().casefold() for words, _ in page.fixed_links}
    spans = zip(places.first.tolist(), places.length.tolist(), strict=True)
    return np.array([page.written(a, n).casefold() in linked for a, n in spans], dtype=bool)


def _is_quoted(places: Places, _: Policy) -> Bools:
    """Inside a quotation that holds more than these words, where this wiki does not link there."""
    quote = places.page.column("quote")
    size = np.bincount(quote, minlength=1)
    here = quote[places.first]
    inside = (here > 0) & (size[here] > places.length)
    return np.asarray(inside & (not places.habits.in_quotations))


def _is_preformatted(places: Places, _: Policy) -> Bools:
    """In a line that starts with a space and is shown as typed, where this wiki does not link."""
    preformatted = (places.page.column("flags")[places.first] & PREFORMATTED) > 0
    return np.asarray(preformatted & (not places.habits.in_preformatted))


RULES: tuple[Rule, ...] = (
    Rule("never-list", "on the never-link list", _never_listed),
    Rule("excluded", "a page with an excluded template or category", _excluded),
    Rule("excluded-section", "in an excluded section", _in_excluded_section),
    Rule("disambiguation", "the target is a disambiguation page",
         lambda places, _: places.is_disambiguation),
    Rule("plain-text", "there is markup inside the words", _has_markup),
    Rule("beside-link", "right beside another link", _beside_link),
    Rule("compound", "part of a compound word", _in_compound),
    Rule("possessive", "the ending of a possessive stays outside the link", _is_possessive),
    Rule("own-name", "what the page itself is called", _is_own_name),
    Rule("linked-words", "the same words carry another link on this page", _is_linked_elsewhere),
    Rule("quotation", "in a quotation, where this wiki does not link", _is_quoted),
    Rule("preformatted", "in a preformatted line, where this wiki does not link", _is_preformatted),
)  # fmt: skip

BY_NAME: Mapping[str, Rule] = {rule.name: rule for rule in RULES}


def refused_by(places: Places, policy: Policy) -> list[str]:
    """For each place the name of the first rule that refuses it, "" where none does."""
    found = np.full(len(places), "", dtype=object)
    for rule in RULES:
        if rule.name not in policy.off:
            refused = rule.refuses(places, policy) & (found == "")
            found[refused] = rule.name
    return list(found)
