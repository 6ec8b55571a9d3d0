"""The interface's words in the reader's language.

The catalogues are kept as `.po` text and compiled in memory when they are first needed, so that
neither the repository nor a package holds a binary that could be out of step.
"""

from __future__ import annotations

import functools
import gettext as gettext_module
import os
from contextlib import suppress
from contextvars import ContextVar
from io import BytesIO
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from flask import g, has_request_context, request

from wikibot.wikitext.languages import RIGHT_TO_LEFT

FOLDER = Path(__file__).parent / "translations"
DOMAIN = "wikibot"
SOURCE_LANGUAGE = "en"

_spoken: ContextVar[str] = ContextVar("spoken", default=SOURCE_LANGUAGE)


@functools.cache
def languages() -> tuple[str, ...]:
    """The languages that the interface speaks, the language of the source first."""
    found = sorted(path.parts[-3] for path in FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))
    return (SOURCE_LANGUAGE, *found)


@functools.cache
def catalogue(language: str) -> gettext_module.NullTranslations:
    """The translations into a language; the source's own words for the source's language."""
    path = FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.po"
    if language not in languages() or language == SOURCE_LANGUAGE:
        return gettext_module.NullTranslations()
    compiled = BytesIO()
    with path.open("rb") as file:
        write_mo(compiled, read_po(file, locale=language))
    compiled.seek(0)
    return gettext_module.GNUTranslations(compiled)


def speak_as_the_terminal() -> None:
    """From now on, outside of requests, the language is the one that the environment names."""
    named = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    code = named.lower().split(".")[0].split("_")[0]
    _spoken.set(code if code in languages() else SOURCE_LANGUAGE)


def interface_language() -> str:
    """The best of our languages for the browser that asks, or the terminal's."""
    if not has_request_context():
        return _spoken.get()
    if "language" not in g:
        wanted = (tag.lower().split("-")[0] for tag in request.accept_languages.values())
        g.language = next((code for code in wanted if code in languages()), SOURCE_LANGUAGE)
    return str(g.language)


def interface_locale() -> Locale:
    """The interface's language as the reader's country writes it: dates and numbers differ."""
    language = interface_language()
    wanted = request.accept_languages.values() if has_request_context() else ()
    for tag in wanted:
        if tag.lower().split("-")[0] == language:
            with suppress(ValueError, UnknownLocaleError):
                return Locale.parse(tag, sep="-")
    return Locale.parse(language)


def gettext(message: str) -> str:
    return catalogue(interface_language()).gettext(message)


def ngettext(one: str, many: str, number: int) -> str:
    return catalogue(interface_language()).ngettext(one, many, number)


@functools.cache
def direction(language: str) -> str:
    """`rtl` or `ltr`, for the text of a wiki in this language.

    >>> direction("he"), direction("en"), direction("xx-unknown")
    ('rtl', 'ltr', 'ltr')
    """
    right_to_left = RIGHT_TO_LEFT.split()
    is_so = language in right_to_left or language.split("-")[0] in right_to_left
    return "rtl" if is_so else "ltr"
