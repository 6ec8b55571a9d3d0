"""How work that takes long tells what it is at: the step, and how much of it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Step:
    """So much of so much is done (None where that is not known), with so many pages.

    `compiles` says that the numeric parts are compiled first, if they never were.
    """

    name: str
    done: int = 0
    total: int | None = None
    pages: int = 0
    compiles: bool = False


Tell = Callable[[Step], None]


def silent(_step: Step) -> None:
    """Nobody watches."""


def told(pages: Iterable[Item], name: str, total: int, tell: Tell) -> Iterator[Item]:
    """The same, page by page; each is told when it is done."""
    tell(Step(name, 0, total))
    for done, page in enumerate(pages, start=1):
        yield page
        tell(Step(name, done, total, done))
