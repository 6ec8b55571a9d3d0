"""The API's description in OpenAPI 3.1, served at /v1/openapi.json; tests hold the answers to it."""

from __future__ import annotations

from typing import Any

from wikibot import __version__
from wikibot.api.contract import (
    DEFAULT_RECOMMENDATIONS,
    DEFAULT_THRESHOLD,
    MOST_RECOMMENDATIONS,
)
from wikibot.api.decisions import VERDICTS
from wikibot.api.inputs import MOST_TITLES
from wikibot.store.decisions import REASONS

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
OFFSET: Schema = {"type": "integer", "minimum": 0}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
TITLES: Schema = {"type": "array", "items": TEXT, "maxItems": MOST_TITLES}


def _object(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    """An object with these fields and no others."""
    return {
        "type": "object",
        "properties": required | (optional or {}),
        "required": list(required),
        "additionalProperties": False,
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _said(schema: Schema, text: str) -> Schema:
    return {**schema, "description": text}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _query(name: str, schema: Schema, text: str, *, required: bool = False) -> Schema:
    return {
        "name": name,
        "in": "query",
        "required": required,
        "schema": schema,
        "description": text,
    }


def _path(name: str, text: str) -> Schema:
    return {"name": name, "in": "path", "required": True, "schema": TEXT, "description": text}


def _json(name: str, text: str) -> Schema:
    return {"description": text, "content": {"application/json": {"schema": _ref(name)}}}


ERRORS: Schema = {
    "400": "A field is missing or of the wrong kind.",
    "401": "A token is needed.",
    "403": "This origin or host is not served.",
    "404": "There is no such wiki or page.",
    "413": "The request is too long.",
    "415": "The body is not JSON.",
    "422": "The wikitext cannot be read safely.",
    "429": "Too many requests; Retry-After tells when to go on.",
    "502": "The wiki did not answer.",
    "503": "Nothing was learned yet, too many wait, or it took too long.",
}


def _answers(name: str, text: str, *, status: str = "200") -> Schema:
    errors = {code: _json("Error", said) for code, said in ERRORS.items()}
    return {status: _json(name, text), **errors}


def _body(name: str) -> Schema:
    return {"required": True, "content": {"application/json": {"schema": _ref(name)}}}


LINK = _object(
    {
        "link_text": _said(TEXT, "The words that would carry the link."),
        "link_target": _said(TEXT, "The title of the page that is linked to."),
        "wikitext_offset": _said(
            OFFSET, "Where they stand in the wikitext, in code points from 0."
        ),
        "context_before": _said(TEXT, "A few characters of plain text before; empty after markup."),
        "context_after": _said(TEXT, "A few characters of plain text after; empty before markup."),
        "match_index": _said(OFFSET, "Earlier occurrences of link_text in the page's plain text."),
        "link_index": _said(OFFSET, "The place in this list, which is in the order of the text."),
        "score": _said(SHARE, "How likely a reviewer is to accept the link."),
    },
    {"reasons": _said(_list(TEXT), "Why, in English; not a part of the common contract.")},
)
META = _object(
    {
        "application_version": TEXT,
        "format_version": {"type": "integer"},
        "dataset_checksums": {"type": "object", "additionalProperties": TEXT},
    }
)
SCHEMAS: dict[str, Schema] = {
    "Error": _object(
        {
            "error": _said(TEXT, "What happened, and what was not changed."),
            "code": TEXT,
            "status": {"type": "integer"},
        }
    ),
    "Link": LINK,
    "Meta": META,
    "Page": _object(
        {"wikitext": _said(TEXT, "The page's wikitext.")},
        {
            "pageid": OFFSET,
            "revid": OFFSET,
            "sections_to_exclude": _said(TITLES, "Headings of sections that get no links."),
        },
    ),
    "Recommendation": _object(
        {
            "links": _list(_ref("Link")),
            "links_count": OFFSET,
            "page_title": TEXT,
            "pageid": OFFSET,
            "revid": OFFSET,
            "meta": _ref("Meta"),
        }
    ),
    "Text": _object(
        {"text": _said(TEXT, "Any wikitext, also of a page that is not on the wiki.")},
        {
            "title": _said(TEXT, "What the text is called; it is not linked to itself."),
            "targets": _said(TITLES, "Link to these pages only."),
            "min_probability": SHARE,
            "wiki": _said(TEXT, "The wiki's name, where there are several."),
        },
    ),
    "Links": _object(
        {
            "wiki": TEXT,
            "links": _list(
                _object(
                    {
                        "start": OFFSET,
                        "end": OFFSET,
                        "text": TEXT,
                        "target": TEXT,
                        "probability": _said(SHARE, "How likely a reviewer is to accept it."),
                        "reasons": _list(TEXT),
                    }
                )
            ),
            "text": _said(TEXT, "The text with the links in it."),
        }
    ),
    "Anchors": _object(
        {
            "source": TEXT,
            "target": TEXT,
            "anchors": {
                "type": "object",
                "description": "By model: the linker's places, and CRTM's words.",
                "additionalProperties": _list(_object({"text": TEXT, "score": {"type": "number"}})),
            },
        }
    ),
    "Dismissal": _object(
        {"page": TEXT, "target": TEXT, "verdict": {"type": "string", "enum": list(VERDICTS)}},
        {
            "user": _said(TEXT, "Who decides; with a token it is the token's user."),
            "reason": {"type": "string", "enum": ["", *REASONS]},
            "wiki": TEXT,
            "wikitext": _said(TEXT, "The text in which the link was seen, if it is not saved yet."),
        },
    ),
    "Decision": _object({"decision": {"type": "integer"}, "page": TEXT, "target": TEXT}),
    "Health": _object({"version": TEXT, "wikis": OFFSET}),
}

PAGE_PARAMETERS = [
    _path("project", "The project, such as wikipedia."),
    _path("domain", 'The wiki: its language or its id without "wiki".'),
    _path("title", "The page's title."),
    _query("threshold", SHARE | {"default": DEFAULT_THRESHOLD}, "The least score."),
    _query(
        "max_recommendations",
        OFFSET | {"maximum": MOST_RECOMMENDATIONS, "default": DEFAULT_RECOMMENDATIONS},
        "The best so many links.",
    ),
    _query("language_code", TEXT, "Accepted and not used: the wiki's own language is known."),
]
ONE_WIKI = _query("wiki", TEXT, "The wiki's name, where there are several.")


def _for_a_page() -> Schema:
    """Links for a page that the wiki has or is about to have."""
    recommended = _answers("Recommendation", "The page's links.")
    excluded = _query("sections_to_exclude", TITLES, "Sections that get no links.")
    return {
        "parameters": PAGE_PARAMETERS,
        "post": {
            "summary": "Links for the wikitext of a page.",
            "requestBody": _body("Page"),
            "responses": recommended,
        },
        "get": {
            "summary": "Links for a page as it is on the wiki.",
            "parameters": [excluded],
            "responses": recommended,
        },
    }


def _for_a_text() -> Schema:
    return {
        "post": {
            "summary": "Links for any text.",
            "requestBody": _body("Text"),
            "responses": _answers("Links", "The text's links, in its order."),
        }
    }


def _for_a_pair() -> Schema:
    return {
        "get": {
            "summary": "The best words of one page for a link to another.",
            "parameters": [
                _query("source", TEXT, "The page that would link.", required=True),
                _query("target", TEXT, "The page that is linked to.", required=True),
                _query("most", OFFSET | {"maximum": 100, "default": 5}, "Words per model."),
                ONE_WIKI,
            ],
            "responses": _answers("Anchors", "Words with scores, the best first."),
        }
    }


def _for_a_decision() -> Schema:
    return {
        "post": {
            "summary": "Dismiss a proposed link, for good or for now.",
            "requestBody": _body("Dismissal"),
            "responses": {
                **_answers("Decision", "It is kept.", status="201"),
                "409": _json(
                    "Error", "Somebody has decided it, or what is to be skipped is not proposed."
                ),
            },
        }
    }


def _for_health() -> Schema:
    answers = {"200": _json("Health", "It does.")}
    return {"get": {"summary": "Does the API answer?", "responses": answers}}


def description(server: str) -> dict[str, Any]:
    """The whole description, for the server at this address."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "wikibot",
            "version": __version__,
            "description": "Missing links of a wiki's pages, as its own links teach them.",
        },
        "servers": [{"url": server}],
        "security": [{}, {"token": []}],
        "paths": {
            "/v1/linkrecommendations/{project}/{domain}/{title}": _for_a_page(),
            "/v1/links": _for_a_text(),
            "/v1/anchors": _for_a_pair(),
            "/v1/decisions": _for_a_decision(),
            "/v1/health": _for_health(),
        },
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
