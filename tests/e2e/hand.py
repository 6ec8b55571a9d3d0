"""A reviewer's hand in a real browser, which counts clicks and keys."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

from wikibot.store import Store, queue

MOST_ACTIONS = 5  # clicks and keys for any task


@dataclass
class Hand:
    """A reviewer's hand on mouse and keyboard, which counts what it does."""

    page: Page
    store: Store
    root: str
    actions: int = 0

    def press(self, key: str) -> None:
        self.page.locator("html[data-keys]").wait_for(state="attached")
        self.page.keyboard.press(key)
        self.actions += 1

    def type(self, words: str) -> None:
        """Words typed into the field that has the focus count as one action."""
        expect(self.page.locator("input:focus")).to_be_visible()
        self.page.keyboard.type(words)
        self.actions += 1

    def click(self, what: Locator) -> None:
        what.click()
        self.actions += 1

    def link(self, name: str, *, exact: bool = False) -> None:
        self.click(self.page.get_by_role("link", name=name, exact=exact))

    def button(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=name, exact=True))

    def state(self, proposal_id: int) -> str:
        with self.store.reading() as session:
            found = queue.proposal(session, proposal_id)
        assert found is not None
        return found.line.state
