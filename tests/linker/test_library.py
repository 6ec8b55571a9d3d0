"""The library interface: `Linker.open(database)` links any text by what was learned from a wiki."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.linker.rivers import NAMES, rivers_store
from wikibot import Linker
from wikibot.errors import BadInput, ModelError
from wikibot.linker.policy import Policy
from wikibot.train import train

pytestmark = pytest.mark.slow
NEAR, FAR = f"River {NAMES[3]}", f"River {NAMES[5]}"
TEXT = f"The spring of the {NEAR} lies near.\n\nThe {FAR} is ''far''.\n"
ANYTHING = Policy(min_probability=0)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    with rivers_store(folder) as store:
        train(store)
    return folder / "w.db"


@pytest.fixture(scope="module")
def linker(database: Path) -> Linker:
    return Linker.open(database, policy=ANYTHING)


def test_a_text_comes_back_with_its_links_and_nothing_else_changed(linker: Linker) -> None:
    linked = linker.link(TEXT)
    assert f"[[{NEAR}]]" in linked and f"[[{FAR}]]" in linked
    assert linked.replace("[[", "").replace("]]", "") == TEXT


def test_proposals_have_places_reasons_and_the_most_likely_first(linker: Linker) -> None:
    found = linker.propose(TEXT)
    assert {(TEXT[one.start : one.end], one.target) for one in found} >= {(NEAR, NEAR), (FAR, FAR)}
    assert all(one.reasons for one in found)
    assert [one.probability for one in found] == sorted(
        (one.probability for one in found), reverse=True
    )


def test_targets_narrow_what_is_linked(linker: Linker) -> None:
    assert [one.target for one in linker.propose(TEXT, targets=(FAR,))] == [FAR]
    assert linker.link(TEXT, targets=(FAR.replace(" ", "_"),)).count("[[") == 1


def test_a_target_that_the_wiki_does_not_have_is_refused(linker: Linker) -> None:
    with pytest.raises(BadInput, match='no page "Rhine"'):
        linker.link(TEXT, targets=("Rhine",))


def test_what_is_linked_already_is_not_linked_again(linker: Linker) -> None:
    once = linker.link(TEXT)
    assert linker.link(once) == once


@pytest.mark.parametrize("text", ["", "\n", "No name stands here.", "{{Template"])
def test_a_text_without_a_name_stays_as_it_is(linker: Linker, text: str) -> None:
    assert linker.link(text) == text
    assert linker.propose(text) == []


def test_a_redirect_is_refused(linker: Linker) -> None:
    with pytest.raises(BadInput, match="is a redirect"):
        linker.link("#REDIRECT [[Sea]]")


def test_the_policy_is_the_callers(database: Path) -> None:
    assert Linker.open(database, policy=Policy(min_probability=1.01)).link(TEXT) == TEXT


def test_where_nothing_was_learned_yet_it_is_said(tmp_path: Path) -> None:
    rivers_store(tmp_path).close()
    with pytest.raises(ModelError, match="wikibot train"):
        Linker.open(tmp_path / "w.db")
