"""When `wikibot run` learns anew: seldom, since counts are kept up to date without it."""

from __future__ import annotations

from wikibot.errors import ModelError
from wikibot.models import open_models
from wikibot.store import Store
from wikibot.store.pages import wiki_by_name
from wikibot.store.suggestions import lessons_since_training


def is_due(store: Store, share: float, *, wiki: str | None = None) -> bool:
    """Is it time to learn anew? With nothing learned, with models that cannot be opened, and when the
    pages read and the decisions made since then are this share of the pages.
    """
    with store.reading() as session:
        wiki_id = wiki_by_name(session, wiki).id
        new = lessons_since_training(session, wiki_id)
    try:
        known = open_models(store, wiki_id).knowledge.size
    except ModelError:
        return True
    return new is None or new >= share * known
