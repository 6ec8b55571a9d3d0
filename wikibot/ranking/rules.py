"""What a style guide forbids: one small rule each, named, and switched off by its name.

The defaults follow Wikipedia's guideline on linking. That a page is not linked to itself, that a
target is linked once, and that red links are never made, needs no rule: such candidates are not
even looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from wikibot.never_list import NOTHING, NeverList
from wikibot.ranking.signs import Signs
from wikibot.ranking.wiki import Bools, Wiki

SURE = 0.5  # the probability that is asked of what is no established proper name
SURER = 0.7  # and of a name by which others are linked too


@dataclass(frozen=True, slots=True)
class Options:
    """How strict to be; `off` names the rules that are switched off."""

    min_probability: float = 0.1
    scope: str = "page"  # link the first mention of the "page", or of each "section"
    per_paragraph: int = 3
    per_page: int = 10
    words_per_link: int = 120
    off: frozenset[str] = frozenset()
    never: NeverList = NOTHING
    excluded_templates: frozenset[str] = frozenset()
    excluded_categories: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Seen:
    """What a rule looks at: the signs, the wiki, the options, and the anchors as written."""

    signs: Signs
    wiki: Wiki
    options: Options
    anchors: tuple[str, ...]


class Rule(NamedTuple):
    """`refuses` tells which places are no places for a link."""

    name: str
    says: str
    refuses: Callable[[Seen], Bools]


def _never_listed(seen: Seen) -> Bools:
    never = seen.options.never
    by_word = np.array([never.forbids_words(anchor) for anchor in seen.anchors], dtype=bool)
    return (
        by_word
        | _titled(seen, seen.signs.target, never.targets)
        | _titled(seen, seen.signs.page, never.pages)
    )


def _titled(seen: Seen, pages: np.ndarray, titles: frozenset[str]) -> Bools:
    listed = np.array([title in titles for title in seen.wiki.titles], dtype=bool)
    return np.asarray(listed[pages])


def _excluded(seen: Seen) -> Bools:
    """Pages with a template, or in a category, that is left alone."""
    options = seen.options
    left_alone = [
        not options.excluded_templates.isdisjoint(page.templates)
        or not options.excluded_categories.isdisjoint(page.categories)
        for page in seen.wiki.pages
    ]
    return np.asarray(np.array(left_alone, dtype=bool)[seen.signs.page])


RULES: tuple[Rule, ...] = (
    Rule("never-list", "on the never-link list", _never_listed),
    Rule("excluded", "a page with an excluded template or category", _excluded),
    Rule("disambiguation", "the target is a disambiguation page",
         lambda seen: seen.signs.target_is_disambiguation),
    Rule("plain-text", "there is markup inside the anchor", lambda seen: ~seen.signs.is_plain),
    Rule("number", "a number is no anchor", lambda seen: ~seen.signs.has_letters),
    Rule("date", "the target is a date, a year or a decade", lambda seen: seen.signs.target_is_date),
    Rule("unit", "too short for a name, or what a number counts",
         lambda seen: seen.signs.is_lower & (seen.signs.is_short | seen.signs.after_number)),
    Rule("beside-link", "right beside another link", lambda seen: seen.signs.link_beside),
    Rule("hyphen", "part of a compound word", lambda seen: seen.signs.hyphen_around),
    Rule("longer-title", "part of a longer title in italics", lambda seen: seen.signs.italic_more > 0),
    Rule("italic-title", "in italics a name is the title of a work",
         lambda seen: (seen.signs.italic_more == 0) & ~seen.signs.italic_target),
    Rule("quotation", "in quotation marks",
         lambda seen: (seen.signs.quote_more >= 0) | seen.signs.after_quote),
    Rule("bold", "a bold name is the page's own", lambda seen: seen.signs.is_bold),
    Rule("longer-name", "part of a longer name",
         lambda seen: ~seen.signs.is_lower & (seen.signs.name_before | seen.signs.name_after)),
    Rule("own-name", "what the page itself is called", lambda seen: seen.signs.is_own_name),
    Rule("possessive", "the ending of a possessive stays outside the link",
         lambda seen: seen.signs.is_possessive),
    Rule("like-name", "only like a name of the target", lambda seen: seen.signs.is_guess),
    Rule("hearsay", "hardly anybody calls the target so", lambda seen: seen.signs.is_hearsay),
    Rule("longest-name", "part of a longer name of another page",
         lambda seen: seen.signs.inside_longer),
    Rule("compound", "may be part of a longer term",
         lambda seen: seen.signs.is_lower & seen.signs.in_compound),
    Rule("bearer-in-brackets", "brackets after it name another page",
         lambda seen: seen.signs.named_in_brackets),
    Rule("alias-of-link", "it tells what the page of a link before it is called",
         lambda seen: seen.signs.alias_of_link),
    Rule("one-of-many", "one of those that bear the name, not the target itself",
         lambda seen: seen.signs.is_name & ~seen.signs.is_lower & seen.signs.one_of_many),
    Rule("named-after", "a thing named after the target",
         lambda seen: seen.signs.is_name & ~seen.signs.is_lower & seen.signs.before_noun),
    Rule("linked-aside", "the page links it in a box, a table, a caption or a note",
         lambda seen: seen.signs.linked_aside & (seen.options.scope == "page")),
    Rule("linked-otherwise", "the page links these words to another page",
         lambda seen: seen.signs.linked_otherwise),
    Rule("lower-case", "an everyday word where the name has a capital",
         lambda seen: seen.signs.is_lower & seen.signs.is_name),
    Rule("capitals", "all in capitals, as the name is not",
         lambda seen: seen.signs.is_shouted & ~seen.signs.is_short),
    Rule("everyday-word", "often mentioned, seldom linked",
         lambda seen: (seen.signs.mentions >= 10) & (seen.signs.links < 0.1 * seen.signs.mentions)),
    Rule("unestablished", "no established proper name, and not probable enough for that",
         lambda seen: seen.signs.is_unestablished & (seen.signs.probability < SURE)),
    Rule("shared-name", "others are linked by this name too, and it is not probable enough for that",
         lambda seen: seen.signs.is_shared & (seen.signs.probability < SURER)),
    Rule("new-form", "a form of a name, where names have but one",
         lambda seen: seen.signs.is_name & ~seen.signs.is_lower & seen.signs.is_new_form),
    Rule("out-of-place", "page and target are far apart in the net of links",
         lambda seen: seen.signs.is_out_of_place),
    Rule("stranger", "the page has little in common with the target", lambda seen: seen.signs.is_stranger),
    Rule("several-bearers", "the words may as well mean another page",
         lambda seen: seen.signs.rival > 0.3 * seen.signs.probability),
)  # fmt: skip

BY_NAME: Mapping[str, Rule] = {rule.name: rule for rule in RULES}


def allowed(seen: Seen) -> Bools:
    """Which places no rule refuses."""
    keep = seen.signs.probability >= seen.options.min_probability
    for rule in RULES:
        if rule.name not in seen.options.off:
            keep = keep & ~rule.refuses(seen)
    return np.asarray(keep)


def first_allowed(signs: Signs, keep: Bools, scope: str) -> Bools:
    """Of the allowed places of a target on a page (or in a section of it), only the first.

    Of several sections the first as well: the queue holds a pair of pages once.
    """
    if scope == "section":
        keep = keep & (signs.section_rank == 0)
    code = signs.page * (int(signs.target.max(initial=0)) + 1) + signs.target
    taken = np.zeros(len(signs), dtype=bool)
    allowed_places = np.flatnonzero(keep)
    _, first = np.unique(code[allowed_places], return_index=True)
    taken[allowed_places[first]] = True
    return taken


def within_limits(signs: Signs, words: np.ndarray, options: Options) -> Bools:
    """The most probable places of each page that fit: so many a paragraph, a page, and by length.

    `words` is the number of words of each page of the wiki.
    """
    keep = np.zeros(len(signs), dtype=bool)
    in_page: dict[int, int] = {}
    in_paragraph: dict[int, int] = {}
    for index in np.argsort(-signs.probability, kind="stable").tolist():
        page, paragraph = int(signs.page[index]), int(signs.paragraph[index])
        room = min(options.per_page, max(1, int(words[page]) // options.words_per_link))
        if in_page.get(page, 0) < room and in_paragraph.get(paragraph, 0) < options.per_paragraph:
            keep[index] = True
            in_page[page] = in_page.get(page, 0) + 1
            in_paragraph[paragraph] = in_paragraph.get(paragraph, 0) + 1
    return keep
