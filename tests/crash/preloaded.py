"""Imported once by the server from which publishers are forked: everything is warm after it."""

import tempfile
from pathlib import Path

from tests.publish.world import RULES
from wikibot.fetch import from_export
from wikibot.publish import publishing
from wikibot.site.connect import load_pywikibot
from wikibot.store import open_store, pages
from wikibot.wikitext import check_edit, read_page

load_pywikibot().debug("Warm.", "tests")  # the first message lists the versions of all modules
read_page("Warm.", RULES).sentences  # noqa: B018 (loads the tokenizer's tables)
check_edit("Warm.", "Warm.", [], RULES)
with (
    tempfile.TemporaryDirectory() as folder,
    open_store(Path(folder) / "warm.db", create=True) as store,
    store.reading() as session,
):
    pages.wikis(session)

__all__ = ["from_export", "publishing"]
