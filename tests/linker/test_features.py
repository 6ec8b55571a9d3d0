"""Features of candidates on wikis so small that every value can be computed by hand."""

from __future__ import annotations

from math import log, log1p

import numpy as np
import pytest

from tests.linker.wikis import Wiki, learned, page_of
from wikibot.linker.features import NOTHING, _behind, describe
from wikibot.linker.features.names import FAMILIAR_MENTIONS, best_other
from wikibot.linker.features.relatedness import UNKNOWN, relatedness
from wikibot.linker.names import find_mentions

SEAS = {
    "Sea (water)": "It is salt water and deep.",
    "Sea (song)": "A tune.",
    "Lake": "A lake is sweet water. Draft pages name it.",
    "A": "The [[Sea (water)|sea]] is near. The [[lake]] is far.",
    "B": "The [[Sea (water)|sea]] is near.",
    "C": "The [[Sea (song)|sea]] is sung.",
    "D": "The sea is near, and salt water is deep.",
}


@pytest.fixture(scope="module")
def seas() -> Wiki:
    return learned(SEAS)


def value(wiki: Wiki, text: str, name: str, anchor: str, target: str) -> float:
    return wiki.feature(page_of(text, "Draft"), name, anchor, target)


SEA = ("By the sea we sat.", "sea", "Sea (water)")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Four pages mention the sea, three link it, two of these to the water.
        ("share_to_target", 2.02 / 4.6),
        ("share_linked", 3.05 / 4.6),
        ("links_to_target", log1p(2)),
        ("mentioned", log1p(4)),
        ("commonness", 2.01 / 3.1),
        # The water is mentioned on all four pages and linked on two.
        ("target_share", 2.05 / 4.5),
        ("target_mentioned", log1p(4)),
        ("share_of_other", 1.02 / 4.6),
        ("share_against_other", (2.02 / 4.6) / (3.04 / 4.6 + 1e-3)),
        ("meanings", 2),
        ("form_weight", log1p(99)),
        ("words", 1),
        ("is_title", 0),
        ("is_stripped", 1),
        ("is_anchor", 1),
        ("is_redirect", 0),
        ("likeness", 1),
    ],
)
def test_a_name_is_described_by_how_others_link_it(seas: Wiki, name: str, expected: float) -> None:
    text, anchor, target = SEA
    assert value(seas, text, name, anchor, target) == pytest.approx(expected, rel=1e-5)


def test_a_page_does_not_see_its_own_links(seas: Wiki) -> None:
    hidden = seas.page("A").hide()
    own = seas.parts[seas.number("A")]
    mentions = find_mentions(hidden, seas.knowledge.names)
    rows, features = describe(hidden, seas.number("A"), seas.knowledge, mentions, own)
    at = rows.target.tolist().index(seas.number("Sea (water)"))
    assert features["share_to_target"][at] == pytest.approx(1.02 / 3.6)
    assert features["target_share"][at] == pytest.approx(1.05 / 3.5)
    assert features["popularity"][at] == pytest.approx(log1p(1))


def test_links_around_the_same_words_on_other_pages_are_counted() -> None:
    texts = {
        "Sea": "x",
        "P1": "by the [[sea]] now",
        "P2": "on the [[sea]] then",
        "P3": "in a sea then",
    }
    wiki, mean, text = learned(texts), 2 / 3, "We saw the sea then."
    share = (2 + FAMILIAR_MENTIONS * mean) / (2 + FAMILIAR_MENTIONS)
    assert value(wiki, text, "linked_before", "sea", "Sea") == pytest.approx(
        log(share / mean), rel=1e-4
    )
    share = (1 + FAMILIAR_MENTIONS * mean) / (2 + FAMILIAR_MENTIONS)
    assert value(wiki, text, "linked_after", "sea", "Sea") == pytest.approx(
        log(share / mean), rel=1e-4
    )
    unseen = value(wiki, "We saw one sea there.", "linked_before", "sea", "Sea")
    assert unseen == pytest.approx(0, abs=1e-6)


def test_the_best_other_of_a_group_is_found() -> None:
    group = np.array([0, 0, 0, 1, 2, 2])
    values = np.array([0.2, 0.9, 0.5, 0.7, 0.3, 0.3], dtype=np.float32)
    assert best_other(group, values) == pytest.approx([0.9, 0.5, 0.9, 0, 0.3, 0.3])


def test_targets_are_compared_with_the_best_one_of_the_same_words() -> None:
    found = _behind(np.array([0, 0, 1]), np.array([0.25, 1.0, 0.5]))
    assert found.tolist() == [-0.75, 0, 0]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("By the Lake we sat.", "starts_upper", 1),
        ("By the lake we sat.", "starts_upper", 0),
        ("By the lake we sat.", "is_lower", 1),
        ("By the LAKE we sat.", "all_caps", 1),
        ("Lake it is.", "starts_sentence", 1),
        ("By the lake we sat.", "starts_sentence", 0),
        ("By the Salt lake we sat.", "upper_before", 3),
        ("By the lake we sat.", "upper_before", 2),
        ("Lake we sat.", "upper_before", -1),
        ("By the lake, we sat.", "upper_after", 0),
        ("By the lake", "upper_after", -1),
        ("By ''the great lake'' we sat.", "italic_around", 2),
        ("By ''lake'' we sat.", "italic_around", 0),
        ("By lake we sat.", "italic_around", -1),
        ('He said "the lake is old" then.', "quote_around", 3),
        ("We sat.\n* the lake", "is_listed", 1),
        ("We sat by the lake.", "is_listed", 0),
        ("We sat (lake side) here.", "in_brackets", 1),
        ("By the lake (old) here.", "brackets_after", 1),
        ("By lake 7 we sat.", "number_after", 1),
        ("By 7 lake we sat.", "number_before", 1),
        ('By "lake side" we sat.', "after_quote", 1),
        ("one two lake four", "place", 2 / 4),
        ("one two lake four", "words_before", log1p(2)),
        ("one two lake four", "page_words", log1p(4)),
        ("one two\n\nthree lake four", "in_paragraph", 1),
        ("one\n\n== Past ==\nthe lake", "section", 1),
        ("lake and lake and lake", "mentions_here", log1p(3)),
        ("lake and lake and lake", "mention", 0),
    ],
)
def test_what_the_eye_sees(seas: Wiki, text: str, name: str, expected: float) -> None:
    _, features = seas.features(page_of(text, "Draft"))
    assert features[name][0] == pytest.approx(expected)


def test_longer_names_around_a_mention_are_seen() -> None:
    wiki = learned({"New York City": "x", "York": "x", "Boat": "x", "A": "[[York]]"})
    page = page_of("In New York City by boat.", "Draft")
    rows, features = wiki.features(page)
    longer = dict(zip(rows.target.tolist(), features["longer_by"].tolist(), strict=True))
    assert longer == {0: 0, 1: 2, 2: 0}


def test_a_longer_name_is_seen_though_its_page_is_linked_already() -> None:
    wiki = learned({"New York City": "x", "York": "x", "A": "[[York]]"})
    page = page_of("[[New York City]] is here. In New York City.", "Draft")
    rows, features = wiki.features(page)
    assert rows.target.tolist() == [1] and features["longer_by"].tolist() == [2]


def test_what_a_fixed_links_is_linked(seas: Wiki) -> None:
    page = page_of("x\n\n== The [[lake]] ==\nThe lake and the sea.", "Draft")
    assert page.fixed_links == (("lake", "Lake"),) and page.box_links == ()
    rows, _ = seas.features(page)
    found = {seas.knowledge.titles.titles[target] for target in rows.target.tolist()}
    assert "Lake" not in found and found


def test_how_links_to_the_target_are_written_is_seen() -> None:
    wiki = learned({"Sea": "x", "A": "by ''the [[Sea]]'' and a [[sea]]", "B": "x"})
    assert value(wiki, "the sea", "target_upper", "sea", "Sea") == pytest.approx(1.5 / 3)
    assert value(wiki, "the sea", "target_italic", "sea", "Sea") == pytest.approx(1.1 / 3)


def test_the_state_of_the_page_is_seen(seas: Wiki) -> None:
    text = "The [[lake]] sea and [[Nowhere|That]] other sea are six words more."
    _, features = seas.features(page_of(text, "Draft"))
    assert features["link_before"].tolist() == [1, 0, 1, 0]
    assert features["links_near"].tolist() == [2] * 4
    assert features["links_here"] == pytest.approx([log1p(2)] * 4)
    assert features["own_links_here"] == pytest.approx([log1p(1)] * 4)
    assert features["link_density"] == pytest.approx([2 / 11] * 4)
    assert features["lower_links"] == pytest.approx([1.5 / 3] * 4)


def test_boxes_and_lists_that_link_or_name_the_target_are_seen(seas: Wiki) -> None:
    text = "{{Box|[[Lake]]|x=sea}} The lake and the sea.\n\n== See also ==\n* [[Sea (song)]]"
    assert value(seas, text, "box_link", "lake", "Lake") == 1
    assert value(seas, text, "list_link", "lake", "Lake") == 0
    assert value(seas, text, "in_box", "lake", "Lake") == 1
    assert value(seas, text, "list_link", "sea", "Sea (song)") == 1
    assert value(seas, text, "box_link", "sea", "Sea (song)") == 0
    assert value(seas, text, "in_box", "sea", "Sea (water)") == 1


def test_text_similarity_is_the_cosine_of_weighted_words() -> None:
    texts = {"Sea": "fish salt", "Hill": "salt stone", "A": "fish stone", "B": "sea"}
    wiki = learned(texts)
    # fish, salt and stone are on two of four pages each: equal weights. The draft has fish alone of
    # the vocabulary, the page on the sea half of it.
    assert value(wiki, "fish sea", "text_similarity", "sea", "Sea") == pytest.approx(1 / np.sqrt(2))
    assert value(wiki, "stone sea", "text_similarity", "sea", "Sea") == 0


def test_shared_categories_weigh_more_when_they_are_rare() -> None:
    wiki = learned(
        {
            "Sea": "x [[Category:Water]] [[Category:All]]", "Lake": "y [[Category:Water]] [[Category:All]]",
            "Hill": "z [[Category:All]]", "Town": "w [[Category:All]]",
        }
    )  # fmt: skip
    # All is on every page and weighs nothing; Water on two of four.
    assert value(
        wiki, "sea [[Category:Water]]", "shared_categories", "sea", "Sea"
    ) == pytest.approx(log(2))
    assert value(wiki, "sea [[Category:All]]", "shared_categories", "sea", "Sea") == 0
    assert value(wiki, "sea", "shared_categories", "sea", "Sea") == 0


def test_links_back_are_known_only_where_the_target_is_counted() -> None:
    texts = {
        "Sea": "The [[lake]].",
        "Lake": "A sea, a hill and a town.",
        "Hill": "x",
        "Town": "[[Lake]]",
    }
    wiki = learned(texts, known=[True, True, True, False])
    found = {
        a: wiki.feature("Lake", "links_back", a, a.capitalize()) for a in ("sea", "hill", "town")
    }
    assert found == {"sea": 1, "hill": 0, "town": UNKNOWN}
    assert wiki.feature("Lake", "named_back", "sea", "Sea") == pytest.approx(log1p(1))


GRAPH = {
    "T": "x", "C": "Not [[T]]. y", "P1": "[[T]] [[C]]", "P2": "[[T]]", "P3": "[[C]]", "P4": "no", "P5": "no",
}  # fmt: skip


def test_relatedness_is_milne_and_wittens_measure() -> None:
    wiki = learned(GRAPH)
    target, context = np.array([wiki.number("T")]), np.array([wiki.number("C")])
    # T is linked by C, P1 and P2, C by P1 and P3; P1 links both; seven pages.
    expected = 1 - (log(3) - log(1)) / (log(7) - log(2))
    found = relatedness(target, context, wiki.knowledge, None)
    assert found == pytest.approx(np.array([[expected]]), rel=1e-5)
    own = wiki.parts[wiki.number("P1")]
    assert relatedness(target, context, wiki.knowledge, own).tolist() == [[0]]


def test_coherence_is_relatedness_to_what_the_page_links() -> None:
    wiki = learned(GRAPH)
    text = "The [[C]] and T."
    related = 1 - (log(3) - log(1)) / (log(7) - log(2))
    assert value(wiki, text, "coherence", "T", "T") == pytest.approx(related / 1.3, rel=1e-5)
    assert value(wiki, text, "closest", "T", "T") == pytest.approx(related, rel=1e-5)
    assert value(wiki, text, "context_size", "T", "T") == pytest.approx(log1p(1))
    assert value(wiki, text, "linked_by_context", "T", "T") == pytest.approx(1 / 1.3)
    assert value(wiki, text, "links_context", "T", "T") == 0
    assert value(wiki, text, "candidates_here", "T", "T") == pytest.approx(log1p(1))


def test_pages_linked_together_have_a_cosine() -> None:
    wiki = learned(GRAPH | {"C": "This is T again."})
    # P1 links both; T is linked by P1 and P2, C by P1 and P3.
    assert wiki.feature("C", "linked_together", "T", "T") == pytest.approx(1 / 2)
    assert value(wiki, "T", "linked_together", "T", "T") == 0


def test_a_page_without_candidates_has_no_features(seas: Wiki) -> None:
    rows, features = seas.features(page_of("Nothing known.", "Draft"))
    assert len(rows) == 0
    assert features is NOTHING


def test_every_feature_is_finite(topic_wiki: Wiki) -> None:
    for page in topic_wiki.pages[:20]:
        _, features = topic_wiki.features(page.hide())
        assert np.isfinite(features.values).all()
        assert len(set(features.names)) == len(features.names)


def test_rows_of_features_can_be_chosen(seas: Wiki) -> None:
    _, features = seas.features(page_of("The lake and the sea.", "Draft"))
    some = features.where(np.array([0, 2]))
    assert some.names == features.names
    assert np.array_equal(some.values, features.values[[0, 2]])
