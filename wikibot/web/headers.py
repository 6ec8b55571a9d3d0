"""The threat: text from a wiki that gets to be markup after all, and pages that frame or read us.

Templates escape everything. These headers are the second wall: no script, style or picture from
anywhere but our own static folder, nothing inline, nobody frames us, nothing is kept.
"""

from __future__ import annotations

from flask import Response

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
HEADERS = {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
    # not `no-referrer`: browsers would then send our own forms with `Origin: null`
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


ENCRYPTED = {"Strict-Transport-Security": "max-age=31536000"}


def insist_on_encryption(answer: Response) -> Response:
    """Browsers never again ask this host without TLS."""
    answer.headers.update(ENCRYPTED)
    return answer


def add_headers(answer: Response) -> Response:
    """The answer carries every protective header."""
    answer.headers.update(HEADERS)
    return answer
