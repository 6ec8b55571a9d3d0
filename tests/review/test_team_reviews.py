"""Several reviewers at once: nobody is shown what another has on the screen, nothing is decided twice."""

from __future__ import annotations

import re
import threading
from collections import Counter
from datetime import datetime, timedelta, timezone

import pytest
from sqlalchemy import delete, select, update

from tests.review.conftest import Browser, browser_of
from wikibot.errors import InUse
from wikibot.store import Store, decisions, reservations
from wikibot.store.decisions import Voice
from wikibot.store.tables import Decision, Reservation, Suggestion
from wikibot.web import review_view
from wikibot.web.team_app import TeamApp

NOW = datetime(2030, 1, 1, tzinfo=timezone.utc)
SOON = NOW + timedelta(minutes=5)


def shown(browser: Browser, path: str = "/") -> int | None:
    """The number of the proposal on the screen."""
    page = browser.get(path)
    assert page.status_code == 200
    found = re.search(r'data-proposal="(\d+)"', page.text)
    return int(found[1]) if found else None


def decide(browser: Browser, number: int, verdict: str = "approve") -> int:
    page = browser.get(f"/proposal/{number}")
    return browser.press(page, f"/proposal/{number}/decide", verdict=verdict).status_code


def test_two_reviewers_are_shown_two_proposals(team: TeamApp) -> None:
    ann, bob = browser_of(team, "Ann"), browser_of(team, "Bob")
    first, second = shown(ann), shown(bob)
    assert first != second
    assert shown(ann) == first, "and the same one again when the page is loaded again"
    assert shown(bob) == second


def test_what_one_has_on_the_screen_the_other_cannot_decide(team: TeamApp, store: Store) -> None:
    ann, bob = browser_of(team, "Ann"), browser_of(team, "Bob")
    number = shown(ann)
    assert number is not None
    page = bob.get(f"/proposal/{number}")
    refused = bob.press(page, f"/proposal/{number}/decide", verdict="approve")
    assert refused.status_code == 409 and "Ann has proposal" in refused.text
    with store.reading() as session:
        assert decisions.history(session, number) == []
    assert decide(ann, number) == 303


def test_who_finds_nothing_because_others_have_it_is_told_so(team: TeamApp, store: Store) -> None:
    bob = browser_of(team, "Bob")
    with store.writing() as session:
        now = datetime.now(timezone.utc)
        for number in session.scalars(select(Suggestion.id).where(Suggestion.state == "pending")):
            reservations.reserve(session, number, "Ann", now, now + timedelta(minutes=5))
    assert "Other people are looking at everything" in bob.get("/").text
    assert "Other people are looking at everything" not in bob.get("/?page=nothing+like+this").text


def test_nobody_holds_two_proposals_of_a_queue_that_is_nearly_empty(
    team: TeamApp, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob = browser_of(team, "Ann"), browser_of(team, "Bob")
    with store.writing() as session:
        waiting = list(session.scalars(select(Suggestion.id).where(Suggestion.state == "pending")))
        session.execute(
            update(Suggestion).where(Suggestion.id.in_(waiting[2:])).values(state="rejected")
        )
    number = shown(ann)
    ahead = ann.get(f"/?after={number}", headers={"Wikibot-Ahead": "yes"})
    assert (ahead.status_code, ahead.text) == (204, "")
    assert {number, shown(bob)} == set(waiting[:2]), "the other one is left for Bob"
    monkeypatch.setattr(review_view, "FEW_FREE", 1)
    with store.writing() as session:
        session.execute(delete(Reservation))
    ahead = ann.get(f"/?after={number}", headers={"Wikibot-Ahead": "yes"})
    assert ahead.status_code == 200 and 'data-proposal="' in ahead.text, "there is enough"


def test_a_decision_ends_the_reservation(team: TeamApp, store: Store) -> None:
    ann = browser_of(team, "Ann")
    number = shown(ann)
    assert number is not None
    decide(ann, number, "skip")
    with store.reading() as session:
        assert reservations.held(session, number, datetime.now(timezone.utc)) is None


def test_a_reservation_that_has_ended_keeps_nobody_away(team: TeamApp, store: Store) -> None:
    ann, bob = browser_of(team, "Ann"), browser_of(team, "Bob")
    number = shown(ann)
    assert number is not None
    with store.writing() as session:
        session.execute(update(Reservation).values(until=datetime.now(timezone.utc)))
    before = ann.get(f"/proposal/{number}")
    assert shown(bob) == number
    assert decide(bob, number) == 303
    late = ann.press(before, f"/proposal/{number}/decide", verdict="approve")
    assert late.status_code == 409 and "Bob was faster" in late.text


def test_reservations_that_have_ended_are_cleared_away(store: Store) -> None:
    with store.writing() as session:
        assert reservations.reserve(session, 1, "Ann", NOW, SOON)
    with store.writing() as session:
        assert reservations.reserve(session, 2, "Bob", SOON, SOON + timedelta(minutes=5))
        assert list(session.scalars(select(Reservation.suggestion_id))) == [2]


def test_of_two_who_reserve_the_same_proposal_one_gets_it(store: Store) -> None:
    with store.writing() as session:
        assert reservations.reserve(session, 1, "Ann", NOW, SOON)
        assert not reservations.reserve(session, 1, "Bob", NOW, SOON)
        assert reservations.reserve(session, 1, "Ann", NOW, SOON + timedelta(minutes=1))
        assert reservations.held(session, 1, NOW) == reservations.Held(
            "Ann", SOON + timedelta(minutes=1)
        )


def test_what_was_decided_a_moment_ago_is_not_reserved(store: Store) -> None:
    with store.writing() as session:
        decisions.decide(session, 1, "skip", Voice("Ann", "web"))
        assert not reservations.reserve(session, 1, "Bob", NOW, SOON)
        assert reservations.held(session, 1, NOW) is None
        assert reservations.reserve(session, 1, "Bob", NOW, SOON, state="skipped")


@pytest.mark.parametrize("source", ["talk", "command", "import"])
def test_only_people_on_pages_wait_for_each_other(store: Store, source: str) -> None:
    with store.writing() as session:
        reservations.reserve(session, 1, "Ann", NOW, SOON)
        with pytest.raises(InUse):
            decisions.decide(session, 1, "reject", Voice("Bob", "web", NOW))
        decisions.decide(session, 1, "reject", Voice("Bob", source, NOW))


def test_many_reviewers_at_once_decide_everything_once(team: TeamApp, store: Store) -> None:
    """Each decides what is shown until nothing is left; every answer is yes or a refusal."""
    codes: Counter[int] = Counter()

    def review(name: str) -> None:
        browser = browser_of(team, name)
        while (number := shown(browser)) is not None:
            codes[decide(browser, number, "reject")] += 1

    threads = [threading.Thread(target=review, args=(f"Person {n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.reading() as session:
        decided = list(session.scalars(select(Decision.suggestion_id)))
    assert set(codes) == {303}
    assert len(decided) == len(set(decided)) == codes[303] > 5
