"""The pages of the review site: what they show and where they lead."""

from __future__ import annotations

import re

import pytest
from flask import url_for
from hypothesis import given
from hypothesis import strategies as st

from tests.review import sample
from tests.review.conftest import HOST, PORT, Browser, hidden_fields
from tests.review.test_decisions import ALICE, BOB, decide, line
from wikibot.store import Store, open_store, queue
from wikibot.store.pages import WikiRow
from wikibot.store.queue import Filters
from wikibot.store.tables import Page, Suggestion
from wikibot.web import i18n, labels
from wikibot.web.app import create_app
from wikibot.web.filters import as_arguments, filters_of, guideline_address, per_cent
from wikibot.web.review_app import ReviewApp


def test_a_proposal_is_shown_with_all_that_is_needed_to_decide(browser: Browser) -> None:
    page = browser.get("/proposal/2").text
    assert "<mark>" in page
    assert "fog horn" in page
    assert "A foghorn warns ships in fog" in page
    assert "About 9 in 10 like this are accepted" in page
    assert "[[Foghorn|fog horn]]" in page
    assert "https://en.example.org/wiki/Lighthouse" in page
    assert "https://en.example.org/wiki/Foghorn" in page


def test_a_decision_leads_to_the_next_proposal_and_says_what_was_done(browser: Browser) -> None:
    page = browser.get("/")
    answer = browser.press(page, "/proposal/1/decide", verdict="approve")
    assert answer.status_code == 303
    assert answer.headers["Location"].startswith("/?after=1&done=")
    shown = browser.get(answer.headers["Location"]).text
    assert "Approved" in shown
    assert "fog horn" in shown


@pytest.mark.parametrize("path", ["/proposal/1", "/page/1", "/article/1", "/batches/to/1"])
def test_a_page_about_the_older_of_two_wikis_stays_with_it(
    browser: Browser, store: Store, path: str
) -> None:
    assert "wiki=en.example.org" not in browser.get(path).text
    with store.writing() as session:
        sample.add_wiki(session, "he", sample.HEBREW, sample.HEBREW_PROPOSALS)
    shown = browser.get(path)
    assert "?wiki=en.example.org" in shown.text
    if path == "/proposal/1":
        answer = browser.press(shown, "/proposal/1/decide", verdict="approve")
        assert "wiki=en.example.org" in answer.headers["Location"]


def test_the_same_form_twice_shows_the_state_and_decides_once(
    browser: Browser, store: Store
) -> None:
    page = browser.get("/")
    browser.press(page, "/proposal/1/decide", verdict="approve")
    again = browser.press(page, "/proposal/1/decide", verdict="reject", reason="other")
    assert again.status_code == 409
    assert "alice was faster: Approved" in again.text
    assert line(store, 1).state == "approved"


@pytest.mark.parametrize(
    "fields", [{"verdict": "destroy"}, {"verdict": "reject", "reason": "spite"}, {}]
)
def test_what_is_no_decision_is_refused(
    browser: Browser, store: Store, fields: dict[str, str]
) -> None:
    page = browser.get("/")
    assert browser.press(page, "/proposal/1/decide", **fields).status_code == 400
    assert line(store, 1).state == "pending"


def test_an_incomplete_form_is_refused(browser: Browser) -> None:
    assert browser.post("/proposal/1/decide", {"verdict": "approve"}).status_code == 400


def test_filters_stay_in_every_address(browser: Browser) -> None:
    page = browser.get("/?page=harb&least=50")
    answer = browser.press(page, "/proposal/5/decide", verdict="skip")
    assert answer.headers["Location"].startswith("/?least=50&page=harb&after=5")


def test_the_queue_turns_its_corners(browser: Browser) -> None:
    assert "this is the first again" in browser.get("/?after=11").text
    assert "this is the last" in browser.get("/?before=1").text


def test_an_empty_queue_says_what_to_do_next(browser: Browser, store: Store) -> None:
    for number in range(1, 12):
        decide(store, number, "reject")
    page = browser.get("/").text
    assert "Nothing is waiting here" in page
    assert "wikibot suggest" in page


def test_an_empty_database_says_what_to_do_first(tmp_path_factory: pytest.TempPathFactory) -> None:
    from tests.review.conftest import HOST, PORT
    from wikibot.web.app import create_app

    with open_store(tmp_path_factory.mktemp("empty") / "wiki.db", create=True) as store:
        review_app = ReviewApp(store, "alice", PORT)
        client = create_app(review_app).test_client()
        client.get(f"/?token={review_app.token}", base_url=f"http://{HOST}")
        answer = client.get("/", base_url=f"http://{HOST}")
    assert answer.status_code == 404
    assert "wikibot fetch" in answer.text


@pytest.mark.parametrize("path", ["/proposal/999", "/page/999", "/read/Nowhere", "/nowhere"])
def test_what_does_not_exist_is_not_found(browser: Browser, path: str) -> None:
    assert browser.get(path).status_code == 404


def test_a_decided_proposal_offers_no_decision_but_its_history(
    browser: Browser, store: Store
) -> None:
    decide(store, 1, "reject", reason="everyday-word", note="plain")
    page = browser.get("/proposal/1").text
    assert 'value="approve"' not in page
    assert "Everyday word" in page
    assert "plain" in page


def test_a_page_that_has_changed_is_said_to_have(browser: Browser, store: Store) -> None:
    with store.writing() as session:
        session.get_one(Page, 1).revision_id += 1
    assert "has changed since this was proposed" in browser.get("/proposal/1").text


def test_a_page_that_cannot_be_parsed_is_shown_by_its_sentence(
    browser: Browser, store: Store
) -> None:
    with store.writing() as session:
        page = session.get_one(Page, 1)
        page.wikitext = page.wikitext.replace("beam", "be\0m")
    answer = browser.get("/proposal/1")
    assert answer.status_code == 200


def test_undo_brings_the_proposal_back_to_the_screen(browser: Browser, store: Store) -> None:
    page = browser.get("/")
    browser.press(page, "/proposal/1/decide", verdict="approve")
    page = browser.get("/")
    answer = browser.press(page, "/decision/1/undo")
    assert answer.headers["Location"] == "/proposal/1"
    assert line(store, 1).state == "pending"
    assert browser.press(page, "/decision/1/undo").status_code == 409


def test_an_older_decision_is_taken_back_on_its_own_page(browser: Browser, store: Store) -> None:
    first = decide(store, 1, "approve", BOB)
    decide(store, 2, "approve")
    page = browser.get("/proposal/1")
    assert "Take this decision back" in page.text
    browser.press(page, f"/decision/{first}/undo")
    assert line(store, 1).state == "pending"
    assert line(store, 2).state == "approved"


def test_moving_the_anchor_shows_the_new_wikitext(browser: Browser) -> None:
    page = browser.get("/proposal/2")
    answer = browser.press(page, "/proposal/2/move", step="widen-start")
    assert "[[Foghorn|a fog horn]]" in browser.get(answer.headers["Location"]).text


def test_a_step_that_does_not_exist_is_refused(browser: Browser) -> None:
    page = browser.get("/proposal/2")
    assert browser.press(page, "/proposal/2/move", step="explode").status_code == 400


def test_an_anchor_that_cannot_grow_says_why(browser: Browser) -> None:
    page = browser.get("/proposal/3")
    answer = browser.press(page, "/proposal/3/move", step="narrow-end")
    assert answer.status_code == 422
    assert "only one word" in answer.text


def test_targets_are_found_by_title_and_chosen(browser: Browser, store: Store) -> None:
    page = browser.get("/proposal/2/target?q=glas")
    assert "Glass" in page.text
    with store.reading() as session:
        glass = session.query(Page).where(Page.title == "Glass").one().id
    answer = browser.press(page, "/proposal/2/target", target_id=glass)
    assert "[[Glass|fog horn]]" in browser.get(answer.headers["Location"]).text
    assert line(store, 2).state == "rejected"


def test_a_target_that_cannot_be_is_refused_with_the_reason(browser: Browser) -> None:
    page = browser.get("/proposal/2/target")
    answer = browser.press(page, "/proposal/2/target", target_id=1)
    assert answer.status_code == 422
    assert "would link to itself" in answer.text


def test_the_list_comes_in_screenfuls(browser: Browser, store: Store) -> None:
    with store.writing() as session:
        pages = [
            Page(
                wiki_id=1, page_id=1000 + n, title=f"P{n}", namespace=0, revision_id=1,
                wikitext="x",
            )
            for n in range(60)
        ]  # fmt: skip
        session.add_all(pages)
        session.flush()
        for page in pages:
            session.add(
                Suggestion(
                    wiki_id=1, page_id=page.id, target_id=1, revision_id=1, start=0, end=1,
                    anchor="x", wikitext="[[x]]", sentence_start=0, sentence_end=1, sentence="x",
                    probability=0.3, reasons=[], created_at=sample.NOW,
                )
            )  # fmt: skip
    first = browser.get("/queue").text
    assert "71 proposals" in first
    assert first.count("<tr>") == 51
    follow = first.split('rel="next" href="')[1].split('"')[0]
    assert browser.get(follow.replace("&amp;", "&")).text.count("<tr>") == 22


def test_rows_of_a_page_are_ticked_from_a_probability_on(browser: Browser) -> None:
    ticked = {typed: browser.get(f"/page/1?tick={typed}").text.count(" checked>") for typed in
              ("", "0", "80", "90,5", "100")}  # fmt: skip
    assert ticked == {"": 4, "0": 7, "80": 4, "90,5": 2, "100": 0}


def test_a_row_that_has_changed_since_it_was_shown_is_not_decided(
    browser: Browser, store: Store
) -> None:
    page = browser.get("/page/1")
    decide(store, 1, "skip")
    answer = browser.press(page, "/decide", verdict="approve", pick=["1", "2"])
    assert "Approved: 1 proposal" in answer.text
    assert [line(store, number).state for number in (1, 2)] == ["skipped", "approved"]


def test_the_diff_shows_what_would_be_saved(browser: Browser, store: Store) -> None:
    assert "<ins>[[</ins>tide<ins>]]</ins>s" in browser.get("/page/1").text
    assert "Nothing would change." in browser.get("/page/1?diff=approved").text
    decide(store, 3, "approve")
    assert "<ins>[[</ins>tide<ins>]]</ins>s" in browser.get("/page/1?diff=approved").text


def test_never_link_is_added_shown_and_taken_back(browser: Browser, store: Store) -> None:
    page = browser.get("/never")
    answer = browser.press(page, "/never", kind="word", value="tides")
    shown = browser.get(answer.headers["Location"])
    assert "1 waiting proposal left the queue" in shown.text
    assert line(store, 3).state == "stale"
    browser.press(shown, "/never/1/remove")
    assert line(store, 3).state == "pending"


def test_nonsense_on_the_never_link_list_is_refused(browser: Browser) -> None:
    page = browser.get("/never")
    assert browser.press(page, "/never", kind="colour", value="red").status_code == 422


def test_statistics_count_todays_work_and_reasons(browser: Browser, store: Store) -> None:
    decide(store, 1, "approve")
    decide(store, 2, "reject", reason="everyday-word")
    page = browser.get("/statistics").text
    assert "alice" in page
    assert "Everyday word" in page
    assert page.count('<circle class="dot"') == 1, "both are in the same tenth"
    assert "Latest decisions" in page


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("50", 0.5),
        ("12,5", 0.125),
        ("50 %", 0.5),
        ("", 0.7),
        (None, 0.7),
        ("x", 0.7),
        ("nan", 0.7),
        ("700", 1),
        ("-1", 0),
    ],
)
def test_per_cent_are_read_however_they_were_typed(typed: str | None, meant: float) -> None:
    assert per_cent(typed, 0.7) == meant


def test_the_reviewers_name_is_on_the_decision(browser: Browser, store: Store) -> None:
    browser.press(browser.get("/"), "/proposal/1/decide", verdict="approve")
    from wikibot.store import decisions

    with store.reading() as session:
        said = decisions.history(session, 1)
    assert [one.reviewer for one in said] == [ALICE.reviewer]


def test_a_hebrew_wiki_is_shown_right_to_left_and_chosen_by_name(
    browser: Browser, store: Store
) -> None:
    with store.writing() as session:
        sample.add_wiki(session, "he", sample.HEBREW, sample.HEBREW_PROPOSALS)
    assert 'lang="he" dir="rtl"' in browser.get("/").text
    assert 'lang="en" dir="ltr"' in browser.get("/?wiki=en.example.org").text
    assert "<option selected>he.example.org</option>" in browser.get("/queue").text


def test_a_server_for_one_wiki_shows_that_wiki(store: Store) -> None:
    from tests.review.conftest import HOST, PORT
    from wikibot.web.app import create_app

    with store.writing() as session:
        sample.add_wiki(session, "he", sample.HEBREW, sample.HEBREW_PROPOSALS)
    review_app = ReviewApp(store, "alice", PORT, "en.example.org")
    client = create_app(review_app).test_client()
    client.get(f"/?token={review_app.token}", base_url=f"http://{HOST}")
    assert 'lang="en" dir="ltr"' in client.get("/", base_url=f"http://{HOST}").text


APP = create_app(ReviewApp(None, "x", PORT))  # type: ignore[arg-type]


@given(
    st.builds(
        Filters,
        st.just(1),
        state=st.sampled_from((*queue.STATES, queue.ANY_STATE)),
        page=st.text(max_size=8).map(str.strip),
        target=st.text(max_size=8).map(str.strip),
        category=st.text(max_size=8).map(str.strip),
        low=st.integers(0, 100).map(lambda share: share / 100),
        high=st.integers(0, 100).map(lambda share: share / 100),
    )
)
def test_filters_survive_the_way_through_an_address(filters: Filters) -> None:
    """Whatever was filtered by stays in every link of the page, and nothing else does."""
    wiki = WikiRow(1, "w", None, None, "en", {}, None)
    with APP.test_request_context(base_url=f"http://{HOST}"):
        given_on = url_for("queue.listing", **as_arguments(wiki, filters))
    with APP.test_request_context(given_on, base_url=f"http://{HOST}"):
        assert filters_of(wiki) == filters


@given(st.text(max_size=40))
def test_no_wish_for_a_language_breaks_a_page(wish: str) -> None:
    one_line = " ".join(wish.split())  # a header cannot have more
    with APP.test_request_context(base_url=f"http://{HOST}", headers={"Accept-Language": one_line}):
        assert i18n.interface_language() in i18n.languages()
        assert i18n.interface_locale().language == i18n.interface_language()


def test_the_card_says_what_is_asked_and_links_the_guideline(browser: Browser) -> None:
    page = browser.get("/proposal/2").text
    question = page.partition('<h1 id="question">')[2].partition("</h1>")[0]
    plain = re.sub(r"<[^>]*>", "", question)
    assert plain == "Should “fog horn” on Lighthouse link to Foghorn?"
    assert 'href="https://en.wikipedia.org/wiki/Wikipedia:Manual_of_Style/Linking"' in page
    assert "§ <bdi" in page
    assert "Keepers" in page
    assert "<meter" not in page


@pytest.mark.parametrize(
    ("setting", "language", "address"),
    [
        ("", "en", "https://en.wikipedia.org/wiki/Wikipedia:Manual_of_Style/Linking"),
        ("", "de", "https://de.wikipedia.org/wiki/Wikipedia:Verlinken"),
        ("https://x.example/links", "en", "https://x.example/links"),
        ("Project:Links", "en", "https://w.example/wiki/Project:Links"),
        ("javascript:alert(1)", "en", "https://w.example/wiki/javascript:alert%281%29"),
    ],
)
def test_the_guideline_is_the_one_that_is_set(setting: str, language: str, address: str) -> None:
    wiki = WikiRow(1, "w", None, "https://w.example/wiki/$1", language, {}, None)
    app = create_app(ReviewApp(None, "x", PORT, guideline=setting))  # type: ignore[arg-type]
    with app.test_request_context(base_url=f"http://{HOST}"):
        found = guideline_address(wiki)
    assert found.replace("(", "%28").replace(")", "%29") == address


@pytest.mark.parametrize(
    ("probability", "says"),
    [
        (0.0, "Fewer than 1 in 10"),
        (0.04, "Fewer than 1 in 10"),
        (0.12, "About 1 in 10"),
        (0.5, "About 5 in 10"),
        (0.88, "About 9 in 10"),
        (0.97, "About 97 in 100"),
        (1.0, "About 99 in 100"),
    ],
)
def test_a_probability_is_told_as_experience(probability: float, says: str) -> None:
    assert labels.chance(probability) == f"{says} like this are accepted"


def test_ticked_rows_are_decided_and_no_other(browser: Browser, store: Store) -> None:
    page = browser.get("/queue")
    answer = browser.press(page, "/decide", verdict="reject", reason="other", pick=["2", "5"])
    assert "Rejected: 2 proposals" in answer.text
    assert [line(store, number).state for number in (1, 2, 5)] == [
        "pending",
        "rejected",
        "rejected",
    ]
    again = browser.press(page, "/decide", verdict="approve", pick=["2", "3"])
    assert "Approved: 1 proposal" in again.text
    assert "Proposal 2 is rejected by now" in again.text


def test_only_rows_that_were_shown_can_be_decided(browser: Browser, store: Store) -> None:
    page = browser.get("/batches/to/3")
    answer = browser.press(
        page, "/decide", verdict="approve", pick=["1", "x", "99999999999999999999"]
    )
    assert "Nothing was changed" in answer.text
    assert line(store, 1).state == "pending"
    forged = {"form_token": "x", "shown": "1:1", "verdict": "approve", "pick": "1"}
    assert browser.post("/decide", forged).status_code == 403


@pytest.mark.parametrize(
    "fields", [{"verdict": "destroy"}, {"verdict": "reject", "reason": "span"}, {}]
)
def test_what_is_no_decision_is_refused_for_many_too(
    browser: Browser, store: Store, fields: dict[str, str]
) -> None:
    page = browser.get("/queue")
    assert browser.press(page, "/decide", pick=["1"], **fields).status_code == 400
    assert line(store, 1).state == "pending"


def test_decisions_made_together_are_taken_back_together(browser: Browser, store: Store) -> None:
    done = browser.press(
        browser.get("/batches/to/1"), "/decide", verdict="approve", pick=["5", "8"]
    )
    assert "Approved: 2 proposals" in done.text
    back = browser.press(done, "/undo")
    assert "Taken back: 2 proposals" in back.text
    assert {line(store, number).state for number in (5, 8)} == {"pending"}


def test_the_list_is_sorted_by_what_it_shows(browser: Browser) -> None:
    page = browser.get("/queue").text
    assert 'aria-sort="descending"' in page
    assert page.index("97%") < page.index("93%") < page.index("12%")
    by_page = browser.get("/queue?sort=page").text
    assert by_page.index(">Foghorn</bdi></a></td>") < by_page.index(">Prism</bdi></a></td>")
    assert browser.get("/queue?sort=-nonsense").status_code == 200


def test_sentences_of_the_list_are_cut_around_the_words(browser: Browser) -> None:
    page = browser.get("/queue").text
    assert "<mark>fog horn</mark>" in page
    assert page.count("<mark>") == 11


def test_more_or_fewer_words_rejects_nothing_without_the_script_too(
    browser: Browser, store: Store
) -> None:
    page = browser.get("/proposal/2")
    answer = browser.press(page, "/proposal/2/decide", verdict="reject", reason="span")
    assert answer.headers["Location"] == "/proposal/2?words=choose"
    assert "Nothing is blocked" in browser.get(answer.headers["Location"]).text
    assert line(store, 2).state == "pending"


def test_words_are_chosen_by_their_places(browser: Browser, store: Store) -> None:
    page = browser.get("/proposal/2")
    start = sample.ENGLISH["Lighthouse"].index("a fog horn")
    browser.press(page, "/proposal/2/words", start=start, end=start + 10)
    assert line(store, 2).anchor == "a fog horn"
    again = browser.press(page, "/proposal/2/words", start=start, end=start + 5)
    assert again.status_code == 409, "the form is of an older version"
    assert line(store, 2).anchor == "a fog horn"


def test_a_whole_page_shows_every_proposal_at_its_place(browser: Browser, store: Store) -> None:
    decide(store, 1, "approve")
    page = browser.get("/article/1").text
    assert page.count('class="proposal is-pending"') == 5
    assert page.count('class="proposal is-approved"') == 1
    assert "<h2" in page
    assert 'form="undo-1"' in page


def test_a_decision_in_the_whole_page_comes_back_to_it(browser: Browser, store: Store) -> None:
    fields = hidden_fields(browser.get("/article/1").text, "/proposal/2/decide")
    answer = browser.post("/proposal/2/decide", fields | {"verdict": "approve"})
    assert answer.headers["Location"] == "/article/1#p2"
    late = browser.post("/proposal/2/decide", fields | {"verdict": "reject"})
    assert late.status_code == 409
    assert "alice was faster" in late.text
    assert 'id="p2"' in late.text, "the whole page is shown again"


def test_a_proposal_outside_the_shown_text_is_listed_below(browser: Browser, store: Store) -> None:
    with store.writing() as session:
        row = session.get_one(Suggestion, 2)
        row.start, row.end = 2, 9  # in the infobox
    page = browser.get("/article/1").text
    assert "Not in the text above" in page
    assert page.count('class="proposal is-pending"') == 5


def test_overlapping_proposals_are_both_there(browser: Browser, store: Store) -> None:
    with store.writing() as session:
        row = session.get_one(Suggestion, 2)
        other = session.get_one(Suggestion, 3)
        other.start, other.end = row.start, row.end
    decide(store, 3, "reject")
    page = browser.get("/article/1").text
    assert 'id="p2"' in page
    assert "Not in the text above" in page


def test_the_script_gets_only_the_news_when_it_has_the_next_page(browser: Browser) -> None:
    page = browser.get("/")
    fields = hidden_fields(page.text, "/proposal/1/decide") | {"verdict": "approve"}
    answer = browser.post("/proposal/1/decide", fields, headers={"Wikibot-Has-Next": "yes"})
    assert answer.status_code == 200
    assert 'data-address="/?after=1&amp;done=1"' in answer.text
    assert "Approved:" in answer.text
    assert 'action="/decision/1/undo"' in answer.text
    assert len(answer.text) < len(page.text) / 3


def test_read_is_not_in_the_main_navigation(browser: Browser) -> None:
    navigation = browser.get("/").text.partition("<nav")[2].partition("</nav>")[0]
    assert "/read" not in navigation
    assert browser.get("/read").status_code == 200


def test_a_card_can_ask_whether_it_is_still_as_it_was(browser: Browser, store: Store) -> None:
    with store.reading() as session:
        shown = queue.proposal(session, 2)
    assert shown is not None
    asked = f"/proposal/2/same?version={shown.line.version}"
    assert asked.replace("&", "&amp;") in browser.get("/proposal/2").text
    assert browser.get(asked).get_json() == {"is_same": True}
    with store.writing() as session:
        session.get_one(Page, shown.page.id).revision_id += 1
    assert browser.get(asked).get_json() == {"is_same": False}
    assert "/same?" not in browser.get("/proposal/2").text, "the card itself says so now"
    assert browser.get("/proposal/999/same?version=1").status_code == 404
