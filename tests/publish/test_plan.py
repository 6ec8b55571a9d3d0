"""The planned edit: what was approved, where it was approved, or back to the reviewer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.publish.world import RULES, place_of
from wikibot.plan import (
    ApprovedLink,
    OwnEdit,
    Placed,
    PlannedEdit,
    Version,
    anchor_in,
    plan_edit,
    sha1_of,
)

TEXT = "The Severn is a river. It rises in Wales and flows to the sea.\n\nIt has a bridge."
KNOWN = Version("Severn", 7, TEXT)


def link(anchor: str, target: str, *, number: int = 1, text: str = TEXT) -> ApprovedLink:
    return ApprovedLink(
        id=number, version=1, revision_id=7, target=target, **place_of(text, anchor, target)
    )


RIVER, WALES = link("river", "River"), link("Wales", "Wales", number=2)
BRIDGE = link("bridge", "Bridge", number=3)


def reason(plan: PlannedEdit) -> str:
    assert plan.text == plan.base_text and not plan.placed
    (left,) = plan.left_out
    assert left.is_stale
    return left.reason


def test_all_links_stand_in_one_text_on_one_revision() -> None:
    plan = plan_edit(KNOWN, [WALES, RIVER], RULES)
    assert plan.text == TEXT.replace("river", "[[river]]").replace("Wales", "[[Wales]]")
    assert (plan.base_revision, plan.base_text) == (7, TEXT)
    assert [placed.suggestion_id for placed in plan.placed] == [1, 2]
    assert not plan.left_out


def test_the_fingerprint_is_mediawikis_own() -> None:
    # sha1 of the UTF-8 bytes, as the API's rvprop=sha1 gives it
    assert sha1_of("A [[river]] in Wales.") == "38fbd50ff37adac5d3cbe8e47d014fd153518e19"


def test_without_links_there_is_nothing_to_do() -> None:
    plan = plan_edit(KNOWN, [], RULES)
    assert plan.text == TEXT and not plan.placed and not plan.left_out


def test_a_plan_never_holds_more_links_than_allowed() -> None:
    plan = plan_edit(KNOWN, [RIVER, WALES, BRIDGE], RULES, most_links=2)
    assert [placed.suggestion_id for placed in plan.placed] == [1, 2]
    assert not plan.left_out, "the third waits for the next edit; it is not stale"


def test_an_approval_on_a_text_that_is_gone_goes_back() -> None:
    old = replace(RIVER, revision_id=6)
    assert "approved on revision 6" in reason(plan_edit(KNOWN, [old], RULES))


def test_an_approval_on_an_older_text_follows_its_sentence() -> None:
    text = "Earlier start. The Severn is a river. Earlier end."
    old = replace(link("river", "River", text=text), revision_id=6)
    plan = plan_edit(KNOWN, [old], RULES, older={6: text})
    assert plan.text == TEXT.replace("river", "[[river]]") and plan.base_revision == 7


def test_an_approval_from_before_our_own_edit_follows_it_into_the_known_text() -> None:
    text = "The Severn is a river in Wales."
    ours = own_edit(text, link("river", "River", text=text))
    wales = link("Wales", "Wales", number=2, text=text)
    known = Version("Severn", 8, ours.text)
    plan = plan_edit(known, [wales], RULES, own_edits=[ours], older={7: text})
    assert plan.text == "The Severn is a [[river]] in [[Wales]]."


def test_a_known_revision_with_another_text_is_not_trusted() -> None:
    live = Version("Severn", 7, TEXT + " More.")
    assert "not the one we know" in reason(plan_edit(KNOWN, [RIVER], RULES, live=live))


def test_the_same_text_under_a_new_revision_needs_no_search() -> None:
    twice = "A river. A river."
    known, live = Version("S", 7, twice), Version("S", 9, twice)
    plan = plan_edit(known, [link("river", "River", text=twice)], RULES, live=live)
    assert plan.text == "A [[river]]. A river." and plan.base_revision == 9


def test_a_link_follows_its_sentence() -> None:
    live = Version("Severn", 8, "New start.\n\n" + TEXT.replace("It rises", "It slowly rises"))
    plan = plan_edit(KNOWN, [RIVER], RULES, live=live)
    assert plan.text == live.text.replace("river", "[[river]]")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (TEXT.replace("a river", "a long river"), "no longer there"),
        (TEXT + "\n\nThe Severn is a river.", "stands there 2 times"),
        ("", "no longer there"),
    ],
)
def test_a_changed_or_repeated_sentence_goes_back(change: str, why: str) -> None:
    live = Version("Severn", 8, change)
    assert why in reason(plan_edit(KNOWN, [RIVER], RULES, live=live))


def test_a_sentence_that_now_stands_in_a_comment_goes_back() -> None:
    live = Version("Severn", 8, f"<!-- {TEXT} -->")
    assert "No link may stand" in reason(plan_edit(KNOWN, [RIVER], RULES, live=live))


def test_a_target_that_somebody_linked_meanwhile_is_not_linked_twice() -> None:
    live = Version("Severn", 8, TEXT + "\n\nEvery [[river]] flows.")
    assert "links to “River” already" in reason(plan_edit(KNOWN, [RIVER], RULES, live=live))


def test_a_target_that_somebody_linked_through_a_redirect_is_not_linked_twice() -> None:
    live = Version("Severn", 8, TEXT + "\n\nEvery [[stream]] flows.")
    assert plan_edit(KNOWN, [RIVER], RULES, live=live).placed, "who knows of no redirect links"
    known = replace(RIVER, redirects=("Brook", "Stream"))
    assert "links to “River” already" in reason(plan_edit(KNOWN, [known], RULES, live=live))


def test_a_target_that_is_only_listed_under_see_also_may_be_linked_in_the_text() -> None:
    live = Version("Severn", 8, TEXT + "\n\n== See also ==\n* [[River]]\n")
    assert len(plan_edit(KNOWN, [RIVER], RULES, live=live).placed) == 1


def test_one_unsafe_link_does_not_keep_the_others_back() -> None:
    live = Version("Severn", 8, TEXT + "\n\nEvery [[river]] flows.")
    plan = plan_edit(KNOWN, [RIVER, WALES], RULES, live=live)
    assert [placed.suggestion_id for placed in plan.placed] == [2]
    assert [left.suggestion_id for left in plan.left_out] == [1]
    assert plan.text == live.text.replace("Wales", "[[Wales]]")


def test_another_wikitext_than_the_approved_one_is_not_written() -> None:
    odd = replace(RIVER, wikitext="[[River|river]]")
    assert "[[River|river]] was approved" in reason(plan_edit(KNOWN, [odd], RULES))


def test_overlapping_links_are_not_both_written() -> None:
    text = "He crossed the Severn Bridge today."
    known = Version("A", 7, text)
    links = [
        link("Severn Bridge", "Severn Bridge", text=text),
        link("Severn", "Severn", number=2, text=text),
    ]
    plan = plan_edit(known, links, RULES)
    assert len(plan.placed) == 1 and len(plan.left_out) == 1


def own_edit(text: str = TEXT, *links: ApprovedLink) -> OwnEdit:
    made = plan_edit(Version("Severn", 7, text), links or [RIVER], RULES)
    return OwnEdit(7, 8, made.text, made.placed)


def test_after_our_own_edit_the_other_links_are_where_it_moved_them() -> None:
    text = "The Severn is a river in Wales."
    known = Version("Severn", 7, text)
    first, second = link("river", "River", text=text), link("Wales", "Wales", number=2, text=text)
    ours = own_edit(text, first)
    plan = plan_edit(known, [second], RULES, live=Version("Severn", 8, ours.text), own_edits=[ours])
    assert plan.text == "The Severn is a [[river]] in [[Wales]]."


def test_after_our_own_edit_and_a_persons_the_sentence_is_still_found() -> None:
    text = "The Severn is a river in Wales."
    ours = own_edit(text, link("river", "River", text=text))
    live = Version("Severn", 9, "Hello.\n\n" + ours.text)
    wales = link("Wales", "Wales", number=2, text=text)
    plan = plan_edit(Version("Severn", 7, text), [wales], RULES, live=live, own_edits=[ours])
    assert plan.text == "Hello.\n\nThe Severn is a [[river]] in [[Wales]]."


def test_after_our_edit_was_taken_back_the_first_text_counts() -> None:
    ours = own_edit()
    live = Version("Severn", 9, TEXT)
    plan = plan_edit(KNOWN, [WALES], RULES, live=live, own_edits=[ours])
    assert plan.text == TEXT.replace("Wales", "[[Wales]]")


def test_an_edit_of_ours_on_another_base_moves_nothing() -> None:
    stray = OwnEdit(5, 6, "Something else.", (Placed(9, 0, 4, "[[Some]]"),))
    assert plan_edit(KNOWN, [RIVER], RULES, own_edits=[stray]).placed


@given(
    before=st.text(alphabet="ab .\n", max_size=40),
    after=st.text(alphabet="ab .\n", max_size=40),
)
def test_a_found_place_always_holds_the_approved_words(before: str, after: str) -> None:
    live = Version("Severn", 8, f"{before}\n\n{TEXT}\n\n{after}")
    place = anchor_in(KNOWN, RIVER, live)
    assert isinstance(place, ApprovedLink)
    assert live.text[place.start : place.end] == "river"
    assert live.text[place.sentence_start : place.sentence_end] == "The Severn is a river."
