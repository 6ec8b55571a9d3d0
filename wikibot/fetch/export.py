"""MediaWiki's XML exports, read as a stream: memory stays flat however long the file is.

expat is used directly because it is nearly three times as fast as mwxml on the same file
(docs/decisions/0020-own-export-reader.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit
from xml.parsers import expat

from wikibot.errors import BadExport
from wikibot.fetch.unpack import PackedExport
from wikibot.source import SourcePage
from wikibot.wikitext.admit import MAX_CHARACTERS

# Elements whose text is wanted, by the path of names below <mediawiki>.
_WANTED = {
    ("siteinfo", "sitename"),
    ("siteinfo", "dbname"),
    ("siteinfo", "base"),
    ("siteinfo", "case"),
    ("siteinfo", "namespaces", "namespace"),
    ("page", "title"),
    ("page", "ns"),
    ("page", "id"),
    ("page", "revision", "id"),
    ("page", "revision", "timestamp"),
    ("page", "revision", "model"),
    ("page", "revision", "text"),
}
_DEEPEST = max(map(len, _WANTED))
# Longer texts are refused when they are read, so no more than this is kept of one.
_LONGEST_TEXT = MAX_CHARACTERS + 1
_LONGEST_VALUE = 4_096  # characters of a title, an id, an address
# expat holds a tag or a comment in memory until it ends.
_LONGEST_TAG_BYTES = 1 << 24
_LARGEST_ID = 2**63 - 1
_COMPLAINT = "What was read before is kept; get the export again and run the same command to go on."


@dataclass(frozen=True, slots=True)
class ExportHeader:
    """What an export says of its wiki."""

    language: str = ""
    sitename: str = ""
    dbname: str = ""
    base: str = ""  # the address of the main page
    case: str = "first-letter"
    namespaces: dict[int, str] = field(default_factory=dict)

    @property
    def article_url(self) -> str | None:
        """Where an article is: 'https://en.wikipedia.org/wiki/$1'; None where nobody can tell."""
        try:
            parts = urlsplit(self.base)
        except ValueError:
            return None
        if not parts.netloc:
            return None
        folder = parts.path.rpartition("/")[0]
        return f"{parts.scheme}://{parts.netloc}{folder}/$1"


class ExportReader:
    """The pages of one export, in the order of the file; a history gives its newest revision."""

    def __init__(self, path: Path) -> None:
        self.file = PackedExport(path)
        self.pages_read = 0

    def place(self) -> tuple[int, int | None, int]:
        """How many bytes were read, of how many, and how many pages."""
        return self.file.position, self.file.size, self.pages_read

    def header(self) -> ExportHeader:
        """What stands before the first page; refuses a file that is no export."""
        handler = _Handler(self.file.path)
        for _ in self._events(handler):
            if handler.header is not None:
                break
        return handler.header or ExportHeader(language=handler.language)

    def pages(self) -> Iterator[SourcePage]:
        """Every page; where the file is cut short or damaged, BadExport after the last good one."""
        self.pages_read = 0
        handler = _Handler(self.file.path)
        for _ in self._events(handler):
            for page in handler.pages:
                self.pages_read += 1
                yield page
            handler.pages.clear()

    def _events(self, handler: _Handler) -> Iterator[None]:
        """Yields after each chunk that was parsed, and once more before any complaint."""
        parser = handler.parser()
        complaint: BadExport | None = None
        fed = 0
        try:
            for chunk in self.file.chunks():
                parser.Parse(chunk, False)
                fed += len(chunk)
                if fed - parser.CurrentByteIndex > _LONGEST_TAG_BYTES:
                    raise BadExport(f"{self.file.path} is damaged: it has a tag that never ends")
                yield
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            complaint = self._complaint(error, handler)
        except BadExport as error:
            complaint = error
        except (LookupError, ValueError) as error:  # the encoding is unknown, or has many bytes
            complaint = BadExport(f"{self.file.path} cannot be read as text: {error}")
        yield
        if complaint is not None:
            raise BadExport(f"{complaint}; after {self.pages_read} pages. {_COMPLAINT}") from None

    def _complaint(self, error: expat.ExpatError, handler: _Handler) -> BadExport:
        path, place = self.file.path, f"line {error.lineno}"
        if not handler.saw_root:
            return BadExport(f"{path} is not a MediaWiki export: it is not XML")
        if error.code in _ENDS_TOO_EARLY:
            return BadExport(f"{path} ends too early: it was cut short at {place}")
        return BadExport(f"{path} is damaged at {place}: {expat.ErrorString(error.code)}")


_ENDS_TOO_EARLY = {
    expat.errors.codes[reason]
    for reason in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
}


class _Handler:
    """Collects pages from expat's events."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.saw_root = False
        self.language = ""
        self.header: ExportHeader | None = None
        self.pages: list[SourcePage] = []
        self._open: list[str] = []  # the names of the open elements, as deep as any is wanted
        self._too_deep = 0  # how many more are open
        self._text: list[str] | None = None
        self._room = 0  # how many more characters of the text are kept
        self._values: dict[tuple[str, ...], str] = {}
        self._newest: dict[tuple[str, ...], str] = {}
        self._namespaces: dict[int, str] = {}
        self._key = 0
        self._hidden = False

    def parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.buffer_size = 1 << 18
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        parser.EntityDeclHandler = self._refuse_entities
        return parser

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self.saw_root:
            self._start_root(name, attributes)
            return
        if len(self._open) == _DEEPEST:
            self._too_deep += 1
            self._text = None
            return
        self._open.append(name)
        self._text = [] if tuple(self._open) in _WANTED else None
        self._room = _LONGEST_TEXT if name == "text" else _LONGEST_VALUE
        if name == "namespace":
            self._key = self._namespace_key(attributes.get("key", "0"))
        elif name == "text":
            self._hidden = "deleted" in attributes

    def _start_root(self, name: str, attributes: dict[str, str]) -> None:
        if name != "mediawiki":
            raise BadExport(
                f"{self.path} is not a MediaWiki export: its first element is <{name[:40]}>"
            )
        self.saw_root = True
        self.language = attributes.get("xml:lang", "")

    def _namespace_key(self, key: str) -> int:
        try:
            return int(key)
        except ValueError:
            raise BadExport(
                f"{self.path} is damaged: the namespace key {key[:40]!r} is not a number"
            ) from None

    def _data(self, text: str) -> None:
        if self._text is not None and self._room:
            self._text.append(text[: self._room])
            self._room -= len(self._text[-1])

    def _end(self, name: str) -> None:
        if not self._open:
            return  # </mediawiki>
        if self._too_deep:
            self._too_deep -= 1
            return
        path = tuple(self._open)
        self._open.pop()
        if self._text is not None:
            self._keep(path, "".join(self._text))
            self._text = None
        elif path == ("page", "revision"):
            self._end_revision()
        elif path == ("page",):
            self._end_page()
        elif path == ("siteinfo",):
            self._end_siteinfo()

    def _keep(self, path: tuple[str, ...], text: str) -> None:
        if path[-1] == "namespace":
            self._namespaces[self._key] = text
        elif not (path[-1] == "text" and self._hidden):
            self._values[path] = text

    def _end_siteinfo(self) -> None:
        values = {path[-1]: text for path, text in self._values.items()}
        self._values.clear()
        self.header = ExportHeader(
            self.language,
            values.get("sitename", ""),
            values.get("dbname", ""),
            values.get("base", ""),
            values.get("case", "first-letter"),
            self._namespaces,
        )

    def _end_revision(self) -> None:
        revision: dict[tuple[str, ...], str] = {
            path: self._values.pop(path) for path in list(self._values) if len(path) == 3
        }
        if revision.get(_TIMESTAMP, "") >= self._newest.get(_TIMESTAMP, ""):
            self._newest = revision

    def _end_page(self) -> None:
        values, newest = self._values, self._newest
        self._values, self._newest = {}, {}
        try:
            page = SourcePage(
                page_id=_number(values["page", "id"]),
                title=values["page", "title"],
                namespace=_number(values.get(("page", "ns"), "0")),
                revision_id=_number(newest["page", "revision", "id"]),
                timestamp=newest.get(_TIMESTAMP, ""),
                text=newest.get(_TEXT),
                model=newest.get(_MODEL, "wikitext"),
            )
        except (KeyError, ValueError):
            title = values.get(("page", "title"), "without a title")
            raise BadExport(
                f"{self.path} is damaged: page {title[:80]!r} has no usable ids"
            ) from None
        self.pages.append(page)
        if self.header is None:
            self.header = ExportHeader(self.language)

    def _refuse_entities(self, *_: object) -> None:
        raise BadExport(f"{self.path} declares XML entities, which no MediaWiki export does")


def _number(text: str) -> int:
    """The number that TEXT is, if a database can hold it; else ValueError."""
    number = int(text)
    if abs(number) > _LARGEST_ID:
        raise ValueError(text)
    return number


_TIMESTAMP = ("page", "revision", "timestamp")
_TEXT = ("page", "revision", "text")
_MODEL = ("page", "revision", "model")
