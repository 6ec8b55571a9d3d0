"""The answers in words: for each cause what happened, and what would change that."""

from __future__ import annotations

from collections.abc import Mapping

from wikibot.linker.score import LIMIT, OVERLAP, UNLIKELY
from wikibot.linker.why import INSIDE_LINK, LINKED, NO_NAME, NO_PLACE, ONLY_HERE, SELDOM_LINKED

PROPOSED, SET, WOULD_BE, UNSAFE = "proposed", "set", "would-be", "unsafe"
PARAGRAPH_LIMIT = "paragraph-limit"
_LOOK_AGAIN = "Run `wikibot suggest`."
_DECIDE_FIRST = "Decide those first; then `wikibot suggest` proposes the next. "

ANSWERS: Mapping[str, tuple[str, str]] = {
    PROPOSED: (
        "It is proposed: proposal {number} waits for a decision.",
        "Decide it with `wikibot review`, or with `wikibot decide {number} approve`.",
    ),
    SET: ("Nothing speaks against it: `wikibot link` sets it.", "Nothing is needed."),
    WOULD_BE: (
        "Nothing speaks against it, but the queue does not hold it yet.",
        _LOOK_AGAIN,
    ),
    "skipped": (
        "It is proposed as number {number}, and was skipped ({who}).",
        "Decide it: `wikibot decide {number} approve`.",
    ),
    "approved": (
        "It is approved as proposal {number} ({who}) and not on the wiki yet.",
        "Send what is approved: `wikibot publish`.",
    ),
    "published": (
        "It is on the wiki: proposal {number} was published ({who}).",
        "Nothing is needed; `wikibot fetch` reads the page as it is now.",
    ),
    "rejected": (
        "It was rejected as proposal {number} ({who}), and is not proposed again.",
        "Take the decision back: `wikibot decide {number} undo`.",
    ),
    "taken-back": (
        "It was published as proposal {number} and taken back on the wiki; it is not proposed again.",
        "Set the link on the wiki by hand, if it should stand.",
    ),
    "unreadable": (
        "The text of “{page}” cannot be read safely, so it gets no proposals: {problem}",
        "Mend the markup on the wiki, then run `wikibot fetch` and `wikibot suggest`.",
    ),
    "not-in-set": (
        "“{page}” was read only because other pages link to it; it gets no proposals.",
        'Fetch it as one of your pages, or run `wikibot suggest --page "{page}"`.',
    ),
    "page-disambiguation": (
        "“{page}” is a disambiguation page, which gets no proposals.",
        "If it is an article, take the disambiguation template off the page.",
    ),
    "closed": (
        "“{page}” asks bots to stay away: {exclusion}",
        "The editors of the page can change that.",
    ),
    "edited-just-now": (
        "“{page}” was edited within the last {hours} hours; such pages are left alone.",
        'Wait, lower suggest.quiet_hours, or run `wikibot suggest --page "{page}"`.',
    ),
    "unknown-target": (
        "There is no page “{target}” in the database, so nothing can link to it.{meant}",
        "Check the title, or fetch the page.",
    ),
    "self-link": ("“{page}” would link to itself.", "A page never links to itself."),
    "disambiguation": (
        "“{target}” is a disambiguation page, which is never linked to.",
        "Ask for the page that is meant.",
    ),
    "not-learned": ("“{target}” came to the database after the last look.", _LOOK_AGAIN),
    UNSAFE: (
        "A link on “{anchor}” cannot be written safely: {problem}",
        "Set the link on the wiki by hand.",
    ),
    LINKED: (
        "“{page}” links to “{target}” already, and one link is enough.",
        "With suggest.link_scope = section each section may have a link of its own.",
    ),
    INSIDE_LINK: (
        "“{anchor}” stands only inside a link to “{rival}”.",
        "Change that link on the wiki, if it leads to the wrong page.",
    ),
    SELDOM_LINKED: (
        "{mentions} pages use “{anchor}”, and {links} of them link it to “{target}”: too few for a "
        "candidate.",
        "When more pages link it, `wikibot train` learns so; set this one by hand.",
    ),
    ONLY_HERE: (
        "“{anchor}” links to “{target}” on no other page.",
        "When another page links it, or a redirect has that name, it becomes a candidate.",
    ),
    NO_PLACE: (
        "“{anchor}” stands only where no link may be set: {place}.",
        "Name it in running text.",
    ),
    NO_NAME: (
        "No name of “{target}” stands on “{page}”. Known names, and their forms: {names}.",
        "A redirect to “{target}” with the name that the page uses makes it known.",
    ),
    UNLIKELY: (
        "About {few} in 100 like this are accepted, and {needed} in 100 are asked for.",
        "Lower suggest.min_probability, or ask for this one: "
        '`wikibot suggest --page "{page}" --target "{target}" --min-probability {least}`.',
    ),
    OVERLAP: (
        "“{anchor}” overlaps the place of a more likely link, to “{rival}”.",
        "Reject that one; then `wikibot suggest` proposes this one.",
    ),
    LIMIT: (
        "The page gets at most {room} proposals at a time, and others are more likely.",
        _DECIDE_FIRST + "The number follows the wiki's own links; suggest.per_page and "
        "suggest.words_per_link can lower it.",
    ),
    PARAGRAPH_LIMIT: (
        "The paragraph gets at most {room} proposals at a time, and others are more likely.",
        _DECIDE_FIRST + "Or raise suggest.per_paragraph.",
    ),
    "never-list": (
        "The never-link list forbids it: {entry}.",
        "Take the entry off the list: {where}.",
    ),
    "excluded": (
        "“{page}” has a template or a category that is left alone.",
        "Change suggest.excluded_templates or suggest.excluded_categories.",
    ),
    "excluded-section": (
        "“{anchor}” stands in a section that is left alone.",
        "Change suggest.excluded_sections.",
    ),
}
# Of a rule that has no answer of its own.
SWITCH_OFF = "To allow this on all pages, name the rule in suggest.rules_off: {rule}."

STATES = {
    "pending": PROPOSED,
    "kept": "published",
    "reverted": "taken-back",
    "undone": "taken-back",
}
ENTRIES = {
    "word": "the words “{value}”",
    "target": "links to “{value}”",
    "page": "proposals on “{value}”",
}
LISTS = {
    "review": "under “Never link” on the review page",
    "file": "in the file {name}",
    "wiki": "on the page {name} of the wiki",
}
PLACES = {
    "comment": "in a comment, which nobody sees",
    "excluded section": "in a section of links or notes, which is left alone",
    "template": "inside a template",
    "table": "in a table",
    "caption": "in the caption of a picture",
    "reference": "in a note",
    "heading": "in a heading",
    "category": "in the name of a category",
    "link": "inside a link",
    "external link": "in an address or a link to another site",
    "bold name": "in a name in bold that the page gives itself",
    "quotation": "in a long quotation",
    "tag": "inside a tag",
    "unclosed": "after markup that is not closed",
    "line": "in a line with a layout of its own",
    "variant": "in markup for variants of a language",
    "trail": "in letters that belong to a link",
    "mark": "in markup",
    "markup": "in markup",
}


def patterns() -> list[str]:
    """Every text above, for translators."""
    answers = [text for pair in ANSWERS.values() for text in pair]
    return [*answers, SWITCH_OFF, *ENTRIES.values(), *LISTS.values(), *PLACES.values()]
