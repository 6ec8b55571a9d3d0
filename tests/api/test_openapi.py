"""The description: every route is in it, and every answer is as it says."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator

from tests.api.conftest import Asking
from tests.linker.rivers import NAMES
from wikibot.api.openapi import description
from wikibot.api.routes import blueprint
from wikibot.wikitext import SiteRules

PAGE = "/v1/linkrecommendations/wikipedia/test/Some_page"
RULES = SiteRules.for_language("en")


def validator(name: str) -> Draft202012Validator:
    whole = description("http://127.0.0.1")
    return Draft202012Validator({"$ref": f"#/components/schemas/{name}", **whole})


def test_every_schema_is_one() -> None:
    for schema in description("")["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_every_route_is_described_and_no_other(unlearned: Asking) -> None:
    undescribed = {"api.openapi", "api.gadget"}
    routes = {
        (rule.rule.replace("path:", "").replace("<", "{").replace(">", "}"), method.lower())
        for rule in unlearned().application.url_map.iter_rules()
        if rule.endpoint.startswith(f"{blueprint.name}.") and rule.endpoint not in undescribed
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    paths: dict[str, dict[str, Any]] = description("")["paths"]
    assert routes == {(path, m) for path, of in paths.items() for m in of if m != "parameters"}


def test_the_description_names_the_server_that_was_asked(unlearned: Asking) -> None:
    found = unlearned().get("/v1/openapi.json").get_json()
    assert found["servers"] == [{"url": "http://localhost"}]
    assert found["openapi"].startswith("3.1")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "path", "body", "name"),
    [
        ("POST", f"{PAGE}?threshold=0", {"wikitext": f"The River {NAMES[3]}."}, "Recommendation"),
        ("GET", f"/v1/linkrecommendations/w/t/River {NAMES[4]}", None, "Recommendation"),
        ("POST", "/v1/links", {"text": f"The River {NAMES[3]}.", "min_probability": 0}, "Links"),
        ("GET", f"/v1/anchors?source=River {NAMES[3]}&target=River {NAMES[5]}", None, "Anchors"),
        ("GET", "/v1/health", None, "Health"),
    ],
)
def test_answers_are_as_described(
    ask: FlaskClient, method: str, path: str, body: Any, name: str
) -> None:
    answer = ask.open(path, method=method, json=body)
    assert answer.status_code == 200, answer.text
    validator(name).validate(answer.get_json())


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (PAGE, {"wikitext": 7}),
        ("/v1/links", {"text": "x"}),
        ("/v1/decisions", {"page": "A"}),
        ("/v1/no", {}),
    ],
)
def test_errors_are_as_described(unlearned: Asking, path: str, body: Any) -> None:
    answer = unlearned().post(path, json=body)
    found = answer.get_json()
    validator("Error").validate(found)
    assert found["status"] == answer.status_code >= 400
