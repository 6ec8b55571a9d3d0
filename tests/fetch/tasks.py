"""What workers are asked to do to pages in tests; here so that they can import it."""

from __future__ import annotations

import os
import signal
import time

from wikibot.errors import BadWikitext
from wikibot.wikitext.rules import SiteRules


def obey(title: str, text: str, rules: SiteRules) -> tuple[str, str, int]:
    """Does what the text says; a plain text is answered with what was seen."""
    if text == "hang":
        compute_for_ever()
    if text == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if text == "exit":
        os._exit(3)
    if text == "refuse":
        raise BadWikitext("Not safe.")
    if text == "fail":
        raise ValueError("a bug")
    if text == "swallow memory":
        bytearray(16 << 30)
    return title, rules.language, len(text)


def compute_for_ever() -> None:
    while True:
        time.process_time()
