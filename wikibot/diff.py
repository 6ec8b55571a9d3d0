"""The dry run: exactly what would be saved, as text, in colours, side by side, or as a patch.

Every edit comes from `plan_edit`, the function that publishing uses; nothing here makes an edit
of its own.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from wikibot.publish.plan import PlannedEdit, Version, newest_known, plan_edit
from wikibot.store import Session, outbox, pages, queue
from wikibot.store.pages import WikiRow

CONTEXT_LINES = 3

# Characters that some file system or tool does not take in a name.
_UNSAFE_IN_NAME = re.compile(r'[%/\\:*?"<>|\x00-\x1f\x7f]|^\.')


@dataclass(frozen=True, slots=True)
class Part:
    """Some characters of a changed line: `kind` is same, added or removed."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a side-by-side view; a side without the line is None."""

    kind: str
    before: tuple[Part, ...] | None
    after: tuple[Part, ...] | None
    number_before: int | None = None
    number_after: int | None = None


def edits(
    session: Session,
    wiki: WikiRow,
    state: str,
    *,
    page: str | None = None,
    low: float = 0.0,
    most_links: int | None = None,
) -> Iterator[PlannedEdit]:
    """The edit of every page that has proposals in this state, by title."""
    for title in queue.pages_with(session, wiki.id, (state,), low=low):
        if page is None or title.title == page:
            edit = edit_of_page(session, wiki, title.id, (state,), low=low, most_links=most_links)
            if edit.placed or edit.left_out:
                yield edit


def edit_of_page(
    session: Session,
    wiki: WikiRow,
    page_id: int,
    states: Sequence[str],
    *,
    low: float = 0.0,
    most_links: int | None = None,
) -> PlannedEdit:
    """The edit that the page's proposals in these states make, as publishing would plan it.

    The wiki is not asked: the page counts as it is in the database, with our own edits on top.
    """
    page = pages.page_by_id(session, page_id)
    assert page is not None, "foreign keys hold"
    links = outbox.links_of_page(session, page_id, states)
    own = outbox.own_edits(session, page_id)
    known = Version(page.title, page.revision_id, page.wikitext)
    newest = newest_known(known, own)
    wanted = [link for link in links if link.probability >= low]
    return plan_edit(known, wanted, wiki.rules(), live=newest, own_edits=own, most_links=most_links)


def file_name(title: str) -> str:
    """The name of a page's file, in a patch and in an export.

    >>> file_name("AC/DC: live?")
    'AC%2FDC%3A_live%3F.wiki'
    """
    escaped = _UNSAFE_IN_NAME.sub(lambda found: f"%{ord(found[0]):02X}", title.replace(" ", "_"))
    return f"{escaped}.wiki"


def unified(edit: PlannedEdit) -> str:
    """The edit as a patch that `patch -p1` and `git apply` take; empty if nothing changes."""
    name = file_name(edit.title)
    lines = list(
        difflib.unified_diff(
            _lines(edit.base_text),
            _lines(edit.text),
            f"a/{name}",
            f"b/{name}",
            n=CONTEXT_LINES,
        )
    )
    return "".join(_ended(line) for line in lines)


def rows(edit: PlannedEdit, *, context: int = 2) -> list[Row]:
    """The changed lines with some lines around them, both sides together."""
    before, after = _lines(edit.base_text), _lines(edit.text)
    groups = difflib.SequenceMatcher(None, before, after, autojunk=False)
    found: list[Row] = []
    for group in groups.get_grouped_opcodes(context):
        if found:
            found.append(Row("gap", None, None))
        for code in group:
            found.extend(_rows(code, before, after))
    return found


def changes(before: str, after: str) -> Iterator[Part]:
    """What was added and removed between two versions of a line: by words, then inside words."""
    for tag, old, new in _compared(_words(before), _words(after)):
        if tag == "replace":
            for inner, less, more in _compared(old, new):
                yield from _parts(inner, less, more)
        else:
            yield from _parts(tag, old, new)


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        yield tag, "".join(old[a:b]), "".join(new[c:d])


def _parts(tag: str, old: str, new: str) -> Iterator[Part]:
    if tag == "equal":
        yield Part("same", old)
        return
    if old:
        yield Part("removed", old)
    if new:
        yield Part("added", new)


def _lines(text: str) -> list[str]:
    # Only "\n" ends a line for `patch`; str.splitlines() would also cut at form feeds and others.
    return re.findall(r"[^\n]*\n|[^\n]+\Z", text)


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _words(line: str) -> list[str]:
    return re.findall(r"\[\[|\]\]|\||\w+|\s+|.", line, re.DOTALL)


def _rows(
    code: tuple[str, int, int, int, int], before: list[str], after: list[str]
) -> Iterator[Row]:
    tag, a, b, c, d = code
    for i in range(max(b - a, d - c)):
        left = before[a + i].rstrip("\n") if a + i < b else None
        right = after[c + i].rstrip("\n") if c + i < d else None
        yield _row("same" if tag == "equal" else "changed", left, right, a + i + 1, c + i + 1)


def _row(kind: str, left: str | None, right: str | None, number_a: int, number_b: int) -> Row:
    parts = list(changes(left or "", right or ""))
    return Row(
        kind,
        None if left is None else tuple(part for part in parts if part.kind != "added"),
        None if right is None else tuple(part for part in parts if part.kind != "removed"),
        None if left is None else number_a,
        None if right is None else number_b,
    )


_STYLES = {"added": "\x1b[1;32m", "removed": "\x1b[31m", "same": ""}
_BOLD, _CYAN, _PLAIN = "\x1b[1m", "\x1b[36m", "\x1b[0m"


def coloured(edit: PlannedEdit) -> str:
    """The unified diff for a terminal, with the changed words marked inside the lines."""
    lines = unified(edit).split("\n")[:-1]
    shown = [f"{_BOLD}{printable(line)}{_PLAIN}" for line in lines[:2]]
    at = 2
    while at < len(lines):
        removed = _run(lines, at, "-")
        added = _run(lines, at + len(removed), "+")
        if removed or added:
            shown += _marked(removed, added)
        elif lines[at].startswith("@@"):
            shown.append(f"{_CYAN}{lines[at]}{_PLAIN}")
        else:
            shown.append(printable(lines[at]))
        at += len(removed) + len(added) or 1
    return "".join(f"{line}\n" for line in shown)


def _run(lines: list[str], at: int, sign: str) -> list[str]:
    found = []
    for line in lines[at:]:
        if not line.startswith(sign):
            break
        found.append(line[1:])
    return found


def _marked(removed: list[str], added: list[str]) -> Iterator[str]:
    """The lines of one change: old ones first, each word that differs in its colour."""
    pairs = [list(changes(old, new)) for old, new in zip(removed, added, strict=False)]
    for number, old in enumerate(removed):
        parts = pairs[number] if number < len(pairs) else [Part("removed", old)]
        yield "\x1b[31m-\x1b[0m" + _painted(part for part in parts if part.kind != "added")
    for number, new in enumerate(added):
        parts = pairs[number] if number < len(pairs) else [Part("added", new)]
        yield "\x1b[32m+\x1b[0m" + _painted(part for part in parts if part.kind != "removed")


def _painted(parts: Iterable[Part]) -> str:
    return "".join(
        f"{_STYLES[part.kind]}{printable(part.text)}{_PLAIN if _STYLES[part.kind] else ''}"
        for part in parts
    )


def printable(text: str) -> str:
    """The text with nothing in it that a terminal would obey."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "�", text)
