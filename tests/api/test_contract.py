"""The link recommendation contract, field by field."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.linker.rivers import NAMES, every_proposal
from wikibot import __version__
from wikibot.store import Store
from wikibot.store.pages import wiki_by_name
from wikibot.store.suggestions import models_of
from wikibot.suggest import suggest

pytestmark = pytest.mark.slow

NEAR, FAR = f"River {NAMES[3]}", f"River {NAMES[5]}"
# Emoji are two code units each in UTF-16 and four bytes in UTF-8: offsets count neither.
TEXT = (
    "😀😀 The {{box|" + NEAR + "}} stream '''near''' [[sea|the " + NEAR + "]] is small. "
    f"The spring of the {NEAR} lies near.\n\n== Far ==\nThe {FAR}''s'' mill.\n\n== Notes ==\nThe River {NAMES[7]}."
)  # fmt: skip
PAGE = "/v1/linkrecommendations/wikipedia/test/Some_page"


def recommended(ask: FlaskClient, query: str = "threshold=0", **more: Any) -> dict[str, Any]:
    body = {"pageid": 7, "revid": 8, "wikitext": TEXT, "sections_to_exclude": []} | more
    answer = ask.post(f"{PAGE}?{query}", json=body)
    assert answer.status_code == 200, answer.text
    found = answer.get_json()
    assert isinstance(found, dict)
    return found


def link(ask: FlaskClient, target: str) -> dict[str, Any]:
    found: dict[str, Any] = next(
        one for one in recommended(ask)["links"] if one["link_target"] == target
    )
    return found


def test_the_answer_has_exactly_the_fields_of_the_contract(ask: FlaskClient) -> None:
    found = recommended(ask)
    assert set(found) == {"links", "links_count", "page_title", "pageid", "revid", "meta"}
    assert set(found["meta"]) == {"application_version", "format_version", "dataset_checksums"}
    assert set(found["links"][0]) - {"reasons"} == {
        "link_text", "link_target", "wikitext_offset", "context_before", "context_after",
        "match_index", "link_index", "score",
    }  # fmt: skip


def test_offsets_are_code_points_and_point_at_the_text(ask: FlaskClient) -> None:
    links = recommended(ask)["links"]
    assert len(links) >= 2
    for one in links:
        at = one["wikitext_offset"]
        assert TEXT[at : at + len(one["link_text"])] == one["link_text"]
    assert link(ask, NEAR)["wikitext_offset"] == TEXT.index(f"{NEAR} lies")


def test_match_index_counts_the_plain_text_with_links_and_without_templates(
    ask: FlaskClient,
) -> None:
    """The words stand in a template, which is not counted, and in a link's text, which is."""
    assert link(ask, NEAR)["match_index"] == 1
    assert link(ask, FAR)["match_index"] == 0


def test_link_index_and_order_follow_the_text(ask: FlaskClient) -> None:
    links = recommended(ask)["links"]
    assert [one["link_index"] for one in links] == list(range(len(links)))
    offsets = [one["wikitext_offset"] for one in links]
    assert offsets == sorted(offsets)


def test_contexts_are_five_characters_and_end_at_markup(ask: FlaskClient) -> None:
    near, far = link(ask, NEAR), link(ask, FAR)
    assert (near["context_before"], near["context_after"]) == (" the ", " lies")
    assert far["context_before"].endswith("The ") and far["context_after"] == ""


def test_the_score_is_the_probability_of_the_linker(ask: FlaskClient) -> None:
    links = recommended(ask)["links"]
    assert all(0 < one["score"] < 1 for one in links)
    assert len({one["score"] for one in links}) > 1


def test_threshold_leaves_out_what_is_less_likely(ask: FlaskClient) -> None:
    scores = sorted(one["score"] for one in recommended(ask)["links"])
    middle = (scores[0] + scores[-1]) / 2
    some = recommended(ask, f"threshold={middle}")["links"]
    assert [one["score"] >= middle for one in some] == [True] * sum(s >= middle for s in scores)


def test_max_recommendations_keeps_the_best(ask: FlaskClient) -> None:
    best = max(one["score"] for one in recommended(ask)["links"])
    found = recommended(ask, "threshold=0&max_recommendations=1")
    assert [one["score"] for one in found["links"]] == [best] and found["links_count"] == 1
    assert recommended(ask, "threshold=0&max_recommendations=0")["links"] == []


def test_excluded_sections_get_no_links(ask: FlaskClient) -> None:
    targets = {one["link_target"] for one in recommended(ask)["links"]}
    left = {
        one["link_target"]
        for one in recommended(ask, sections_to_exclude=["far", "Notes"])["links"]
    }
    assert FAR in targets and FAR not in left and NEAR in left


def test_page_revision_title_and_count_are_given_back(ask: FlaskClient) -> None:
    found = recommended(ask)
    assert (found["pageid"], found["revid"], found["page_title"]) == (7, 8, "Some page")
    assert found["links_count"] == len(found["links"])


def test_meta_names_the_version_and_the_models_in_force(
    ask: FlaskClient, learned_store: Store
) -> None:
    meta = recommended(ask)["meta"]
    with learned_store.reading() as session:
        rows = models_of(session, wiki_by_name(session).id)
    assert meta["dataset_checksums"] == {kind: row.sha256 for kind, row in rows.items()}
    assert (meta["application_version"], meta["format_version"]) == (__version__, 1)


def test_the_language_code_is_accepted(ask: FlaskClient) -> None:
    assert recommended(ask, "threshold=0&language_code=de") == recommended(ask)


def test_a_body_of_the_text_alone_is_enough(ask: FlaskClient) -> None:
    found = ask.post(f"{PAGE}?threshold=0", json={"wikitext": TEXT}).get_json()
    assert (found["pageid"], found["revid"]) == (0, 0) and found["links"]


def test_get_reads_the_page_of_the_database_where_the_wiki_has_no_address(
    ask: FlaskClient,
) -> None:
    found = ask.get(f"/v1/linkrecommendations/wikipedia/test/{FAR.replace(' ', '_')}?threshold=0")
    assert found.status_code == 200 and found.get_json()["page_title"] == FAR
    assert found.get_json()["revid"] > 0
    missing = ask.get("/v1/linkrecommendations/wikipedia/test/Rhine")
    assert missing.status_code == 404 and missing.get_json()["code"] == "no-page"


def test_a_page_of_the_wiki_is_told_the_same_as_the_queue(
    ask: FlaskClient, learned_store: Store
) -> None:
    """One page asked for alone, and the nightly run."""
    queued = suggest(learned_store, settings=every_proposal(words_per_link=0)).proposals
    page = queued[0].page
    found = ask.get(f"/v1/linkrecommendations/wikipedia/test/{page}?threshold=0").get_json()
    assert {
        (one["link_target"], one["wikitext_offset"], one["score"]) for one in found["links"]
    } == {(one.target, one.start, one.probability) for one in queued if one.page == page}


@pytest.mark.parametrize(
    ("query", "body", "field"),
    [
        ("", {"wikitext": 7}, "wikitext"),
        ("", {}, "wikitext"),
        ("", {"wikitext": "a\0"}, "wikitext"),
        ("", {"wikitext": "\ud800"}, "wikitext"),
        ("", {"wikitext": "x", "pageid": "7"}, "pageid"),
        ("", {"wikitext": "x", "revid": -1}, "revid"),
        ("", {"wikitext": "x", "revid": True}, "revid"),
        ("", {"wikitext": "x", "sections_to_exclude": "Notes"}, "sections_to_exclude"),
        ("", {"wikitext": "x", "sections_to_exclude": [1]}, "sections_to_exclude"),
        ("threshold=2", {"wikitext": "x"}, "threshold"),
        ("threshold=nan", {"wikitext": "x"}, "threshold"),
        ("max_recommendations=-1", {"wikitext": "x"}, "max_recommendations"),
        ("max_recommendations=1e3", {"wikitext": "x"}, "max_recommendations"),
        ("max_recommendations=99999999999999999999", {"wikitext": "x"}, "max_recommendations"),
    ],
)
def test_a_bad_field_is_named(
    ask: FlaskClient, query: str, body: dict[str, Any], field: str
) -> None:
    sent = json.dumps(body)  # with escapes, as half a character cannot be sent otherwise
    answer = ask.post(f"{PAGE}?{query}", data=sent, content_type="application/json")
    assert answer.status_code == 400
    assert answer.get_json()["error"].startswith(f"{field} must be")


@pytest.mark.parametrize("body", ["[]", "7", "{", ""])
def test_a_body_that_is_not_an_object_is_refused(ask: FlaskClient, body: str) -> None:
    answer = ask.post(PAGE, data=body, content_type="application/json")
    assert answer.status_code == 400 and answer.get_json()["code"] == "bad-input"


def test_a_form_is_not_taken_for_json(ask: FlaskClient) -> None:
    """Browsers send forms to foreign servers without asking first."""
    answer = ask.post(PAGE, data='{"wikitext": "x"}', content_type="text/plain")
    assert answer.status_code == 415


def test_a_redirect_has_nothing_to_link(ask: FlaskClient) -> None:
    answer = ask.post(PAGE, json={"wikitext": "#REDIRECT [[Sea]]"})
    assert answer.status_code == 400 and "redirect" in answer.get_json()["error"]


def test_any_text_is_linked_with_reasons(ask: FlaskClient) -> None:
    found = ask.post("/v1/links", json={"text": TEXT, "min_probability": 0}).get_json()
    for one in found["links"]:
        assert TEXT[one["start"] : one["end"]] == one["text"]
        assert one["reasons"] and 0 <= one["probability"] <= 1
    assert found["text"].count("[[") == TEXT.count("[[") + len(found["links"])


def test_targets_narrow_the_links_of_a_text(ask: FlaskClient) -> None:
    body = {"text": TEXT, "min_probability": 0, "targets": [FAR.replace(" ", "_")]}
    found = ask.post("/v1/links", json=body).get_json()
    assert [one["target"] for one in found["links"]] == [FAR]
    unknown = ask.post("/v1/links", json={"text": TEXT, "targets": ["Rhine"]})
    assert unknown.status_code == 400 and "Rhine" in unknown.get_json()["error"]


def test_anchors_are_words_of_the_source(ask: FlaskClient) -> None:
    answer = ask.get(f"/v1/anchors?source={NEAR}&target={FAR}&most=3")
    assert answer.status_code == 200, answer.text
    found = answer.get_json()
    assert (found["source"], found["target"]) == (NEAR, FAR)
    assert set(found["anchors"]) == {"linker", "crtm"}
    assert 0 < len(found["anchors"]["crtm"]) <= 3
    assert ask.get(f"/v1/anchors?source={NEAR}").status_code == 400


def test_a_database_with_one_wiki_answers_for_every_domain(ask: FlaskClient) -> None:
    answer = ask.post("/v1/linkrecommendations/wikipedia/any/P", json={"wikitext": "x"})
    assert answer.status_code == 200


def test_a_slash_belongs_to_the_title(ask: FlaskClient) -> None:
    answer = ask.post("/v1/linkrecommendations/wikipedia/test/A%2FB/C", json={"wikitext": "x"})
    assert answer.get_json()["page_title"] == "A/B/C"
