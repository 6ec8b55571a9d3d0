"""The application: what happens to a request before and after its view."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

from flask import Flask, render_template
from werkzeug.exceptions import HTTPException

from wikibot.errors import AccountRefused, AlreadyDecided, WikibotError, WikiUnavailable
from wikibot.excerpt import Piece
from wikibot.web import (
    admin_view,
    article_view,
    auth,
    forms,
    headers,
    health_view,
    hosts,
    i18n,
    ideas_view,
    inputs,
    labels,
    login_view,
    metrics_view,
    never_view,
    page_view,
    publish_view,
    queue_view,
    read_view,
    review_view,
    statistics_view,
    team_view,
    visits,
    why_view,
)
from wikibot.web.i18n import msg
from wikibot.web.review_app import ReviewApp, WebApp
from wikibot.web.team_app import TeamApp

Gate = Callable[[], Any]  # ends a request that may not go on

# Forms are short; nobody has a reason to send more.
MAX_FORM_BYTES = 64 * 1024


VIEWS = (
    review_view,
    queue_view,
    page_view,
    article_view,
    statistics_view,
    never_view,
    ideas_view,
    read_view,
    team_view,
    why_view,
    publish_view,
)


TEAM_VIEWS = (*VIEWS, login_view, health_view, admin_view, metrics_view)


def create_app(review_app: ReviewApp) -> Flask:
    """The review page of one reviewer; every route asks for the token."""
    return _application(review_app, auth.ask_for_token, VIEWS)


def create_team_app(team: TeamApp) -> Flask:
    """The same pages for a team; every route asks who it is and what they may do."""
    app = _application(team, visits.ask_for_login, TEAM_VIEWS)
    count_and_encrypt(app, team)
    return app


def count_and_encrypt(app: Flask, team: TeamApp) -> None:
    """Every answer is counted, and says that the service is asked with TLS only."""
    app.before_request_funcs.setdefault(None, []).insert(0, team.counts.begin)
    app.after_request(team.counts.end)
    if team.is_encrypted:
        app.after_request(headers.insist_on_encryption)


def _application(given: WebApp, gate: Gate, views: Sequence[Any]) -> Flask:
    app = Flask(__name__)
    app.extensions["wikibot"] = given
    app.config["MAX_CONTENT_LENGTH"] = MAX_FORM_BYTES
    app.url_map.converters["int"] = inputs.RowNumberConverter
    app.before_request(hosts.refuse_foreign_hosts)
    app.before_request(inputs.refuse_unstorable_text)
    app.before_request(forms.refuse_foreign_forms)
    app.before_request(gate)
    app.after_request(headers.add_headers)
    _set_up_templates(app)
    for view in views:
        app.register_blueprint(view.blueprint)
    app.register_error_handler(HTTPException, _say_no)
    app.register_error_handler(WikibotError, _say_why)
    return app


def _set_up_templates(app: Flask) -> None:
    environment = app.jinja_env
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.filters["groupby_runs"] = _runs_of_proposals
    environment.globals.update(
        msg=msg,
        form_token=forms.form_token,
        interface_language=i18n.interface_language,
        direction=i18n.direction,
        visitor=visits.visitor,
        may=visits.may,
        **labels.FOR_TEMPLATES,
    )


def _runs_of_proposals(pieces: Iterable[Piece]) -> list[tuple[int, list[Piece]]]:
    """The pieces in groups that belong to the same proposal, or to none (0), in their order."""
    return [(number, list(run)) for number, run in groupby(pieces, lambda piece: piece.proposal)]


def _say_no(error: HTTPException) -> tuple[str, int]:
    code = error.code or 500
    is_ours = error.description != type(error).description
    message = error.description if is_ours else _plain_words(code)
    return render_template("message.html", message=message, code=code), code


def _plain_words(code: int) -> str:
    """What a status means to the person before the screen."""
    return {
        400: msg("this-request-cannot-be-understood"),
        404: msg("there-is-nothing-at-this-address"),
        405: msg("this-address-is-for-forms-only"),
        413: msg("this-form-is-too-long-nothing-was"),
    }.get(code, msg("this-did-not-work-nothing-was"))


CODES = {AlreadyDecided: 409, AccountRefused: 403, WikiUnavailable: 503}


def _say_why(error: WikibotError) -> tuple[str, int]:
    code = next((code for kind, code in CODES.items() if isinstance(error, kind)), 422)
    return render_template("message.html", message=labels.error_message(error), code=code), code
