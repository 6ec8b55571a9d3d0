"""From a category to published links and back, with the commands a user types, on a real wiki."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.mediawiki import ADMIN, HUMAN, Person, Wiki
from wikibot.demo import demo_pages

pytestmark = [pytest.mark.wiki, pytest.mark.timeout(600)]

CATEGORY = "Electromagnetism"


@dataclass(slots=True)
class Operator:
    """Somebody with a folder, a configuration and a terminal."""

    folder: Path
    environment: dict[str, str]

    def wikibot(self, *arguments: str, code: int = 0) -> str:
        """What the command prints; it must end with the code."""
        done = subprocess.run(
            [sys.executable, "-m", "wikibot", *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == code, (arguments, done.stdout, done.stderr)
        return done.stdout

    def report(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self.wikibot(*arguments, "--json", code=code))


@pytest.fixture(scope="module")
def original(shared_wiki: Wiki) -> dict[str, str]:
    """The texts of a category's articles, written by a person."""
    own = f"[[Category:{CATEGORY}]]"
    texts = {page.title: page.text for page in demo_pages() if own in page.text}
    shared_wiki.person(ADMIN).write_pages(texts)
    return texts


def operator_in(folder: Path) -> Operator:
    environment = {**os.environ, "PYWIKIBOT_DIR": str(folder), "WIKIBOT_PAGE_CAP": "10"}
    environment.pop("WIKIBOT_DB", None)
    return Operator(folder, environment)


@pytest.fixture(scope="module")
def learned(
    shared_wiki: Wiki, original: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder whose database holds the category, what was learned of it and its proposals."""
    folder = shared_wiki.pywikibot_folder(tmp_path_factory.mktemp("learned"))
    operator_in(folder).wikibot("run", CATEGORY)
    operator_in(folder).wikibot("suggest", "--min-probability", "0.05")
    return folder


@pytest.fixture
def operator(
    shared_wiki: Wiki, original: dict[str, str], learned: Path, tmp_path: Path
) -> Operator:
    """Somebody who has learned a wiki on whose talk pages nobody has proposed anything yet.

    There are few proposals: a test that uses some up must not take them from the others.
    """
    shared_wiki.person(ADMIN).write_pages({f"Talk:{title}": "Welcome." for title in original})
    return operator_in(shutil.copytree(learned, tmp_path / "operator"))


@pytest.fixture
def reader(shared_wiki: Wiki) -> Person:
    return shared_wiki.person(HUMAN)


def bot_revisions(reader: Person, titles: dict[str, str]) -> list[dict[str, Any]]:
    found = []
    for title in titles:
        found += [row for row in reader.history(title) if row["user"] == "LinkBot"]
    return found


def approve(operator: Operator, count: int) -> list[int]:
    """The best pending proposals, each on a page of its own, are approved."""
    chosen: dict[str, int] = {}
    for line in operator.report("queue", "--limit", "100"):
        chosen.setdefault(line["page"], line["id"])
    numbers = list(chosen.values())[:count]
    for number in numbers:
        operator.wikibot("decide", str(number), "approve", "--reviewer", "Human")
    return numbers


def test_from_a_category_to_published_links_and_back(
    operator: Operator, original: dict[str, str], reader: Person
) -> None:
    earlier = len(bot_revisions(reader, original))
    numbers = approve(operator, 3)
    assert len(numbers) == 3

    dry = operator.report("publish", "--to", "page")
    assert [outcome["state"] for outcome in dry["outcomes"]] == ["would"] * 3
    assert len(bot_revisions(reader, original)) == earlier, "a dry run sends nothing"

    sent = operator.report("publish", "--to", "page", "--yes")
    assert [outcome["state"] for outcome in sent["outcomes"]] == ["done"] * 3
    made = {outcome["revision"] for outcome in sent["outcomes"]}
    revisions = [row for row in bot_revisions(reader, original) if row["revid"] in made]
    assert len(revisions) == 3 and len(bot_revisions(reader, original)) == earlier + 3
    for revision in revisions:
        assert revision["minor"] and "wikibot-" in revision["comment"]
        before = reader.text_of(revision["parentid"])
        after = reader.text_of(revision["revid"])
        assert before in original.values() and len(after) > len(before)
    again = operator.report("publish", "--to", "page", "--yes")
    assert again["outcomes"] == [] and len(bot_revisions(reader, original)) == earlier + 3

    entries = operator.report("log", "--batch", sent["batch"])
    assert {entry["revision"] for entry in entries} == made
    assert all(f"diff={entry['revision']}" in entry["diff_url"] for entry in entries)
    assert {fate["fate"] for fate in operator.report("watch")} == {"kept"}

    operator.wikibot("undo", str(numbers[0]))
    operator.wikibot("undo", "--batch", sent["batch"])
    assert {title: reader.text(title) for title in original} == original, "byte for byte"


def test_answers_given_on_talk_pages_are_published_with_their_authors(
    operator: Operator, original: dict[str, str], reader: Person
) -> None:
    sent = operator.report("publish", "--to", "talk", "--yes", "--trial", "2")
    talks = [outcome["title"] for outcome in sent["outcomes"] if outcome["state"] == "done"]
    assert len(talks) == 2 and all(talk.startswith("Talk:") for talk in talks)
    for talk in talks:
        text = reader.text(talk) or ""
        reader.write(talk, text.replace("* [ ]", "* [yes]", 1).replace("* [ ]", "* [no: common]"))
    collected = operator.report("collect")
    assert {answer["user"] for answer in collected["answers"]} == {"Human"}
    assert sum(answer["verdict"] == "approve" for answer in collected["answers"]) == 2
    for talk in talks:
        assert "have been decided" in (reader.text(talk) or "")

    published = operator.report("publish", "--to", "page", "--yes")
    assert [outcome["state"] for outcome in published["outcomes"]] == ["done"] * 2
    for talk in talks:
        newest = reader.history(talk.removeprefix("Talk:"))[0]
        assert "approved by [[User:Human|Human]]" in newest["comment"]
    operator.wikibot("undo", "--batch", published["batch"])
    assert {title: reader.text(title) for title in original} == original


def test_a_scheduled_run_is_silent_and_safe_to_repeat(
    operator: Operator, original: dict[str, str], reader: Person
) -> None:
    scheduled = ("run", CATEGORY, "--publish", "talk", "--trial", "1", "--quiet")
    assert operator.wikibot(*scheduled) == ""
    before = bot_revisions(reader, {f"Talk:{title}": "" for title in original})
    assert operator.wikibot(*scheduled) == ""
    after = bot_revisions(reader, {f"Talk:{title}": "" for title in original})
    assert len(after) - len(before) <= 1, "at most the next page's section"
    for title in original:
        assert (reader.text(f"Talk:{title}") or "").count("wikibot:section") <= 1
    assert {title: reader.text(title) for title in original} == original
