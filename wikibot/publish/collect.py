"""Answers on talk pages become decisions, with the name and time of whoever gave them.

The page shows what was said; its history shows who said it: the author of the oldest revision
since which the line has said the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from wikibot.errors import AlreadyDecided, BadInput
from wikibot.message import said
from wikibot.publish.ideas import collect_ideas, update_ideas
from wikibot.publish.proposals import (
    KINDS,
    OPEN,
    item_of,
    links_there,
    posted_before,
    update_section,
)
from wikibot.publish.publisher import Outcome, Publisher, titled
from wikibot.publish.publishing import alone
from wikibot.publish.reconcile import read_page_of, reconcile
from wikibot.publish.talk import Item, Mark, find_section, read_marks
from wikibot.site import history
from wikibot.site.history import LivePage, Revision
from wikibot.store import decisions, outbox
from wikibot.store.outbox import OutboxRow

VERDICT = {"yes": "approve", "no": "reject"}


@dataclass(frozen=True, slots=True)
class Answer:
    """One line's answer, and what came of it: `problem` is empty if it was taken.

    For an idea, `suggestion_id` is the idea's number.
    """

    suggestion_id: int
    page: str
    target: str
    verdict: str
    user: str
    time: datetime | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Collected:
    """What `collect` found, and the sections it brought up to date."""

    answers: tuple[Answer, ...]
    sections: tuple[Outcome, ...]


def collect(publisher: Publisher) -> Collected:
    """Every answer on an open section is a decision, and the sections show what was decided."""
    answers: list[Answer] = []
    sections: list[Outcome] = []
    with alone(publisher):
        reconcile(publisher)
        for row in open_sections(publisher):
            live = read_page_of(publisher, row)
            if live is not None:
                answers += read_answers(publisher, row, live)
                sections.append(
                    update_section(
                        publisher, live.title, kind=row.kind, page_id=row.page_id, offered=()
                    )
                )
        answers += read_idea_answers(publisher, sections)
    return Collected(tuple(answers), tuple(sections))


def read_idea_answers(publisher: Publisher, sections: list[Outcome]) -> list[Answer]:
    """The answers about ideas on the work list, which shows them afterwards."""
    title = titled(publisher.settings.text("worklist_page"), publisher.account)
    said = collect_ideas(publisher, title)
    if said and (outcome := update_ideas(publisher, title, most=0)) is not None:
        sections.append(outcome)
    return [
        Answer(
            one.row.id, one.row.page, one.row.target, f"{one.verdict} (idea)",
            one.source.user if one.source else "", one.source.time if one.source else None, one.problem,
        )
        for one in said
    ]  # fmt: skip


def open_sections(publisher: Publisher) -> list[OutboxRow]:
    """Our newest edit of each page on which we left an open section."""
    with publisher.store.reading() as session:
        rows = outbox.edits(session, publisher.wiki.id, kinds=KINDS, states=("done",))
    newest = {(row.kind, row.page_id or row.title): row for row in reversed(rows)}
    return [row for row in newest.values() if (s := find_section(row.text)) and s.is_open]


def read_answers(publisher: Publisher, row: OutboxRow, live: LivePage) -> Iterator[Answer]:
    """The answers on one page that are new, each written down as a decision."""
    section = find_section(live.text)
    posted = posted_before(publisher, live.title, row.page_id)
    there = links_there(publisher, section, posted)
    waiting = {link.id: link for link in there if link.state in OPEN}
    if section is None or not waiting:
        return
    expected = {number: item_of(link, row.kind) for number, link in waiting.items()}
    marks = {n: m for n, m in read_marks(section, expected, publisher.words).items() if m.says}
    clear = {number: mark for number, mark in marks.items() if mark.says in VERDICT}
    sources = who_said(publisher, live.page_id, clear, expected)
    for number, mark in marks.items():
        link = waiting[number]
        source = sources.get(number)
        user, time = (source.user, source.time) if source else ("", None)
        problem = take(publisher, number, mark, source)
        verdict = VERDICT.get(mark.says, "unclear")
        yield Answer(number, link.page, link.target, verdict, user, time, problem)


def who_said(
    publisher: Publisher, page_id: int, marks: Mapping[int, Mark], expected: Mapping[int, Item]
) -> dict[int, Revision]:
    """For each line the oldest revision since which it has said what it says now."""
    return since_when(
        history.revisions(publisher.site, page_id=page_id, with_text=True),
        marks,
        expected,
        publisher,
    )


def since_when(
    newest_first: Iterable[Revision],
    marks: Mapping[int, Mark],
    expected: Mapping[int, Item],
    publisher: Publisher,
) -> dict[int, Revision]:
    found: dict[int, Revision] = {}
    open_lines = set(marks)
    for revision in newest_first:
        if not open_lines:
            break
        if not revision.sha1:  # hidden from us: it tells nothing
            continue
        section = find_section(revision.text)
        said = read_marks(section, expected, publisher.words) if section else {}
        for number in list(open_lines):
            if said.get(number) == marks[number]:
                found[number] = revision
            else:
                open_lines.discard(number)
    return found


def take(publisher: Publisher, number: int, mark: Mark, source: Revision | None) -> str:
    """The answer is a decision now; else the reason why it does not count."""
    if mark.says not in VERDICT:
        return "the answer is not clear"
    if source is None or source.user == publisher.account.name:
        return "the history does not show who said it"
    if mark.says == "yes" and not source.is_registered:
        return "an approval needs an account, so that it has a name"
    reason = "other" if mark.says == "no" else None
    voice = decisions.Voice(source.user, "talk", source.time)
    try:
        with publisher.store.writing() as session:
            decisions.decide(
                session, number, VERDICT[mark.says], voice, reason=reason, note=mark.note or None
            )
    except (AlreadyDecided, BadInput) as error:
        return said(error)
    return ""
