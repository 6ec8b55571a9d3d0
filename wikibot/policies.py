"""The policy in force: settings, the command line, and all that is never linked."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

from wikibot.config import Settings
from wikibot.errors import BadInput
from wikibot.in_force import settings_in_force
from wikibot.linker.policy import BY_NAME, Policy
from wikibot.never_list import NOTHING, read_file_list
from wikibot.store import Store
from wikibot.store.never_links import keep_listed
from wikibot.store.pages import PageRow, WikiRow, article_titles, redirects
from wikibot.store.suggestions import never_list


def policy_of(
    store: Store,
    wiki: WikiRow,
    settings: Settings,
    *,
    per_page: int | None = None,
    min_probability: float | None = None,
) -> Policy:
    """The policy that settings and command line ask for, with the wiki's never-link lists.

    Limits of the command line stand in place of those of the settings.
    """
    settings = settings_in_force(store, wiki, settings)
    policy = policy_from(settings, per_page=per_page, min_probability=min_probability)
    keep_file_list(store, wiki, settings.text("never_link_file"))
    return with_never_list(store, wiki, policy)


def with_never_list(store: Store, wiki: WikiRow, policy: Policy) -> Policy:
    """The policy with all that is never linked on this wiki, under whatever name; only reads."""
    with store.reading() as session:
        never = never_list(session, wiki.id)
        if never == NOTHING:
            return policy
        titles = article_titles(session, wiki.id)
        ends = redirects(session, wiki.id)
    onward = {title: titles[end] for title, end in ends.items() if end in titles}
    return replace(policy, never=never.following(onward))


def policy_from(
    settings: Settings, *, per_page: int | None = None, min_probability: float | None = None
) -> Policy:
    """The policy of the settings alone; refuses a rule that does not exist."""
    off = names_in(settings.text("rules_off"))
    unknown = off - set(BY_NAME)
    if unknown:
        raise BadInput(
            f"suggest.rules_off names {', '.join(sorted(unknown))}, which is not a rule; "
            f"the rules are {', '.join(BY_NAME)}."
        )
    policy = Policy(
        min_probability=settings.number("min_probability"),
        min_probability_linked=settings.number("min_probability_linked"),
        scope=settings.text("link_scope"),
        per_paragraph=settings.whole("per_paragraph"),
        per_page=settings.whole("per_page") if per_page is None else per_page,
        words_per_link=settings.whole("words_per_link"),
        off=frozenset(off),
        excluded_templates=frozenset(names_in(settings.text("excluded_templates"))),
        excluded_categories=frozenset(names_in(settings.text("excluded_categories"))),
        excluded_sections=frozenset(map(str.lower, names_in(settings.text("excluded_sections")))),
    )
    return policy if min_probability is None else policy.asking(min_probability)


def names_in(text: str) -> set[str]:
    """The names of a setting, with commas between them."""
    return {part.strip() for part in text.split(",") if part.strip()}


def left_alone_because(page: PageRow, settings: Settings) -> str:
    """Why the page gets no proposals by itself, as `wikibot why` names it; "" where it does.

    The settings are those in force. A page that was edited just now may still be asked for by name.
    """
    if page.problem:
        return "unreadable"
    if not page.in_set:
        return "not-in-set"
    if page.is_disambiguation:
        return "page-disambiguation"
    if page.exclusion:
        return "closed"
    hours = settings.number("quiet_hours")
    newest = datetime.now(timezone.utc) - timedelta(hours=hours)
    is_new = page.timestamp is not None and page.timestamp > newest
    return "edited-just-now" if hours and is_new else ""


def keep_file_list(store: Store, wiki: WikiRow, path: str) -> None:
    """The never-link file's entries, and no older ones of it, are on the list."""
    try:
        text = Path(path).read_text(encoding="utf-8") if path else ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The never-link file {path} cannot be read: {error}") from error
    with store.writing() as session:
        keep_listed(session, wiki.id, "file", read_file_list(text, wiki.rules()), added_by=path)
