"""`wikibot why`: why a page does not get a link to a target, and what would change that.

The answer is the scorer's own, beside what the queue and the never-link list hold. Nothing is changed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from wikibot.config import Settings, load_settings
from wikibot.errors import BadInput, BadWikitext, UnsafeEdit
from wikibot.in_force import settings_in_force
from wikibot.link import free_title
from wikibot.linker.explain import Reason, in_english
from wikibot.linker.names import without_brackets
from wikibot.linker.page import read
from wikibot.linker.policy import Policy
from wikibot.linker.score import LIMIT, Scored, room_for_links, score_candidates
from wikibot.linker.why import NO_PLACE, Finding, Mention, find_cause
from wikibot.manual_links import RULE_PARAMETERS
from wikibot.message import Message, message
from wikibot.models import Models, open_models
from wikibot.never_list import plain
from wikibot.policies import left_alone_because, policy_from, with_never_list
from wikibot.store import Session, Store, decisions, never_links, pages, queue
from wikibot.store.never_links import Entry
from wikibot.store.pages import PageRow, WikiRow
from wikibot.store.queue import Line
from wikibot.store.suggestions import decided_pairs
from wikibot.why.texts import (
    ANSWERS,
    LISTS,
    PARAGRAPH_LIMIT,
    PROPOSED,
    SET,
    STATES,
    UNSAFE,
    WOULD_BE,
)
from wikibot.wikitext import Insertion, SiteRules, link_markup, read_page

NAMES_SHOWN = 12
_LINK_OPENED = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)$")
_LINK_CLOSED = re.compile(r"^([^\[\]]*)\]\]")
QUOTED_CHARACTERS = 120  # on each side of the words; more of a sentence is cut off


@dataclass(frozen=True, slots=True)
class Place:
    """Words that name the target between the rest of their sentence, and what is against a link there."""

    before: str
    words: str
    after: str
    start: int
    end: int
    against: str

    @property
    def sentence(self) -> str:
        return f"{self.before}{self.words}{self.after}"


@dataclass(frozen=True, slots=True)
class Why:
    """The answer: `cause` for programs, `answer` and `remedy` for people."""

    page: str
    target: str
    cause: str
    answer: Message
    remedy: Message
    note: Message | None = None
    proposal: int | None = None
    probability: float | None = None
    places: tuple[Place, ...] = ()
    reasons: tuple[Reason, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def is_proposed(self) -> bool:
        return self.cause in (PROPOSED, SET)

    def as_json(self) -> dict[str, Any]:
        """The answer for programs."""
        places = [{**asdict(place), "sentence": place.sentence} for place in self.places]
        return {
            **asdict(self), "is_proposed": self.is_proposed, "places": places,
            "reasons": in_english(self.reasons),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a link is missing, with what the words of the answer and its fields need."""

    name: str
    params: Mapping[str, object] = field(default_factory=dict)
    found: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pair:
    """A page and the target that it might link; `named` is what was asked for, perhaps a redirect."""

    wiki: WikiRow
    page: PageRow
    asked: str
    named: PageRow | None
    target: PageRow | None

    @property
    def titles(self) -> dict[str, object]:
        return {"page": self.page.title, "target": self.target.title if self.target else self.asked}

    def answer(self, cause: Cause) -> Why:
        """The cause in words."""
        params = {**self.titles, **cause.params}
        if cause.name in ANSWERS:
            told = [params[name] for name in ANSWERS[cause.name]]
            answer, remedy = (message(f"why-{cause.name}{end}", *told) for end in ("", "-remedy"))
        else:
            told = [params[name] for name in RULE_PARAMETERS]
            answer = message(f"rule-{cause.name}", *told)
            remedy = message("why-switch-off", cause.name)
        return Why(
            **self.titles, cause=cause.name, answer=answer,  # type: ignore[arg-type]
            remedy=remedy, note=self._note(), **cause.found,
        )  # fmt: skip

    def _note(self) -> Message | None:
        if self.named is None or self.target is None or self.named.id == self.target.id:
            return None
        return message("why-note-redirect", self.named.title, self.target.title)


def why_missing(
    store: Store,
    page: str,
    target: str,
    *,
    wiki: str | None = None,
    settings: Settings | None = None,
) -> Why:
    """Why the page of that title has no proposal for a link to the target; refuses an unknown page."""
    settings = settings or load_settings()
    with store.reading() as session:
        row = pages.wiki_by_name(session, wiki)
        settings = settings_in_force(store, row, settings)
        source = pages.page_by_title(session, row.id, page)
        if source is None:
            raise BadInput(message("there-is-no-page-in-the-database", page, _meant(session, row, page)))  # fmt: skip
        pair = _pair(session, row, source, target)
        cause = _of_queue(session, pair) or _of_page(pair, settings) or _of_target(session, pair)
        if cause is None:
            policy = with_never_list(store, row, policy_from(settings))
            decided = _decided(session, pair)
            models = open_models(store, row.id)
            cause = _of_text(session, pair, models, replace(policy, decided=decided))
    return pair.answer(cause)


def why_missing_in_draft(
    store: Store,
    text: str,
    target: str,
    *,
    name: str = "draft",
    wiki: str | None = None,
    settings: Settings | None = None,
) -> Why:
    """Why `wikibot link` sets no link to the target in a draft."""
    settings = settings or load_settings()
    with store.reading() as session:
        row = pages.wiki_by_name(session, wiki)
        settings = settings_in_force(store, row, settings)
        models = open_models(store, row.id)
        title = free_title(name, models.knowledge)
        draft = PageRow(0, 0, title, 0, 0, None, text, "", True, None, None, False, None, None)
        pair = _pair(session, row, draft, target)
        policy = with_never_list(store, row, replace(policy_from(settings), is_draft=True))
        cause = _of_target(session, pair) or _of_text(session, pair, models, policy)
    return pair.answer(cause)


def _pair(session: Session, wiki: WikiRow, source: PageRow, target: str) -> Pair:
    named = pages.page_by_title(session, wiki.id, target, follow=False)
    end = pages.page_by_title(session, wiki.id, target)
    return Pair(wiki, source, target, named, end)


def _meant(session: Session, wiki: WikiRow, title: str) -> Message | str:
    """ " Did you mean …?", or nothing."""
    titles = {one.casefold(): one for one in pages.article_titles(session, wiki.id).values()}
    close = difflib.get_close_matches(title.casefold(), titles, n=3, cutoff=0.7)
    named = " / ".join(titles[one] for one in close)
    return message("did-you-mean", named) if named else ""


def _decided(session: Session, pair: Pair) -> frozenset[str]:
    """The titles that somebody has decided for this page."""
    pairs = decided_pairs(session, pair.wiki.id, page_id=pair.page.id)
    rows = (pages.page_by_id(session, target) for _, target in pairs)
    return frozenset(row.title for row in rows if row is not None)


def _of_queue(session: Session, pair: Pair) -> Cause | None:
    """What the queue holds of this pair; what was withdrawn is asked of the scorer."""
    line = pair.target and queue.line_of_pair(session, pair.page.id, pair.target.id)
    if not line or line.state == "stale":
        return None
    found = {
        "proposal": line.id,
        "probability": line.probability,
        "reasons": tuple(line.reasons),
        "places": (_place_in_queue(line),),
    }
    params = {"number": line.id, "who": _who(session, line)}
    return Cause(STATES.get(line.state, line.state), params, found)


def _who(session: Session, line: Line) -> str:
    """By whom and when it was decided last."""
    said = [one for one in decisions.history(session, line.id) if not one.is_undone]
    return f"{said[-1].reviewer}, {said[-1].decided_at:%Y-%m-%d}" if said else ""


def _place_in_queue(line: Line) -> Place:
    before, _, after = line.sentence.partition(line.anchor)
    return Place(before, line.anchor, after, line.start, line.end, "")


def _of_page(pair: Pair, settings: Settings) -> Cause | None:
    """What keeps all proposals off the page, as `wikibot suggest` chooses its pages."""
    page = pair.page
    name = left_alone_because(page, settings)
    told: dict[str, dict[str, object]] = {
        "unreadable": {"problem": page.problem},
        "closed": {"exclusion": page.exclusion},
        "edited-just-now": {"hours": f"{settings.number('quiet_hours'):g}"},
    }
    return Cause(name, told.get(name, {})) if name else None


def _of_target(session: Session, pair: Pair) -> Cause | None:
    """What makes the target one that is never linked to."""
    if pair.target is None:
        return Cause("unknown-target", {"meant": _meant(session, pair.wiki, pair.asked)})
    if pair.target.id == pair.page.id:
        return Cause("self-link")
    return Cause("disambiguation") if pair.target.is_disambiguation else None


def _of_text(session: Session, pair: Pair, models: Models, policy: Policy) -> Cause:
    """What the scorer says of the target on this text."""
    assert pair.target is not None, "an unknown target was answered before"
    knowledge, rules = models.knowledge, pair.wiki.rules(link_scope=policy.scope)
    number = knowledge.number_of(pair.target.title)
    if number < 0:
        return Cause("not-learned")
    try:
        page = read(pair.page.title, pair.page.wikitext, rules)
    except BadWikitext as error:
        return Cause("unreadable", {"problem": error.args[0]})
    if page is None:
        raise BadInput(message("why-page-redirect", pair.titles["page"]))  # fmt: skip
    scored = score_candidates(page, knowledge, models.ranker, policy)
    finding = find_cause(pair.page.wikitext, rules, scored, number, knowledge, models.ranker)
    name = _name(finding, scored, policy, room := room_for_links(page, knowledge, policy))
    if name == PARAGRAPH_LIMIT:
        room = policy.per_paragraph
    return _with_facts(session, pair, finding, name, room, scored.least, rules)


def _name(finding: Finding, scored: Scored, policy: Policy, room: int) -> str:
    """The name of the cause; a draft has no queue, and a page's limit is not its paragraph's."""
    if not finding.cause:
        return SET if policy.is_draft else WOULD_BE
    if finding.cause == LIMIT and scored.refused.count("") < room:
        return PARAGRAPH_LIMIT
    return finding.cause


def _with_facts(
    session: Session,
    pair: Pair,
    finding: Finding,
    name: str,
    room: int,
    needed: float,
    rules: SiteRules,
) -> Cause:
    """The scorer's finding with all that the words of its answer need."""
    is_prose = name != NO_PLACE
    places = tuple(
        _place(pair.page.wikitext, place, rules if is_prose else None) for place in finding.places
    )
    names = _names(session, pair, rules)
    params: dict[str, object] = {
        "anchor": places[0].words if places else "", "rival": finding.rival, "room": room,
        "links": finding.links, "mentions": finding.mentions, "names": ", ".join(names[:NAMES_SHOWN]),
        "needed": f"{100 * needed:g}",
    }  # fmt: skip
    if finding.probability is not None:
        hundredths = int(100 * finding.probability)
        params |= {"few": hundredths, "least": f"{hundredths / 100:g}"}
    if name == NO_PLACE:
        params["place"] = message("why-place-" + finding.places[0].against.replace(" ", "-"))
    if name in (SET, WOULD_BE):
        problem = _problem(pair, finding.places[0], rules)
        name, params["problem"] = (UNSAFE if problem else name), problem
    if name == "never-list":
        params |= _never_entry(session, pair, str(params["anchor"]))
    found = {
        "probability": finding.probability, "reasons": finding.reasons, "places": places,
        "names": names,
    }  # fmt: skip
    return Cause(name, params, found)


def _place(text: str, place: Mention, rules: SiteRules | None) -> Place:
    """A mention as a reader sees it, or without rules as it is written."""
    before = _shown(_LINK_OPENED.sub(r"\1", text[place.first : place.start]), rules)
    after = _shown(_LINK_CLOSED.sub(r"\1", text[place.end : place.last]), rules)
    before = before if len(before) <= QUOTED_CHARACTERS else f"…{before[-QUOTED_CHARACTERS:]}"
    after = after if len(after) <= QUOTED_CHARACTERS else f"{after[:QUOTED_CHARACTERS]}…"
    words = text[place.start : place.end]
    return Place(before, words, after, place.start, place.end, place.against)


def _shown(wikitext: str, rules: SiteRules | None) -> str:
    try:
        return read_page(wikitext, rules).visible.text if rules else wikitext
    except BadWikitext:
        return wikitext


def _problem(pair: Pair, place: Mention, rules: SiteRules) -> str:
    """Why a link cannot be written there; "" where it can."""
    title = str(pair.titles["target"])
    try:
        link_markup(pair.page.wikitext, Insertion(place.start, place.end, title), rules)
    except UnsafeEdit as error:
        why: str = error.args[0]  # a message keeps its key
        return why
    return ""


def _names(session: Session, pair: Pair, rules: SiteRules) -> tuple[str, ...]:
    """What the target is called: title, redirects, its own names in bold, words that link to it."""
    assert pair.target is not None, "it is known"
    title = pair.target.title
    names = [without_brackets(title), *sorted(pages.redirects_to(session, [pair.target.id]))]
    with suppress(BadWikitext):
        names += read_page(pair.target.wikitext, rules, title).bold_names
    names += sorted(pages.names_of(session, pair.wiki.id, [title])[title])
    known: dict[str, str] = {}
    for name in names:
        known.setdefault(plain(name), name)
    return tuple(known.values())


def _never_entry(session: Session, pair: Pair, anchor: str) -> dict[str, object]:
    """Which entry of the never-link list forbids the link, and where the entry stands."""
    entry = next(
        one for one in never_links.entries(session, pair.wiki.id) if _forbids(session, pair, one, anchor)
    )  # fmt: skip
    source = LISTS.get(entry.source, "review")
    return {
        "entry": message(f"why-entry-{entry.kind}", entry.value),
        "where": message(f"why-list-{source}", entry.added_by),
    }


def _forbids(session: Session, pair: Pair, entry: Entry, anchor: str) -> bool:
    if entry.kind == "word":
        return plain(entry.value) == plain(anchor)
    row = pair.page if entry.kind == "page" else pair.target
    ends = pages.article_ids(session, pair.wiki.id, [entry.value])
    return row is not None and ends.get(entry.value) == row.id
