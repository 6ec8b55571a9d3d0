"""The wiki as somebody who has logged in to the service: a token instead of a password.

pywikibot knows one account in a process, so that this belongs into a process of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from wikibot.errors import AccountRefused
from wikibot.message import message
from wikibot.site import connect


@dataclass(frozen=True, slots=True)
class BearerLogin:
    """An account and the token that the wiki knows it by; `contact` is for the wiki's operators."""

    api_url: str
    name: str
    contact: str
    token: str = field(repr=False)
    edit_interval_s: float = 5.0

    def open_site(self) -> connect.Site:
        """The wiki; every request to it carries the token, and none to another place."""
        pywikibot = connect.load_pywikibot()
        from pywikibot import config
        from pywikibot.comms import http

        config.user_agent_description = self.contact
        config.put_throttle = self.edit_interval_s
        http.cookie_jar.clear()
        http.session.auth = BearerAuth(self.api_url.removesuffix("api.php"), self.token)
        with connect.told_plainly():
            return pywikibot.Site(url=self.api_url, user=self.name)

    def log_in(self, site: connect.Site) -> connect.Account:
        """The account with its rights; refuses where the wiki takes us for somebody else."""
        with connect.told_plainly():
            site.login()
        found = connect.account(site)
        if found.name != self.name:
            raise AccountRefused(message("login-not-taken", self.name))
        return found


class BearerAuth:
    """Puts the token on requests below one address."""

    def __init__(self, base: str, token: str) -> None:
        self._base, self._token = base, token

    def __call__(self, request: Any) -> Any:
        if str(request.url).startswith(self._base):
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request
