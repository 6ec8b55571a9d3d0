"""What can be seen at the place of a proposal: the facts that the rules speak of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from wikibot.ranking.candidates import Candidates, standing_words
from wikibot.ranking.heralds import another_bearer, before_noun, heralds, one_of_many
from wikibot.ranking.inflection import is_form_of
from wikibot.ranking.knowledge import member
from wikibot.ranking.names import (
    ANCHOR,
    BOLD_NAME,
    INFLECTED,
    REDIRECT,
    SIMILAR,
    STRIPPED,
    TITLE,
    without_brackets,
    words_of,
)
from wikibot.ranking.neighbours import (
    Words,
    alias_of_link,
    given_names,
    in_compound,
    inside_longer,
    linked_otherwise,
    named_in_brackets,
    own_names,
)
from wikibot.ranking.prose import (
    APOSTROPHE,
    BLOCK,
    BOLD,
    HYPHEN,
    IN_BRACKETS,
    LISTED,
    NUMBERED,
    PUNCTUATION,
    QUOTED,
    SENTENCE,
    SPACE,
)
from wikibot.ranking.strangers import out_of_place, strangers
from wikibot.ranking.surface import link_share, words_around
from wikibot.ranking.wiki import Bools, Floats, Longs, Wiki

if TYPE_CHECKING:
    from wikibot.ranking.lessons import Study

_FIGURE = re.compile(r"\d+(?:[.ºª°]|s|th|st|nd|rd|er)?")
_BEGINNING = 4  # letters that words which are forms of each other share
_ENOUGH = 3  # links or mentions that show how a name is written
_TELLING = 100  # links that show which names are linked, and in which forms
_WEAK = 0.2  # share of the pages with a name that link it: less speaks against it
_HOUSEHOLD = 0.2  # share of all pages that mention a name which everybody knows
_OWN = 0.8  # share of a name's links that lead to one page, if it is that page's own
_CHANGING = 0.1  # forms for each name as it is, in a language where names have forms


@dataclass(frozen=True, slots=True)
class Signs:
    """Columns, one entry for each proposed place."""

    page: Longs
    target: Longs
    words: Longs  # how many words the anchor has
    probability: Floats
    rank: Longs  # which mention of the target on the page, from 0
    section_rank: Longs  # which in its section
    mentions: Longs  # other pages that mention the name
    links: Longs  # other pages that link it, to whatever page
    has_letters: Bools
    is_short: Bools  # one word of at most two letters
    is_lower: Bools
    is_name: Bools  # is the target's name written with a capital?
    name_before: Bools  # a capitalised word of a name stands right before it
    name_after: Bools
    hyphen_around: Bools
    link_beside: Bools
    italic_more: Longs  # further words of the run in italics around it; -1 outside
    quote_more: Longs
    after_quote: Bools  # right after a quotation mark
    italic_target: Bools  # is the target's name usually in italics?
    is_bold: Bools
    is_plain: Bools  # no markup inside the anchor
    rival: Floats  # the probability of the best other target for the same words
    paragraph: Longs  # a number for each paragraph of the wiki
    target_is_disambiguation: Bools
    target_is_date: Bools
    linked_aside: Bools  # the page links the target in a box, a table, a caption or a note
    linked_otherwise: Bools  # the page links these words, or another page of that name
    inside_longer: Bools  # part of a longer name that means another page
    named_in_brackets: Bools  # brackets after it name another page
    alias_of_link: Bools  # tells what a linked page is called
    one_of_many: Bools  # after a word that heralds a common noun, or tells bearers apart
    before_noun: Bools
    in_compound: Bools  # beside a word that links are not seen beside
    after_number: Bools
    is_own_name: Bools  # of the page itself
    is_possessive: Bools  # ends in 's
    is_shouted: Bools  # all in capitals, as the title is not
    is_stranger: Bools  # the page has little in common with the target
    is_out_of_place: Bools  # far from the target in the net of links
    is_unestablished: Bools  # a common noun, or seldom linked to the target where it is mentioned
    is_shared: Bools  # a name by which others are linked too
    is_new_form: Bools  # of a proper name, where such names do not change
    is_guess: Bools  # only like a name of the target
    is_hearsay: Bools  # hardly anybody links the target so, and nothing else bears it out

    def __len__(self) -> int:
        return len(self.page)

    def chosen(self, which: Bools | Longs) -> Signs:
        """Only these entries."""
        return Signs(*(getattr(self, field.name)[which] for field in fields(self)))


def read_signs(
    studied: Study, rows: Candidates, probability: Floats, rival: Floats, hidden: Bools
) -> Signs:
    """The signs at each candidate; `probability` and `rival` have an entry for each."""
    wiki = studied.wiki
    first, last = rows.first, rows.first + rows.length - 1
    capitals = np.concatenate([[0], np.cumsum(wiki.is_upper)])
    shown = ["".join(wiki.spelling[a : b + 1]) for a, b in zip(first, last, strict=True)]
    is_lower = capitals[last + 1] == capitals[first]
    is_name = written_as_names(wiki)
    before, after = _neighbours(wiki, rows)
    herald = heralds(wiki, hidden)
    telling = len(wiki.linked_pairs()) >= _TELLING
    fixed = telling and not names_change(wiki)
    return Signs(
        page=rows.page,
        target=rows.target,
        words=rows.length,
        probability=probability,
        rank=rows.rank,
        section_rank=_rank_in(wiki.sections()[first], rows.target),
        mentions=rows.mentions,
        links=rows.links,
        has_letters=np.array([any(map(str.isalpha, text)) for text in shown], dtype=bool),
        is_short=np.array([len(text) <= 2 for text in shown], dtype=bool),
        is_lower=is_lower,
        is_name=is_name[rows.target],
        name_before=before,
        name_after=after,
        hyphen_around=_hyphens(wiki, first, last),
        link_beside=_links_beside(wiki, first, last, hidden),
        italic_more=words_around(wiki, wiki.italic, rows),
        quote_more=words_around(wiki, wiki.quote, rows),
        after_quote=(wiki.flags[first] & QUOTED) > 0,
        italic_target=usually_italic(wiki)[rows.target],
        is_bold=(wiki.flags[first] & BOLD) > 0,
        is_plain=_is_plain(wiki, first, last) & _in_one_sentence(wiki, rows),
        rival=rival,
        paragraph=_paragraphs(wiki)[first],
        target_is_disambiguation=wiki.is_disambiguation[rows.target],
        target_is_date=_dates(wiki, is_name)[rows.target],
        linked_aside=member(rows.code, wiki.aside),
        linked_otherwise=linked_otherwise(studied, rows, hidden),
        inside_longer=inside_longer(studied, rows),
        named_in_brackets=named_in_brackets(studied, rows, hidden),
        alias_of_link=alias_of_link(studied, rows, hidden),
        one_of_many=one_of_many(wiki, rows, hidden, herald) | another_bearer(studied, rows, herald),
        before_noun=before_noun(wiki, rows, herald),
        in_compound=in_compound(wiki, rows, hidden),
        after_number=_after_number(wiki, first),
        is_own_name=own_names(wiki, rows),
        is_possessive=(wiki.gap[last] == APOSTROPHE) & (np.char.str_len(_at(wiki, last)) == 1),
        is_shouted=_shouted(wiki, rows, shown),
        is_stranger=strangers(wiki, studied.knowledge, rows),
        is_out_of_place=out_of_place(wiki, studied.knowledge, rows),
        is_unestablished=telling & _unestablished(wiki, rows, is_lower),
        is_shared=telling & (rows.links >= _ENOUGH) & (rows.pair_links < _OWN * rows.links),
        is_new_form=((rows.kind & ~INFLECTED) == 0) & fixed,
        is_guess=(rows.kind & ~SIMILAR) == 0,
        is_hearsay=_hearsay(studied, rows) | (fixed & _passing_names(wiki, rows)),
    )


def _paragraphs(wiki: Wiki) -> Longs:
    """A number for the paragraph of each word, different on every page."""
    changes = (np.diff(wiki.paragraph, prepend=-1) != 0) | (np.diff(wiki.page, prepend=-1) != 0)
    return np.cumsum(changes, dtype=np.int64)


def _rank_in(group: Longs, target: Longs) -> Longs:
    """Which entry of its (group, target) each one is; entries come in the order of places."""
    pairs, place = np.unique(np.stack([group, target]), axis=1, return_inverse=True)
    place = place.ravel()
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(pairs.shape[1]))
    rank = np.empty(len(place), dtype=np.int64)
    rank[order] = np.arange(len(place)) - starts[place[order]]
    return rank


def _neighbours(wiki: Wiki, rows: Candidates) -> tuple[Bools, Bools]:
    """Whether a word of a name stands right before, or right after, the mention."""
    # At the beginning of a sentence any word has a capital.
    part = wiki.is_upper & (capital_words(wiki)[wiki.word] | (wiki.gap < SENTENCE))
    part |= (wiki.flags & NUMBERED) > 0  # ''Thor'' #5 is an issue
    first, after = rows.first, np.minimum(rows.first + rows.length, len(wiki.word) - 1)
    joined_before = (wiki.gap[first] == SPACE) & (first > 0)
    joined_after = (wiki.gap[after] == SPACE) | ((wiki.flags[after] & NUMBERED) > 0)
    joined_after &= rows.first + rows.length < len(wiki.word)
    goes_on = part[after] | _is_number(wiki, after)  # Marauders 21, Captain America 2099
    return part[np.maximum(first - 1, 0)] & joined_before, goes_on & joined_after


def _after_number(wiki: Wiki, first: Longs) -> Bools:
    """Does a number stand right before: "12 volts"?"""
    return np.asarray(_is_number(wiki, np.maximum(first - 1, 0)) & (wiki.gap[first] == SPACE))


def _is_number(wiki: Wiki, places: Longs) -> Bools:
    return np.array([word[:1].isdigit() for word in _at(wiki, places)], dtype=bool)


def capital_words(wiki: Wiki) -> Bools:
    """Per word of the vocabulary: is it mostly written with a capital inside sentences?"""
    inside = wiki.gap < SENTENCE
    size = len(wiki.vocabulary)
    seen = np.bincount(wiki.word[inside], minlength=size)
    upper = np.bincount(wiki.word[inside & wiki.is_upper], minlength=size)
    return np.asarray(upper * 2 >= np.maximum(seen, 1))


def _hyphens(wiki: Wiki, first: Longs, last: Longs) -> Bools:
    after = np.minimum(last + 1, len(wiki.word) - 1)
    follows = (wiki.gap[after] == HYPHEN) & (last + 1 < len(wiki.word))
    cut = (wiki.gap[first] == APOSTROPHE) & (np.char.str_len(_at(wiki, first)) == 1)
    return np.asarray((wiki.gap[first] == HYPHEN) | follows | cut)


def _at(wiki: Wiki, places: Longs) -> np.ndarray:
    return np.array([wiki.spelling[place] for place in places.tolist()] or [""])[: len(places)]


def _shouted(wiki: Wiki, rows: Candidates, shown: Sequence[str]) -> Bools:
    """ARES is an organisation where Ares is a god."""
    titles = (without_brackets(wiki.titles[target]) for target in rows.target.tolist())
    pairs = zip(shown, titles, strict=True)
    return np.array([text.isupper() and not title.isupper() for text, title in pairs], dtype=bool)


def _hearsay(studied: Study, rows: Candidates) -> Bools:
    """Anchors and bold names that lead elsewhere more often; anchors few use, unlike any other name."""
    few = ((rows.kind & ~ANCHOR) == 0) & (rows.pair_links < _ENOUGH)
    nickname = (rows.kind & ~(ANCHOR | BOLD_NAME)) == 0
    given = given_names(studied.names, rows.chosen(few))
    unlike = np.array(
        [bool(few[i]) and not _is_like(studied.wiki, rows, i, given) for i in range(len(rows))],
        dtype=bool,
    )
    return np.asarray(unlike | (nickname & (rows.pair_links < 0.5 * rows.links)))


def _passing_names(wiki: Wiki, rows: Candidates) -> Bools:
    """Proper names, neither title nor redirect, that only a few links ever used."""
    known = (rows.kind & (TITLE | STRIPPED | REDIRECT)) > 0
    return np.asarray(~known & wiki.is_upper[rows.first] & (rows.pair_links < _ENOUGH))


def _unestablished(wiki: Wiki, rows: Candidates, is_lower: Bools) -> Bools:
    """Common nouns, names that few of the pages which mention them link to the target, household names.

    Whatever the ranker thinks, a proper name that is mostly linked where it stands is a good link, and
    a page on agriculture is not wanted wherever agriculture is spoken of. Nor is one that everybody knows.
    """
    household = rows.mentions >= _HOUSEHOLD * wiki.size
    return np.asarray(is_lower | (link_share(rows) < _WEAK) | household)


def names_change(wiki: Wiki) -> bool:
    """Do proper names have many forms here, as in a language with cases?

    In English they have one, and another form means other things: "a gang called the Ghost Riders".
    """
    links = wiki.links
    inside = (links.target >= 0) & wiki.is_upper[links.first]
    called = [words_of(without_brackets(title)) for title in wiki.titles]
    same = changed = 0
    for link in np.flatnonzero(inside).tolist():
        shown = wiki.spelling[links.first[link] : links.last[link]]
        anchor, name = tuple(word.lower() for word in shown), called[links.target[link]]
        same += anchor == name
        changed += anchor != name and is_form_of(name, anchor)
    return changed >= _CHANGING * max(1, same)


def _is_like(wiki: Wiki, rows: Candidates, index: int, given: Mapping[int, set[Words]]) -> bool:
    """Does every word with a capital, or else any word, begin as a word of the target's names does?

    "Green Arrow Industries", which one page once linked to Green Arrow, does not.
    """
    first = int(rows.first[index])
    shown = wiki.spelling[first : first + int(rows.length[index])]
    names = given[int(rows.target[index])]
    beginnings = {word[:_BEGINNING] for name in names for word in name}
    capitals = [word for word in shown if word[:1].isupper()]
    found = [word.lower()[:_BEGINNING] in beginnings for word in capitals or shown]
    return all(found) if capitals else any(found)


def _links_beside(wiki: Wiki, first: Longs, last: Longs, hidden: Bools) -> Bools:
    standing = standing_words(wiki, hidden)
    after = np.minimum(last + 1, len(wiki.word) - 1)
    before = standing[np.maximum(first - 1, 0)] & (wiki.gap[first] < PUNCTUATION)
    return np.asarray(before | (standing[after] & (wiki.gap[after] < PUNCTUATION)))


def _is_plain(wiki: Wiki, first: Longs, last: Longs) -> Bools:
    same_style = (wiki.italic[first] == wiki.italic[last]) & (wiki.quote[first] == wiki.quote[last])
    same_flags = (wiki.flags[first] ^ wiki.flags[last]) & (BOLD | LISTED) == 0
    opened = np.concatenate([[0], np.cumsum((wiki.flags & IN_BRACKETS) > 0)])
    same_flags &= opened[last + 1] == opened[first + 1]
    return np.asarray(same_style & same_flags & (wiki.gap[last] != BLOCK) | (first == last))


def _in_one_sentence(wiki: Wiki, rows: Candidates) -> Bools:
    """ "...to get Cyborg. Superman has..." does not mention Cyborg Superman."""
    inside = np.ones(len(rows), dtype=bool)
    for i in np.flatnonzero(rows.length > 1).tolist():
        first, last = int(rows.first[i]), int(rows.first[i] + rows.length[i]) - 1
        sentence = wiki.pages[rows.page[i]].sentence_at(int(wiki.start[first]))
        inside[i] = sentence is None or int(wiki.end[last]) <= sentence[1]
    return inside


def written_as_names(wiki: Wiki) -> Bools:
    """Per page: is its name a proper name, as links to it, or its own text, write it?"""
    links = wiki.links
    inside = (links.target >= 0) & (wiki.gap[links.first] < SENTENCE)
    upper = np.bincount(
        links.target[inside], weights=wiki.is_upper[links.first[inside]], minlength=wiki.size
    )
    count = np.bincount(links.target[inside], minlength=wiki.size)
    return np.where(count >= _ENOUGH, upper >= 0.8 * count, _own_text_says(wiki))


def _own_text_says(wiki: Wiki) -> Bools:
    """Per page: does it write the first word of its title with a capital inside sentences?

    Where it does not say, capitals inside the title do, or its bold name, or all other pages.
    """
    wanted = np.full(wiki.size, -1, dtype=np.int64)
    several = np.zeros(wiki.size, dtype=bool)
    in_bold = np.zeros(wiki.size, dtype=bool)
    for number, title in enumerate(wiki.titles):
        name = without_brackets(title)
        words = words_of(name)
        several[number] = any(part[:1].isupper() for part in name.split()[1:])
        in_bold[number] = name[:1].lower() + name[1:] in wiki.pages[number].bold_names
        wanted[number] = wiki.vocabulary.get(words[0], -1) if words else -1
    own = (wiki.word == wanted[wiki.page]) & (wiki.gap < SENTENCE)
    upper = np.bincount(wiki.page[own & wiki.is_upper], minlength=wiki.size)
    count = np.bincount(wiki.page[own], minlength=wiki.size)
    elsewhere = np.append(capital_words(wiki), True)[wanted]  # -1, a word never seen, is the last
    silent = several | (elsewhere & ~in_bold)
    return np.where(count >= _ENOUGH, upper >= 0.8 * count, silent)


def _dates(wiki: Wiki, is_name: Bools) -> Bools:
    """Per page: is it a date, a year or a decade? The 1960s, but not Apollo 11 or Carbon-14."""
    dated = np.zeros(wiki.size, dtype=bool)
    for number, title in enumerate(wiki.titles):
        words = without_brackets(title).split()
        figures = [_FIGURE.fullmatch(word) is not None for word in words]
        is_small = not is_name[number] and title[1:] == title[1:].lower()
        dated[number] = bool(words) and (all(figures) or (any(figures) and is_small))
    return dated


def usually_italic(wiki: Wiki) -> Bools:
    """Per page: do links to it stand in italics more often than not?"""
    inside = wiki.links.target >= 0
    target = wiki.links.target[inside]
    italic = wiki.italic[wiki.links.first[inside]] > 0
    count = np.bincount(target, minlength=wiki.size)
    return np.asarray(np.bincount(target, weights=italic, minlength=wiki.size) * 2 > count)
