"""Pending proposals go to talk pages, or to a work list in the bot's own space.

One section a page, updated in place; what is there is not repeated; what people removed does not
come back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from wikibot.plan import ApprovedLink, Placed, sha1_of
from wikibot.publish.checks import check_exclusion, refuse_other_model
from wikibot.publish.ideas import update_ideas
from wikibot.publish.publisher import Outcome, Publisher, titled
from wikibot.publish.reconcile import read_settled
from wikibot.publish.retry import retry
from wikibot.publish.send_edit import send_edit
from wikibot.publish.signature import ask_signature, signature_in, signed
from wikibot.publish.summary import new_marker, plain_summary
from wikibot.publish.talk import Closed, Item, Section, find_section, write_section
from wikibot.site import history
from wikibot.site.history import LivePage
from wikibot.store import outbox, queue
from wikibot.store.outbox import NewEdit
from wikibot.wikitext import SiteRules, normalise_title

KINDS = ("talk", "user-page")
OPEN = ("pending", "skipped")
# How a state is told on the wiki; a published link was approved, whatever became of it.
TOLD = {
    "approved": "approved",
    "published": "approved",
    "kept": "approved",
    "reverted": "approved",
    "undone": "approved",
    "rejected": "rejected",
    "stale": "withdrawn",
}


def publish_talk(publisher: Publisher) -> Iterator[Outcome]:
    """Each page with pending proposals has them on its talk page, as far as it wants them."""
    with publisher.store.reading() as session:
        waiting = queue.pages_with(session, publisher.wiki.id, ("pending",))
        lost = outbox.lost_titles(session, publisher.wiki.id)
    for page in sorted(waiting, key=lambda page: talk_title(page.title, publisher.rules) in lost):
        with publisher.store.reading() as session:
            links = outbox.links_of_page(session, page.id, ("pending",))
        title = talk_title(page.title, publisher.rules)
        links.sort(key=lambda link: -link.probability)
        yield update_section(publisher, title, kind="talk", page_id=page.id, offered=links)


def publish_worklist(publisher: Publisher) -> Iterator[Outcome]:
    """The work list in the bot's own space shows the most probable proposals, and the best ideas."""
    most = publisher.settings.whole("worklist_lines")
    with publisher.store.reading() as session:
        links = outbox.links_of_wiki(session, publisher.wiki.id, ("pending",), limit=most)
    title = titled(publisher.settings.text("worklist_page"), publisher.account)
    yield update_section(publisher, title, kind="user-page", page_id=None, offered=links)
    ideas_outcome = update_ideas(publisher, title, most=most)
    if ideas_outcome is not None:
        yield ideas_outcome


def talk_title(title: str, rules: SiteRules) -> str:
    """The talk page of a page.

    >>> talk_title("Severn", SiteRules.for_language("en"))
    'Talk:Severn'
    """
    named = normalise_title(title, rules)
    name = rules.namespace_names.get(named.namespace, "")
    bare = title.removeprefix(f"{name}:") if name else title
    return f"{rules.namespace_names[named.namespace | 1]}:{bare}"


def update_section(
    publisher: Publisher,
    title: str,
    *,
    kind: str,
    page_id: int | None,
    offered: Sequence[ApprovedLink],
) -> Outcome:
    """The section on TITLE shows what is open and what was decided; `offered` may be added."""

    def post_now() -> Outcome:
        live = read_settled(publisher, title)
        planned = plan_section(publisher, live, kind=kind, page_id=page_id, offered=offered)
        if isinstance(planned, str):
            return Outcome(title, "nothing", planned)
        edit, versions = planned
        return send_edit(publisher, edit, live.text, versions=versions)

    return retry(publisher, title, post_now)


def plan_section(
    publisher: Publisher,
    live: LivePage,
    *,
    kind: str,
    page_id: int | None,
    offered: Sequence[ApprovedLink],
) -> tuple[NewEdit, dict[int, int]] | str:
    """The edit that brings the section up to date, or why there is nothing to do."""
    if live.is_redirect:
        return "The talk page is a redirect, so it is left alone."
    refuse_other_model(live)
    section = find_section(live.text)
    posted = posted_before(publisher, live.title, page_id)
    there = links_there(publisher, section, posted)
    if section is None and was_removed(publisher, posted):
        return "People removed the section, so it does not come back."
    if offered:
        refuse_excluded_article(publisher, offered, kind)
    still_open = [link for link in there if link.state in OPEN]
    room = room_left(publisher, kind, still_open)
    known = posted | {link.id for link in there}
    new = [link for link in offered if link.id not in known][:room]
    marker = new_marker()
    text = section_text(publisher, live, still_open, new, there, marker, kind)
    same = section and section_text(publisher, live, still_open, new, there, section.marker, kind)
    if live.text in (text, same):
        return ""  # everything is there already
    edit = section_edit(publisher, live, kind, page_id, text, marker, new, still_open)
    return edit, {link.id: link.version for link in new}


def links_there(
    publisher: Publisher, section: Section | None, posted: Collection[int]
) -> list[ApprovedLink]:
    """The proposals on the page, as the database knows them; ids that we did not post are ignored."""
    if section is None:
        return []
    with publisher.store.reading() as session:
        return outbox.links_with_ids(session, [n for n in section.items() if n in posted])


def posted_before(publisher: Publisher, title: str, page_id: int | None) -> set[int]:
    """The proposals that we have put on this page, under whatever title it had."""
    with publisher.store.reading() as session:
        return outbox.sent_before(session, publisher.wiki.id, title, KINDS, page_id=page_id)


def was_removed(publisher: Publisher, posted: Collection[int]) -> bool:
    """Did people remove a section that was still open? A closed one may be archived freely."""
    with publisher.store.reading() as session:
        states = outbox.states_of(session, posted)
    return any(state in OPEN for state in states.values())


def refuse_excluded_article(
    publisher: Publisher, offered: Sequence[ApprovedLink], kind: str
) -> None:
    """An article that keeps bots away gets no proposals on its talk page either."""
    if kind == "talk":
        check_exclusion(publisher, history.read_live(publisher.site, offered[0].page))


def room_left(publisher: Publisher, kind: str, still_open: Sequence[ApprovedLink]) -> int:
    most = publisher.settings.whole("talk_lines" if kind == "talk" else "worklist_lines")
    return max(most - len(still_open), 0)


def section_text(
    publisher: Publisher,
    live: LivePage,
    still_open: Sequence[ApprovedLink],
    new: Sequence[ApprovedLink],
    there: Sequence[ApprovedLink],
    marker: str,
    kind: str,
) -> str:
    return write_section(
        live.text,
        items=[item_of(link, kind) for link in (*still_open, *new)],
        closed={link.id: closing(link) for link in there if link.state in TOLD},
        marker=marker,
        # Our signature is dated when something new is proposed, not when an answer is noted.
        words=signed(
            publisher.words,
            ask_signature(publisher.site, live.title) if new else signature_in(live.text),
        ),
        shutoff=publisher.shutoff,
        known={link.id: item_of(link, kind) for link in there},
    )


def item_of(link: ApprovedLink, kind: str) -> Item:
    article = link.page if kind == "user-page" else ""
    return Item(link.id, link.anchor, link.target, link.sentence, article)


def closing(link: ApprovedLink) -> Closed:
    return Closed(TOLD[link.state], link.approver, link.is_wiki_user)


def section_edit(
    publisher: Publisher,
    live: LivePage,
    kind: str,
    page_id: int | None,
    text: str,
    marker: str,
    new: Sequence[ApprovedLink],
    still_open: Sequence[ApprovedLink],
) -> NewEdit:
    words = publisher.words
    told = words.worklist if kind == "user-page" else words.proposed if new else words.answered
    return NewEdit(
        wiki_id=publisher.wiki.id,
        batch=publisher.batch,
        kind=kind,
        title=live.title,
        page_id=page_id,
        base_revision=live.revision_id,
        text=text,
        sha1=sha1_of(text),
        summary=plain_summary(told, words, shutoff=publisher.shutoff, marker=marker),
        marker=marker,
        items=tuple(Placed(link.id, 0, 0, "") for link in (new or still_open)),
        sender=publisher.account.name,
    )
