"""Which pages of an export belong to a category: one quick look through it, without parsing."""

from __future__ import annotations

import difflib
import functools
import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from wikibot.errors import BadInput
from wikibot.source import CATEGORY_NAMESPACE, SourcePage
from wikibot.wikitext.page import redirect_target
from wikibot.wikitext.rules import SiteRules
from wikibot.wikitext.titles import normalise_title


@dataclass(slots=True)
class Outline:
    """Categories and redirects of a whole export, in little memory: titles stand as hashes."""

    members: dict[str, array[int]] = field(default_factory=lambda: defaultdict(_page_ids))
    parents: dict[str, list[str]] = field(default_factory=dict)
    redirect_from: array[int] = field(default_factory=lambda: array("q"))
    redirect_to: array[int] = field(default_factory=lambda: array("q"))
    titles: dict[int, int] = field(default_factory=dict)  # page id -> hash of its title

    def members_of(self, categories: Iterable[str]) -> set[int]:
        """The page ids in any of these categories."""
        return {page_id for name in categories for page_id in self.members.get(name, ())}

    def redirects_to(self, titles: set[int]) -> set[int]:
        """The hashes of all redirects that end at TITLES (hashes), over chains too."""
        found: set[int] = set()
        wanted = set(titles)
        while wanted:
            pairs = zip(self.redirect_from, self.redirect_to, strict=True)
            wanted = {a for a, b in pairs if b in wanted} - found
            found |= wanted
        return found

    def ends_of(self, titles: set[int]) -> set[int]:
        """TITLES (hashes) and every title that redirects lead to from them."""
        found = set(titles)
        wanted = set(titles)
        while wanted:
            pairs = zip(self.redirect_from, self.redirect_to, strict=True)
            wanted = {b for a, b in pairs if a in wanted} - found
            found |= wanted
        return found


def _page_ids() -> array[int]:
    return array("q")


def outline(pages: Iterable[SourcePage], rules: SiteRules) -> Outline:
    """Who is in which category and who redirects where, as the plain text has it.

    A category inside a comment counts here too; the parser has the last word on each page.
    """
    categories = category_finder(rules)
    found = Outline()
    for page in pages:
        text = page.text or ""
        if page.namespace == CATEGORY_NAMESPACE:
            found.parents[page.title.partition(":")[2]] = categories(text)
        elif page.namespace == 0:
            found.titles[page.page_id] = hash(page.title)
            _note_article(found, page, text, rules, categories)
    return found


def _note_article(
    found: Outline,
    page: SourcePage,
    text: str,
    rules: SiteRules,
    categories: Callable[[str], list[str]],
) -> None:
    target = redirect_target(text, rules)
    if target is not None:
        found.redirect_from.append(hash(page.title))
        found.redirect_to.append(hash(target.text))
        return
    for name in categories(text):
        found.members[name].append(page.page_id)


def category_finder(rules: SiteRules) -> Callable[[str], list[str]]:
    """A function that gives the categories which a text names, without their namespace."""
    pattern = category_pattern(rules)

    @functools.lru_cache(maxsize=100_000)
    def title(raw: str) -> str:
        return category_title(raw, rules)

    return lambda text: list(dict.fromkeys(filter(None, map(title, pattern.findall(text)))))


def category_pattern(rules: SiteRules) -> re.Pattern[str]:
    """What a category's link looks like; its group is the name after the namespace."""
    names = [name for name, key in rules.namespaces.items() if key == CATEGORY_NAMESPACE]
    words = "|".join(re.escape(name).replace(r"\ ", "[ _]") for name in names)
    return re.compile(rf"\[\[[ _]*(?:{words})[ _]*:([^\[\]|\n]+)", re.IGNORECASE)


def category_title(name: str, rules: SiteRules) -> str:
    """The title of a category without its namespace, however the user or a page writes it.

    >>> category_title("category:rivers_of Europe", SiteRules.for_language("en"))
    'Rivers of Europe'
    """
    local = rules.namespace_names.get(CATEGORY_NAMESPACE, "Category")
    given = normalise_title(name.strip().lstrip(":"), rules)
    full = given if given.namespace == CATEGORY_NAMESPACE else None
    title = full or normalise_title(f"{local}:{name.strip()}", rules)
    return title.text.partition(":")[2]


def categories_below(root: str, parents: dict[str, list[str]], depth: int) -> list[str]:
    """ROOT and its subcategories down to DEPTH, each once, even where they go in circles."""
    children: dict[str, list[str]] = defaultdict(list)
    for child, above in parents.items():
        for parent in above:
            children[parent].append(child)
    found = {root: None}
    level = [root]
    for _ in range(depth):
        level = [child for name in level for child in children[name] if child not in found]
        found.update(dict.fromkeys(level))
    return list(found)


def refuse_unknown(category: str, known: Iterable[str], place: str) -> BadInput:
    """The refusal for a category without pages, with the nearest one that has some."""
    near = difflib.get_close_matches(category, list(known), n=1, cutoff=0.6)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return BadInput(
        f"No page of {place} is in the category {category!r}.{hint} Nothing was stored."
    )
