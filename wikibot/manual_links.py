"""The check of a link that a person placed by hand: another anchor, or another target.

The rules are those of the policy. What they cannot know stands here: red links, links to the page
itself, and targets that the page links already.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wikibot.errors import BadInput, ModelError
from wikibot.linker.page import Page, read
from wikibot.linker.policy import BY_NAME, Habits, Places, Policy, habits_of, refused_by
from wikibot.message import Message, message
from wikibot.models import open_models
from wikibot.store import Store
from wikibot.store.pages import PageRow, WikiRow, links_of_page, redirects_to
from wikibot.store.suggestions import never_list
from wikibot.wikitext import read_page

RULE_PARAMETERS = ("anchor", "target", "page")
# Each has a text that names these, `rule-…` in the catalogue.
HAND_RULES = (
    "red-link",
    "self-link",
    "one-link",
    "never-list",
    "disambiguation",
    "plain-text",
    "beside-link",
    "compound",
    "possessive",
    "own-name",
    "linked-words",
    "quotation",
    "preformatted",
)


def check_manual_link(
    store: Store,
    wiki: WikiRow,
    source: PageRow,
    start: int,
    end: int,
    target: PageRow | None,
    *,
    off: frozenset[str] = frozenset(),
    scope: str = "page",
) -> None:
    """Refuse a link to `target` on source.wikitext[start:end] that breaks a rule; BadInput says which.

    `off` names the rules that are switched off (the setting `rules_off`), `scope` is where one link
    is enough (`link_scope`). Nothing is changed.
    """
    for name in _broken(store, wiki, source, start, end, target, off, scope):
        if name not in off:
            why = _said(name, source, start, end, target)
            raise BadInput(message("nothing-was-changed-choose", why))


def _said(name: str, source: PageRow, start: int, end: int, target: PageRow | None) -> Message:
    title = target.title if target else "it"
    anchor = source.wikitext[start:end]
    return message(f"rule-{name}", anchor, title, source.title)


def _broken(
    store: Store,
    wiki: WikiRow,
    source: PageRow,
    start: int,
    end: int,
    target: PageRow | None,
    off: frozenset[str],
    scope: str,
) -> Iterator[str]:
    """The names of the rules that the link breaks."""
    if target is None or target.redirect_to is not None:
        yield "red-link"
        return
    if target.id == source.id:
        yield "self-link"
    if target.id in _linked(store, wiki, source, start, scope):
        yield "one-link"
    page = read(source.title, source.wikitext, wiki.rules(link_scope=scope))
    span = _words(page, start, end) if page is not None else None
    if page is None or span is None:
        return
    with store.reading() as session:
        named = {source.id: source.title, target.id: target.title}
        ends = redirects_to(session, named)
        never = never_list(session, wiki.id).following(
            {title: named[to] for title, to in ends.items()}
        )
    places = Places(
        page, np.array([span[0]]), np.array([span[1]]), [target.title],
        np.array([target.is_disambiguation]), wiki.language, _habits(store, wiki),
    )  # fmt: skip
    policy = Policy(scope=scope, never=never, off=off | (BY_NAME.keys() - set(HAND_RULES)))
    yield from filter(None, refused_by(places, policy))


def _linked(store: Store, wiki: WikiRow, source: PageRow, at: int, scope: str) -> set[int | None]:
    """Row ids of the targets that the prose links, redirects followed, as far as one link is enough."""
    page = read_page(source.wikitext, wiki.rules(link_scope=scope), source.title)
    with store.reading() as session:
        links = links_of_page(session, source.id)
    return {
        to
        for to, start, in_prose in zip(links.target_id, links.start, links.in_prose, strict=True)
        if in_prose and not page.is_excluded(start) and page.is_in_reach(start, at)
    }


def _words(page: Page, start: int, end: int) -> tuple[int, int] | None:
    """The first word and the number of words of wikitext[start:end]; None where no word stands."""
    spans = [page.place(index, 1) for index in range(len(page))]
    inside = [index for index, (a, b) in enumerate(spans) if a < end and b > start]
    return (inside[0], len(inside)) if inside else None


def _habits(store: Store, wiki: WikiRow) -> Habits:
    try:
        return habits_of(open_models(store, wiki.id).knowledge)
    except ModelError:
        return Habits()
