"""The interface's languages: complete, and chosen by the browser."""

from __future__ import annotations

import re

import pytest
from babel.messages.catalog import Message

from tests.review.conftest import Browser
from wikibot.web import catalogue, i18n, words
from wikibot.wikitext import languages as wiki_languages

PLACEHOLDER = re.compile(r"%\(\w+\)s|\{\w+\}")
SHIPPED = i18n.languages()[1:]


def as_texts(value: object) -> list[str]:
    return [value] if isinstance(value, str) else [str(one) for one in value]  # type: ignore[attr-defined]


def messages(language: str) -> list[Message]:
    return [message for message in catalogue.read(language) if message.id]


def test_a_second_language_is_shipped() -> None:
    assert "de" in SHIPPED


@pytest.mark.parametrize("language", SHIPPED)
def test_every_message_is_translated_and_no_other(language: str) -> None:
    found = {tuple(as_texts(message.id)) for message in messages(language)}
    wanted = {tuple(as_texts(message.id)) for message in catalogue.messages() if message.id}
    assert found == wanted
    assert [
        message.id for message in messages(language) if not catalogue.is_translated(message)
    ] == []


@pytest.mark.parametrize("language", SHIPPED)
def test_translations_keep_the_placeholders(language: str) -> None:
    for message in messages(language):
        wanted = set(PLACEHOLDER.findall(as_texts(message.id)[-1]))
        for string in as_texts(message.string):
            assert set(PLACEHOLDER.findall(string)) == wanted, message.id


def test_bringing_a_catalogue_up_to_date_changes_nothing_that_is_up_to_date(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = catalogue.file_of("de").read_bytes()
    folder = tmp_path_factory.mktemp("translations")
    monkeypatch.setattr(catalogue, "FOLDER", folder)
    path = catalogue.file_of("de")
    path.parent.mkdir(parents=True)
    path.write_bytes(before)
    assert catalogue.update("de") == 0
    assert path.read_bytes() == before


def test_a_new_language_begins_with_every_message_to_translate(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path_factory.mktemp("translations"))
    assert catalogue.update("fr") == len(messages("fr")) > 100


@pytest.mark.parametrize(
    ("wanted", "spoken"),
    [("de", "de"), ("de-AT,de;q=0.9", "de"), ("fr,de;q=0.5,en;q=0.4", "de"), ("en", "en"),
     ("fr", "en"), ("", "en"), ("*", "en"), ("de;q=0.1,en-GB;q=0.9", "en"), ("x" * 5000, "en")],
)  # fmt: skip
def test_the_browsers_language_decides(browser: Browser, wanted: str, spoken: str) -> None:
    page = browser.get("/", headers={"Accept-Language": wanted}).text
    assert f'<html lang="{spoken}" dir="ltr">' in page
    assert ("Annehmen" in page) == (spoken == "de")


def test_german_numbers_and_plurals_are_german(browser: Browser) -> None:
    page = browser.get("/queue?page=fresnel", headers={"Accept-Language": "de"}).text
    assert "1 Vorschlag<" in page
    assert "61\N{NO-BREAK SPACE}%" in page


def test_reasons_are_told_in_the_browsers_language(browser: Browser) -> None:
    english = browser.get("/proposal/2").text
    german = browser.get("/proposal/2", headers={"Accept-Language": "de"}).text
    assert "This sentence and the target share topics: coast, light" in english
    assert "Dieser Satz und das Ziel haben gemeinsame Themen: coast, light" in german


@pytest.mark.parametrize(
    "odd",
    ["text", {"id": "no-such"}, {"id": "is-title"}, {"id": "is-title", "args": None}, {}, [1], None,
     {"id": "{0.__class__}"}, {"id": ["x"]}],
)  # fmt: skip
def test_a_reason_of_an_unknown_shape_is_shown_as_it_is(odd: object) -> None:
    assert words.reasons_in_words([odd]) == [str(odd)]


def test_outside_a_request_the_language_is_that_of_the_source() -> None:
    assert words.state_name("pending") == "waiting"


def test_an_unknown_word_is_shown_as_it_is() -> None:
    assert words.state_name("odd") == "odd"
    assert words.verdict_name("odd") == "odd"
    assert words.reason_name("odd") == "odd"
    assert words.kind_name("odd") == "odd"


def test_every_right_to_left_wiki_language_is_shown_so() -> None:
    for code in wiki_languages.RIGHT_TO_LEFT.split():
        assert i18n.direction(code) == "rtl", code
    assert i18n.direction("en") == "ltr"
    assert i18n.direction("no such language") == "ltr"
