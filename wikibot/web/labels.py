"""The words for states, verdicts, reasons and numbers, in the reader's language."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from babel import dates, numbers

from wikibot.linker.explain import PARAMETERS, reason_params
from wikibot.message import Message, Word
from wikibot.roles import why_not
from wikibot.web.i18n import interface_locale, msg


def state_name(state: str) -> str:
    """A state in words."""
    return {
        "pending": msg("state-pending"),
        "skipped": msg("state-skipped"),
        "approved": msg("state-approved"),
        "rejected": msg("state-rejected"),
        "published": msg("state-published"),
        "kept": msg("state-kept"),
        "reverted": msg("state-reverted"),
        "undone": msg("state-undone"),
        "stale": msg("state-stale"),
        "any": msg("state-any"),
        "accepted": msg("state-accepted"),
        "declined": msg("state-declined"),
        "written": msg("state-written"),
    }.get(state, state)


def verdict_name(verdict: str) -> str:
    """What was done, in words."""
    return {
        "approve": msg("verdict-approve"),
        "reject": msg("verdict-reject"),
        "skip": msg("verdict-skip"),
        "undo": msg("verdict-undo"),
        "edit": msg("verdict-edit"),
        "choose": msg("verdict-choose"),
    }.get(verdict, verdict)


def reason_name(reason: str) -> str:
    """Why a proposal was rejected, in words."""
    return {
        "everyday-word": msg("reject-everyday-word"),
        "wrong-target": msg("reject-wrong-target"),
        "span": msg("reject-span"),
        "linked-nearby": msg("reject-linked-nearby"),
        "other": msg("reject-other"),
    }.get(reason, reason)


def reason_effect(reason: str) -> str:
    """What a rejection for this reason blocks, in words."""
    return {
        "everyday-word": msg("reject-effect-everyday-word"),
        "wrong-target": msg("reject-effect-wrong-target"),
        "span": msg("reject-effect-span"),
        "linked-nearby": msg("reject-effect-other"),
        "other": msg("reject-effect-other"),
    }.get(reason, "")


def system_name(system: str) -> str:
    """A system that finds links, as the evaluation compares them, in words."""
    return {
        "without_crtm": msg("system-without-crtm"),
        "crtm": msg("system-crtm"),
        "title_match": msg("system-title-match"),
        "tagme": "TAGME",
        "queue": msg("system-queue"),
    }.get(system, system)


def kind_name(kind: str) -> str:
    """A kind of entry on the never-link list, in words."""
    return {"word": msg("kind-word"), "target": msg("kind-target"), "page": msg("kind-page")}.get(
        kind, kind
    )


def source_name(source: str) -> str:
    """Where an entry of the never-link list comes from, in words."""
    return {
        "file": msg("source-file"),
        "wiki": msg("source-wiki"),
        "settings page": msg("source-settings-page"),
    }.get(source, source)


def job_name(job: str) -> str:
    """Work that the service does by itself, in words."""
    return {
        "follow": msg("job-follow"),
        "publish": msg("job-publish"),
        "collect": msg("job-collect"),
        "watch": msg("job-watch"),
        "settings": msg("job-settings"),
    }.get(job, job)


def role_name(role: str) -> str:
    """What somebody may do, in words."""
    return {
        "review": msg("role-review"),
        "publish": msg("role-publish"),
        "administer": msg("role-administer"),
    }.get(role, role)


def reasons_in_words(reasons: list[Any]) -> list[str]:
    """Why the proposal was made, a clause each; what cannot be understood is shown as it is."""
    return [_reason(one) for one in reasons]


def _reason(one: Any) -> str:
    name = str(one.get("id")) if isinstance(one, dict) else ""
    try:
        params = reason_params(one) if name in PARAMETERS else None
    except (KeyError, TypeError):
        params = None
    if params is None:
        return str(one)
    clause = msg(f"reason-{name}", *params)
    return clause[:1].upper() + clause[1:]


def error_message(error: BaseException) -> str:
    """What an error says, in the reader's language."""
    return translated(error.args[0] if error.args else str(error))


def translated(sentence: object) -> str:
    """A message or a word of the program in the reader's language; anything else as it is."""
    if isinstance(sentence, Message):
        return msg(sentence.key, *map(_param, sentence.params))
    if isinstance(sentence, Word):
        return {"state": state_name, "verdict": verdict_name, "source": source_name}[sentence.kind](
            sentence
        )
    return str(sentence)


def _param(value: object) -> object:
    return translated(value) if isinstance(value, str) else value


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
        return msg("fewer-than-1-in-10-like-this-are")
    return msg("about-in-like-this-are-accepted", few, many)


def whole(value: int) -> str:
    """A count with the language's own thousands mark."""
    return numbers.format_decimal(value, locale=interface_locale())


def decimal(value: float) -> str:
    """A number with one digit after the point."""
    return numbers.format_decimal(round(value, 1), locale=interface_locale())


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
    "job_name": job_name,
    "decimal": decimal,
    "why_not": why_not,
    "percent": percent,
    "whole": whole,
    "moment": moment,
    "translated": translated,
    "error_message": error_message,
}
