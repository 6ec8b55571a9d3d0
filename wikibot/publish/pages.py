"""Approved links go to their pages, one edit a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wikibot.plan import (
    ApprovedLink,
    LeftOut,
    OwnEdit,
    PlannedEdit,
    Version,
    plan_edit,
)
from wikibot.publish.approvers import with_approvers
from wikibot.publish.checks import refuse_other_model
from wikibot.publish.publisher import Outcome, Publisher
from wikibot.publish.reconcile import read_settled
from wikibot.publish.retry import retry
from wikibot.publish.send_edit import send_edit
from wikibot.publish.summary import new_marker, page_summary
from wikibot.site import history
from wikibot.site.history import LivePage
from wikibot.store import outbox, queue
from wikibot.store.outbox import NewEdit
from wikibot.store.pages import PageRow, page_by_id


def publish_pages(publisher: Publisher) -> Iterator[Outcome]:
    """What became of each page with approved links, those whose last edit was lost at the end.

    Stops with the error itself when the wiki or the shut-off page says stop to the whole run.
    """
    with publisher.store.reading() as session:
        waiting = queue.pages_with(session, publisher.wiki.id, ("approved",), only=publisher.only)
        lost = outbox.lost_titles(session, publisher.wiki.id)
    for page in sorted(waiting, key=lambda page: page.title in lost):
        yield publish_page(publisher, page.id)


def publish_page(publisher: Publisher, page_id: int) -> Outcome:
    """The page's approved links are on the wiki, or the outcome says why not."""
    with publisher.store.reading() as session:
        page = page_by_id(session, page_id)
    assert page is not None
    return retry(publisher, page.title, lambda: _publish_now(publisher, page))


def _publish_now(publisher: Publisher, page: PageRow) -> Outcome:
    plan = plan_page(publisher, page)
    if not plan.placed:
        return Outcome(page.title, "refused", reasons(plan.left_out), links=0)
    versions = {link.id: link.version for link in plan.links}
    return send_edit(publisher, new_edit(publisher, page, plan), plan.base_text, versions=versions)


def plan_page(publisher: Publisher, page: PageRow) -> PlannedEdit:
    """The edit of the page as it stands now; links that lost their place go back to the reviewer."""
    live = read_settled(publisher, page.title)
    with publisher.store.reading() as session:
        links = outbox.links_of_page(session, page.id, ("approved",))
        own = outbox.own_edits(session, page.id)
    refuse_other_model(live)
    wanted = [link for link in links if publisher.only is None or link.id in publisher.only]
    links = with_approvers(publisher, wanted)
    gone = "it was deleted" if not live.exists else "it is a redirect now"
    if not live.exists or live.is_redirect:
        left_out = tuple(LeftOut(link.id, f"the page has changed: {gone}", True) for link in links)
        plan = PlannedEdit(page.title, live.revision_id, live.text, live.text, (), (), left_out)
    else:
        unfit = history.missing_targets(publisher.site, [link.target for link in links], page.title)
        plan = plan_edit(
            Version(page.title, page.revision_id, page.wikitext),
            [link for link in links if link.target not in unfit],
            publisher.rules,
            live=Version(page.title, live.revision_id, live.text),
            own_edits=own,
            older=older_texts(publisher, page, links, own, live),
            most_links=publisher.settings.whole("links_per_edit"),
        )
        more = [LeftOut(k.id, unfit[k.target], is_stale=True) for k in links if k.target in unfit]
        plan = replace(plan, left_out=(*plan.left_out, *more))
    send_back(publisher, plan)
    return plan


def older_texts(
    publisher: Publisher,
    page: PageRow,
    links: Sequence[ApprovedLink],
    own: Sequence[OwnEdit],
    live: LivePage,
) -> dict[int, str]:
    """The texts on which links were approved, where the database holds a newer one by now."""
    texts = {edit.new_revision: edit.text for edit in own}
    texts[live.revision_id] = live.text
    for revision in {link.revision_id for link in links} - {page.revision_id, *texts}:
        text = history.text_of(publisher.site, revision)
        if text is not None:
            texts[revision] = text
    return texts


def send_back(publisher: Publisher, plan: PlannedEdit) -> None:
    """Links without a place are stale: the reviewer sees them again once they have one."""
    stale = [left.suggestion_id for left in plan.left_out if left.is_stale]
    if stale and not publisher.is_dry_run:
        with publisher.store.writing() as session:
            outbox.set_states(session, stale, "stale")


def reasons(left_out: tuple[LeftOut, ...]) -> str:
    listed = "; ".join(f"proposal {left.suggestion_id}: {left.reason}" for left in left_out)
    return f"Nothing was sent: {listed or 'no approved link is left'}."


def new_edit(publisher: Publisher, page: PageRow, plan: PlannedEdit) -> NewEdit:
    marker = new_marker()
    return NewEdit(
        wiki_id=publisher.wiki.id,
        batch=publisher.batch,
        kind="page",
        title=page.title,
        page_id=page.id,
        base_revision=plan.base_revision,
        text=plan.text,
        sha1=plan.sha1,
        summary=page_summary(
            plan.links,
            publisher.words,
            shutoff=publisher.shutoff,
            marker=marker,
            assisted="" if publisher.is_bot else publisher.account.name,
        ),
        marker=marker,
        items=plan.placed,
        sender=publisher.account.name,
    )
