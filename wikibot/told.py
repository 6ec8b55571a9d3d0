"""Sentences that can be told again in another language.

Whatever says no raises an error with one English sentence. Where a page or a terminal speaks
another language, it needs the pattern and the facts that the sentence was made of.
"""

from __future__ import annotations

from collections.abc import Mapping


class Told(str):
    """A sentence, with the pattern and the facts that it was made of."""

    __slots__ = ("facts", "pattern")
    pattern: str
    facts: Mapping[str, object]


def told(pattern: str, **facts: object) -> Told:
    """The pattern with its facts filled in; a plain string for everybody who wants no more.

    >>> told("There is no proposal {number}.", number=7)
    'There is no proposal 7.'
    """
    sentence = Told(pattern.format(**facts))
    sentence.pattern, sentence.facts = pattern, facts
    return sentence
