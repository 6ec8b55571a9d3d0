"""The small rules of publishing as pure functions: summaries, marks, codes, addresses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.publish.world import RULES
from wikibot.errors import (
    AccountRefused,
    EditConflict,
    EditLost,
    EditRefused,
    OutcomeHidden,
    Protected,
    UnsafeEdit,
    WikibotError,
    WikiUnavailable,
)
from wikibot.plan import ApprovedLink, LeftOut
from wikibot.publish.checks import (
    barrier_kind,
    check_barriers,
    check_revision,
    check_rewriting,
    exclusion_template,
)
from wikibot.publish.collect import since_when, take
from wikibot.publish.log import diff_url
from wikibot.publish.messages import TABLE, messages
from wikibot.publish.pages import reasons
from wikibot.publish.places import linked_targets
from wikibot.publish.proposals import talk_title
from wikibot.publish.publisher import Outcome, refuse_unfit, same_address
from wikibot.publish.publishing import exit_code, refuse_failures_in_a_row
from wikibot.publish.retry import ROUNDS, retry
from wikibot.publish.summary import (
    LONGEST,
    approvers,
    new_marker,
    page_summary,
    plain_summary,
    undo_summary,
)
from wikibot.publish.talk import Item, Mark, open_line
from wikibot.publish.undo import Standing, as_inserted
from wikibot.site.connect import Account, lacking
from wikibot.site.history import Barrier, LivePage, Revision
from wikibot.store.outbox import NewEdit
from wikibot.store.pages import WikiRow
from wikibot.wikitext import Insertion, SiteRules, insert_links, read_page, remove_links

EN = messages("en")
NOW = datetime(2026, 1, 2, tzinfo=timezone.utc)
LINK = ApprovedLink(1, 1, 7, 0, 5, "river", "River", "[[river]]", 0, 9, approver="Ann")
EDIT = NewEdit(1, "b", "page", "Severn", 1, 7, "A [[river]].", "", "", "m", (), "LinkBot")
LIVE = LivePage("Severn", 1, 7, "A river.", False, (), NOW)


# Summaries


def test_a_summary_names_task_approver_way_to_stop_and_id() -> None:
    summary = page_summary([LINK], EN, shutoff="User:B/Shutoff", marker="wikibot-1")
    assert summary == (
        "Links added: [[:River]]; approved by Ann · [[User:B/Shutoff|stop]] · wikibot-1"
    )


def test_a_reviewer_on_the_wiki_is_a_link_and_another_is_plain_text() -> None:
    wiki = replace(LINK, approver="Bob", is_wiki_user=True)
    hostile = replace(LINK, approver="[[Main Page]] {{x}} <b>\n")
    assert approvers([LINK, wiki]) == "Ann, [[User:Bob|Bob]]"
    assert approvers([hostile]) == "Main Page x b"


def test_many_approvers_are_counted() -> None:
    many = [replace(LINK, approver=f"P{number}") for number in range(6)]
    assert approvers(many) == "P0, P1, P2 +3" and approvers([LINK, LINK]) == "Ann"


words_of_any_length = st.text(alphabet="abcä ", min_size=1, max_size=250).filter(str.strip)


@given(
    st.lists(st.tuples(words_of_any_length, words_of_any_length), min_size=1, max_size=40),
    st.booleans(),
    words_of_any_length,
)
def test_a_summary_never_loses_its_id_to_the_wikis_limit(
    named: list[tuple[str, str]], is_wiki_user: bool, stop: str
) -> None:
    links = [
        replace(LINK, target=target, approver=approver, is_wiki_user=is_wiki_user)
        for target, approver in named
    ]
    targets = [target for target, _ in named]
    for words in TABLE.values():
        for summary in (
            page_summary(links, words, shutoff=stop, marker="wikibot-1"),
            undo_summary(targets, words, shutoff=stop, marker="wikibot-1"),
            plain_summary(words.worklist, words, shutoff=stop, marker="wikibot-1"),
        ):
            assert len(summary) <= LONGEST
            assert summary.endswith(f"[[{stop}|{words.stop}]] · wikibot-1")


def test_long_names_are_shortened_before_targets_are_left_out() -> None:
    people = [
        replace(LINK, target=f"Page {n}", approver=f"{n}" * 200, is_wiki_user=True)
        for n in range(3)
    ]
    summary = page_summary(people, EN, shutoff="User:B/Shutoff", marker="wikibot-1")
    assert all(f"[[:Page {n}]]" in summary and f"{n}" * 50 in summary for n in range(3))
    assert "[[User:0" not in summary, "a shortened name is not a link"


def test_markers_differ() -> None:
    assert len({new_marker() for _ in range(1000)}) == 1000
    assert plain_summary("Hi", EN, shutoff="U", marker="m") == "Hi · [[U|stop]] · m"


# Checks


def test_text_that_saving_would_change_is_not_sent() -> None:
    with pytest.raises(UnsafeEdit, match=r"would change when saving, at 'A \[\[river"):
        check_rewriting(EDIT, EDIT.text + " [[User:LinkBot]]")
    with pytest.raises(UnsafeEdit, match="would change when saving"):
        check_rewriting(EDIT, EDIT.text[:-1])
    check_rewriting(EDIT, EDIT.text)


@pytest.mark.parametrize(
    ("live", "why"),
    [
        (replace(LIVE, revision_id=9), "at revision 9 now"),
        (replace(LIVE, revision_id=0), "deleted"),
    ],
)
def test_another_revision_is_a_conflict(live: LivePage, why: str) -> None:
    with pytest.raises(EditConflict, match=why):
        check_revision(EDIT, live)


def test_a_page_that_was_to_be_created_and_exists_is_a_conflict() -> None:
    with pytest.raises(EditConflict, match="was created"):
        check_revision(replace(EDIT, base_revision=0), LIVE)
    check_revision(EDIT, LIVE)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("blocked", AccountRefused),
        ("protectedpage", Protected),
        ("cascadeprotected", Protected),
        ("titleblacklist-forbidden-edit", Protected),
        ("ratelimited", WikiUnavailable),
        ("readonly", WikiUnavailable),
    ],
)
def test_a_barrier_has_one_meaning(code: str, kind: type[WikibotError]) -> None:
    assert barrier_kind(Barrier(code, "No.")) is kind
    with pytest.raises(kind, match=code):
        check_barriers(replace(LIVE, barriers=(Barrier(code, "No."),)))


def test_the_excluding_template_is_named_as_it_stands() -> None:
    page = read_page("A. {{Bots | deny = X }} {{nobots}}", RULES)
    assert exclusion_template(page) == "{{Bots | deny = X }}"
    assert exclusion_template(read_page("A.", RULES)) == "a template"


# Outcomes


@pytest.mark.parametrize(
    ("states", "code"),
    [
        ([], 0),
        (["nothing"], 0),
        (["done", "refused"], 0),
        (["would"], 0),
        (["refused", "nothing"], 1),
        (["later"], 3),
        (["done", "unknown"], 4),
    ],
)
def test_the_exit_code_follows_from_the_outcomes(states: list[str], code: int) -> None:
    assert exit_code([Outcome("Severn", state) for state in states]) == code


def test_five_refusals_in_a_row_are_about_us() -> None:
    wall = Outcome("Severn", "refused", "no", is_refused_by_wiki=True)
    refuse_failures_in_a_row([wall] * 4)
    refuse_failures_in_a_row([*[wall] * 4, Outcome("X", "done"), *[wall] * 4])
    refuse_failures_in_a_row([Outcome("Severn", "refused", "no")] * 9)
    with pytest.raises(WikibotError, match="5 edits in a row"):
        refuse_failures_in_a_row([wall] * 5)


def test_five_lost_edits_in_a_row_are_about_the_way_to_the_wiki() -> None:
    lost = Outcome("Severn", "later", "gone", is_lost=True)
    refuse_failures_in_a_row([lost] * 4)
    refuse_failures_in_a_row([*[lost] * 4, Outcome("X", "done"), *[lost] * 4])
    with pytest.raises(WikiUnavailable, match="5 edits in a row were sent and did not arrive"):
        refuse_failures_in_a_row([lost] * 5)


def publisher_of(*, partial: bool) -> Any:
    return SimpleNamespace(account=account(block="blocked", partial=partial))


def account(*rights: str, block: str | None = None, partial: bool = False) -> Account:
    return Account("LinkBot", frozenset(), frozenset(rights), block, partial)


def raising(*errors: Exception) -> Callable[[], Outcome]:
    """An attempt that meets these errors, one after the other, and then succeeds."""
    waiting = list(errors)

    def attempt() -> Outcome:
        if waiting:
            raise waiting.pop(0)
        return Outcome("Severn", "done")

    return attempt


def test_a_partial_block_is_about_pages_and_a_full_one_about_us() -> None:
    with pytest.raises(AccountRefused):
        retry(publisher_of(partial=False), "Severn", raising(AccountRefused("no")))
    outcome = retry(publisher_of(partial=True), "Severn", raising(AccountRefused("no")))
    assert (outcome.state, outcome.message) == ("refused", "no")


def test_what_concerns_one_page_leaves_the_next_ones_to_be_edited() -> None:
    outcome = retry(publisher_of(partial=False), "Severn", raising(EditRefused("filter")))
    assert (outcome.state, outcome.is_refused_by_wiki) == ("refused", True)


def test_a_page_edited_just_now_is_tried_anew_and_left_after_the_third_time() -> None:
    conflicts = [EditConflict("busy")] * ROUNDS
    publisher = publisher_of(partial=False)
    assert retry(publisher, "Severn", raising(*conflicts[1:])).state == "done"
    assert retry(publisher, "Severn", raising(*conflicts)).message == "busy"


def test_a_lost_or_hidden_edit_leaves_the_next_pages_to_be_edited() -> None:
    lost = retry(publisher_of(partial=False), "Severn", raising(EditLost("gone")))
    assert (lost.state, lost.is_lost) == ("later", True)
    hidden = retry(publisher_of(partial=False), "Severn", raising(OutcomeHidden("hidden")))
    assert (hidden.state, hidden.message) == ("unknown", "hidden")


def test_a_lost_connection_stops_the_run() -> None:
    with pytest.raises(WikiUnavailable):
        retry(publisher_of(partial=False), "Severn", raising(WikiUnavailable("gone")))


def test_an_account_that_cannot_edit_is_refused_at_the_door() -> None:
    with pytest.raises(AccountRefused, match="'edit'"):
        refuse_unfit(account("read"))
    with pytest.raises(AccountRefused, match="is blocked by"):
        refuse_unfit(account("edit", block="blocked by Ann: wild"))
    refuse_unfit(account("edit", block="blocked by Ann", partial=True))
    assert lacking(account("edit", "bot"))[0].right == "minoredit"


def test_reasons_name_each_proposal() -> None:
    left = (LeftOut(1, "it moved", True), LeftOut(2, "it is gone", True))
    assert reasons(left) == "Nothing was sent: proposal 1: it moved; proposal 2: it is gone."
    assert "no approved link is left" in reasons(())


# Addresses


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://a.org/w/api.php", "http://A.org/w/", True),
        ("https://a.org/w/api.php", "https://b.org/w/api.php", False),
        ("http://127.0.0.1:80/api.php", "http://127.0.0.1:81/api.php", False),
    ],
)
def test_a_wiki_is_known_by_its_address(one: str, other: str, same: bool) -> None:
    assert same_address(one, other) is same


def test_a_diff_has_an_address() -> None:
    wiki = WikiRow(1, "x", "https://a.org/w/api.php", None, "en", {}, None)
    assert diff_url(wiki, 7) == "https://a.org/w/index.php?diff=7" and diff_url(wiki, None) is None
    export = wiki._replace(api_url=None, article_url="https://a.org/wiki/$1")
    assert diff_url(export, 7) == "https://a.org/wiki/Special:Diff/7"


@pytest.mark.parametrize(
    ("title", "talk"),
    [
        ("Severn", "Diskussion:Severn"),
        ("Portal:Rivers", "Diskussion:Portal:Rivers"),
        ("Hilfe:Bot", "Hilfe Diskussion:Bot"),
        ("AC/DC", "Diskussion:AC/DC"),
    ],
)
def test_the_talk_page_has_the_wikis_own_name(title: str, talk: str) -> None:
    assert talk_title(title, SiteRules.for_language("de")) == talk


# Who said it

ITEM = Item(1, "river", "River", "A river.")
LINE = open_line(ITEM, EN)


def revision(number: int, mark: str, user: str = "Ann", *, hidden: bool = False) -> Revision:
    line = LINE.replace("[ ]", mark, 1)
    text = (
        "" if mark == "none" else f"<!-- wikibot:section w open -->\n{line}\nx <!-- wikibot:end -->"
    )
    sha1 = "" if hidden else "s"
    return Revision(number, number - 1, user, True, "", sha1, (), NOW + timedelta(number), text)


def author(*newest_first: Revision) -> str:
    publisher: Any = SimpleNamespace(words=EN)
    found = since_when(newest_first, {1: Mark("yes")}, {1: ITEM}, publisher)
    return found[1].user if found else ""


def test_the_author_is_who_made_the_line_say_so() -> None:
    assert (
        author(revision(3, "[yes]", "C"), revision(2, "[yes]", "B"), revision(1, "[ ]", "A")) == "B"
    )


def test_saying_it_again_after_another_took_it_back_counts_anew() -> None:
    history = [revision(4, "[yes]", "D"), revision(3, "[no]", "C"), revision(2, "[yes]", "B")]
    assert author(*history) == "D"


def test_a_hidden_revision_tells_nothing() -> None:
    hidden = revision(2, "none", "B", hidden=True)
    assert author(revision(3, "[yes]", "C"), hidden, revision(1, "[yes]", "A")) == "A"


def test_a_page_that_was_blanked_between_starts_anew() -> None:
    assert author(revision(3, "[yes]", "C"), revision(2, "none", "B"), revision(1, "[yes]")) == "C"


@pytest.mark.parametrize(
    ("mark", "source", "why"),
    [
        (Mark("unclear"), revision(1, "[yes]"), "not clear"),
        (Mark("yes"), None, "does not show"),
        (Mark("yes"), revision(1, "[yes]", "LinkBot"), "does not show"),
        (Mark("yes"), replace(revision(1, "[yes]"), is_registered=False), "needs an account"),
    ],
)
def test_an_answer_without_a_name_does_not_count(
    mark: Mark, source: Revision | None, why: str
) -> None:
    publisher: Any = SimpleNamespace(account=account())
    assert why in take(publisher, 1, mark, source)


# Taking back


def test_links_in_a_text_are_described_as_they_were_put_in() -> None:
    insertions = [Insertion(0, 4, "Cat"), Insertion(9, 12, "Dog")]
    text = insert_links("cats and dog.", insertions)
    assert text == "[[cat]]s and [[dog]]."
    standing = [Standing(1, "Cat", 0, 8, 4), Standing(2, "Dog", 13, 20, 3)]
    assert as_inserted(standing) == insertions
    assert remove_links(text, as_inserted(standing)) == "cats and dog."


def test_what_a_page_links_to_is_seen_even_if_it_cannot_be_read() -> None:
    assert linked_targets("A [[river]] in [[Wales|the west]].", RULES, "X") == {"River", "Wales"}
    assert linked_targets("A [[river]] \0 in [[Wales|w]].", RULES, "X") == {"River", "Wales"}
