"""The reader's view: a page with links to what was read before in this sitting."""

from __future__ import annotations

from flask import Blueprint

blueprint = Blueprint("read", __name__)


@blueprint.get("/read")
def choose() -> str:
    return ""


@blueprint.get("/read/<path:title>")
def show(title: str) -> str:
    return ""
