"""The dry run: exactly what would be saved, as text, in colours, side by side, or as a patch.

Every edit comes from `plan_edit`, the function that publishing uses; nothing here makes an edit
of its own. The plan says where each link was put, so nothing has to be compared to find it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from wikibot.config import load_settings
from wikibot.errors import BadInput
from wikibot.plan import (
    ApprovedLink,
    OwnEdit,
    Placed,
    PlannedEdit,
    Version,
    newest_known,
    plan_edit,
)
from wikibot.store import Session, outbox, pages, queue
from wikibot.store.pages import WikiRow
from wikibot.terminal_text import printable

CONTEXT_LINES = 3

# Characters that some file system or tool does not take in a name.
_UNSAFE_IN_NAME = re.compile(r'[%/\\:*?"<>|\x00-\x1f\x7f]|^\.')


@dataclass(frozen=True, slots=True)
class Part:
    """Some characters of a line: `kind` is same, added or removed."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the page before and after; `kind` is same, changed, or gap for lines left out."""

    kind: str
    number: int = 0
    parts: tuple[Part, ...] = ()
    is_ended: bool = True  # by a line end, as all lines but the last are

    @property
    def before(self) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.kind != "added")

    @property
    def after(self) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.kind != "removed")


@dataclass(frozen=True, slots=True)
class Draft:
    """All that the edit of a page follows from: equal drafts make equal edits."""

    known: Version
    newest: Version
    links: tuple[ApprovedLink, ...]
    own_edits: tuple[OwnEdit, ...]


def edits(
    session: Session,
    wiki: WikiRow,
    state: str,
    *,
    page: str | None = None,
    low: float = 0.0,
    most_links: int | None = None,
) -> Iterator[PlannedEdit]:
    """The edit of every page that has proposals in this state, by title; refuses an unknown page."""
    wanted = None if page is None else _page_id(session, wiki, page)
    for title in queue.pages_with(session, wiki.id, (state,), low=low):
        if wanted in (None, title.id):
            draft = draft_of_page(session, title.id, (state,), low=low)
            edit = planned(draft, wiki, most_links=most_links)
            if edit.placed or edit.left_out:
                yield edit


def _page_id(session: Session, wiki: WikiRow, title: str) -> int:
    """The page of that title, as readers write it; refuses, with a near one, where there is none."""
    if (found := pages.page_by_title(session, wiki.id, title)) is not None:
        return found.id
    near = queue.find_titles(session, wiki.id, title, limit=1)
    hint = f' Did you mean "{near[0].title}"?' if near else ""
    raise BadInput(f'There is no page "{title}" in the database.{hint} Nothing was changed.')


def draft_of_page(
    session: Session, page_id: int, states: Sequence[str], *, low: float = 0.0
) -> Draft:
    """What there is to plan on a page, with its proposals in these states.

    The wiki is not asked: the page counts as it is in the database, with our own edits on top.
    """
    page = pages.page_by_id(session, page_id)
    assert page is not None, "foreign keys hold"
    links = outbox.links_of_page(session, page_id, states)
    own = outbox.own_edits(session, page_id)
    known = Version(page.title, page.revision_id, page.wikitext)
    wanted = tuple(link for link in links if link.probability >= low)
    return Draft(known, newest_known(known, own), wanted, tuple(own))


def planned(draft: Draft, wiki: WikiRow, *, most_links: int | None = None) -> PlannedEdit:
    """The edit, as publishing would plan it."""
    return plan_edit(
        draft.known,
        draft.links,
        wiki.rules(link_scope=load_settings().text("link_scope")),
        live=draft.newest,
        own_edits=draft.own_edits,
        most_links=most_links,
    )


def file_name(title: str) -> str:
    """The name of a page's file, in a patch and in an export.

    >>> file_name("AC/DC: live?")
    'AC%2FDC%3A_live%3F.wiki'
    """
    escaped = _UNSAFE_IN_NAME.sub(lambda found: f"%{ord(found[0]):02X}", title.replace(" ", "_"))
    return f"{escaped}.wiki"


def unified(edit: PlannedEdit) -> str:
    """The edit as a patch that `patch -p1` and `git apply` take; empty if nothing changes."""
    return "".join(_heads(edit)) + "".join(
        f"{sign}{_text(parts)}\n{'' if is_ended else _NO_NEWLINE}"
        for sign, parts, is_ended in _signed(edit)
    )


def rows(edit: PlannedEdit, *, context: int = 2) -> list[Row]:
    """The changed lines with some lines around them, and a gap between those that lie apart."""
    found: list[Row] = []
    for hunk in _hunks(edit, context):
        found += [Row("gap"), *hunk] if found else hunk
    return found


def _hunks(edit: PlannedEdit, context: int) -> Iterator[list[Row]]:
    """The lines around each change, together where they meet."""
    lines = _lines(edit.base_text)
    changed = _changed(edit, lines)
    shown = sorted(
        {
            near
            for number in changed
            for near in range(max(0, number - context), min(len(lines), number + context + 1))
        }
    )
    for _, run in groupby(enumerate(shown), key=lambda item: item[1] - item[0]):
        yield [_row(lines[number], number, changed.get(number)) for _, number in run]


def _changed(edit: PlannedEdit, lines: Sequence[str]) -> dict[int, list[Placed]]:
    """The links that were put into each line. No link holds a line end, so lines stay lines."""
    starts = [0, *accumulate(map(len, lines))]
    found: dict[int, list[Placed]] = {}
    for put in sorted(edit.placed, key=lambda put: put.start):
        number = bisect_right(starts, put.start) - 1
        shift = starts[number]
        at_line = Placed(put.suggestion_id, put.start - shift, put.end - shift, put.wikitext)
        found.setdefault(number, []).append(at_line)
    return found


def _row(line: str, number: int, links: Iterable[Placed] | None) -> Row:
    text = line.removesuffix("\n")
    is_ended = text != line
    if links is None:
        return Row("same", number + 1, (Part("same", text),), is_ended)
    return Row("changed", number + 1, tuple(_linked(text, links)), is_ended)


def _linked(line: str, links: Iterable[Placed]) -> Iterator[Part]:
    """The line's parts, with the links that were put into it."""
    at = 0
    for link in links:
        yield Part("same", line[at : link.start])
        yield from _around(line[link.start : link.end], link.wikitext)
        at = link.end
    yield Part("same", line[at:])


def _around(anchor: str, link: str) -> Iterator[Part]:
    """What a link adds around its words: `[[Target|words]]`, or `[[word]]s`."""
    stem, _, trail = link.removeprefix("[[").partition("]]")
    target, pipe, shown = stem.rpartition("|")
    assert shown + trail == anchor, f"{link} does not show {anchor}"
    yield Part("added", f"[[{target}{pipe}")
    yield Part("same", shown)
    yield Part("added", "]]")
    yield Part("same", trail)


def _lines(text: str) -> list[str]:
    # Only "\n" ends a line for `patch`; str.splitlines() would also cut at form feeds and others.
    return re.findall(r"[^\n]*\n|[^\n]+\Z", text)


_NO_NEWLINE = "\\ No newline at end of file\n"
_Signed = tuple[str, tuple[Part, ...], bool]


def _heads(edit: PlannedEdit) -> list[str]:
    """The two lines that name the file; none if nothing changes."""
    name = file_name(edit.title)
    return [f"--- a/{name}\n", f"+++ b/{name}\n"] if edit.placed else []


def _signed(edit: PlannedEdit) -> Iterator[_Signed]:
    """The lines of the patch after its head: sign, parts, and whether a line end follows."""
    for hunk in _hunks(edit, CONTEXT_LINES):
        place = f"{hunk[0].number},{len(hunk)}"
        yield "@@", (Part("same", f" -{place} +{place} @@"),), True
        for kind, run in groupby(hunk, key=lambda row: row.kind):
            lines = list(run)
            if kind == "same":
                yield from ((" ", row.parts, row.is_ended) for row in lines)
            else:
                yield from (("-", row.before, row.is_ended) for row in lines)
                yield from (("+", row.after, row.is_ended) for row in lines)


def _text(parts: Iterable[Part]) -> str:
    return "".join(part.text for part in parts)


_STYLES = {"added": "\x1b[1;32m", "removed": "\x1b[31m", "same": ""}
_SIGNS = {"@@": "\x1b[36m", "-": "\x1b[31m", "+": "\x1b[32m", " ": ""}
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


def coloured(edit: PlannedEdit) -> str:
    """The unified diff for a terminal, with the changed words marked inside the lines."""
    heads = (_painted(_BOLD, head.rstrip("\n")) + "\n" for head in _heads(edit))
    lines = (
        _painted(_SIGNS[sign], sign)
        + "".join(_painted(_STYLES[part.kind], part.text) for part in parts)
        + f"\n{'' if is_ended else _NO_NEWLINE}"
        for sign, parts, is_ended in _signed(edit)
    )
    return "".join((*heads, *lines))


def _painted(style: str, text: str) -> str:
    shown = printable(text)
    return f"{style}{shown}{_PLAIN}" if style and shown else shown
