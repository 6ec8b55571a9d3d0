"""The API as an application of its own, and beside the pages of another one at the same address."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from flask import Flask

from wikibot import __version__
from wikibot.api import access
from wikibot.api.routes import blueprint
from wikibot.api.service import EXTENSION, Service

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

BELOW = "/v1/"
ALONE = frozenset(("/v1", "/gadget.js"))


def create_app(service: Service) -> Flask:
    """An application that is nothing but the API."""
    app = Flask(__name__, static_folder=None)
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.extensions[EXTENSION] = service
    app.before_request(lambda: access.refuse_foreign_hosts(service.hosts))
    app.url_map.merge_slashes = False  # a title may hold two
    app.add_url_rule("/", "start", _start)
    app.register_blueprint(blueprint)
    return app


def beside(pages: WSGIApplication, api: WSGIApplication) -> WSGIApplication:
    """Both at one address: the API has its own paths, the pages have all others.

    They share nothing else, so that neither opens a door of the other.
    """

    def answer(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        is_api = path in ALONE or path.startswith(BELOW)
        return (api if is_api else pages)(environ, start)

    return answer


def _start() -> dict[str, Any]:
    """Where to read on."""
    return {"name": "wikibot", "version": __version__, "description": "/v1/openapi.json"}
