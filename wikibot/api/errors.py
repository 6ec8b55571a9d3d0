"""How the API says no: a status, a short code for programs and a sentence for people."""

from __future__ import annotations

import math
from typing import Any

from werkzeug.exceptions import HTTPException, MethodNotAllowed

from wikibot.errors import (
    AccountRefused,
    AlreadyDecided,
    BadInput,
    BadWikitext,
    ModelError,
    StoreError,
    WikibotError,
    WikiUnavailable,
)

Answer = tuple[dict[str, Any], int, dict[str, str]]


class ApiError(WikibotError):
    """A request is refused; nothing was changed."""

    def __init__(self, status: int, code: str, message: str, *, retry_after_s: float = 0) -> None:
        super().__init__(message)
        self.status, self.code, self.retry_after_s = status, code, retry_after_s


# The first that fits: error, status, code.
STATUS: tuple[tuple[type[WikibotError], int, str], ...] = (
    (BadWikitext, 422, "unreadable-text"),
    (BadInput, 400, "bad-input"),
    (AlreadyDecided, 409, "already-decided"),
    (ModelError, 503, "nothing-learned"),
    (StoreError, 503, "database"),
    (WikiUnavailable, 502, "wiki-unavailable"),
    (AccountRefused, 502, "wiki-refused"),
)
HTTP_CODES = {
    400: ("bad-input", "The request cannot be understood. Nothing was changed."),
    404: ("not-found", "There is nothing at this address; see /v1/openapi.json."),
    405: ("wrong-method", "This address does not take this method. Nothing was changed."),
    413: ("too-long", "The request is too long. Nothing was changed."),
    414: ("too-long", "The address is too long. Nothing was changed."),
    415: ("not-json", "The body must be JSON, with Content-Type: application/json."),
    431: ("too-long", "The head of the request is too long. Nothing was changed."),
    501: ("bad-input", "The request is sent in a way that is not understood. Nothing was changed."),
}


def say_why(error: WikibotError) -> Answer:
    """The answer to a request that one of our own errors ended."""
    if isinstance(error, ApiError):
        return answer(error.status, error.code, str(error), retry_after_s=error.retry_after_s)
    for kind, status, code in STATUS:
        if isinstance(error, kind):
            return answer(status, code, str(error))
    return answer(500, "failed", str(error))


def say_http(error: HTTPException) -> Answer:
    """The answer where the web library refused a request, or something failed unexpectedly."""
    said, status, headers = answer_to_status(error.code or 500)
    if isinstance(error, MethodNotAllowed):
        headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
    return said, status, headers


def answer_to_status(status: int) -> Answer:
    """The answer where nothing more is known than a status of HTTP."""
    failed = ("failed", "The request failed. Nothing was changed; please report this.")
    return answer(status, *HTTP_CODES.get(status, failed))


def answer(status: int, code: str, message: str, *, retry_after_s: float = 0) -> Answer:
    """An error as JSON."""
    headers = {"Retry-After": str(math.ceil(retry_after_s))} if retry_after_s else {}
    return {"error": message, "code": code, "status": status}, status, headers
