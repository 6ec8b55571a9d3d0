"""The settings in force: the operator's, made more careful by what the wiki's administrators have set.

Whoever proposes, explains or publishes asks here. `publish/settings_page.py` reads the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wikibot.config import Settings
from wikibot.store import Store
from wikibot.store.pages import WikiRow
from wikibot.store.wiki_settings import KeptSettings, kept
from wikibot.wiki_settings import narrowed


@dataclass(frozen=True, slots=True)
class InForce:
    """The settings, and the sentences that the wiki says in its own words, by name."""

    settings: Settings
    messages: Mapping[str, str] = field(default_factory=dict)


def in_force(settings: Settings, of_wiki: KeptSettings | None) -> InForce:
    """The operator's settings with those of the wiki, if it has any."""
    if of_wiki is None:
        return InForce(settings)
    found = narrowed(settings, of_wiki.given, of_wiki.title)
    return InForce(found, of_wiki.given.get("messages", {}))


def settings_in_force(store: Store, wiki: WikiRow, settings: Settings) -> Settings:
    """The settings for this wiki, by what was read of its page last."""
    with store.reading() as session:
        return in_force(settings, kept(session, wiki.id)).settings
