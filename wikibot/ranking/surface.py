"""What the name, the letters and the place of a mention say: everything short of its meaning."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from wikibot.ranking.candidates import NO_NAME, Candidates, standing_words
from wikibot.ranking.knowledge import Knowledge, member
from wikibot.ranking.names import KINDS, LONGEST, Names, without_brackets
from wikibot.ranking.prose import BLOCK, BOLD, LISTED, PUNCTUATION, SENTENCE, WORD
from wikibot.ranking.wiki import Bools, Floats, Longs, Wiki

Columns = dict[str, np.ndarray]

_FAMILIAR = 50  # mentions under a heading before what is linked there is believed by half


def name_columns(wiki: Wiki, names: Names, knowledge: Knowledge, rows: Candidates) -> Columns:
    """How names are linked on other pages, and how the name came to the target."""
    share = link_share(rows)
    known = knowledge.known[rows.page]
    own_link = member(rows.code, knowledge.own_target_links) & known
    own_mention = member(rows.code, knowledge.own_target_mentions) & known
    mentions = np.maximum(knowledge.target_mentions[rows.target] - own_mention, 0)
    others = best_other(spans_of(rows), share)
    columns: Columns = {
        "share_to_target": share,
        "share_linked": (rows.links + 0.05) / (rows.mentions + 0.6),
        "links_to_target": np.log1p(rows.pair_links),
        "mentioned": np.log1p(rows.mentions),
        "commonness": (rows.pair_links + 0.01) / (rows.links + 0.1),
        "target_share": (knowledge.target_links[rows.target] - own_link + 0.05) / (mentions + 0.5),
        "target_mentioned": np.log1p(mentions),
        "share_of_other": others,
        "share_against_other": share / (share + others + 1e-3),
        "meanings": _group_sizes(spans_of(rows)),
        "form_weight": np.log1p(names.weight[rows.pair]),
        "likeness": _likeness(wiki, names, rows),
        "words": rows.length,
    }
    for bit, kind in enumerate(KINDS):
        columns[f"is_{kind}"] = (rows.kind >> bit) & 1
    return columns


def link_share(rows: Candidates) -> np.ndarray:
    """The share of other pages that link the name to the target among those that mention it."""
    return np.asarray((rows.pair_links + 0.02) / (rows.mentions + 0.6))


def spans_of(rows: Candidates) -> Longs:
    """A number for each candidate that is the same for the same words of the wiki."""
    spans = np.unique(rows.first * (LONGEST + 1) + rows.length, return_inverse=True)[1]
    return np.asarray(spans, dtype=np.int64)


def _group_sizes(group: Longs) -> Longs:
    return np.bincount(group)[group] if len(group) else group


def best_other(group: Longs, value: np.ndarray) -> np.ndarray:
    """The greatest value of another member of each one's group, 0 for a group of one."""
    if not len(group):
        return value
    order = np.lexsort((-value, group))
    first = np.searchsorted(group[order], np.arange(group.max() + 1))
    best = value[order[first]]
    second = np.zeros(len(first))
    several = np.bincount(group) > 1
    second[several] = value[order[first[several] + 1]]
    is_best = np.zeros(len(group), dtype=bool)
    is_best[order[first]] = True
    return np.where(is_best, second[group], best[group])


def _likeness(wiki: Wiki, names: Names, rows: Candidates) -> Floats:
    """How alike name and title are, by their runs of three letters (Dice)."""
    titles = [_trigrams(without_brackets(title).lower()) for title in wiki.titles]

    def alike(words: Iterable[str], target: int) -> float:
        name, title = _trigrams(" ".join(words)), titles[target]
        return 2 * len(name & title) / max(1, len(name) + len(title))

    pairs, place = np.unique(rows.pair, return_inverse=True)
    value = np.array(
        [alike(names.spelled(names.name[pair]), names.target[pair]) for pair in pairs.tolist()],
        dtype=np.float32,
    )[place]
    for row in np.flatnonzero(rows.pair == NO_NAME).tolist():  # there the words themselves
        words = wiki.spelling[rows.first[row] : rows.first[row] + rows.length[row]]
        value[row] = alike((word.lower() for word in words), rows.target[row])
    return value


def _trigrams(text: str) -> set[str]:
    text = f"^{text}$"
    return {text[i : i + 3] for i in range(len(text) - 2)}


def letter_columns(wiki: Wiki, rows: Candidates) -> Columns:
    """Capitals, neighbours, italics and quotation marks."""
    first, last = rows.first, rows.first + rows.length
    upper = np.concatenate([[0], np.cumsum(wiki.is_upper)])
    capitals = upper[last] - upper[first]
    before, after = np.maximum(first - 1, 0), np.minimum(last, len(wiki.word) - 1)
    joins_before = wiki.gap[first] != BLOCK
    joins_after = (wiki.gap[after] != BLOCK) & (last < len(wiki.word))
    title_words = [WORD.findall(without_brackets(title)) for title in wiki.titles]
    title_capitals = np.array([sum(w[:1].isupper() for w in ws[1:]) for ws in title_words])
    return {
        "starts_upper": wiki.is_upper[first],
        "capitals": capitals,
        "is_lower": capitals == 0,
        "title_capitals": title_capitals[rows.target],
        "title_words": np.array([len(ws) for ws in title_words])[rows.target],
        "starts_sentence": wiki.gap[first] >= SENTENCE,
        "upper_before": np.where(joins_before, wiki.is_upper[before] + 2 * (wiki.gap[first] == 0), -1),
        "upper_after": np.where(joins_after, wiki.is_upper[after] + 2 * (wiki.gap[after] == 0), -1),
        "gap_before": wiki.gap[first],
        "gap_after": np.where(joins_after, wiki.gap[after], BLOCK),
        "italic_around": words_around(wiki, wiki.italic, rows),
        "quote_around": np.minimum(words_around(wiki, wiki.quote, rows), 50),
        "is_bold": (wiki.flags[first] & BOLD) > 0,
        "is_listed": (wiki.flags[first] & LISTED) > 0,
    }  # fmt: skip


def words_around(wiki: Wiki, run: np.ndarray, rows: Candidates) -> Longs:
    """How many words the run around a mention has beside it; -1 outside any run."""
    inside = np.flatnonzero(run)
    codes = wiki.page * (int(run.max(initial=0)) + 1) + run
    known, size = np.unique(codes[inside], return_counts=True)
    at = np.minimum(np.searchsorted(known, codes[rows.first]), max(0, len(known) - 1))
    return np.where(run[rows.first] > 0, np.append(size, 0)[at] - rows.length, -1)


def place_columns(wiki: Wiki, rows: Candidates) -> Columns:
    """Where on the page the mention stands."""
    first = rows.first
    start, end = wiki.offsets[rows.page], wiki.offsets[rows.page + 1]
    paragraph = np.flatnonzero(np.diff(wiki.paragraph, prepend=-1) | (wiki.gap == BLOCK))
    in_paragraph = first - paragraph[np.searchsorted(paragraph, first, side="right") - 1]
    return {
        "place": (first - start) / np.maximum(end - start, 1),
        "words_before": np.log1p(first - start),
        "page_words": np.log1p(end - start),
        "section": np.minimum(wiki.section[first], 20),
        "in_paragraph": np.minimum(in_paragraph, 100),
        "mention": rows.rank,
        "mentions_here": np.log1p(rows.count),
        **_longer_names(wiki, rows),
    }


def chapter_columns(wiki: Wiki, knowledge: Knowledge, rows: Candidates) -> Columns:
    """How often names are linked in chapters of this heading, on other pages, beside the wiki's mean."""
    heading = wiki.heading[rows.first]
    links, mentions = (
        np.asarray(counts.sum(axis=0)).ravel()[heading]
        - np.asarray(counts[rows.page, heading]).ravel()
        for counts in (knowledge.chapter_links, knowledge.chapter_mentions)
    )
    mean = knowledge.chapter_links.sum() / max(1.0, knowledge.chapter_mentions.sum())
    share = (links + _FAMILIAR * mean) / (mentions + _FAMILIAR)
    return {"chapter_share": np.log((share + 1e-3) / (mean + 1e-3))}


def _longer_names(wiki: Wiki, rows: Candidates) -> Columns:
    """Whether a longer name, or a better one, covers the mention's first word."""
    longest = np.zeros(len(wiki.word) + LONGEST, dtype=np.int64)
    best = np.zeros(len(wiki.word) + LONGEST)
    share = link_share(rows)
    for offset in range(int(rows.length.max(initial=0))):
        covers = rows.length > offset
        np.maximum.at(longest, rows.first[covers] + offset, rows.length[covers])
        np.maximum.at(best, rows.first[covers] + offset, share[covers])
    return {
        "longer_by": longest[rows.first] - rows.length,
        "best_share_here": best[rows.first],
        "share_behind_best": best[rows.first] - share,
    }


def standing_columns(wiki: Wiki, rows: Candidates, hidden: Bools) -> Columns:
    """Which links stand around the mention, and what kind of links the page has."""
    first, last = rows.first, rows.first + rows.length
    start, end = wiki.offsets[rows.page], wiki.offsets[rows.page + 1]
    standing = standing_words(wiki, hidden)
    sums = np.concatenate([[0], np.cumsum(standing)])
    after = np.minimum(last, len(wiki.word) - 1)
    near = sums[np.minimum(last + 30, end)] - sums[np.maximum(first - 30, start)]
    here = wiki.links.page[~hidden]
    inside = ~hidden & (wiki.links.target >= 0)
    count = np.bincount(here, minlength=wiki.size)
    lower = ~wiki.is_upper[wiki.links.first[~hidden]]
    lower_count = np.bincount(here, weights=lower, minlength=wiki.size)
    inside_count = np.bincount(wiki.links.page[inside], minlength=wiki.size)
    words = np.maximum(np.diff(wiki.offsets), 1)
    page = rows.page
    return {
        "link_before": standing[np.maximum(first - 1, 0)] & (wiki.gap[first] < PUNCTUATION),
        "link_after": standing[after] & (wiki.gap[after] < PUNCTUATION),
        "links_near": near,
        "links_here": np.log1p(count[page]),
        "link_density": (count / words)[page],
        "own_links_here": np.log1p(inside_count[page]),
        "own_link_density": (inside_count / words)[page],
        "lower_links": ((lower_count + 0.5) / (count + 1))[page],
    }


def in_box_columns(wiki: Wiki, pages: Longs, targets: Longs) -> Columns:
    """Whether the page's infobox names the target."""
    wanted: list[str] = [
        f" {' '.join(WORD.findall(without_brackets(title).lower()))} " for title in wiki.titles
    ]
    pairs = zip(pages.tolist(), targets.tolist(), strict=True)
    found = [wanted[target] in wiki.pages[page].box for page, target in pairs]
    return {"in_box": np.array(found, dtype=bool)}
