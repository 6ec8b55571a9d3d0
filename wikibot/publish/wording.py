"""The operator's own wording: sentences from settings and a file, filled with who we are and why.

A file of messages replaces any sentence of `messages.py`, by its name there:

    [messages]
    heading = Missing links?
    yes = yes, agreed
    approved_mark = {{done}}
"""

from __future__ import annotations

import configparser
import difflib
import re
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from wikibot.config import Settings
from wikibot.errors import ConfigError
from wikibot.message import Message, message
from wikibot.publish.messages import TABLE, Messages, messages

LISTS = ("yes", "no")
# Sentences with gaps that are filled for each edit; the others are used as they are.
FILLED = ("line_in", "idea_line", "approved_by", "rejected_by", "added", "approved", "taken_back")
NAMES = tuple(field.name for field in fields(Messages) if field.name != "task_link")
FORBIDDEN = ("<!--", "~~~")


def wording(
    language: str, settings: Settings, user: str, of_wiki: Mapping[str, str] | None = None
) -> Messages:
    """What the bot USER says on a wiki of this language, in its operator's words where there are any."""
    words = messages(language)
    if file := settings.text("messages_file"):
        words = replace(words, **read_messages(Path(file), words))
    for name, text in (of_wiki or {}).items():
        own: dict[str, Any] = {name: message_of("the wiki's settings", name, text, words)}
        words = replace(words, **own)
    if summary := settings.text("summary"):
        words = replace(words, added=checked("publish.summary", "added", summary))
    return addressed(words, user, settings.text("task_page").replace("{user}", user))


def addressed(words: Messages, user: str, task_page: str) -> Messages:
    """The words with our name, the answers we ask for, and a link to the page about the task."""
    gaps = {
        "bot": user,
        "task": task_page or f"User:{user}",
        "yes": words.yes[0],
        "no": words.no[0],
    }
    intro = words.intro
    for gap, value in gaps.items():
        intro = intro.replace(f"{{{gap}}}", value)
    link = f"[[{task_page}|{words.task}]]" if task_page else ""
    return replace(words, intro=intro, task_link=link)


def read_messages(path: Path, words: Messages) -> dict[str, Any]:
    """The sentences of a file, by name; refuses what is unknown or would break a section."""
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(path.read_text(encoding="utf-8"), source=str(path))
        found = dict(parser["messages"])
    except (OSError, UnicodeDecodeError, configparser.Error, KeyError) as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(
            f"{path} cannot be read as a file of messages with a section [messages]: {reason}. "
            "Nothing was sent."
        ) from error
    return {name: message_of(str(path), name, text, words) for name, text in found.items()}


def message_of(where: str, name: str, text: str, words: Messages) -> str | tuple[str, ...]:
    """One sentence of the operator or the wiki; refuses what is unknown or would break a section."""
    if name not in NAMES:
        raise _refused(_unknown(name, where))
    text = checked(f"{name} ({where})", name, text)
    if name not in LISTS:
        return text
    # Words that we asked for before stay understood.
    own = [word.strip().casefold() for word in text.split(",") if word.strip()]
    return tuple(dict.fromkeys((*own, *getattr(words, name))))


def _unknown(name: str, where: str) -> Message:
    near = difflib.get_close_matches(name, NAMES, n=1)
    place = f"{name} ({where})"
    if near:
        return message("wording-unknown-near", place, near[0])
    return message("wording-unknown", place, ", ".join(NAMES))


def _refused(problem: Message) -> ConfigError:
    return ConfigError(message("nothing-was-sent", problem))


def checked(where: str, name: str, text: str) -> str:
    """TEXT as one line; refuses it where it is empty, hides something or has a gap we cannot fill."""
    line = " ".join(text.split())
    bad = next((sign for sign in FORBIDDEN if sign in line), "")
    if not line or bad:
        raise _refused(
            message("wording-holds", where, bad) if bad else message("wording-empty", where)
        )
    if name in FILLED:
        _refuse_other_gaps(where, name, line)
    return line


def _refuse_other_gaps(where: str, name: str, line: str) -> None:
    gaps = re.findall(r"\{(\w+)\}", getattr(TABLE["en"], name))
    try:
        line.format(**dict.fromkeys(gaps, ""))
    except (LookupError, ValueError, AttributeError):
        known = ", ".join(f"{{{gap}}}" for gap in gaps)
        raise _refused(message("wording-gaps", where, known)) from None
