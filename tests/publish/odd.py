"""Answers that are not what they should be: every field missing, or of another type."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

ODD: tuple[Any, ...] = (None, True, 1.5, -1, 2**70, "x", "", [], [None], {}, {"a": 1}, ["x"])
# What is no JSON at all, or not of this world.
RAW = (b"", b"<h1>Hello</h1>", b"{", b'{"query":', b"null", b"[]", b'"ok"', b"7", b"[[[[", b"\xff")

Path = tuple[str | int, ...]


def paths(value: Any, above: Path = ()) -> Iterator[Path]:
    """Every place in the answer, the whole of it included."""
    yield above
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, below in inside:
        yield from paths(below, (*above, key))


def mutations(answer: Any) -> Iterator[Any]:
    """The answer with each of its fields missing once, and once of each other type."""
    for path in paths(answer):
        if path:
            yield changed(answer, path, is_missing=True)
        for value in ODD:
            if not is_same_type(value, at(answer, path)):
                yield changed(answer, path, value)


def is_same_type(one: Any, other: Any) -> bool:
    """A number out of range counts as another type."""
    return type(one) is type(other) and one not in (-1, 2**70)


def at(answer: Any, path: Path) -> Any:
    for key in path:
        answer = answer[key]
    return answer


def changed(answer: Any, path: Path, value: Any = None, *, is_missing: bool = False) -> Any:
    if not path:
        return value
    whole = copy.deepcopy(answer)
    parent = at(whole, path[:-1])
    if is_missing:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    return whole


def any_odd_body(body: bytes, chance: random.Random) -> bytes:
    """The body of an answer with one thing wrong with it, drawn by chance."""
    try:
        answer = json.loads(body)
    except ValueError:
        return chance.choice(RAW)
    if chance.random() < 0.2:
        return chance.choice((*RAW, body[: len(body) // 2]))
    path = chance.choice(list(paths(answer)))
    values = [value for value in ODD if not is_same_type(value, at(answer, path))]
    is_missing = bool(path) and chance.random() < 0.4
    odd = changed(answer, path, chance.choice(values), is_missing=is_missing)
    return json.dumps(odd).encode()
