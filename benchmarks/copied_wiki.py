"""python benchmarks/copied_wiki.py EXPORT OUT --pages N [--seed N]

A wiki of any size that looks real to every stage, made of copies of a real export.

Each copy renames its content words by a bijection, a cipher of its own that turns vowels into vowels
and consonants into consonants, wherever a word stands: in titles, links, redirects, categories and
prose. There are few short words, so that those of all copies would turn up on the pages of all others,
and become common words: they get an ending of their copy, as does what would be a common word. So names, ambiguity, inflection, link density and lengths keep their distribution, and copies
share only what most pages share: common words, and titles made of nothing else, such as years, whose
pages exist once and are linked from everywhere. A few links of each page lead to the same page of
another copy.
"""

from __future__ import annotations

import argparse
import bz2
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from wikibot.fetch.export import ExportHeader, ExportReader
from wikibot.source import SourcePage

COMMON_SHARE = 0.02  # of the pages that use a word which all copies share, if no title has it
STOP_WORD_SHARE = 0.15  # of the pages that use a word which all copies share in any case
CROSSING_SHARE = 0.04  # of the links that lead to another copy
SHORT_WORD_LETTERS = 3  # at most
VOWELS, CONSONANTS = "aeiou", "bcdfghjklmnpqrstvwxyz"
# Markup whose words mean something to MediaWiki; what is left of a text are words and signs.
MARKUP = (
    r"https?://\S+|<[^<>]*>|\{\{[^{}|\[\]]*|\|\s*[\w -]+=|&\w+;|^#\w+|__\w+__|\{\|[^\n]*|^\|-[^\n]*"
)
WORD = r"(?<![\w\]])[^\W\d_]{2,}"  # not what follows a link without a space and belongs to it

Rename = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Original:
    """The pages that are copied, and which of their words every copy shares."""

    header: ExportHeader
    pages: list[SourcePage]
    common: frozenset[str]
    pieces: re.Pattern[str]
    links: re.Pattern[str]

    @classmethod
    def read(cls, path: Path) -> Original:
        reader = ExportReader(path)
        header = reader.header()
        pages = [page for page in reader.pages() if page.namespace == 0 and page.text]
        used = Counter(
            word
            for page in pages
            for word in set(re.findall(WORD, f"{page.title} {page.text}".lower()))
        )
        titled = {word for page in pages for word in re.findall(WORD, page.title.lower())}
        common = {
            word
            for word, n in used.items()
            if n > (STOP_WORD_SHARE if word in titled else COMMON_SHARE) * len(pages)
        }
        common |= _words_after_shared_names([page.title for page in pages], common)
        spaces = "|".join(re.escape(name) for name in header.namespaces.values() if name)
        prefix = rf"\[\[\s*:?(?:{spaces or '(?!)'}|[a-z-]{{2,12}})\s*:"
        pieces = re.compile(rf"({prefix}|{MARKUP})|({WORD})", re.MULTILINE)
        links = re.compile(r"\[\[(?!\s*:?[^\[\]|]*:)[^\[\]{}\n]+\]\]")
        return cls(header, pages, frozenset(common), pieces, links)

    def rename_for(self, copy: int, seed: int) -> Rename:
        """The bijection of one copy; the first copy is the original."""
        if not copy:
            return lambda text: text
        table, ending = cipher_of(copy, seed), ending_of(copy)

        def renamed(match: re.Match[str]) -> str:
            word = match[2]
            if word is None or word.lower() in self.common:
                return match[0]
            new = word.translate(table)
            if len(word) > SHORT_WORD_LETTERS and new.lower() not in self.common:
                return new
            return new + (ending.upper() if word.isupper() else ending)

        return lambda text: self.pieces.sub(renamed, text)


def _words_after_shared_names(titles: Iterable[str], common: set[str]) -> set[str]:
    """Words in brackets of titles that have no other word to rename.

    Were "7 (number)" another page in each copy, "7" would mean as many pages as there are copies.

    >>> sorted(_words_after_shared_names(["7 (number)", "Ghent (city)"], set()))
    ['number']
    """
    found = set()
    for title in titles:
        name, _, rest = title.lower().partition(" (")
        if rest and not set(re.findall(WORD, name)) - common:
            found |= set(re.findall(WORD, rest))
    return found


def cipher_of(copy: int, seed: int) -> dict[int, int]:
    """The letters of one copy."""
    chance = random.Random(f"{seed} {copy}")
    table = {}
    for letters in (VOWELS, CONSONANTS):
        others = "".join(chance.sample(letters, len(letters)))
        table |= str.maketrans(letters + letters.upper(), others + others.upper())
    return table


def ending_of(copy: int) -> str:
    """What short words of one copy end with: a consonant and a vowel, more of them where copies are many.

    >>> ending_of(1), ending_of(6), ending_of(106)
    ('be', 'ce', 'bebe')
    """
    syllables, rest = "", copy
    while rest or not syllables:
        rest, place = divmod(rest, len(CONSONANTS) * len(VOWELS))
        syllables += CONSONANTS[place // len(VOWELS)] + VOWELS[place % len(VOWELS)]
    return syllables


def copied_pages(original: Original, pages: int, *, seed: int = 1) -> Iterator[tuple[str, str]]:
    """(title, text) of so many articles, and of the redirects that come with them."""
    seen: set[str] = set()
    written = copy = 0
    copies = 1 + pages // max(1, len(original.pages) // 2)
    while written < pages:
        rename = original.rename_for(copy, seed)
        chance = random.Random(f"{seed} {copy}")
        for page in original.pages:
            title = rename(page.title)
            if title in seen or written >= pages:
                continue
            seen.add(title)
            text = _crossed(original, page.text or "", rename, chance, copies, seed)
            written += not text.lstrip().startswith("#")
            yield title, text
        copy += 1


def _crossed(
    original: Original, text: str, rename: Rename, chance: random.Random, copies: int, seed: int
) -> str:
    """The text renamed, with a few links as another copy has them."""
    pieces, at = [], 0
    for link in original.links.finditer(text):
        if chance.random() < CROSSING_SHARE and not text.lstrip().startswith("#"):
            other = original.rename_for(chance.randrange(copies), seed)
            pieces += [rename(text[at : link.start()]), other(link[0])]
            at = link.end()
    return "".join([*pieces, rename(text[at:])])


def write_wiki(path: Path, source: Path, pages: int, *, seed: int = 1) -> Path:
    """PATH (.xml or .xml.bz2) is an export with so many articles."""
    original = Original.read(source)
    opener = bz2.open if path.suffix == ".bz2" else open
    with opener(path, "wt", encoding="utf-8") as file:
        file.write(head_of(original.header))
        for number, (title, text) in enumerate(copied_pages(original, pages, seed=seed), 1):
            file.write(page_of(number, title, text))
        file.write("</mediawiki>\n")
    return path


def head_of(header: ExportHeader) -> str:
    spaces = "".join(
        f'<namespace key="{number}" case="{header.case}">{escape(name)}</namespace>'
        for number, name in header.namespaces.items()
    )
    return (
        '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" '
        f'xml:lang="{header.language}"><siteinfo><sitename>Copies</sitename><dbname>copies</dbname>'
        "<base>https://copies.example.org/wiki/Main_Page</base>"
        f"<case>{header.case}</case><namespaces>{spaces}</namespaces></siteinfo>\n"
    )


def page_of(number: int, title: str, text: str) -> str:
    return (
        f"<page><title>{escape(title)}</title><ns>0</ns><id>{number}</id><revision>"
        f"<id>{number + 1000}</id><timestamp>2024-01-01T00:00:00Z</timestamp>"
        "<model>wikitext</model><format>text/x-wiki</format>"
        f'<text xml:space="preserve">{escape(text)}</text></revision></page>\n'
    )


def main(arguments: Iterable[str] | None = None) -> None:
    """Write the wiki that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("export", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pages", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(None if arguments is None else list(arguments))
    write_wiki(given.out, given.export, given.pages, seed=given.seed)


if __name__ == "__main__":
    main()
