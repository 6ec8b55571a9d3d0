"""The dry run as one self-contained page: side by side, to send round or keep."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from wikibot import diff
from wikibot.message import message
from wikibot.plan import PlannedEdit
from wikibot.store.pages import WikiRow
from wikibot.web.i18n import direction

FOLDER = Path(__file__).parent


def diff_page(edits: list[PlannedEdit], wiki: WikiRow) -> str:
    """The edits as an HTML page that needs nothing but itself."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["msg"] = message
    return environment.get_template("report.html").render(
        wiki=wiki,
        text_dir=direction(wiki.language),
        # Our own file, and raw text to HTML: escaping would break its selectors.
        style=Markup((FOLDER / "static" / "wikibot.css").read_text(encoding="utf-8")),
        pages=[(edit, diff.rows(edit)) for edit in edits],
    )
