"""Secrets of the service: read from the environment or from files that only their owner may read.

They are never settings: settings are printed by `wikibot config`. What is kept in the database is
sealed with the key, so that a copy of the database gives nobody access to anybody's account.
"""

from __future__ import annotations

import hmac
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from wikibot.errors import BadInput, ConfigError

KEY_VARIABLE = "WIKIBOT_KEY"
METRICS_VARIABLE = "WIKIBOT_METRICS_TOKEN"
OAUTH_SECRET_VARIABLE = "WIKIBOT_OAUTH_SECRET"
OTHERS_MAY_READ = stat.S_IRWXG | stat.S_IRWXO


class Safe:
    """Seals texts with the first key and opens what any of the keys has sealed."""

    def __init__(self, keys: str) -> None:
        from cryptography.fernet import Fernet, MultiFernet  # an extra

        named = keys.replace(",", " ").split()
        if not named:
            raise ConfigError("The key of the service is empty. Make one: wikibot serve --make-key")
        try:
            self._fernet = MultiFernet([Fernet(key) for key in named])
        except ValueError:
            raise ConfigError(
                "The key of the service is not one that `wikibot serve --make-key` has made. "
                "Nothing was started."
            ) from None
        self._first = named[0].encode()

    def seal(self, text: str) -> str:
        """The text, readable with our key only."""
        return self._fernet.encrypt(text.encode()).decode()

    def open(self, sealed: str, *, max_age_s: int | None = None) -> str:
        """The text that was sealed; refuses what is not ours, or older than MAX_AGE_S."""
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet.decrypt(sealed, ttl=max_age_s).decode()
        except InvalidToken:
            raise BadInput("This was not sealed with the key of this service.") from None

    def key_for(self, purpose: str) -> bytes:
        """Another key that follows from ours: the same in every process and after a restart."""
        return hmac.digest(self._first, purpose.encode(), "sha256")


def read_secret(variable: str, file: str, environ: Mapping[str, str] | None = None) -> str:
    """The secret in an environment variable, else in FILE; empty if there is neither.

    Refuses a file that others may read.
    """
    given = (os.environ if environ is None else environ).get(variable, "").strip()
    path = Path(file)
    if given or not file or not path.is_file():
        return given
    if stat.S_IMODE(path.stat().st_mode) & OTHERS_MAY_READ:
        raise ConfigError(
            f"Others may read {path}, which holds a secret. Nothing was started; "
            f"run: chmod 600 {path}"
        )
    return path.read_text(encoding="utf-8").strip()


def open_safe(file: str) -> Safe:
    """The safe with the key of the environment or of FILE; refuses to go on without one."""
    keys = read_secret(KEY_VARIABLE, file)
    if not keys:
        raise ConfigError(
            f"There is no key to keep the accounts' tokens with: neither {KEY_VARIABLE} nor {file} "
            "is there. Nothing was started; run: wikibot serve --make-key"
        )
    return Safe(keys)


def make_key(file: Path) -> None:
    """FILE holds a new key that only its owner may read; refuses to replace one."""
    from cryptography.fernet import Fernet

    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise ConfigError(
            f"{file} is there already. Nothing was written: with another key, everybody would "
            "have to log in again."
        ) from None
    except OSError as error:
        raise ConfigError(f"{file} cannot be written ({error.strerror}).") from error
    with os.fdopen(descriptor, "w", encoding="utf-8") as written:
        written.write(Fernet.generate_key().decode() + "\n")
