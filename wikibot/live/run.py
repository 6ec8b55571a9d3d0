"""`wikibot follow`: take changes, handle them, remember how far, wait; again and again."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from wikibot.config import Settings
from wikibot.errors import ConfigError, WikiUnavailable
from wikibot.live.batch import Batch, Source
from wikibot.live.event_stream import EventStream
from wikibot.live.follower import Followed, Follower
from wikibot.live.recent_changes import RecentChanges
from wikibot.site.budget import is_wikimedia
from wikibot.site.event_stream import StreamReader
from wikibot.site.reading import WikiReader
from wikibot.store import Store
from wikibot.store.following import Position
from wikibot.store.lock import only_one
from wikibot.store.pages import WikiRow

Tell = Callable[[Followed], None]
Warn = Callable[[str], None]


def source_for(reader: WikiReader, settings: Settings) -> Source:
    """Where a wiki's changes are read, by the settings."""
    host = urlsplit(reader.api_url).hostname or ""
    chosen = settings.text("changes_from")
    asked = RecentChanges(reader)
    if chosen == "eventstreams" or (chosen == "auto" and is_wikimedia(host)):
        return EventStream(StreamReader(settings.text("stream_url"), host), asked)
    return asked


def address_of(wiki: WikiRow) -> str:
    """The wiki's api.php; refuses where it is not known."""
    if not wiki.api_url:
        raise ConfigError(
            f"The address of {wiki.name} is not known, as it was read from an export. Nothing was "
            "changed; name it with --url."
        )
    return wiki.api_url


def follow(
    store: Store,
    wiki: WikiRow,
    reader: WikiReader,
    settings: Settings,
    *,
    once: bool = False,
    tell: Tell,
    warn: Warn,
) -> None:
    """The queue follows the wiki until interrupted; with ONCE, until it has caught up.

    A wiki that does not answer, or a `wikibot suggest` that runs, is waited for. Refuses where
    nothing was learned, where the wiki is another one, and while another process follows.
    """
    source = source_for(reader, settings)
    with only_one(store, "follow"), Follower(store, wiki, reader, settings) as follower:
        follower.refuse_unlearned()
        follower.refuse_other_wiki()
        try:
            _loop(follower, source, settings.number("poll_s"), once=once, tell=tell, warn=warn)
        finally:
            source.close()


class Following:
    """Catches up with a wiki whenever it is told to; the models stay open in between."""

    def __init__(self, store: Store, wiki: WikiRow, reader: WikiReader, settings: Settings) -> None:
        self._follower = Follower(store, wiki, reader, settings)
        self._source = RecentChanges(reader)  # an open stream would only be read now and then
        self._is_checked = False

    def catch_up(self) -> Followed:
        """The queue is as the wiki is now; refuses as `follow` does."""
        found: list[Followed] = []
        with only_one(self._follower.store, "follow"):
            if not self._is_checked:
                self._follower.refuse_unlearned()
                self._follower.refuse_other_wiki()
                self._is_checked = True
            _loop(self._follower, self._source, 0, once=True, tell=found.append, warn=_ignore)
        return found[-1]


def _loop(
    follower: Follower, source: Source, poll_s: float, *, once: bool, tell: Tell, warn: Warn
) -> None:
    position, unhandled = follower.position(), None
    is_first = True
    while True:
        wait_s = poll_s
        try:
            batch = _next(follower, source, position, unhandled, is_first=is_first)
            is_first, position, unhandled = False, batch.position, batch
            tell(follower.handle(batch))
            follower.keep(position)
            unhandled = None
        except WikiUnavailable as error:
            if once:
                raise
            warn(str(error))
            wait_s = max(poll_s, error.retry_after_s)
        if once and unhandled is None:
            return
        source.wait(wait_s)


def _next(
    follower: Follower,
    source: Source,
    position: Position,
    unhandled: Batch | None,
    *,
    is_first: bool,
) -> Batch:
    """What is to be handled now: more changes, and those that could not be handled before."""
    if is_first and follower.is_forgotten(position):
        return follower.everything()
    later = source.take(position)
    return unhandled.joined(later) if unhandled else later


def _ignore(message: str) -> None:
    """Who catches up once is told of trouble by the error itself."""
