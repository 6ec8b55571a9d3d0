"""What every source of pages hands over, be it an export or a live wiki."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from urllib.parse import urlsplit

CATEGORY_NAMESPACE = 14


@dataclass(frozen=True, slots=True)
class Listed:
    """A page as a list names it, with its newest revision."""

    page_id: int
    title: str
    namespace: int
    revision_id: int


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A page at one revision, as the wiki has it."""

    page_id: int
    title: str
    namespace: int
    revision_id: int
    timestamp: str  # as MediaWiki writes it: '2022-10-01T00:00:00Z'
    text: str | None  # None where the revision's text was hidden
    model: str = "wikitext"
    is_disambiguation: bool = False  # as the wiki says; the text may say so too


@dataclass(frozen=True, slots=True)
class Changed:
    """That something happened to these pages: an edit, a move, a deletion; what it was does not matter."""

    titles: tuple[str, ...]
    page_id: int  # 0 where it is not known
    timestamp: str


def moment(timestamp: str) -> datetime | None:
    """MediaWiki's time stamp as a moment in UTC; None for one that cannot be read."""
    try:
        return datetime.strptime(timestamp, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    except ValueError:
        return None


def site_name(article_url: str | None) -> str:
    """The short name of the wiki whose articles are at this address.

    >>> site_name("https://en.wikipedia.org/wiki/$1"), site_name("http://a.org/b/index.php/$1")
    ('en.wikipedia.org', 'a.org/b')
    """
    parts = urlsplit(article_url or "")
    folder = parts.path.rpartition("/")[0]
    for usual in ("/index.php", "/wiki", "/w"):
        folder = folder.removesuffix(usual)
    return parts.netloc + folder
