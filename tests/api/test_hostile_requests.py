"""What no honest client sends: every answer is JSON, with a status that the description names.

Bodies and queries are made from the description itself, as it says and with one part wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from werkzeug.test import TestResponse

from tests.api.conftest import settings as api_settings
from tests.linker.rivers import NAMES
from wikibot.api.app import create_app
from wikibot.api.openapi import description
from wikibot.api.service import Service
from wikibot.store import open_store

pytestmark = pytest.mark.slow

WHOLE = description("http://127.0.0.1")
SCHEMAS = WHOLE["components"]["schemas"]
OPERATIONS = [
    (path, method, operation, [*of.get("parameters", []), *operation.get("parameters", [])])
    for path, of in WHOLE["paths"].items()
    for method, operation in of.items()
    if method != "parameters"
]
WORDS = st.sampled_from(
    ["", f"River {NAMES[3]}", f"The River {NAMES[5]} is [[long]].", "Sea", "A/B", "A//B", "/x", "..", "#", "[[", "{{" * 50,
     "\0", "\ud800", "😀", "\u202e", "a" * 600, "<nowiki>", "Talk:Sea", "%2F", "A?b=c&d", "\r\nX: y"]
)  # fmt: skip
TEXTS = WORDS | st.text(max_size=40)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
many = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def of_schema(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that the schema allows."""
    if "$ref" in schema:
        return of_schema(SCHEMAS[schema["$ref"].rpartition("/")[2]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kind = schema["type"]
    if kind == "object":
        fields = {name: of_schema(inner) for name, inner in schema["properties"].items()}
        needed = {name: fields.pop(name) for name in schema["required"]}
        return st.fixed_dictionaries(needed, optional=fields)
    low, high = schema.get("minimum"), schema.get("maximum")
    return {
        "string": TEXTS,
        "integer": st.integers(low, high),
        "number": st.floats(low, high),
        "array": st.lists(of_schema(schema["items"]), max_size=3) if kind == "array" else st.none(),
    }[kind]


@st.composite
def bodies(draw: st.DrawFn, schema: dict[str, Any]) -> Any:
    """As the schema says; or with one field wrong, missing or new; or something else."""
    body = draw(of_schema(schema))
    change = draw(st.sampled_from(["none", "wrong", "missing", "new", "other"]))
    if change == "other":
        return draw(ANYTHING)
    name = draw(st.sampled_from(sorted(body)))
    if change == "wrong":
        body[name] = draw(ANYTHING)
    elif change == "missing":
        del body[name]
    elif change == "new":
        body[draw(TEXTS)] = draw(ANYTHING)
    return body


@st.composite
def requests(draw: st.DrawFn) -> tuple[dict[str, Any], str, str, Any]:
    """Operation, method, address and body."""
    path, method, operation, parameters = draw(st.sampled_from(OPERATIONS))
    query = []
    for parameter in parameters:
        value = draw(of_schema(parameter["schema"]) | ANYTHING)
        spelled = quote(str(value), safe="", errors="surrogatepass")
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", spelled)
        elif draw(st.booleans()):
            query.append(f"{parameter['name']}={spelled}")
    body = None
    if "requestBody" in operation:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        body = draw(bodies(schema))
    return operation, method, f"{path}?{'&'.join(query)}", body


@pytest.fixture(scope="module")
def client(learned: Path) -> Iterator[FlaskClient]:
    with open_store(learned) as store:
        yield create_app(Service.of(store, api_settings(requests_per_minute=0))).test_client()


def refused_or_described(answer: TestResponse, responses: dict[str, Any]) -> None:
    """JSON that fits what the description says about this status."""
    assert answer.mimetype == "application/json", answer.data[:200]
    found = answer.get_json()
    assert answer.status_code != 500, found
    if str(answer.status_code) in responses:
        of = responses[str(answer.status_code)]["content"]["application/json"]["schema"]
        Draft202012Validator({**of, **WHOLE}).validate(found)
    else:
        assert answer.status_code in (404, 405), answer.status_code  # no address of the operation
    if answer.status_code >= 400:
        assert set(found) == {"error", "code", "status"} and found["status"] == answer.status_code


@many
@given(asked=requests())
def test_every_answer_is_as_the_description_says(
    client: FlaskClient, asked: tuple[dict[str, Any], str, str, Any]
) -> None:
    operation, method, address, body = asked
    data = None if body is None else json.dumps(body).encode()
    answer = client.open(address, method=method.upper(), data=data, content_type="application/json")
    refused_or_described(answer, operation["responses"])


@many
@given(data=st.binary(max_size=200), kind=st.sampled_from(["application/json", "text/plain", "", "application/json; charset=utf-16", "\xff"]))  # fmt: skip
def test_any_bytes_are_answered_in_json(client: FlaskClient, data: bytes, kind: str) -> None:
    answer = client.post("/v1/links", data=data, content_type=kind)
    assert answer.mimetype == "application/json"
    assert answer.status_code in (400, 415), answer.get_json()


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"\xff\xfe{}", 400),
        (b'{"text": "\xe9"}', 400),
        (b'{"text": NaN}', 400),
        (b'{"text": "x", "min_probability": NaN}', 400),
        (b'{"text": "x", "min_probability": 1e999}', 400),
        (b'{"text": "x", "min_probability": "0x1"}', 400),
        (b'{"text": "x", "min_probability": true}', 400),
        (b"[" * 100_000, 400),
        (b'{"a":' * 50_000, 400),
        (b'{"text": 1' + b"0" * 5_000 + b"}", 400),
        (b'{"text": "x", "targets": [[]]}', 400),
        (b'{"text": "x", "targets": {"a": 1}}', 400),
        (b'{"text": "\\ud800"}', 400),
        (b'{"text": "\\u0000"}', 400),
        (b'{"text": null}', 400),
        (b'{"text": "x", "text": 7}', 400),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bodies_that_break_readers_are_refused(
    client: FlaskClient, data: bytes, status: int
) -> None:
    answer = client.post("/v1/links", data=data, content_type="application/json")
    assert (answer.status_code, answer.get_json()["code"]) == (status, "bad-input")


PAGE = "/v1/linkrecommendations/wikipedia/any/"


@pytest.mark.parametrize("path", ["/v1/links", "/v1/anchors", "/v1/decisions", "/v1/health", f"{PAGE}Sea"])  # fmt: skip
@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "GET", "POST", "BREW"])
def test_a_wrong_method_is_told_which_are_right(
    client: FlaskClient, path: str, method: str
) -> None:
    described = {m.upper() for p, m, *_ in OPERATIONS if p.partition("{")[0] == path.removesuffix("Sea").replace("wikipedia/any/", "")}  # fmt: skip
    answer = client.open(path, method=method, json={})
    if method in described:
        assert answer.status_code != 405
    else:
        assert (answer.status_code, answer.get_json()["code"]) == (405, "wrong-method")
        assert described <= set(answer.headers["Allow"].split(", "))


@pytest.mark.parametrize(
    ("title", "status"),
    [
        ("AC//DC", 200),
        ("A/B", 200),
        ("%C3%A9", 200),
        ("%00", 400),
        ("_", 400),
        ("%FF%FE", 200),
        ("a" * 600, 400),
        ("", 404),
        ("%F0%9F%98%80", 200),
        ("..%2F..%2Fetc", 200),
    ],
)
def test_odd_titles(client: FlaskClient, title: str, status: int) -> None:
    answer = client.post(f"{PAGE}{title}", json={"wikitext": f"The River {NAMES[3]}."})
    assert answer.status_code == status, answer.get_json()
    assert answer.mimetype == "application/json"
    if title == "AC//DC":
        assert answer.get_json()["page_title"] == "AC//DC"


@pytest.mark.parametrize(
    "text",
    [
        "[[" * 20_000,
        "{{" * 20_000,
        "'" * 50_000,
        "<ref>" * 10_000,
        "{|" * 10_000,
        "[[a|" * 10_000,
        "&amp;" * 20_000,
        "<!--" * 20_000,
        "=" * 50_000,
        "\n*#:;" * 10_000,
        f"River {NAMES[3]} " * 5_000,
    ],
    ids=lambda text: text[:8],
)
def test_wikitext_that_is_made_to_take_long_is_answered_within_the_limit(
    client: FlaskClient, text: str
) -> None:
    answer = client.post(f"{PAGE}Draft", json={"wikitext": text})
    assert answer.status_code in (200, 422, 503), answer.get_json()
