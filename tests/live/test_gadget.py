"""The gadget in the editor of a real wiki, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.chromium import PATIENCE_MS
from tests.linker.rivers import NAMES
from tests.live.conftest import Followed
from tests.mediawiki import HUMAN
from wikibot.store.decisions import latest
from wikibot.store.pages import wiki_by_name

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.wiki, pytest.mark.browser]

PAGE = f"River {NAMES[0]}"
NEAR, FAR, OTHER = (f"River {NAMES[n]}" for n in (3, 5, 7))
UNSAVED = f"River {NAMES[13]}"  # which no saved text of the page mentions
# An emoji is one code point and two of JavaScript's units.
TEXT = f"😀 The '''{PAGE}''' flows past the {NEAR} and the {FAR}, and past the {OTHER}. 😀\n"


def open_editor(chromium: Browser, followed: Followed) -> Page:
    """The page in the editor of a person who uses the gadget."""
    context = chromium.new_context(locale="en-GB")
    context.set_default_timeout(PATIENCE_MS)
    cookies = [
        {"name": one.name, "value": one.value or "", "url": followed.wiki.url}
        for one in followed.human.session.cookies
    ]
    context.add_cookies(cookies)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{followed.wiki.url}/index.php?title={PAGE.replace(' ', '_')}&action=edit")
    return page


def test_links_are_shown_with_reasons_accepted_and_dismissed(
    chromium: Browser, followed: Followed
) -> None:
    from playwright.sync_api import expect

    followed.admin.write(PAGE, TEXT)
    followed.run("fetch", "Rivers", "--url", followed.wiki.api)
    with followed.serving() as api:
        followed.human.write(
            f"User:{HUMAN.name}/common.js",
            f"window.wikibotGadget = {{ api: '{api}', threshold: 0 }};\n"
            f"mw.loader.load( '{api}/gadget.js' );",
        )
        page = open_editor(chromium, followed)
        rows = page.locator("#wikibot-gadget li")
        expect(rows.first).to_be_visible()
        near = page.locator(f'#wikibot-gadget li[data-target="{NEAR}"]')
        expect(near).to_contain_text("is the target's title")
        near.locator(".wikibot-accept").click()
        expect(page.locator(".wikibot-status")).to_have_text(f"The link to {NEAR} is in the text.")
        page.locator(f'#wikibot-gadget li[data-target="{FAR}"] .wikibot-dismiss').click()
        expect(page.locator(".wikibot-status")).to_contain_text("will not be proposed again")
        page.locator(f'#wikibot-gadget li[data-target="{OTHER}"] .wikibot-accept').click()
        linked = TEXT.replace(NEAR, f"[[{NEAR}]]").replace(OTHER, f"[[{OTHER}]]")
        assert page.locator("#wpTextbox1").input_value() == linked
        page.locator(".wikibot-suggest").click()
        expect(page.locator(".wikibot-status")).to_contain_text("issing links")
        expect(page.locator(f'#wikibot-gadget li[data-target="{FAR}"]')).to_have_count(0)
        page.locator("#wpSave").click()
        page.wait_for_url("**/River_*")
        page.context.close()
    assert followed.human.text(PAGE) == linked.rstrip("\n")
    with followed.store() as store, store.reading() as session:
        kept = latest(session, wiki_by_name(session).id, limit=5)
    said = [
        (one.page, one.target, one.verdict, one.source)
        for one in kept
        if one.reviewer == HUMAN.name
    ]
    assert said == [(PAGE, FAR, "reject", "api")]


def test_text_that_was_changed_by_hand_is_looked_at_anew(
    chromium: Browser, followed: Followed
) -> None:
    from playwright.sync_api import expect

    with followed.serving() as api:
        followed.human.write(
            f"User:{HUMAN.name}/common.js",
            f"window.wikibotGadget = {{ api: '{api}', threshold: 0 }};\n"
            f"mw.loader.load( '{api}/gadget.js' );",
        )
        page = open_editor(chromium, followed)
        box = page.locator("#wpTextbox1")
        box.fill(f"The {NEAR} is near.")
        page.locator(".wikibot-suggest").click()
        near = page.locator(f'#wikibot-gadget li[data-target="{NEAR}"]')
        expect(near).to_be_visible()
        box.fill(f"It is said that the {NEAR} is near.")
        near.locator(".wikibot-accept").click()
        expect(page.locator(".wikibot-status")).to_contain_text("made anew")
        near.locator(".wikibot-accept").click()
        expect(box).to_have_value(f"It is said that the [[{NEAR}]] is near.")
        page.context.close()


def test_the_gadget_asks_once_for_a_token_and_its_dismissal_of_unsaved_text_is_kept(
    chromium: Browser, followed: Followed
) -> None:
    from playwright.sync_api import expect

    token, asked = "a-token-of-enough-characters", []
    (followed.folder / "tokens").write_text(f"{token} Rita\n")
    with followed.serving(WIKIBOT_TOKENS_FILE=str(followed.folder / "tokens")) as api:
        followed.human.write(
            f"User:{HUMAN.name}/common.js",
            f"window.wikibotGadget = {{ api: '{api}', threshold: 0 }};\n"
            f"mw.loader.load( '{api}/gadget.js' );",
        )
        page = open_editor(chromium, followed)
        page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept(token)))
        page.reload()
        page.locator("#wpTextbox1").fill(f"The {NEAR} is near, and the {UNSAVED}.")
        page.locator(".wikibot-suggest").click()
        rows = page.locator("#wikibot-gadget li")
        expect(rows.first).to_be_visible()
        page.locator(f'#wikibot-gadget li[data-target="{UNSAVED}"] .wikibot-dismiss').click()
        expect(page.locator(".wikibot-status")).to_contain_text("will not be proposed again")
        page.context.close()
    assert len(asked) == 1 and api in asked[0]
    with followed.store() as store, store.reading() as session:
        kept = latest(session, wiki_by_name(session).id, limit=1)[0]
    assert (kept.page, kept.target, kept.reviewer) == (PAGE, UNSAVED, "Rita")


def test_get_reads_the_page_from_the_wiki(followed: Followed) -> None:
    import json
    import urllib.request

    text = f"A new text about the {NEAR}."
    revision = followed.admin.write(f"River {NAMES[9]}", text)
    with followed.serving() as api:
        address = f"{api}/v1/linkrecommendations/wikipedia/any/River_{NAMES[9]}?threshold=0"
        with urllib.request.urlopen(address, timeout=PATIENCE_MS / 1000) as answer:
            found = json.load(answer)
    assert found["revid"] == revision
    assert [one["link_text"] for one in found["links"]] == [NEAR]
