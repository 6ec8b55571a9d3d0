"""The interface's words in the reader's language."""

from __future__ import annotations

import functools
from contextlib import suppress
from contextvars import ContextVar

from babel import Locale, UnknownLocaleError
from flask import g, has_request_context, request
from markupsafe import Markup, escape

from wikibot.i18n import SOURCE_LANGUAGE, fill, languages, terminal_language, text_of
from wikibot.wikitext.languages import RIGHT_TO_LEFT

_spoken: ContextVar[str] = ContextVar("spoken", default=SOURCE_LANGUAGE)


def speak_as_the_terminal() -> None:
    """From now on, outside of requests, the language is the one that the environment names."""
    _spoken.set(terminal_language())


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


def msg(key: str, *params: object) -> str:
    """The text of a key with its parameters; markup only where a parameter is markup already.

    Everything but such a parameter is plain text, which templates escape.
    """
    language = interface_language()
    text = text_of(key, language)
    if any(hasattr(one, "__html__") for one in params):
        return Markup(fill(str(escape(text)), params, language, escape))
    return fill(text, params, language)


@functools.cache
def direction(language: str) -> str:
    """`rtl` or `ltr`, for the text of a wiki in this language.

    >>> direction("he"), direction("en"), direction("xx-unknown")
    ('rtl', 'ltr', 'ltr')
    """
    right_to_left = RIGHT_TO_LEFT.split()
    is_so = language in right_to_left or language.split("-")[0] in right_to_left
    return "rtl" if is_so else "ltr"
