"""Small corpora made up on the spot: planted topics, planted links, ordinary sentences."""

from __future__ import annotations

import numpy as np

from crtm import Corpus

THEMES = {
    "river": [
        "water",
        "bank",
        "flood",
        "stream",
        "valley",
        "bridge",
        "boat",
        "fish",
        "delta",
        "mill",
    ],
    "orchestra": [
        "violin",
        "conductor",
        "symphony",
        "brass",
        "concert",
        "rehearsal",
        "score",
        "cello",
        "oboe",
        "tempo",
    ],
    "forge": [
        "iron",
        "anvil",
        "hammer",
        "smith",
        "furnace",
        "steel",
        "blade",
        "coal",
        "bellows",
        "tongs",
    ],
}
FILLER = [
    "early",
    "often",
    "later",
    "near",
    "known",
    "called",
    "between",
    "under",
    "during",
    "towards",
]


def planted_records(pages: int = 36, seed: int = 0, sentences: int = 6) -> list[dict]:
    """Return pages of one theme each, named by a word of their own, that link to pages of the same theme by that word."""
    random = np.random.default_rng(seed)
    names = list(THEMES)
    titles = [
        f"{names[i % 3].title()}burg{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(pages)
    ]
    return [_page(i, titles, names, random, sentences) for i in range(pages)]


def _page(number: int, titles: list[str], names: list[str], random, sentences: int) -> dict:
    theme = names[number % 3]
    text, links = f"{titles[number]} is a {theme} place of {theme} people. ", []
    same = [i for i in range(len(titles)) if i % 3 == number % 3 and i != number]
    for target in random.choice(same, size=min(len(same), sentences), replace=False):
        words = list(random.choice(THEMES[theme], 5)) + list(random.choice(FILLER, 3))
        before, after = " ".join(words[:4]), " ".join(words[4:])
        start = len(text) + len(before) + 1
        text += f"{before.capitalize()} {titles[target]} {after}. "
        links.append([start, start + len(titles[target]), titles[target]])
    return {"title": titles[number], "text": text, "links": links}


def planted_corpus(pages: int = 36, seed: int = 0, **options) -> Corpus:
    """Return the pages as a corpus with every word known."""
    return Corpus.from_records(
        planted_records(pages, seed), min_documents=1, max_share=1.0, **options
    )
