"""The dry run: exactly what would be saved, as text, in colours, side by side, or as a patch.

Every edit comes from `plan_edit`, the function that publishing uses; nothing here makes an edit
of its own.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wikibot.publish.plan import ApprovedLink, PlannedEdit, Version, plan_edit
from wikibot.store import Session, pages, queue
from wikibot.store.pages import PageRow, WikiRow
from wikibot.store.queue import Line
from wikibot.wikitext import SiteRules

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
    session: Session, wiki: WikiRow, state: str, *, page: str | None = None, low: float = 0.0
) -> Iterator[PlannedEdit]:
    """The edit of every page that has proposals in this state, by title; none is empty."""
    rules = wiki.rules()
    for title in queue.pages_with(session, wiki.id, (state,), low=low):
        if page is not None and title.title != page:
            continue
        row = pages.page_by_id(session, title.id)
        assert row is not None, "it was just listed"
        lines = queue.lines_of_page(session, title.id, (state,))
        edit = edit_of(row, [line for line in lines if line.probability >= low], rules)
        if edit.placed or edit.left_out:
            yield edit


def edit_of(page: PageRow, lines: Sequence[Line], rules: SiteRules) -> PlannedEdit:
    """The edit that these proposals make of the page, as publishing would plan it."""
    known = Version(page.title, page.revision_id, page.wikitext)
    return plan_edit(known, [_link(line) for line in lines], rules)


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
    """The words that were added and removed between two versions of a line."""
    old, new = _pieces(before), _pieces(after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            yield Part("same", "".join(old[a:b]))
            continue
        if b > a:
            yield Part("removed", "".join(old[a:b]))
        if d > c:
            yield Part("added", "".join(new[c:d]))


def _link(line: Line) -> ApprovedLink:
    return ApprovedLink(
        id=line.id,
        version=line.version,
        revision_id=line.revision_id,
        start=line.start,
        end=line.end,
        anchor=line.anchor,
        target=line.target,
        wikitext=line.wikitext,
        sentence_start=line.sentence_start,
        sentence_end=line.sentence_end,
        sentence=line.sentence,
        probability=line.probability,
    )


def _lines(text: str) -> list[str]:
    # Only "\n" ends a line for `patch`; str.splitlines() would also cut at form feeds and others.
    return re.findall(r"[^\n]*\n|[^\n]+\Z", text)


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _pieces(line: str) -> list[str]:
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
