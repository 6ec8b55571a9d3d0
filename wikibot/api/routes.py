"""The routes: each reads a request, calls one function and answers JSON."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, g, request, send_file
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from wikibot import __version__
from wikibot.anchors import anchors_by
from wikibot.api import access, contract, inputs
from wikibot.api.decisions import Dismissal, keep_decision
from wikibot.api.errors import ApiError, say_http, say_why
from wikibot.api.live_page import stored_or_live
from wikibot.api.openapi import description
from wikibot.api.service import service
from wikibot.errors import WikibotError
from wikibot.linker.policy import Policy
from wikibot.linkers import OpenLinker
from wikibot.wikitext import read_page

GADGET = Path(__file__).parent / "gadget.js"
PAGE = "/v1/linkrecommendations/<project>/<domain>/<path:title>"

blueprint = Blueprint("api", __name__)


@blueprint.before_app_request
def _refuse() -> None:
    """Who may not ask, asks too often or says too much is told so."""
    request.max_content_length = service().largest_request_bytes
    if (request.content_length or 0) > request.max_content_length:
        raise RequestEntityTooLarge
    access.refuse_foreign_origins(service().origins)
    access.refuse_without_token(service().tokens)
    wait_s = service().rate.wait_s(g.api_user or request.remote_addr or "")
    if wait_s:
        raise ApiError(
            429, "too-many", "You have sent too many requests. Nothing was changed; try later.",
            retry_after_s=wait_s,
        )  # fmt: skip


@blueprint.after_app_request
def _allow(answer: Response) -> Response:
    return access.allow_origin(answer, service().origins)


@blueprint.app_errorhandler(WikibotError)
def _say_why(error: WikibotError) -> Any:
    return say_why(error)


@blueprint.app_errorhandler(HTTPException)
def _say_http(error: HTTPException) -> Any:
    return say_http(error)


@blueprint.post(PAGE)
def recommend(project: str, domain: str, title: str) -> dict[str, Any]:
    """Links for the wikitext of a page."""
    fields = inputs.body()
    return _recommendation(
        project, domain, inputs.title(title), inputs.text(fields, "wikitext"),
        page_id=inputs.number_of(fields, "pageid"), revision_id=inputs.number_of(fields, "revid"),
        sections=inputs.titles(fields, "sections_to_exclude"),
    )  # fmt: skip


@blueprint.get(PAGE)
def recommend_for_live_page(project: str, domain: str, title: str) -> dict[str, Any]:
    """Links for a page as it is on the wiki, or in the database where the wiki has no address."""
    wiki, until = service().wiki_of(project, domain), service().calls.deadline()
    page = stored_or_live(
        service().store, wiki, inputs.title(title), service().turns, service().calls, until
    )
    return _recommendation(
        project, domain, page.title, page.text or "",
        page_id=page.page_id, revision_id=page.revision_id,
        sections=tuple(request.args.getlist("sections_to_exclude")), until=until,
    )  # fmt: skip


def _recommendation(
    project: str,
    domain: str,
    title: str,
    wikitext: str,
    *,
    page_id: int,
    revision_id: int,
    sections: tuple[str, ...],
    until: float | None = None,
) -> dict[str, Any]:
    threshold = inputs.share(request.args.get("threshold"), "threshold", contract.DEFAULT_THRESHOLD)
    most = inputs.count(
        request.args.get("max_recommendations"), "max_recommendations",
        contract.DEFAULT_RECOMMENDATIONS, most=contract.MOST_RECOMMENDATIONS,
    )  # fmt: skip
    found = service().linkers.of(service().wiki_of(project, domain))
    policy = _policy(found, title, threshold, sections)

    def answer() -> dict[str, Any]:
        page = read_page(wikitext, found.linker.rules, title)
        best = found.linker.propose_for_page(page, policy)[:most]
        return contract.recommendation(
            page, best, title=title, page_id=page_id, revision_id=revision_id,
            checksums=found.checksums,
        )  # fmt: skip

    return service().calls.call(answer, until)


def _policy(found: OpenLinker, title: str, threshold: float, sections: tuple[str, ...]) -> Policy:
    """The policy for a page of the wiki, with more sections that are left alone."""
    policy = service().linkers.policy_for(found, title).asking(threshold)
    left_alone = frozenset(name.strip().lower() for name in sections)
    return replace(policy, excluded_sections=policy.excluded_sections | left_alone)


@blueprint.post("/v1/links")
def links() -> dict[str, Any]:
    """Links for any text, to any page or to the named ones."""
    fields = inputs.body()
    text, title = inputs.text(fields, "text"), inputs.text(fields, "title", "").strip()
    targets = inputs.titles(fields, "targets")
    found = _linker(inputs.text(fields, "wiki", ""))
    linker = found.linker
    if fields.get("min_probability") is not None:
        least = inputs.share(fields["min_probability"], "min_probability", 0)
        linker = linker.with_policy(linker.policy.asking(least))

    def answer() -> dict[str, Any]:
        best = sorted(linker.propose(text, title=title, targets=targets), key=lambda p: p.start)
        return {
            "wiki": found.wiki.name,
            "links": [contract.plain_link(text, proposal) for proposal in best],
            "text": linker.with_links(text, best),
        }

    return service().calls.call(answer)


@blueprint.get("/v1/anchors")
def anchors() -> dict[str, Any]:
    """The best words of one page for a link to another, by the linker and by CRTM."""
    source = inputs.title(request.args.get("source", ""), "source")
    target = inputs.title(request.args.get("target", ""), "target")
    most = inputs.count(request.args.get("most"), "most", 5, most=100)
    found, linkers = _linker(request.args.get("wiki")), service().linkers
    models, crtm = found.linker.models, linkers.crtm(found)  # to load it is not the caller's time

    def answer() -> dict[str, Any]:
        best = anchors_by(linkers.store, found.wiki, models, crtm, source, target, most=most)
        ranked = {
            name: [{"text": words, "score": score} for words, score in some]
            for name, some in best.models.items()
        }
        return {"source": best.source, "target": best.target, "anchors": ranked}

    return service().calls.call(answer)


def _linker(wiki: str | None) -> OpenLinker:
    return service().linkers.of(service().wiki(wiki))


@blueprint.post("/v1/decisions")
def decide() -> tuple[dict[str, Any], int]:
    """A decision about a proposed link, by a person who saw it elsewhere than on the review page."""
    fields = inputs.body()
    page = inputs.title(inputs.text(fields, "page"), "page")
    target = inputs.title(inputs.text(fields, "target"), "target")
    said = Dismissal(
        page, target, g.api_user or inputs.text(fields, "user", "").strip(),
        inputs.text(fields, "verdict"), inputs.text(fields, "reason", ""),
        inputs.text(fields, "wikitext", ""),
    )  # fmt: skip
    found = _linker(inputs.text(fields, "wiki", ""))
    number = keep_decision(service().store, service().calls, found, said)
    return {"decision": number, "page": page, "target": target}, 201


@blueprint.get("/v1/openapi.json")
def openapi() -> dict[str, Any]:
    """The description of all this."""
    return description(request.host_url.rstrip("/"))


@blueprint.get("/v1/health")
def health() -> dict[str, Any]:
    """That we answer, and for which wikis."""
    return {"version": __version__, "wikis": len(service().linkers.wikis())}


@blueprint.get("/gadget.js")
def gadget() -> Response:
    """The user script for the wiki."""
    return send_file(GADGET, mimetype="text/javascript", max_age=300)
