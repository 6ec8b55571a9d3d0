"""Settings that a wiki's administrators make on a page of the wiki, as JSON.

They can only make the bot more careful: lists grow, limits shrink. The operator's own settings
stay the frame. The text is read once from front to end, and a long one not at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, NoReturn

from wikibot.config import Effective, Settings
from wikibot.message import Message, message
from wikibot.settings import Value

LONGEST_BYTES = 65_536
MOST_ENTRIES = 2_000
LONGEST_ENTRY = 500
LISTS = ("excluded_templates", "excluded_categories", "excluded_sections")
# A limit in which less is more careful; 0 means "no limit of its own" for the first two.
AT_MOST = (
    "per_page", "per_paragraph", "links_per_edit", "daily_cap", "page_cap", "talk_lines",
    "worklist_lines", "revert_limit",
)  # fmt: skip
ZERO_IS_ANY = ("per_page", "per_paragraph")
AT_LEAST = ("min_probability", "min_probability_linked", "words_per_link", "quiet_hours")
KNOWN = ("never_link", *LISTS, *AT_MOST, *AT_LEAST, "summary", "messages")
HIGHEST = {"min_probability": 1.0, "min_probability_linked": 1.0}

# A name and a text; a sentence about what is wrong with it, or None.
CheckMessage = Callable[[str, str], Message | None]
GREATEST = 87_600


class Read(NamedTuple):
    """What a page sets, and a sentence about each thing that is wrong with it."""

    given: dict[str, Any]
    problems: list[Message]


def read_settings(text: str, check_message: CheckMessage = lambda name, text: None) -> Read:
    """The settings of a page; where there are problems, nothing of it counts."""
    if len(text.encode(errors="replace")) > LONGEST_BYTES:
        return Read({}, [message("settings-too-long", LONGEST_BYTES)])
    try:
        found = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        return Read({}, [_not_json(error)])
    if not isinstance(found, dict):
        return Read({}, [message("settings-not-object")])
    problems = [
        problem
        for name, value in found.items()
        for problem in _problems(name, value, check_message)
    ]
    return Read({} if problems else found, problems)


def _not_json(error: Exception) -> Message:
    if isinstance(error, json.JSONDecodeError):
        return message("settings-not-json-at", error.lineno, error.colno)
    return message("settings-not-json")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _problems(name: str, value: Any, check_message: CheckMessage) -> list[Message]:
    if name not in KNOWN:
        return [message("settings-unknown", name[:60], ", ".join(KNOWN))]
    if name in ("never_link", *LISTS):
        return [] if _is_list(name, value) else [_about_list(name)]
    if name in AT_MOST or name in AT_LEAST:
        return [] if _is_number(name, value) else [_about_number(name)]
    texts = value if name == "messages" else {"added": value}
    if not isinstance(texts, dict):
        return [message("settings-messages")]
    return [found for key, one in texts.items() if (found := _about_text(key, one, check_message))]


def _is_list(name: str, value: Any) -> bool:
    if not isinstance(value, list) or len(value) > MOST_ENTRIES:
        return False
    forbidden = "\n\r" if name == "never_link" else "\n\r,"
    return all(
        isinstance(one, str)
        and 0 < len(one.strip()) <= LONGEST_ENTRY
        and not set(one) & set(forbidden)
        for one in value
    )


def _about_list(name: str) -> Message:
    if name == "never_link":
        return message("settings-list", name, MOST_ENTRIES, LONGEST_ENTRY)
    return message("settings-list-without-commas", name, MOST_ENTRIES, LONGEST_ENTRY)


def _is_number(name: str, value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    low, high = _range(name)
    return (isinstance(value, int) or not _is_whole(name)) and low <= value <= high


def _is_whole(name: str) -> bool:
    return name in (*AT_MOST, "words_per_link")


def _range(name: str) -> tuple[int, float]:
    return (1 if name in AT_MOST else 0), HIGHEST.get(name, GREATEST)


def _about_number(name: str) -> Message:
    low, high = _range(name)
    if _is_whole(name):
        return message("settings-whole-number", name, low, f"{high:g}")
    return message("settings-number", name, low, f"{high:g}")


def _about_text(name: str, text: Any, check_message: CheckMessage) -> Message | None:
    if not isinstance(text, str) or len(text) > LONGEST_ENTRY:
        return message("settings-text", name[:60], LONGEST_ENTRY)
    return check_message(name, text)


def narrowed(settings: Settings, given: Mapping[str, Any], where: str) -> Settings:
    """The operator's settings, made more careful by those of the wiki."""
    return Settings(_narrowed(one, given, where) for one in settings.effective())


def _narrowed(one: Effective, given: Mapping[str, Any], where: str) -> Effective:
    name = one.setting.name
    if name not in given or name in ("never_link", "messages"):
        return one
    value = _more_careful(name, one.value, given[name])
    return one if value == one.value else replace(one, value=value, source=where)


def _more_careful(name: str, ours: Value, theirs: Any) -> Value:
    if name in LISTS:
        return ", ".join(part for part in (str(ours), *theirs) if part.strip())
    if name in AT_MOST:
        is_open = name in ZERO_IS_ANY and not ours
        return int(theirs) if is_open else min(int(ours), int(theirs))
    if name in AT_LEAST:
        return max(type(ours)(theirs), ours)
    return str(theirs)
