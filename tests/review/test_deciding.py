"""Decisions from the command line: undo, files of many, and the names of what was decided."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from tests.review import sample
from tests.review.test_commands import run
from tests.review.test_decisions import line
from wikibot.errors import BadInput
from wikibot.store import Store
from wikibot.store.decisions import UNNAMED, history
from wikibot.store.tables import Wiki


def test_undo_takes_back_the_newest_decision_and_names_the_link(store: Store) -> None:
    run(store, "decide", "2", "approve", "--reviewer", "ann")
    shown = run(store, "decide", "2", "undo", "--reviewer", "bob")
    assert (
        shown.output == "Taken back: “fog horn” → Foghorn on Lighthouse (proposal 2, decision 1).\n"
    )
    assert line(store, 2).state == "pending"
    with pytest.raises(BadInput, match="Proposal 2 has no decision to take back"):
        run(store, "decide", "2", "undo")


@pytest.mark.parametrize("number", ["999", "99999999999999999999"])
def test_a_proposal_that_does_not_exist_is_one_sentence(store: Store, number: str) -> None:
    for verdict in ("approve", "undo"):
        with pytest.raises(BadInput, match=r"Nothing was changed"):
            run(store, "decide", number, verdict)


def test_a_file_of_decisions_is_carried_out_in_one_process(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "decisions.txt"
    file.write_text(
        "# mine\n1 approve\n\n2 reject everyday-word\n3 skip\n1 undo\n", encoding="utf-8"
    )
    shown = run(store, "decide", "--from", str(file), "--reviewer", "ann")
    assert shown.exit_code == 0
    assert "Rejected: “fog horn” → Foghorn" in shown.stdout
    assert shown.stderr == "4 decided, 0 refused.\n"
    assert [line(store, number).state for number in (1, 2, 3)] == ["pending", "rejected", "skipped"]


def test_what_is_refused_in_a_file_is_told_and_the_rest_holds(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "decisions.txt"
    file.write_text("1 approve\n1 reject\n2 approve\n999 skip\n", encoding="utf-8")
    shown = run(store, "decide", "--from", str(file), "--json", "--reviewer", "ann")
    assert shown.exit_code == 1
    rows = json.loads(shown.stdout)
    assert ["refused" in row for row in rows] == [False, True, False, True]
    assert "2 decided, 2 refused." in shown.stderr
    assert [line(store, number).state for number in (1, 2)] == ["approved", "approved"]


@pytest.mark.parametrize(
    "wrong",
    ["1", "approve 1", "1 perhaps", "1 approve span", "1 reject why", "1 skip x y", "¹ skip"],
)
def test_a_line_that_cannot_be_understood_refuses_the_whole_file(
    store: Store, tmp_path: Path, wrong: str
) -> None:
    file = tmp_path / "decisions.txt"
    file.write_text(f"2 approve\n{wrong}\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"line 2 is not a decision.*Nothing was decided"):
        run(store, "decide", "--from", str(file))
    assert line(store, 2).state == "pending"


def test_a_decision_without_a_name_is_nobodys_and_never_the_logins(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LOGNAME", "USER"):
        monkeypatch.setenv(name, "shell-login")
    monkeypatch.delenv("WIKIBOT_REVIEWER", raising=False)
    assert run(store, "decide", "2", "approve").exit_code == 0
    with store.reading() as session:
        assert [one.reviewer for one in history(session, 2)] == [UNNAMED]


def test_not_a_number_is_not_a_probability(store: Store) -> None:
    shown = run(store, "queue", "--min-probability", "nan")
    assert shown.exit_code == 2
    assert "not a number from 0 to 1" in shown.output


def test_of_several_wikis_the_one_fetched_last_is_meant_and_named(store: Store) -> None:
    with store.writing() as session:
        sample.add_wiki(session, "he", sample.HEBREW, sample.HEBREW_PROPOSALS)
        session.get_one(Wiki, 1).fetched_at = sample.NOW + timedelta(days=1)
    shown = run(store, "queue", "--json")
    assert len(json.loads(shown.stdout)) == 11
    assert shown.stderr == (
        "wikibot: The database holds several wikis; this is about en.example.org, which was "
        "fetched last. Name another with --wiki: he.example.org.\n"
    )
    shown = run(store, "queue", "--json", "--wiki", "he.example.org")
    assert (len(json.loads(shown.stdout)), shown.stderr) == (2, "")
    assert run(store, "decide", "1", "skip").stderr == "", "a number says which wiki it is"
