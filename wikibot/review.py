"""Review: what a person may do with a proposal, through the web page, the terminal or a script.

Decisions themselves are the store's (`store/decisions.py`). What needs the page's text is here:
a changed anchor or target passes the same checks as a proposal does before it is offered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wikibot.errors import AlreadyDecided, BadInput, UnsafeEdit
from wikibot.store import Store, decisions, pages, queue
from wikibot.store.decisions import Place, Voice
from wikibot.store.queue import Line, Proposal
from wikibot.wikitext import Insertion, Span, Word, check_edit, insert_links, link_markup, read_page

# (which end of the anchor, how many words further from its middle)
STEPS = {
    "widen-end": ("end", 1),
    "narrow-end": ("end", -1),
    "widen-start": ("start", 1),
    "narrow-start": ("start", -1),
}


@dataclass(frozen=True, slots=True)
class PageApproval:
    """What came of approving several proposals of a page at once."""

    decided: tuple[int, ...]
    refused: tuple[str, ...]


def decide(
    store: Store,
    proposal_id: int,
    verdict: str,
    voice: Voice,
    *,
    version: int | None = None,
    reason: str | None = None,
    note: str | None = None,
) -> int:
    """The proposal is decided, once; returns the decision's number."""
    with store.writing() as session:
        return decisions.decide(
            session, proposal_id, verdict, voice, version=version, reason=reason, note=note
        )


def undo(store: Store, decision_id: int, voice: Voice) -> int:
    """The decision is taken back; returns its proposal's number."""
    with store.writing() as session:
        return decisions.undo(session, decision_id, voice)


def move(store: Store, proposal_id: int, step: str, voice: Voice, *, version: int) -> int:
    """The anchor has one word more or less at one end; returns the edit's number.

    Refuses where no link may stand, as for a proposal.
    """
    found = _open_proposal(store, proposal_id)
    place = _place(found, *_stepped(found, step), found.target.title)
    with store.writing() as session:
        return decisions.move(session, proposal_id, place, voice, version=version)


def retarget(store: Store, proposal_id: int, target_id: int, voice: Voice, *, version: int) -> int:
    """The words link to another page; returns the number of the new proposal.

    Refuses the page itself, redirects, disambiguation pages and pages it links to already.
    """
    found = _open_proposal(store, proposal_id)
    with store.reading() as session:
        target = pages.page_by_id(session, target_id)
        links = pages.links_of_page(session, found.page.id)
    linked = {to for to, in_prose in zip(links.target_id, links.in_prose, strict=True) if in_prose}
    if target is None or target.redirect_to is not None or target.is_disambiguation:
        raise BadInput("No link can lead to that page. Nothing was changed; choose another.")
    if target.id == found.page.id:
        raise BadInput("A page does not link to itself. Nothing was changed; choose another.")
    if target.id in linked:
        raise BadInput(f"The page links to “{target.title}” already. Nothing was changed.")
    place = _place(found, found.line.start, found.line.end, target.title)
    with store.writing() as session:
        return decisions.retarget(session, proposal_id, target_id, place, voice, version=version)


def approve_page(store: Store, lines: Sequence[Line], voice: Voice, *, low: float) -> PageApproval:
    """Each of these proposals with probability LOW or more is approved by a decision of its own.

    One that somebody else has decided meanwhile, or that overlaps another, is left as it is.
    """
    decided, refused = [], []
    for line in lines:
        if line.probability < low or line.state not in queue.OPEN_STATES:
            continue
        try:
            decided.append(decide(store, line.id, "approve", voice, version=line.version))
        except (AlreadyDecided, BadInput) as refusal:
            refused.append(str(refusal))
    return PageApproval(tuple(decided), tuple(refused))


def _open_proposal(store: Store, proposal_id: int) -> Proposal:
    with store.reading() as session:
        found = queue.proposal(session, proposal_id)
    if found is None:
        raise BadInput(f"There is no proposal {proposal_id}. Nothing was changed.")
    if not found.is_current:
        raise BadInput(
            f"“{found.page.title}” has changed since this proposal was made. Nothing was changed; "
            "run `wikibot suggest` again."
        )
    return found


def _place(found: Proposal, start: int, end: int, target: str) -> Place:
    """The place and the wikitext of a link there, once every check has passed."""
    text, rules = found.page.wikitext, found.wiki.rules()
    insertion = Insertion(start, end, target)
    after = insert_links(text, [insertion], rules)
    check_edit(text, after, [insertion], rules, found.page.title)
    return Place(start, end, text[start:end], link_markup(text, insertion, rules))


def _stepped(found: Proposal, step: str) -> tuple[int, int]:
    """The anchor's offsets after one step, by whole words and within its sentence."""
    words, first, last = _words_around(found)
    end, by = STEPS[step]
    if end == "end":
        last += by
    else:
        first -= by
    if first > last:
        raise BadInput("The anchor has only one word. Nothing was changed.")
    if first < 0 or last >= len(words):
        raise BadInput("There is no word more that a link may cover. Nothing was changed.")
    return words[first].start, words[last].end


def _words_around(found: Proposal) -> tuple[list[Word], int, int]:
    """The words of the anchor's sentence and span, and which of them are the anchor's."""
    start, end = found.line.start, found.line.end
    page = read_page(found.page.wikitext, found.wiki.rules(), found.page.title)
    span = _span_around(page.spans, start, end)
    sentence = page.sentence_at(start)
    words = [
        word
        for word in page.words(span)
        if sentence is None or (sentence.start <= word.start and word.end <= sentence.end)
    ]
    inside = [i for i, word in enumerate(words) if word.start < end and word.end > start]
    if not inside:
        raise BadInput("The anchor has no words that could be changed. Nothing was changed.")
    return words, inside[0], inside[-1]


def _span_around(spans: Sequence[Span], start: int, end: int) -> Span:
    for span in spans:
        if span.start <= start and end <= span.end:
            return span
    raise UnsafeEdit("No link may stand at this place. Nothing was changed.")
