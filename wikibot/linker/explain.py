"""Why a link is proposed: message ids with arguments.

Ids and arguments are stored, so that a page in another language can say the same. Every reason names
evidence that a person can check, and none stands against the probability beside it: where evidence
points the other way, what outweighs it is said too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from wikibot.linker.candidates import Candidates
from wikibot.linker.features import Features
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.names import BOLD_NAME, INFLECTED, REDIRECT, SIMILAR, SPLIT, STRIPPED, TITLE
from wikibot.linker.page import Page, word_keys
from wikibot.message import message

Reason = dict[str, Any]

# The arguments of each reason in the order of its text, `reason-…` in the catalogue.
PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "linked-elsewhere": ("anchor", "links", "mentions"),
    "linked-on-the-other": ("anchor",),
    "linked-on-both": ("anchor",),
    "linked-on-all": ("anchor", "mentions"),
    "linked-on-some": ("links", "anchor"),
    "linked-on-one": ("anchor",),
    "is-title": ("anchor",),
    "is-redirect": ("anchor",),
    "is-bold-name": ("anchor",),
    "is-form": ("anchor", "title"),
    "is-scattered": ("title",),
    "is-like-name": ("anchor",),
    "in-box": (),
    "links-back": (),
    "linked-together": (),
    "linked-by-both": ("pages",),
    "same-category": ("category",),
    "shares-words": ("words",),
    "beside-link": ("title",),
    "alike": (),
    "chosen-by-reviewer": (),
    "few-links": (),
    # What speaks against a link whose other reasons would promise more than its probability.
    "but-well-linked": ("links", "usual"),
    "but-never-linked": ("times",),
    "but-other-meaning": ("anchor", "title"),
    "but-box-links": (),
    # Reasons of earlier versions, which may still be in a queue.
    "no-name": ("anchor",),
    "shared-topics": ("topics",),
}
OFTEN_LINKED_TOGETHER = 0.2  # cosine of the pages that link either
LIKE_TITLE = 0.5  # likeness by runs of three letters: less is a form of another name
LIKELY = 0.5  # from this probability on, a share of links below SMALL_SHARE would say otherwise
SMALL_SHARE = 0.3
VERY_LIKELY = 0.75  # below this probability, a share from LARGE_SHARE on would say otherwise
LARGE_SHARE = 0.65
RARE_CATEGORY = 1.4  # least weight of a category that tells something: one page in seven has it
OFTEN_NAMED = 3  # mentions on a page
MOST_REASONS = 3  # in favour


def reason(name: str, **arguments: Any) -> Reason:
    """A reason as it is stored."""
    return {"id": name, "args": arguments}


def reasons(
    page: Page,
    row: int,
    rows: Candidates,
    features: Features,
    knowledge: Knowledge,
    *,
    probability: float,
    is_fallback: bool = False,
) -> list[Reason]:
    """Why this candidate: the name first, then what relates the two pages, then what is against it."""
    against = _against(page, row, rows, features, knowledge, probability)
    found = _name(page, row, rows, knowledge, probability, is_outweighed=bool(against))
    found += _relations(page, row, rows, features, knowledge)
    return [*([reason("few-links")] if is_fallback else []), *found[:MOST_REASONS], *against]


def _share(row: int, rows: Candidates) -> float:
    links = int(rows.pair_links[row])
    return links / max(1, links, int(rows.name_mentions[row]))


def _name(
    page: Page,
    row: int,
    rows: Candidates,
    knowledge: Knowledge,
    probability: float,
    *,
    is_outweighed: bool,
) -> list[Reason]:
    """How the words came to mean the target.

    A share of links that would promise more or less than the probability is given as a number of
    pages, unless it is said what outweighs it.
    """
    anchor = page.written(int(rows.first[row]), int(rows.length[row]))
    links, share = int(rows.pair_links[row]), _share(row, rows)
    given = _given_name(anchor, row, rows, knowledge)
    if not links:
        return given
    promises_less = share < SMALL_SHARE and probability >= LIKELY
    promises_more = share >= LARGE_SHARE and probability < VERY_LIKELY
    if promises_less or (promises_more and not is_outweighed):
        return [*given, _linked_on_some(anchor, links)]
    linked = linked_on(anchor, links, max(int(rows.name_mentions[row]), links))
    return [linked] if share >= LARGE_SHARE else [linked, *given]


def _given_name(anchor: str, row: int, rows: Candidates, knowledge: Knowledge) -> list[Reason]:
    kind, title = int(rows.kind[row]), knowledge.titles.titles[int(rows.target[row])]
    if kind & (TITLE | STRIPPED):
        return [reason("is-title", anchor=anchor)]
    if kind & REDIRECT:
        return [reason("is-redirect", anchor=anchor)]
    if kind & BOLD_NAME:
        return [reason("is-bold-name", anchor=anchor)]
    if kind & (INFLECTED | SIMILAR):
        if knowledge.names.likeness[rows.pair[row]] < LIKE_TITLE:
            return [reason("is-like-name", anchor=anchor)]
        return [reason("is-form", anchor=anchor, title=title)]
    return [reason("is-scattered", title=title)] if kind & SPLIT else []


def linked_on(anchor: str, links: int, mentions: int) -> Reason:
    """That so many of the other pages which mention the anchor link it to the target."""
    if mentions == 1:
        return reason("linked-on-the-other", anchor=anchor)
    if links == mentions:
        name = "linked-on-both" if mentions == 2 else "linked-on-all"
        return reason(name, anchor=anchor, mentions=mentions)
    return reason("linked-elsewhere", anchor=anchor, links=links, mentions=mentions)


def _linked_on_some(anchor: str, links: int) -> Reason:
    if links == 1:
        return reason("linked-on-one", anchor=anchor)
    return reason("linked-on-some", anchor=anchor, links=links)


def _relations(
    page: Page, row: int, rows: Candidates, features: Features, knowledge: Knowledge
) -> Iterator[Reason]:
    """What relates page and target, beside the name."""
    if features["in_box"][row]:
        yield reason("in-box")
    if features["links_back"][row] > 0:
        yield reason("links-back")
    elif features["linked_together"][row] > OFTEN_LINKED_TOGETHER:
        yield _linked_by_both(knowledge.number_of(page.title), int(rows.target[row]), knowledge)
    category = _shared_category(page, int(rows.target[row]), knowledge)
    if category:
        yield reason("same-category", category=category)


def _linked_by_both(number: int, target: int, knowledge: Knowledge) -> Reason:
    """How many pages link both, where all links are known and not a sample of them."""
    shared = len(np.intersect1d(knowledge.in_links[number][0], knowledge.in_links[target][0]))
    if shared < 2 or min(knowledge.sample[number], knowledge.sample[target]) < 1:
        return reason("linked-together")
    return reason("linked-by-both", pages=shared)


def _shared_category(page: Page, target: int, knowledge: Knowledge) -> str:
    """The rarest category that both are in, "" where it says little."""
    texts = knowledge.texts
    if not page.categories or not len(texts.category_keys):
        return ""
    keys = word_keys(page.categories)
    at = np.minimum(np.searchsorted(texts.category_keys, keys), len(texts.category_keys) - 1)
    shared = (texts.category_keys[at] == keys) & np.isin(at, texts.categories[target][0])
    weight = np.where(shared, texts.category_idf[at], 0)
    best = int(np.argmax(weight))
    return page.categories[best] if weight[best] >= RARE_CATEGORY else ""


def _against(
    page: Page,
    row: int,
    rows: Candidates,
    features: Features,
    knowledge: Knowledge,
    probability: float,
) -> list[Reason]:
    """What speaks against a link by words that are nearly always linked, where it is not very likely."""
    if probability >= VERY_LIKELY or _share(row, rows) < LARGE_SHARE:
        return []
    times = int(rows.count[row])
    links = sum(title in knowledge.titles.number for title in page.links.target)
    usual = round(len(page) * knowledge.links_per_word)
    if features["box_link"][row] or features["list_link"][row]:
        return [reason("but-box-links")]
    if links >= OFTEN_NAMED and times >= OFTEN_NAMED:
        return [reason("but-never-linked", times=times)]
    if links > usual:
        return [reason("but-well-linked", links=links, usual=usual)]
    others = np.flatnonzero((rows.span == rows.span[row]) & (rows.target != rows.target[row]))
    if not len(others):
        return []
    best = others[np.argmax(rows.pair_links[others])]
    anchor = page.written(int(rows.first[row]), int(rows.length[row]))
    title = knowledge.titles.titles[int(rows.target[best])]
    return [reason("but-other-meaning", anchor=anchor, title=title)]


def in_english(found: Sequence[Reason]) -> list[str]:
    """Each reason as a clause; an id that is not known is given as it is."""
    return [_clause(one) for one in found]


def _clause(one: Reason) -> str:
    name = one["id"]
    return message(f"reason-{name}", *reason_params(one)) if name in PARAMETERS else name


def reason_params(one: Reason) -> list[str]:
    """What a reason names, in the order of its text; KeyError where something is missing."""
    arguments = one.get("args") or {}
    return [_shown(arguments[name]) for name in PARAMETERS[one["id"]]]


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def sentence(found: Sequence[Reason]) -> str:
    """All reasons in one sentence."""
    clauses = "; ".join(in_english(found))
    return clauses[:1].upper() + clauses[1:] + "." if clauses else ""
