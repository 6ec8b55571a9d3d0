"""What became of one target on one page: was it a candidate, where, and what spoke against it.

The scorer's own answer is told. Only where it had no candidate for the target is the page looked at
again, by the same names, for what kept one away.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wikibot.linker.candidates import MANY_MENTIONS, MENTIONS_PER_TARGET
from wikibot.linker.counts import link_targets
from wikibot.linker.explain import Reason, reasons
from wikibot.linker.fallback import Fallback
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.names import Mentions, find_mentions, mentions_of_words
from wikibot.linker.page import Longs, Page, word_keys
from wikibot.linker.ranker import Ranker
from wikibot.linker.score import Scored
from wikibot.wikitext import PageText, SiteRules, read_page
from wikibot.wikitext.sentences import find_tokens

# What keeps a target from being a candidate; the scorer and the policy have names for the rest.
LINKED, INSIDE_LINK, SELDOM_LINKED, ONLY_HERE, NO_PLACE, NO_NAME = (
    "one-link", "inside-link", "seldom-linked", "only-here", "no-place", "no-name",
)  # fmt: skip
LEAST_TELLING = ("comment", "category")  # places that a reader would not call a mention


@dataclass(frozen=True, slots=True)
class Mention:
    """Words that name the target, at wikitext[start:end] in the sentence wikitext[first:last].

    `against` is what keeps a link away from there: a rule's name, an obstacle in the markup, or a
    cause of this module; "" where nothing does.
    """

    start: int
    end: int
    first: int
    last: int
    against: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a target is not proposed; `cause` is "" where it is. The telling mention comes first.

    `rival` is the title that took the words or carries the link over them. `links` of the `mentions`
    pages that use the words link them to the target.
    """

    cause: str
    places: tuple[Mention, ...] = ()
    probability: float | None = None
    reasons: tuple[Reason, ...] = ()
    rival: str = ""
    links: int = 0
    mentions: int = 0


def find_cause(
    text: str,
    rules: SiteRules,
    scored: Scored,
    target: int,
    knowledge: Knowledge,
    ranker: Ranker | Fallback,
) -> Finding:
    """What the scorer did with a target, by its number, on the page that this text is."""
    own = np.flatnonzero(scored.rows.target == target)
    if len(own):
        return _of_candidates(scored, own, knowledge, ranker)
    page = scored.page
    if (found := _linked(page, target, knowledge, rules.link_scope)) is not None:
        return found
    places = _mentions_of(find_mentions(page, knowledge.names), target, knowledge)
    if len(places):
        return _of_mentions(page, places, target, knowledge)
    hidden = list(_hidden(read_page(text, rules, page.title), target, knowledge))
    if hidden:
        hidden.sort(key=lambda place: place.against in LEAST_TELLING)
        return Finding(NO_PLACE, tuple(hidden[:MENTIONS_PER_TARGET]))
    return Finding(NO_NAME)


def _of_candidates(
    scored: Scored, own: Longs, knowledge: Knowledge, ranker: Ranker | Fallback
) -> Finding:
    rows, group = scored.rows, int(scored.rows.group[own[0]])
    chosen, chance = int(scored.row[group]), float(scored.ranked.acceptance[group])
    order = sorted(own.tolist(), key=lambda row: (row != chosen, row))
    spans = [(int(rows.first[row]), int(rows.length[row]), scored.broken[row]) for row in order]
    why = reasons(
        scored.page, chosen, rows, scored.features, knowledge, probability=chance,
        is_fallback=ranker.is_fallback,
    )  # fmt: skip
    rival = int(scored.rival[group])
    return Finding(
        scored.refused[group], tuple(_mention(scored.page, *span) for span in spans), chance, tuple(why),
        _title(knowledge, int(rows.target[scored.row[rival]])) if rival >= 0 else "",
    )  # fmt: skip


def _mention(page: Page, first: int, length: int, against: str) -> Mention:
    start, end = page.sentence_around(first, length)
    return Mention(
        *page.place(first, length), page.offset(start), page.offset(end - 1) + 1, against
    )


def _title(knowledge: Knowledge, number: int) -> str:
    return knowledge.titles.titles[number] if number >= 0 else ""


def _linked(page: Page, target: int, knowledge: Knowledge, scope: str) -> Finding | None:
    """That the page links the target, where one link on a page is enough."""
    at = np.flatnonzero(link_targets(page, knowledge.titles) == target)
    number = knowledge.titles.number
    if any(number.get(title) == target for _, title in page.fixed_links):
        return Finding(LINKED, ())
    if scope != "page" or not len(at):
        return None
    spans = zip(page.links.first[at].tolist(), page.links.last[at].tolist(), strict=True)
    places = [_mention(page, first, last - first, LINKED) for first, last in spans if last > first]
    return Finding(LINKED, tuple(places))


def _mentions_of(found: Mentions, target: int, knowledge: Knowledge) -> Mentions:
    """Only the places that a name of the target has."""
    index, pair = knowledge.names.pairs_of(found.name)
    which = np.unique(index[knowledge.names.target[pair] == target])
    return Mentions(found.first[which], found.length[which], found.name[which])


def _of_mentions(page: Page, places: Mentions, target: int, knowledge: Knowledge) -> Finding:
    """Why no mention in the prose is a candidate: in a link, by a name that nobody links, or linked."""
    causes = [_against(page, places, at, target, knowledge) for at in range(len(places))]
    order = sorted(range(len(places)), key=lambda at: _TELLING.index(causes[at][0]))
    best = order[0]
    shown = [
        _mention(page, int(places.first[at]), int(places.length[at]), causes[at][0])
        for at in order[:MENTIONS_PER_TARGET]
    ]
    name = int(places.name[best])
    links = _links_to(name, target, knowledge)
    used = int(knowledge.counts.name_mentions[name])
    return Finding(causes[best][0], tuple(shown), None, (), causes[best][1], links, used)


# The first of these that holds for any mention is the one to tell.
_TELLING = (SELDOM_LINKED, ONLY_HERE, LINKED, INSIDE_LINK)


def _against(
    page: Page, places: Mentions, at: int, target: int, knowledge: Knowledge
) -> tuple[str, str]:
    """What keeps a mention from being a candidate, and the title linked over it."""
    first, last = int(places.first[at]), int(places.first[at] + places.length[at])
    linked = link_targets(page, knowledge.titles)
    over = np.flatnonzero((page.links.first < last) & (page.links.last > first))
    if len(over):
        title = page.links.target[int(over[0])]
        return (LINKED, "") if linked[over[0]] == target else (INSIDE_LINK, title)
    section = page.column("section")
    here = np.minimum(page.links.first, len(page) - 1)
    if ((linked == target) & (section[here] == section[first])).any():
        return LINKED, ""
    used = int(knowledge.counts.name_mentions[int(places.name[at])])
    return (SELDOM_LINKED if used >= MANY_MENTIONS else ONLY_HERE), ""


def _links_to(name: int, target: int, knowledge: Knowledge) -> int:
    """How many pages link this name to the target."""
    _, pair = knowledge.names.pairs_of(np.array([name]))
    here = knowledge.names.target[pair] == target
    return int(knowledge.counts.pair_links[pair[here]].sum())


def _hidden(page: PageText, target: int, knowledge: Knowledge) -> Iterator[Mention]:
    """Where names of the target stand outside the prose, each with the markup around it."""
    text, tokens = page.text, find_tokens(page.text, 0, len(page.text), page.site.language)
    joins = [True] * len(tokens)
    for at in range(1, len(tokens)):
        joins[at] = _PARTING.isdisjoint(text[tokens[at - 1][1] : tokens[at][0]])
    words = word_keys([text[start:end] for start, end in tokens])
    found = mentions_of_words(words, np.array(joins, dtype=bool), knowledge.names)
    found = _mentions_of(found, target, knowledge)
    for first, length in zip(found.first.tolist(), found.length.tolist(), strict=True):
        start, end = tokens[first][0], tokens[first + length - 1][1]
        line = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        last = len(text) if line[1] < 0 else line[1]
        yield Mention(start, end, line[0], last, page.obstacle(start) or "markup")


_PARTING = frozenset("\n|{}")
