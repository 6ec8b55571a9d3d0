"""Reasons name evidence that a person can check, and never stand against the probability beside them."""

from __future__ import annotations

import pytest

from tests.linker.wikis import Wiki, learned, page_of
from wikibot.linker.explain import (
    LARGE_SHARE,
    MOST_REASONS,
    PARAMETERS,
    SMALL_SHARE,
    VERY_LIKELY,
    Reason,
    in_english,
    reasons,
)
from wikibot.linker.page import Page
from wikibot.linker.policy import Policy
from wikibot.linker.ranker import Ranker
from wikibot.linker.score import score_page

LIKELY, UNLIKELY = 0.95, 0.55


def why(wiki: Wiki, page: Page | str, target: str, probability: float = LIKELY) -> list[Reason]:
    """The reasons for the first candidate for this target."""
    page = wiki.page(page) if isinstance(page, str) else page
    rows, features = wiki.features(page)
    row = rows.target.tolist().index(wiki.number(target))
    return reasons(page, row, rows, features, wiki.knowledge, probability=probability)


def ids(found: list[Reason]) -> list[str]:
    return [one["id"] for one in found]


def links(n: int, mentions: int) -> dict[str, str]:
    """Pages that mention the sea, n of which link it."""
    return {f"Tale {i}": "By the [[sea]]." if i < n else "By the sea." for i in range(mentions)}


SEA = {"Sea": "It is salt.", "Trip": "To the sea."}


@pytest.mark.parametrize(
    ("linked", "mentions", "probability", "found"),
    [
        (1, 1, LIKELY, ["linked-on-the-other"]),
        (2, 2, LIKELY, ["linked-on-both"]),
        (5, 5, LIKELY, ["linked-on-all"]),
        (4, 5, LIKELY, ["linked-elsewhere"]),
        (2, 5, LIKELY, ["linked-elsewhere", "is-title"]),
        (1, 5, LIKELY, ["is-title", "linked-on-one"]),
        (2, 20, LIKELY, ["is-title", "linked-on-some"]),
        (2, 20, 0.1, ["linked-elsewhere", "is-title"]),
        (5, 5, UNLIKELY, ["is-title", "linked-on-some"]),
        (0, 5, LIKELY, ["is-title"]),
    ],
)
def test_a_share_of_links_is_given_only_where_it_fits_the_probability(
    linked: int, mentions: int, probability: float, found: list[str]
) -> None:
    wiki = learned(SEA | links(linked, mentions))
    said = why(wiki, "Trip", "Sea", probability)
    assert ids(said) == found


def test_the_pages_that_are_counted_are_the_other_ones() -> None:
    wiki = learned(SEA | links(3, 4))
    (said,) = in_english(why(wiki, "Trip", "Sea"))
    assert said == "'sea' links here on 3 of the 4 other pages that mention it"


NAMES = {
    "Sea": "'''Sea''' or '''the Main''' is salt.",
    "Hill (land)": "It is high.",
    "Trip": "The main, the hill, the ocean and two lakes.",
    "Lake": "It is wet.",
    "A": "A [[lake]]. One [[Lake|lakes]]. One [[Sea|seas]].",
}


@pytest.mark.parametrize(
    ("target", "found"),
    [("Hill (land)", "is-title"), ("Sea", "is-bold-name")],
)
def test_how_the_words_came_to_mean_the_target_is_said(target: str, found: str) -> None:
    assert found in ids(why(learned(NAMES), "Trip", target))


def test_a_redirect_of_that_name_is_said() -> None:
    wiki = learned({"Sea": "x", "Trip": "The ocean."}, {"Ocean": "Sea"})
    assert in_english(why(wiki, "Trip", "Sea")) == ["'ocean' redirects to the target"]


def test_a_form_names_the_title_only_where_it_is_like_it() -> None:
    many = {f"T{n}": f"The [[Bird{n}x|bird{n}xs]]." for n in range(8)}
    birds = {f"Bird{n}x": "x" for n in range(8)}
    wiki = learned(birds | many | {"Crow": "x", "Trip": "Two crows."})
    assert in_english(why(wiki, "Trip", "Crow")) == ["'crows' is a form of 'Crow'"]
    black = learned(birds | many | {"Corvus": "x", "Trip": "Two crows."}, {"Crow": "Corvus"})
    said = in_english(why(black, "Trip", "Corvus"))
    assert said == ["'crows' is like a name that other pages use for the target"]


def test_what_relates_the_pages_is_said_after_the_name() -> None:
    box = learned(SEA | {"Trip": "{{Box|water=sea}} To the sea."})
    assert ids(why(box, "Trip", "Sea")) == ["is-title", "in-box"]
    back = learned(SEA | {"Sea": "Seen on a [[trip]]."})
    assert ids(why(back, "Trip", "Sea")) == ["is-title", "links-back"]


def test_pages_that_link_both_are_counted() -> None:
    both = {f"Map {n}": "A [[trip]] on the [[sea]]." for n in range(4)}
    said = why(learned(SEA | both), "Trip", "Sea")
    assert {"id": "linked-by-both", "args": {"pages": 4}} in said


def test_the_rarest_shared_category_is_named_unless_most_pages_are_in_it() -> None:
    everywhere, rare = "[[Category:Pages]]", "[[Category:Water]]"
    others = {f"Tale {n}": f"Nothing. {everywhere}" for n in range(20)}
    wiki = learned(
        others | {"Sea": f"Salt. {everywhere} {rare}", "Trip": f"To the sea. {everywhere} {rare}"}
    )
    said = in_english(why(wiki, "Trip", "Sea"))
    assert said[-1] == "both are in the category 'Water'"
    common = learned(others | {"Sea": f"Salt. {everywhere}", "Trip": f"The sea. {everywhere}"})
    assert "same-category" not in ids(why(common, "Trip", "Sea"))


def test_what_outweighs_a_large_share_is_said() -> None:
    texts = SEA | links(5, 5)
    often = learned(
        texts | {"Trip": "Sea, sea and sea. " + "[[Tale 1]] and [[Tale 2]], [[Tale 3]]."}
    )
    assert in_english(why(often, "Trip", "Sea", UNLIKELY))[-1] == (
        "but this page names it 3 times and links it nowhere"
    )
    plain = {"Long": "A word. " * 100}
    full = learned(texts | plain | {"Trip": "The sea. [[Tale 1]], [[Tale 2]] and [[Nowhere]]."})
    assert in_english(why(full, "Trip", "Sea", UNLIKELY))[-1] == (
        "but this page has 2 links already, where 0 are usual for its length"
    )
    boxed = learned(texts | {"Trip": "{{Box|[[Sea]]}} To the sea."})
    assert ids(why(boxed, "Trip", "Sea", UNLIKELY))[-1] == "but-box-links"


def test_another_page_that_the_words_may_mean_is_named() -> None:
    texts = {"Sea": "x", "Sea (film)": "y", "Trip": "To the sea."} | links(5, 6)
    said = why(learned(texts), "Trip", "Sea", UNLIKELY)
    assert said[-1] == {"id": "but-other-meaning", "args": {"anchor": "sea", "title": "Sea (film)"}}


def test_nothing_is_held_against_a_very_likely_link() -> None:
    texts = SEA | links(5, 5) | {"Trip": "Sea, sea and sea. [[Tale 1]] and [[Tale 2]], [[Tale 3]]."}
    assert not [one for one in ids(why(learned(texts), "Trip", "Sea")) if one.startswith("but-")]


def shares(found: list[Reason]) -> list[float]:
    """The shares of links that reasons promise."""
    plain = {"linked-on-the-other": 1.0, "linked-on-both": 1.0, "linked-on-all": 1.0}
    counted = [
        one["args"]["links"] / one["args"]["mentions"]
        for one in found
        if one["id"] == "linked-elsewhere"
    ]
    return counted + [plain[one["id"]] for one in found if one["id"] in plain]


def test_no_proposal_has_reasons_against_its_probability(
    town_wiki: Wiki, town_ranker: Ranker
) -> None:
    policy = Policy(min_probability=0.5, is_draft=True)
    found = [one for page in town_wiki.pages for one in score_page(page, town_wiki.knowledge, town_ranker, policy)]  # fmt: skip
    found += [one for page in town_wiki.pages for one in score_page(page.hide(), town_wiki.knowledge, town_ranker, policy)]  # fmt: skip
    assert len(found) > 50
    for one in found:
        named = ids(one.reasons)
        is_outweighed = any(name.startswith("but-") for name in named)
        assert len(named) == len(set(named)), "nothing is said twice"
        assert 0 < len(named) <= MOST_REASONS + is_outweighed
        assert all(share >= SMALL_SHARE for share in shares(one.reasons))
        if one.probability < VERY_LIKELY and not is_outweighed:
            assert all(share < LARGE_SHARE for share in shares(one.reasons))


def test_every_reason_that_is_given_has_words(town_wiki: Wiki, town_ranker: Ranker) -> None:
    for page in town_wiki.pages[:10]:
        for one in score_page(page.hide(), town_wiki.knowledge, town_ranker, Policy(0.0)):
            assert set(ids(one.reasons)) <= PARAMETERS.keys()
            assert not any("{" in clause for clause in in_english(one.reasons))


def test_a_draft_has_reasons_too() -> None:
    wiki = learned(SEA | links(4, 5))
    assert ids(why(wiki, page_of("The sea.", "Draft"), "Sea")) == ["linked-elsewhere"]
