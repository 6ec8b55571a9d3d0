"""Suggesting on a small wiki, from the pages in the database to the rows in the queue."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import update

from tests.linker.rivers import NAMES, every_proposal, rivers_store
from wikibot.audit import BAD, audit, draw, record
from wikibot.errors import BadInput, ModelError
from wikibot.link import linked_draft
from wikibot.linker.acceptance import FEWEST_DECISIONS
from wikibot.store import Store, open_store, queue, wiki_settings
from wikibot.store.decisions import Voice, decide
from wikibot.store.never_links import keep_listed
from wikibot.store.pages import article_titles
from wikibot.store.suggestions import verdicts
from wikibot.store.tables import Page
from wikibot.store.wiki_settings import KeptSettings
from wikibot.suggest import EVERYTHING, SuggestReport, Wanted, suggest
from wikibot.train import acceptance_in_words, train

pytestmark = pytest.mark.slow
ANN = Voice("Ann", "command")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rivers")
    with rivers_store(folder) as store:
        train(store)
    return folder


@pytest.fixture
def store(trained: Path, tmp_path: Path) -> Iterator[Store]:
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)
    with open_store(tmp_path / "w.db") as opened:
        yield opened


def propose(store: Store, wanted: Wanted = EVERYTHING, **settings: object) -> SuggestReport:
    return suggest(store, wanted=wanted, settings=every_proposal(**settings))


def pairs(store: Store, state: str = "pending") -> set[tuple[str, str]]:
    with store.reading() as session:
        lines = queue.every_line(session, queue.Filters(1, state))
        return {(line.page, line.target) for line in lines}


def say(store: Store, verdict: str) -> tuple[str, str]:
    """The first proposal of the queue is decided; returns its pair."""
    with store.writing() as session:
        line = queue.lines(session, queue.Filters(1), limit=1)[0]
        decide(session, line.id, verdict, ANN)
        return line.page, line.target


def test_far_rivers_are_proposed_where_they_are_only_mentioned(store: Store) -> None:
    assert propose(store).new > 5
    far = {(f"River {name}", f"River {NAMES[n - 9]}") for n, name in enumerate(NAMES) if not n % 2}
    assert pairs(store) <= far


def test_running_twice_proposes_nothing_new(store: Store) -> None:
    propose(store)
    before = pairs(store)
    again = propose(store)
    assert (again.new, again.refreshed, again.withdrawn) == (0, 0, 0)
    assert pairs(store) == before


@pytest.mark.parametrize("verdict", ["approve", "reject", "skip"])
def test_what_was_decided_does_not_come_back_even_after_training(
    store: Store, verdict: str
) -> None:
    propose(store)
    decided = say(store, verdict)
    before = pairs(store)
    train(store)
    assert propose(store).new == 0
    assert decided not in pairs(store)
    assert pairs(store) <= before


def test_only_the_page_the_target_or_the_targets_of_a_file_that_are_asked_for(store: Store) -> None:
    propose(store, Wanted(pages=("River Ala",)))
    assert {page for page, _ in pairs(store)} == {"River Ala"}
    propose(store, Wanted(targets=(f"River {NAMES[-5]}",)))
    assert len({target for _, target in pairs(store)}) == 2


def test_a_page_or_target_that_is_not_there_is_refused(store: Store) -> None:
    with pytest.raises(BadInput, match='no page "Rhine"'):
        propose(store, Wanted(pages=("Rhine",)))
    with pytest.raises(BadInput, match="Nothing was proposed"):
        propose(store, Wanted(targets=("Rhine",)))
    assert pairs(store) == set()


def test_sections_that_are_excluded_get_no_proposals(store: Store) -> None:
    assert propose(store, excluded_sections="Fish, length").new == 0


def test_the_queue_follows_the_settings_when_everything_is_asked_for(store: Store) -> None:
    propose(store)
    before = pairs(store)
    say(store, "approve")
    waiting = pairs(store)
    page, _ = min(waiting)
    propose(store, Wanted(pages=(page,)), excluded_sections="length")
    assert pairs(store) == waiting, "a narrow question withdraws nothing"
    assert propose(store, excluded_sections="length").withdrawn == len(waiting)
    assert pairs(store) == set() and pairs(store, "approved") == before - waiting
    again = propose(store)
    assert (again.new, again.refreshed) == (0, len(waiting))
    assert pairs(store) == waiting


def test_pages_that_were_edited_just_now_are_left_alone(store: Store) -> None:
    hour_ago = datetime.now(timezone.utc) - timedelta(hours=1)
    with store.writing() as session:
        session.execute(update(Page).where(Page.title == "River Ala").values(timestamp=hour_ago))
    propose(store, quiet_hours=24)
    assert pairs(store) and "River Ala" not in {page for page, _ in pairs(store)}
    propose(store)
    assert "River Ala" in {page for page, _ in pairs(store)}


def test_a_page_asked_for_by_name_may_be_new_but_not_closed_to_bots(store: Store) -> None:
    now = datetime.now(timezone.utc)
    with store.writing() as session:
        session.execute(update(Page).where(Page.title == "River Ala").values(timestamp=now))
    assert propose(store, Wanted(pages=("River Ala",)), quiet_hours=24).new > 0
    with store.writing() as session:
        row = update(Page).where(Page.title == "River Corom")
        session.execute(row.values(exclusion="{{nobots}}"))
    with pytest.raises(BadInput, match=r"River Corom.* asks bots to stay away: \{\{nobots\}\}"):
        propose(store, Wanted(pages=("River Corom",)))
    propose(store)
    assert "River Corom" not in {page for page, _ in pairs(store)}


def test_what_is_set_on_the_wiki_narrows_the_queue(store: Store) -> None:
    now = datetime.now(timezone.utc)
    with store.writing() as session:
        session.execute(update(Page).where(Page.title == "River Ala").values(timestamp=now))
        given = {"quiet_hours": 24, "per_page": 1}
        kept = KeptSettings("Project:Bot.json", 1, "Admin", given, [], now)
        wiki_settings.keep(session, 1, kept)
    propose(store)
    titles = [page for page, _ in pairs(store)]
    assert titles and len(titles) == len(set(titles)) and "River Ala" not in titles


def test_a_never_link_file_holds_and_its_queue_follows(store: Store, tmp_path: Path) -> None:
    never = tmp_path / "never.txt"
    never.write_text("page: River Ala  # sacred\n[[River Corom]]\n", encoding="utf-8")
    propose(store)
    before = pairs(store)
    propose(store, never_link_file=str(never))
    gone = before - pairs(store)
    assert gone == {pair for pair in before if pair[0] == "River Ala" or pair[1] == "River Corom"}
    assert gone
    propose(store)
    assert pairs(store) == before


def test_a_never_link_file_that_cannot_be_read_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        propose(store, never_link_file=str(tmp_path / "none.txt"))


def test_a_rule_that_does_not_exist_is_named(store: Store) -> None:
    with pytest.raises(BadInput, match="no-rule"):
        propose(store, rules_off="compound, no-rule")


def test_a_draft_is_linked_by_the_same_rules(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKIBOT_MIN_PROBABILITY", "0")
    text = f"The spring of the River {NAMES[3]} lies near. The River {NAMES[5]} is far.\n"
    linked = linked_draft(store, text, name="Spring")
    assert linked.after.count("[[River") == 2
    with store.writing() as session:
        keep_listed(session, 1, "wiki", [("target", f"River {NAMES[5]}")], added_by="test")
    linked = linked_draft(store, text, name="Spring")
    assert [target for _, target, _ in linked.links] == [f"River {NAMES[3]}"]
    assert linked.before == text and f"+The spring of the [[River {NAMES[3]}]]" in linked.diff()


def test_every_row_has_its_place_wikitext_sentence_reasons_and_priority(store: Store) -> None:
    propose(store)
    with store.reading() as session:
        for line in queue.every_line(session, queue.Filters(1)):
            found = queue.proposal(session, line.id)
            assert found is not None
            assert found.page.wikitext[line.start : line.end] == line.anchor
            assert line.wikitext == f"[[{line.target}]]"
            assert line.anchor in line.sentence
            assert line.reasons and 0 <= line.probability <= 1


def test_the_report_says_how_far_the_probabilities_can_be_trusted(store: Store) -> None:
    assert propose(store).confidence.startswith("low; learned from")


def test_nothing_learned_yet_is_said(tmp_path: Path) -> None:
    with rivers_store(tmp_path) as store, pytest.raises(ModelError, match="wikibot train"):
        propose(store)


def test_a_damaged_model_file_is_refused(store: Store) -> None:
    ranker = next(store.folder.glob("ranker-*.arrays"))
    ranker.write_bytes(ranker.read_bytes()[:-10])
    with pytest.raises(ModelError, match="not as it was written"):
        propose(store)
    assert pairs(store) == set()


def test_verdicts_of_an_audit_are_kept_and_train_learns_from_them(store: Store) -> None:
    propose(store)
    drawn = draw(store, n=40)
    found = audit(drawn, lambda *_: BAD)
    assert f"{found.read} verdicts were kept" in record(store, found)
    assert pairs(store), "an audit decides nothing"
    report = train(store)
    assert report.decisions == found.read
    if found.read >= FEWEST_DECISIONS:
        assert report.acceptance is not None
        assert report.acceptance["accepted"] == 0
        assert "0% were to accept" in acceptance_in_words(report.acceptance)


def test_a_reviewers_decision_counts_more_than_an_audit_of_the_same_proposal(store: Store) -> None:
    propose(store)
    record(store, audit(draw(store, n=1000), lambda *_: BAD))
    page, target = say(store, "approve")
    with store.reading() as session:
        said = verdicts(session, 1)
        titles = article_titles(session, 1)
    agreed = {(titles[one], titles[other]) for one, other in said.agreed}
    assert agreed == {(page, target)}
    assert len(said.refused) >= 1


def test_an_audit_of_another_wiki_is_counted_but_not_kept(store: Store) -> None:
    propose(store)
    drawn = replace(draw(store, n=3), wiki="another.example")
    assert "only counted" in record(store, audit(drawn, lambda *_: BAD))
    with store.reading() as session:
        assert not verdicts(session, 1).refused
