"""The way to a wiki: which one, as whom, and whether that account may do what we need.

pywikibot keeps its own habits: `user-config.py` is found where its users put it, passwords stay in
its password file, cookies in its cookie file. It never prompts and never writes to the terminal
from here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from wikibot import __version__
from wikibot.errors import AccountRefused, ConfigError, WikiUnavailable
from wikibot.message import message
from wikibot.site.answers import MISREAD, describe, row_in, text_in, texts_in
from wikibot.site.retry_after import LONGEST_WAIT_S, AskedToWait, bound_retry_after

Site = Any  # pywikibot has no types

# How every page of a MediaWiki names its api.php: the tag, and the address in it.
LINK_TAG = re.compile(r"<link\b[^<>]*>")
EDIT_URI = re.compile(r'href="([^"]+)"')

# A wiki that does not answer is reported within about half a minute instead of twenty.
READ_RETRIES = 3


@dataclass(frozen=True, slots=True)
class Account:
    """Who we are on the wiki; `block` is the wiki's sentence if it has blocked us."""

    name: str
    groups: frozenset[str]
    rights: frozenset[str]
    block: str | None
    is_partially_blocked: bool = False

    @property
    def is_bot(self) -> bool:
        """Has the wiki's community made it a bot?"""
        return "bot" in self.groups or "bot" in self.rights


@dataclass(frozen=True, slots=True)
class Lack:
    """A right the account does not have, and what follows from it."""

    right: str
    consequence: str
    is_fatal: bool


# What publishing uses, in the order in which a missing one hurts.
NEEDED_RIGHTS = (
    Lack("edit", "nothing can be published", True),
    Lack("bot", "edits would not carry the bot flag (a bot password needs 'highvolume')", False),
    Lack("minoredit", "edits would not be marked as minor", False),
    Lack("createtalk", "talk pages that do not exist yet cannot get a section", False),
    Lack("createpage", "the work list in the bot's user space cannot be created", False),
    Lack("applychangetags", "edits would not carry a change tag", False),
    Lack("noratelimit", "the wiki may slow down the bot's edits", False),
)

BOTS_RIGHTS = ("bot", "noratelimit")


def connect(
    *,
    family: str | None = None,
    lang: str | None = None,
    user: str | None = None,
    url: str | None = None,
) -> Site:
    """The wiki that the options or `user-config.py` name; nothing is sent with the account yet.

    `url` is the address of a wiki's api.php and needs no family.
    """
    pywikibot = load_pywikibot()
    forget_old_cookies()
    if not url and not family:
        refuse_without_configuration()
    with told_plainly():
        if url:
            return pywikibot.Site(url=url, user=user)
        return pywikibot.Site(lang, family, user=user)


def refuse_without_configuration() -> None:
    """pywikibot's default is a test wiki of Wikimedia's, which nobody means who names no wiki."""
    from pywikibot import config

    if config.family == "wikipedia" and config.mylang == "test":
        raise ConfigError(message("no-user-config"))


def load_pywikibot() -> Any:
    """pywikibot with the user's configuration, silent and with bounded waiting.

    Refuses, naming the file, when `user-config.py` cannot be executed.
    """
    try:
        import pywikibot
        from pywikibot import bot, config
        from pywikibot.comms import http
    except (SyntaxError, NameError, TypeError, AttributeError, ValueError, LookupError) as error:
        raise ConfigError(message("user-config-unreadable", str(error))) from error
    if type(bot.ui).__module__.rpartition(".")[2] != "buffer_interface":
        bot.set_interface("buffer")
    config.max_retries = min(config.max_retries, READ_RETRIES)
    config.retry_max = min(config.retry_max, LONGEST_WAIT_S)
    hooks = http.session.hooks["response"]
    if bound_retry_after not in hooks:
        hooks.append(bound_retry_after)
    return pywikibot


@contextmanager
def asked_once() -> Iterator[None]:
    """In this block a wiki that does not answer is not asked again."""
    config = load_pywikibot().config
    usual, config.max_retries = config.max_retries, 0
    try:
        yield
    finally:
        config.max_retries = usual


@contextmanager
def told_plainly() -> Iterator[None]:
    """pywikibot's ways of failing leave this block as errors of ours, in one sentence."""
    import requests
    from pywikibot import exceptions

    try:
        yield
    except (exceptions.UnknownFamilyError, exceptions.UnknownSiteError) as error:
        raise ConfigError(f"{sentence(error)} Check --family and --lang.") from error
    except (exceptions.NoUsernameError, exceptions.UserRightsError) as error:
        raise AccountRefused(message("login-failed", sentence(error))) from error
    except exceptions.InvalidTitleError as error:
        raise ConfigError(sentence(error)) from error
    except exceptions.SiteDefinitionError as error:
        raise WikiUnavailable(message("not-an-api", sentence(error))) from error
    except exceptions.APIError as error:
        raise refused_read(error.code, sentence(error)) from error
    except AskedToWait as error:
        raise WikiUnavailable(
            f"{error} Nothing was changed; run the same command again then.",
            retry_after_s=error.seconds,
        ) from error
    except (
        exceptions.ServerError,
        exceptions.ApiTimeoutError,
        requests.RequestException,
        ConnectionError,
    ) as error:
        raise WikiUnavailable(message("wiki-did-not-answer", sentence(error))) from error
    except MISREAD as error:
        raise WikiUnavailable(message("answer-not-understood", describe(error))) from error


def refused_read(code: str, text: str) -> AccountRefused | WikiUnavailable:
    """What an error answer to a question means; no question changes anything."""
    if code in ("readapidenied", "permissiondenied", "assertuserfailed", "assertnameduserfailed"):
        return AccountRefused(message("may-not-read", text))
    return WikiUnavailable(message("wiki-answered-with-an-error", text))


def sentence(error: BaseException) -> str:
    """The first line of a message, ended by a full stop; network errors in a person's words."""
    from wikibot.site.address import network_reason

    if reason := network_reason(error):
        return reason
    text = (str(error).strip() or type(error).__name__).splitlines()[0].strip()[:300]
    return text if text.endswith((".", "!", "?")) else text + "."


def api_url(site: Site) -> str:
    """The address of the wiki's api.php, which tells one wiki from another."""
    return str(site.base_url(site.apipath()))


def log_in(site: Site) -> Account:
    """We are logged in as the configured user; the account's rights are known.

    Refuses when no password is stored, when it is wrong, or when the wiki took us for another.
    """
    if not site.username():
        raise ConfigError(message("no-user-name"))
    with told_plainly():
        try:
            site.login()
        except (RuntimeError, FileNotFoundError, ValueError) as error:
            raise no_password(site, sentence(error)) from error
        if not site.logged_in():
            raise no_password(site, "the wiki did not accept it.")
        return account(site)


def log_in_if_set(site: Site) -> Account | None:
    """We are logged in if `user-config.py` names an account of this wiki and how it logs in.

    None where it does not: a wiki can be read without an account, only less fast.
    """
    from pywikibot import config

    has_secret = bool(config.password_file or config.authenticate)
    return log_in(site) if site.username() and has_secret else None


def no_password(site: Site, reason: str) -> AccountRefused:
    return AccountRefused(message("could-not-log-in", site.username(), f"{site}", reason))


def forget_old_cookies() -> None:
    """Sessions from before the account's files changed are gone.

    Cookies are kept by user name and used as soon as a site is made: one from a login with the
    full password would silently give a bot password more rights than were granted to it.
    """
    from pywikibot import config

    home = Path(config.base_dir)
    names = [name for name in ("user-config.py", config.password_file) if name]
    changed = [(home / name).stat().st_mtime for name in names if (home / name).exists()]
    for cookie in home.glob("pywikibot-*.lwp"):
        if changed and cookie.stat().st_mtime < max(changed):
            cookie.unlink(missing_ok=True)


def cookie_file(user: str) -> Path:
    from pywikibot import config
    from pywikibot.tools import as_filename

    return Path(config.datafilepath(f"pywikibot-{as_filename(user)}.lwp", create=False))


def account(site: Site) -> Account:
    """Our account as the wiki sees it now, not as pywikibot remembers it."""
    with told_plainly():
        question = site.simple_request(
            action="query", meta="userinfo", uiprop="rights|groups|blockinfo"
        )
        info = row_in(row_in(question.submit(), "query"), "userinfo")
        return Account(
            name=text_in(info, "name"),
            groups=frozenset(texts_in(info, "groups")),
            rights=frozenset(texts_in(info, "rights")),
            block=block_sentence(info) if "blockid" in info else None,
            is_partially_blocked="blockpartial" in info,
        )


def block_sentence(info: dict[str, Any]) -> str:
    reason = info.get("blockreason") or "no reason given"
    return f"blocked by {info.get('blockedby', '?')} until {info.get('blockexpiry', '?')}: {reason}"


def lacking(account: Account) -> list[Lack]:
    """The rights that publishing uses and this account does not have; a person needs no bot's."""
    needed = [lack for lack in NEEDED_RIGHTS if account.is_bot or lack.right not in BOTS_RIGHTS]
    return [lack for lack in needed if lack.right not in account.rights]


def contact() -> str:
    """How the wiki's operators can reach us, as `user-config.py` says it."""
    from pywikibot import config

    return str(config.user_agent_description or "").strip()


def edit_interval_s() -> float:
    """The least time between two edits: pywikibot's `put_throttle`, 10 s by default."""
    from pywikibot import config

    return float(config.put_throttle)


def log_in_again(site: Site) -> Account:
    """A session that the wiki has forgotten is replaced by a new one."""
    site.tokens.clear()
    cookie_file(site.username()).unlink(missing_ok=True)
    from pywikibot.comms import http

    http.cookie_jar.clear()
    with told_plainly():
        site._relogin()
    return log_in(site)


def find_api(url: str) -> str:
    """The address of api.php for a wiki of which any page's address is known.

    Asked without pywikibot, which would read its configuration before there is one.
    """
    import requests

    if url.endswith("/api.php"):
        return url
    page = url if "://" in url else f"https://{url}"
    try:
        answer = requests.get(page, headers={"user-agent": f"wikibot/{__version__}"}, timeout=30)
    except requests.RequestException as error:
        raise WikiUnavailable(f"{page} did not answer: {sentence(error)}") from error
    address = edit_address(answer.text)
    if not address:
        raise ConfigError(f"{page} is not a page of a MediaWiki. Name the wiki's api.php.")
    return str(urljoin(answer.url, address.partition("?")[0]))


def edit_address(html: str) -> str:
    """Where a page of a MediaWiki says its api.php is; empty if it does not say.

    >>> edit_address('<link rel="EditURI" href="//a.org/w/api.php?action=rsd">')
    '//a.org/w/api.php?action=rsd'
    """
    tags = (tag for tag in LINK_TAG.findall(html) if 'rel="EditURI"' in tag)
    return next((found[1] for tag in tags if (found := EDIT_URI.search(tag))), "")
