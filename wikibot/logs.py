"""The service's log: a line for each event, for people or as JSON, and never a token in it."""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import datetime, timezone

HIDDEN = "…"
LONGEST = 20_000
# What a token looks like wherever it may stand: after its kind, or after its name.
_SECRETS = re.compile(
    r"(?i)(bearer\s+|(?:access_token|refresh_token|client_secret|code_verifier|password|token|code|state)"
    r"[\"']?\s*[=:]\s*[\"']?)[^\s\"'&,;)}\]]+"
)
_PASSWORDS = re.compile(r"(://[^\s/:@]{0,255}:)[^\s/@]{1,1000}@")


def without_secrets(text: str) -> str:
    """The text with whatever looks like a token or a password taken out.

    >>> without_secrets("Authorization: Bearer abc.def, and ?code=77&title=A")
    'Authorization: Bearer …, and ?code=…&title=A'
    >>> without_secrets("postgresql://me:secret@host/db")
    'postgresql://me:…@host/db'
    """
    hidden = _SECRETS.sub(rf"\g<1>{HIDDEN}", text[:LONGEST])
    return _PASSWORDS.sub(rf"\g<1>{HIDDEN}@", hidden)


class TextFormat(logging.Formatter):
    """A line for people."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


class JsonFormat(logging.Formatter):
    """A line of JSON: time, level, logger, message, what the event tells besides, and the error."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, timezone.utc)
        line = {
            "time": moment.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
            "process": record.process,
            **getattr(record, "told", {}),
        }
        if record.exc_info:
            line["error"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=str)


def format_named(name: str) -> logging.Formatter:
    """The way of writing that the setting serve.log_format names."""
    return JsonFormat() if name == "json" else TextFormat()


def set_up_log(log_format: str) -> None:
    """What this program and its libraries have to say goes to standard error, in one format."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(format_named(log_format))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("wikibot").setLevel(logging.INFO)
