"""The texts that people read, in the JSON format of translatewiki.net.

A file for each language holds a text for each key; `qqq.json` tells translators what each is for. In
a text, `$1` is the first parameter and `{{PLURAL:$1|page|pages}}` chooses by a number.
"""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
SOURCE_LANGUAGE = "en"
DOCUMENTATION = "qqq"
CATEGORIES = ("zero", "one", "two", "few", "many", "other")

# The variables that name the language of a terminal; the first that is set counts.
TERMINAL_LANGUAGE = ("WIKIBOT_LANG", "LC_ALL", "LC_MESSAGES", "LANG")

_MARK = re.compile(r"\{\{PLURAL:\$([1-9])\|([^{}]*)\}\}|\$([1-9])")
_PARAMETER = re.compile(r"\$([1-9])")


class Habits(NamedTuple):
    """How a language counts: numbers with the singular, the thousands mark, the decimal mark."""

    singular: tuple[int, ...]
    thousands: str
    decimal: str


# What the shipped languages do; others are looked up in babel, which takes long to load.
HABITS = {
    SOURCE_LANGUAGE: Habits((1,), ",", "."),
    "de": Habits((1,), ".", ","),
    "fr": Habits((0, 1), "\u202f", ","),
}


class Count(int):
    """A parameter that counts something; written with the language's thousands mark."""


class Tenths(float):
    """A parameter that was measured; written with one digit after the language's decimal mark."""


@functools.cache
def languages() -> tuple[str, ...]:
    """The languages that there are texts in, the language of the source first."""
    found = {path.stem for path in FOLDER.glob("*.json")} - {DOCUMENTATION, SOURCE_LANGUAGE}
    return (SOURCE_LANGUAGE, *sorted(found))


@functools.cache
def texts(language: str) -> Mapping[str, str]:
    """Every text of a language by its key."""
    read = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return {key: text for key, text in read.items() if key != "@metadata"}


def text_of(key: str, language: str) -> str:
    """The text of a key; the English one where the language has none."""
    if language in languages() and key in texts(language):
        return texts(language)[key]
    return texts(SOURCE_LANGUAGE)[key]


def terminal_language() -> str:
    """The language that the environment names, if there are texts in it; else English."""
    named = next(filter(None, map(os.environ.get, TERMINAL_LANGUAGE)), "")
    code = re.split("[-_.@]", named.lower())[0]
    return code if code in languages() else SOURCE_LANGUAGE


def fill(
    text: str,
    params: tuple[object, ...],
    language: str,
    show: Callable[[object], str] | None = None,
) -> str:
    """The text with its parameters, each written by `show`; what stands in them is left as it is.

    >>> fill("$1: {{PLURAL:$2|$2 page|$2 pages}}", ("Saved", Count(1200)), "en")
    'Saved: 1,200 pages'
    """
    write = show or functools.partial(written, language=language)

    def parameter(match: re.Match[str]) -> str:
        number = int(match[1])
        return write(params[number - 1]) if number <= len(params) else match[0]

    def mark(match: re.Match[str]) -> str:
        if match[3]:
            number = int(match[3])
            return write(params[number - 1]) if number <= len(params) else match[0]
        number = int(match[1])
        if number > len(params):
            return match[0]
        return _PARAMETER.sub(parameter, _form(match[2].split("|"), params[number - 1], language))

    return _MARK.sub(mark, text)


def written(value: object, language: str) -> str:
    """A parameter as the language writes it.

    >>> written(Count(1640), "de"), written(Tenths(2.25), "de"), written(1640, "de")
    ('1.640', '2,2', '1640')
    """
    if not isinstance(value, Count | Tenths):
        return str(value)
    if language not in HABITS:
        from babel.numbers import format_decimal

        return format_decimal(round(value, 1), locale=language.replace("-", "_"))
    english = f"{int(value):,}" if isinstance(value, Count) else f"{float(value):,.1f}"
    habits = HABITS[language]
    return english.translate({ord(","): habits.thousands, ord("."): habits.decimal})


def _form(forms: list[str], number: object, language: str) -> str:
    """The form for a number; the last one where the language would have more."""
    whole = number if isinstance(number, int) else int(str(number))
    return forms[min(_place(whole, language), len(forms) - 1)]


def _place(number: int, language: str) -> int:
    """Which of the language's forms a number takes, counted from 0."""
    if language in HABITS:
        return 0 if number in HABITS[language].singular else 1
    from babel import Locale

    rule = Locale.parse(language, sep="-").plural_form
    has = [name for name in CATEGORIES if name in rule.tags or name == "other"]
    return has.index(rule(number))
