"""The threat: a foreign page that makes the reviewer's browser send a form to us.

Three locks, each enough alone: the cookie is never sent from other sites (`auth.py`), the
browser's own word on where the request comes from, and a token in the form that only our pages
know. The token is bound to what the form is about, so that it opens nothing else. Clients that
are no browsers send neither Sec-Fetch-Site nor Origin; for them the token alone counts.
"""

from __future__ import annotations

import hmac

from flask import abort, request

from wikibot.web.i18n import msg
from wikibot.web.review_app import review_app

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


def refuse_foreign_forms() -> None:
    """What changes something comes from our own pages, as far as the browser says."""
    if request.method in SAFE_METHODS:
        return
    if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        abort(403, msg("this-form-was-sent-from-another"))
    origin = request.headers.get("Origin")
    if origin is not None and origin not in review_app().origins:
        abort(403, msg("this-form-was-sent-from-another"))


def form_token(action: str, *subject: object) -> str:
    """The proof that a form for exactly this action and subject was written by us."""
    message = "\n".join((action, *(str(part) for part in subject)))
    return hmac.new(review_app().form_key, message.encode(), "sha256").hexdigest()


def check_form(action: str, *subject: object) -> None:
    """The form in this request was written by us for this action and subject."""
    given = request.form.get("form_token", "")
    if not hmac.compare_digest(given.encode(), form_token(action, *subject).encode()):
        abort(403, msg("this-form-is-not-one-of-ours-or"))
