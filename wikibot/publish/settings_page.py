"""The page on which a wiki's administrators set what the bot leaves alone and how it speaks.

The threat: somebody else edits that page. Only a newest revision by an account that is in one of
the groups of administrators, and not blocked, is taken; until then the last good one is in force.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import NamedTuple

from wikibot.config import Settings
from wikibot.errors import ConfigError, WikibotError
from wikibot.message import Message, in_one, message, said
from wikibot.never_list import read_page_list
from wikibot.publish.messages import messages
from wikibot.publish.wording import message_of
from wikibot.site.connect import asked_once, connect
from wikibot.site.reading import NewestRevision, WikiReader
from wikibot.store import Store, wiki_settings
from wikibot.store.never_links import keep_listed
from wikibot.store.pages import WikiRow, wiki_by_name
from wikibot.store.wiki_settings import KeptSettings
from wikibot.wiki_settings import Read, read_settings

SOURCE = "settings page"
NO_PAGE = NewestRevision(0, "", "{}")


class Looked(NamedTuple):
    """The page as the wiki has it, and what it sets; revision 0 where there is none."""

    title: str
    newest: NewestRevision
    read: Read


def look_at(reader: WikiReader, wiki: WikiRow, settings: Settings) -> Looked | None:
    """The page that the settings name; None where they name none."""
    title = settings.text("settings_page")
    if not title:
        return None
    newest = reader.newest(title) or NO_PAGE
    read = Read({}, []) if newest == NO_PAGE else _read(newest, title, wiki, reader, settings)
    return Looked(title, newest, read)


def kept_after(store: Store, wiki: WikiRow, looked: Looked | None) -> KeptSettings | None:
    """What counts from now on: where the newest revision has problems, the last good one."""
    with store.reading() as session:
        before = wiki_settings.kept(session, wiki.id)
    if looked is None:
        return before
    last_good = before.given if before and before.title == looked.title else {}
    return KeptSettings(
        title=looked.title,
        revision_id=looked.newest.revision_id,
        author=looked.newest.user,
        given=last_good if looked.read.problems else looked.read.given,
        problems=list(looked.read.problems),
        read_at=datetime.now(timezone.utc),
    )


def keep(store: Store, wiki: WikiRow, now: KeptSettings) -> None:
    """The database has what counts from now on, the entries of the never-link list among it."""
    with store.writing() as session:
        wiki_settings.keep(session, wiki.id, now)
        lines = "\n".join(f"* {line}" for line in now.given.get("never_link", ()))
        entries = read_page_list(lines, wiki.rules())
        keep_listed(session, wiki.id, SOURCE, entries, added_by=now.title)


def refresh(
    store: Store, wiki: WikiRow, reader: WikiReader, settings: Settings
) -> KeptSettings | None:
    """The settings are as the page has them; None where no page is named and none was read."""
    looked = look_at(reader, wiki, settings)
    now = kept_after(store, wiki, looked)
    if looked is not None and now is not None:
        keep(store, wiki, now)
    return now


def refresh_by_name(store: Store, settings: Settings, name: str | None) -> Message | None:
    """For a command that only reads the wiki: a sentence where the page could not be read or used.

    A wiki that cannot be reached keeps the settings that were read last. Nothing is asked for a
    wiki that is known from an export alone.
    """
    with store.reading() as session:
        wiki = wiki_by_name(session, name)
    title = settings.text("settings_page")
    if not title or not wiki.api_url:
        return None
    try:
        with asked_once():
            now = refresh(store, wiki, WikiReader(connect(url=wiki.api_url)), settings)
    except WikibotError as error:
        return message("settings-unread", title, said(error))
    return problems_in_one(now)


def problems_in_one(now: KeptSettings | None) -> Message | None:
    """What is wrong with the page, as one message; None where nothing is."""
    if now is None or not now.problems:
        return None
    return message("settings-not-used", now.title, in_one(now.problems))


def _read(
    newest: NewestRevision, title: str, wiki: WikiRow, reader: WikiReader, settings: Settings
) -> Read:
    groups = {one.strip() for one in settings.text("admin_groups").split(",") if one.strip()}
    named = ", ".join(sorted(groups))
    if not newest.user:
        return Read({}, [message("settings-author-hidden", named)])
    if not groups & reader.groups_of(newest.user):
        return Read({}, [message("settings-author", newest.user, named)])
    words = messages(wiki.language)

    def problem(name: str, text: str) -> Message | None:
        try:
            message_of(title, name, text, words)
        except ConfigError as error:
            why: Message = error.args[0].params[0]
            return why
        return None

    return read_settings(newest.text, problem)
