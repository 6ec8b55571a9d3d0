"""The interface's languages: complete, and chosen by the browser."""

from __future__ import annotations

import ast
import re
from datetime import datetime, timezone
from pathlib import Path

import pytest
from babel.messages.catalog import Message

from tests.review.conftest import HOST, Browser
from wikibot.errors import BadInput
from wikibot.message import message as make_message
from wikibot.store import Store, never_links
from wikibot.store.decisions import Voice
from wikibot.web import catalogue, i18n, labels
from wikibot.wikitext import languages as wiki_languages

PLACEHOLDER = re.compile(r"%\(\w+\)s|\{\w+\}")
WEB = Path(labels.__file__).parent
# Names that are the same in every language, and keys.
SAME_EVERYWHERE = {
    "wikibot",
    "Esc",
    "diff",
    "html",
    "utf",
    "B",
    "W",
    "a",
    "b",
    "d",
    "e",
    "m",
    "p",
    "w",
    "y",
    "j",
    "k",
    "n",
    "r",
    "s",
    "t",
    "u",
}
GERMAN = {"Accept-Language": "de"}
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
    assert labels.reasons_in_words([odd]) == [str(odd)]


def test_outside_a_request_the_language_is_that_of_the_source() -> None:
    assert labels.state_name("pending") == "waiting"


def test_an_unknown_word_is_shown_as_it_is() -> None:
    assert labels.state_name("odd") == "odd"
    assert labels.verdict_name("odd") == "odd"
    assert labels.reason_name("odd") == "odd"
    assert labels.kind_name("odd") == "odd"


def test_every_right_to_left_wiki_language_is_shown_so() -> None:
    for code in wiki_languages.RIGHT_TO_LEFT.split():
        assert i18n.direction(code) == "rtl", code
    assert i18n.direction("en") == "ltr"
    assert i18n.direction("no such language") == "ltr"


def words_of_template(text: str) -> set[str]:
    """The words that a template shows without asking for their translation."""
    text = re.sub(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", " ", text, flags=re.DOTALL)
    shown = re.findall(r'(?:aria-label|title|alt|placeholder)="([^"]*)"', text)
    shown.append(re.sub(r"<[^>]*>", " ", text))
    return {word for part in shown for word in re.findall(r"[^\W\d_]+", part)}


@pytest.mark.parametrize("path", sorted((WEB / "templates").glob("*.html")), ids=lambda p: p.name)
def test_no_template_holds_words_that_nobody_translates(path: Path) -> None:
    assert words_of_template(path.read_text(encoding="utf-8")) <= SAME_EVERYWHERE


def sentences_in(path: Path) -> list[str]:
    """Plain texts that a call in the file hands to people: to abort, a refusal or the terminal."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told_to = {
        "abort",
        "BadInput",
        "AlreadyDecided",
        "UnsafeEdit",
        "ModelError",
        "_say",
        "_key",
        "_line",
    }
    found = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = (
            call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        )
        for given in call.args if name in told_to else ():
            is_text = isinstance(given, ast.Constant) and isinstance(given.value, str)
            if is_text and " " in given.value.strip():  # type: ignore[attr-defined]
                found.append(ast.unparse(given))
    return found


@pytest.mark.parametrize(
    "name", ["review", "terminal", "reading", "store/decisions", "store/never_links", "web"]
)
def test_nothing_is_said_to_people_in_one_language_only(name: str) -> None:
    at = WEB.parent / name
    files = sorted(at.glob("*.py")) if at.is_dir() else [at.with_suffix(".py")]
    assert [text for file in files for text in sentences_in(file)] == []


def test_a_sentence_is_told_again_with_its_facts_in_words(browser: Browser) -> None:
    why = make_message(
        "Proposal {number} is {state} by now. Nothing was changed; look at it again.",
        number=3,
        state="pending",
    )
    refusal = BadInput(
        make_message("Decision {number} cannot be taken back any more. {why}", number=7, why=why)
    )
    assert str(refusal).startswith(
        "Decision 7 cannot be taken back any more. Proposal 3 is pending"
    )
    with browser.client.application.test_request_context(base_url=f"http://{HOST}", headers=GERMAN):
        assert labels.error_message(refusal) == (
            "Entscheidung 7 lässt sich nicht mehr zurücknehmen. Vorschlag 3 ist inzwischen offen. "
            "Nichts wurde geändert; bitte noch einmal ansehen."
        )
    assert labels.error_message(BadInput("as it is")) == "as it is"


def test_a_sentence_takes_its_facts_as_they_are() -> None:
    assert (
        make_message("{page} is not there.", page="{page.__class__} %(x)s {0}")
        == "{page.__class__} %(x)s {0} is not there."
    )


def test_refusals_are_told_in_the_browsers_language(browser: Browser, store: Store) -> None:
    page = browser.get("/proposal/3")
    answer = browser.press_in("de", page, "/proposal/3/move", step="narrow-end")
    assert "Der Linktext hat nur ein Wort. Nichts wurde geändert." in answer.text
    with store.writing() as session:
        never_links.never_link(session, 1, "target", "Glass", Voice("bob", "web"))
    page = browser.get("/proposal/2/target?q=glass")
    answer = browser.press_in("de", page, "/proposal/2/target", target_id=6)
    assert "steht auf der Liste dessen, was nie verlinkt wird" in answer.text
    assert "bitte eine andere Stelle oder ein anderes Ziel wählen" in answer.text


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/proposal/999", "Unter dieser Adresse gibt es nichts."),
        ("/proposal/1/decide", "nur für Formulare"),
    ],
)
def test_error_pages_speak_the_browsers_language(browser: Browser, path: str, says: str) -> None:
    assert says in browser.get(path, headers=GERMAN).text


@pytest.mark.parametrize(
    ("tags", "shown"),
    [("en-GB", "01/03/2026, 09:30"), ("en-US", "3/1/26, 9:30\u202fAM"), ("de-AT", "01.03.26, 09:30"),
     ("en-nonsense-x", "3/1/26, 9:30\u202fAM")],
)  # fmt: skip
def test_dates_are_written_as_in_the_readers_country(
    browser: Browser, monkeypatch: pytest.MonkeyPatch, tags: str, shown: str
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time = datetime(2026, 3, 1, 9, 30, tzinfo=timezone.utc)
    headers = {"Accept-Language": tags}
    with browser.client.application.test_request_context(
        base_url=f"http://{HOST}", headers=headers
    ):
        assert labels.moment(time) == shown
