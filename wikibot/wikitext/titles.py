"""Page titles as MediaWiki reads them."""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import unquote

from wikibot.wikitext.rules import SiteRules, fold_name

# Marks without a glyph that MediaWiki drops from titles: left-to-right and right-to-left signs.
_BIDI = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# MediaWiki folds all of these into one underscore; titles are kept here with spaces.
_SPACES = re.compile("[ _\u00a0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_ENTITY = re.compile(r"&(?:#[0-9]+|#[xX][0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);")
_ESCAPED = re.compile(r"%[0-9A-Fa-f]{2}")
_UNUSUAL = re.compile(r"[_:#&%/]|  ")


@dataclass(frozen=True, slots=True)
class Title:
    """A link's target: `Talk:Paris#History` is ("Talk:Paris", 1, "History", "")."""

    text: str
    namespace: int = 0
    fragment: str = ""
    interwiki: str = ""

    @property
    def is_valid(self) -> bool:
        """Does it name a page at all? A bare `#fragment` does not."""
        return bool(self.text)


def normalise_title(raw: str, site: SiteRules, *, page: str | None = None) -> Title:
    """The page that a link target in wikitext names.

    `page` is the title of the page the link stands on, for `/sub`, `../up` and `#here`.

    >>> normalise_title("spider-Man_(film)#Plot", SiteRules.for_language("en"))
    Title(text='Spider-Man (film)', namespace=0, fragment='Plot', interwiki='')
    """
    if raw.isascii() and not _UNUSUAL.search(raw):
        plain = raw.strip(" ")
        return Title(first_upper(plain) if site.capital_links else plain)
    decoded = _decoded(raw)
    name, _, fragment = decoded.partition("#")
    name, fragment = _spaced(name), _spaced(fragment)
    if page and name.startswith(("/", "../")):
        name = _from_subpage(name, page, site)
    prefix, namespace, rest = _split_prefix(name.removeprefix(":").strip(), site)
    if prefix:
        return Title(f"{prefix}:{rest}", 0, fragment, prefix)
    rest = first_upper(rest) if site.capital_links else rest
    local = site.namespace_names.get(namespace, "")
    return Title(f"{local}:{rest}" if local and rest else rest, namespace, fragment)


def first_upper(text: str) -> str:
    """`text` with the first letter that a wiki of the first-letter kind gives to titles.

    It is the title case, which for a few letters is not the upper case: `ß` becomes `Ss`.
    """
    return text[:1].title() + text[1:]


def decode_entities(text: str) -> str:
    """`text` with `&amp;` and its like decoded; only whole ones, as MediaWiki does."""
    return _ENTITY.sub(lambda found: html.unescape(found[0]), text) if "&" in text else text


def _decoded(raw: str) -> str:
    text = decode_entities(raw)
    if "%" in text and _ESCAPED.search(text):
        text = unquote(text)
    return text if text.isascii() else unicodedata.normalize("NFC", _BIDI.sub("", text))


def _spaced(text: str) -> str:
    if text.isascii() and "_" not in text and "  " not in text:
        return text.strip(" ")
    return _SPACES.sub(" ", text).strip(" ")


def _from_subpage(name: str, page: str, site: SiteRules) -> str:
    if _split_prefix(page, site)[1] not in site.subpage_namespaces:
        return name
    if name.startswith("/"):
        return f"{page}/{name.strip('/')}"
    base = page
    while name.startswith("../"):
        base, name = base.rpartition("/")[0], name[3:]
    return f"{base}/{name.rstrip('/')}" if name else base


def _split_prefix(name: str, site: SiteRules) -> tuple[str, int, str]:
    """(interwiki prefix, namespace, rest) of a title; an unknown prefix is part of the title."""
    before, colon, after = name.partition(":")
    if not colon:
        return "", 0, name
    key = fold_name(before)
    if key in site.namespaces:
        return "", site.namespaces[key], after.strip(" ")
    if key in site.interwiki:
        return key, 0, after.strip(" ")
    return "", 0, name
