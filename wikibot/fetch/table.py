"""A wiki's pages from a table of a cluster, as Wikimedia keeps them.

The columns are those of `wmf_content.mediawiki_content_current_v1`; others are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from wikibot.engine import Cluster
from wikibot.errors import BadInput
from wikibot.fetch.export import ExportHeader
from wikibot.source import SourcePage

CONTENT = "revision_content_slots['main']"
COLUMNS = {
    "page_id": "page_id",
    "namespace": "page_namespace_id",
    "title": "page_title",
    "redirect": "page_redirect_target",
    "revision_id": "revision_id",
    "text": f"{CONTENT}.content_body",
}
OPTIONAL = {"timestamp": "revision_dt", "model": f"{CONTENT}.content_model"}
WIKI = "wiki_id"
_CODE = re.compile(r"(?P<code>.+?)(wiki|wiktionary|wikibooks|wikiquote|wikisource|wikivoyage)")


class TableReader:
    """The pages of one wiki in a table, in the order of their ids."""

    def __init__(
        self, cluster: Cluster, name: str, *, wiki: str | None, language: str | None
    ) -> None:
        self._table = cluster.table(name)
        self.pages_read = 0
        self._wiki = self._only_wiki(name, wiki)
        self._language = language or _language_of(self._wiki)
        self._name = name

    def _only_wiki(self, name: str, wiki: str | None) -> str:
        """The wiki to read; refuses a table of several where none is named."""
        if not self._table.has(WIKI):
            return wiki or ""
        found = self._table.values(WIKI, most=2)
        if wiki is None and len(found) > 1:
            raise BadInput(
                f"The table {name} holds several wikis. Nothing was read; name one with --wiki, "
                f"such as {found[0]}."
            )
        return wiki or "".join(found)

    def header(self) -> ExportHeader:
        """What is known of the wiki: its language and the name of its database."""
        return ExportHeader(language=self._language, dbname=self._wiki)

    def place(self) -> tuple[int, int | None, int]:
        """How many pages were read; of how many is not known."""
        return self.pages_read, None, self.pages_read

    def pages(self) -> Iterator[SourcePage]:
        """Every page, with its newest revision."""
        self.pages_read = 0
        columns = COLUMNS | {
            name: column for name, column in OPTIONAL.items() if self._table.has(column)
        }
        where = {WIKI: self._wiki} if self._table.has(WIKI) else {}
        for row in self._table.rows(columns, where=where, order="page_id"):
            self.pages_read += 1
            yield _page(row)


def _page(row: dict[str, Any]) -> SourcePage:
    title = str(row["title"]).replace("_", " ")
    text = row["text"]
    if not text and row["redirect"]:
        text = f"#REDIRECT [[{row['redirect']}]]".replace("_", " ")
    when = row.get("timestamp")
    stamp = when.strftime("%Y-%m-%dT%H:%M:%SZ") if isinstance(when, datetime) else str(when or "")
    model = row.get("model") or "wikitext"
    return SourcePage(
        int(row["page_id"]),
        title,
        int(row["namespace"]),
        int(row["revision_id"]),
        stamp,
        text,
        model,
    )


def _language_of(wiki: str) -> str:
    """The code of a wiki in the name of its database; English where it has none.

    >>> _language_of("vlswiki"), _language_of("be_x_oldwiki"), _language_of("")
    ('vls', 'be-x-old', 'en')
    """
    found = _CODE.fullmatch(wiki)
    return found["code"].replace("_", "-") if found else "en"
