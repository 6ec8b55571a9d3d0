"""What every request needs: the database, the linkers, the tokens and the limits."""

from __future__ import annotations

import multiprocessing
import threading
from dataclasses import dataclass, field, replace

from flask import current_app

from wikibot.api.access import Token, origins_of, read_tokens
from wikibot.api.errors import ApiError
from wikibot.api.live_page import MOST_AT_ONCE, Turns
from wikibot.api.rate import RateLimit
from wikibot.api.timed_calls import TimedCalls
from wikibot.config import Settings
from wikibot.errors import WikibotError
from wikibot.linkers import Linkers
from wikibot.policies import keep_file_list, names_in
from wikibot.store import Store
from wikibot.store.pages import WikiRow

EXTENSION = "wikibot_api"
REFRESH_S = 2.0  # between two looks whether the database has other models


@dataclass(frozen=True, slots=True)
class Service:
    """One API on one database."""

    store: Store
    settings: Settings
    linkers: Linkers
    calls: TimedCalls
    rate: RateLimit
    tokens: tuple[Token, ...]
    hosts: frozenset[str]
    more_origins: frozenset[str]
    turns: Turns = field(
        default_factory=lambda: multiprocessing.get_context("fork").BoundedSemaphore(MOST_AT_ONCE)
    )
    stopped: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def of(cls, store: Store, settings: Settings) -> Service:
        """The service that the settings ask for; refuses settings that cannot be used."""
        return cls(
            store,
            settings,
            Linkers(store, settings),
            TimedCalls(settings.number("time_limit_s")),
            RateLimit(settings.whole("requests_per_minute")),
            read_tokens(settings.text("tokens_file")),
            frozenset(name.lower() for name in names_in(settings.text("hosts"))),
            frozenset(names_in(settings.text("origins"))),
        )

    def with_store(self, store: Store) -> Service:
        """The same for another process, which opens the database by itself; limits are shared."""
        linkers = Linkers(store, self.settings)
        calls = TimedCalls(self.calls.limit_s)
        return replace(self, store=store, linkers=linkers, calls=calls, stopped=threading.Event())

    @property
    def largest_request_bytes(self) -> int:
        return self.settings.whole("largest_text_kb") << 10

    @property
    def origins(self) -> frozenset[str]:
        """Whose pages may ask from a browser."""
        return origins_of(self.linkers.wikis(), self.more_origins)

    def wiki(self, name: str | None) -> WikiRow:
        """The wiki of that name, else the one that was fetched last."""
        found = next((one for one in self.linkers.wikis() if name in (None, "", one.name)), None)
        if found is None:
            raise self._unknown_wiki(name or "")
        return found

    def wiki_of(self, project: str, domain: str) -> WikiRow:
        """The wiki that a caller calls so; a database with one wiki answers for every name."""
        wikis = self.linkers.wikis()
        if len(wikis) == 1:
            return wikis[0]
        for wiki in wikis:
            if domain in names_of(wiki) or wiki.name.startswith(f"{domain}.{project}."):
                return wiki
        raise self._unknown_wiki(f"{project}/{domain}")

    def _unknown_wiki(self, name: str) -> ApiError:
        names = ", ".join(wiki.name for wiki in self.linkers.wikis()) or "none yet"
        return ApiError(404, "no-wiki", f"The database holds no wiki {name}; it holds {names}.")

    def prepare(self) -> None:
        """The never-link file is in the database, as the settings name it."""
        for wiki in self.linkers.wikis():
            keep_file_list(self.store, wiki, self.settings.text("never_link_file"))

    def keep_fresh(self) -> None:
        """Take up new models as soon as they are there, until `stopped`; for a thread of its own."""
        while not self.stopped.wait(REFRESH_S):
            try:
                self.linkers.refresh()
            except WikibotError:
                continue  # what is loaded stays in force; the next look may find it mended


def names_of(wiki: WikiRow) -> set[str]:
    """What callers may call a wiki: its name or host, with or without "wiki".

    GrowthExperiments takes every "wiki" out of the wiki's id.
    """
    host = wiki.name.partition(":")[0]
    label = host.partition(".")[0]
    return {wiki.name, host, label, wiki.name.replace("wiki", ""), label.replace("wiki", "")}


def service() -> Service:
    """The service of the application that answers this request."""
    found = current_app.extensions[EXTENSION]
    assert isinstance(found, Service)
    return found
