"""Messages that can be shown in another language.

Whatever refuses something raises an error with one English sentence. Where a page or a terminal
speaks another language, it needs the pattern and the parameters that the sentence was made of.
"""

from __future__ import annotations

from collections.abc import Mapping


class Message(str):
    """A sentence, with the pattern and the parameters that it was made of."""

    __slots__ = ("params", "pattern")
    pattern: str
    params: Mapping[str, object]


def message(pattern: str, **params: object) -> Message:
    """Fill the parameters into the pattern; a plain string for everybody who wants no more.

    >>> message("There is no proposal {number}.", number=7)
    'There is no proposal 7.'
    """
    sentence = Message(pattern.format(**params))
    sentence.pattern, sentence.params = pattern, params
    return sentence
