"""Who approved: an account of the wiki, never a name that only this machine knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wikibot.errors import WikiRefused
from wikibot.message import message
from wikibot.plan import ApprovedLink
from wikibot.publish.publisher import Publisher
from wikibot.site import history
from wikibot.store.decisions import UNNAMED


def with_approvers(publisher: Publisher, links: Sequence[ApprovedLink]) -> list[ApprovedLink]:
    """The links with their approvers as the wiki knows them.

    What was approved here without a name counts as approved by the reviewer of the settings, else
    by the person who saves. Refuses if that is a bot: a person answers for every edit.
    """
    stated = publisher.settings.text("reviewer")
    answering = stated or ("" if publisher.is_bot else publisher.account.name)
    unnamed = [str(link.id) for link in links if is_unnamed(link)]
    if unnamed and not answering:
        raise WikiRefused(message("nobody-named", ", ".join(unnamed)))
    named = [replace(link, approver=answering) if is_unnamed(link) else link for link in links]
    accounts = history.existing_users(publisher.site, {link.approver for link in named})
    return [replace(link, is_wiki_user=link.approver in accounts) for link in named]


def is_unnamed(link: ApprovedLink) -> bool:
    """Was it approved on a machine on which nobody has said who they are?"""
    return link.approver == UNNAMED
