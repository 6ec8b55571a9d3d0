"""Learns from the links a wiki already has and proposes the missing ones, for a person to approve."""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"
__all__ = ["Linker", "__version__"]


def __getattr__(name: str) -> Any:
    """`Linker` is loaded when it is asked for: most commands need none of what it needs."""
    if name == "Linker":
        from wikibot.link import Linker

        return Linker
    raise AttributeError(f"module 'wikibot' has no attribute {name!r}")
