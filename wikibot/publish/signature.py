"""The signature and date at the end of our section: with them Reply and archive bots work.

The wiki itself says how it would sign for us, in its language and time zone. The result is written
out, so that the text that is sent is the text that is saved.
"""

from __future__ import annotations

from dataclasses import replace

from wikibot.publish.messages import Messages
from wikibot.publish.talk import END, find_section
from wikibot.site.connect import Site, told_plainly

SIGNED = " <!-- wikibot:signed --> "


def ask_signature(site: Site, title: str) -> str:
    """What the wiki would make of ~~~~ on this page, saved by us now; nothing is saved."""
    with told_plainly():
        question = site.simple_request(
            action="parse", title=title, text="~~~~", onlypst=1, formatversion=2
        )
        return " ".join(str(question.submit()["parse"]["text"]).split())


def signature_in(text: str) -> str:
    """The signature that our section on the page has; empty if it has none."""
    section = find_section(text)
    last = section.lines[-1] if section else ""
    return last.partition(SIGNED)[2].removesuffix(END) if last.endswith(END) else ""


def signed(words: Messages, signature: str) -> Messages:
    """The words with a signature after the last sentence of a section.

    >>> from wikibot.publish.messages import messages
    >>> signed(messages("en"), "Bot 12:00").switch_off[-34:]
    ' <!-- wikibot:signed --> Bot 12:00'
    """
    if not signature:
        return words
    return replace(words, switch_off=words.switch_off + SIGNED + signature)
