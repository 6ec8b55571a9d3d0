"""What the links that stand on a page say of a mention there: its customs, by CRTM's contexts.

Links stand on most pages on which links are to be found: those that lead out of the wiki, at
least. Where its editors linked more, or less, than other pages link the same words, they will have
done so throughout a passage on one matter. Each word of the page has an error: whether it is linked
here, less the share of other pages that link it, which is CRTM's aptness of a word. A mention is
told the mean error of the words in contexts alike, and alike are contexts by CRTM's word vectors.
Words that candidates are made of say nothing, since their links may be the ones that are hidden.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wikibot.ranking.aptness import WordVectors, at_length_one
from wikibot.ranking.candidates import Candidates, standing_words
from wikibot.ranking.wiki import Bools, Floats, Longs, Wiki

_WINDOW = 10  # words on each side, as far as CRTM's word vectors look
_SHRINK = 0.3  # doubts that must be near before their errors are believed by half
_PSEUDO = 2.0  # pages with a word before what they do is believed by half


def customs_column(
    wiki: Wiki, known: Bools, vectors: WordVectors, rows: Candidates, hidden: Bools
) -> Floats:
    """How much more than usual the page links in contexts like the candidate's.

    What is usual is learned from the `known` pages, the page itself left out.
    """
    words = _Words.of(wiki, known, rows, hidden)
    values = np.zeros(len(rows), dtype=np.float32)
    starts = np.searchsorted(rows.page, np.arange(wiki.size + 1))
    for page in np.unique(rows.page).tolist():
        part = slice(starts[page], starts[page + 1])
        here = slice(*wiki.offsets[page : page + 2].tolist())
        places, chance = words.that_speak(here, is_known=bool(known[page]))
        first, where = np.unique(rows.first[part] - here.start, return_inverse=True)
        near = _alike(vectors.at(np.arange(here.start, here.stop)), first, places)
        near *= wiki.is_upper[here][first][:, None] == wiki.is_upper[here][places]
        error, doubt = words.standing[here][places] - chance, chance * (1 - chance)
        values[part] = (_total(near, error) / (_total(near, doubt) + _SHRINK))[where]
    return values


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of the wiki: which is which, which are linked, and how often pages link such words."""

    kind: Longs  # a number for the word and its case
    linked: Bools
    standing: Bools  # linked, and not hidden
    speaks: Bools
    pages: Longs  # per kind: known pages that have it
    linking: Longs  # per kind: known pages that link it
    means: Floats  # the share of these among words in small letters, and with a capital

    @classmethod
    def of(cls, wiki: Wiki, known: Bools, rows: Candidates, hidden: Bools) -> _Words:
        kind, linked, counts = 2 * wiki.word + wiki.is_upper, wiki.link >= 0, known[wiki.page]
        standing = standing_words(wiki, hidden)
        kinds = 2 * max(1, len(wiki.vocabulary))
        pages, linking = (
            np.bincount(np.unique(wiki.page[at] * kinds + kind[at]) % kinds, minlength=kinds)
            for at in (counts, counts & linked)
        )
        means = [linking[case::2].sum() / max(1, pages[case::2].sum()) for case in (0, 1)]
        speaks = standing | ~_in_candidates(wiki, rows)
        return cls(kind, linked, standing, speaks, pages, linking, np.array(means, np.float32))

    def that_speak(self, here: slice, *, is_known: bool) -> tuple[Longs, Floats]:
        """A place for each kind of word on a page, and how often other pages link the kind.

        The place is the first one that is linked, or else the first.
        """
        places = np.flatnonzero(self.speaks[here])
        places = places[np.argsort(~self.standing[here][places], kind="stable")]
        kinds, at = np.unique(self.kind[here][places], return_index=True)
        pages, linking = self.pages[kinds], self.linking[kinds]
        if is_known:  # then it is among these pages itself
            own = self.kind[here][self.linked[here]]
            pages, linking = pages - 1, linking - np.isin(kinds, own)
        chance = (linking + _PSEUDO * self.means[kinds % 2]) / (pages + _PSEUDO)
        return places[at], chance.astype(np.float32)


def _in_candidates(wiki: Wiki, rows: Candidates) -> Bools:
    """Which words are part of a candidate."""
    change = np.zeros(len(wiki.word) + 1, dtype=np.int64)
    np.add.at(change, rows.first, 1)
    np.add.at(change, rows.first + rows.length, -1)
    return np.asarray(np.cumsum(change)[:-1] > 0)


def _total(near: Floats, value: Floats) -> Floats:
    """The sums of the values, weighted by nearness."""
    # A product may raise the flag though all its numbers are sound.
    with np.errstate(invalid="ignore"):
        return np.asarray(near @ value)


def _alike(vectors: Floats, first: Longs, places: Longs) -> Floats:
    """How alike the contexts of two sets of places are, on a page whose words have these vectors.

    A context is the mean vector around a word, what the contexts of the page share taken away. The
    cosine is taken to its fourth power, so that nearness fades fast.
    """
    contexts = _contexts(vectors, np.concatenate([first, places]))
    ours, theirs = contexts[: len(first)], contexts[len(first) :]
    shared = theirs.mean(axis=0) if len(theirs) else np.float32(0)
    cosine = at_length_one(ours - shared) @ at_length_one(theirs - shared).T
    return np.asarray(np.square(np.square(np.maximum(cosine, 0))))


def _contexts(vectors: Floats, places: Longs) -> Floats:
    """The direction of the mean vector around each place."""
    sums = np.concatenate([np.zeros_like(vectors[:1]), np.cumsum(vectors, axis=0)])
    before = np.maximum(places - _WINDOW, 0)
    after = np.minimum(places + _WINDOW + 1, len(vectors))
    return at_length_one(sums[after] - sums[before] - vectors[places])
