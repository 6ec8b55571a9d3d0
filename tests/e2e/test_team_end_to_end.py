"""A team at work: real MediaWiki, PostgreSQL and Chromium, and `wikibot serve` as it is started in earnest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from tests.chromium import PATIENCE_MS
from tests.mediawiki import ADMIN, Person, Wiki
from tests.mediawiki.oauth2 import PHP, Provider, RealWiki, running
from tests.mediawiki.wiki import Account as WikiAccount
from tests.publish.world import World
from tests.running_service import RunningService, running_service
from tests.store.postgres import postgres_server
from tests.waiting import wait_until
from wikibot.store.tables import Decision, Reservation
from wikibot.store.task_tables import Account

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.wiki, pytest.mark.browser, pytest.mark.postgres]

ANN = WikiAccount("Ann", "Ann-local-password-1")
BOB = WikiAccount("Bob", "Bob-local-password-1")
CAT = WikiAccount("Cat", "Cat-local-password-1")
DAN = WikiAccount("Dan", "Dan-local-password-1")
NEWCOMER = WikiAccount("Newcomer", "Newcomer-local-password-1")
TAG = "OAuth CID: 1"
TEXT = "The Severn is a river. It rises in Wales."
SETTINGS = {
    "WIKIBOT_REVIEW_EDITS": "1",
    "WIKIBOT_PUBLISH_EDITS": "1",
    "WIKIBOT_RECHECK_MINUTES": "60",
    "WIKIBOT_SAVE_INTERVAL_S": "0",
    "WIKIBOT_SETTLE_S": "0",
    "WIKIBOT_LONGEST_WAIT_S": "0",
}


@dataclass(frozen=True, slots=True)
class Team:
    """The wiki, where people log in to it, the database and the service over it."""

    world: World
    provider: Provider
    service: RunningService

    def proposals(self, *titles: str) -> dict[str, int]:
        """A proposal on each of these new pages of the wiki, by title."""
        self.world.page("River", "'''River''' is a word.")
        made = {title: self.world.page(title, TEXT) for title in titles}
        return {title: self.world.suggest(row, "river", "River") for title, row in made.items()}

    def number_of(self, account: WikiAccount) -> int:
        found = self.provider.directory.log_in(account.name, account.password)
        assert found is not None
        return found

    def let_time_pass(self) -> None:
        """It is time to ask the wiki again about everybody, access tokens and reservations end."""
        past = datetime.now(timezone.utc) - timedelta(hours=2)
        with self.world.store.writing() as session:
            session.execute(update(Reservation).values(until=past))
            session.execute(update(Account).values(checked_at=past, token_expires_at=past))


@pytest.fixture(scope="module")
def team(wiki_template: Wiki, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    folder = tmp_path_factory.mktemp("team")
    with ExitStack() as stack:
        wiki = stack.enter_context(wiki_template.copy_to(folder / "wiki"))
        wiki.extra(PHP.read_text())
        for account in (ANN, BOB, CAT, DAN, NEWCOMER):
            wiki.maintenance("createAndPromote", account.name, account.password)
        for account in (ANN, BOB, CAT, DAN):
            wiki.person(account).write(f"User:{account.name}", "Hello.")
        where = stack.enter_context(postgres_server()).new_database()
        world = World.make(wiki, wiki.person(ADMIN), where)  # type: ignore[arg-type]
        stack.enter_context(world.store)
        provider = stack.enter_context(running(RealWiki(wiki)))
        (folder / "service").mkdir()
        more = {**SETTINGS, "WIKIBOT_OAUTH_URL": provider.rest_url}
        service = stack.enter_context(running_service(where, folder / "service", **more))
        provider.register(f"{service.origin}/login/return")
        yield Team(world, provider, service)


LogIn = Callable[[WikiAccount], "Page"]


@pytest.fixture
def log_in(chromium: Browser, team: Team) -> Iterator[LogIn]:
    """Opens the service in a browser of their own and logs somebody in through the wiki."""
    with ExitStack() as stack:

        def log_in(account: WikiAccount) -> Page:
            context = chromium.new_context(locale="en-GB")
            stack.callback(context.close)
            context.set_default_timeout(PATIENCE_MS)
            page = context.new_page()
            page.goto(team.service.origin)
            page.get_by_role("link", name="Log in through the wiki").click()
            page.get_by_label("Name").fill(account.name)
            page.get_by_label("Password").fill(account.password)
            page.get_by_role("button", name="Allow").click()
            page.wait_for_url(f"{team.service.origin}/**")
            return page

        yield log_in


def approve(team: Team, page: Page, number: int) -> None:
    """Approves what is on the screen."""
    page.get_by_role("button", name="Approve").first.click()
    what = f"the approval of {number}"
    wait_until(lambda: team.world.state(number) == "approved", within_s=60, what=what)


def save(page: Page, origin: str) -> None:
    """Saves what this person has approved, once the page has had it checked by itself."""
    from playwright.sync_api import expect

    page.goto(f"{origin}/publish")
    page.get_by_role("button", name="Save 1 page").click()
    expect(page.locator("h1")).to_contain_text("1 page saved")


def ours(person: Person, title: str) -> list[tuple[str, list[str]]]:
    """Who made the newest edits of a page, with which tags; the first made the page."""
    return [(one["user"], one["tags"]) for one in person.history(title)[:-1]]


def test_two_contributors_review_at_once_and_save_as_themselves(team: Team, log_in: LogIn) -> None:
    numbers = team.proposals(*(f"Severn {name}" for name in "abcdef"))
    titles = {number: title for title, number in numbers.items()}
    pages = {account.name: log_in(account) for account in (ANN, BOB)}
    shown = {
        name: int(page.locator("#proposal").get_attribute("data-proposal") or 0)
        for name, page in pages.items()
    }
    assert len(set(shown.values())) == 2, "each has one of their own"
    for name, page in pages.items():
        approve(team, page, shown[name])
    for page in pages.values():
        save(page, team.service.origin)
    for name, number in shown.items():
        assert ours(team.world.person, titles[number]) == [(name, [TAG])]
        newest = team.world.person.history(titles[number])[0]
        assert "assisted" in newest["comment"] and "bot" not in newest
        assert team.world.person.text(titles[number]) == TEXT.replace("river", "[[river]]")
        assert team.world.state(number) in ("published", "kept")
    with team.world.store.reading() as session:
        query = select(Decision.suggestion_id, Decision.reviewer)
        said = session.execute(query.where(Decision.suggestion_id.in_(shown.values()))).all()
    assert {tuple(one) for one in said} == {(number, name) for name, number in shown.items()}


def test_who_lacks_the_rights_is_told_so_and_can_do_nothing(team: Team, log_in: LogIn) -> None:
    page = log_in(NEWCOMER)
    assert "This needs 1 edits on the wiki; Newcomer has 0" in page.inner_text("main")
    answer = page.goto(f"{team.service.origin}/queue")
    assert answer is not None and answer.status == 403


def test_who_logs_out_is_out(team: Team, log_in: LogIn) -> None:
    page = log_in(ANN)
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("link", name="Log in through the wiki").wait_for()
    answer = page.goto(f"{team.service.origin}/queue")
    assert answer is not None and answer.status == 403


def test_an_ended_token_is_exchanged_and_a_consent_that_was_taken_back_ends_it_all(
    team: Team, log_in: LogIn
) -> None:
    page, address = log_in(CAT), f"{team.service.origin}/queue"
    team.provider.expire()
    team.let_time_pass()
    answer = page.goto(address)
    assert answer is not None and answer.status == 200
    team.provider.revoke(team.number_of(CAT))
    team.let_time_pass()
    answer = page.goto(address)
    assert answer is not None and answer.status == 403
    page.get_by_role("link", name="Log in through the wiki").wait_for()


def test_a_blocked_account_saves_nothing_and_a_renamed_one_goes_on(
    team: Team, log_in: LogIn
) -> None:
    number = team.proposals("Severn three")["Severn three"]
    page, origin = log_in(DAN), team.service.origin
    team.let_time_pass()  # nobody else has it on the screen
    page.goto(f"{origin}/proposal/{number}")
    approve(team, page, number)
    team.world.person.do("block", user="Dan", expiry="never")
    page.goto(f"{origin}/publish")
    page.get_by_text("Dan is blocked on the wiki").wait_for()
    answer = page.goto(f"{origin}/publish")
    assert answer is not None and answer.status == 403
    assert len(team.world.person.history("Severn three")) == 1

    team.world.person.do("unblock", user="Dan")
    team.world.wiki.maintenance("renameUser", "--performer", ADMIN.name, "Dan", "Daniel")
    team.let_time_pass()
    save(page, origin)
    assert ours(team.world.person, "Severn three") == [("Daniel", [TAG])]
    with team.world.store.reading() as session:
        query = select(Decision.reviewer).where(Decision.suggestion_id == number)
        assert list(session.scalars(query)) == ["Daniel"]


def test_nothing_that_opens_the_wiki_is_in_the_log(team: Team, log_in: LogIn) -> None:
    log_in(ANN)
    told = team.service.log.read_text()
    assert not [
        token for token in (*team.provider.access, *team.provider.refreshes) if token in told
    ]
    assert "Traceback" not in told
