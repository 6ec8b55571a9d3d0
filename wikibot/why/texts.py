"""The causes that have an answer, and what the words of each are told."""

from __future__ import annotations

from collections.abc import Mapping

from wikibot.linker.score import LIMIT, OVERLAP, UNLIKELY
from wikibot.linker.why import INSIDE_LINK, LINKED, NO_NAME, NO_PLACE, ONLY_HERE, SELDOM_LINKED

PROPOSED, SET, WOULD_BE, UNSAFE = "proposed", "set", "would-be", "unsafe"
PARAGRAPH_LIMIT = "paragraph-limit"

# For each cause what its two texts are told, in their order: `why-…` says what happened and
# `why-…-remedy` what would change that.
ANSWERS: Mapping[str, tuple[str, ...]] = {
    PROPOSED: ("number",),
    SET: (),
    WOULD_BE: (),
    "skipped": ("number", "who"),
    "approved": ("number", "who"),
    "published": ("number", "who"),
    "rejected": ("number", "who"),
    "taken-back": ("number",),
    "unreadable": ("page", "problem"),
    "not-in-set": ("page",),
    "page-disambiguation": ("page",),
    "closed": ("page", "exclusion"),
    "edited-just-now": ("page", "hours"),
    "unknown-target": ("target", "meant"),
    "self-link": ("page",),
    "disambiguation": ("target",),
    "not-learned": ("target",),
    UNSAFE: ("anchor", "problem"),
    LINKED: ("page", "target"),
    INSIDE_LINK: ("anchor", "rival"),
    SELDOM_LINKED: ("mentions", "anchor", "links", "target"),
    ONLY_HERE: ("anchor", "target"),
    NO_PLACE: ("anchor", "place"),
    NO_NAME: ("target", "page", "names"),
    UNLIKELY: ("few", "needed", "page", "target", "least"),
    OVERLAP: ("anchor", "rival"),
    LIMIT: ("room",),
    PARAGRAPH_LIMIT: ("room",),
    "never-list": ("entry", "where"),
    "excluded": ("page",),
    "excluded-section": ("anchor",),
}

STATES = {
    "pending": PROPOSED,
    "kept": "published",
    "reverted": "taken-back",
    "undone": "taken-back",
}
# Where an entry of the never-link list stands, `why-list-…`.
LISTS: Mapping[str, str] = {
    "review": "review",
    "file": "file",
    "wiki": "wiki",
    "settings page": "settings-page",
}
