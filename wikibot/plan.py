"""The edit that would be made: shown by `wikibot diff`, sent by `wikibot publish`, the same code.

A link was approved on one revision of a page. If the page has moved on, the link is carried over
only where its sentence still stands, byte for byte and just once; else the reviewer is asked again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from wikibot.errors import BadWikitext, UnsafeEdit
from wikibot.message import message
from wikibot.wikitext import Insertion, SiteRules, check_edit, insert_links, link_markup, read_page


@dataclass(frozen=True, slots=True)
class ApprovedLink:
    """A suggestion as the planner needs it; the offsets are those of `revision_id`'s text."""

    id: int
    version: int
    revision_id: int
    start: int
    end: int
    anchor: str
    target: str
    wikitext: str
    sentence_start: int
    sentence_end: int
    sentence: str = ""
    probability: float = 0.0
    state: str = "approved"
    page: str = ""
    approver: str = ""  # who decided last, if anybody has
    is_wiki_user: bool = False
    redirects: tuple[str, ...] = ()  # titles that lead to the target


@dataclass(frozen=True, slots=True)
class Version:
    """A page's text at one revision."""

    title: str
    revision_id: int
    text: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A suggestion inside an edit: `wikitext` replaces [start:end] of the base text."""

    suggestion_id: int
    start: int
    end: int
    wikitext: str


@dataclass(frozen=True, slots=True)
class OwnEdit:
    """An earlier edit of ours on the page, by which offsets can be carried over exactly."""

    base_revision: int
    new_revision: int
    text: str
    items: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A suggestion that is not part of the edit, and why; a stale one goes back to the reviewer."""

    suggestion_id: int
    reason: str
    is_stale: bool


@dataclass(frozen=True, slots=True)
class PlannedEdit:
    """The edit of one page: `text` on top of `base_revision`; nothing to do if `placed` is empty."""

    title: str
    base_revision: int
    base_text: str
    text: str
    placed: tuple[Placed, ...]
    links: tuple[ApprovedLink, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def sha1(self) -> str:
        """MediaWiki's own fingerprint of the text."""
        return sha1_of(self.text)


def sha1_of(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def plan_edit(
    known: Version,
    links: Sequence[ApprovedLink],
    rules: SiteRules,
    *,
    live: Version | None = None,
    own_edits: Sequence[OwnEdit] = (),
    older: Mapping[int, str] | None = None,
    most_links: int | None = None,
) -> PlannedEdit:
    """The page with as many of the links as can safely stand on it, in one checked edit.

    `known` is the text in the database, `live` the one on the wiki (default: the same).
    `own_edits` are our earlier edits, in order, `older` the texts of other revisions on which
    links were approved. Links beyond `most_links` wait for the next edit.
    """
    live = live or known
    texts = {known.revision_id: known.text, **(older or {})}
    left_out: list[LeftOut] = []
    found = []
    for link in links:
        place = _find_place(link, texts.get(link.revision_id), own_edits, live)
        objection = place if isinstance(place, str) else _objection(place, live, rules)
        if isinstance(place, str) or objection:
            left_out.append(LeftOut(link.id, objection or "", is_stale=True))
        else:
            found.append(place)
    found.sort(key=lambda link: link.start)
    safe, text = _largest_safe(live, found[:most_links], rules, left_out)
    placed = tuple(Placed(link.id, link.start, link.end, link.wikitext) for link in safe)
    return PlannedEdit(
        live.title, live.revision_id, live.text, text, placed, tuple(safe), tuple(left_out)
    )


def _find_place(
    link: ApprovedLink, text: str | None, own_edits: Iterable[OwnEdit], live: Version
) -> ApprovedLink | str:
    """The link at its place in the live text, or why it has none; `text` is what was approved."""
    if text is None:
        return message("it-was-approved-on-revision-whose", link.revision_id)
    approved = Version(live.title, link.revision_id, text)
    places = [
        anchor_in(version, moved, live) for version, moved in carry_over(approved, link, own_edits)
    ]
    found = (place for place in places if isinstance(place, ApprovedLink))
    return next(found, places[0])


def newest_known(known: Version, own_edits: Iterable[OwnEdit]) -> Version:
    """The page as it stood after the last edit of ours that follows from the known text."""
    for edit in own_edits:
        if edit.base_revision == known.revision_id:
            known = Version(known.title, edit.new_revision, edit.text)
    return known


def carry_over(
    version: Version, link: ApprovedLink, own_edits: Iterable[OwnEdit]
) -> list[tuple[Version, ApprovedLink]]:
    """The texts that the page had by our own edits, newest first, with the link's place in each."""
    texts = [(version, link)]
    for edit in own_edits:
        newest, placed = texts[0]
        if edit.base_revision == newest.revision_id:
            after = Version(version.title, edit.new_revision, edit.text)
            texts.insert(0, (after, _shifted(placed, edit.items)))
    return texts


def _shifted(link: ApprovedLink, items: Sequence[Placed]) -> ApprovedLink:
    def at(offset: int, *, is_end: bool = False) -> int:
        before = (i for i in items if (i.end <= offset if is_end else i.start < offset))
        return offset + sum(len(item.wikitext) - (item.end - item.start) for item in before)

    return replace(
        link,
        start=at(link.start),
        end=at(link.end),
        sentence_start=at(link.sentence_start),
        sentence_end=at(link.sentence_end, is_end=True),
    )


def anchor_in(known: Version, link: ApprovedLink, live: Version) -> ApprovedLink | str:
    """The link at its place in the live text, or the reason why it has none there.

    >>> old, new = Version("A", 1, "In Paris. Rain."), Version("A", 2, "Sun. In Paris. Rain.")
    >>> link = ApprovedLink(1, 1, 1, 3, 8, "Paris", "Paris", "[[Paris]]", 0, 9)
    >>> anchor_in(old, link, new).start
    8
    """
    if live.text == known.text:
        return link
    if live.revision_id == known.revision_id:
        return message("the-wikis-text-is-not-the-one-we")
    sentence = known.text[link.sentence_start : link.sentence_end]
    times = live.text.count(sentence) if sentence else 0
    if times != 1:
        if times == 0:
            return message("the-page-has-changed-and-the-2")
        return message("the-page-has-changed-and-the", times)
    shift = live.text.index(sentence) - link.sentence_start
    return replace(
        link,
        start=link.start + shift,
        end=link.end + shift,
        sentence_start=link.sentence_start + shift,
        sentence_end=link.sentence_end + shift,
    )


def _objection(link: ApprovedLink, live: Version, rules: SiteRules) -> str | None:
    """Why the link that was approved is not the one that would be written."""
    if live.text[link.start : link.end] != link.anchor:
        return message("is-not-where-it-was", link.anchor)
    try:
        written = link_markup(live.text, Insertion(link.start, link.end, link.target), rules)
    except UnsafeEdit as error:
        return str(error)
    if written != link.wikitext:
        return message("was-approved-would-be-written", link.wikitext, written)
    return None


def _largest_safe(
    live: Version, links: Sequence[ApprovedLink], rules: SiteRules, left_out: list[LeftOut]
) -> tuple[list[ApprovedLink], str]:
    """The links that pass the check together, and the text with them.

    If all of them at once do not pass, each is tried on top of those that do.
    """
    try:
        return list(links), checked_text(live, links, rules)
    except (UnsafeEdit, BadWikitext) as error:
        if len(links) == 1:
            left_out.append(LeftOut(links[0].id, error.args[0], is_stale=True))
            return [], live.text
    safe: list[ApprovedLink] = []
    for link in links:
        try:
            checked_text(live, [*safe, link], rules)
        except (UnsafeEdit, BadWikitext) as error:
            left_out.append(LeftOut(link.id, error.args[0], is_stale=True))
        else:
            safe.append(link)
    return safe, checked_text(live, safe, rules)


def checked_text(live: Version, links: Sequence[ApprovedLink], rules: SiteRules) -> str:
    """The live text with the links in it, proved to differ in nothing else.

    Refuses a link to a page that the prose links to already, be it through a redirect.
    """
    insertions = [Insertion(link.start, link.end, link.target) for link in links]
    if not insertions:
        return live.text
    _refuse_second_link(live, links, rules)
    text = insert_links(live.text, insertions, rules)
    check_edit(live.text, text, insertions, rules, live.title)
    return text


def _refuse_second_link(live: Version, links: Sequence[ApprovedLink], rules: SiteRules) -> None:
    page = read_page(live.text, rules, live.title)
    for link in links:
        if any(page.is_linked(title, link.start) for title in (link.target, *link.redirects)):
            raise UnsafeEdit(message("links-to-already", live.title, link.target))
