"""The texts that people read, in the JSON format of translatewiki.net.

A file for each language holds a text for each key; `qqq.json` tells translators what each is for. In
a text, `$1` is the first parameter and `{{PLURAL:$1|page|pages}}` chooses by a number.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

FOLDER = Path(__file__).parent
SOURCE_LANGUAGE = "en"
DOCUMENTATION = "qqq"
CATEGORIES = ("zero", "one", "two", "few", "many", "other")

_MARK = re.compile(r"\{\{PLURAL:\$([1-9])\|([^{}]*)\}\}|\$([1-9])")
_PARAMETER = re.compile(r"\$([1-9])")


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


def fill(
    text: str, params: tuple[object, ...], language: str, show: Callable[[object], str] = str
) -> str:
    """The text with its parameters, each written by `show`; what stands in them is left as it is.

    >>> fill("$1: {{PLURAL:$2|$2 page|$2 pages}}", ("Saved", 2), "en")
    'Saved: 2 pages'
    """

    def parameter(match: re.Match[str]) -> str:
        number = int(match[1])
        return show(params[number - 1]) if number <= len(params) else match[0]

    def mark(match: re.Match[str]) -> str:
        if match[3]:
            number = int(match[3])
            return show(params[number - 1]) if number <= len(params) else match[0]
        number = int(match[1])
        if number > len(params):
            return match[0]
        return _PARAMETER.sub(parameter, _form(match[2].split("|"), params[number - 1], language))

    return _MARK.sub(mark, text)


def _form(forms: list[str], number: object, language: str) -> str:
    """The form for a number; the last one where the language would have more."""
    return forms[min(_place(int(str(number)), language), len(forms) - 1)]


def _place(number: int, language: str) -> int:
    """Which of the language's forms a number takes, counted from 0."""
    if language == SOURCE_LANGUAGE:
        return 0 if number == 1 else 1
    from babel import Locale  # not for the commands that only look: it takes long to load

    rule = Locale.parse(language, sep="-").plural_form
    has = [name for name in CATEGORIES if name in rule.tags or name == "other"]
    return has.index(rule(number))
