"""What the wiki's administrators have set on a page of the wiki, as it was read last."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from wikibot.message import restored, stored
from wikibot.store.task_tables import WikiSettings


class KeptSettings(NamedTuple):
    """`given` is from the newest revision that could be used, `problems` from the newest of all."""

    title: str
    revision_id: int
    author: str
    given: dict[str, Any]
    problems: list[str]
    read_at: datetime


def kept(session: Session, wiki_id: int) -> KeptSettings | None:
    """The settings of a wiki; None where none were read yet."""
    columns = [getattr(WikiSettings, name) for name in KeptSettings._fields]
    row = session.execute(select(*columns).where(WikiSettings.wiki_id == wiki_id)).first()
    if row is None:
        return None
    found = KeptSettings(*row)
    return found._replace(problems=[restored(problem) for problem in found.problems])


def given(session: Session, wiki_id: int) -> dict[str, Any]:
    """What is in force; empty where nothing was set."""
    found = kept(session, wiki_id)
    return found.given if found else {}


def keep(session: Session, wiki_id: int, now: KeptSettings) -> None:
    """The page says so now."""
    forget(session, wiki_id)
    problems = [stored(problem) for problem in now.problems]
    row = {**now._asdict(), "given": dict(now.given), "problems": problems}
    session.execute(insert(WikiSettings).values(wiki_id=wiki_id, **row))


def forget(session: Session, wiki_id: int) -> None:
    """Nothing is set on the wiki."""
    session.execute(delete(WikiSettings).where(WikiSettings.wiki_id == wiki_id))
