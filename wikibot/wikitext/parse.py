"""Where each piece of markup starts and ends, by mwparserfromhell's own tokens.

The tokenizer is the whole of mwparserfromhell's judgement and a third of its cost; the tree of
nodes built from the tokens is the rest. The tokens are walked here instead, adding up the exact
characters each of them stands for and comparing every one with the text: a walk that ends at the
end of the text is the proof of the round trip. See docs/decisions/0010-tokens-not-trees.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from mwparserfromhell.parser import Parser, ParserError, tokens

from wikibot.errors import BadWikitext
from wikibot.message import message
from wikibot.wikitext.rules import FILE, SiteRules
from wikibot.wikitext.titles import normalise_title

# Where a piece of text stands; a leaf with no bits but those of STYLE is prose.
ITALIC, BOLD, LINK, CAPTION, TEMPLATE, TABLE, CELL, TAG, HEADING, EXTERNAL, COMMENT, ENTITY = (
    1 << i for i in range(12)
)
STYLE = ITALIC | BOLD

# Tags that only dress the prose inside them.
PLAIN_TAGS = frozenset(("b", "i", "u", "em", "strong", "small", "big", "p", "center"))
_STYLE_OF_TAG = {"i": ITALIC, "em": ITALIC, "b": BOLD, "strong": BOLD}
_CELL_TAGS = frozenset(("td", "th"))


class Leaf(NamedTuple):
    """A run of characters that the parser takes for text, and the markup it stands in."""

    start: int
    end: int
    where: int


class Node(NamedTuple):
    """A link, template, tag, heading, comment or external link: exactly text[start:end].

    `inner` is where its content starts (after the first pipe, or the opening tag), `inner_end`
    where it ends; `where` is the markup around it.
    """

    kind: int
    start: int
    end: int
    where: int
    inner: int = -1
    inner_end: int = -1
    name: str = ""


@dataclass(frozen=True, slots=True)
class Markup:
    """The parser's reading of a page, in order of the text."""

    leaves: list[Leaf]
    nodes: list[Node]


class _Frame:
    """An element that has been opened and not yet closed."""

    __slots__ = (
        *("kind", "start", "where", "inner", "inner_end", "name", "close"),
        *("brackets", "quote", "padding"),
    )

    def __init__(self, kind: int, start: int, where: int) -> None:
        self.kind, self.start, self.where = kind, start, where
        self.inner, self.inner_end = -1, -1
        self.name, self.close, self.brackets = "", "", True
        # Of the attribute being read: its quote, and the white space around its equals sign.
        self.quote, self.padding = "", ("", "")


def parse(text: str, site: SiteRules) -> Markup:
    """The markup of `text`, every offset proved against it.

    Raises BadWikitext where the parser gives up or its tokens are not the text.
    """
    return _Walk(text, site).run(tokenize(text))


def tokenize(text: str) -> list[Any]:
    """mwparserfromhell's tokens for `text`."""
    try:
        # The tokenizer is what Parser would use: C where it is built, else Python.
        found: list[Any] = Parser()._tokenizer.tokenize(text)
    except (ParserError, RecursionError) as error:
        raise BadWikitext(message("wikitext-parser-gave-up", error)) from error
    return found


class _Walk:
    """One pass over the tokens; `_at` is the offset reached."""

    def __init__(self, text: str, site: SiteRules) -> None:
        self._text, self._site = text, site
        self._at, self._where = 0, 0
        self._frames: list[_Frame] = []
        self._leaves: list[Leaf] = []
        self._nodes: list[Node] = []
        self._naming = False  # the next text is the name of a tag

    def run(self, found: list[Any]) -> Markup:
        for token in found:
            _HANDLERS[type(token)](self, token)
        if self._at != len(self._text) or self._frames:
            self._fail()
        self._nodes.sort(key=lambda node: node.start)
        return Markup(self._leaves, self._nodes)

    def _fail(self) -> None:
        raise BadWikitext(message("wikitext-parser-differs", self._at))

    def _eat(self, literal: str) -> None:
        if not self._text.startswith(literal, self._at):
            self._fail()
        self._at += len(literal)

    def _open(self, kind: int, where: int) -> _Frame:
        frame = _Frame(kind, self._at, self._where)
        self._frames.append(frame)
        self._where |= where
        return frame

    def _close(self, inner_end: int) -> _Frame:
        frame = self._frames.pop()
        self._where = frame.where
        self._nodes.append(
            Node(frame.kind, frame.start, self._at, frame.where, frame.inner, inner_end, frame.name)
        )
        return frame

    def _text_token(self, token: Any) -> None:
        literal = token["text"]
        if self._naming:
            self._tag_name(literal)
            return
        start = self._at
        if not self._text.startswith(literal, start):
            self._fail()
        self._at = end = start + len(literal)
        if not self._where & (TEMPLATE | COMMENT):
            self._leaves.append(Leaf(start, end, self._where))

    def _template_open(self, token: Any) -> None:
        self._open(TEMPLATE, TEMPLATE)
        self._eat("{{")

    def _template_separator(self, token: Any) -> None:
        frame = self._frames[-1]
        if frame.inner < 0:
            frame.name = self._text[frame.start + 2 : self._at].strip()
            frame.inner = self._at + 1
        self._eat("|")

    def _template_close(self, token: Any) -> None:
        end, frame = self._at, self._frames[-1]
        frame.name = frame.name or self._text[frame.start + 2 : end].strip()
        self._eat("}}")
        self._close(end)

    def _argument_open(self, token: Any) -> None:
        self._open(TEMPLATE, TEMPLATE)
        self._eat("{{{")

    def _argument_close(self, token: Any) -> None:
        end = self._at
        self._eat("}}}")
        self._close(end)

    def _bar(self, token: Any) -> None:
        self._eat("|")

    def _equals(self, token: Any) -> None:
        self._eat("=")

    def _link_open(self, token: Any) -> None:
        self._open(LINK, LINK)
        self._eat("[[")

    def _link_separator(self, token: Any) -> None:
        frame = self._frames[-1]
        frame.name = self._text[frame.start + 2 : self._at]
        self._eat("|")
        frame.inner = self._at
        if ":" in frame.name and normalise_title(frame.name, self._site).namespace == FILE:
            self._where = frame.where | CAPTION

    def _link_close(self, token: Any) -> None:
        end, frame = self._at, self._frames[-1]
        if frame.inner < 0:
            frame.name = self._text[frame.start + 2 : end]
        self._eat("]]")
        self._close(end)

    def _external_open(self, token: Any) -> None:
        frame = self._open(EXTERNAL, EXTERNAL)
        frame.brackets = bool(token["brackets"])
        self._eat("[" if frame.brackets else "")

    def _external_separator(self, token: Any) -> None:
        self._eat("" if token.get("suppress_space") else " ")
        self._frames[-1].inner = self._at

    def _external_close(self, token: Any) -> None:
        end = self._at
        self._eat("]" if self._frames[-1].brackets else "")
        self._close(end)

    def _entity_start(self, token: Any) -> None:
        self._open(ENTITY, ENTITY)
        self._eat("&")

    def _entity_numeric(self, token: Any) -> None:
        self._eat("#")

    def _entity_hex(self, token: Any) -> None:
        self._eat(token["char"])

    def _entity_end(self, token: Any) -> None:
        self._eat(";")
        self._close(self._at)

    def _heading_start(self, token: Any) -> None:
        frame = self._open(HEADING, HEADING)
        frame.close = "=" * token["level"]
        self._eat(frame.close)
        frame.inner = self._at

    def _heading_end(self, token: Any) -> None:
        end, frame = self._at, self._frames[-1]
        frame.name = frame.close
        self._eat(frame.close)
        self._close(end)

    def _comment_start(self, token: Any) -> None:
        self._open(COMMENT, COMMENT)
        self._eat("<!--")

    def _comment_end(self, token: Any) -> None:
        end = self._at
        self._eat("-->")
        self._close(end)

    def _tag_open(self, token: Any) -> None:
        frame = self._open(TAG, TAG)
        wiki = token.get("wiki_markup")
        frame.close = wiki or ""
        frame.brackets = not wiki
        self._eat(wiki or ("</" if token.get("invalid") else "<"))
        self._naming = True

    def _tag_name(self, literal: str) -> None:
        frame = self._frames[-1]
        self._naming = False
        if frame.brackets:
            self._eat(literal)
        frame.name = frame.name or literal.strip().lower()

    def _attribute_start(self, token: Any) -> None:
        self._end_attribute()
        self._naming = False
        frame = self._frames[-1]
        self._eat(token.get("pad_first") or "")
        frame.padding = token.get("pad_before_eq") or "", token.get("pad_after_eq") or ""

    def _attribute_equals(self, token: Any) -> None:
        frame = self._frames[-1]
        self._eat("=".join(frame.padding))
        frame.padding = ("", "")

    def _attribute_quote(self, token: Any) -> None:
        self._frames[-1].quote = token["char"]
        self._eat(token["char"])

    def _end_attribute(self) -> None:
        """The closing quote of an attribute, or the padding after one without a value."""
        frame = self._frames[-1]
        self._eat(frame.quote or frame.padding[0])
        frame.quote, frame.padding = "", ("", "")

    def _tag_content(self, token: Any) -> None:
        self._end_attribute()
        frame = self._frames[-1]
        self._eat(token.get("padding") or "")
        self._eat(">" if frame.brackets else token.get("wiki_markup") or "")
        frame.inner = self._at
        self._where = frame.where | _inside(frame.name)

    def _tag_close_open(self, token: Any) -> None:
        frame = self._frames[-1]
        frame.inner_end = self._at
        self._where = frame.where | TAG
        self._naming = True
        if frame.brackets:
            self._eat("</")
        elif token.get("wiki_markup") is not None:
            frame.close = token["wiki_markup"]

    def _tag_close(self, token: Any) -> None:
        frame = self._frames[-1]
        self._eat(">" if frame.brackets else frame.close)
        self._close(frame.inner_end)

    def _tag_self_close(self, token: Any) -> None:
        self._end_attribute()
        self._naming = False
        frame = self._frames[-1]
        self._eat(token.get("padding") or "")
        if frame.brackets:
            self._eat(">" if token.get("implicit") else "/>")
        self._close(-1)


def _inside(tag: str) -> int:
    """What it means for a text to stand inside this tag."""
    if tag in _STYLE_OF_TAG:
        return _STYLE_OF_TAG[tag]
    if tag in PLAIN_TAGS:
        return 0
    if tag in _CELL_TAGS:
        return CELL
    return TABLE if tag in ("table", "tr") else TAG


_HANDLERS: dict[type, Callable[[_Walk, Any], None]] = {
    tokens.Text: _Walk._text_token,
    tokens.TemplateOpen: _Walk._template_open,
    tokens.TemplateParamSeparator: _Walk._template_separator,
    tokens.TemplateParamEquals: _Walk._equals,
    tokens.TemplateClose: _Walk._template_close,
    tokens.ArgumentOpen: _Walk._argument_open,
    tokens.ArgumentSeparator: _Walk._bar,
    tokens.ArgumentClose: _Walk._argument_close,
    tokens.WikilinkOpen: _Walk._link_open,
    tokens.WikilinkSeparator: _Walk._link_separator,
    tokens.WikilinkClose: _Walk._link_close,
    tokens.ExternalLinkOpen: _Walk._external_open,
    tokens.ExternalLinkSeparator: _Walk._external_separator,
    tokens.ExternalLinkClose: _Walk._external_close,
    tokens.HTMLEntityStart: _Walk._entity_start,
    tokens.HTMLEntityNumeric: _Walk._entity_numeric,
    tokens.HTMLEntityHex: _Walk._entity_hex,
    tokens.HTMLEntityEnd: _Walk._entity_end,
    tokens.HeadingStart: _Walk._heading_start,
    tokens.HeadingEnd: _Walk._heading_end,
    tokens.CommentStart: _Walk._comment_start,
    tokens.CommentEnd: _Walk._comment_end,
    tokens.TagOpenOpen: _Walk._tag_open,
    tokens.TagAttrStart: _Walk._attribute_start,
    tokens.TagAttrEquals: _Walk._attribute_equals,
    tokens.TagAttrQuote: _Walk._attribute_quote,
    tokens.TagCloseOpen: _Walk._tag_content,
    tokens.TagOpenClose: _Walk._tag_close_open,
    tokens.TagCloseClose: _Walk._tag_close,
    tokens.TagCloseSelfclose: _Walk._tag_self_close,
}
