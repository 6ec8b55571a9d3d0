"""One proposal at a time: look at it, decide it, change it, move on."""

from __future__ import annotations

from dataclasses import replace
from threading import BoundedSemaphore
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from wikibot import review
from wikibot.errors import AlreadyDecided, BadInput, InUse, UnsafeEdit
from wikibot.store import Session, decisions, queue, reservations, surroundings
from wikibot.store.pages import WikiRow
from wikibot.store.queue import Filters
from wikibot.web import article_view
from wikibot.web.cards import Card, card_of
from wikibot.web.filters import as_arguments, current_wiki, filters_of, guideline_address, stay_with
from wikibot.web.forms import check_form
from wikibot.web.i18n import msg
from wikibot.web.inputs import row_number
from wikibot.web.labels import error_message, verdict_name
from wikibot.web.progress import achieved, progress_of
from wikibot.web.review_app import review_app

blueprint = Blueprint("review", __name__)

Answer = str | Response | tuple[str, int]
Refusal = (AlreadyDecided, BadInput, UnsafeEdit)

# The script sends this when it has the next proposal already and needs no more than the news.
HAS_NEXT = "Wikibot-Has-Next"
# The script sends this when it asks for the next proposal before this one is decided.
AHEAD = "Wikibot-Ahead"
# Where fewer proposals are free, nobody gets a second one: somebody else may have nothing to do.
FEW_FREE = 10
# To show a card takes several times as long as a decision. Nobody looks at one that is asked for
# ahead yet, so that each process makes one of them at a time and decisions overtake them.
ONE_AHEAD = BoundedSemaphore(1)
OTHERS_SHOWN = 12
# How often a proposal may be taken by somebody else between finding and reserving it.
TRIES = 20


@blueprint.get("/")
def start() -> Answer:
    """The proposal at the reviewer's place in the queue, which others do not get meanwhile."""
    if not review_app().reserved_for or AHEAD not in request.headers:
        return _at_the_place()
    if _is_nearly_empty():
        return "", 204  # the script asks again when it needs it
    with ONE_AHEAD:
        return _at_the_place()


def _at_the_place() -> Answer:
    is_shared = bool(review_app().reserved_for)
    found, notice = _free_place() if is_shared else (None, "")
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        if not is_shared:  # found and shown in one look: nobody decides in between
            found, notice = _at_place(session, filters_of(wiki))
        return _show(session, wiki, filters_of(wiki), found, notice=notice)


@blueprint.get("/proposal/<int:proposal_id>")
def show(proposal_id: int) -> Answer:
    """One proposal, whatever its state."""
    with review_app().store.reading() as session:
        return _show_again(session, proposal_id)


@blueprint.get("/proposal/<int:proposal_id>/same")
def is_same(proposal_id: int) -> dict[str, bool]:
    """Is the proposal still as it was at this version, and its page with it?"""
    with review_app().store.reading() as session:
        found = queue.proposal(session, proposal_id) or abort(404)
    version = request.args.get("version", type=row_number)
    return {"is_same": found.line.version == version and found.is_current}


@blueprint.post("/proposal/<int:proposal_id>/decide")
def decide(proposal_id: int) -> Answer:
    """The proposal is decided and the next one is on the screen."""
    version = _whole("version")
    check_form("decide", proposal_id, version)
    verdict, reason = request.form.get("verdict", ""), request.form.get("reason") or None
    if verdict not in decisions.STATE_AFTER or reason not in (None, *decisions.REASONS):
        abort(400, msg("this-is-not-a-decision-nothing"))
    if reason == "span":
        return _back_to(proposal_id, words="choose")
    note = request.form.get("note", "").strip() or None
    try:
        done = review.decide(
            review_app().store,
            proposal_id,
            verdict,
            review_app().voice,
            version=version,
            reason=reason,
            note=note,
        )
    except Refusal as refusal:
        return _refused(proposal_id, refusal)
    return _onwards(after=proposal_id, done=done)


@blueprint.post("/proposal/<int:proposal_id>/move")
def move(proposal_id: int) -> Answer:
    """The anchor has a word more or less."""
    version = _whole("version")
    check_form("move", proposal_id, version)
    step = request.form.get("step", "")
    if step not in review.STEPS:
        abort(400, msg("this-is-not-a-way-to-change-an"))
    try:
        review.move(review_app().store, proposal_id, step, review_app().voice, version=version)
    except Refusal as refusal:
        return _refused(proposal_id, refusal)
    return _back_to(proposal_id)


@blueprint.post("/proposal/<int:proposal_id>/words")
def choose_words(proposal_id: int) -> Answer:
    """The words between two places of the page carry the link."""
    version = _whole("version")
    check_form("words", proposal_id, version)
    first, last = _whole("start"), _whole("end")
    try:
        review.reword_between(
            review_app().store, proposal_id, first, last, review_app().voice, version=version
        )
    except Refusal as refusal:
        return _refused(proposal_id, refusal)
    return _back_to(proposal_id)


@blueprint.get("/proposal/<int:proposal_id>/target")
def targets(proposal_id: int) -> Answer:
    """Pages to link to instead: what the words may mean, and what is found by title."""
    given = request.args.get("q", "").strip()
    with review_app().store.reading() as session:
        found = queue.proposal(session, proposal_id) or abort(404)
        here = (found.page.id, found.target.id)
        asked = given or found.line.anchor
        others = surroundings.other_targets(
            session, found.wiki.id, found.line.anchor, without=here, limit=OTHERS_SHOWN
        )
        listed = {*here, *(other.id for other in others if not given)}
        return render_template(
            "target.html",
            card=card_of(session, found),
            wiki=found.wiki,
            asked=asked,
            others=others,
            titles=[
                title
                for title in queue.find_titles(session, found.wiki.id, asked)
                if title.id not in listed
            ],
            keep=as_arguments(found.wiki, filters_of(found.wiki)),
        )


@blueprint.post("/proposal/<int:proposal_id>/target")
def retarget(proposal_id: int) -> Answer:
    """The proposal leads to another page."""
    version = _whole("version")
    check_form("target", proposal_id, version)
    try:
        new_id = review.retarget(
            review_app().store,
            proposal_id,
            _whole("target_id"),
            review_app().voice,
            version=version,
        )
    except Refusal as refusal:
        return _refused(proposal_id, refusal)
    return _back_to(new_id)


@blueprint.post("/decision/<int:decision_id>/undo")
def undo(decision_id: int) -> Answer:
    """The decision is taken back and its proposal is on the screen again."""
    check_form("undo", decision_id)
    return _back_to(review.undo(review_app().store, decision_id, review_app().voice))


@blueprint.get("/help")
def help_page() -> Answer:
    """The keys and what they do."""
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        return render_template("help.html", wiki=wiki, guideline=guideline_address(wiki))


def _free_place() -> tuple[int | None, str]:
    """A proposal that nobody else has on the screen, reserved for this reviewer."""
    found: int | None = None
    notice = ""
    for _try in range(TRIES):
        with review_app().store.reading() as session:
            filters = _free(filters_of(current_wiki(session)))
            found, notice = _at_place(session, filters)
        if found is None or not filters.free_for or _is_reserved(found, filters.state):
            break
    return found, notice if found is not None else _held_by_others()


def _is_nearly_empty() -> bool:
    """Are so few proposals free that each reviewer should hold only one?"""
    with review_app().store.reading() as session:
        filters = _free(filters_of(current_wiki(session)))
        return queue.count(session, filters, at_most=FEW_FREE) < FEW_FREE


def _held_by_others() -> str:
    """What to say where nothing is free, though something waits."""
    if not review_app().reserved_for:
        return ""
    with review_app().store.reading() as session:
        waits = queue.first_id(session, filters_of(current_wiki(session))) is not None
    return msg("what-waits-is-on-the-screens-of") if waits else ""


def _free(filters: Filters) -> Filters:
    """Without what others have on the screen, if it is to be decided and there are others."""
    is_shared = bool(review_app().reserved_for) and filters.state in queue.OPEN_STATES
    return replace(filters, free_for=review_app().voice.reviewer) if is_shared else filters


def _is_reserved(proposal_id: int, state: str) -> bool:
    """Is the proposal this reviewer's for some minutes?"""
    voice = review_app().voice
    until = voice.time + review_app().reserved_for
    with review_app().store.writing() as session:
        return reservations.reserve(
            session, proposal_id, voice.reviewer, voice.time, until, state=state
        )


def _at_place(session: Session, filters: Filters) -> tuple[int | None, str]:
    """The proposal after or before the place in the address; around the corner at the ends."""
    after = request.args.get("after", type=row_number)
    before = request.args.get("before", type=row_number)
    if after is not None:
        found = queue.id_after(session, filters, after)
        return (found, "") if found else (queue.first_id(session, filters), _at_the_start())
    if before is not None:
        found = queue.id_before(session, filters, before)
        return (found, "") if found else (queue.last_id(session, filters), _at_the_end())
    return queue.first_id(session, filters), ""


def _at_the_start() -> str:
    return msg("that-was-the-last-one-this-is-the")


def _at_the_end() -> str:
    return msg("that-was-the-first-one-this-is")


def _show_again(session: Session, proposal_id: int, **more: Any) -> str:
    found = queue.proposal(session, proposal_id) or abort(404)
    stay_with(session, found.wiki)
    return _show(session, found.wiki, filters_of(found.wiki), found.line.id, **more)


def _show(
    session: Session,
    wiki: WikiRow,
    filters: Filters,
    proposal_id: int | None,
    *,
    notice: str = "",
    refusal: str = "",
) -> str:
    card = _card(session, proposal_id)
    return render_template(
        "review.html",
        **_strip(session, wiki, filters, request.args.get("done", type=row_number)),
        card=card,
        notice=notice,
        refusal=refusal,
        reasons=decisions.REASONS,
        achieved=None if card else achieved(session, wiki.id),
        is_choosing_words=request.args.get("words") == "choose",
    )


def _strip(session: Session, wiki: WikiRow, filters: Filters, done: int | None) -> dict[str, Any]:
    """What stands above a proposal: what was done, how far one has come, what can be undone."""
    keep = as_arguments(wiki, filters)
    is_filtered = bool(keep.keys() - {"wiki"})
    last = decisions.last_undoable(session, wiki.id, review_app().voice.reviewer)
    just_done = decisions.decision(session, done) if done else None
    undoable = just_done
    if just_done is None or just_done.id != last:
        undoable = decisions.decision(session, last) if last else None
    return {
        "wiki": wiki,
        "filters": filters,
        "keep": keep,
        "only_wiki": {name: value for name, value in keep.items() if name == "wiki"},
        "is_filtered": is_filtered,
        "left": queue.count(session, filters, at_most=queue.COUNTED + 1) if is_filtered else 0,
        "counts": queue.count_states(session, wiki.id),
        "counted": queue.COUNTED,
        "progress": progress_of(session, wiki.id),
        "done": just_done,
        "undoable": undoable,
        "withdrawn": request.args.get("withdrawn", type=row_number),
        "guideline": guideline_address(wiki),
    }


def _card(session: Session, proposal_id: int | None) -> Card | None:
    found = None if proposal_id is None else queue.proposal(session, proposal_id)
    return card_of(session, found) if found else None


def _refused(proposal_id: int, refusal: Exception) -> Answer:
    """The proposal as it is now, and why nothing was done."""
    is_late = isinstance(refusal, AlreadyDecided)
    with review_app().store.reading() as session:
        is_decided = is_late and not isinstance(refusal, InUse)
        why = _who_was_faster(session, proposal_id) if is_decided else error_message(refusal)
        if _is_in_article():
            found = queue.proposal(session, proposal_id) or abort(404)
            shown = article_view.render(session, found.page.id, refusal=why)
        else:
            shown = _show_again(session, proposal_id, refusal=why)
    return shown, 409 if is_late else 422


def _who_was_faster(session: Session, proposal_id: int) -> str:
    history = decisions.history(session, proposal_id)
    if not history:
        return msg("this-proposal-has-changed-since")
    return msg(
        "was-faster-your-decision-was-not", history[-1].reviewer, verdict_name(history[-1].verdict)
    )


def _onwards(*, after: int, done: int) -> Answer:
    if _is_in_article():
        return _back_to(after)
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        keep = as_arguments(wiki, filters_of(wiki))
        address = url_for("review.start", **keep, after=after, done=done)
        if HAS_NEXT not in request.headers:
            return redirect(address, 303)
        news = decisions.decision(session, done)
    return render_template("news.html", done=news, undoable=news, keep=keep, address=address)


def _is_in_article() -> bool:
    """Was the form sent from the view of the whole page?"""
    return request.form.get("back") == "article"


def _back_to(proposal_id: int, **more: Any) -> Response:
    if _is_in_article():
        with review_app().store.reading() as session:
            found = queue.proposal(session, proposal_id) or abort(404)
        keep = _kept()
        address = url_for("article.show", page_id=found.page.id, **keep, _anchor=f"p{proposal_id}")
        return redirect(address, 303)
    return redirect(url_for("review.show", proposal_id=proposal_id, **_kept(), **more), 303)


def _kept() -> dict[str, Any]:
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        return as_arguments(wiki, filters_of(wiki))


def _whole(name: str) -> int:
    value = request.form.get(name, type=row_number)
    if value is None:
        abort(400, msg("this-form-is-not-complete-nothing"))
    return value
