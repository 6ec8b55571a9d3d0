"""Is there a wiki at this address? And if nobody answers, why, in words that help.

Asked without pywikibot, which would read its configuration before there is one.
"""

from __future__ import annotations

import re
from typing import Any

from wikibot import __version__
from wikibot.errors import ConfigError, WikiUnavailable

TIMEOUT_S = 30
UNKNOWN_HOST = "is not known on the network; check the address and your connection."
# What the network libraries say, and what it means to a person; the first that fits is told.
NETWORK_ERRORS = {
    "NameResolutionError": UNKNOWN_HOST,
    "Name or service not known": UNKNOWN_HOST,
    "Connection refused": "refuses the connection; check the address, or whether the wiki is down.",
    "CERTIFICATE_VERIFY_FAILED": "has a certificate that cannot be trusted; check the address.",
    "SSLError": "does not answer to https; check whether the address begins with http.",
    "ConnectTimeout": "took too long.",
    "Read timed out": "took too long.",
    "Max retries exceeded": "cannot be reached; check the address and your connection.",
    "Maximum retries attempted": "was asked several times in vain.",
}


def network_reason(error: BaseException) -> str:
    """Why a request got no answer, with the host if it is known; empty for any other error.

    >>> network_reason(OSError("https://wiki.example.org/w/: Connection refused"))
    'wiki.example.org refuses the connection; check the address, or whether the wiki is down.'
    >>> network_reason(ValueError("no number"))
    ''
    """
    text = str(error)
    meaning = next((NETWORK_ERRORS[sign] for sign in NETWORK_ERRORS if sign in text), "")
    found = re.search(r"host='([^']+)'|https?://([^/\s'\"]+)", text)
    host = (found[1] or found[2]) if found else "it"
    return f"{host} {meaning}" if meaning else ""


def name_of_wiki(api: str) -> str:
    """What the wiki at this api.php calls itself; refuses an address at which there is none."""
    try:
        said = _ask(f"{api}?action=query&meta=siteinfo&format=json").json()
        # A private wiki tells its name to its readers only.
        return api if "error" in said else str(said["query"]["general"]["sitename"])
    except (ValueError, KeyError, TypeError):
        raise ConfigError(
            f"{api} is not the api.php of a MediaWiki. Nothing was changed; check the address."
        ) from None


def _ask(url: str) -> Any:
    """The answer to one plain request; refuses in one sentence where nobody answers."""
    import requests

    try:
        return requests.get(
            url, headers={"user-agent": f"wikibot/{__version__}"}, timeout=TIMEOUT_S
        )
    except requests.RequestException as error:
        reason = network_reason(error) or str(error).splitlines()[0]
        raise WikiUnavailable(f"No wiki answered: {reason} Nothing was changed.") from error
