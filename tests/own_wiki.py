"""A small foreign wiki: two hundred invented rivers, towns and regions, for walks through the docs.

Most mentions are links, as on a wiki in use; some are not, and those are what should be proposed.
"""

from __future__ import annotations

import bz2
import random
from pathlib import Path

from tests.fetch.exports import export_xml

SYLLABLES = ("ar", "bel", "cor", "dun", "esk", "fal", "gor", "hav", "ister", "jol", "kes", "lun")
ENDS = ("a", "en", "is", "om", "ur", "ith")
KINDS = ("river", "town", "region")
TIMES = ("in spring", "in a dry summer", "for a hundred years", "until the railway came", "by boat")
SENTENCES = {
    "river": (
        "The {river} flows through {town} and turns west in {region}.",
        "Its valley was settled {time}, when people from {town} moved upstream.",
        "It meets the {river} below the weir at {town}, where trout are caught {time}.",
        "Floods reached the fields of {region} {time}.",
    ),
    "town": (
        "The town stands on the {river}, a day on foot from {town}.",
        "Its market was known all over {region} {time}.",
        "A bridge across the {river} joins it to {town}.",
        "Bricks were shipped on the {river} {time}.",
    ),
    "region": (
        "The region is drained by the {river}, and {town} is its largest town.",
        "Its people traded with {region} {time}.",
        "Most of its mills stood on the {river} near {town}.",
        "The road from {town} to {town} crosses it.",
    ),
}


def pages(seed: int = 0, linked: float = 0.85) -> dict[str, str]:
    """The pages by title; a mention is a link with the probability `linked`."""
    draw = random.Random(seed)
    stems = [a + b + end for a in SYLLABLES for b in SYLLABLES[:3] for end in ENDS]
    names = {kind: [s.capitalize() for s in stems[n::3]] for n, kind in enumerate(KINDS)}
    return {
        name: _article(draw, kind, name, names, linked) for kind in KINDS for name in names[kind]
    }


def write_own_export(path: Path) -> Path:
    """PATH holds the wiki as a packed export."""
    path.write_bytes(bz2.compress(export_xml(pages()).encode()))
    return path


def _article(
    draw: random.Random, kind: str, name: str, names: dict[str, list[str]], linked: float
) -> str:
    seen = {name}
    told = [f"'''{name}''' is a {kind} of the invented island of Ostermere."]
    for sentence in draw.sample(SENTENCES[kind], 4):
        told.append(_filled(draw, sentence, names, seen, linked))
    return " ".join(told[:3]) + "\n\n== Past and present ==\n" + " ".join(told[3:]) + "\n"


def _filled(
    draw: random.Random, sentence: str, names: dict[str, list[str]], seen: set[str], linked: float
) -> str:
    """The sentence with a name for each place in it, none of them used before on the page."""
    sentence = sentence.replace("{time}", draw.choice(TIMES))
    for kind in KINDS:
        while f"{{{kind}}}" in sentence:
            name = draw.choice([one for one in names[kind] if one not in seen])
            seen.add(name)
            mention = f"[[{name}]]" if draw.random() < linked else name
            sentence = sentence.replace(f"{{{kind}}}", mention, 1)
    return sentence
