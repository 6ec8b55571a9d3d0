"""Settings on a page of the wiki: checked, bounded, and never looser than the operator's."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.mediawiki import ADMIN, HUMAN, Wiki
from wikibot.config import load_settings
from wikibot.wiki_settings import LONGEST_BYTES, narrowed, read_settings

TITLE = "Project:Wikibot settings.json"


def in_force(given: dict[str, Any], **operator: Any) -> Any:
    read = read_settings(json.dumps(given))
    assert not read.problems
    return narrowed(load_settings(environ={}, **operator), read.given, TITLE)


def test_lists_grow_and_limits_shrink() -> None:
    found = in_force(
        {"excluded_templates": ["Stub"], "daily_cap": 5, "min_probability": 0.9, "per_page": 3},
        excluded_templates="Infobox",
    )
    assert found.text("excluded_templates") == "Infobox, Stub"
    assert (found.whole("daily_cap"), found.whole("per_page")) == (5, 3)
    assert found.number("min_probability") == 0.9 and found.origin("daily_cap") == TITLE


def test_no_limit_of_the_operator_is_loosened() -> None:
    found = in_force(
        {"daily_cap": 5000, "min_probability": 0.1, "per_page": 9, "revert_limit": 50},
        daily_cap=20, min_probability=0.7, per_page=2,
    )  # fmt: skip
    assert (found.whole("daily_cap"), found.whole("per_page")) == (20, 2)
    assert found.number("min_probability") == 0.7 and found.whole("revert_limit") == 3
    assert found.origin("daily_cap") == "command line"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not JSON"),
        ("[]", "must be a JSON object"),
        ("[" * 60_000, "is not JSON"),
        ('{"daily_cap": NaN}', "is not JSON"),
        (" " * (LONGEST_BYTES + 1), "longer than"),
        ('{"db": "postgresql://evil"}', "“db” is not a setting"),
        ('{"shutoff_page": "x"}', "is not a setting"),
        ('{"daily_cap": 0}', "must be a whole number from 1"),
        ('{"daily_cap": true}', "must be a whole number"),
        ('{"daily_cap": "5"}', "must be a whole number"),
        ('{"min_probability": 2}', "must be a number"),
        ('{"excluded_sections": "Notes"}', "must be a list"),
        ('{"excluded_sections": ["a,b"]}', "without commas"),
        ('{"never_link": ["a\\nb"]}', "one line"),
        ('{"summary": 7}', "must be a text"),
        ('{"messages": []}', "must be an object"),
    ],
)
def test_what_cannot_be_used_is_told_in_a_sentence_and_nothing_of_it_counts(
    text: str, says: str
) -> None:
    read = read_settings(text)
    assert read.given == {} and len(read.problems) == 1
    assert says in read.problems[0] and read.problems[0].endswith(".")


def test_one_wrong_setting_makes_the_whole_page_wait() -> None:
    read = read_settings('{"daily_cap": 5, "daily_cup": 5, "page_cap": -1}')
    assert read.given == {} and len(read.problems) == 2


def test_a_page_of_the_greatest_length_is_read_in_no_time() -> None:
    begun = time.process_time()
    read_settings(json.dumps({f"k{number}": number for number in range(4_000)})[:LONGEST_BYTES])
    assert time.process_time() - begun < 2


@pytest.mark.wiki
def test_only_what_an_administrator_wrote_last_is_in_force(
    shared_wiki: Wiki, tmp_path: Any
) -> None:
    """On a real wiki: an administrator, somebody else, the administrator again with a mistake."""
    from tests.publish.world import World
    from wikibot.publish.settings_page import refresh
    from wikibot.site.connect import connect
    from wikibot.site.reading import WikiReader
    from wikibot.store import wiki_settings
    from wikibot.store.never_links import entries
    from wikibot.store.pages import wikis

    admin, human = shared_wiki.person(ADMIN), shared_wiki.person(HUMAN)
    world = World.make(shared_wiki, human, tmp_path / "w.db")
    with world.store.reading() as session:
        (wiki,) = wikis(session)
    reader = WikiReader(connect(url=shared_wiki.api))

    settings = load_settings(environ={}, settings_page="Project:Bot.json")

    def read() -> tuple[list[str], dict[str, Any]]:
        now = refresh(world.store, wiki, reader, settings)
        assert now is not None
        with world.store.reading() as session:
            return now.problems, wiki_settings.given(session, wiki.id)

    good = {"daily_cap": 7, "never_link": ["page: [[Sand]]", "water"]}
    assert read() == ([], {}), "there is no page yet"
    admin.write("Project:Bot.json", json.dumps(good))
    assert read() == ([], good)
    with world.store.reading() as session:
        listed = {(one.kind, one.value) for one in entries(session, wiki.id)}
    assert listed == {("page", "Sand"), ("word", "water")}
    human.write("Project:Bot.json", json.dumps({"daily_cap": 1000}))
    problems, given = read()
    assert given == good and "Human edited the page last" in problems[0]
    admin.write("Project:Bot.json", json.dumps({"messages": {"added": "{nonsense}"}}))
    problems, given = read()
    assert given == good and "braces that cannot be filled" in problems[0]
    admin.write("Project:Bot.json", "{}")
    assert read() == ([], {})
    with world.store.reading() as session:
        assert entries(session, wiki.id) == []
    world.store.close()
