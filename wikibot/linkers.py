"""The linkers of a database's wikis, each made of the newest models and never-link lists.

For programs that run for days: what `train`, `suggest` or a reviewer changes in the database is taken
up by `refresh`. Whoever works with a linker meanwhile keeps the one it has.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from wikibot.config import Settings
from wikibot.errors import ModelError
from wikibot.in_force import settings_in_force
from wikibot.link import Linker
from wikibot.linker.policy import Policy
from wikibot.models import open_crtm, open_models
from wikibot.never_list import NeverList
from wikibot.policies import policy_from, with_never_list
from wikibot.store import Store
from wikibot.store.pages import WikiRow, wikis
from wikibot.store.suggestions import decided_targets, models_of, never_list
from wikibot.store.wiki_settings import given

if TYPE_CHECKING:
    from crtm import CRTM


@dataclass(frozen=True, slots=True)
class OpenLinker:
    """A linker, and what it was made of."""

    linker: Linker
    made_of: MadeOf

    @property
    def wiki(self) -> WikiRow:
        return self.linker.wiki

    @property
    def checksums(self) -> dict[str, str]:
        """The SHA-256 of each file that was learned, by kind."""
        return self.made_of.checksums


@dataclass(frozen=True, slots=True)
class MadeOf:
    """All that a linker depends on, as the database has it."""

    wiki: WikiRow
    checksums: dict[str, str]
    never: NeverList
    given: dict[str, Any]  # on the wiki


class Linkers:
    """Linkers by wiki, opened when they are first asked for."""

    def __init__(self, store: Store, settings: Settings) -> None:
        policy_from(settings)  # bad settings are told before anything is opened
        self.store, self._settings = store, settings
        self._open: dict[int, OpenLinker] = {}
        self._wikis: tuple[WikiRow, ...] = ()
        self._crtm: tuple[str, CRTM] | None = None
        self._lock = threading.Lock()  # what is missing is opened once, whoever asks first

    def wikis(self) -> tuple[WikiRow, ...]:
        """The wikis of the database, the one that was fetched last in front."""
        if not self._wikis:
            self._wikis = self._read_wikis()
        return self._wikis

    def of(self, wiki: WikiRow) -> OpenLinker:
        """The wiki's linker; refuses where nothing was learned yet."""
        with self._lock:
            if wiki.id not in self._open:
                self._open[wiki.id] = self._made(wiki)
            return self._open[wiki.id]

    def refresh(self) -> int:
        """Take up what has changed in the database; return how many linkers are new."""
        self._wikis = self._read_wikis()
        renewed = 0
        for wiki in self._wikis:
            old = self._open.get(wiki.id)
            if old is not None and self._made_of(wiki) != old.made_of:
                self._open[wiki.id] = self._made(wiki)
                renewed += 1
        return renewed

    def crtm(self, found: OpenLinker) -> CRTM:
        """The topic model that was learned with the linker; kept, since to load it takes long."""
        checksum = found.checksums.get("crtm", "")
        with self._lock:
            if self._crtm is None or self._crtm[0] != checksum:
                self._crtm = checksum, open_crtm(self.store, found.wiki.id)
            return self._crtm[1]

    def policy_for(self, open_linker: OpenLinker, title: str) -> Policy:
        """The policy for a page of the wiki: what people have decided about it is not proposed."""
        with self.store.reading() as session:
            decided = decided_targets(session, open_linker.wiki.id, title)
        return replace(open_linker.linker.policy, decided=decided)

    def _read_wikis(self) -> tuple[WikiRow, ...]:
        with self.store.reading() as session:
            return tuple(wikis(session))

    def _made_of(self, wiki: WikiRow) -> MadeOf:
        with self.store.reading() as session:
            rows = models_of(session, wiki.id)
            checksums = {kind: row.sha256 for kind, row in sorted(rows.items())}
            return MadeOf(wiki, checksums, never_list(session, wiki.id), given(session, wiki.id))

    def _made(self, wiki: WikiRow) -> OpenLinker:
        """Opened so that what is remembered as `made_of` is what was opened."""
        for _ in range(3):
            before = self._made_of(wiki)
            models = open_models(self.store, wiki.id)
            policy = policy_from(settings_in_force(self.store, wiki, self._settings))
            policy = with_never_list(self.store, wiki, policy)
            if self._made_of(wiki) == before:
                return OpenLinker(Linker(wiki, models, policy), before)
        raise ModelError(
            f"The models of {wiki.name} are being replaced again and again. Nothing was changed; "
            "try again in a minute."
        )
