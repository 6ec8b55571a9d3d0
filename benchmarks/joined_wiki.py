"""Several real exports as one, for a wiki of a size that no single export at hand has."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from copied_wiki import head_of, page_of

from wikibot.fetch.export import ExportHeader, ExportReader

LINK = re.compile(r"\[\[(\s*:?\s*)([^\[\]{}|#\n]+?)(\s*)(?=[|#\]])")


def join_exports(path: Path, sources: Sequence[Path]) -> Path:
    """PATH is an export of all articles of the sources; the language and the namespaces' names are those of the first.

    A title that an earlier source has gets the name of its own source in front, in links as well.
    """
    first = ExportReader(sources[0]).header()
    taken: set[str] = set()
    with path.open("w", encoding="utf-8") as file:
        file.write(head_of(first))
        for source in sources:
            reader = ExportReader(source)
            pages = [page for page in reader.pages() if page.namespace == 0 and page.text]
            titles = {page.title for page in pages}
            name = source.name.partition(".")[0]
            renamed = {title: f"{name} {title}" for title in titles & taken}
            renew = link_renamer(reader.header(), first, renamed)
            for page in pages:
                title = renamed.get(page.title, page.title)
                taken.add(title)
                file.write(page_of(len(taken), title, LINK.sub(renew, page.text or "")))
        file.write("</mediawiki>\n")
    return path


def link_renamer(
    own: ExportHeader, other: ExportHeader, renamed: dict[str, str]
) -> Callable[[re.Match[str]], str]:
    """What a link of one wiki becomes in another: renamed titles, and the other's names of namespaces."""
    numbers = {name.lower(): number for number, name in own.namespaces.items() if name}

    def renew(match: re.Match[str]) -> str:
        before, target, after = match.groups()
        title = target.replace("_", " ")
        title = title[0].upper() + title[1:]
        space, colon, rest = target.partition(":")
        number = numbers.get(space.strip().lower())
        if colon and number in other.namespaces:
            target = f"{other.namespaces[number]}:{rest}"
        return f"[[{before}{renamed.get(title, target)}{after}"

    return renew
