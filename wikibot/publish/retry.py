"""One edit after another: a page that is edited just now is tried anew, one that refuses is passed."""

from __future__ import annotations

from collections.abc import Callable

from wikibot.errors import (
    AccountRefused,
    EditConflict,
    EditLost,
    EditRefused,
    OutcomeHidden,
    OutcomeUnknown,
    SessionLost,
    ShutOff,
    UnsafeEdit,
    WikibotError,
    WikiRefused,
    WikiUnavailable,
)
from wikibot.message import said
from wikibot.publish.publisher import Outcome, Publisher

# What ends a run: it would happen to the next page too, or must be cleared up first.
STOPS = (ShutOff, SessionLost, WikiUnavailable, OutcomeUnknown)
# A page that is edited just now is planned anew so often, then left for the next run.
ROUNDS = 3


def retry(publisher: Publisher, title: str, attempt: Callable[[], Outcome]) -> Outcome:
    """What became of an edit of TITLE; what would stop the next page too is raised."""
    for _ in range(ROUNDS):
        try:
            return attempt()
        except EditConflict as error:
            conflict = error
        except EditLost as error:
            return Outcome(title, "later", said(error), is_lost=True)
        except OutcomeHidden as error:
            return Outcome(title, "unknown", said(error))
        except STOPS:
            raise
        except (WikiRefused, UnsafeEdit) as error:
            if _is_about_us(publisher, error):
                raise
            return _refused(title, error)
    return _refused(title, conflict)


def _is_about_us(publisher: Publisher, error: WikibotError) -> bool:
    """Would it happen on every page? A partial block is about some pages only."""
    return isinstance(error, AccountRefused) and not publisher.account.is_partially_blocked


def _refused(title: str, error: WikibotError) -> Outcome:
    by_wiki = isinstance(error, EditRefused)
    return Outcome(title, "refused", said(error), is_refused_by_wiki=by_wiki)
