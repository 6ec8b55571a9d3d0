"""A page as columns, one entry per word, and its links apart from them.

Every column is read from the text *without the brackets of its links*, so no column can tell where a
link is. A page with hidden links is the same page with fewer entries in `links`.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from wikibot.wikitext import PageText, SiteRules, WikiLink, read_page
from wikibot.wikitext import parse as markup
from wikibot.wikitext.sentences import find_tokens

FORMAT = 8  # of packed pages; it changes with what is read from a page, and how
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]
Range = tuple[int, int]

# What stands between a word and the one before it, in rising order of distance.
SPACE, HYPHEN, APOSTROPHE, DOT, PUNCTUATION, SENTENCE, BLOCK = range(7)
_GAPS = {"": SPACE, "-": HYPHEN, "\u2010": HYPHEN, "\u2011": HYPHEN, "'": APOSTROPHE, "\u2019": APOSTROPHE, ".": DOT}  # fmt: skip

# Flags of a word.
BOLD, LISTED, IN_BRACKETS, NUMBERED, AFTER_QUOTE, UPPER, ALL_CAPS, DIGIT, LETTER, PREFORMATTED = (
    1 << i for i in range(10)
)
_OPENERS = {
    " (": IN_BRACKETS,
    **dict.fromkeys((" #", "'' #"), NUMBERED),
    **dict.fromkeys((f"{space}{mark}" for space in (" ", " (") for mark in "\"“«„'‘"), AFTER_QUOTE),
}
_STYLE_MARKS = re.compile(r"''+")
_PIPED = re.compile(r"\[\[[^\[\]|]*\|")
_BRACKETS = frozenset("[]{}")
_MOST_BOX_WORDS = 600

COLUMNS = ("start", "end", "gap", "flags", "italic", "quote", "section", "paragraph", "sentence")


@dataclass(frozen=True, slots=True)
class Links:
    """Links in prose: words[first:last] lead to the title; no words where none may be proposed."""

    first: Ints
    last: Ints
    target: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.target)

    def where(self, keep: Bools) -> Links:
        """Only these links."""
        target = tuple(
            title for title, kept in zip(self.target, keep.tolist(), strict=True) if kept
        )
        return Links(self.first[keep], self.last[keep], target)


@dataclass(frozen=True, slots=True)
class Page:
    """A page's words and links; each row of `columns` has one entry per word (see COLUMNS).

    `text` is the wikitext without the brackets of links in prose, and offsets are places in it;
    `cuts` leads back to the wikitext. `italic` and `quote` number the run in italics and the
    quotation a word stands in, 0 outside. `box_links` are titles linked in boxes, tables, captions
    and notes, `list_links` those in sections such as See also, and `fixed_links` the
    words and titles of links that are never hidden: those of headings, and those in prose whose brackets
    cannot go without making another link. `box` holds the words of templates.
    """

    title: str
    text: str
    columns: Ints
    cuts: Ints  # (n, 2): from this place of `text` on, so many characters were taken out before it
    sentences: Ints  # (n, 2): start and end in `text`
    links: Links
    box_links: tuple[str, ...]
    list_links: tuple[str, ...]
    fixed_links: tuple[tuple[str, str], ...]
    bold_names: tuple[str, ...]
    box: str
    categories: tuple[str, ...]
    templates: tuple[str, ...]
    is_disambiguation: bool
    headings: tuple[tuple[int, str], ...]  # level and title of each section after the lead
    words: Keys  # a number for each word in lower case, the same everywhere

    def __len__(self) -> int:
        return len(self.words)

    def column(self, name: str) -> Ints:
        """One column."""
        found: Ints = self.columns[COLUMNS.index(name)]
        return found

    @property
    def other_links(self) -> tuple[str, ...]:
        """Titles that are linked outside the prose."""
        return (*self.box_links, *self.list_links, *(title for _, title in self.fixed_links))

    def word(self, index: int) -> str:
        """A word as it is written."""
        return self.text[self.columns[0, index] : self.columns[1, index]]

    def spelled(self, first: int, length: int) -> list[str]:
        """Some words as they are written."""
        starts, ends = self.columns[:2, first : first + length].tolist()
        return [self.text[start:end] for start, end in zip(starts, ends, strict=True)]

    def written(self, first: int, length: int) -> str:
        """The text of some words with what stands between them."""
        return self.text[self.columns[0, first] : self.columns[1, first + length - 1]]

    def hide(self, links: Bools | None = None) -> Page:
        """The page as if these links (all, by default) had no brackets."""
        keep = np.zeros(len(self.links), dtype=bool) if links is None else ~links
        return replace(self, links=self.links.where(keep))

    def place(self, first: int, length: int) -> Range:
        """Where words stand in the wikitext, brackets and all."""
        start, end = int(self.columns[0, first]), int(self.columns[1, first + length - 1])
        return self.offset(start), self.offset(end - 1) + 1

    def offset(self, at: int) -> int:
        """The place in the wikitext of text[at]."""
        return offset_before_cuts(self.cuts, at)

    def sentence_around(self, first: int, length: int) -> Range:
        """Start and end in `text` of the sentence that holds these words, or else the words."""
        number = int(self.column("sentence")[first])
        start, end = int(self.columns[0, first]), int(self.columns[1, first + length - 1])
        if number < 0:
            return start, end
        return int(self.sentences[number, 0]), max(end, int(self.sentences[number, 1]))

    def covered(self) -> Bools:
        """Which words carry a link."""
        steps = np.zeros(len(self) + 1, dtype=np.int64)
        np.add.at(steps, self.links.first, 1)
        np.add.at(steps, self.links.last, -1)
        return np.cumsum(steps[:-1]) > 0

    def packed(self) -> bytes:
        """The same in few bytes, which travel between processes and lie in the database."""
        plain = {name: getattr(self, name) for name in _PLAIN}
        plain["links"] = self.links.target
        arrays = [
            np.stack([self.links.first, self.links.last]),
            self.sentences.T,
            self.cuts.T,
            self.columns,
        ]
        plain["sizes"] = [array.shape[1] for array in arrays]
        steps = [np.diff(array, axis=1, prepend=np.int32(0)).tobytes() for array in arrays]
        text = json.dumps(plain, separators=(",", ":"), ensure_ascii=False).encode(
            "utf-8", "surrogatepass"
        )
        return zlib.compress(b"%d\n" % len(text) + text + b"".join(steps), 1)

    @classmethod
    def unpacked(cls, content: bytes) -> Page:
        """The page that was packed."""
        length, _, rest = zlib.decompress(content).partition(b"\n")
        plain: dict[str, Any] = json.loads(rest[: int(length)].decode("utf-8", "surrogatepass"))
        numbers = np.frombuffer(rest[int(length) :], dtype=np.int32)
        arrays, at = [], 0
        for rows, size in zip((2, 2, 2, len(COLUMNS)), plain.pop("sizes"), strict=True):
            steps = numbers[at : at + rows * size].reshape(rows, size)
            arrays.append(np.cumsum(steps, axis=1, dtype=np.int32))
            at += rows * size
        (first, last), sentences, cuts, columns = arrays
        links = Links(first, last, tuple(plain.pop("links")))
        for name in ("headings", "fixed_links"):
            plain[name] = [tuple(pair) for pair in plain[name]]
        values: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in plain.items()
        }
        words = word_keys(_spellings(values["text"], columns[0], columns[1]))
        return cls(
            columns=columns, cuts=cuts.T, sentences=sentences.T, links=links, words=words, **values
        )


_PLAIN = ("title", "text", "box_links", "list_links", "fixed_links", "bold_names", "box", "categories", "templates", "is_disambiguation", "headings")  # fmt: skip


def read(title: str, text: str, rules: SiteRules) -> Page | None:
    """Read a page; None for a redirect. Raises BadWikitext where it cannot be read safely."""
    return columns_of(read_page(text, rules, title), title)


def columns_of(page: PageText, title: str) -> Page | None:
    """The columns of a page that is parsed already; None for a redirect."""
    if page.redirect_target:
        return None
    shown, cuts, links = _without_brackets(page)
    starts, ends, flags = _words(shown)
    spelled = _spellings(shown.text, starts, ends)
    columns, sentences = _columns(shown, spelled, starts, ends, flags)
    kept = _placed(links, columns)
    box_links, list_links = _other_links(shown)
    return Page(
        title, shown.text, columns, cuts, sentences, kept, box_links, list_links, _fixed_links(shown), tuple(shown.bold_names),
        _box_words(shown), tuple(name.partition(":")[2] or name for name in shown.categories),
        tuple(sorted({template.name for template in shown.templates})), shown.is_disambiguation,
        tuple((heading.level, heading.title.strip()) for heading in shown.sections), word_keys(spelled),
    )  # fmt: skip


def packed_page(title: str, text: str, rules: SiteRules) -> bytes | None:
    """`read` as a task for the processes that read pages."""
    page = read(title, text, rules)
    return page.packed() if page is not None else None


_KEYS: dict[str, int] = {}
_MOST_KEYS = 500_000  # words whose numbers are remembered


def word_key(word: str) -> int:
    """A number of 64 bits for a word in lower case."""
    digest = hashlib.blake2b(word.lower().encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def word_keys(words: Sequence[str]) -> Keys:
    """The numbers of words."""
    if len(_KEYS) > _MOST_KEYS:
        _KEYS.clear()
    try:
        return np.fromiter(map(_KEYS.__getitem__, words), dtype=np.uint64, count=len(words))
    except KeyError:
        _KEYS.update({word: word_key(word) for word in set(words) if word not in _KEYS})
    return np.fromiter(map(_KEYS.__getitem__, words), dtype=np.uint64, count=len(words))


def _spellings(text: str, starts: Ints, ends: Ints) -> list[str]:
    return [text[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]


Place = tuple[int, int, str]  # start and end in the text without brackets, title


def _without_brackets(page: PageText) -> tuple[PageText, Ints, list[Place]]:
    """The page without the brackets of links in prose, what was cut out, and where the links were.

    Links whose brackets cannot go without making another link, as those inside the brackets of a
    semantic annotation, stay in the text.
    """
    hideable = [link for link in page.links if _is_hideable(page, link)]
    fixed: set[int] = set()
    while hideable:
        bare, cuts, taken = _cut_out(page, hideable)
        made = [
            (offset_before_cuts(cuts, link.start), offset_before_cuts(cuts, link.end - 1))
            for link in bare.links
            if _is_hideable(bare, link)
        ]
        around = [(start, last) for start, last in made if start not in fixed]
        if not around:
            return bare, cuts, _places(page, hideable, taken)
        inside = {k.start for k in hideable if any(a <= k.start and k.end <= b + 1 for a, b in around)}  # fmt: skip
        fixed |= inside or {link.start for link in hideable}
        hideable = [link for link in hideable if link.start not in fixed]
    return page, np.zeros((0, 2), dtype=np.int32), []


def _cut_out(page: PageText, links: list[WikiLink]) -> tuple[PageText, Ints, list[int]]:
    """The page without the brackets of some links, the cuts, and what was taken out before each link."""
    pairs = [((k.start, k.anchor_start), (k.anchor_end, k.end)) for k in links]
    removed = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    taken = np.cumsum(removed[:, 1] - removed[:, 0], dtype=np.int32)
    bare = read_page(_cut(page.text, removed), page.site, page.title)
    return bare, np.stack([removed[:, 1] - taken, taken], axis=1), taken[::2].tolist()


def _places(page: PageText, links: list[WikiLink], taken: list[int]) -> list[Place]:
    """Where links stand in the text without brackets, with their trails."""
    trails = [page.site.trail_length(page.text, link.end) for link in links]
    return [
        (link.anchor_start - before, link.anchor_end - before + trail, link.target)
        for link, before, trail in zip(links, taken, trails, strict=True)
    ]


def offset_before_cuts(cuts: Ints, at: int) -> int:
    """The place in the wikitext of a place in the text without brackets."""
    index = int(np.searchsorted(cuts[:, 0], at, side="right")) - 1
    return at + int(cuts[index, 1]) if index >= 0 else at


def _is_hideable(page: PageText, link: WikiLink) -> bool:
    """Is it a link in running text to a page, in a section that is not left alone?"""
    if not (link.in_prose and link.is_page_link) or page.is_excluded(link.start):
        return False
    around = page.text[max(0, link.start - 1) : link.start] + page.text[link.end : link.end + 1]
    return _BRACKETS.isdisjoint(around + page.text[link.anchor_start : link.anchor_end])


def _cut(text: str, removed: Ints) -> str:
    """The text without these ranges, which are in order."""
    starts = [0, *removed[:, 1].tolist()]
    ends = [*removed[:, 0].tolist(), len(text)]
    return "".join(text[start:end] for start, end in zip(starts, ends, strict=True))


def _other_links(page: PageText) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Titles linked in boxes, tables, captions and notes, and those in sections left alone."""
    boxes: list[str] = []
    lists: list[str] = []
    for link in page.links:
        if link.is_page_link and link.place != "comment" and not _is_fixed(page, link):
            (lists if page.is_excluded(link.start) else boxes).append(link.target)
    return tuple(dict.fromkeys(boxes)), tuple(dict.fromkeys(lists))


def _fixed_links(page: PageText) -> tuple[tuple[str, str], ...]:
    """Words and titles of the links that are left in the text and count as links of the page."""
    return tuple(
        (page.text[link.anchor_start : link.anchor_end], link.target)
        for link in page.links
        if _is_fixed(page, link)
    )


def _is_fixed(page: PageText, link: WikiLink) -> bool:
    in_text = link.in_prose and not page.is_excluded(link.start)
    return link.is_page_link and (link.place == "heading" or in_text)


def _words(page: PageText) -> tuple[Ints, Ints, Ints]:
    """Start, end and flags of every word where a link may stand."""
    found: list[tuple[int, int, int]] = []
    for span in page.spans:
        flags = BOLD * span.bold | LISTED * (span.block == "list")
        flags |= PREFORMATTED * (span.block == "preformatted")
        tokens = find_tokens(page.text, span.start, span.end, page.site.language)
        found += [(start, end, flags) for start, end in tokens]
    starts, ends, flags = np.array(found, dtype=np.int32).reshape(-1, 3).T
    return starts, ends, flags


def _placed(links: list[Place], columns: Ints) -> Links:
    """The words of each link, by the places of its text."""
    spans = np.array([place[:2] for place in links], dtype=np.int32).reshape(-1, 2)
    first = np.searchsorted(columns[1], spans[:, 0], side="right")
    last = np.maximum(np.searchsorted(columns[0], spans[:, 1], side="left"), first)
    return Links(
        first.astype(np.int32), last.astype(np.int32), tuple(title for _, _, title in links)
    )


def _columns(
    page: PageText, spelled: list[str], starts: Ints, ends: Ints, flags: Ints
) -> tuple[Ints, Ints]:
    sentences = np.array([(s.start, s.end) for s in page.sentences], dtype=np.int32).reshape(-1, 2)
    sentence = number_of_range(sentences, starts) - 1
    gaps, paragraphs, opened = _gaps(page.text, starts, ends, sentence)
    headings = np.array([heading.start for heading in page.sections], dtype=np.int32)
    columns = (
        starts, ends, gaps, flags | opened | _shapes(spelled), number_of_range(_italics(page), starts),
        number_of_range(page.quoted, starts), np.searchsorted(headings, starts, side="right"),
        paragraphs, sentence,
    )  # fmt: skip
    return np.array(columns, dtype=np.int32).reshape(len(COLUMNS), -1), sentences


def _shapes(spelled: list[str]) -> Ints:
    """Flags that the letters of a word tell."""
    flags = {word: _shape(word) for word in set(spelled)}
    return np.fromiter(map(flags.__getitem__, spelled), dtype=np.int32, count=len(spelled))


def _shape(word: str) -> int:
    return (
        UPPER * word[0].isupper()
        | ALL_CAPS * (len(word) > 1 and word.isupper())
        | DIGIT * word[0].isdigit()
        | LETTER * any(map(str.isalpha, word))
    )


def _gaps(text: str, starts: Ints, ends: Ints, sentence: Ints) -> tuple[Ints, Ints, Ints]:
    """What stands before each word, the number of its paragraph, and what opens before it."""
    gaps = np.full(len(starts), BLOCK, dtype=np.int32)
    opened = np.zeros(len(starts), dtype=np.int32)
    new_line = np.zeros(len(starts), dtype=np.int32)
    pairs = zip(ends[:-1].tolist(), starts[1:].tolist(), strict=True)
    for i, (end, start) in enumerate(pairs, 1):
        between = text[end:start]
        if between == " ":
            gaps[i] = SPACE
        elif "\n" in between:
            new_line[i] = 1
        else:
            gaps[i] = _gap(between)
            opened[i] = _OPENERS.get(between, 0)
    changed = np.diff(sentence, prepend=-1) != 0
    gaps = np.where(changed & (gaps < SENTENCE), SENTENCE, gaps)
    return gaps.astype(np.int32), np.cumsum(new_line, dtype=np.int32), opened


def _gap(between: str) -> int:
    if any(mark in between for mark in "<{|}"):
        return BLOCK
    if "''" in between:
        between = _STYLE_MARKS.sub("", between)
    return _GAPS.get(between.strip(), PUNCTUATION)


def number_of_range(ranges: Sequence[Range] | Ints, offsets: Ints) -> Ints:
    """The number of the range that holds each offset, from 1; 0 where none does."""
    if not len(ranges):
        return np.zeros(len(offsets), dtype=np.int32)
    first, last = np.array(ranges).T
    at = np.searchsorted(first, offsets, side="right") - 1
    return np.where((at >= 0) & (offsets < last[at]), at + 1, 0).astype(np.int32)


def _italics(page: PageText) -> list[Range]:
    """The runs in italics."""
    return [
        (node.inner, node.inner_end)
        for node in page.nodes
        if node.kind == markup.TAG and node.name in ("i", "em")
    ]


def _box_words(page: PageText) -> str:
    """What a reader sees in top-level templates, as words between spaces."""
    seen, end = [], 0
    for template in page.templates:
        if template.start >= end:
            end = template.end
            seen.append(_PIPED.sub(" ", template.arguments))
    text = " ".join(seen)
    tokens = find_tokens(text, 0, len(text), page.site.language)[:_MOST_BOX_WORDS]
    return f" {' '.join(text[start:end].lower() for start, end in tokens)} "
