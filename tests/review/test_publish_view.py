"""The publish page without a wiki: what it orders, in whose name, and what it makes of old rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.review.conftest import HOST, Browser
from tests.review.sample import NOW
from wikibot.demo.tour import WIKI
from wikibot.errors import ConfigError, WikiUnavailable
from wikibot.publish import saving
from wikibot.publish.publisher import Choice, WikiLogin, wiki_of_site
from wikibot.publish.saving import Order
from wikibot.store import Store, decisions, open_store, page_writes, runs
from wikibot.store.tables import Run
from wikibot.web.app import create_app
from wikibot.web.review_app import ReviewApp
from wikibot.wikitext import SiteRules


@dataclass(slots=True)
class Orders:
    """Takes orders, as a service's scheduler would, and carries none of them out."""

    taken: list[tuple[Order, WikiLogin]] = field(default_factory=list)
    is_busy: bool = False

    def begin(self, store: Store, order: Order, login: WikiLogin) -> int:
        if self.is_busy:
            raise WikiUnavailable("This page is still busy with the wiki.")
        self.taken.append((order, login))
        return saving.start(store, order).id

    def settle(self, store: Store) -> None:
        runs.settle_killed(store, saving.KINDS)


@pytest.fixture
def orders() -> Orders:
    return Orders()


@pytest.fixture
def page(review_app: ReviewApp, orders: Orders) -> Browser:
    """The page of somebody who publishes as Ann."""
    ours = replace(review_app, publish_runs=orders, login=lambda: Choice(user="Ann"))
    client = create_app(ours).test_client()
    client.get(f"/?token={ours.token}", base_url=f"http://{HOST}")
    return Browser(client, ours)


def approve(store: Store, *numbers: int) -> None:
    with store.writing() as session:
        for number in numbers:
            decisions.decide(session, number, "approve", decisions.Voice("alice", "web"))


def test_an_order_names_what_was_seen_who_asked_and_who_publishes(
    store: Store, page: Browser, orders: Orders
) -> None:
    approve(store, 1, 2)
    sent = page.press(page.get("/publish"), "/publish/check")
    assert sent.status_code == 303
    ((order, login),) = orders.taken
    assert order.only == {1, 2} and order.ordered_by == "alice" and login == Choice(user="Ann")
    assert "0 of " in page.get("/publish").text, "it is under way, and says how far it is"


def test_while_one_order_is_carried_out_another_is_refused_in_a_sentence(
    store: Store, page: Browser, orders: Orders
) -> None:
    approve(store, 1)
    shown = page.get("/publish")
    orders.is_busy = True
    refused = page.press(shown, "/publish/check")
    assert refused.status_code == 503 and "still busy with the wiki" in refused.text


def test_a_run_that_was_killed_with_its_server_is_told_as_interrupted(
    store: Store, page: Browser, orders: Orders
) -> None:
    run = saving.start(store, Order(saving.SAVE, 1, "alice", pages=2))
    orders.settle(store)
    assert "The program ended before this was done" in page.get(f"/publish/run/{run.id}").text
    assert "was interrupted" in page.get("/publish").text


@pytest.mark.parametrize(
    "damage",
    [
        {"options": {}},
        {"options": {"kind": "publish save"}},
        {"options": {"proposals": 7}},
        {"result": {"outcomes": [{"title": "x"}]}},
        {"result": {"outcomes": [{"title": "x", "state": "done", "rows": [], "no_such": 1}]}},
        {"result": {"outcomes": "x"}},
        {"progress": {"outcomes": [None]}},
    ],
)
def test_a_run_of_another_version_or_damaged_is_left_out(
    store: Store, page: Browser, damage: dict[str, Any]
) -> None:
    run = saving.start(store, Order(saving.SAVE, 1, "alice"))
    with store.writing() as session:
        row = session.get_one(Run, run.id)
        row.state, row.finished_at = "done", NOW
        for name, value in damage.items():
            setattr(row, name, value)
    assert page.get("/publish").status_code == 200
    assert page.get(f"/publish/run/{run.id}").status_code == 303


def test_the_patch_holds_what_is_approved_and_nothing_else(store: Store, page: Browser) -> None:
    assert page.get("/publish/patch").text == ""
    approve(store, 1)
    patch = page.get("/publish/patch").text
    assert patch.startswith("--- a/") and patch.count("\n+") - patch.count("\n+++") == 1


def test_the_demo_is_published_nowhere(tmp_path: Path) -> None:
    with open_store(tmp_path / "demo.db", create=True) as store:
        with store.writing() as session:
            page_writes.save_wiki(session, WIKI, SiteRules.for_language("en"))
        with pytest.raises(ConfigError, match=f"is about {WIKI}"):
            wiki_of_site(store, "https://en.wikipedia.org/w/api.php")
