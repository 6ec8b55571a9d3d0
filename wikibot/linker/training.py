"""Knowledge and ranker learned from pages: links are hidden, and are to be found again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wikibot.engine import map_pages
from wikibot.linker.candidates import Candidates, member
from wikibot.linker.counts import PageCounts, Parts, count_pages, link_targets
from wikibot.linker.fallback import Fallback
from wikibot.linker.features import Features, describe
from wikibot.linker.knowledge import Knowledge, collect_texts
from wikibot.linker.names import NameCounts, Titles, find_mentions, find_names
from wikibot.linker.page import Bools, Longs, Page
from wikibot.linker.ranker import FEWEST_LINKS, Ranker, TrainingRows, fit, state_of
from wikibot.linker.topics import TopicTables
from wikibot.message import message
from wikibot.steps import Step, Tell, silent, told

# Shares of a page's targets that are hidden, beside all of them: a wiki in use has most links.
HIDDEN_SHARES = (0.5, 0.15)
ENOUGH_ROWS = 100_000  # of one kind of variant
MOST_PAGES = 20_000  # that rows are taken from
MOST_LINKED_ROWS = 150_000  # of one kind of variant with links, or so
GROUPS = 5  # as many pages as one in so many have no links at the same time
DECISION_WEIGHT = 3.0  # of what a person decided, beside a link that somebody once made


@dataclass(frozen=True, slots=True)
class Decisions:
    """(page, target) by number: pairs that people agreed to, and those they refused."""

    agreed: frozenset[tuple[int, int]] = frozenset()
    refused: frozenset[tuple[int, int]] = frozenset()

    def of(self, page: int, targets: Longs) -> tuple[Bools, Bools]:
        """Which of these targets people agreed to on the page, and which they refused."""
        agreed, refused = (
            np.array([(page, target) in pairs for target in targets.tolist()], dtype=bool)
            for pairs in (self.agreed, self.refused)
        )
        return agreed, refused

    @property
    def pages(self) -> frozenset[int]:
        """The pages that something was decided on."""
        return frozenset(page for page, _ in (*self.agreed, *self.refused))


def learn_knowledge(
    pages: Sequence[Page],
    redirects: Mapping[str, str],
    *,
    known: Bools | None = None,
    topics: TopicTables | None = None,
    language: str = "",
    tell: Tell = silent,
) -> tuple[Knowledge, Parts]:
    """What the pages teach, and the part of each; only links of the `known` pages count."""
    known = np.ones(len(pages), dtype=bool) if known is None else known
    names_seen, own_titles, is_disambiguation = NameCounts(), [], []
    every = told(pages, message("step-collecting-names"), len(pages), tell)
    for page, links in zip(every, known.tolist(), strict=True):
        own_titles.append(page.title)
        is_disambiguation.append(page.is_disambiguation)
        names_seen.add(page, links=links)
    titles = Titles.of(own_titles, redirects)
    names = find_names(titles, names_seen, is_disambiguation, language)
    names_seen.anchors.clear()  # from here on, words alone are needed
    texts = collect_texts(pages, titles, names, names_seen, topics, language)
    tell(Step(message("step-counting-names")))
    counts, parts = count_pages(pages, known, names, titles)
    return Knowledge.build(titles, names, counts, texts, topics, language), parts


def learn_ranker(
    pages: Sequence[Page],
    knowledge: Knowledge,
    parts: Parts,
    decisions: Decisions = Decisions(),  # noqa: B008
    *,
    seed: int = 0,
    tell: Tell = silent,
) -> Ranker | Fallback:
    """A ranker learned from the links of the counted pages; by rules of thumb where they are too few."""
    if int(knowledge.counts.target_links.sum()) < FEWEST_LINKS:
        return Fallback()
    tell(Step(message("step-hiding-links")))
    rows = training_rows(pages, knowledge, parts, decisions)
    return fit(rows, knowledge, seed=seed, tell=tell)


def training_rows(
    pages: Sequence[Page],
    knowledge: Knowledge,
    parts: Parts,
    decisions: Decisions,
) -> TrainingRows:
    """Candidates of a sample of pages with all, half, or a seventh of their links hidden."""
    found: list[TrainingRows] = []
    for group in _groups(parts.counted):
        found += _bare_rows(pages, group, knowledge, parts, decisions)
    rows = sum(len(one.page) for one in found)
    counted = _thinned(parts.counted, rows, knowledge)
    for share in HIDDEN_SHARES:

        def linked(number: int, hidden_share: float = share) -> list[TrainingRows]:
            page = pages[number]
            hidden = some_hidden(page, knowledge, hidden_share)
            if not hidden.any() or not (link_targets(page, knowledge.titles)[~hidden] >= 0).any():
                return []
            shown = page.hide(hidden)
            return _variant(page, shown, number, knowledge, parts[number], decisions, hidden_share)

        found += _collected(linked, counted)

    def reviewed(number: int) -> list[TrainingRows]:
        return _as_it_is(pages[number], number, knowledge, parts[number], decisions)

    decided = decisions.pages
    found += _collected(reviewed, [number for number in parts.counted if number in decided])
    return TrainingRows.joined(found)


def _bare_rows(
    pages: Sequence[Page],
    group: list[int],
    knowledge: Knowledge,
    parts: Parts,
    decisions: Decisions,
) -> list[TrainingRows]:
    """Candidates of some pages of a group, all of whose links are hidden at the same time.

    Were all other pages as they are, the ranker would learn to go by those that link back, and be lost
    where these have no links either, as new pages do.
    """
    without = knowledge.minus(parts.of(group))

    def bare(number: int) -> list[TrainingRows]:
        page = pages[number]
        shown = page.hide(link_targets(page, without.titles) >= 0)
        return _variant(page, shown, number, without, None, decisions, 1.0)

    return _collected(bare, _sample(group, knowledge))


def _collected(
    function: Callable[[int], list[TrainingRows]], numbers: list[int]
) -> list[TrainingRows]:
    """The rows of some pages, in their order."""
    return [rows for found in map_pages(function, numbers) for rows in found]


def _groups(counted: list[int]) -> list[list[int]]:
    return [group for n in range(GROUPS) if (group := [p for p in counted if p % GROUPS == n])]


def _sample(group: list[int], knowledge: Knowledge) -> list[int]:
    """At most so many pages of a group, and no more rows than are enough."""
    mentions = int(knowledge.counts.target_mentions.sum())
    share = min(1.0, ENOUGH_ROWS / max(1, mentions), MOST_PAGES / max(1, knowledge.size))
    size = min(len(group), max(20, int(share * len(group))))
    return _spread(group, size)


def _thinned(pages: list[int], rows: int, knowledge: Knowledge) -> list[int]:
    """Some of the pages, where these are plenty for variants with links."""
    per_page = int(knowledge.counts.target_mentions.sum()) / max(1, knowledge.size)
    most = max(20, int(MOST_LINKED_ROWS / max(1.0, per_page)))
    return _spread(pages[::3] if rows > ENOUGH_ROWS else pages, most)


def _spread(pages: list[int], most: int) -> list[int]:
    """At most so many of the pages, evenly spread."""
    if len(pages) <= most:
        return pages
    return [pages[at] for at in np.linspace(0, len(pages) - 1, most).astype(int).tolist()]


def some_hidden(page: Page, knowledge: Knowledge, share: float) -> Bools:
    """A share of the page's targets is hidden, with all links to them; always the same ones."""
    target = link_targets(page, knowledge.titles)
    chosen = {
        number: int(hashlib.blake2b(f"{page.title}|{knowledge.titles.titles[number]}|{share}".encode(), digest_size=4).hexdigest(), 16) < share * 2**32
        for number in np.unique(target[target >= 0]).tolist()
    }  # fmt: skip
    return np.array([chosen.get(number, False) for number in target.tolist()], dtype=bool)


def _variant(
    page: Page,
    shown: Page,
    number: int,
    knowledge: Knowledge,
    own: PageCounts | None,
    decisions: Decisions,
    hidden: float,
) -> list[TrainingRows]:
    """The rows of a page with some links hidden."""
    rows, features = _described(shown, number, knowledge, own)
    if not len(rows):
        return []
    is_linked, is_place = truth(page, number, rows, knowledge)
    boxed = (features["box_link"] > 0) | (features["list_link"] > 0)
    agreed, refused = decisions.of(number, rows.target)
    weight = np.where(boxed & ~is_linked & ~agreed & ~refused, 0, 1)
    size = len(rows)
    return [
        TrainingRows(
            features.names, features.values, np.full(size, number), np.zeros(size, dtype=np.int64),
            rows.group, rows.span, rows.target, (is_linked | agreed) & ~refused, is_place,
            weight.astype(np.float32), np.full(size, hidden, dtype=np.float32),
            np.full(size, state_of(shown, knowledge)), np.zeros(size, dtype=np.int64),
            np.zeros(size, dtype=bool),
        )
    ]  # fmt: skip


def _as_it_is(
    page: Page, number: int, knowledge: Knowledge, own: PageCounts | None, decisions: Decisions
) -> list[TrainingRows]:
    """The rows of a page as reviewers saw it: what they decided counts, the rest is its context."""
    agreed, _ = decisions.of(number, link_targets(page, knowledge.titles))
    shown = page.hide(agreed)  # what was accepted may have been published since
    rows, features = _described(shown, number, knowledge, own)
    if not len(rows):
        return []
    agreed, refused = decisions.of(number, rows.target)
    size = len(rows)
    return [
        TrainingRows(
            features.names, features.values, np.full(size, number), np.zeros(size, dtype=np.int64),
            rows.group, rows.span, rows.target, agreed, np.zeros(size, dtype=bool),
            np.where(agreed | refused, DECISION_WEIGHT, 0).astype(np.float32),
            np.ones(size, dtype=np.float32), np.full(size, state_of(shown, knowledge)),
            agreed.astype(np.int64) - refused, np.ones(size, dtype=bool),
        )
    ]  # fmt: skip


def _described(
    shown: Page, number: int, knowledge: Knowledge, own: PageCounts | None
) -> tuple[Candidates, Features]:
    mentions = find_mentions(shown, knowledge.names)
    topics = knowledge.topics.read(shown) if knowledge.topics is not None else None
    return describe(shown, number, knowledge, mentions, own, topics)


def gold_targets(page: Page, number: int, knowledge: Knowledge) -> Longs:
    """The targets that the page links where a link may be proposed."""
    target = link_targets(page, knowledge.titles)
    has_words = page.links.last > page.links.first
    gold = np.unique(target[(target >= 0) & (target != number) & has_words])
    return np.asarray(gold[~knowledge.texts.is_disambiguation[gold]])


def truth(page: Page, number: int, rows: Candidates, knowledge: Knowledge) -> tuple[Bools, Bools]:
    """Which candidates' targets the page links, and which are linked at this very place."""
    target, links = link_targets(page, knowledge.titles), page.links
    size = knowledge.size + 1
    codes = np.unique(((links.first.astype(np.int64) << 8) + (links.last - links.first)) * size + target)  # fmt: skip
    asked = ((rows.first << 8) + rows.length) * size + rows.target
    return member(rows.target, gold_targets(page, number, knowledge)), member(asked, codes)


def count_links(pages: Iterable[Page], knowledge: Knowledge) -> int:
    """How many pairs (page, target) are linked in prose."""
    return sum(
        len(gold_targets(page, knowledge.number_of(page.title), knowledge)) for page in pages
    )
