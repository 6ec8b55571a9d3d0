"""The service: the pages for a team, answered by several processes behind a reverse proxy."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from wikibot.api.app import beside
from wikibot.api.app import create_app as create_api_app
from wikibot.api.errors import answer_to_status
from wikibot.api.room import leave_room
from wikibot.api.service import Service
from wikibot.api.workers import ready_in_this_process
from wikibot.config import Settings
from wikibot.errors import ConfigError
from wikibot.keys import METRICS_VARIABLE, OAUTH_SECRET_VARIABLE, open_safe, read_secret
from wikibot.logs import format_named, set_up_log
from wikibot.roles import Requirements, requirement
from wikibot.site.oauth import Consumer
from wikibot.store import Store, open_store
from wikibot.store.pages import WikiRow, wikis
from wikibot.web.app import count_and_encrypt, create_team_app
from wikibot.web.request_counts import RequestCounts
from wikibot.web.team_app import TeamApp

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

LOOPBACK = ("127.0.0.1", "localhost", "::1")
STOP_WITHIN_S = 10
STUCK_AFTER_S = 120
# Longer than a proxy keeps an idle connection: else one of its requests could meet a closed door.
IDLE_S = 75


def team_from(store: Store, settings: Settings) -> TeamApp:
    """The service that the settings describe; refuses what would be unsafe or could not work."""
    wiki = _only_wiki(store)
    origin = _origin(settings.text("address"))
    return TeamApp(
        store=store,
        wiki_id=wiki.id,
        wiki=wiki.name,
        api_url=wiki.api_url or "",
        origin=origin,
        safe=open_safe(settings.text("key_file")),
        consumer=_consumer(settings, wiki, origin),
        needed=requirements(settings),
        guideline=settings.text("guideline"),
        session_lasts=timedelta(days=settings.whole("session_days")),
        recheck_after=timedelta(minutes=settings.whole("recheck_minutes")),
        reserved_for=timedelta(minutes=settings.whole("reserve_minutes")),
        save_interval_s=settings.number("save_interval_s"),
        metrics_token=read_secret(METRICS_VARIABLE, settings.text("metrics_token_file")),
    )


def requirements(settings: Settings) -> Requirements:
    """What each role asks for, as the settings say."""
    may_review = requirement(settings.text("review_groups"), settings.whole("review_edits"))
    may_publish = requirement(settings.text("publish_groups"), settings.whole("publish_edits"))
    may_administer = requirement(settings.text("admin_groups"), 0)
    if not may_administer.groups:
        raise ConfigError(
            "serve.admin_groups is empty, so that everybody could administer the service. "
            "Nothing was started; name a group."
        )
    return {"review": may_review, "publish": may_publish, "administer": may_administer}


def api_from(store: Store, settings: Settings, team: TeamApp) -> Service | None:
    """The API at the service's own address; None without tokens.

    Whoever could ask without one could decide under any name.
    """
    if not settings.text("tokens_file"):
        return None
    service = Service.of(store, settings)
    host = urlsplit(team.origin).hostname or ""
    return replace(
        service,
        hosts=service.hosts | {host},
        more_origins=service.more_origins | {team.origin},
    )


def serve_team(settings: Settings, *, listen: str, ready: Callable[[TeamApp], None]) -> None:
    """Serve until stopped; READY is told once everything that can be checked has been."""
    with open_store(settings.text("db")) as store:
        team = team_from(store, settings)
        api = api_from(store, settings, team)
        if api is not None:
            api.prepare()
        team.publish_runs.settle(store)
        ready(team)
    counts = RequestCounts()  # shared by the processes, and so made before them, as is `api`
    _server(lambda: _fresh_app(settings, counts, api), _options(settings, listen)).run()


def _fresh_app(settings: Settings, counts: RequestCounts, api: Service | None) -> WSGIApplication:
    """Called in each process: connections to a database cannot be shared between them."""
    set_up_log(settings.text("log_format"))
    team = replace(team_from(open_store(settings.text("db")), settings), counts=counts)
    pages = create_team_app(team)
    if api is None:
        return pages
    return beside(pages, _fresh_api(settings, team, api))


def _fresh_api(settings: Settings, team: TeamApp, api: Service) -> WSGIApplication:
    """The API for this process; it leaves half of the threads to those who review."""
    app = create_api_app(ready_in_this_process(api, team.store))
    count_and_encrypt(app, team)
    leave_room(app, max(1, settings.whole("threads") // 2))
    return app


def _server(make: Callable[[], WSGIApplication], options: dict[str, Any]) -> Any:
    from gunicorn.app.base import BaseApplication
    from gunicorn.glogging import Logger
    from gunicorn.workers.gthread import ThreadWorker

    log_format = options.pop("log_format")

    class Log(Logger):  # type: ignore[misc]  # gunicorn has no types
        def setup(self, cfg: Any) -> None:
            super().setup(cfg)
            for handler in self.error_log.handlers:
                handler.setFormatter(format_named(log_format))

    class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
        def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
            super().handle_error(req, _RefusedInJson(client), addr, exc)

    class Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
        def load_config(self) -> None:
            for name, value in options.items():
                self.cfg.set(name, value)
            self.cfg.set("worker_class", Worker)
            self.cfg.set("logger_class", Log)

        def load(self) -> WSGIApplication:
            return make()

    return Server()


class _RefusedInJson:
    """A connection on which gunicorn refuses what is not HTTP: its page of HTML is sent as JSON."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def sendall(self, page: bytes) -> None:
        status_line = page.partition(b"\r\n")[0]
        body = json.dumps(answer_to_status(int(status_line.split()[1]))[0]).encode()
        head = f"Connection: close\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        self._connection.sendall(b"\r\n".join((status_line, head.encode(), b"", body)))


def _options(settings: Settings, listen: str) -> dict[str, Any]:
    """No line of a request is logged, since addresses may hold codes; no proxy's word is taken."""
    return {
        "bind": listen,
        "log_format": settings.text("log_format"),
        "workers": settings.whole("workers"),
        "threads": settings.whole("threads"),
        "graceful_timeout": STOP_WITHIN_S,
        "timeout": STUCK_AFTER_S,
        "keepalive": IDLE_S,
        "loglevel": "warning",
        "accesslog": None,
        "proc_name": "wikibot",
        "forwarder_headers": "",
        "secure_scheme_headers": {},
    }


def _only_wiki(store: Store) -> WikiRow:
    with store.reading() as session:
        known = wikis(session)
    if len(known) == 1:
        return known[0]
    raise ConfigError(
        f"The database holds {len(known)} wikis; a service is for the accounts of one wiki. Nothing "
        "was started; fetch one wiki into a database of its own and name it with --db."
    )


def _origin(address: str) -> str:
    """The address as browsers write it in `Origin`.

    >>> _origin("https://Links.example.org/")
    'https://links.example.org'
    """
    parts = urlsplit(address.lower())
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/"):
        raise ConfigError(
            f"serve.address is {address!r}; it must be the service's address without a path, such "
            "as https://links.example.org. Nothing was started."
        )
    _refuse_unencrypted("serve.address", address)
    usual = {"http": 80, "https": 443}[parts.scheme]
    port = f":{parts.port}" if parts.port not in (None, usual) else ""
    return f"{parts.scheme}://{parts.hostname}{port}"


def _consumer(settings: Settings, wiki: WikiRow, origin: str) -> Consumer:
    rest_url = settings.text("oauth_url") or _rest_beside(wiki)
    _refuse_unencrypted("serve.oauth_url", rest_url)
    client_id = settings.text("oauth_client")
    if not client_id:
        raise ConfigError(
            "serve.oauth_client is not set. Nothing was started; register this service on the wiki "
            f"at Special:OAuthConsumerRegistration with the callback {origin}/login/return, and "
            "set it to the client application key."
        )
    secret = read_secret(OAUTH_SECRET_VARIABLE, settings.text("oauth_secret_file"))
    return Consumer(rest_url.rstrip("/"), client_id, f"{origin}/login/return", secret)


def _rest_beside(wiki: WikiRow) -> str:
    if not wiki.api_url:
        raise ConfigError(
            f"{wiki.name} was read from an export, so the address of its login is not known. "
            "Nothing was started; set serve.oauth_url to the address of its rest.php."
        )
    return wiki.api_url.removesuffix("api.php") + "rest.php"


def _refuse_unencrypted(setting: str, address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme != "https" and parts.hostname not in LOOPBACK:
        raise ConfigError(
            f"{setting} is {address!r}: without TLS, anybody on the way could act as the people "
            "who log in. Nothing was started; use https."
        )
