"""The interface's words in the reader's language.

The catalogues are kept as `.po` text and compiled in memory when they are first needed, so that
neither the repository nor a package holds a binary that could be out of step.
"""

from __future__ import annotations

import functools
import gettext as gettext_module
from io import BytesIO
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from flask import g, has_request_context, request

FOLDER = Path(__file__).parent / "translations"
DOMAIN = "wikibot"
SOURCE_LANGUAGE = "en"
# Right-to-left languages of wikis that Babel has no data for.
ALSO_RIGHT_TO_LEFT = frozenset(
    [
        "aeb",
        "arc",
        "arz",
        "azb",
        "bcc",
        "bgn",
        "bqi",
        "dv",
        "fay",
        "glk",
        "khw",
        "kk-arab",
        "ku-arab",
        "lki",
        "nqo",
    ]
)


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


def interface_language() -> str:
    """The best of our languages for the browser that asks."""
    if not has_request_context():
        return SOURCE_LANGUAGE
    if "language" not in g:
        g.language = request.accept_languages.best_match(languages()) or SOURCE_LANGUAGE
    return str(g.language)


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
    if language in ALSO_RIGHT_TO_LEFT:
        return "rtl"
    try:
        return Locale.parse(language, sep="-").text_direction
    except (UnknownLocaleError, ValueError):
        return "ltr"
