"""Edit summaries: what was done, who approved it, where to stop the bot, and our id."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence

from wikibot.plan import ApprovedLink
from wikibot.publish.messages import Messages

MARKER_START = "wikibot-"
# MediaWiki cuts a comment at 500 characters; the id at its end must not be lost.
LONGEST = 480
# The longest names of approvers, in turn, until there is room for a target or two.
NAME_LENGTHS = (60, 30, 15)
ROOM_FOR_TARGETS = 120


def new_marker() -> str:
    """An id that no other edit has; it stands in the summary and is what we look for afterwards."""
    return f"{MARKER_START}{secrets.token_hex(6)}"


def page_summary(
    links: Sequence[ApprovedLink],
    words: Messages,
    *,
    shutoff: str,
    marker: str,
    assisted: str = "",
) -> str:
    """Links added: [[Severn]] ([[...]]); approved by Ann · [[User:LinkBot/Shutoff|stop]] · id.

    Long names are shortened before targets are left out; the way to stop us and the id never are.
    `assisted` is the person who saves with our help, if it is not a bot.
    """
    for longest_name in NAME_LENGTHS:
        users = said_by(links, words, assisted, longest_name)
        end = f"; {users}{tail(words, shutoff, marker)}"
        if len(end) <= LONGEST - ROOM_FOR_TARGETS:
            break
    return with_targets(words.added, [link.target for link in links], end)


def said_by(
    links: Sequence[ApprovedLink], words: Messages, assisted: str, longest_name: int
) -> str:
    """Who approved; of a person who saves what they approved themselves, only that we assisted."""
    if assisted and {link.approver for link in links} <= {"", assisted}:
        return words.assisted
    users = words.approved.format(users=approvers(links, longest_name))
    return f"{words.assisted}, {users}" if assisted else users


def undo_summary(targets: Sequence[str], words: Messages, *, shutoff: str, marker: str) -> str:
    return with_targets(words.taken_back, targets, tail(words, shutoff, marker))


def plain_summary(text: str, words: Messages, *, shutoff: str, marker: str) -> str:
    return text + tail(words, shutoff, marker)


def tail(words: Messages, shutoff: str, marker: str) -> str:
    task = f" · {words.task_link}" if words.task_link else ""
    return f"{task} · [[{shutoff}|{words.stop}]] · {marker}"


def approvers(links: Iterable[ApprovedLink], longest_name: int = 60) -> str:
    """The names of those who approved; only a whole name that the wiki knows is a link.

    >>> approvers([ApprovedLink(1, 1, 1, 0, 1, "a", "A", "[[a]]", 0, 1, approver="Ann")])
    'Ann'
    """
    named = dict.fromkeys(shown_name(link, longest_name) for link in links if link.approver)
    names = list(named)
    return ", ".join(names[:3]) + (f" +{len(names) - 3}" if len(names) > 3 else "")


def shown_name(link: ApprovedLink, longest: int) -> str:
    """The approver as a link, as plain text, or as the beginning of a long name."""
    if len(link.approver) > longest:
        return plain(link.approver)[: longest - 1] + "…"
    return (
        f"[[User:{link.approver}|{link.approver}]]" if link.is_wiki_user else plain(link.approver)
    )


def plain(name: str) -> str:
    """A reviewer's name without anything that a summary would read as a link."""
    return " ".join(name.translate(str.maketrans("", "", "[]{}|<>\0")).split())


def with_targets(sentence: str, targets: Sequence[str], end: str) -> str:
    """The sentence with as many targets as there is room for."""
    for shown in range(len(targets), 0, -1):
        more = f" +{len(targets) - shown}" if shown < len(targets) else ""
        listed = ", ".join(f"[[:{target}]]" for target in targets[:shown]) + more
        summary = sentence.format(targets=listed) + end
        if len(summary) <= LONGEST:
            return summary
    return sentence.format(targets=str(len(targets) or "–")) + end
