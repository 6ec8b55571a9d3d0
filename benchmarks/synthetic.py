"""Exports of any size, made of invented articles that look like real ones to a parser."""

from __future__ import annotations

import bz2
import random
from pathlib import Path
from xml.sax.saxutils import escape

HEAD = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">'
    "<siteinfo><sitename>Synthetic</sitename><dbname>synthetic</dbname>"
    "<base>https://synthetic.example.org/wiki/Main_Page</base><case>first-letter</case><namespaces>"
    '<namespace key="0" case="first-letter" /><namespace key="14" case="first-letter">Category'
    "</namespace></namespaces></siteinfo>\n"
)
SYLLABLES = [
    "ba",
    "de",
    "fi",
    "go",
    "hu",
    "ka",
    "le",
    "mi",
    "no",
    "pu",
    "ra",
    "se",
    "ti",
    "vo",
    "zu",
    "lan",
    "mer",
    "tis",
    "por",
    "dan",
]
CATEGORY = "Invented articles"


def write_export(path: Path, pages: int, *, seed: int = 1) -> Path:
    """PATH (.xml or .xml.bz2) holds PAGES pages, every tenth of them a redirect."""
    chance = random.Random(seed)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 4))) for _ in range(4000)]
    opener = bz2.open if path.suffix == ".bz2" else open
    with opener(path, "wt", encoding="utf-8") as file:
        file.write(HEAD)
        for number in range(1, pages + 1):
            title, text = f"Article {number}", article(number, pages, words, chance)
            file.write(
                f"<page><title>{title}</title><ns>0</ns><id>{number}</id><revision>"
                f"<id>{number + 1000}</id><timestamp>2024-01-01T00:00:00Z</timestamp>"
                f"<model>wikitext</model><format>text/x-wiki</format>"
                f'<text xml:space="preserve">{escape(text)}</text></revision></page>\n'
            )
        file.write("</mediawiki>\n")
    return path


def article(number: int, pages: int, words: list[str], chance: random.Random) -> str:
    """A lead, an infobox, sections with links and references, categories; or a redirect."""
    if number % 10 == 0:
        return f"#REDIRECT [[Article {number - 1}]]"
    link = lambda: f"[[Article {chance.randint(1, pages)}|{chance.choice(words)}]]"  # noqa: E731
    lines = [f"{{{{Infobox|name=Article {number}|see={link()}}}}}", f"'''Article {number}''' is"]
    for section in range(chance.randint(2, 5)):
        sentences = []
        for _ in range(chance.randint(3, 8)):
            inside = chance.choices(words, k=chance.randint(6, 20))
            inside.insert(len(inside) // 2, link())
            sentences.append(" ".join(inside).capitalize() + ".")
        note = f"<ref>{{{{cite book|title={chance.choice(words)}}}}}</ref>"
        lines.append(f"\n== Section {section} ==\n{' '.join(sentences)}{note}")
    groups = f"[[Category:{CATEGORY}]]\n[[Category:Group {number % 97}]]"
    return "\n".join([*lines, "\n== References ==\n<references />", groups])
