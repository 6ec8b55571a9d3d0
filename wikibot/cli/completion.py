"""What the shell offers on Tab: titles, wikis and states, read from the database.

Completion never fails and never writes: where there is nothing to offer, it offers nothing.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

if TYPE_CHECKING:
    from wikibot.store import Session

MAX_OFFERED = 40

Offer = Callable[[click.Context, str], list[str]]


class Completed(StringParamType):
    """Text that the shell can complete; any other text is accepted as well."""

    def __init__(self, offer: Offer) -> None:
        self.offer = offer

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(_quoted(value)) for value in self.offer(ctx, incomplete)]


def complete_values(command: click.Command) -> click.Command:
    """Let the shell complete the options of COMMAND whose values the database knows."""
    for param in command.params:
        if param.name in OFFERS and param.type is click.STRING:
            param.type = Completed(OFFERS[param.name])
    return command


def _states(_: click.Context, incomplete: str) -> list[str]:
    from wikibot.store import queue

    return _beginning((*queue.STATES, queue.ANY_STATE), incomplete)


def _wikis(ctx: click.Context, incomplete: str) -> list[str]:
    from wikibot.store.pages import wikis

    return _read(ctx, lambda session: _beginning([w.name for w in wikis(session)], incomplete))


def _titles(ctx: click.Context, incomplete: str) -> list[str]:
    from wikibot.store import queue
    from wikibot.store.pages import wiki_by_name

    def read(session: Session) -> list[str]:
        wiki = wiki_by_name(session, ctx.params.get("wiki"))
        found = queue.find_titles(session, wiki.id, incomplete, limit=MAX_OFFERED)
        return _beginning([title.title for title in found], incomplete)

    return _read(ctx, read)


def _read(ctx: click.Context, read: Callable[[Session], list[str]]) -> list[str]:
    """What READ finds in the database that the command line names; nothing if it cannot be read."""
    from wikibot.cli.common import opened_store
    from wikibot.errors import WikibotError

    try:
        with opened_store(ctx.params.get("db")) as store, store.reading() as session:
            return read(session)
    except WikibotError:
        return []


def _beginning(values: list[str] | tuple[str, ...], incomplete: str) -> list[str]:
    start = incomplete.replace("_", " ").casefold()
    return [value for value in values if value.casefold().startswith(start)]


def _quoted(value: str) -> str:
    """Escape a value for bash, which inserts it as it stands; other shells do it themselves.

    Two backslashes, since click's script for bash reads one of them away.
    """
    is_bash = os.environ.get("_WIKIBOT_COMPLETE", "").startswith("bash")
    if not is_bash or _in_quotes(os.environ.get("COMP_WORDS", "")):
        return value
    return "".join(_escaped(character) for character in value)


def _in_quotes(typed: str) -> bool:
    return typed.count('"') % 2 == 1


def _escaped(character: str) -> str:
    return character if shlex.quote(character) == character else f"\\\\{character}"


# option or argument -> what may stand there
OFFERS: dict[str, Offer] = {
    "state": _states,
    "wiki": _wikis,
    "page": _titles,
    "pages": _titles,
    "target": _titles,
    "one": _titles,
    "to": _titles,
    "source": _titles,
}
