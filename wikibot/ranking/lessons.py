"""Lessons for the ranker: links of the wiki hidden and to be found again, and people's decisions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wikibot.ranking.candidates import Candidates, find_candidates, is_free, standing_pairs
from wikibot.ranking.features import Features, describe, with_links_standing
from wikibot.ranking.knowledge import Knowledge, learn, member
from wikibot.ranking.mentions import Mentions, find_mentions
from wikibot.ranking.names import Names, find_names
from wikibot.ranking.pointing import with_pointed
from wikibot.ranking.ranker import Lessons
from wikibot.ranking.scattered import ScatteredTitles, with_scattered
from wikibot.ranking.scenes import Scenes
from wikibot.ranking.surface import spans_of
from wikibot.ranking.topics import TopicReader
from wikibot.ranking.wiki import Bools, Floats, Longs, Wiki

# Shares of a page's targets that are hidden, beside all of them: a wiki in use has most links.
SITUATIONS = (0.5, 0.15)
ENOUGH = 50_000  # rows of one situation that are many
# Pages without any link come in groups: as many as one in so many are bare at the same time.
GROUPS = 5
PEOPLE = 3.0  # the weight of what a person decided, beside a link that somebody once made


@dataclass(frozen=True, slots=True)
class Study:
    """A wiki with all that is worked out of it once, from the links of the `known` pages."""

    wiki: Wiki
    names: Names
    mentions: Mentions
    knowledge: Knowledge
    topics: TopicReader | None
    scattered: ScatteredTitles


def study(wiki: Wiki, known: Bools, topics: TopicReader | None) -> Study:
    """The wiki as the links of the `known` pages show it; links that lead out are always known."""
    names = find_names(wiki, known[wiki.links.page] | (wiki.links.target < 0))
    mentions = find_mentions(wiki, names)
    knowledge = learn(wiki, names, mentions, known)
    return Study(wiki, names, mentions, knowledge, topics, ScatteredTitles(wiki))


def candidates_of(studied: Study, hidden: Bools, pages: Bools) -> tuple[Candidates, Features]:
    """The candidates on some pages, with their features, when these links are hidden."""
    wiki, names, knowledge = studied.wiki, studied.names, studied.knowledge
    rows = find_candidates(wiki, names, studied.mentions, knowledge, hidden=hidden, pages=pages)
    rows = with_scattered(wiki, studied.scattered, rows, hidden, pages)
    if studied.topics is not None:
        rows = with_pointed(wiki, studied.topics, rows, hidden, pages)
    return rows, describe(wiki, names, knowledge, rows, hidden, studied.topics)


def all_hidden(wiki: Wiki) -> Bools:
    """Every link between pages of the wiki is hidden; links that lead out stand."""
    return wiki.links.target >= 0


def some_hidden(wiki: Wiki, share: float) -> Bools:
    """A share of each page's targets is hidden, with all links to them; always the same ones."""
    code = wiki.code(wiki.links.page, wiki.links.target)
    mixed = (code * 2654435761 + int(share * 1000)) % 2**32 // 256 % 1000
    return (wiki.links.target >= 0) & (mixed < share * 1000)


def lessons_from_links(studied: Study, pages: Bools) -> Lessons:
    """Links of the pages to be found again, in each of the situations."""
    wiki = studied.wiki
    rows, features = candidates_of(studied, all_hidden(wiki), pages)
    parts = [_bare_lessons(studied, pages)]
    for share in SITUATIONS:
        some = some_hidden(wiki, share)
        keep = _still_candidates(wiki, rows, some) & _links_stand(wiki, some)[rows.page]
        if len(rows) > ENOUGH:  # a third of the pages is plenty for the other situations
            keep &= rows.page % 3 == 0
        part = rows.chosen(keep)
        kept = features.chosen(keep)
        new = with_links_standing(wiki, studied.knowledge, part, some, kept, studied.topics)
        parts.append(_labelled(wiki, part, new, hidden=share))
    return joined(parts, wiki.size)


def _bare_lessons(studied: Study, pages: Bools) -> Lessons:
    """Links to be found again on pages that have none, when none of a group of pages has any.

    Were all other pages as they are, the ranker would learn to go by those that link back or
    link the like, and be lost where these are bare too, as new pages are.
    """
    wiki, known = studied.wiki, studied.knowledge.known
    groups = [pages & (np.arange(wiki.size) % GROUPS == number) for number in range(GROUPS)]
    parts = []
    for group in groups:
        if group.any():
            without = study(wiki, known & ~group, studied.topics)
            parts.append(_labelled(wiki, *candidates_of(without, all_hidden(wiki), group)))
    return joined(parts, 0)


def _still_candidates(wiki: Wiki, rows: Candidates, hidden: Bools) -> Bools:
    places = Mentions(rows.first, rows.length, rows.name)
    return is_free(wiki, places, hidden) & ~member(rows.code, standing_pairs(wiki, hidden))


def _links_stand(wiki: Wiki, hidden: Bools) -> Bools:
    """Pages with a link that stands; the others are as if all were hidden, and count once."""
    standing = wiki.links.page[~hidden & (wiki.links.target >= 0)]
    return np.bincount(standing, minlength=wiki.size) > 0


def _labelled(wiki: Wiki, rows: Candidates, features: Features, *, hidden: float = 1) -> Lessons:
    is_linked, is_place = truth(wiki, rows)
    counts = ~only_elsewhere(wiki, rows)
    return Lessons(
        features, rows.code, rows.page, rows.page, spans_of(rows), is_linked, is_place,
        counts.astype(np.float32), np.full(len(rows), hidden, dtype=np.float32),
    )  # fmt: skip


def truth(wiki: Wiki, rows: Candidates) -> tuple[Bools, Bools]:
    """Which candidates' pages link the target in prose, and which do so at this very place."""
    is_linked = member(rows.code, wiki.linked_pairs())
    link = wiki.link[rows.first]
    inside = link >= 0
    is_place = np.zeros(len(rows), dtype=bool)
    at = link[inside]
    links = wiki.links
    is_place[inside] = (
        (links.target[at] == rows.target[inside])
        & (links.first[at] == rows.first[inside])
        & (links.last[at] == rows.first[inside] + rows.length[inside])
    )
    return is_linked, is_place


def only_elsewhere(wiki: Wiki, rows: Candidates) -> Bools:
    """Targets that the page links only where no link may be proposed: they count neither way."""
    return member(rows.code, wiki.elsewhere) & ~member(rows.code, wiki.linked_pairs())


def joined(parts: list[Lessons], size: int) -> Lessons:
    """All lessons in one; pages, pairs and spans of different parts stay apart.

    `size` is the number of pages: the code of a part's pair, modulo its square, is the pair. It is
    0 where no page is in two parts, which need not be kept apart then.
    """
    names = parts[0].features.names
    ordered = [_in_columns(part.features, names) for part in parts]
    spans = 1 + max(int(part.span.max(initial=0)) for part in parts)
    steps = {"code": size * size, "sheet": size, "span": spans}
    columns: dict[str, Any] = {}
    for name in ("code", "page", "sheet", "span", "is_linked", "is_place", "weight", "hidden"):
        values = [getattr(part, name) for part in parts]
        if name in steps:
            values = [value + number * steps[name] for number, value in enumerate(values)]
        columns[name] = np.concatenate(values)
    likeness = parts[0].features.likeness
    scenes = [part.features.scenes for part in parts if part.features.scenes is not None]
    features = Features(
        names, np.concatenate(ordered), likeness, Scenes.joined(scenes) if scenes else None
    )
    return Lessons(features, **columns)


def _in_columns(features: Features, names: tuple[str, ...]) -> Floats:
    if features.names == names:
        return features.values
    return features.values[:, [features.names.index(name) for name in names]]


def weighed_by_people(lessons: Lessons, wiki: Wiki, agreed: Longs, refused: Longs) -> Lessons:
    """The lessons, in which pairs that people agreed to are links, and those refused weigh more."""
    pair = lessons.code % (wiki.size * wiki.size)
    yes, no = member(pair, agreed), member(pair, refused)
    weight = lessons.weight.copy()
    weight[yes] = PEOPLE
    weight[no] = PEOPLE
    is_linked = (lessons.is_linked | yes) & ~no
    hidden = np.where(yes, np.float32(1), lessons.hidden)  # no such pair stood anywhere
    return replace(lessons, is_linked=is_linked, weight=weight, hidden=hidden)
