"""The service's log: JSON that programs read, and never a secret in it."""

from __future__ import annotations

import json
import logging
import sys
import time

import pytest

from wikibot.logs import JsonFormat, TextFormat, format_named, without_secrets


def record(message: str, *args: object, **more: object) -> logging.LogRecord:
    made = logging.LogRecord("wikibot.x", logging.WARNING, "x.py", 1, message, args, None)
    made.__dict__.update(more)
    return made


def test_a_line_is_json_with_what_the_event_tells() -> None:
    line = json.loads(JsonFormat().format(record("job %s: ü", "watch", told={"job": "watch"})))
    assert line["message"] == "job watch: ü" and line["job"] == "watch"
    assert line["level"] == "warning" and line["time"].endswith("+00:00")


def test_an_exception_is_one_line_too() -> None:
    try:
        raise ValueError("Bearer abcdef")
    except ValueError:
        made = record("failed")
        made.exc_info = sys.exc_info()
    text = JsonFormat().format(made)
    assert "\n" not in text and "abcdef" not in text
    assert "ValueError" in json.loads(text)["error"]


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer SECRET",
        "GET /login/return?code=SECRET&state=SECRET",
        '{"access_token": "SECRET", "refresh_token": "SECRET"}',
        "{'client_secret': 'SECRET'}",
        "postgresql+psycopg://wikibot:SECRET@db/wikibot",
        "password=SECRET",
    ],
)
@pytest.mark.parametrize("name", ["json", "text"])
def test_nothing_that_looks_like_a_secret_is_written(text: str, name: str) -> None:
    assert "SECRET" not in format_named(name).format(record(text))


def test_ordinary_words_are_left_alone() -> None:
    text = "The bearer of the letter: no error code was given, 7 pages changed."
    assert "7 pages changed" in without_secrets(text)
    assert "letter" in TextFormat().format(record(text))


@pytest.mark.parametrize("piece", ["token=", "://a:", "bearer ", "code:'"])
def test_a_long_hostile_line_takes_no_longer_than_its_length(piece: str) -> None:
    begun = time.process_time()
    without_secrets(piece * 100_000)
    assert time.process_time() - begun < 2
