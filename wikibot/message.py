"""Messages that can be shown in another language.

Whatever refuses something raises an error with one English sentence. Where a page or a terminal
speaks another language, it needs the key and the parameters that the sentence was made of.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from wikibot.i18n import SOURCE_LANGUAGE, fill, terminal_language, text_of, texts


class Message(str):
    """A sentence, with the key and the parameters that it was made of."""

    __slots__ = ("key", "params")
    key: str
    params: tuple[object, ...]


class Word(str):
    """A word of the program, such as a state, that a page says in its own language."""

    __slots__ = ("kind",)
    kind: str


def message(key: str, *params: object) -> Message:
    """Fill the parameters into the English text; a plain string for everybody who wants no more.

    >>> message("there-is-no-proposal-nothing-was", 7)
    'There is no proposal 7. Nothing was changed.'
    """
    sentence = Message(fill(text_of(key, SOURCE_LANGUAGE), params, SOURCE_LANGUAGE))
    sentence.key, sentence.params = key, params
    return sentence


def word(kind: str, value: str) -> Word:
    """The value as it is in the program, for a page to say as a `state`, `verdict` or `source`."""
    found = Word(value)
    found.kind = kind
    return found


def said(error: BaseException) -> str:
    """What an error says, with its key if it has one.

    >>> said(ValueError(message("there-is-no-proposal-nothing-was", 7)))
    'There is no proposal 7. Nothing was changed.'
    """
    first = error.args[0] if error.args else ""
    return first if isinstance(first, str) and first else str(error)


def in_one(sentences: Sequence[str]) -> str:
    """One or more sentences as one message."""
    first, *others = sentences
    for other in others:
        first = message("two-sentences", first, other)
    return first


def said_in(sentence: object, language: str) -> str:
    """The sentence in a language; anything but a message or a word as it is.

    >>> said_in(message("verdict-approve"), "de")
    'angenommen'
    """
    if isinstance(sentence, Word) and language != SOURCE_LANGUAGE:
        key = f"{sentence.kind}-{sentence}".replace(" ", "-")
        return text_of(key, language) if key in texts(SOURCE_LANGUAGE) else str(sentence)
    if not isinstance(sentence, Message):
        return str(sentence)
    params = tuple(
        said_in(one, language) if isinstance(one, str) else one for one in sentence.params
    )
    return fill(text_of(sentence.key, language), params, language)


def in_terminal(sentence: object) -> str:
    """The sentence in the language of whoever sits at the terminal."""
    return said_in(sentence, terminal_language())


def stored(sentence: str) -> str:
    """The sentence as the database keeps it: a message with its key, anything else as it is.

    >>> restored(stored(message("there-is-no-proposal-nothing-was", 7))).params
    (7,)
    """
    return json.dumps(_packed(sentence)) if isinstance(sentence, Message) else sentence


def restored(text: str) -> str:
    """A sentence that the database kept; in English where this version has no such message."""
    try:
        found = json.loads(text) if text.startswith('{"key": ') else None
    except ValueError:
        found = None
    return text if found is None else _unpacked(found)  # type: ignore[return-value]


def _packed(value: object) -> Any:
    if isinstance(value, Message):
        return {"key": value.key, "params": [*map(_packed, value.params)], "text": str(value)}
    if isinstance(value, Word):
        return {"kind": value.kind, "text": str(value)}
    return value if isinstance(value, int | float) else str(value)


def _unpacked(value: Any) -> object:
    if not isinstance(value, dict):
        return value
    if "kind" in value:
        return word(value["kind"], value["text"])
    if value.get("key") not in texts(SOURCE_LANGUAGE):
        return value.get("text", "")
    return message(value["key"], *map(_unpacked, value.get("params", ())))
