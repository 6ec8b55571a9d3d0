"""How many requests one process answers at once: the threat is programs that leave no room for people."""

from __future__ import annotations

import threading

from flask import Flask, g

from wikibot.api.errors import ApiError

AGAIN_AFTER_S = 1.0


def leave_room(app: Flask, most_at_once: int) -> None:
    """The application refuses what comes while it answers so many requests."""
    places = threading.BoundedSemaphore(most_at_once)

    def enter() -> None:
        g.has_place = places.acquire(blocking=False)
        if not g.has_place:
            raise ApiError(
                503, "busy", "Too many requests are being answered. Nothing was changed; try later.",
                retry_after_s=AGAIN_AFTER_S,
            )  # fmt: skip

    def leave(_: BaseException | None) -> None:
        if g.pop("has_place", False):
            places.release()

    app.before_request(enter)
    app.teardown_request(leave)
