"""Words before a name that tell whose it is, learned from what editors link after them.

Some herald a common noun, like *a* and *his*. Links to common nouns begin with a small letter, those
to proper names with a capital. A word that often stands before the one and seldom before the other
tells that what follows is one of many: "a Batman admirer" is not about Batman. A language without
articles has no such words, and no more rules. Others tell bearers of a name apart, or make it another
name of the page that was just linked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wikibot.ranking.candidates import Candidates
from wikibot.ranking.knowledge import expand
from wikibot.ranking.names import REDIRECT, STRIPPED, TITLE
from wikibot.ranking.prose import SPACE
from wikibot.ranking.wiki import Bools, Longs, Wiki

if TYPE_CHECKING:
    from wikibot.ranking.lessons import Study

_OFTEN = 0.004  # of the links in lower case that a herald stands before
_SELDOM = 5  # how many times more seldom it stands before a capital
_NOUN = 0.1  # a word that follows a herald this often is a noun
_FEW = 4  # occurrences that do not tell yet what a word is
_BY_CHANCE = 2.0  # standard deviations
_ALIAS = 0.3  # share of the names between which and a link a word stands that are the linked page's
_ALIASES = 3  # such names that tell
_USUAL = 0.04  # of a target's links: "a Sentinel" is how one speaks of it


def heralds(wiki: Wiki, hidden: Bools) -> Bools:
    """Per word of the vocabulary: does it herald a common noun?"""
    links = wiki.links
    joined = ~hidden & (wiki.gap[links.first] == SPACE)
    upper = wiki.is_upper[links.first]
    before_small, before_capital = (
        np.bincount(wiki.word[links.first[part] - 1], minlength=len(wiki.vocabulary))
        for part in (joined & ~upper, joined & upper & (links.target >= 0))
    )
    share = before_small / max(1, before_small.sum())
    # One more than was seen: where few links have a capital, little is known of what is seldom.
    other = (before_capital + 1) / (before_capital.sum() + 1)
    return np.asarray((share >= _OFTEN) & (share >= _SELDOM * other))


def one_of_many(wiki: Wiki, rows: Candidates, hidden: Bools, herald: Bools) -> Bools:
    """Names after a herald, where links to the target do not usually stand after one."""
    links = wiki.links
    standing = ~hidden & (links.target >= 0)
    target, first = links.target[standing], links.first[standing]
    after = _follows(wiki, first, herald)
    usual = np.bincount(target[after], minlength=wiki.size)
    count = np.bincount(target, minlength=wiki.size)
    unusual = usual < _USUAL * np.maximum(count, 1)
    return np.asarray(_follows(wiki, rows.first, herald) & unusual[rows.target])


def another_bearer(studied: Study, rows: Candidates, herald: Bools) -> Bools:
    """Names behind a word that tells one bearer from others: "the new Thor", "the other Sentinels".

    Such words may follow a herald themselves, and fewer first mentions behind them are links than chance allows.
    """
    wiki = studied.wiki
    first, is_linked = _first_mentions(studied)
    behind = (wiki.gap[first] == SPACE) & ~wiki.is_upper[first - 1]
    word = wiki.word[first[behind] - 1]
    count = np.bincount(word, minlength=len(herald))
    linked = np.bincount(word, weights=is_linked[behind], minlength=len(herald))
    usual = is_linked.mean() if len(is_linked) else 0.0
    fewest = count * usual - _BY_CHANCE * np.sqrt(count * usual * (1 - usual))
    telling = (linked < fewest) & _nouns(wiki, herald)
    return np.asarray(
        (wiki.gap[rows.first] == SPACE)
        & ~wiki.is_upper[rows.first - 1]
        & telling[wiki.word[rows.first - 1]]
    )


def alias_words(studied: Study, hidden: Bools) -> Bools:
    """Per word: does what follows it, right behind a link, often name the linked page once more?

    "[[James Rhodes]] as War Machine": then the War Machine is Rhodes, whoever else bears that name.
    """
    wiki, names, size = studied.wiki, studied.names, len(studied.wiki.vocabulary)
    mention, pair = expand(studied.mentions, names)
    link = link_before(wiki, studied.mentions.first, hidden)
    behind = (link >= 0) & wiki.is_upper[studied.mentions.first]
    behind[behind] &= wiki.links.target[link[behind]] >= 0
    means = behind[mention]
    means[means] = names.target[pair[means]] == wiki.links.target[link[mention[means]]]
    word = wiki.word[studied.mentions.first - 1]
    own = np.bincount(word[np.unique(mention[means])], minlength=size)
    count = np.bincount(word[behind], minlength=size)
    return np.asarray((own >= _ALIASES) & (own >= _ALIAS * count))


def link_before(wiki: Wiki, places: Longs, hidden: Bools) -> Longs:
    """The standing link before the small word right before each place, -1 where there is none."""
    link = wiki.link[places - 2]
    near = (places >= 2) & (link >= 0) & (wiki.link[places - 1] < 0) & ~wiki.is_upper[places - 1]
    near &= (wiki.gap[places] == SPACE) & (wiki.gap[places - 1] == SPACE)
    near[near] &= ~hidden[link[near]]
    return np.where(near, link, -1)


def _first_mentions(studied: Study) -> tuple[Longs, Bools]:
    """Where pages first mention others by title or redirect, with a capital, and is the link there?"""
    wiki, names = studied.wiki, studied.names
    mention, pair = expand(studied.mentions, names)
    place, target = studied.mentions.first[mention], names.target[pair]
    link = wiki.link[place]
    is_linked = (link >= 0) & (wiki.links.target[link] == target) if len(wiki.links) else link >= 0
    fit = ((names.kind[pair] & (TITLE | STRIPPED | REDIRECT)) > 0) & wiki.is_upper[place]
    fit &= (wiki.page[place] != target) & (is_linked | (link < 0))
    place, code = place[fit], wiki.code(wiki.page[place[fit]], target[fit])
    order = np.lexsort((place, code))
    first = order[np.flatnonzero(np.diff(code[order], prepend=-1))]
    return place[first], is_linked[fit][first]


def before_noun(wiki: Wiki, rows: Candidates, herald: Bools) -> Bools:
    """Names right before a common noun: "Medusa head", "Green Lantern energy"."""
    noun = _nouns(wiki, herald)
    after = np.minimum(rows.first + rows.length, len(wiki.word) - 1)
    follows = (rows.first + rows.length < len(wiki.word)) & (wiki.gap[after] == SPACE)
    return np.asarray(follows & ~wiki.is_upper[after] & noun[wiki.word[after]])


def _nouns(wiki: Wiki, herald: Bools) -> Bools:
    small = np.flatnonzero(~wiki.is_upper)
    count = np.bincount(wiki.word[small], minlength=len(herald))
    after = small[_follows(wiki, small, herald)]
    heralded = np.bincount(wiki.word[after], minlength=len(herald))
    return np.asarray((count >= _FEW) & (heralded >= _NOUN * count))


def _follows(wiki: Wiki, places: Longs, herald: Bools) -> Bools:
    return np.asarray((wiki.gap[places] == SPACE) & herald[wiki.word[places - 1]])
