"""What the wiki says now: a page as it stands, who changed it since, and what our account did.

Every question is asked fresh; nothing here is remembered between two calls.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from wikibot.errors import WikiUnavailable
from wikibot.message import message
from wikibot.site.answers import Answer, id_in, row_in, rows_in, text_in, texts_in, understood
from wikibot.site.connect import Site, refused_read, told_plainly

WIKITEXT = "wikitext"
# Pages asked for in one request.
GROUP = 50
# What administrators can hide of a revision.
HIDEABLE = ("user", "comment", "text", "sha1")

# MediaWiki's reasons for not letting us edit that belong to the account, not to the page.
BLOCK_CODES = frozenset(("blocked", "autoblocked", "blocked-partial", "globalblocking-blockedtext"))


@dataclass(frozen=True, slots=True)
class Barrier:
    """Why our account may not edit a page, as the wiki says it."""

    code: str
    text: str

    @property
    def is_block(self) -> bool:
        return self.code in BLOCK_CODES


@dataclass(frozen=True, slots=True)
class LivePage:
    """A page as it stands on the wiki at `read_at`, the wiki's own time.

    A page that does not exist has revision 0 and no text.
    """

    title: str
    page_id: int
    revision_id: int
    text: str
    is_redirect: bool
    barriers: tuple[Barrier, ...]
    read_at: datetime
    model: str = WIKITEXT

    @property
    def exists(self) -> bool:
        return self.revision_id > 0


@dataclass(frozen=True, slots=True)
class Revision:
    """One line of a page's history; `text` only where it was asked for.

    What stands in `hidden` (user, comment, text, sha1) is kept from us by the wiki.
    """

    revision_id: int
    parent_id: int
    user: str
    is_registered: bool
    comment: str
    sha1: str
    tags: tuple[str, ...]
    time: datetime
    text: str = ""
    hidden: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Contribution:
    """One edit of our account, wherever the page is now."""

    title: str
    page_id: int
    revision_id: int
    parent_id: int
    comment: str


def read_live(site: Site, title: str = "", *, page_id: int = 0) -> LivePage:
    """The page as it stands, with what keeps us from editing it.

    Refuses a title that no page can have.
    """
    wanted = {"pageids": page_id} if page_id else {"titles": title}
    answer = ask(
        site,
        prop="revisions|info",
        rvprop="ids|content",
        rvslots="main",
        intestactions="edit",
        intestactionsdetail="full",
        curtimestamp=True,
        **wanted,
    )
    with understood():
        page = rows_in(answer["query"], "pages")[0]
        if page.get("invalid"):
            raise WikiUnavailable(message("cannot-be-a-title", title))
        return live_of(page, answer)


def live_of(page: Answer, answer: Answer) -> LivePage:
    """A page of an answer; one that neither shows a revision nor is missing is not believed."""
    is_missing = page.get("missing") is True
    revision = {} if is_missing else rows_in(page, "revisions")[0]
    return LivePage(
        title=text_in(page, "title", "" if is_missing else None),
        page_id=id_in(page, "pageid", 0 if is_missing else None),
        revision_id=0 if is_missing else id_in(revision, "revid"),
        text="" if is_missing else content_of(revision),
        is_redirect=bool(page.get("redirect")),
        barriers=barriers(page),
        read_at=moment(answer["curtimestamp"]),
        model=text_in(page, "contentmodel", WIKITEXT if is_missing else None),
    )


def barriers(page: Answer) -> tuple[Barrier, ...]:
    if "actions" not in page:  # they were not asked for
        return ()
    found = rows_in(row_in(page, "actions"), "edit")
    return tuple(
        Barrier(text_in(error, "code"), text_in(error, "text", text_in(error, "code")))
        for error in found
    )


def read_many(site: Site, page_ids: Sequence[int]) -> dict[int, LivePage]:
    """Pages that exist as they stand, by their ids; in groups, without their barriers."""
    found: dict[int, LivePage] = {}
    for group in groups(page_ids):
        question = {
            "prop": "revisions|info",
            "pageids": joined(group),
            "rvprop": "ids|content",
            "rvslots": "main",
            "curtimestamp": True,
        }
        # A long answer comes in parts, each with the texts of some of the pages.
        for answer in ask_on(site, question):
            with understood():
                pages = rows_in(answer["query"], "pages")
                live = [live_of(page, answer) for page in pages if "revisions" in page]
            found |= {page.page_id: page for page in live}
    return found


def pages_of_revisions(site: Site, revision_ids: Sequence[int]) -> dict[int, int]:
    """The page on which each revision stands now, wherever it was moved; deleted ones are absent."""
    found: dict[int, int] = {}
    for group in groups([number for number in revision_ids if number]):
        question = {"prop": "revisions", "rvprop": "ids", "revids": joined(group)}
        for answer in ask_on(site, question):
            with understood():
                if "pages" in answer["query"] or "badrevids" not in answer["query"]:
                    found |= revisions_to_pages(rows_in(answer["query"], "pages"))
    return found


def revisions_to_pages(pages: Sequence[Answer]) -> dict[int, int]:
    return {
        id_in(row, "revid"): id_in(page, "pageid")
        for page in pages
        for row in rows_in(page, "revisions")
    }


def groups(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    distinct = list(dict.fromkeys(ids))
    return (distinct[at : at + GROUP] for at in range(0, len(distinct), GROUP))


def joined(ids: Sequence[int]) -> str:
    return "|".join(map(str, ids))


def content_of(revision: Answer) -> str:
    """The wikitext of a revision; refuses one that shows none."""
    return text_in(row_in(row_in(revision, "slots"), "main"), "content")


def moment(timestamp: str) -> datetime:
    return datetime.strptime(timestamp, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)


def revisions(
    site: Site, *, title: str = "", page_id: int = 0, with_text: bool = False
) -> Iterator[Revision]:
    """The history of a page, newest first, read as far as it is asked for."""
    wanted = {"pageids": page_id} if page_id else {"titles": title}
    content = {"rvprop": REVISION + "|content", "rvslots": "main"} if with_text else {}
    question = {
        "prop": "revisions",
        "rvprop": REVISION,
        "rvlimit": 20 if with_text else 100,
        **wanted,
        **content,
    }
    for answer in ask_on(site, question):
        with understood():
            pages = rows_in(answer["query"], "pages")
            there = [page for page in pages if page.get("missing") is not True]
            found = [revision_of(row) for page in there for row in rows_in(page, "revisions")]
        yield from found


REVISION = "ids|timestamp|user|userid|comment|sha1|tags"


def revision_of(row: Answer) -> Revision:
    """One line of the history; what is hidden from us is empty."""
    hidden = frozenset(part for part in HIDEABLE if row.get(f"{part}hidden"))

    def shown(part: str) -> str:
        return text_in(row, part, "" if part in hidden else None)

    name = shown("user")
    return Revision(
        revision_id=id_in(row, "revid"),
        parent_id=id_in(row, "parentid"),
        user=name,
        # Temporary accounts have a number too, but nobody chose their name.
        is_registered=bool(row.get("userid")) and not row.get("anon") and not name.startswith("~2"),
        comment=shown("comment"),
        sha1=shown("sha1"),
        tags=texts_in(row, "tags"),
        time=moment(row["timestamp"]),
        text=content_of(row) if "slots" in row and not is_text_hidden(row) else "",
        hidden=hidden | ({"text"} if is_text_hidden(row) else set()),
    )


def is_text_hidden(row: Answer) -> bool:
    slot = row_in(row_in(row, "slots"), "main") if "slots" in row else {}
    return bool(row.get("texthidden") or slot.get("texthidden"))


def revision(site: Site, revision_id: int) -> Revision | None:
    """One revision with its text; None if the wiki does not show it."""
    answer = ask(
        site, prop="revisions", revids=revision_id, rvprop=REVISION + "|content", rvslots="main"
    )
    with understood():
        if "badrevids" in answer["query"]:
            return None
        return revision_of(rows_in(rows_in(answer["query"], "pages")[0], "revisions")[0])


def text_of(site: Site, revision_id: int) -> str | None:
    """The text of one revision; None if the wiki no longer shows it."""
    found = revision(site, revision_id)
    return None if found is None or "text" in found.hidden else found.text


def contributions(site: Site, user: str, *, limit: int = 500) -> list[Contribution]:
    """Our newest edits on any page, moved ones included; deleted pages are not among them."""
    answer = ask(site, list="usercontribs", ucuser=user, uclimit=limit, ucprop="ids|title|comment")
    with understood():
        return [
            Contribution(
                title=text_in(row, "title"),
                page_id=id_in(row, "pageid"),
                revision_id=id_in(row, "revid"),
                parent_id=id_in(row, "parentid"),
                comment=text_in(row, "comment", "" if row.get("commenthidden") else None),
            )
            for row in rows_in(answer["query"], "usercontribs")
        ]


def read_time(site: Site) -> datetime:
    """The wiki's own time."""
    answer = ask(site, meta="siteinfo", siprop="general", curtimestamp=True)
    with understood():
        return moment(answer["curtimestamp"])


def why_impossible(site: Site, title: str) -> str:
    """Why no page of this wiki can have the title; empty if one can."""
    if not title.strip() or any(sign in title for sign in "|#\n"):
        return "it must be one title, without “|” and “#”"
    query = ask(site, titles=title)["query"]
    with understood():
        if query.get("interwiki"):
            return "it is on another wiki"
        page = rows_in(query, "pages")[0]
        if page.get("invalid"):
            return "the wiki takes no such title"
        return "" if page["ns"] >= 0 else "nobody can write that page"


def missing_targets(site: Site, titles: Sequence[str], page: str) -> dict[str, str]:
    """Those of the titles that must not be linked to from PAGE now, each with the reason."""
    problems: dict[str, str] = {}
    for start in range(0, len(titles), GROUP):
        some = titles[start : start + GROUP]
        answer = ask(site, prop="info", titles="|".join(some), redirects=True)["query"]
        with understood():
            rows = rows_in(answer, "redirects") if "redirects" in answer else []
            leads_to = {text_in(row, "from"): text_in(row, "to") for row in rows}
            pages = rows_in(answer, "pages")
            gone = {text_in(row, "title") for row in pages if row.get("missing")}
        for title in some:
            end = leads_to.get(title, title)
            if end in gone:
                problems[title] = f"there is no page “{title}” any more"
            elif end == page:
                problems[title] = f"“{title}” leads back to this page"
    return problems


def existing_users(site: Site, names: Collection[str]) -> set[str]:
    """Those of the names that are accounts of the wiki, as they are written here."""
    # The wiki answers with names as it writes them: in capitals at the beginning, with blanks.
    written = {name: name[:1].upper() + name[1:].replace("_", " ") for name in names}
    asked = sorted(name for name in written if name.strip() and "|" not in name)
    found: set[str] = set()
    for start in range(0, len(asked), GROUP):
        some = asked[start : start + GROUP]
        answer = ask(site, list="users", ususers="|".join(some))
        with understood():
            rows = rows_in(answer["query"], "users")
            found |= {text_in(row, "name") for row in rows if row.get("userid")}
    return {name for name in asked if written[name] in found}


def has_tag(site: Site, tag: str) -> bool:
    """Does the wiki let editors apply this change tag?"""
    answer = ask(site, list="tags", tglimit="max", tgprop="active|source")
    with understood():
        rows = rows_in(answer["query"], "tags")
        return any(
            text_in(row, "name") == tag and "manual" in texts_in(row, "source") for row in rows
        )


def ask(site: Site, **parameters: object) -> dict[str, Any]:
    """The wiki's answer to a question; reading may be repeated, so pywikibot's retries are fine."""
    form = {key: value for key, value in parameters.items() if value not in ("", None, False)}
    with told_plainly():
        request = site.simple_request(
            action="query", formatversion=2, errorformat="plaintext", **form
        )
        answer: dict[str, Any] = request.submit()
    with understood():
        if "errors" in answer:
            first = rows_in(answer, "errors")[0]
            raise refused_read(text_in(first, "code"), text_in(first, "text", ""))
        if not answer.get("query"):
            raise WikiUnavailable(message("empty-answer"))
        row_in(answer, "query")
    return answer


def ask_on(site: Site, question: Answer) -> Iterator[dict[str, Any]]:
    """The wiki's answer, and all that continues it, as far as it is asked for."""
    following: dict[str, Any] = {}
    while True:
        answer = ask(site, **question, **following)
        yield answer
        if "continue" not in answer:
            return
        with understood():
            following = row_in(answer, "continue")
