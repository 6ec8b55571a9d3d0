"""The threat: other programs and other people of this machine, who can reach 127.0.0.1 too.

The printed address carries a random token. The first request with it gets a cookie that scripts
cannot read and other sites cannot send, and is sent on to an address without the token.
"""

from __future__ import annotations

import hmac
from typing import NoReturn
from urllib.parse import urlencode

from flask import abort, redirect, request, url_for
from werkzeug.wrappers import Response

from wikibot.web.i18n import msg
from wikibot.web.review_app import ReviewApp, review_app


def local_app() -> ReviewApp:
    """The server for one person that answers this request."""
    found = review_app()
    assert isinstance(found, ReviewApp)
    return found


def ask_for_token() -> Response | None:
    """The request carries our cookie, or a token that is exchanged for it; else it ends here."""
    given = request.args.get("token")
    if given is not None and request.method == "GET":
        return _exchange(given)
    if not _same(request.cookies.get(local_app().cookie_name, ""), local_app().cookie):
        _refuse()
    return None


def _exchange(token: str) -> Response:
    if not _same(token, local_app().token) and not local_app().launch.take(token):
        _refuse()
    answer = redirect(_address_without_token(), 303)
    answer.set_cookie(
        local_app().cookie_name, local_app().cookie, httponly=True, samesite="Strict", path="/"
    )
    return answer


def _refuse() -> NoReturn:
    message = msg("open-the-address-that-wikibot")
    abort(403, message)


def _address_without_token() -> str:
    if request.endpoint is None:
        return url_for("review.start")
    address = url_for(request.endpoint, **(request.view_args or {}))
    rest = [(name, value) for name, value in request.args.items(multi=True) if name != "token"]
    return f"{address}?{urlencode(rest)}" if rest else address


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())
