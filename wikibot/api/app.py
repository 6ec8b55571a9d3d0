"""The API in a Flask application: in one of its own, or beside other pages."""

from __future__ import annotations

from typing import Any

from flask import Flask
from werkzeug.exceptions import HTTPException

from wikibot import __version__
from wikibot.api import access
from wikibot.api.errors import say_http, say_why
from wikibot.api.routes import blueprint
from wikibot.api.service import EXTENSION, Service
from wikibot.errors import WikibotError


def mount(app: Flask, service: Service) -> None:
    """The application answers the API's routes too, by this service."""
    app.extensions[EXTENSION] = service
    app.register_blueprint(blueprint)


def create_app(service: Service) -> Flask:
    """An application that is nothing but the API, for this machine."""
    app = Flask(__name__, static_folder=None)
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.before_request(lambda: access.refuse_foreign_hosts(service.hosts))
    app.register_error_handler(HTTPException, say_http)
    app.register_error_handler(WikibotError, say_why)
    app.add_url_rule("/", "start", _start)
    mount(app, service)
    return app


def _start() -> dict[str, Any]:
    """Where to read on."""
    return {"name": "wikibot", "version": __version__, "description": "/v1/openapi.json"}
