"""The section on a talk page, or in the bot's work list: written, read and updated in place.

Every line of ours ends in an invisible mark, so that answers are found whatever people do around
them; every line of others stays as it is.

    == Link suggestions ==
    <!-- wikibot:section wikibot-0123 open -->
    Please decide each line ... <!-- wikibot:intro -->
    * [ ] “river” → [[:River]] in: ''The Severn is a '''river'''.'' <!-- wikibot:17 -->
    *: people may answer here
    To switch these suggestions off ... <!-- wikibot:signed --> LinkBot 12:00 <!-- wikibot:end -->
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wikibot.publish.messages import (
    NO_SIGNS,
    NO_TEMPLATES,
    YES_SIGNS,
    YES_TEMPLATES,
    Messages,
)

START = re.compile(r"^<!-- wikibot:section (\S+) (open|closed) -->$", re.MULTILINE)
INTRO = " <!-- wikibot:intro -->"
END = " <!-- wikibot:end -->"
# The most digits that an id of ours can have; anybody can write more of them.
ITEM = re.compile(r"<!-- wikibot:([0-9]{1,18}) -->[ \t]*$")
BOX = re.compile(r"\*+[ \t]*\[([^\[\]]*)\]")
# Each part of it is found in one go: a line of a stranger must not keep us busy.
TEMPLATE = re.compile(r"\{\{([^{}]*)\}\}")
HIDING = {"<nowiki>": "</nowiki>", "<!--": "-->"}
EDGE = re.compile("</?nowiki>|<!--|-->")
LONGEST_SENTENCE = 300
# No line of ours is longer, and no answer has to be; longer ones are left alone.
LONGEST_LINE = 10_000


@dataclass(frozen=True, slots=True)
class Item:
    """A proposal as a line shows it; `article` is named only where the page is not its own."""

    id: int
    anchor: str
    target: str
    sentence: str
    article: str = ""


@dataclass(frozen=True, slots=True)
class Closed:
    """What became of a proposal: approved, rejected, or withdrawn because it no longer fits."""

    verdict: str
    user: str = ""
    is_wiki_user: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """What people say on a proposal's line: yes, no, unclear, or nothing yet."""

    says: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Our section on a page: its lines, and the lines around it."""

    before: tuple[str, ...]
    lines: tuple[str, ...]
    after: tuple[str, ...]
    marker: str
    is_open: bool

    def items(self) -> dict[int, tuple[str, ...]]:
        """The proposals' own lines and the answers below each, by the proposal's number."""
        found: dict[int, list[str]] = {}
        current: list[str] | None = None
        for line in self.lines:
            if (number := item_number(line)) is not None:
                current = found.setdefault(number, [])
                current.append(line)
            elif current is not None and is_answer(line):
                current.append(line)
            else:
                current = None
        return {number: tuple(lines) for number, lines in found.items()}


def item_number(line: str) -> int | None:
    """The proposal that the line says it is about."""
    found = ITEM.search(line) if len(line) <= LONGEST_LINE else None
    return None if found is None else int(found[1])


def is_answer(line: str) -> bool:
    is_below = line.startswith(("**", "*:", ":")) and not line.endswith(END)
    return is_below and len(line) <= LONGEST_LINE


def is_heading(line: str) -> bool:
    """Is it a heading of the first or second level?"""
    return line.startswith("=") and not line.startswith("===") and line.rstrip().endswith("=")


def find_section(text: str) -> Section | None:
    """Our section on the page, open or closed; the first one if people have copied it."""
    lines = text.split("\n")
    for first, line in enumerate(lines):
        if (start := START.match(line)) is not None:
            last = end_of_section(lines, first)
            return Section(
                tuple(lines[:first]),
                tuple(lines[first:last]),
                tuple(lines[last:]),
                start[1],
                start[2] == "open",
            )
    return None


def end_of_section(lines: Sequence[str], first: int) -> int:
    """One past the last line of our section; if people removed it, where the next one begins."""
    for number in range(first + 1, len(lines)):
        if lines[number].endswith(END):
            return number + 1
        if is_heading(lines[number]) or START.match(lines[number]):
            return number
    return len(lines)


def read_marks(section: Section, expected: Mapping[int, Item], words: Messages) -> dict[int, Mark]:
    """What people said about each proposal whose line still says what we wrote there."""
    return {
        number: read_mark(lines, words)
        for number, lines in section.items().items()
        if number in expected and item_text(expected[number], words) in lines[0]
    }


def read_mark(lines: Sequence[str], words: Messages) -> Mark:
    """The verdict in a line's box, or in a template on it or below it; both ways at once is unclear."""
    box = BOX.match(lines[0])
    said, _, note = (box[1] if box else "").partition(":")
    votes = {_vote(said, words)} | {_template_vote(line, words) for line in lines}
    votes.discard("")
    if not votes:
        return Mark("unclear" if said.strip() else "")
    return Mark(votes.pop() if len(votes) == 1 else "unclear", note.strip())


def _vote(said: str, words: Messages) -> str:
    word = said.strip().casefold()
    if word in YES_SIGNS or word in words.yes:
        return "yes"
    return "no" if word in NO_SIGNS or word in words.no else ""


def _template_vote(line: str, words: Messages) -> str:
    names = {name.casefold().replace("_", " ") for name in template_names(line)}
    votes = [
        vote
        for vote, known in (
            ("yes", YES_TEMPLATES | {*words.yes}),
            ("no", NO_TEMPLATES | {*words.no}),
        )
        if names & known
    ]
    return votes[0] if len(votes) == 1 else "unclear" if votes else ""


def template_names(line: str) -> list[str]:
    """The templates that the line uses, as a reader sees it.

    >>> template_names("{{ yes |now}} <nowiki>{{no}}</nowiki> <!-- {{no}} -->")
    ['yes']
    """
    found = TEMPLATE.findall(without_hidden(line))
    return [inside.partition("|")[0].strip() for inside in found]


def without_hidden(line: str) -> str:
    """The line without comments and what stands between nowiki tags.

    >>> without_hidden("a<!-- b -->c<nowiki>d</nowiki>e<nowiki>f")
    'ace<nowiki>f'
    """
    shown: list[str] = []
    at = 0
    awaited = ""
    last = {closing: line.rfind(closing) for closing in HIDING.values()}
    for edge in EDGE.finditer(line):
        closing = HIDING.get(edge[0])
        if edge[0] == awaited:
            at, awaited = edge.end(), ""
        elif closing and not awaited and edge.end() <= last[closing]:
            shown.append(line[at : edge.start()])
            awaited = closing
    return "".join(shown) if awaited else "".join((*shown, line[at:]))


def write_section(
    text: str,
    *,
    items: Sequence[Item],
    closed: Mapping[int, Closed],
    marker: str,
    words: Messages,
    shutoff: str,
    known: Mapping[int, Item],
) -> str:
    """The page with our section up to date: `items` are open, those in `closed` are decided.

    `known` are the proposals whose lines may be there already. A new section is appended; an old
    one keeps its place, its answers and every line of others. With nothing to say and no section
    there, the text is as it was.
    """
    section = find_section(text)
    if section is None:
        if not items:
            return text
        body = _fresh_lines(items, marker, words, shutoff)
        head = f"{text}\n\n" if text else ""
        return head + "\n".join((f"== {words.heading} ==", *body))
    lines = _updated_lines(section, items, closed, marker, words, shutoff, known)
    return "\n".join((*section.before, *lines, *section.after))


def without_section(text: str) -> str | None:
    """The page without our section and its heading; None if it is not there or has answers.

    >>> without_section("Hello.") is None
    True
    """
    section = find_section(text)
    if section is None or not all(is_untouched(line) for line in section.lines):
        return None
    before = list(section.before)
    if before and is_heading(before[-1]):
        before.pop()
    above, below = "\n".join(before).rstrip("\n"), "\n".join(section.after).strip("\n")
    return f"{above}\n\n{below}" if above and below else above or below


def is_untouched(line: str) -> bool:
    """Is it a line of ours without an answer?"""
    is_open = item_number(line) is not None and line.startswith("* [ ] ")
    is_unanswered = is_open and not template_names(line)
    return is_unanswered or START.match(line) is not None or line.endswith((INTRO, END))


def _fresh_lines(
    items: Sequence[Item], marker: str, words: Messages, shutoff: str
) -> tuple[str, ...]:
    return (
        f"<!-- wikibot:section {marker} open -->",
        words.intro + INTRO,
        *(open_line(item, words) for item in items),
        words.switch_off.replace("{page}", shutoff) + END,
    )


def _updated_lines(
    section: Section,
    items: Sequence[Item],
    closed: Mapping[int, Closed],
    marker: str,
    words: Messages,
    shutoff: str,
    known: Mapping[int, Item],
) -> list[str]:
    there = section.items()
    new = [open_line(item, words) for item in items if item.id not in there]
    current = {item.id: item for item in items}
    still_open = bool(items)
    lines = [f"<!-- wikibot:section {marker} {'open' if still_open else 'closed'} -->"]
    for line in section.lines[1:]:
        number = item_number(line)
        if line.endswith(INTRO):
            lines.append((words.intro if still_open else words.closed) + INTRO)
        elif line.endswith(END):
            lines += [*new, words.switch_off.replace("{page}", shutoff) + END]
            new = []
        elif number is not None and number in closed and number in known:
            lines.append(closed_line(known[number], closed[number], words))
        elif number is not None and number in current:
            lines.append(kept_line(line, current[number], words))
        else:
            lines.append(line)
    return lines + new


def open_line(item: Item, words: Messages) -> str:
    return f"* [ ] {item_text(item, words)} <!-- wikibot:{item.id} -->"


def kept_line(line: str, item: Item, words: Messages) -> str:
    """The line as it stands; a new one if the article's sentence has changed since it was asked."""
    return line if item_text(item, words) in line else open_line(item, words)


def closed_line(item: Item, closed: Closed, words: Messages) -> str:
    """A decided proposal: short, with the name of who decided."""
    name = f"[[User:{closed.user}|{closed.user}]]" if closed.is_wiki_user else plain(closed.user)
    said, sign = {
        "approved": (words.approved_by, words.approved_mark),
        "rejected": (words.rejected_by, words.rejected_mark),
    }.get(closed.verdict, (words.withdrawn, words.withdrawn_mark))
    place = f"[[:{item.article}]]: " if item.article else ""
    shown = f"{place}“{plain(item.anchor)}” → [[:{item.target}]]"
    return f"* {sign} {shown} – {said.format(user=name)} <!-- wikibot:{item.id} -->"


def item_text(item: Item, words: Messages) -> str:
    """What a line says of its proposal; a line that says anything else is not counted."""
    place = f"[[:{item.article}]]: " if item.article else ""
    return place + words.line_in.format(
        anchor=f"“{plain(item.anchor)}”",
        target=f"[[:{item.target}]]",
        sentence=f"''{marked(shortened(item.sentence, item.anchor), item.anchor)}''",
    )


def marked(sentence: str, anchor: str) -> str:
    """The sentence as a reader shall see it, with the words in bold that would be linked.

    >>> marked("Brooks & a river.", "river")
    "<nowiki>Brooks &amp; a </nowiki>'''river'''."
    """
    line, words = " ".join(sentence.split()), " ".join(anchor.split())
    found = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", line)
    if not found:
        return _literal(line)
    before, after = line[: found.start()], line[found.end() :]
    return f"{_literal(before)}'''{_literal(words)}'''{_literal(after)}"


def plain(text: str) -> str:
    """TEXT as a reader shall see it, whatever markup it holds.

    >>> plain("a [[b]] & <c>")
    '<nowiki>a [[b]] &amp; &lt;c&gt;</nowiki>'
    """
    return _literal(" ".join(text.split()))


def _literal(line: str) -> str:
    if re.fullmatch(r"[\w .,;()–-]*", line):
        return line
    return f"<nowiki>{html.escape(line, quote=False)}</nowiki>"


def shortened(sentence: str, anchor: str) -> str:
    """The sentence, or so much of it around the anchor as a line can hold."""
    if len(sentence) <= LONGEST_SENTENCE:
        return sentence
    middle = max(sentence.find(anchor), 0) + len(anchor) // 2
    start = max(0, min(middle - LONGEST_SENTENCE // 2, len(sentence) - LONGEST_SENTENCE))
    end = start + LONGEST_SENTENCE
    return ("…" if start else "") + sentence[start:end] + ("…" if end < len(sentence) else "")
