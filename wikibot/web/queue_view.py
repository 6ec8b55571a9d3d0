"""The queue as a list with filters, sorted by any column, and in batches; rows decided together."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request

from wikibot import review
from wikibot.review import Outcome
from wikibot.store import Session, decisions, pages, queue
from wikibot.store.pages import WikiRow
from wikibot.store.queue import Line
from wikibot.web.cards import snippet_of
from wikibot.web.filters import (
    as_arguments,
    current_wiki,
    filters_of,
    per_cent,
    stay_with,
    wiki_address,
)
from wikibot.web.forms import check_form
from wikibot.web.i18n import msg
from wikibot.web.inputs import row_number
from wikibot.web.review_app import review_app

blueprint = Blueprint("queue", __name__)

SCREENFUL = 50
CATEGORIES = 300
# What is largest, most probable or newest comes first; texts begin at A.
DESCENDING_FIRST = ("probability",)
# A form may name so many proposals.
MAX_PICKED = 500


@blueprint.get("/queue")
def listing() -> str:
    """A screenful of the queue, sorted by the column that the address names."""
    start = request.args.get("start", 0, type=row_number)
    by, descending = _order()
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        filters = filters_of(wiki)
        lines = queue.sorted_lines(
            session, filters, by, descending=descending, start=start, limit=SCREENFUL + 1
        )
        return render_template(
            "queue.html",
            wiki=wiki,
            wikis=queue.wikis(session),
            filters=filters,
            categories=queue.categories(session, wiki.id, limit=CATEGORIES),
            keep=as_arguments(wiki, filters),
            lines=lines[:SCREENFUL],
            by=by,
            descending=descending,
            descending_first=DESCENDING_FIRST,
            start=start,
            next_start=start + SCREENFUL if len(lines) > SCREENFUL else None,
            found=queue.count(session, filters, at_most=queue.COUNTED + 1),
            counted=queue.COUNTED,
            states=(*queue.STATES, queue.ANY_STATE),
            **table_arguments(lines[:SCREENFUL]),
        )


@blueprint.get("/batches/<any(page, target):by>")
def batches(by: str) -> str:
    """The waiting proposals by page or by target, the largest batch first."""
    start = request.args.get("start", 0, type=row_number)
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        found = queue.batches(session, wiki.id, by, "pending", start=start, limit=SCREENFUL + 1)
        return render_template(
            "batches.html",
            wiki=wiki,
            keep=as_arguments(wiki, filters_of(wiki)),
            by=by,
            batches=found[:SCREENFUL],
            start=start,
            next_start=start + SCREENFUL if len(found) > SCREENFUL else None,
        )


@blueprint.get("/batches/to/<int:page_id>")
def to_target(page_id: int) -> str:
    """The waiting proposals that lead to one page, all of them ticked."""
    with review_app().store.reading() as session:
        target = pages.page_by_id(session, page_id) or abort(404)
        wiki = queue.wiki_of_page(session, page_id)
        stay_with(session, wiki)
        lines = queue.lines_to_target(session, page_id, queue.OPEN_STATES)[:MAX_PICKED]
        return render_template(
            "batch.html",
            wiki=wiki,
            keep=as_arguments(wiki, filters_of(wiki)),
            target=target,
            target_address=wiki_address(wiki, target.title),
            tick_from=per_cent(request.args.get("tick"), 0.0),
            lines=lines,
            **table_arguments(lines),
        )


@blueprint.post("/decide")
def decide_many() -> str:
    """Every ticked proposal is decided, each by a decision of its own."""
    shown = request.form.get("shown", "")
    check_form("decide-many", shown)
    verdict, reason = request.form.get("verdict", ""), request.form.get("reason") or None
    allowed = (None, *(one for one in decisions.REASONS if one != "span"))
    if verdict not in decisions.STATE_AFTER or reason not in allowed:
        abort(400, msg("this-is-not-a-decision-nothing"))
    seen = _picked(shown, request.form.getlist("pick"))
    outcome = review.decide_many(
        review_app().store,
        seen,
        verdict,
        review_app().voice,
        reason=reason if verdict == "reject" else None,
    )
    return _show_outcome(outcome, verdict)


@blueprint.post("/undo")
def undo_many() -> str:
    """Every decision that the form names is taken back."""
    named = request.form.get("decisions", "")
    check_form("undo-many", named)
    numbers = [row_number(number) for number in named.split()]
    outcome = review.undo_many(review_app().store, numbers, review_app().voice)
    return _show_outcome(outcome, "undo")


def table_arguments(lines: list[Line]) -> dict[str, object]:
    """What the table with ticks needs beside its lines."""
    open_lines = [line for line in lines if line.state in queue.OPEN_STATES]
    return {
        "snippets": {line.id: snippet_of(line) for line in lines},
        "shown": " ".join(f"{line.id}:{line.version}" for line in open_lines),
        "open_states": queue.OPEN_STATES,
        "reasons": [reason for reason in decisions.REASONS if reason != "span"],
    }


def _order() -> tuple[str, bool]:
    """The column in the address, and whether it is sorted from its large end."""
    given = request.args.get("sort", "")
    by = given.removeprefix("-")
    return (by, given.startswith("-")) if by in queue.COLUMNS else ("probability", True)


def _picked(shown: str, picked: list[str]) -> list[tuple[int, int]]:
    """The number and version of each ticked proposal, as it was shown."""
    versions = dict(one.split(":", 1) for one in shown.split())
    return [
        (row_number(number), row_number(versions[number]))
        for number in dict.fromkeys(picked)
        if number in versions
    ]


def _show_outcome(outcome: Outcome, verdict: str) -> str:
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        return render_template(
            "outcome.html",
            wiki=wiki,
            keep=as_arguments(wiki, filters_of(wiki)),
            outcome=outcome,
            verdict=verdict,
            numbers=" ".join(map(str, outcome.decided)),
            has_more=_has_waiting(session, wiki),
        )


def _has_waiting(session: Session, wiki: WikiRow) -> bool:
    return queue.count_states(session, wiki.id)["pending"] > 0
