"""`wikibot why` on a small wiki: from titles to an answer in words, for pages and for drafts."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import update

from tests.fetch.exports import write_export
from tests.linker.rivers import NAMES, RIVERS, every_proposal
from wikibot.cli import cli
from wikibot.errors import BadInput, ModelError
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.i18n import texts
from wikibot.linker.policy import BY_NAME
from wikibot.linker.why import LINKED, NO_NAME, NO_PLACE
from wikibot.manual_links import HAND_RULES
from wikibot.never_list import read_page_list
from wikibot.store import Store, decisions, never_links, open_store, queue, wiki_settings
from wikibot.store.decisions import Voice
from wikibot.store.tables import Page, Suggestion
from wikibot.store.wiki_settings import KeptSettings
from wikibot.suggest import suggest
from wikibot.train import train
from wikibot.why import Why, why_missing, why_missing_in_draft
from wikibot.why.texts import ANSWERS, STATES
from wikibot.wikitext import SiteRules
from wikibot.wikitext.page import OBSTACLES

pytestmark = pytest.mark.slow
ANN = Voice("Ann", "command")
FAR = ("River Ala", f"River {NAMES[-9]}")  # mentioned and not linked
MORE = {
    "Stream Ala": "#REDIRECT [[River Ala]]",
    "Ala": "{{disambiguation}} [[River Ala]] or [[Sea]].",
    "Spring": "The spring.\n\n== The sea ==\nIt is wet.",
    "Closed": "{{nobots}} The sea is here.",
}


@pytest.fixture(scope="module")
def proposed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("why")
    with open_store(folder / "w.db", create=True) as store:
        export = write_export(folder / "rivers.xml", RIVERS | MORE)
        fetch_export(store, ExportOptions(export, processes=1))
        train(store)
        suggest(store, settings=every_proposal())
    return folder


@pytest.fixture
def store(proposed: Path, tmp_path: Path) -> Iterator[Store]:
    shutil.copytree(proposed, tmp_path, dirs_exist_ok=True)
    with open_store(tmp_path / "w.db") as opened:
        yield opened


def why(store: Store, page: str, target: str, **settings: Any) -> Why:
    return why_missing(store, page, target, settings=every_proposal(**settings))


def forget_queue(store: Store) -> None:
    """The queue as it is after a withdrawal: the scorer is asked."""
    with store.writing() as session:
        session.execute(update(Suggestion).values(state="stale"))


def change(store: Store, title: str, **values: object) -> None:
    with store.writing() as session:
        session.execute(update(Page).where(Page.title == title).values(**values))


def test_why_says_proposed_of_all_that_waits_and_of_nothing_else(store: Store) -> None:
    with store.reading() as session:
        waiting = {(one.page, one.target): one for one in queue.every_line(session, queue.Filters(1))}  # fmt: skip
    assert FAR in waiting
    for page in ("River Ala", "River Alen", "Sea", "Spring"):
        for target in RIVERS:
            found = why(store, page, target)
            assert found.is_proposed == ((page, target) in waiting), (page, target, found.cause)
            if found.is_proposed:
                line = waiting[page, target]
                assert (found.proposal, found.probability) == (line.id, line.probability)
                assert found.places[0].words == line.anchor


def test_what_the_scorer_says_is_what_the_queue_held(store: Store) -> None:
    with store.reading() as session:
        lines = list(queue.every_line(session, queue.Filters(1)))
    forget_queue(store)
    for line in lines[:8]:
        found = why(store, line.page, line.target)
        assert (found.cause, found.places[0].start) == ("would-be", line.start)
        assert found.probability == pytest.approx(line.probability, abs=1e-4)
        assert list(found.reasons) == line.reasons


@pytest.mark.parametrize(
    ("verdict", "cause"),
    [("approve", "approved"), ("reject", "rejected"), ("skip", "skipped")],
)
def test_a_decision_says_who_made_it_and_when(store: Store, verdict: str, cause: str) -> None:
    number = why(store, *FAR).proposal
    assert number is not None
    with store.writing() as session:
        decisions.decide(session, number, verdict, ANN)
    found = why(store, *FAR)
    assert (found.cause, found.proposal) == (cause, number)
    assert f"Ann, {ANN.time:%Y-%m-%d}" in found.answer
    assert f"{number}" in found.answer and found.remedy


@pytest.mark.parametrize("state", ["published", "kept", "reverted", "undone"])
def test_what_was_sent_to_the_wiki_is_told(store: Store, state: str) -> None:
    with store.writing() as session:
        session.execute(update(Suggestion).values(state=state))
    assert why(store, *FAR).cause == STATES.get(state, state)


@pytest.mark.parametrize(
    ("page", "target", "cause"),
    [
        ("River Ala", "Rhine", "unknown-target"),
        ("River Ala", "River Ala", "self-link"),
        ("River Ala", "Ala", "disambiguation"),
        ("River Ala", "Sea", LINKED),
        ("Spring", "Sea", NO_PLACE),
        ("Sea", "Mill", NO_NAME),
        ("Closed", "Sea", "closed"),
        ("Ala", "Mill", "page-disambiguation"),
    ],
)
def test_each_cause_has_its_answer(store: Store, page: str, target: str, cause: str) -> None:
    found = why(store, page, target)
    assert found.cause == cause
    assert not found.is_proposed
    assert "{" not in found.answer.replace("{{nobots}}", "") and "{" not in found.remedy


def test_a_name_in_a_heading_is_shown_with_its_line(store: Store) -> None:
    found = why(store, "Spring", "Sea")
    assert "in a heading" in found.answer
    assert found.places[0].sentence == "== The sea =="


def test_a_redirect_is_followed_and_said(store: Store) -> None:
    found = why(store, "River Alen", "stream_Ala")
    assert found.target == "River Ala"
    assert found.note is not None and "“Stream Ala” redirects to “River Ala”" in found.note


def test_known_names_are_listed_where_none_stands_on_the_page(store: Store) -> None:
    found = why(store, "Sea", "River Ala")
    assert found.names == ("River Ala", "Stream Ala")
    assert "River Ala, Stream Ala" in found.answer


def test_an_unknown_page_is_refused_with_what_may_be_meant(store: Store) -> None:
    with pytest.raises(BadInput, match=r"no page “River Alla”.*Did you mean River Ala"):
        why(store, "River Alla", "Sea")
    assert "Did you mean River Ala" in why(store, "Sea", "River Alla").answer


def test_a_page_that_was_edited_just_now_or_is_outside_the_set_says_so(store: Store) -> None:
    forget_queue(store)
    change(store, "River Ala", timestamp=datetime.now(timezone.utc) - timedelta(hours=1))
    assert why(store, *FAR, quiet_hours=24).cause == "edited-just-now"
    assert why(store, *FAR).cause == "would-be"
    change(store, "River Ala", in_set=False)
    assert why(store, *FAR).cause == "not-in-set"


def test_what_is_set_on_the_wiki_is_an_answer_as_well(store: Store) -> None:
    forget_queue(store)
    now = datetime.now(timezone.utc)
    change(store, "River Ala", timestamp=now)
    with store.writing() as session:
        kept = KeptSettings("Project:Bot.json", 1, "Admin", {"quiet_hours": 6}, [], now)
        wiki_settings.keep(session, 1, kept)
    found = why(store, *FAR)
    assert found.cause == "edited-just-now" and "within the last 6 hours" in found.answer
    with store.writing() as session:
        given = {"min_probability": 1}
        wiki_settings.keep(session, 1, kept._replace(given=given))
    assert why(store, *FAR).cause == "unlikely"
    draft = f"The boats go to {FAR[1]}."
    assert why_missing_in_draft(store, draft, FAR[1], settings=every_proposal()).cause != "set"
    with store.writing() as session:
        wiki_settings.keep(session, 1, kept._replace(given={}))
        entries = read_page_list(f"* [[{FAR[1]}]]", SiteRules.for_language("en"))
        never_links.keep_listed(session, 1, "settings page", entries, added_by="Project:Bot.json")
    found = why(store, *FAR)
    assert found.cause == "never-list"
    assert "on the settings page Project:Bot.json of the wiki" in found.answer + found.remedy


def test_a_page_that_cannot_be_read_says_so(store: Store) -> None:
    forget_queue(store)
    change(store, "River Ala", problem="The wikitext parser gave up.")
    found = why(store, *FAR)
    assert found.cause == "unreadable" and "gave up" in found.answer


def test_too_low_a_probability_names_a_command_that_proposes_it(store: Store) -> None:
    forget_queue(store)
    found = why(store, *FAR, min_probability=0.999)
    assert found.cause == "unlikely" and found.probability is not None
    assert "99.9 in 100 are asked for" in found.answer
    least = float(found.remedy.rpartition("--min-probability ")[2].rstrip("`."))
    assert found.probability - 0.01 <= least <= found.probability
    assert why(store, *FAR, min_probability=least).cause == "would-be"


def test_a_rule_names_the_setting_that_switches_it_off(store: Store) -> None:
    forget_queue(store)
    with store.writing() as session:
        text = f"The River {NAMES[-9]}-like stream."
        session.execute(update(Page).where(Page.title == "River Ala").values(wikitext=text))
    found = why(store, *FAR)
    assert found.cause == "compound" and "suggest.rules_off: compound" in found.remedy
    assert why(store, *FAR, rules_off="compound").cause == "would-be"


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        ("word", f"river {NAMES[-9].upper()}", "the words"),
        ("target", f"River {NAMES[-9]}", "links to"),
        ("page", "Stream Ala", "proposals on"),
    ],
)
def test_the_entry_of_the_never_list_is_named(store: Store, kind: str, value: str, said: str) -> None:  # fmt: skip
    with store.writing() as session:
        never_links.never_link(session, 1, kind, value, ANN)
    found = why(store, *FAR)
    assert found.cause == "never-list"
    assert f"{said} “{value}”" in found.answer and "Never link" in found.remedy


def test_a_limit_says_how_many_fit(store: Store) -> None:
    forget_queue(store)
    text = " ".join(f"The River {name} is long." for name in NAMES[5:25])
    change(store, "River Ala", wikitext=text)
    causes = {f"River {name}": why(store, "River Ala", f"River {name}", per_page=2) for name in NAMES[5:25]}  # fmt: skip
    assert [found.cause for found in causes.values()].count("would-be") == 2
    refused = next(found for found in causes.values() if found.cause == "limit")
    assert "at most 2 proposals" in refused.answer
    one = why(store, "River Ala", refused.target, per_paragraph=1)
    assert (one.cause, "at most 1 proposals" in one.answer) == ("paragraph-limit", True)


def test_a_draft_is_asked_about_as_it_is_linked(store: Store) -> None:
    text = f"The River {NAMES[3]} and the River {NAMES[5]}-like one."
    asked = {n: why_missing_in_draft(store, text, f"River {NAMES[n]}", settings=every_proposal()) for n in (3, 5, 7)}  # fmt: skip
    assert {n: found.cause for n, found in asked.items()} == {3: "set", 5: "compound", 7: NO_NAME}
    assert asked[3].is_proposed and asked[3].page == "draft"


def test_nothing_learned_yet_is_said(tmp_path: Path) -> None:
    with open_store(tmp_path / "w.db", create=True) as store:
        export = write_export(tmp_path / "rivers.xml", RIVERS)
        fetch_export(store, ExportOptions(export, processes=1))
        with pytest.raises(ModelError, match="wikibot train"):
            why(store, *FAR)
        assert why(store, "Sea", "Sea").cause == "self-link"


def test_asking_changes_nothing(store: Store) -> None:
    before = (store.folder.parent / "w.db").read_bytes()
    why(store, *FAR)
    why(store, "Sea", "Mill")
    assert (store.folder.parent / "w.db").read_bytes() == before


def run(store: Store, *words: str, **more: Any) -> Result:
    return CliRunner().invoke(cli, ["why", *words, "--db", str(store.folder.parent / "w.db")], **more)  # fmt: skip


def test_the_command_answers_in_a_few_lines(store: Store) -> None:
    lines = run(store, *FAR).output.splitlines()
    assert lines[0] == f"{FAR[0]} → {FAR[1]}"
    assert lines[1].startswith("It is proposed: proposal ")
    assert f"[{FAR[1]}]" in lines[2]
    assert lines[-1].startswith("What would change that: ")


def test_the_command_gives_json(store: Store) -> None:
    found = json.loads(run(store, "Sea", "Mill", "--json").output)
    assert (found["cause"], found["is_proposed"], found["names"]) == (NO_NAME, False, ["Mill"])
    assert found["answer"].startswith("No name of “Mill”")


def test_the_command_reads_a_draft_from_a_file_or_standard_input(store: Store, tmp_path: Path) -> None:  # fmt: skip
    draft = tmp_path / "draft.wiki"
    draft.write_text("The hill.", encoding="utf-8")
    assert "No name of “Sea” stands on “draft”" in run(store, "--file", str(draft), "Sea").output
    assert "links to “Sea” already" in run(store, "--file", "-", "Sea", input="The [[sea]].").output


def test_the_command_ends_with_codes_that_tell_an_answer_from_a_mistake(store: Store) -> None:
    assert run(store, "Sea", "Rhine").exit_code == 0
    assert isinstance(run(store, "Rhine", "Sea").exception, BadInput)
    assert run(store, "Sea").exit_code == 2
    assert run(store, "--file", "x", "Sea", "Mill").exit_code == 2


def test_every_rule_and_every_obstacle_has_words() -> None:
    assert BY_NAME.keys() <= ANSWERS.keys() | set(HAND_RULES)
    assert {f"why-place-{name.replace(' ', '-')}" for name in OBSTACLES} <= texts("en").keys()
