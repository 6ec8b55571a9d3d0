"""What stands around a mention and tells that it means another page, or is only part of a name."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sparse

from wikibot.ranking.candidates import Candidates, standing_pairs, standing_words
from wikibot.ranking.heralds import alias_words, link_before
from wikibot.ranking.knowledge import member
from wikibot.ranking.names import ANCHOR, GIVEN, LONGEST, Names, without_brackets, words_of
from wikibot.ranking.prose import BLOCK, IN_BRACKETS, PUNCTUATION, SPACE
from wikibot.ranking.wiki import Bools, Longs, Wiki

if TYPE_CHECKING:
    from wikibot.ranking.lessons import Study

_SEEN = 2  # pages on which a link stands beside a word: fewer may be an accident
_FEW = 10  # links that do not tell yet what links stand beside
_COMMON = 0.1
_NOW_AND_THEN = 0.1  # as often as the target itself is meant
_RARE = 0.02  # share of pages below which a word is no word of the common language

Words = tuple[str, ...]
Run = tuple[int, ...]  # words by their numbers


def linked_otherwise(studied: Study, rows: Candidates, hidden: Bools) -> Bools:
    """Does the page link the same words, or a name of the target, to another page already?

    So does one link that leads through a redirect which the database does not know. Links in
    italics lead to works: ''[[Thor (film)|Thor]]'' says nothing of the god Thor.
    """
    wiki = studied.wiki
    linked, aside = _linked_names(wiki, hidden), _unknown_aside(wiki, rows)
    names = given_names(studied.names, rows)

    def is_linked(i: int) -> bool:
        page, words = int(rows.page[i]), _words(wiki, rows, i)
        here = linked.get(page, set())
        part = len(words) == 1 and any(words[0] in (name[0], name[-1]) for name in here if name)
        all_here = here | aside[page]
        return part or words in all_here or not all_here.isdisjoint(names[int(rows.target[i])])

    found = np.array([is_linked(i) for i in range(len(rows))], dtype=bool)
    return found | _bearer_linked(studied, rows, hidden) | _called_so(studied, rows)


def _unknown_aside(wiki: Wiki, rows: Candidates) -> dict[int, set[Words]]:
    """Per page of the rows: the titles, not of this wiki, that boxes and tables link, without brackets."""
    known = wiki.redirects.keys() | set(wiki.titles)
    return {
        page: {_title_words(title) for title, upright in wiki.pages[page].aside if upright and title not in known}
        for page in np.unique(rows.page).tolist()
    }  # fmt: skip


def _called_so(studied: Study, rows: Candidates) -> Bools:
    """Does a link to a page that is not there show words which mostly lead to the target elsewhere?

    [[Charles Xavier]] is a redirect to Professor X, though nobody fetched it.
    """
    wiki, names, knowledge = studied.wiki, studied.names, studied.knowledge
    leading_out = (wiki.links.target < 0) & (wiki.italic[wiki.links.first] == 0)
    codes: set[int] = set()
    for link in np.flatnonzero(leading_out).tolist():
        for words in _names_of_link(wiki, link):
            name = names.number.get(tuple(wiki.vocabulary.get(word, -1) for word in words))
            if name is None:
                continue
            pairs = np.arange(names.first[name], names.first[name + 1])
            most = pairs[2 * knowledge.pair_links[pairs] >= max(1, knowledge.links[name])]
            codes.update(int(wiki.links.page[link]) * wiki.size + names.target[most])
    return member(rows.code, np.array(sorted(codes), dtype=np.int64))


def _bearer_linked(studied: Study, rows: Candidates, hidden: Bools) -> Bools:
    """Does the page link another page that the same words are used for, if only now and then?"""
    wiki, names = studied.wiki, studied.names
    linked = np.union1d(standing_pairs(wiki, hidden), wiki.elsewhere)
    name = rows.name % len(names)  # -1, no name, is the last one
    count = names.first[name + 1] - names.first[name]
    row = np.repeat(np.arange(len(rows)), count)
    pair = np.arange(len(row)) + np.repeat(names.first[name] - np.cumsum(count) + count, count)
    other = names.target[pair]
    often = studied.knowledge.pair_links[pair] >= _NOW_AND_THEN * np.maximum(
        1, rows.pair_links[row]
    )
    here = member(wiki.code(rows.page[row], other), linked) & (other != rows.target[row])
    return np.bincount(row[often & here], minlength=len(rows)) > 0


def _linked_names(wiki: Wiki, hidden: Bools) -> dict[int, set[Words]]:
    """Per page: what its standing links show, and the titles they lead to."""
    found: dict[int, set[Words]] = {}
    upright = wiki.italic[wiki.links.first] == 0
    for link in np.flatnonzero(~hidden & upright).tolist():
        found.setdefault(int(wiki.links.page[link]), set()).update(_names_of_link(wiki, link))
    return found


def given_names(names: Names, rows: Candidates) -> dict[int, set[Words]]:
    """What the candidates' targets are called."""
    found: dict[int, set[Words]] = {int(target): set() for target in np.unique(rows.target)}
    given = np.flatnonzero(((names.kind & GIVEN) > 0) & np.isin(names.target, rows.target))
    for pair in given.tolist():
        found[int(names.target[pair])].add(names.spelled(int(names.name[pair])))
    return found


def own_names(wiki: Wiki, rows: Candidates) -> Bools:
    """Is the mention what the page itself is called, in its title or in bold, or part of that?"""
    own: dict[int, set[Words]] = {}
    for page in np.unique(rows.page).tolist():
        names = (without_brackets(wiki.titles[page]), *wiki.pages[page].bold_names)
        own[page] = {part for name in names for part in _beginnings_and_ends(words_of(name))}
    mine = [_words(wiki, rows, i) in own[int(rows.page[i])] for i in range(len(rows))]
    return np.array(mine, dtype=bool)


def _beginnings_and_ends(name: Words) -> Iterator[Words]:
    for length in range(1, min(len(name), LONGEST) + 1):
        yield name[:length]
        yield name[-length:]


def _names_of_link(wiki: Wiki, link: int) -> tuple[Words, Words]:
    """The words that a link shows, and the title it leads to, without brackets."""
    links = wiki.links
    shown = wiki.spelling[links.first[link] : links.last[link]]
    return tuple(word.lower() for word in shown), _title_words(links.title[link])


@functools.lru_cache(maxsize=100_000)
def _title_words(title: str) -> Words:
    return words_of(without_brackets(title))


def _words(wiki: Wiki, rows: Candidates, index: int) -> Words:
    first = int(rows.first[index])
    shown = wiki.spelling[first : first + int(rows.length[index])]
    return tuple(word.lower() for word in shown)


def inside_longer(studied: Study, rows: Candidates) -> Bools:
    """Is the mention part of a longer name of another page, be it in the wiki or not?"""
    outside, sure = _names_outside(studied.wiki), _sure_names(studied.names)

    def is_inside(i: int) -> bool:
        target = int(rows.target[i])
        runs = _runs_around(studied.wiki, int(rows.first[i]), int(rows.length[i]))
        return any(
            run in outside or _means_another(studied.names, sure, run, target) for run in runs
        )

    return np.array([is_inside(i) for i in range(len(rows))], dtype=bool)


def _names_outside(wiki: Wiki) -> set[Run]:
    """What the links that lead out of the wiki are called, in numbers of words."""
    leading_out = np.flatnonzero(wiki.links.target < 0).tolist()
    found = {words for link in leading_out for words in _names_of_link(wiki, link)}
    number = wiki.vocabulary
    return {tuple(number.get(word, -1) for word in words) for words in found if len(words) > 1}


def _sure_names(names: Names) -> Bools:
    """Which names are names by themselves, not guessed forms of one."""
    sure = np.zeros(len(names), dtype=bool)
    np.logical_or.at(sure, names.name, (names.kind & (GIVEN | ANCHOR)) > 0)
    return sure


def _runs_around(wiki: Wiki, first: int, length: int) -> Iterator[Run]:
    """Longer runs of words of the same block that hold words[first:first + length].

    A name with a capital only becomes longer by a word with a capital, not by an article.
    """
    low, high = max(0, first - LONGEST), min(len(wiki.word), first + length + LONGEST)
    words, breaks = wiki.word[low:high].tolist(), (wiki.gap[low:high] == BLOCK).tolist()
    shown = wiki.spelling[low:high]
    upper = np.array([word[:1].isupper() or word[:1].isdigit() for word in shown], dtype=bool)
    begin, end = first - low, first - low + length
    counted = upper if upper[begin:end].any() else np.ones(len(words), dtype=bool)
    capitals = np.concatenate([[0], np.cumsum(counted)]).tolist()
    own = capitals[end] - capitals[begin]
    while begin > 0 and not breaks[begin]:
        begin -= 1
    while end < len(words) and not breaks[end]:
        end += 1
    for start in range(begin, first - low + 1):
        for stop in range(first - low + length, min(end, start + LONGEST) + 1):
            if capitals[stop] - capitals[start] > own:
                yield tuple(words[start:stop])


def _means_another(names: Names, sure: Bools, run: Run, target: int) -> bool:
    """Is the run a sure name, and none of the target's?"""
    name = names.number.get(run)
    return name is not None and bool(sure[name]) and not _may_mean(names, name, target)


def _may_mean(names: Names, name: int, target: int) -> bool:
    return target in names.target[names.first[name] : names.first[name + 1]]


def named_in_brackets(studied: Study, rows: Candidates, hidden: Bools) -> Bools:
    """Do brackets right after the mention name another page, or hold a link?

    "Green Lantern (Alan Scott)" means Alan Scott; of "Rose Wilson ([[Ravager]])" it is the link, and
    "Black Condor (a male [[Black Canary]])" is another one.
    """
    wiki, names = studied.wiki, studied.names
    sure, linked = _sure_names(names), standing_words(wiki, hidden)
    after = np.minimum(rows.first + rows.length, len(wiki.word) - 1)
    opened = (wiki.flags[after] & IN_BRACKETS) > 0

    def names_another(i: int) -> bool:
        if _links_in_brackets(wiki, linked, int(after[i])):
            return True
        words = wiki.word[after[i] : after[i] + LONGEST].tolist()
        runs = (tuple(words[:length]) for length in range(1, len(words) + 1))
        found = [names.number[run] for run in runs if run in names.number]
        target = int(rows.target[i])
        return any(sure[name] for name in found) and not any(
            _may_mean(names, name, target) for name in found
        )

    return np.array([bool(opened[i]) and names_another(i) for i in range(len(rows))], dtype=bool)


def _links_in_brackets(wiki: Wiki, linked: Bools, first: int) -> bool:
    """Is one of the words linked that stand in brackets from here, up to the next mark or the end?"""
    last = first + 1
    while last < len(wiki.word) and wiki.gap[last] < PUNCTUATION:
        last += 1
    return bool(linked[first:last].any())


def alias_of_link(studied: Study, rows: Candidates, hidden: Bools) -> Bools:
    """Does a mention tell what the page of a link before it is called, here and elsewhere on this page?

    It ends brackets that follow the link, "[[Neal Shaara]] (later known as Thunderbird)", though a list in
    brackets names others; or it stands behind a word for that, "[[James Rhodes]] as Iron Man".
    """
    wiki = studied.wiki
    linked = standing_words(wiki, hidden)

    def ends_brackets(first: int, last: int) -> bool:
        if last < len(wiki.word) and wiki.gap[last] < PUNCTUATION:
            return False
        while not wiki.flags[first] & IN_BRACKETS:
            if wiki.gap[first] != SPACE:
                return False
            first -= 1
        return bool(linked[first - 1])

    places = zip(rows.first.tolist(), (rows.first + rows.length).tolist(), strict=True)
    found = np.array([ends_brackets(first, last) for first, last in places], dtype=bool)
    behind_link = (link_before(wiki, rows.first, hidden) >= 0) & wiki.is_upper[rows.first]
    found |= behind_link & alias_words(studied, hidden)[wiki.word[rows.first - 1]]
    return np.isin(rows.code, rows.code[found])


def in_compound(wiki: Wiki, rows: Candidates, hidden: Bools) -> Bools:
    """Does a rare word stand beside the mention that links are not seen to stand beside?

    "silicon controlled rectifier": no link begins after "controlled", so it may be part of a term.
    """
    standing = np.flatnonzero(~hidden)
    if len(standing) < _FEW:
        return np.zeros(len(rows), dtype=bool)
    first, last = wiki.links.first[standing], wiki.links.last[standing]
    rare = _pages_with(wiki, np.arange(len(wiki.word))) <= max(1, _RARE * wiki.size)
    opens = _pages_with(wiki, first[wiki.gap[first] == SPACE] - 1) >= _SEEN
    ends = last[last < len(wiki.word)]
    closes = _pages_with(wiki, ends[wiki.gap[ends] == SPACE]) >= _SEEN
    after = np.minimum(rows.first + rows.length, len(wiki.word) - 1)
    before = np.maximum(rows.first - 1, 0)
    joins_before = (wiki.gap[rows.first] == SPACE) & (rare & ~opens)[wiki.word[before]]
    joins_after = (wiki.gap[after] == SPACE) & (rare & ~closes)[wiki.word[after]]
    joins_after &= ~wiki.is_upper[after]
    return np.asarray(joins_before | joins_after)


def common_words(wiki: Wiki) -> frozenset[str]:
    """The words that a tenth of the pages use: they tell nothing of a page's subject."""
    many = _pages_with(wiki, np.arange(len(wiki.word))) > _COMMON * wiki.size
    return frozenset(word for word, number in wiki.vocabulary.items() if many[number])


def _pages_with(wiki: Wiki, places: Longs) -> Longs:
    """Per word of the vocabulary: on how many pages it stands at these places."""
    shape = (wiki.size, len(wiki.vocabulary))
    ones = np.ones(len(places), dtype=np.int32)
    found = sparse.csr_matrix((ones, (wiki.page[places], wiki.word[places])), shape=shape)
    found.sum_duplicates()
    return np.bincount(found.indices, minlength=shape[1])
