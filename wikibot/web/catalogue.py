"""The catalogues of translations, brought up to date: `python -m wikibot.web.catalogue`.

A new language is a new folder: `python -m wikibot.web.catalogue fr` begins one.
"""

from __future__ import annotations

import sys
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from wikibot.linker.explain import ENGLISH
from wikibot.manual_links import HAND_RULES
from wikibot.web.i18n import DOMAIN, FOLDER, languages
from wikibot.why import texts as why_texts

SOURCES = Path(__file__).parent.parent
# The interface itself, and whatever says no to it.
METHODS = [
    ("web/**.py", "python"),
    ("web/templates/**.html", "jinja2"),
    *(
        (path, "python")
        for path in ("review.py", "terminal.py", "terminal_ideas.py", "reading.py", "roles.py")
    ),
    *((path, "python") for path in ("store/*.py", "plan.py", "manual_links.py", "why/*.py")),
]
OPTIONS = {"web/templates/**.html": {"newstyle_gettext": "true"}}
KEYWORDS = {"_": None, "gettext": None, "message": None, "ngettext": (1, 2)}


def messages() -> Catalog:
    """Every message of the interface, without line numbers, which would change with every edit."""
    found = Catalog(project="wikibot", domain=DOMAIN)
    extracted = extract_from_dir(SOURCES, METHODS, OPTIONS, KEYWORDS)
    for path, _line, message, _comments, _context in extracted:
        found.add(message, locations=[(path, 0)])
    for clause in (*ENGLISH.values(), *HAND_RULES.values(), *why_texts.patterns()):
        found.add(clause, locations=[("linker", 0)], flags=["python-brace-format"])
    return found


def file_of(language: str) -> Path:
    """Where a language's catalogue is."""
    return FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def read(language: str) -> Catalog:
    """A language's catalogue; an empty one for a new language."""
    path = file_of(language)
    if not path.exists():
        return Catalog(locale=language, domain=DOMAIN)
    with path.open("rb") as file:
        return read_po(file, locale=language, domain=DOMAIN)


def update(language: str) -> int:
    """The catalogue has every message and no other; returns how many are not translated."""
    catalogue = read(language)
    catalogue.update(messages(), no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    write(language, catalogue)
    return sum(not is_translated(message) for message in catalogue if message.id)


def write(language: str, catalogue: Catalog) -> None:
    """The language's file holds the catalogue; no dates and names that change for nothing."""
    path = file_of(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalogue, width=100, omit_header=True, include_lineno=False)


def is_translated(message: Message) -> bool:
    """Is there a translation, and one for every plural?"""
    found = message.string
    return bool(found) if isinstance(found, str) else bool(found) and all(found or ())


def main(arguments: list[str]) -> None:
    """Brings the named languages up to date, or all that there are."""
    for language in arguments or languages()[1:]:
        missing = update(language)
        sys.stdout.write(f"{file_of(language)}: {missing} messages to translate\n")


if __name__ == "__main__":
    main(sys.argv[1:])
