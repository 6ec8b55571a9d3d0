"""The files from which pywikibot learns the wiki and the account: written once, readable by us alone.

Secrets go to pywikibot's own places and nowhere else: the password file, or for OAuth
`user-config.py` itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from wikibot.errors import BadInput, ConfigError

USER_CONFIG = "user-config.py"
PASSWORD_FILE = "user-password.cfg"
LOGINS = ("botpassword", "oauth", "password")
# Wikis that pywikibot knows by itself: https://de.wikipedia.org is the code de of wikipedia.
KNOWN = re.compile(
    r"^([a-z-]+)\.(wikipedia|wiktionary|wikibooks|wikinews|wikiquote|wikisource|wikiversity|wikivoyage)\.org$"
)


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything `wikibot init` asks; `secret` is the password, or OAuth's four parts."""

    family: str
    lang: str
    api_url: str | None
    user: str
    contact: str
    login: str
    secret: tuple[str, ...]
    bot_name: str = ""


def family_of(url: str) -> tuple[str, str, bool]:
    """(family, code, known) of a wiki's address; an unknown wiki gets a family of its own.

    >>> family_of("https://de.wikipedia.org/wiki/Severn")
    ('wikipedia', 'de', True)
    >>> family_of("https://wiki.example.org/w/api.php")
    ('wikiexampleorg', 'wikiexampleorg', False)
    """
    parts = urlsplit(url if "://" in url else f"https://{url}")
    host = (parts.hostname or "").lower()
    if not host:
        raise BadInput(f"{url!r} is not the address of a wiki. Nothing was written.")
    if (known := KNOWN.match(host)) is not None:
        return known[2], known[1], True
    name = re.sub(r"[^a-z0-9]", "", f"{host}{parts.port or ''}")
    return name, name, False


def check_setup(setup: Setup) -> None:
    """Nothing in the answers would end up as something else in the files."""
    for what, value in (("user name", setup.user), ("contact", setup.contact)):
        if not value.strip() or "\n" in value:
            raise BadInput(f"The {what} must be one line of text. Nothing was written.")
    wanted = 4 if setup.login == "oauth" else 1
    if len(setup.secret) != wanted or not all(setup.secret):
        raise BadInput(
            "OAuth needs four parts: consumer token and secret, access token and secret."
            if setup.login == "oauth"
            else "A password is needed. Nothing was written."
        )
    if setup.login == "botpassword" and not setup.bot_name:
        raise BadInput("A bot password has a name, chosen at Special:BotPasswords; name it.")


def write_files(folder: Path, setup: Setup, *, replace: bool = False) -> list[Path]:
    """The files are in FOLDER with mode 0600; what they replace is kept as `*.old`.

    Refuses to replace a `user-config.py` unless told to.
    """
    check_setup(setup)
    refuse_existing(folder, replace=replace)
    folder.mkdir(parents=True, exist_ok=True)
    files = {USER_CONFIG: user_config(setup)}
    if setup.login != "oauth":
        files[PASSWORD_FILE] = password_line(setup)
    for name, text in files.items():
        write_private(folder / name, text)
    return [folder / name for name in files]


def refuse_existing(folder: Path, *, replace: bool) -> None:
    """Refuse a folder that has a `user-config.py`, unless it may be replaced."""
    if (folder / USER_CONFIG).exists() and not replace:
        raise ConfigError(
            f"{folder / USER_CONFIG} is there already. Nothing was written; use --replace to write "
            "a new one (the old one is kept), or edit it."
        )


@contextmanager
def take_back(written: Iterable[Path]) -> Iterator[None]:
    """If this block fails, the written files are gone and those that they replaced are back."""
    try:
        yield
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
            old = old_file(path)
            if old.exists():
                old.replace(path)
        raise


def old_file(path: Path) -> Path:
    """Where a file is kept that was replaced."""
    return path.with_name(path.name + ".old")


def write_private(path: Path, text: str) -> None:
    """PATH holds TEXT for its owner only, at no moment readable by others."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    if path.exists():
        path.replace(old_file(path))
    fresh.replace(path)


def user_config(setup: Setup) -> str:
    """The text of `user-config.py`; user-config.example.py explains every line."""
    lines = [
        "# Written by `wikibot init`; see user-config.example.py for what each line means.",
        f"family = {setup.family!r}",
        f"mylang = {setup.lang!r}",
    ]
    if setup.api_url:
        lines.append(f"family_files[{setup.family!r}] = {setup.api_url!r}")
    lines += [
        f"usernames[{setup.family!r}][{setup.lang!r}] = {setup.user!r}",
        f"user_agent_description = {setup.contact!r}",
    ]
    if setup.login == "oauth":
        lines.append(f"authenticate[{oauth_host(setup)!r}] = {tuple(setup.secret)!r}")
    else:
        lines.append(f"password_file = {PASSWORD_FILE!r}")
    return "\n".join(lines) + "\n"


def oauth_host(setup: Setup) -> str:
    """The host that gets the OAuth header; pywikibot's own families follow one pattern."""
    if setup.api_url:
        return urlsplit(setup.api_url).netloc
    return f"{setup.lang}.{setup.family}.org"


def password_line(setup: Setup) -> str:
    secret = setup.secret[0]
    if setup.login == "botpassword":
        return f"({setup.user!r}, BotPassword({setup.bot_name!r}, {secret!r}))\n"
    return f"({setup.user!r}, {secret!r})\n"
