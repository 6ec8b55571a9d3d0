"""Pending proposals go to talk pages, or to a work list in the bot's own space.

One section a page, updated in place; what is there is not repeated; what people removed does not
come back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from wikibot.plan import ApprovedLink, Placed, sha1_of
from wikibot.publish.attempts import attempted
from wikibot.publish.checks import check_exclusion, refuse_other_model
from wikibot.publish.deliver import deliver
from wikibot.publish.desk import Desk, Outcome, titled
from wikibot.publish.ideas import update_ideas
from wikibot.publish.reconcile import read_settled
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


def publish_talk(desk: Desk) -> Iterator[Outcome]:
    """Each page with pending proposals has them on its talk page, as far as it wants them."""
    with desk.store.reading() as session:
        waiting = queue.pages_with(session, desk.wiki.id, ("pending",))
        lost = outbox.lost_titles(session, desk.wiki.id)
    for page in sorted(waiting, key=lambda page: talk_title(page.title, desk.rules) in lost):
        with desk.store.reading() as session:
            links = outbox.links_of_page(session, page.id, ("pending",))
        title = talk_title(page.title, desk.rules)
        links.sort(key=lambda link: -link.probability)
        yield update_section(desk, title, kind="talk", page_id=page.id, offered=links)


def publish_worklist(desk: Desk) -> Iterator[Outcome]:
    """The work list in the bot's own space shows the most probable proposals, and the best ideas."""
    most = desk.settings.whole("worklist_lines")
    with desk.store.reading() as session:
        links = outbox.links_of_wiki(session, desk.wiki.id, ("pending",), limit=most)
    title = titled(desk.settings.text("worklist_page"), desk.account)
    yield update_section(desk, title, kind="user-page", page_id=None, offered=links)
    ideas_outcome = update_ideas(desk, title, most=most)
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
    desk: Desk,
    title: str,
    *,
    kind: str,
    page_id: int | None,
    offered: Sequence[ApprovedLink],
) -> Outcome:
    """The section on TITLE shows what is open and what was decided; `offered` may be added."""

    def post_now() -> Outcome:
        live = read_settled(desk, title)
        planned = plan_section(desk, live, kind=kind, page_id=page_id, offered=offered)
        if isinstance(planned, str):
            return Outcome(title, "nothing", planned)
        edit, versions = planned
        return deliver(desk, edit, live.text, versions=versions)

    return attempted(desk, title, post_now)


def plan_section(
    desk: Desk, live: LivePage, *, kind: str, page_id: int | None, offered: Sequence[ApprovedLink]
) -> tuple[NewEdit, dict[int, int]] | str:
    """The edit that brings the section up to date, or why there is nothing to do."""
    if live.is_redirect:
        return "The talk page is a redirect, so it is left alone."
    refuse_other_model(live)
    section = find_section(live.text)
    posted = posted_before(desk, live.title, page_id)
    there = links_there(desk, section, posted)
    if section is None and was_removed(desk, posted):
        return "People removed the section, so it does not come back."
    if offered:
        refuse_excluded_article(desk, offered, kind)
    still_open = [link for link in there if link.state in OPEN]
    room = room_left(desk, kind, still_open)
    known = posted | {link.id for link in there}
    new = [link for link in offered if link.id not in known][:room]
    marker = new_marker()
    text = section_text(desk, live, still_open, new, there, marker, kind)
    same = section and section_text(desk, live, still_open, new, there, section.marker, kind)
    if live.text in (text, same):
        return ""  # everything is there already
    edit = section_edit(desk, live, kind, page_id, text, marker, new, still_open)
    return edit, {link.id: link.version for link in new}


def links_there(desk: Desk, section: Section | None, posted: Collection[int]) -> list[ApprovedLink]:
    """The proposals on the page, as the database knows them; ids that we did not post are ignored."""
    if section is None:
        return []
    with desk.store.reading() as session:
        return outbox.links_with_ids(session, [n for n in section.items() if n in posted])


def posted_before(desk: Desk, title: str, page_id: int | None) -> set[int]:
    """The proposals that we have put on this page, under whatever title it had."""
    with desk.store.reading() as session:
        return outbox.sent_before(session, desk.wiki.id, title, KINDS, page_id=page_id)


def was_removed(desk: Desk, posted: Collection[int]) -> bool:
    """Did people remove a section that was still open? A closed one may be archived freely."""
    with desk.store.reading() as session:
        states = outbox.states_of(session, posted)
    return any(state in OPEN for state in states.values())


def refuse_excluded_article(desk: Desk, offered: Sequence[ApprovedLink], kind: str) -> None:
    """An article that keeps bots away gets no proposals on its talk page either."""
    if kind == "talk":
        check_exclusion(desk, history.read_live(desk.site, offered[0].page))


def room_left(desk: Desk, kind: str, still_open: Sequence[ApprovedLink]) -> int:
    most = desk.settings.whole("talk_lines" if kind == "talk" else "worklist_lines")
    return max(most - len(still_open), 0)


def section_text(
    desk: Desk,
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
            desk.words, ask_signature(desk.site, live.title) if new else signature_in(live.text)
        ),
        shutoff=desk.shutoff,
        known={link.id: item_of(link, kind) for link in there},
    )


def item_of(link: ApprovedLink, kind: str) -> Item:
    article = link.page if kind == "user-page" else ""
    return Item(link.id, link.anchor, link.target, link.sentence, article)


def closing(link: ApprovedLink) -> Closed:
    return Closed(TOLD[link.state], link.approver, link.is_wiki_user)


def section_edit(
    desk: Desk,
    live: LivePage,
    kind: str,
    page_id: int | None,
    text: str,
    marker: str,
    new: Sequence[ApprovedLink],
    still_open: Sequence[ApprovedLink],
) -> NewEdit:
    words = desk.words
    told = words.worklist if kind == "user-page" else words.proposed if new else words.answered
    return NewEdit(
        wiki_id=desk.wiki.id,
        batch=desk.batch,
        kind=kind,
        title=live.title,
        page_id=page_id,
        base_revision=live.revision_id,
        text=text,
        sha1=sha1_of(text),
        summary=plain_summary(told, words, shutoff=desk.shutoff, marker=marker),
        marker=marker,
        items=tuple(Placed(link.id, 0, 0, "") for link in (new or still_open)),
    )
