"""The one place from which edits leave: one POST, no second one behind our back.

pywikibot's own way of saving repeats a request whose answer was lost, resubmits what an abuse
filter warned about and lets the newest revision be the base. So the form is built here and goes
through pywikibot's HTTP session exactly once; what came back is one of four outcomes:

    done      Posted is returned
    refused   WikiRefused or one of its kinds: the wiki said no
    later     WikiUnavailable: the wiki says that the same request may work in a while
    unknown   OutcomeUnknown: it left us and no clear answer came; only the history can tell

An answer is what somebody on the way said. Whoever asks looks in the page's history before
believing that an edit was not made; only NeverLeft and UnsafeEdit need no look.
"""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from typing import Any

from wikibot.errors import (
    AccountRefused,
    EditConflict,
    EditRefused,
    NeverLeft,
    OutcomeUnknown,
    Protected,
    SessionLost,
    UnsafeEdit,
    WikibotError,
    WikiUnavailable,
)
from wikibot.message import message
from wikibot.site.answers import MISREAD, Answer, id_in, row_in, rows_in, text_in, understood
from wikibot.site.connect import Site, sentence, told_plainly
from wikibot.site.retry_after import asked_for_s

# MediaWiki's error codes by what they tell us; a code ending in "-" stands for a family of codes.
# Any other code is a refusal, except internal errors, after which the edit may be there or not.
MEANING: dict[str, type[WikibotError]] = {
    "editconflict": EditConflict,
    "missingtitle": EditConflict,
    "nocreate-missing": EditConflict,
    "pagedeleted": EditConflict,
    "articleexists": EditConflict,
    "nosuchrevid": EditConflict,
    "protectedpage": Protected,
    "protectedtitle": Protected,
    "cascadeprotected": Protected,
    "protectednamespace": Protected,
    "protectednamespace-interface": Protected,
    "blocked": AccountRefused,
    "autoblocked": AccountRefused,
    "globalblocking-": AccountRefused,
    "permissiondenied": AccountRefused,
    "writeapidenied": AccountRefused,
    "noedit": AccountRefused,
    "cantcreate": AccountRefused,
    "tags-apply-": AccountRefused,
    "badtoken": SessionLost,
    "notoken": SessionLost,
    "assertuserfailed": SessionLost,
    "assertnameduserfailed": SessionLost,
    "assertbotfailed": SessionLost,
    "maxlag": WikiUnavailable,
    "ratelimited": WikiUnavailable,
    "actionthrottledtext": WikiUnavailable,
    "readonly": WikiUnavailable,
    "badmd5": WikiUnavailable,
    "internal_api_error_": OutcomeUnknown,
    "internal-error": OutcomeUnknown,
    "failed-save": OutcomeUnknown,
    "unknownerror": OutcomeUnknown,
}


@dataclass(frozen=True, slots=True)
class EditRequest:
    """An edit as it leaves us: the whole text, on one revision (0: the page is to be created)."""

    title: str
    text: str
    base_revision: int
    summary: str
    user: str
    tags: tuple[str, ...] = ()
    is_minor: bool = True
    is_bot: bool = True
    maxlag_s: int = 5


@dataclass(frozen=True, slots=True)
class Posted:
    """The wiki's answer to an edit that it made."""

    revision: int
    parent: int


def post_edit(site: Site, edit: EditRequest) -> Posted:
    """The wiki has made the edit; exactly one request was sent, whatever happened to it.

    Refuses a text that the wiki would store otherwise than it was sent.
    """
    if stored_form(edit.text) != edit.text:
        raise UnsafeEdit(message("wiki-would-change-more", edit.title))
    form = edit_form(edit, edit_token(site))
    return understand(send_once(site, form, edit.title), edit)


def edit_token(site: Site) -> str:
    """The token that goes with our session; without one the session is lost."""
    with told_plainly():
        try:
            return str(site.tokens["csrf"])
        except KeyError as error:
            raise SessionLost(message("not-logged-in-any-more", site.username())) from error


def stored_form(text: str) -> str:
    """The text as MediaWiki stores what it is sent, before anything in it is substituted."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", lines).rstrip(" \n\t\r\0\x0b")


def saved_form(site: Site, title: str, text: str) -> str:
    """The text as this wiki would save it: signatures, `subst:` in its language and pipe tricks done.

    The wiki itself is asked: only it knows its words, its extensions and what it leaves alone.
    """
    with told_plainly():
        question = site.simple_request(
            action="parse",
            onlypst=True,
            title=title,
            text=text,
            contentmodel="wikitext",
            formatversion=2,
            errorformat="plaintext",
        )
        answer = question.submit()
    with understood():
        if "errors" in answer:
            first = rows_in(answer, "errors")[0]
            raise WikiUnavailable(
                message(
                    "no-saved-form",
                    title,
                    shortened(text_in(first, "text", "")),
                    text_in(first, "code"),
                )
            )
        return text_in(row_in(answer, "parse"), "text")


def edit_form(edit: EditRequest, token: str) -> dict[str, str]:
    """The form fields of action=edit; the token stands last, so that a cut request is refused."""
    if edit.base_revision:
        base = {"baserevid": str(edit.base_revision), "nocreate": "1"}
    else:
        base = {"createonly": "1"}
    flags = {"minor": "1"} if edit.is_minor else {"notminor": "1"}
    if edit.is_bot:
        flags["bot"] = "1"
    tags = {"tags": "|".join(edit.tags)} if edit.tags else {}
    return {
        "action": "edit",
        "format": "json",
        "formatversion": "2",
        "errorformat": "plaintext",
        "errorlang": "en",
        "title": edit.title,
        "assertuser": edit.user,
        "maxlag": str(edit.maxlag_s),
        "summary": edit.summary,
        "text": edit.text,
        # Refused if the page has become something other than wikitext.
        "contentformat": "text/x-wiki",
        "md5": hashlib.md5(edit.text.encode(), usedforsecurity=False).hexdigest(),
        "watchlist": "nochange",
        **base,
        **flags,
        **tags,
        "token": token,
    }


def send_once(site: Site, form: dict[str, str], title: str) -> Any:
    """The HTTP response to one POST of the form; a redirect is not followed."""
    import requests
    from pywikibot.comms import http

    try:
        return http.request(
            site,
            site.apipath(),
            method="POST",
            data=form,
            default_error_handling=False,
            callbacks=[raise_if_error],
            allow_redirects=False,
        )
    except requests.ConnectTimeout as error:
        raise never_left(title, error) from error
    except requests.ConnectionError as error:
        if "NewConnectionError" in str(error) or "NameResolutionError" in str(error):
            raise never_left(title, error) from error
        raise no_answer(title, sentence(error)) from error
    except requests.RequestException as error:
        raise no_answer(title, sentence(error)) from error


def raise_if_error(response: Any) -> None:
    # pywikibot hands exceptions to its callbacks as if they were responses.
    if isinstance(response, Exception):
        raise response


def never_left(title: str, error: Exception) -> NeverLeft:
    return NeverLeft(message("never-left", title, sentence(error)))


def no_answer(title: str, reason: str) -> OutcomeUnknown:
    return OutcomeUnknown(message("no-clear-answer", title, reason))


def understand(response: Any, edit: EditRequest) -> Posted:
    """What the response says about the edit, as one of the four outcomes."""
    if response.status_code == 429:
        raise WikiUnavailable(
            message("fewer-requests", edit.title),
            retry_after_s=asked_for_s(response),
        )
    if response.status_code != 200:
        raise no_answer(edit.title, f"HTTP status {response.status_code}.")
    try:
        return understand_answer(response.json(), edit, asked_for_s(response))
    except MISREAD as error:
        raise no_answer(edit.title, "it was not an answer of api.php.") from error


def understand_answer(answer: Answer, edit: EditRequest, wait_s: float) -> Posted:
    """What api.php says about the edit; what is odd about it raises as Python does."""
    if "errors" in answer:
        first = rows_in(answer, "errors")[0]
        raise refusal(edit, text_in(first, "code"), text_in(first, "text", ""), wait_s)
    said = row_in(answer, "edit")
    if text_in(said, "result") != "Success":
        reason = said.get("code") or ", ".join(sorted(set(said) - {"result"}))
        raise refusal(edit, str(reason), str(said.get("info", said.get("message", ""))), 0)
    if said.get("nochange") is True:
        raise EditConflict(message("somebody-was-faster", edit.title))
    if not id_in(said, "newrevid"):
        raise ValueError("a new revision cannot be number 0")
    return Posted(revision=id_in(said, "newrevid"), parent=id_in(said, "oldrevid", 0))


def refusal(edit: EditRequest, code: str, info: str, wait_s: float) -> WikibotError:
    """The error that MediaWiki's CODE stands for, with its own words in the message."""
    kind = meaning_of(code)
    said = f"{shortened(info) or 'no reason given'} ({code})"
    if kind is OutcomeUnknown:
        return no_answer(edit.title, said)
    if kind is WikiUnavailable:
        return WikiUnavailable(
            message("was-not-edited-now", edit.title, said),
            retry_after_s=wait_s,
        )
    return kind(message("was-not-edited", edit.title, said))


def shortened(text: str, longest: int = 160) -> str:
    """The beginning of what the wiki said, on one line; a block alone can fill a screen."""
    line = " ".join(text.split()).rstrip(".")
    return line if len(line) <= longest else line[:longest].rpartition(" ")[0] + " …"


def meaning_of(code: str) -> type[WikibotError]:
    for known, kind in MEANING.items():
        if code == known or (known[-1] in "-_" and code.startswith(known)):
            return kind
    return EditRefused


def pywikibot_may_edit(site: Site, title: str, text: str) -> bool:
    """pywikibot's own reading of {{bots}} and {{nobots}} in this text; it decides beside ours.

    It asks the wiki several questions, so it is not bothered with a text that names neither.
    """
    import pywikibot

    if "bots" not in text.lower():
        return True
    page = pywikibot.Page(site, title)
    page.text = text
    return bool(page.botMayEdit())
