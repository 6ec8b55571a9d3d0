"""Ideas on the work list: sentences after which people could write a few words, for them to take or decline.

    == Ideas for links ==
    <!-- wikibot:ideas wikibot-0123 open -->
    No page links to these pages yet ... <!-- wikibot:intro -->
    * [ ] [[:Severn]]: words about [[:Sabrina]] after: ''It rises in Wales.'' <!-- wikibot:idea 17 -->
    To switch these suggestions off ... <!-- wikibot:end -->

The bot writes no such words itself. Lines of others stay as they are; what people removed does not
come back.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from wikibot.errors import AlreadyDecided, BadInput
from wikibot.message import said
from wikibot.plan import sha1_of
from wikibot.publish.checks import refuse_other_model
from wikibot.publish.messages import Messages
from wikibot.publish.publisher import Outcome, Publisher
from wikibot.publish.reconcile import read_settled
from wikibot.publish.retry import retry
from wikibot.publish.send_edit import send_edit
from wikibot.publish.summary import new_marker, plain_summary
from wikibot.publish.talk import (
    END,
    INTRO,
    LONGEST_LINE,
    Mark,
    end_of_section,
    is_answer,
    is_heading,
    plain,
    read_mark,
    shortened,
    template_names,
)
from wikibot.site import history
from wikibot.site.history import LivePage, Revision
from wikibot.store import ideas
from wikibot.store.decisions import Voice
from wikibot.store.ideas import IdeaRow
from wikibot.store.outbox import NewEdit

START = re.compile(r"^<!-- wikibot:ideas (\S+) (open|closed) -->$")
NUMBER = re.compile(r"<!-- wikibot:idea ([0-9]{1,18}) -->[ \t]*$")
VERDICT = {"yes": "accept", "no": "decline"}


@dataclass(frozen=True, slots=True)
class IdeasSection:
    """Our section of ideas: its lines, and the lines around it."""

    before: tuple[str, ...]
    lines: tuple[str, ...]
    after: tuple[str, ...]

    def items(self) -> dict[int, tuple[str, ...]]:
        """The ideas' own lines and the answers below each, by the idea's number."""
        found: dict[int, list[str]] = {}
        current: list[str] | None = None
        for line in self.lines:
            if (number := idea_number(line)) is not None:
                current = found.setdefault(number, [])
                current.append(line)
            elif current is not None and is_answer(line):
                current.append(line)
            else:
                current = None
        return {number: tuple(lines) for number, lines in found.items()}


def idea_number(line: str) -> int | None:
    """The idea that the line says it is about."""
    found = NUMBER.search(line) if len(line) <= LONGEST_LINE else None
    return None if found is None else int(found[1])


def find_ideas(text: str) -> IdeasSection | None:
    """Our section of ideas on the page."""
    lines = text.split("\n")
    for first, line in enumerate(lines):
        if START.match(line):
            last = end_of_section(lines, first)
            return IdeasSection(tuple(lines[:first]), tuple(lines[first:last]), tuple(lines[last:]))
    return None


def idea_text(row: IdeaRow, words: Messages) -> str:
    """What a line says of its idea; a line that says anything else is not counted."""
    return words.idea_line.format(
        page=f"[[:{row.page}]]",
        target=f"[[:{row.target}]]",
        sentence=f"''{plain(shortened(row.sentence, ''))}''",
    )


def open_line(row: IdeaRow, words: Messages) -> str:
    return f"* [ ] {idea_text(row, words)} <!-- wikibot:idea {row.id} -->"


def closed_line(row: IdeaRow, words: Messages) -> str:
    """A decided idea: short, with the name of who decided."""
    is_wiki_user, name = row.source == "talk", row.reviewer or ""
    user = f"[[User:{name}|{name}]]" if is_wiki_user else plain(name)
    said, sign = {
        "accepted": (words.approved_by, words.approved_mark),
        "written": (words.approved_by, words.approved_mark),
        "declined": (words.rejected_by, words.rejected_mark),
    }.get(row.state if row.reviewer else "stale", (words.withdrawn, words.withdrawn_mark))
    shown = f"[[:{row.page}]] → [[:{row.target}]]"
    return f"* {sign} {shown} – {said.format(user=user)} <!-- wikibot:idea {row.id} -->"


def write_ideas(
    text: str,
    rows: Mapping[int, IdeaRow],
    new: Sequence[IdeaRow],
    *,
    marker: str,
    words: Messages,
    shutoff: str,
) -> str:
    """The page with our ideas up to date: `rows` are those that may be there, `new` ones are added."""
    section = find_ideas(text)
    last_line = words.switch_off.replace("{page}", shutoff) + END
    added = [open_line(row, words) for row in new]
    if section is None:
        if not added:
            return text
        intro = f"{words.ideas_intro}{INTRO}"
        body = (f"<!-- wikibot:ideas {marker} open -->", intro, *added, last_line)
        head = f"{text}\n\n" if text else ""
        return head + "\n".join((f"== {words.ideas_heading} ==", *body))
    there = {number: rows[number] for number in section.items() if number in rows}
    is_open = bool(added) or any(row.state == "pending" for row in there.values())
    intro = f"{words.ideas_intro if is_open else words.closed}{INTRO}"
    lines = [f"<!-- wikibot:ideas {marker} {'open' if is_open else 'closed'} -->"]
    for line in section.lines[1:]:
        number = idea_number(line)
        if line.endswith(INTRO):
            lines.append(intro)
        elif line.endswith(END):
            lines += [*added, last_line]
            added = []
        elif number in there and there[number].state != "pending":
            lines.append(closed_line(there[number], words))
        else:
            lines.append(line)
    return "\n".join((*section.before, *lines, *added, *section.after))


def without_ideas(text: str) -> str | None:
    """The page without our ideas and their heading; None if they are not there or have answers."""
    section = find_ideas(text)
    if section is None or not all(_is_untouched(line) for line in section.lines):
        return None
    before = list(section.before)
    if before and is_heading(before[-1]):
        before.pop()
    above, below = "\n".join(before).rstrip("\n"), "\n".join(section.after).strip("\n")
    return f"{above}\n\n{below}" if above and below else above or below


def _is_untouched(line: str) -> bool:
    """Is it a line of ours without an answer?"""
    is_open = idea_number(line) is not None and line.startswith("* [ ] ")
    is_unanswered = is_open and not template_names(line)
    return is_unanswered or START.match(line) is not None or line.endswith((INTRO, END))


def update_ideas(publisher: Publisher, title: str, *, most: int) -> Outcome | None:
    """The ideas on the work list TITLE are up to date, at most so many open; None if there are none."""
    rows = _known(publisher)
    if not rows:
        return None

    def post_now() -> Outcome:
        live = read_settled(publisher, title)
        planned = plan_ideas(publisher, live, rows, most)
        if isinstance(planned, str):
            return Outcome(title, "nothing", planned)
        edit, new = planned
        outcome = send_edit(publisher, edit, live.text, versions={})
        if outcome.state == "done":
            with publisher.store.writing() as session:
                ideas.note_posted(session, [row.id for row in new], title)
        return outcome

    return retry(publisher, title, post_now)


def plan_ideas(
    publisher: Publisher, live: LivePage, rows: Mapping[int, IdeaRow], most: int
) -> tuple[NewEdit, list[IdeaRow]] | str:
    """The edit that brings the ideas up to date and what it adds, or why there is nothing to do."""
    refuse_other_model(live)
    section = find_ideas(live.text)
    posted = [row for row in rows.values() if row.posted_on == live.title]
    waiting = [row for row in posted if row.state == "pending"]
    if section is None and waiting:
        return "People removed the ideas, so they do not come back."
    there = section.items() if section else {}
    fresh = [row for row in rows.values() if row.state == "pending" and row.posted_on is None]
    new = [row for row in fresh if row.id not in there][: max(0, most - len(waiting))]
    marker = section_marker(live.text) or new_marker()
    words = worded(publisher.words)
    text = write_ideas(live.text, rows, new, marker=marker, words=words, shutoff=publisher.shutoff)
    if text == live.text:
        return ""  # everything is there already
    marker = new_marker()
    text = write_ideas(live.text, rows, new, marker=marker, words=words, shutoff=publisher.shutoff)
    return _edit(publisher, live, text, marker), new


def section_marker(text: str) -> str:
    """The mark of the section that is there."""
    section = find_ideas(text)
    found = START.match(section.lines[0]) if section else None
    return found[1] if found else ""


def worded(words: Messages) -> Messages:
    """The words with the answers that we ask for."""
    intro = words.ideas_intro.replace("{yes}", words.yes[0]).replace("{no}", words.no[0])
    return replace(words, ideas_intro=intro)


def _edit(publisher: Publisher, live: LivePage, text: str, marker: str) -> NewEdit:
    summary = plain_summary(
        publisher.words.ideas_heading, publisher.words, shutoff=publisher.shutoff, marker=marker
    )
    return NewEdit(
        wiki_id=publisher.wiki.id, batch=publisher.batch, kind="user-page", title=live.title, page_id=None,
        base_revision=live.revision_id, text=text, sha1=sha1_of(text), summary=summary,
        sender=publisher.account.name, marker=marker, items=(),
    )  # fmt: skip


def _known(publisher: Publisher) -> dict[int, IdeaRow]:
    with publisher.store.reading() as session:
        rows = ideas.ideas(session, publisher.wiki.id, states=ideas.STATES)
    return {row.id: row for row in rows}


@dataclass(frozen=True, slots=True)
class IdeaAnswer:
    """What somebody said on an idea's line, and why it does not count, if so."""

    row: IdeaRow
    verdict: str
    source: Revision | None
    problem: str = ""


def collect_ideas(publisher: Publisher, title: str) -> list[IdeaAnswer]:
    """The new answers about ideas on the work list, each written down as a decision."""
    waiting = {row.id: row for row in _known(publisher).values() if _is_posted(row, title)}
    if not waiting:
        return []
    live = history.read_live(publisher.site, title)
    marks = {
        n: m for n, m in read_idea_marks(live.text, waiting, publisher.words).items() if m.says
    }
    sources = _since_when(publisher, live.page_id, marks, waiting)
    found = []
    for number, mark in marks.items():
        source = sources.get(number)
        problem = _take(publisher, waiting[number], mark, source)
        verdict = VERDICT.get(mark.says, "unclear")
        found.append(IdeaAnswer(waiting[number], verdict, source, problem))
    return found


def _is_posted(row: IdeaRow, title: str) -> bool:
    return row.state == "pending" and row.posted_on == title


def read_idea_marks(text: str, expected: Mapping[int, IdeaRow], words: Messages) -> dict[int, Mark]:
    """What people said about each idea whose line still says what we wrote there."""
    section = find_ideas(text)
    return {
        number: read_mark(lines, words)
        for number, lines in (section.items() if section else {}).items()
        if number in expected and idea_text(expected[number], words) in lines[0]
    }


def _since_when(
    publisher: Publisher, page_id: int, marks: Mapping[int, Mark], expected: Mapping[int, IdeaRow]
) -> dict[int, Revision]:
    """For each line the oldest revision since which it has said what it says now."""
    found: dict[int, Revision] = {}
    undecided: Collection[int] = set(marks)
    for revision in history.revisions(publisher.site, page_id=page_id, with_text=True):
        if not undecided:
            break
        if revision.sha1:  # else it is hidden from us and tells nothing
            said = read_idea_marks(revision.text, expected, publisher.words)
            undecided = {number for number in undecided if said.get(number) == marks[number]}
            found |= dict.fromkeys(undecided, revision)
    return found


def _take(publisher: Publisher, row: IdeaRow, mark: Mark, source: Revision | None) -> str:
    """The answer is a decision now; else the reason why it does not count."""
    if mark.says not in VERDICT:
        return "the answer is not clear"
    if source is None or source.user == publisher.account.name:
        return "the history does not show who said it"
    voice = Voice(source.user, "talk", source.time)
    try:
        with publisher.store.writing() as session:
            ideas.decide(session, row.id, VERDICT[mark.says], voice, note=mark.note or None)
    except (AlreadyDecided, BadInput) as error:
        return said(error)
    return ""
