"""What a publishing run works with: the database, the wiki, the account and the rules in force."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from wikibot.config import Settings
from wikibot.diff import Row
from wikibot.errors import (
    AccountRefused,
    ConfigError,
    ShutOff,
    WikibotError,
    WikiUnavailable,
)
from wikibot.in_force import in_force
from wikibot.message import message, said
from wikibot.publish import settings_page
from wikibot.publish.messages import Messages
from wikibot.publish.wording import wording
from wikibot.site import connect, history
from wikibot.site.reading import WikiReader
from wikibot.store import Store, pages
from wikibot.store.wiki_settings import KeptSettings
from wikibot.wikitext import SiteRules

# The bundled wiki exists nowhere, so that nothing of it can be published.
DEMO_WIKI = "demowiki"
# Where a publisher can be interrupted; the crash tests kill it at each of them.
POINTS = ("planned", "sent", "answered", "finished", "settled")


def go_on(point: str) -> None:
    """Nothing happens at a point of a real run."""


@dataclass(frozen=True, slots=True)
class Publisher:
    """Everything that the steps of a run share; nothing in it changes."""

    store: Store
    site: connect.Site
    wiki: pages.WikiRow
    account: connect.Account
    settings: Settings
    rules: SiteRules
    words: Messages
    shutoff: str
    tags: tuple[str, ...]
    edit_interval_s: float
    of_wiki: KeptSettings | None = None  # what the wiki's administrators have set
    is_dry_run: bool = False
    retries_refused: bool = False
    only: frozenset[int] | None = None  # publish these proposals; None means all
    batch: str = field(default_factory=lambda: f"b{secrets.token_hex(4)}")
    wait: Callable[[float], None] = time.sleep
    reached: Callable[[str], None] = go_on

    @property
    def is_bot(self) -> bool:
        """Is the account a bot's, and not a person's who edits with our help?"""
        return self.account.is_bot


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one edit.

    `state` is done, refused, later or unknown as in the outbox, `would` in a dry run, or `nothing`
    when there was nothing to do.
    """

    title: str
    state: str
    message: str = ""
    links: int = 0
    revision: int | None = None
    edit_id: int | None = None
    diff: str = ""
    rows: tuple[Row, ...] = ()  # the same in parts, of an edit that would be made
    proposals: tuple[int, ...] = ()  # whose links the edit holds
    batch: str = ""  # what `wikibot undo --batch` takes back
    is_refused_by_wiki: bool = False
    is_lost: bool = False  # sent, and not in the page's history


class WikiLogin(Protocol):
    """Who publishes, and where: a way to the wiki as one account.

    `Choice` is the account of `user-config.py`. A service with several people gives each of them
    a login of their own; nothing else in this package asks who is at work.
    """

    def open_site(self) -> connect.Site:
        """The wiki; nothing is sent in the account's name yet."""

    def log_in(self, site: connect.Site) -> connect.Account:
        """The account with its rights, logged in on the wiki; refuses with AccountRefused."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which wiki, as pywikibot's users name it; what is not given comes from user-config.py."""

    family: str | None = None
    lang: str | None = None
    user: str | None = None

    def open_site(self) -> connect.Site:
        return connect.connect(family=self.family, lang=self.lang, user=self.user)

    def log_in(self, site: connect.Site) -> connect.Account:
        """Refuses without a contact for the wiki's operators."""
        if not connect.contact():
            raise ConfigError(message("no-contact"))
        return connect.log_in(site)


def open_publisher(
    store: Store, settings: Settings, login: WikiLogin, *, is_dry_run: bool = False
) -> Publisher:
    """We are logged in on the wiki that the database is about, and may edit there.

    Refuses when account or wiki do not fit.
    """
    site = login.open_site()
    wiki = wiki_of_site(store, connect.api_url(site))
    account = login.log_in(site)
    refuse_unfit(account)
    of_wiki = read_settings_page(store, wiki, site, settings, is_dry_run=is_dry_run)
    now = in_force(settings, of_wiki)
    settings = now.settings
    shutoff = titled(settings.text("shutoff_page"), account)
    worklist = titled(settings.text("worklist_page"), account)
    refuse_impossible_titles(site, {"shutoff_page": shutoff, "worklist_page": worklist})
    return Publisher(
        store=store,
        site=site,
        wiki=wiki,
        account=account,
        settings=settings,
        rules=wiki.rules(link_scope=settings.text("link_scope")),
        words=wording(
            wiki.language,
            settings,
            account.name,
            now.messages,
        ),
        of_wiki=of_wiki,
        shutoff=shutoff,
        tags=change_tags(site, account, settings.text("change_tag")),
        edit_interval_s=connect.edit_interval_s(),
        is_dry_run=is_dry_run,
    )


def read_settings_page(
    store: Store, wiki: pages.WikiRow, site: connect.Site, settings: Settings, *, is_dry_run: bool
) -> KeptSettings | None:
    """What the wiki's administrators have set, read just now; a dry run writes none of it down."""
    looked = settings_page.look_at(WikiReader(site), wiki, settings)
    now = settings_page.kept_after(store, wiki, looked)
    if looked is not None and now is not None and not is_dry_run:
        settings_page.keep(store, wiki, now)
    return now


def refuse_impossible_titles(site: connect.Site, titles: Mapping[str, str]) -> None:
    """Refuse settings, by name, whose titles cannot be pages of the wiki.

    A shut-off page that cannot exist would count as missing, and the bot could not be stopped.
    """
    for name, title in titles.items():
        try:
            why = history.why_impossible(site, title)
        except WikiUnavailable as error:
            raise unreadable(title, error) from error
        if why:
            raise ConfigError(message("impossible-title", name, title, why))


def unreadable(shutoff: str, error: WikibotError) -> ShutOff:
    """A shut-off page that cannot be read counts as stop."""
    return ShutOff(message("shutoff-unreadable", shutoff, said(error)))


def titled(setting: str, account: connect.Account) -> str:
    """The title that a setting means, with our user name filled in."""
    return setting.replace("{user}", account.name)


def wiki_of_site(store: Store, api_url: str) -> pages.WikiRow:
    """The database's wiki at this address; a wiki known from an export alone is taken on trust.

    The texts are compared before every edit, so a wrong export cannot damage a page.
    """
    with store.reading() as session:
        known = pages.wikis(session)
    for wiki in known:
        if wiki.api_url and same_address(wiki.api_url, api_url):
            return wiki
    from_export = [wiki for wiki in known if not wiki.api_url and wiki.name != DEMO_WIKI]
    if len(from_export) == 1:
        return from_export[0]
    names = ", ".join(f"{wiki.name} ({wiki.api_url or 'an export'})" for wiki in known)
    raise ConfigError(message("another-wiki", names or "no wiki yet", api_url))


def same_address(one: str, other: str) -> bool:
    def bare(url: str) -> str:
        return url.partition("://")[2].rstrip("/").removesuffix("/api.php").lower()

    return bare(one) == bare(other)


def refuse_unfit(account: connect.Account) -> None:
    if account.block and not account.is_partially_blocked:
        raise AccountRefused(message("account-is-blocked", account.name, account.block))
    for lack in connect.lacking(account):
        if lack.is_fatal:
            raise AccountRefused(message("lacks-right", account.name, lack.right, lack.consequence))


def change_tags(site: connect.Site, account: connect.Account, tag: str) -> tuple[str, ...]:
    """The configured tag, if the wiki has it and lets us use it."""
    if not tag or "applychangetags" not in account.rights or not history.has_tag(site, tag):
        return ()
    return (tag,)


def wiki_time(publisher: Publisher) -> datetime:
    """The wiki's clock; ours may jump."""
    return history.read_time(publisher.site)
