"""One page read once: its links, its prose, its sentences, and what it says about itself."""

from __future__ import annotations

import bisect
import functools
import html
import re
from dataclasses import dataclass

from wikibot.wikitext import parse as markup
from wikibot.wikitext.admit import admit, admit_cost
from wikibot.wikitext.edit import anchor_problem
from wikibot.wikitext.links import Covered, WikiLink, find_links
from wikibot.wikitext.rules import CATEGORY, SiteRules
from wikibot.wikitext.scanner import Heading, Scan, scan
from wikibot.wikitext.sentences import (
    Piece,
    Sentence,
    Visible,
    Word,
    find_words,
    split_sentences,
)
from wikibot.wikitext.spans import (
    Disagreement,
    Range,
    Span,
    excluded_sections,
    find_disagreements,
    find_spans,
    merge,
    subtract,
)
from wikibot.wikitext.titles import Title, first_upper, normalise_title

# What keeps a link from a place, the outermost first.
OBSTACLES = (
    "comment", "excluded section", "template", "table", "caption", "reference", "heading", "category",
    "link", "external link", "bold name", "quotation", "tag", "unclosed", "line", "variant", "trail",
    "mark",
)  # fmt: skip
# Where the scanner sees these, the parser's text is no prose: it missed their opening or close.
_UNSEEN = frozenset(("comment", "tag", "template", "table"))
_LINKED = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_REDIRECT_LINK = re.compile(r"\s*(?::\s*)?\[\[([^\[\]|\n]+)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Template:
    """`{{name|...}}` at text[start:end], with its parameters' raw text."""

    name: str
    start: int
    end: int
    arguments: str


class PageText:
    """What can be known of a page from its text alone; parts are worked out when asked for."""

    def __init__(
        self, text: str, site: SiteRules, title: str | None, marks: markup.Markup, scanned: Scan
    ) -> None:
        self.text, self.site, self.title = text, site, title
        self._marks, self._scan = marks, scanned

    @functools.cached_property
    def redirect_target(self) -> Title | None:
        """Where the page redirects to, if it is a redirect."""
        return redirect_target(self.text, self.site)

    @functools.cached_property
    def links(self) -> list[WikiLink]:
        """Every internal link, in order, those in prose with their sentence."""
        return find_links(
            self.text,
            self.site,
            self._marks.nodes,
            page=self.title,
            zones=self._scan.zones,
            sentence_of=self._sentence_range,
        )

    @property
    def nodes(self) -> list[markup.Node]:
        """Every piece of markup the parser sees, in order."""
        return self._marks.nodes

    @property
    def leaves(self) -> list[markup.Leaf]:
        """Every run of text the parser sees outside templates and comments, in order."""
        return self._marks.leaves

    @property
    def sections(self) -> list[Heading]:
        """The headings, in order."""
        return self._scan.headings

    @property
    def lead_end(self) -> int:
        """Where the first heading starts, or the end of the text."""
        return self._scan.headings[0].start if self._scan.headings else len(self.text)

    @functools.cached_property
    def spans(self) -> list[Span]:
        """Where a link may stand, in order; none on a redirect."""
        if self.redirect_target:
            return []
        return find_spans(self.text, self.site, self._marks, self._scan)

    @functools.cached_property
    def disagreements(self) -> list[Disagreement]:
        """Where parser and scanner read the text differently; no link is offered there."""
        return find_disagreements(self.text, self.site, self._marks, self._scan)

    def allows(self, start: int, end: int) -> bool:
        """May text[start:end] become a link: in a span, whole words, no letter swallowed after it?"""
        index = bisect.bisect_right(self._span_starts, start) - 1
        if index < 0 or self.spans[index].end < end or end <= start:
            return False
        return anchor_problem(self.text, start, end, self.site) is None

    @functools.cached_property
    def _span_starts(self) -> list[int]:
        return [span.start for span in self.spans]

    def obstacle(self, offset: int) -> str:
        """Why no link may stand at this place: one of OBSTACLES; "" where the scanner sees none."""
        found = {zone.reason for zone in self._scan.zones if zone.start <= offset < zone.end}
        if self.is_excluded(offset):
            found.add("excluded section")
        for link in self.links:
            if link.start <= offset < link.end and not link.is_shown:
                found.add("category" if link.namespace == CATEGORY else "caption")
        for node in self._marks.nodes:
            if node.kind == markup.TAG and node.name == "ref" and node.start <= offset < node.end:
                found.add("reference")
        return next((name for name in OBSTACLES if name in found), "")

    def is_excluded(self, offset: int) -> bool:
        """Does this place belong to a section that is left alone because of its name?"""
        return any(start <= offset < end for start, end in self._excluded)

    @functools.cached_property
    def _excluded(self) -> list[Range]:
        return list(excluded_sections(self.site, self.sections, len(self.text)))

    def is_linked(self, title: str, at: int) -> bool:
        """Does the running text link there already, as far as one link is enough?

        A list of links such as See also does not count.
        """
        return any(
            self.is_in_reach(link.start, at)
            for link in self.links
            if link.target == title and link.in_prose and not self.is_excluded(link.start)
        )

    def is_in_reach(self, one: int, other: int) -> bool:
        """Is one link enough for both places: on one page, or in one section, by the scope?"""
        return self.site.link_scope == "page" or self._section(one) == self._section(other)

    def _section(self, offset: int) -> int:
        """The number of the section that holds this place; the lead is 0."""
        return bisect.bisect_right(self.sections, offset, key=lambda heading: heading.start)

    @functools.cached_property
    def quoted(self) -> list[Range]:
        """The ranges between quotation marks, in order."""
        return merge(self._scan.quoted)

    def is_quoted(self, start: int, end: int) -> bool:
        """Does text[start:end] stand between quotation marks?"""
        return any(a <= start and end <= b for a, b in self._scan.quoted)

    @functools.cached_property
    def visible(self) -> Visible:
        """The prose as a reader sees it: top-level text and the text of links in it."""
        hidden = [(z.start, z.end) for z in self._scan.zones if z.reason in _UNSEEN]
        return Visible(self.text, _visible_pieces(self.text, self.site, self._marks, merge(hidden)))

    @functools.cached_property
    def sentences(self) -> list[Sentence]:
        """The sentences of the prose, in order."""
        return split_sentences(self.visible, self.site.language)

    def sentence_at(self, offset: int) -> Sentence | None:
        """The sentence that holds this place of the wikitext, if it is in prose."""
        index = bisect.bisect_right(self._sentence_starts, offset) - 1
        if index >= 0 and offset < self.sentences[index].end:
            return self.sentences[index]
        return None

    @functools.cached_property
    def _sentence_starts(self) -> list[int]:
        return [sentence.start for sentence in self.sentences]

    def _sentence_range(self, start: int, end: int) -> tuple[int, int]:
        """The sentence around a link; "[[X|St. James]]" is in one though it looks like two."""
        first = self.sentence_at(start)
        if first is None:
            return -1, -1
        last = self.sentence_at(end - len("]]") - 1) or first
        return first.start, max(first.end, last.end, end)

    def words(self, span: Span) -> list[Word]:
        """The words of a span, with offsets in the wikitext."""
        return find_words(self.text[span.start : span.end], self.site.language, start=span.start)

    @functools.cached_property
    def categories(self) -> list[str]:
        """The titles of the categories the page puts itself in, as written here."""
        return [
            link.target
            for link in self.links
            if link.namespace == CATEGORY and not link.is_shown and link.place != "comment"
        ]

    @functools.cached_property
    def templates(self) -> list[Template]:
        """Every template call, nested ones included, in order."""
        return [
            Template(
                _template_name(node.name, self.site),
                node.start,
                node.end,
                self.text[node.inner : node.inner_end] if node.inner >= 0 else "",
            )
            for node in self._marks.nodes
            if node.kind == markup.TEMPLATE
        ]

    @property
    def is_disambiguation(self) -> bool:
        """Does the page say that it is a disambiguation page?"""
        return "__DISAMBIG__" in self.text or any(
            self.site.is_disambiguation_template(template.name) for template in self.templates
        )

    @functools.cached_property
    def bold_names(self) -> list[str]:
        """The names in bold in the lead: the page's own title and its variants."""
        names = []
        for node in self._marks.nodes:
            if node.start >= self.lead_end:
                break
            if node.kind == markup.TAG and node.name == "b" and not node.where & ~markup.STYLE:
                inner = self.text[node.inner : node.inner_end]
                names.append(_LINKED.sub(r"\1", inner).replace("''", "").strip())
        return [name for name in names if name]

    @functools.cached_property
    def first_sentence(self) -> str:
        """The sentence that introduces the page, as a reader sees it; "" where there is none.

        It is the first of the lead with one of the page's bold names in it, else the first.
        """
        lead = [s for s in self.sentences if s.start < self.lead_end]
        named = (s.text for s in lead if "'''" in self.text[s.start : s.end])
        return next(named, lead[0].text if lead else "")

    def exclusion(self, user: str = "") -> str | None:
        """The {{bots}}, {{nobots}} or {{in use}}, anywhere on the page, that keeps `user` away."""
        said = (t for t in self.templates if _forbids(t, user))
        return next((self.text[t.start : t.end] for t in said), None)

    def forbids_bots(self, user: str = "") -> bool:
        """Does the page ask the bot `user` to stay away?"""
        return self.exclusion(user) is not None


def read_page(text: str, site: SiteRules, title: str | None = None) -> PageText:
    """The page, parsed once; raises BadWikitext where it cannot be read safely."""
    admit(text)
    scanned = scan(text, site)
    admit_cost(scanned.parse_cost)
    return PageText(text, site, title, markup.parse(text, site), scanned)


def redirect_target(text: str, site: SiteRules) -> Title | None:
    """The target of a redirect page's text, without parsing the page."""
    start = text.lstrip()
    if not start.startswith(("#", "＃")):
        return None
    for word in site.redirect_words:
        if start[: len(word)].lower() == word.lower():
            found = _REDIRECT_LINK.match(start, len(word))
            return normalise_title(found[1], site) if found else None
    return None


def _template_name(raw: str, site: SiteRules) -> str:
    if "<!--" in raw:
        raw = _COMMENT.sub("", raw)
    if raw.startswith("#"):
        return raw.partition(":")[0].lower()
    name = normalise_title(raw, site).text
    prefix = site.namespace_names.get(10, "Template") + ":"
    return first_upper(name.removeprefix(prefix))


def _visible_pieces(
    text: str, site: SiteRules, marks: markup.Markup, hidden: list[Range]
) -> list[Piece]:
    """What a reader sees of the prose, piece by piece, with its place in the wikitext."""
    prose = ((leaf.start, leaf.end) for leaf in marks.leaves if not leaf.where & ~markup.STYLE)
    pieces = [(start, end, text[start:end]) for start, end in subtract(prose, hidden)]
    unseen = Covered(hidden)
    for node in marks.nodes:
        if node.where & ~markup.STYLE or unseen.holds(node.start):
            continue
        if node.kind == markup.ENTITY:
            pieces.append((node.start, node.end, html.unescape(text[node.start : node.end])))
        elif node.kind == markup.LINK and _is_shown(node.name, site):
            start = node.inner if node.inner >= 0 else node.start + 2
            pieces.append((start, node.inner_end, _display(text[start : node.inner_end])))
    pieces.sort()
    return pieces


def _display(link: str) -> str:
    """The display text of a link without the quotes that style it; no character moves."""
    return link.replace("''", "  ") if "''" in link else link


def _is_shown(target: str, site: SiteRules) -> bool:
    if ":" not in target or target.lstrip().startswith(":"):
        return True
    title = normalise_title(target, site)
    return title.namespace not in (6, 14) and not title.interwiki


def _forbids(template: Template, user: str) -> bool:
    name = template.name.lower()
    if name in ("nobots", "in use", "inuse"):
        return True
    if name != "bots":
        return False
    given = (part.partition("=") for part in template.arguments.split("|"))
    values = {
        key.strip().lower(): {v.strip().lower() for v in value.split(",")}
        for key, _, value in given
    }
    me = user.strip().lower()
    denied = values.get("deny", set()) | values.get("optout", set())
    if "all" in denied or (me and me in denied):
        return True
    allowed = values.get("allow")
    return allowed is not None and "all" not in allowed and me not in allowed
