"""What one wiki's wikitext means: namespaces, link trail, first letter, sections left alone."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from wikibot.wikitext import languages

FILE, CATEGORY, TEMPLATE = 6, 14, 10

CANONICAL_NAMESPACES = languages.NAMESPACES["en"]

SWITCHES = (
    "__NOTOC__ __FORCETOC__ __TOC__ __NOEDITSECTION__ __NEWSECTIONLINK__ __NONEWSECTIONLINK__"
    " __NOGALLERY__ __HIDDENCAT__ __EXPECTUNUSEDCATEGORY__ __NOCONTENTCONVERT__ __NOCC__"
    " __NOTITLECONVERT__ __NOTC__ __INDEX__ __NOINDEX__ __STATICREDIRECT__ __DISAMBIG__"
    " __EXPECTUNUSEDTEMPLATE__ __NOGLOBAL__ __EXPECTED_UNCONNECTED_PAGE__"
)

EXTENSION_TAGS = (
    "categorytree ce charinsert chem dynamicpagelist gallery graph hiero imagemap indicator"
    " inputbox langconvert mapframe maplink math nowiki phonos poem pre quiz ref references rss"
    " score section source syntaxhighlight templatedata templatestyles timeline"
)


@dataclass(frozen=True, slots=True)
class SiteRules:
    """The rules of one wiki, from its siteinfo, its export, or its language alone.

    `namespaces` maps every name and alias, in lower case with spaces, to the namespace's number;
    `namespace_names` holds the one name of each number with which titles are written.
    """

    language: str = "en"
    linktrail: str = "/^([a-z]+)(.*)$/sD"
    capital_links: bool = True
    namespaces: Mapping[str, int] = field(default_factory=dict)
    namespace_names: Mapping[int, str] = field(default_factory=dict)
    switches: frozenset[str] = frozenset()
    extension_tags: frozenset[str] = frozenset()
    function_hooks: frozenset[str] = frozenset()
    interwiki: frozenset[str] = frozenset()
    redirect_words: tuple[str, ...] = ("#REDIRECT",)
    excluded_sections: frozenset[str] = frozenset()
    disambiguation_templates: frozenset[str] = frozenset()
    subpage_namespaces: frozenset[int] = frozenset(range(1, 16)) - {6, 14}
    rtl: bool = False
    link_prefix: bool = False
    link_table_cells: bool = False
    link_captions: bool = False
    link_scope: str = "page"  # or "section": a target is linked once in each of these

    @classmethod
    def for_language(cls, code: str) -> SiteRules:
        """The defaults for a wiki in the language `code`; English ones where it is not known.

        >>> SiteRules.for_language("it").namespaces["categoria"]
        14
        """
        base = code if code in languages.NAMESPACES else code.split("-")[0]
        names, aliases = _language_namespaces(base)
        return cls(
            language=code,
            linktrail=languages.LINK_TRAILS.get(base, cls().linktrail),
            namespaces=aliases,
            namespace_names=names,
            switches=frozenset(SWITCHES.split()),
            extension_tags=frozenset(EXTENSION_TAGS.split()),
            interwiki=frozenset(f"{languages.LANGUAGE_CODES} {languages.PROJECT_PREFIXES}".split()),
            redirect_words=(*languages.REDIRECT_WORDS.get(base, ()), "#REDIRECT"),
            excluded_sections=_folded(_of_language(languages.EXCLUDED_SECTIONS, base)),
            disambiguation_templates=_folded(
                _of_language(languages.DISAMBIGUATION_TEMPLATES, base)
            ),
            rtl=base in languages.RIGHT_TO_LEFT.split(),
            link_prefix=base in languages.LINK_PREFIX.split(),
        )

    @classmethod
    def from_export(
        cls, language: str, namespaces: Mapping[int, str], *, case: str = "first-letter"
    ) -> SiteRules:
        """The language's defaults with the names that an export's <siteinfo> gives on top."""
        rules = cls.for_language(language)
        named = {number: name for number, name in namespaces.items() if name}
        known = {**rules.namespaces, **{fold_name(name): key for key, name in named.items()}}
        return replace(
            rules,
            namespaces=known,
            namespace_names={**rules.namespace_names, **named},
            capital_links=case != "case-sensitive",
        )

    @classmethod
    def from_siteinfo(cls, siteinfo: Mapping[str, Any]) -> SiteRules:
        """The rules that `action=query&meta=siteinfo` reports (either format version).

        Takes the whole answer or its "query" part. What siteinfo does not say, such as the
        sections without prose, comes from the defaults of the wiki's language.
        """
        query = siteinfo.get("query", siteinfo)
        general = query.get("general", {})
        defaults = cls.for_language(general.get("lang", "en"))
        names, aliases = _siteinfo_namespaces(query)
        words = _magic_words(query.get("magicwords", ()))
        return replace(
            defaults,
            linktrail=general.get("linktrail") or defaults.linktrail,
            capital_links=general.get("case", "first-letter") != "case-sensitive",
            namespaces=aliases or defaults.namespaces,
            namespace_names=names or defaults.namespace_names,
            switches=_switches(words) or defaults.switches,
            extension_tags=defaults.extension_tags | _tag_names(query.get("extensiontags", ())),
            function_hooks=frozenset(query.get("functionhooks", ())),
            interwiki=_interwiki(query) or defaults.interwiki,
            redirect_words=tuple(words.get("redirect", defaults.redirect_words)),
            subpage_namespaces=_subpage_namespaces(query),
            rtl=bool(general.get("rtl", False) is not False),
            link_prefix=bool(general.get("linkprefixcharset")),
        )

    def to_json(self) -> str:
        """A text that `from_json` turns back into equal rules."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True, default=sorted)

    @classmethod
    def from_json(cls, text: str) -> SiteRules:
        """The rules that `to_json` wrote."""
        values = json.loads(text)
        values["namespace_names"] = {int(k): v for k, v in values["namespace_names"].items()}
        values["redirect_words"] = tuple(values["redirect_words"])
        sets = [key for key, value in values.items() if isinstance(value, list)]
        return cls(**{**values, **{key: frozenset(values[key]) for key in sets}})

    def trail_length(self, text: str, start: int) -> int:
        """How many characters at `start` a link that ends there would swallow."""
        found = trail_pattern(self.linktrail).match(text, start)
        return found.end() - start if found else 0

    def is_excluded_section(self, heading: str) -> bool:
        """Is the section with this heading one without prose to link?"""
        return fold_name(heading) in self.excluded_sections

    def is_disambiguation_template(self, name: str) -> bool:
        """Does a template of this name mark a page as a disambiguation page?"""
        return fold_name(name) in self.disambiguation_templates


def fold_name(name: str) -> str:
    """The form in which names of namespaces, sections and templates are compared."""
    return " ".join(name.replace("_", " ").split()).lower()


@functools.lru_cache(maxsize=64)
def trail_pattern(linktrail: str) -> re.Pattern[str]:
    """The letters that a wiki's link trail swallows, as a Python pattern.

    siteinfo gives a PCRE such as "/^([a-z]+)(.*)$/sD": only its first group matters here.
    """
    body = linktrail.split("/", 1)[-1].rsplit("/", 1)[0]
    letters = body.removeprefix("^").removesuffix("(.*)$")
    python = re.sub(r"\\x\{([0-9A-Fa-f]+)\}", lambda m: re.escape(chr(int(m[1], 16))), letters)
    flags = re.IGNORECASE if "i" in linktrail.rsplit("/", 1)[-1] else 0
    try:
        return re.compile(python, flags)
    except re.error:
        # "\p{L}", or a trail that cannot be read: any letter counts, and nothing is ever offered
        # before one.
        return re.compile(r"[^\W\d_]+")


@functools.lru_cache(maxsize=64)
def _language_namespaces(code: str) -> tuple[dict[int, str], dict[str, int]]:
    local = _read_namespaces(languages.NAMESPACES.get(code, ""))
    english = _read_namespaces(CANONICAL_NAMESPACES)
    names = {**{key: first[0] for key, first in english.items()}, 4: "Project", 5: "Project talk"}
    names.update({key: first[0] for key, first in local.items()})
    aliases = {fold_name(names[key]): key for key in names}
    for table in (english, local):
        aliases.update({fold_name(n): key for key, every in table.items() for n in every})
    return {0: "", **names}, aliases


def _read_namespaces(row: str) -> dict[int, list[str]]:
    parts = (item.split(":", 1) for item in row.split())
    return {int(key): names.replace("_", " ").split(",") for key, names in parts}


def _of_language(table: Mapping[str, str], code: str) -> list[str]:
    return table["en"].split("|") + table.get(code, "").split("|")


def _folded(names: Iterable[str]) -> frozenset[str]:
    return frozenset(fold_name(name) for name in names if name)


def _siteinfo_namespaces(query: Mapping[str, Any]) -> tuple[dict[int, str], dict[str, int]]:
    names: dict[int, str] = {}
    aliases: dict[str, int] = {}
    for row in query.get("namespaces", {}).values():
        local = row.get("name", row.get("*", ""))
        names[row["id"]] = local
        for name in filter(None, (local, row.get("canonical"))):
            aliases[fold_name(name)] = row["id"]
    for row in query.get("namespacealiases", ()):
        aliases[fold_name(row.get("alias", row.get("*", "")))] = row["id"]
    return names, aliases


def _subpage_namespaces(query: Mapping[str, Any]) -> frozenset[int]:
    rows = query.get("namespaces", {}).values()
    return frozenset(row["id"] for row in rows if row.get("subpages", False) is not False)


def _magic_words(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    return {row["name"]: list(row["aliases"]) for row in rows}


def _switches(words: Mapping[str, list[str]]) -> frozenset[str]:
    return frozenset(a for every in words.values() for a in every if a.startswith("__"))


def _tag_names(tags: Iterable[str]) -> frozenset[str]:
    return frozenset(tag.strip("<>/ ").lower() for tag in tags)


def _interwiki(query: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(row["prefix"].lower() for row in query.get("interwikimap", ()))
