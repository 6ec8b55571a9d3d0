"""The words for states, verdicts, reasons and numbers, in the reader's language."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from babel import dates, numbers

from wikibot.linker.explain import ENGLISH
from wikibot.message import Message
from wikibot.roles import why_not
from wikibot.web.i18n import gettext as _
from wikibot.web.i18n import interface_locale


def state_name(state: str) -> str:
    """A state in words."""
    return {
        "pending": _("waiting"),
        "skipped": _("skipped"),
        "approved": _("approved"),
        "rejected": _("rejected"),
        "published": _("published"),
        "kept": _("published and kept"),
        "reverted": _("reverted by others"),
        "undone": _("taken back"),
        "stale": _("out of date"),
        "any": _("any state"),
    }.get(state, state)


def verdict_name(verdict: str) -> str:
    """What was done, in words."""
    return {
        "approve": _("Approved"),
        "reject": _("Rejected"),
        "skip": _("Skipped"),
        "undo": _("Taken back"),
        "edit": _("Anchor changed"),
        "choose": _("Target chosen"),
    }.get(verdict, verdict)


def reason_name(reason: str) -> str:
    """Why a proposal was rejected, in words."""
    return {
        "everyday-word": _("Everyday word"),
        "wrong-target": _("Wrong target"),
        "span": _("More or fewer words"),
        "linked-nearby": _("Already linked nearby"),
        "other": _("Other"),
    }.get(reason, reason)


def reason_effect(reason: str) -> str:
    """What a rejection for this reason blocks, in words."""
    return {
        "everyday-word": _("Blocks this link on this page. For all pages, use “Never link”."),
        "wrong-target": _("Blocks this link on this page. Another target is still possible."),
        "span": _("Blocks nothing: you choose the words."),
        "linked-nearby": _("Blocks this link on this page."),
        "other": _("Blocks this link on this page."),
    }.get(reason, "")


def system_name(system: str) -> str:
    """A system that finds links, as the evaluation compares them, in words."""
    return {
        "without_crtm": _("wikibot without CRTM"),
        "crtm": _("CRTM alone"),
        "title_match": _("title match"),
        "tagme": "TAGME",
    }.get(system, system)


def kind_name(kind: str) -> str:
    """A kind of entry on the never-link list, in words."""
    return {"word": _("word"), "target": _("target"), "page": _("page")}.get(kind, kind)


def role_name(role: str) -> str:
    """What somebody may do, in words."""
    return {
        "review": _("Review proposals"),
        "publish": _("Save links to the wiki"),
        "administer": _("Administer this service"),
    }.get(role, role)


def reasons_in_words(reasons: list[Any]) -> list[str]:
    """Why the proposal was made, a clause each; what cannot be understood is shown as it is."""
    return [_reason(one) for one in reasons]


def _reason(one: Any) -> str:
    name = str(one.get("id")) if isinstance(one, dict) else ""
    if name not in ENGLISH:
        return str(one)
    arguments = {key: _listed(value) for key, value in (one.get("args") or {}).items()}
    try:
        clause = _(ENGLISH[name]).format_map(arguments)
    except (KeyError, IndexError, ValueError):
        return str(one)
    return clause[:1].upper() + clause[1:]


def _listed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def error_message(error: BaseException) -> str:
    """What an error says, in the reader's language."""
    return translated(error.args[0] if error.args else str(error))


def translated(sentence: str) -> str:
    """A message in the reader's language; any other sentence as it is."""
    if not isinstance(sentence, Message):
        return str(sentence)
    return _(sentence.pattern).format_map(
        {name: _param(name, value) for name, value in sentence.params.items()}
    )


def _param(name: str, value: object) -> object:
    if isinstance(value, Message):
        return translated(value)
    in_words = {"state": state_name, "verdict": verdict_name}.get(name)
    return in_words(str(value)) if in_words else value


def percent(value: float) -> str:
    """A probability as people read it; never 0 % or 100 %, since nothing is certain."""
    return numbers.format_percent(min(max(value, 0.01), 0.99), locale=interface_locale())


def chance(probability: float) -> str:
    """A probability as experience: how many of ten links like this people accept."""
    if probability >= 0.95:
        few, many = min(99, round(100 * probability)), 100
    else:
        few, many = round(10 * probability), 10
    if few < 1:
        return _("Fewer than 1 in 10 like this are accepted")
    return _("About %(few)s in %(many)s like this are accepted") % {"few": few, "many": many}


def whole(value: int) -> str:
    """A count with the language's own thousands mark."""
    return numbers.format_decimal(value, locale=interface_locale())


def moment(value: datetime) -> str:
    """A time of day and date, in the machine's time zone."""
    return dates.format_datetime(value.astimezone(), "short", locale=interface_locale())


FOR_TEMPLATES: dict[str, Callable[..., Any]] = {
    "state_name": state_name,
    "verdict_name": verdict_name,
    "reason_name": reason_name,
    "reason_effect": reason_effect,
    "chance": chance,
    "kind_name": kind_name,
    "role_name": role_name,
    "why_not": why_not,
    "percent": percent,
    "whole": whole,
    "moment": moment,
    "translated": translated,
    "error_message": error_message,
}
