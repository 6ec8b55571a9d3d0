"""What is wrong with the settings page, told on its talk page, once for each faulty revision.

    == The link bot's settings ==
    <!-- wikibot:settings wikibot-0123 456 open -->
    Revision 456 of [[:Project:Bot.json]] is not used ... <!-- wikibot:intro -->
    * “daily_cup” is not a setting. <!-- wikibot:problem -->
    LinkBot 12:00 <!-- wikibot:end -->

One section, updated in place, and closed when the page is in order again. What people write into
it stays; if they remove it, it comes back with the next faulty revision only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from wikibot.message import Message, message, said_in
from wikibot.plan import sha1_of
from wikibot.publish.checks import refuse_other_model
from wikibot.publish.proposals import talk_title
from wikibot.publish.publisher import Outcome, Publisher
from wikibot.publish.publishing import Report, alone, run
from wikibot.publish.reconcile import read_settled, reconcile
from wikibot.publish.retry import retry
from wikibot.publish.send_edit import send_edit
from wikibot.publish.signature import ask_signature
from wikibot.publish.summary import new_marker, plain_summary
from wikibot.publish.talk import END, INTRO, end_of_section, plain, shortened
from wikibot.site.history import LivePage
from wikibot.store import Store, outbox
from wikibot.store.outbox import NewEdit
from wikibot.store.pages import WikiRow
from wikibot.store.wiki_settings import KeptSettings
from wikibot.wikitext import SiteRules, normalise_title

KIND = "settings"
START = re.compile(r"^<!-- wikibot:settings (\S+) ([0-9]{1,18}) (open|closed) -->$")
PROBLEM = " <!-- wikibot:problem -->"
MOST_PROBLEMS = 20  # are listed; who mends them sees the others


class Told(NamedTuple):
    """Which revision the section is about, and whether something is wrong with it."""

    revision_id: int
    is_open: bool


@dataclass(frozen=True, slots=True)
class Section:
    """Our section: what it tells, what others wrote into it, and the lines around it."""

    told: Told
    before: tuple[str, ...]
    of_others: tuple[str, ...]
    after: tuple[str, ...]


def find_section(text: str) -> Section | None:
    """Our section on the page; the first one if people have copied it."""
    lines = text.split("\n")
    for first, line in enumerate(lines):
        if (start := START.match(line)) is not None:
            last = end_of_section(lines, first)
            others = [one for one in lines[first + 1 : last] if not _is_ours(one)]
            told = Told(int(start[2]), start[3] == "open")
            return Section(told, tuple(lines[:first]), tuple(others), tuple(lines[last:]))
    return None


def _is_ours(line: str) -> bool:
    return line.endswith((INTRO, PROBLEM, END))


def is_due(store: Store, wiki: WikiRow, now: KeptSettings) -> bool:
    """Is there something to tell that we have not told yet?"""
    with store.reading() as session:
        made = outbox.edits(session, wiki.id, kinds=(KIND,), states=("done",), limit=1)
    section = find_section(made[0].text) if made else None
    told = section.told if section else None
    return told != _to_tell(now) and (bool(now.problems) or (told is not None and told.is_open))


def _to_tell(now: KeptSettings) -> Told:
    return Told(now.revision_id, bool(now.problems))


def _talk_of(now: KeptSettings, rules: SiteRules) -> str:
    return talk_title(normalise_title(now.title, rules).text, rules)


def report_settings(publisher: Publisher) -> Report:
    """The talk page of the settings tells what is wrong with them, or that nothing is any more."""
    with alone(publisher):
        return run(publisher, _steps(publisher), lambda outcome: None)


def _steps(publisher: Publisher) -> Iterator[Outcome]:
    now = publisher.of_wiki
    yield from reconcile(publisher)
    if now is None or not is_due(publisher.store, publisher.wiki, now):
        return
    title = _talk_of(now, publisher.rules)

    def post_now() -> Outcome:
        live = read_settled(publisher, title)
        edit = _plan(publisher, live, now)
        if edit is None:
            return Outcome(title, "nothing")
        return send_edit(publisher, edit, live.text, versions={})

    yield retry(publisher, title, post_now)


def _plan(publisher: Publisher, live: LivePage, now: KeptSettings) -> NewEdit | None:
    """The edit that brings the section up to date; None where it is, or where people removed it."""
    refuse_other_model(live)
    section = find_section(live.text)
    wanted = _to_tell(now)
    if section.told == wanted if section else not wanted.is_open:
        return None
    marker, language = new_marker(), publisher.wiki.language
    signature = ask_signature(publisher.site, live.title)
    ours = _lines(now, marker, language, signature)
    text = _written(live.text, section, ours, language)
    summary = plain_summary(
        said_in(_summary(wanted), language),
        publisher.words,
        shutoff=publisher.shutoff,
        marker=marker,
    )
    return NewEdit(
        wiki_id=publisher.wiki.id, batch=publisher.batch, kind=KIND, title=live.title, page_id=None,
        base_revision=live.revision_id, text=text, sha1=sha1_of(text), summary=summary,
        marker=marker, items=(), sender=publisher.account.name,
    )  # fmt: skip


def _summary(wanted: Told) -> Message:
    if wanted.is_open:
        return message("settings-report-summary")
    return message("settings-report-summary-closed")


def _lines(now: KeptSettings, marker: str, language: str, signature: str) -> list[str]:
    """Our own lines, the last of which ends the section."""
    state = "open" if now.problems else "closed"
    problems = [said_in(one, language) for one in now.problems[:MOST_PROBLEMS]]
    return [
        f"<!-- wikibot:settings {marker} {now.revision_id} {state} -->",
        f"{_intro(now, language)}{INTRO}",
        *(f"* {plain(shortened(problem, ''))}{PROBLEM}" for problem in problems),
        f"{signature}{END}",
    ]


def _intro(now: KeptSettings, language: str) -> str:
    revision = f"[[Special:Diff/{now.revision_id}|{now.revision_id}]]"
    page = f"[[:{now.title}]]"
    if now.problems:
        return said_in(message("settings-report-open", revision, page), language)
    if not now.revision_id:
        return said_in(message("settings-report-removed", page), language)
    return said_in(message("settings-report-closed", revision, page), language)


def _written(text: str, section: Section | None, ours: list[str], language: str) -> str:
    """The page with our lines in place of the old ones, or in a new section at its end."""
    if section is None:
        head = f"{text}\n\n" if text else ""
        heading = said_in(message("settings-report-heading"), language)
        return head + "\n".join((f"== {heading} ==", *ours))
    lines = (*ours[:-1], *section.of_others, ours[-1])
    return "\n".join((*section.before, *lines, *section.after))
