"""What the wiki says now: a page as it stands, who changed it since, and what our account did.

Every question is asked fresh; nothing here is remembered between two calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from wikibot.errors import WikiUnavailable
from wikibot.site.connect import Site, refused_read, told_plainly

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

    @property
    def exists(self) -> bool:
        return self.revision_id > 0


@dataclass(frozen=True, slots=True)
class Revision:
    """One line of a page's history; `text` only where it was asked for."""

    revision_id: int
    parent_id: int
    user: str
    is_registered: bool
    comment: str
    sha1: str
    tags: tuple[str, ...]
    time: datetime
    text: str = ""


@dataclass(frozen=True, slots=True)
class Contribution:
    """One edit of our account, wherever the page is now."""

    title: str
    page_id: int
    revision_id: int
    parent_id: int
    comment: str


def read_live(site: Site, title: str) -> LivePage:
    """The page as it stands, with what keeps us from editing it."""
    answer = ask(
        site,
        prop="revisions|info",
        titles=title,
        rvprop="ids|content",
        rvslots="main",
        intestactions="edit",
        intestactionsdetail="full",
        curtimestamp=True,
    )
    page = answer["query"]["pages"][0]
    revision = (page.get("revisions") or [{}])[0]
    return LivePage(
        title=page["title"],
        page_id=int(page.get("pageid", 0)),
        revision_id=int(revision.get("revid", 0)),
        text=content_of(revision),
        is_redirect="redirect" in page and bool(page["redirect"]),
        barriers=barriers(page),
        read_at=moment(answer["curtimestamp"]),
    )


def barriers(page: dict[str, Any]) -> tuple[Barrier, ...]:
    found = page.get("actions", {}).get("edit", [])
    return tuple(Barrier(error["code"], error.get("text", error["code"])) for error in found)


def read_many(site: Site, titles: Sequence[str]) -> dict[str, LivePage]:
    """Pages as they stand, by the title asked for; in groups, without their barriers."""
    found: dict[str, LivePage] = {}
    for start in range(0, len(titles), 50):
        group = "|".join(titles[start : start + 50])
        following: dict[str, str] = {}
        while True:
            answer = ask(
                site,
                prop="revisions|info",
                titles=group,
                rvprop="ids|content",
                rvslots="main",
                curtimestamp=True,
                **following,
            )
            # A long answer comes in parts, each with the texts of some of the pages.
            parts = live_by_title(answer)
            found.update({title: page for title, page in parts.items() if page.exists})
            found = {**parts, **found}
            if "continue" not in answer:
                break
            following = answer["continue"]
    return found


def live_by_title(answer: dict[str, Any]) -> dict[str, LivePage]:
    asked = {row["to"]: row["from"] for row in answer["query"].get("normalized", ())}
    found = {}
    for page in answer["query"]["pages"]:
        revision = (page.get("revisions") or [{}])[0]
        found[asked.get(page["title"], page["title"])] = LivePage(
            title=page["title"],
            page_id=int(page.get("pageid", 0)),
            revision_id=int(revision.get("revid", 0)),
            text=content_of(revision),
            is_redirect=bool(page.get("redirect")),
            barriers=(),
            read_at=moment(answer["curtimestamp"]),
        )
    return found


def content_of(revision: dict[str, Any]) -> str:
    return str(revision.get("slots", {}).get("main", {}).get("content", ""))


def moment(timestamp: str) -> datetime:
    return datetime.strptime(timestamp, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)


def revisions(
    site: Site, *, title: str = "", page_id: int = 0, with_text: bool = False
) -> Iterator[Revision]:
    """The history of a page, newest first, read as far as it is asked for."""
    wanted = {"pageids": page_id} if page_id else {"titles": title}
    content = {"rvprop": REVISION + "|content", "rvslots": "main"} if with_text else {}
    parameters = {
        "prop": "revisions",
        "rvprop": REVISION,
        "rvlimit": 20 if with_text else 100,
        **wanted,
        **content,
    }
    following: dict[str, str] = {}
    while True:
        answer = ask(site, **parameters, **following)
        for page in answer["query"].get("pages", ()):
            yield from map(revision_of, page.get("revisions", ()))
        if "continue" not in answer:
            return
        following = answer["continue"]


REVISION = "ids|timestamp|user|userid|comment|sha1|tags"


def revision_of(row: dict[str, Any]) -> Revision:
    name = row.get("user", "")
    return Revision(
        revision_id=int(row["revid"]),
        parent_id=int(row["parentid"]),
        user=name,
        # Temporary accounts have a number too, but nobody chose their name.
        is_registered=bool(row.get("userid")) and not row.get("anon") and not name.startswith("~2"),
        comment=row.get("comment", ""),
        sha1=row.get("sha1", ""),
        tags=tuple(row.get("tags", ())),
        time=moment(row["timestamp"]),
        text=content_of(row),
    )


def text_of(site: Site, revision_id: int) -> str | None:
    """The text of one revision; None if the wiki no longer shows it."""
    answer = ask(site, prop="revisions", revids=revision_id, rvprop="ids|content", rvslots="main")
    for page in answer["query"].get("pages", ()):
        for row in page.get("revisions", ()):
            return content_of(row)
    return None


def contributions(site: Site, user: str, *, limit: int = 500) -> Iterator[Contribution]:
    """Our newest edits on any page, moved ones included; deleted pages are not among them."""
    answer = ask(site, list="usercontribs", ucuser=user, uclimit=limit, ucprop="ids|title|comment")
    for row in answer["query"]["usercontribs"]:
        yield Contribution(
            title=row["title"],
            page_id=int(row["pageid"]),
            revision_id=int(row["revid"]),
            parent_id=int(row["parentid"]),
            comment=row.get("comment", ""),
        )


def read_time(site: Site) -> datetime:
    """The wiki's own time."""
    return moment(ask(site, meta="siteinfo", siprop="general", curtimestamp=True)["curtimestamp"])


def missing_targets(site: Site, titles: Sequence[str], page: str) -> dict[str, str]:
    """Those of the titles that must not be linked to from PAGE now, each with the reason."""
    problems: dict[str, str] = {}
    for start in range(0, len(titles), 50):
        group = "|".join(titles[start : start + 50])
        answer = ask(site, prop="info", titles=group, redirects=True)["query"]
        leads_to = {row["from"]: row["to"] for row in answer.get("redirects", ())}
        gone = {row["title"] for row in answer["pages"] if row.get("missing")}
        for title in titles[start : start + 50]:
            end = leads_to.get(title, title)
            if end in gone:
                problems[title] = f"there is no page “{title}” any more"
            elif end == page:
                problems[title] = f"“{title}” leads back to this page"
    return problems


def has_tag(site: Site, tag: str) -> bool:
    """Does the wiki let editors apply this change tag?"""
    answer = ask(site, list="tags", tglimit="max", tgprop="active|source")
    rows = answer["query"]["tags"]
    return any(row["name"] == tag and "manual" in row.get("source", ()) for row in rows)


def ask(site: Site, **parameters: object) -> dict[str, Any]:
    """The wiki's answer to a question; reading may be repeated, so pywikibot's retries are fine."""
    form = {key: value for key, value in parameters.items() if value not in ("", None, False)}
    with told_plainly():
        request = site.simple_request(
            action="query", formatversion=2, errorformat="plaintext", **form
        )
        answer: dict[str, Any] = request.submit()
    if "errors" in answer:
        first = answer["errors"][0]
        raise refused_read(first["code"], first.get("text", ""))
    if "query" not in answer:
        raise WikiUnavailable(
            "The wiki gave an empty answer. Nothing was changed; try again later."
        )
    return answer
