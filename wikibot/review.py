"""Review: what a person may do with a proposal, through the web page, the terminal or a script.

Decisions themselves are the store's (`store/decisions.py`). What needs the page's text is here:
a changed anchor or target passes the same checks as a proposal does before it is offered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wikibot.config import load_settings
from wikibot.errors import AlreadyDecided, BadInput, UnsafeEdit
from wikibot.manual_links import check_manual_link
from wikibot.message import message
from wikibot.store import Store, decisions, pages, queue
from wikibot.store.decisions import Place, Voice
from wikibot.store.pages import PageRow
from wikibot.store.queue import Proposal
from wikibot.wikitext import Insertion, Span, Word, link_markup, read_page

# (which end of the anchor, how many words further from its middle)
STEPS = {
    "widen-end": ("end", 1),
    "narrow-end": ("end", -1),
    "widen-start": ("start", 1),
    "narrow-start": ("start", -1),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of several decisions at once: the decisions' numbers, and each refusal."""

    decided: tuple[int, ...]
    refused: tuple[AlreadyDecided | BadInput, ...]


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
    place = _place(store, found, *_stepped(found, step), found.target)
    with store.writing() as session:
        return decisions.move(session, proposal_id, place, voice, version=version)


def reword(store: Store, proposal_id: int, words: str, voice: Voice) -> int:
    """These words of the sentence carry the link; returns the edit's number.

    They must share at least a letter with the words that carry it now; the same checks as `move`.
    """
    found = _open_proposal(store, proposal_id)
    line = found.line
    first = max(line.sentence_start, line.start - len(words) + 1)
    start = found.page.wikitext.find(
        words, first, min(line.sentence_end, line.end + len(words) - 1)
    )
    if start < 0 or not words:
        raise BadInput(message("is-not-where-stands-nothing-was", words, line.anchor))
    place = _place(store, found, start, start + len(words), found.target)
    with store.writing() as session:
        return decisions.move(session, proposal_id, place, voice, version=line.version)


def reword_between(
    store: Store, proposal_id: int, start: int, end: int, voice: Voice, *, version: int
) -> int:
    """The words of the sentence that text[start:end] touches carry the link; the edit's number.

    Cut to whole words; the same checks as `move`. Refuses what touches no word of the sentence.
    """
    found = _open_proposal(store, proposal_id)
    words, _, _ = _words_around(found)
    touched = [word for word in words if word.start < end and word.end > start]
    if not touched:
        raise BadInput(message("no-word-of-the-sentence-is-chosen"))
    place = _place(store, found, touched[0].start, touched[-1].end, found.target)
    with store.writing() as session:
        return decisions.move(session, proposal_id, place, voice, version=version)


def retarget(
    store: Store, proposal_id: int, target_id: int, voice: Voice, *, version: int | None = None
) -> int:
    """The words link to another page; returns the number of the new proposal.

    Refuses whatever no proposal would lead to: the page itself, redirects, disambiguation pages,
    pages that it links to already, and what is on the never-link list.
    """
    found = _open_proposal(store, proposal_id)
    with store.reading() as session:
        target = pages.page_by_id(session, target_id)
    place = _place(store, found, found.line.start, found.line.end, target)
    seen = found.line.version if version is None else version
    with store.writing() as session:
        return decisions.retarget(session, proposal_id, target_id, place, voice, version=seen)


def decide_many(
    store: Store,
    seen: Iterable[tuple[int, int]],
    verdict: str,
    voice: Voice,
    *,
    reason: str | None = None,
) -> Outcome:
    """Each of the proposals SEEN, by number and version, gets a decision of its own.

    One that somebody else has decided meanwhile, or that overlaps another, is left as it is.
    """
    decided: list[int] = []
    refused: list[AlreadyDecided | BadInput] = []
    for proposal_id, version in seen:
        try:
            done = decide(store, proposal_id, verdict, voice, version=version, reason=reason)
            decided.append(done)
        except (AlreadyDecided, BadInput) as refusal:
            refused.append(refusal)
    return Outcome(tuple(decided), tuple(refused))


def undo_many(store: Store, decision_ids: Iterable[int], voice: Voice) -> Outcome:
    """Each of the decisions is taken back, the newest first; one that cannot be is left as it is."""
    taken_back: list[int] = []
    refused: list[AlreadyDecided | BadInput] = []
    for decision_id in sorted(decision_ids, reverse=True):
        try:
            undo(store, decision_id, voice)
            taken_back.append(decision_id)
        except (AlreadyDecided, BadInput) as refusal:
            refused.append(refusal)
    return Outcome(tuple(taken_back), tuple(refused))


def _open_proposal(store: Store, proposal_id: int) -> Proposal:
    with store.reading() as session:
        found = queue.proposal(session, proposal_id)
    if found is None:
        raise BadInput(message("there-is-no-proposal-nothing-was", proposal_id))
    if not found.is_current:
        raise BadInput(message("has-changed-since-this-proposal", found.page.title))
    return found


def _place(store: Store, found: Proposal, start: int, end: int, target: PageRow | None) -> Place:
    """The place and the wikitext of a link there, once all that is asked of a proposal holds."""
    text, rules = found.page.wikitext, found.wiki.rules()
    check_manual_link(
        store,
        found.wiki,
        found.page,
        start,
        end,
        target,
        off=_rules_off(),
        scope=load_settings().text("link_scope"),
    )
    assert target is not None, "a rule refuses links to nowhere"
    if not read_page(text, rules, found.page.title).allows(start, end):
        raise _no_place(text[start:end])
    written = link_markup(text, Insertion(start, end, target.title), rules)
    return Place(start, end, text[start:end], written)


def _rules_off() -> frozenset[str]:
    names = load_settings().text("rules_off").split(",")
    return frozenset(name.strip() for name in names)


def _no_place(words: str) -> UnsafeEdit:
    return UnsafeEdit(message("no-link-may-stand-on-at-this", words))


def _stepped(found: Proposal, step: str) -> tuple[int, int]:
    """The anchor's offsets after one step, by whole words and within its sentence."""
    words, first, last = _words_around(found)
    end, by = STEPS[step]
    if end == "end":
        last += by
    else:
        first -= by
    if first > last:
        raise BadInput(message("the-anchor-has-only-one-word"))
    if first < 0 or last >= len(words):
        raise BadInput(message("there-is-no-word-more-that-a-link"))
    return words[first].start, words[last].end


def _words_around(found: Proposal) -> tuple[list[Word], int, int]:
    """The words of the anchor's sentence and span, and which of them are the anchor's."""
    start, end = found.line.start, found.line.end
    page = read_page(found.page.wikitext, found.wiki.rules(), found.page.title)
    span = _span_around(page.spans, page.text, start, end)
    sentence = page.sentence_at(start)
    words = [
        word
        for word in page.words(span)
        if sentence is None or (sentence.start <= word.start and word.end <= sentence.end)
    ]
    inside = [i for i, word in enumerate(words) if word.start < end and word.end > start]
    if not inside:
        raise BadInput(message("the-anchor-has-no-words-that"))
    return words, inside[0], inside[-1]


def _span_around(spans: Sequence[Span], text: str, start: int, end: int) -> Span:
    for span in spans:
        if span.start <= start and end <= span.end:
            return span
    raise _no_place(text[start:end])
