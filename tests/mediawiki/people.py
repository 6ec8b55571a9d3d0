"""Other people on the wiki: they read and edit through the API, with nothing of the bot's code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import requests


class ApiError(Exception):
    """The wiki answered a person with an error; `code` is MediaWiki's own."""

    def __init__(self, code: str, info: str) -> None:
        super().__init__(f"{code}: {info}")
        self.code = code


@dataclass(slots=True)
class Person:
    """A logged-in account (or nobody) with a session of its own."""

    api: str
    name: str
    session: requests.Session
    edit_token: str = ""

    @classmethod
    def log_in(cls, api: str, *, name: str, password: str) -> Person:
        person = cls(api, name, requests.Session())
        token = person.token("login")
        answer = person.post("login", lgname=name, lgpassword=password, lgtoken=token)
        assert answer["login"]["result"] == "Success", answer
        return person

    @classmethod
    def anonymous(cls, api: str) -> Person:
        return cls(api, "", requests.Session())

    def get(self, **parameters: object) -> dict[str, Any]:
        return self.read(self.session.get(self.api, params=api_form(parameters), timeout=60))

    def post(self, action: str, **parameters: object) -> dict[str, Any]:
        form = api_form({"action": action, **parameters})
        return self.read(self.session.post(self.api, data=form, timeout=60))

    def read(self, response: requests.Response) -> dict[str, Any]:
        response.raise_for_status()
        answer: dict[str, Any] = response.json()
        if "error" in answer:
            raise ApiError(answer["error"]["code"], answer["error"]["info"])
        return answer

    def query(self, **parameters: object) -> dict[str, Any]:
        answer: dict[str, Any] = self.get(action="query", **parameters)["query"]
        return answer

    def token(self, kind: str = "csrf") -> str:
        return str(self.query(meta="tokens", type=kind)["tokens"][f"{kind}token"])

    def do(self, action: str, **parameters: object) -> dict[str, Any]:
        """ACTION with an edit token: protect, delete, move, block, managetags, ..."""
        self.edit_token = self.edit_token or self.token()
        return self.post(action, token=self.edit_token, **parameters)

    def write(self, title: str, text: str, *, summary: str = "", **more: object) -> int:
        """TITLE holds TEXT; the number of its newest revision."""
        edit = self.do("edit", title=title, text=text, summary=summary, **more)["edit"]
        assert edit["result"] == "Success", edit
        return int(edit["newrevid"]) if "newrevid" in edit else self.history(title)[0]["revid"]

    def write_pages(self, pages: dict[str, str]) -> None:
        """Each of PAGES, title to text, is on the wiki."""
        for title, text in pages.items():
            self.do("edit", title=title, text=text)

    def text(self, title: str) -> str | None:
        """The current wikitext of TITLE, None if there is no such page."""
        page = self.revisions(title, rvlimit=1, rvprop="content", rvslots="main")
        if "missing" in page:
            return None
        return str(page["revisions"][0]["slots"]["main"]["content"])

    def history(self, title: str) -> list[dict[str, Any]]:
        """The revisions of TITLE, newest first: revid, parentid, user, comment, sha1, tags, ..."""
        properties = "ids|timestamp|user|comment|sha1|flags|tags|size"
        page = self.revisions(title, rvlimit="max", rvprop=properties)
        return list(page.get("revisions", []))

    def text_of(self, revid: int) -> str:
        """The wikitext of one revision."""
        answer = self.query(prop="revisions", revids=revid, rvprop="content", rvslots="main")
        return str(answer["pages"][0]["revisions"][0]["slots"]["main"]["content"])

    def revisions(self, title: str, **parameters: object) -> dict[str, Any]:
        answer = self.query(prop="revisions", titles=title, **parameters)
        page: dict[str, Any] = answer["pages"][0]
        return page

    def recent_changes(self, **parameters: object) -> list[dict[str, Any]]:
        """What the wiki's patrollers see, newest first, with the bot and minor flags."""
        properties = "user|title|flags|ids|comment|tags"
        answer = self.query(list="recentchanges", rcprop=properties, rclimit="max", **parameters)
        return list(answer["recentchanges"])


def api_form(parameters: dict[str, object]) -> dict[str, object]:
    """PARAMETERS as api.php reads them: true means present, false means absent."""
    given = {key: value for key, value in parameters.items() if value not in (None, False)}
    plain = {key: "1" if value is True else value for key, value in given.items()}
    return {**plain, "format": "json", "formatversion": 2}
