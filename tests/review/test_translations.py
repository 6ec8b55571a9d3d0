"""The interface's languages: complete, and chosen by the browser."""

from __future__ import annotations

import ast
import html
import json
import pickle
import re
from datetime import datetime, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

import crtm.io
from tests.review.conftest import HOST, Browser
from wikibot import errors
from wikibot.errors import BadInput, BadWikitext, ModelError
from wikibot.i18n import FOLDER, fill, languages, text_of, texts
from wikibot.linker.explain import PARAMETERS
from wikibot.manual_links import HAND_RULES
from wikibot.message import message as make_message
from wikibot.message import restored, stored, word
from wikibot.reading import load_model
from wikibot.store import Store, never_links, outbox, runs
from wikibot.store.decisions import Voice
from wikibot.web import i18n, labels
from wikibot.why.texts import ANSWERS, LISTS
from wikibot.wikitext import SiteRules, read_page
from wikibot.wikitext import languages as wiki_languages
from wikibot.wikitext.page import OBSTACLES

PARAMETER = re.compile(r"\$[1-9]")
PLURAL = re.compile(r"\{\{PLURAL:(\$[1-9])\|([^{}]*)\}\}")
CALL = re.compile(r"""\bmsg\(\s*["']([\w-]+)["']""")
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
FRENCH = {"Accept-Language": "fr"}
SHIPPED = languages()[1:]


def keys_in_python(path: Path) -> set[str]:
    """The keys that calls of msg and message in a file name."""
    calls = (
        node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)
    )
    named = [
        call for call in calls if getattr(call.func, "id", "") in ("msg", "message") and call.args
    ]
    firsts = [call.args[0] for call in named]
    return {str(first.value) for first in firsts if isinstance(first, ast.Constant)}


def keys_of_tables() -> set[str]:
    """The keys that are put together from a name in a table."""
    causes = {f"why-{cause}{end}" for cause in ANSWERS for end in ("", "-remedy")}
    places = {"why-place-" + name.replace(" ", "-") for name in (*OBSTACLES, "markup")}
    return {
        *causes, *places,
        *re.findall(r'"(crtm-[\w-]+)"', Path(crtm.io.__file__).read_text("utf-8")),
        *(f"reason-{name}" for name in PARAMETERS),
        *(f"rule-{name}" for name in HAND_RULES),
        *(f"edit-state-{state}" for state in outbox.STATES),
        *(f"run-state-{state}" for state in runs.STATES),
        *(f"why-entry-{kind}" for kind in never_links.KINDS),
        *(f"why-list-{name}" for name in LISTS.values()),
    }  # fmt: skip


def used_keys() -> set[str]:
    python = [keys_in_python(path) for path in WEB.parent.rglob("*.py")]
    templates = [set(CALL.findall(path.read_text("utf-8"))) for path in WEB.rglob("*.html")]
    return set().union(*python, *templates, keys_of_tables())


def test_german_and_french_are_shipped() -> None:
    assert languages() == ("en", "de", "fr")


@pytest.mark.parametrize("language", [*languages(), "qqq"])
def test_every_key_in_use_has_a_text_and_no_other(language: str) -> None:
    assert set(texts(language)) == used_keys()
    assert [key for key, text in texts(language).items() if not text.strip()] == []


@pytest.mark.parametrize("language", [*languages(), "qqq"])
def test_files_name_their_authors_and_keep_their_keys_in_order(language: str) -> None:
    read = json.loads((FOLDER / f"{language}.json").read_text("utf-8"))
    assert read["@metadata"]["authors"]
    assert list(read)[1:] == sorted(texts(language))
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", key) for key in texts(language))


@pytest.mark.parametrize("language", SHIPPED)
def test_translations_keep_parameters_and_plurals(language: str) -> None:
    for key, text in texts("en").items():
        other = texts(language)[key]
        assert set(PARAMETER.findall(other)) == set(PARAMETER.findall(text)), key
        assert forms_of(other) == forms_of(text), key


def forms_of(text: str) -> list[tuple[str, int]]:
    """What each choice of a plural counts, and how many forms it has."""
    return [(number, forms.count("|")) for number, forms in PLURAL.findall(text)]


@pytest.mark.parametrize("language", languages())
def test_texts_hold_no_markup(language: str) -> None:
    for key, text in texts(language).items():
        assert not re.search(r"<\w|&\w+;", text), key
        assert "{{" not in PLURAL.sub("", text), key


def test_parameters_are_explained_to_translators() -> None:
    for key, text in texts("en").items():
        assert set(PARAMETER.findall(text)) <= set(PARAMETER.findall(texts("qqq")[key])), key


@given(st.text(), st.lists(st.text(), max_size=9))
def test_parameters_are_put_in_as_they_are(rest: str, params: list[str]) -> None:
    plain = rest.replace("$", "")
    wanted = plain.join(params)
    marks = plain.join(f"${number}" for number in range(1, len(params) + 1))
    assert fill(marks, tuple(params), "en") == wanted


@given(st.text(alphabet="${}|PLURAL:123 a"), st.integers(0, 10**7), st.sampled_from(languages()))
def test_any_text_can_be_filled(text: str, number: int, language: str) -> None:
    assert isinstance(fill(text, (number,), language), str)


@pytest.mark.parametrize(
    ("language", "number", "form"),
    [("en", 0, "many"), ("en", 1, "one"), ("en", 2, "many"), ("de", 0, "many"), ("de", 1, "one"),
     ("fr", 0, "one"), ("fr", 1, "one"), ("fr", 2, "many"), ("fr", 1_000_000, "many")],
)  # fmt: skip
def test_the_language_decides_the_plural(language: str, number: int, form: str) -> None:
    assert fill("{{PLURAL:$1|one|many}}", (number,), language) == form


def test_a_language_with_more_forms_uses_them() -> None:
    text = "{{PLURAL:$1|$1 strona|$1 strony|$1 stron}}"
    assert [fill(text, (number,), "pl") for number in (1, 2, 5)] == [
        "1 strona",
        "2 strony",
        "5 stron",
    ]


def test_filling_a_long_text_takes_time_in_proportion() -> None:
    assert fill("{{PLURAL:$1|" * 100_000, (1,), "en").startswith("{{PLURAL:")


def test_an_unknown_language_is_english() -> None:
    assert text_of("approve", "xx") == text_of("approve", "../en") == "Approve"


def test_markup_stays_only_in_parameters_that_are_markup(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(i18n, "text_of", lambda key, language: "<b>$1</b> $2")
    assert i18n.msg("key", "<i>", "x") == "<b><i></b> x"
    assert not hasattr(i18n.msg("key", "<i>", "x"), "__html__")
    assert i18n.msg("key", Markup("<i>"), "<u>") == Markup("&lt;b&gt;<i>&lt;/b&gt; &lt;u&gt;")


BETWEEN = re.compile(r"\{\{PLURAL:\$[1-9]\||\}\}|\||\$[1-9]")
TWO_WORDS = re.compile(r"[^\W\d_]{3,} [^\W\d_]{2,}")


@pytest.mark.parametrize(
    "path",
    ["/", "/queue", "/proposal/2", "/proposal/2/target?q=glass", "/statistics", "/never", "/help",
     "/batches/page", "/batches/target", "/batches/to/6", "/article/1", "/page/1", "/board",
     "/categories", "/decisions", "/few-links", "/saved", "/ideas", "/ideas/list?state=accepted",
     "/why", "/publish", "/read", "/no-such-address"],
)  # fmt: skip
def test_french_pages_hold_no_english_sentence(browser: Browser, path: str) -> None:
    answer = browser.get(path, headers=FRENCH)
    assert answer.status_code == (404 if path == "/no-such-address" else 200)
    page = html.unescape(answer.text)
    assert '<html lang="fr"' in page
    assert [part for part in parts("en") - parts("fr") if part in page] == []


def parts(language: str) -> set[str]:
    """What stands between the parameters of the texts, where it is two words or more."""
    found = (part for text in texts(language).values() for part in BETWEEN.split(text))
    return {part.strip() for part in found if TWO_WORDS.search(part)}


@pytest.mark.parametrize(
    ("wanted", "spoken"),
    [("de", "de"), ("de-AT,de;q=0.9", "de"), ("fr,de;q=0.5,en;q=0.4", "fr"), ("it,de;q=0.5,en;q=0.4", "de"), ("en", "en"),
     ("fr-CA", "fr"), ("it", "en"), ("", "en"), ("*", "en"), ("de;q=0.1,en-GB;q=0.9", "en"), ("x" * 5000, "en")],
)  # fmt: skip
def test_the_browsers_language_decides(browser: Browser, wanted: str, spoken: str) -> None:
    page = browser.get("/", headers={"Accept-Language": wanted}).text
    assert f'<html lang="{spoken}" dir="ltr">' in page
    assert ("Annehmen" in page) == (spoken == "de")
    assert ("Approuver" in page) == (spoken == "fr")


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
        for said in call.args if name in told_to else ():
            is_text = isinstance(said, ast.Constant) and isinstance(said.value, str)
            if is_text and " " in said.value.strip():  # type: ignore[attr-defined]
                found.append(ast.unparse(said))
    return found


@pytest.mark.parametrize(
    "name", ["review", "terminal", "reading", "store/decisions", "store/never_links", "web"]
)
def test_nothing_is_said_to_people_in_one_language_only(name: str) -> None:
    at = WEB.parent / name
    files = sorted(at.glob("*.py")) if at.is_dir() else [at.with_suffix(".py")]
    assert [text for file in files for text in sentences_in(file)] == []


# What a run of publishing says is shown on a page, and so is what a job says.
SHOWN_ON_PAGES = (
    "publish/approvers", "publish/checks", "publish/publishing", "publish/reconcile", "publish/retry",
    "publish/saving", "publish/send_edit", "publish/settings_page", "publish/undo", "publish/watch",
    "site/answers", "site/bearer", "site/history", "site/oauth", "site/writing", "store/outbox",
    "jobs/scheduler", "web/publish_runs", "web/renewal", "web/team_runs",
)  # fmt: skip
ERRORS = {
    name
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, errors.WikibotError)
}


@pytest.mark.parametrize("name", SHOWN_ON_PAGES)
def test_no_error_that_a_page_may_show_is_in_english_alone(name: str) -> None:
    tree = ast.parse((WEB.parent / name).with_suffix(".py").read_text(encoding="utf-8"))
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    raised = (call for call in calls if getattr(call.func, "id", "") in ERRORS and call.args)
    plain = (ast.Constant, ast.JoinedStr)
    assert [ast.unparse(call) for call in raised if isinstance(call.args[0], plain)] == []


def test_what_the_database_kept_is_told_in_the_browsers_language(browser: Browser) -> None:
    why = make_message("moved-on", "Sand", 7, make_message("moved-on-to", 8))
    kept = restored(stored(why))
    assert kept == why == "“Sand” has moved on since revision 7: it is at revision 8 now. Nothing was sent."  # fmt: skip
    with browser.client.application.test_request_context(base_url=f"http://{HOST}", headers=FRENCH):
        assert labels.translated(kept) == (
            "« Sand » a changé depuis la version 7 : elle en est maintenant à la version 8. "
            "Rien n’a été envoyé."
        )
    assert restored(stored("plain")) == "plain"
    assert restored('{"key": "of-another-version", "params": [], "text": "Hello."}') == "Hello."
    assert restored('{"key": broken') == '{"key": broken'


def test_a_sentence_is_told_again_with_its_facts_in_words(browser: Browser) -> None:
    why = make_message("proposal-is-by-now-nothing-was", 3, word("state", "pending"))
    refusal = BadInput(make_message("decision-cannot-be-taken-back-any", 7, why))
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
        make_message("is-not-where-it-was", "{{PLURAL:$1|a}} $1 $2")
        == "“{{PLURAL:$1|a}} $1 $2” is not where it was"
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


def test_a_damaged_model_is_told_in_the_browsers_language(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("model")
    (folder / "m").write_bytes(b"no model")
    with pytest.raises(ModelError) as refused:
        load_model(folder, "m", "")
    assert "is damaged (its header cannot be read); nothing was loaded." in str(refused.value)
    with browser.client.application.test_request_context(base_url=f"http://{HOST}", headers=FRENCH):
        assert "est endommagé (son en-tête est illisible)" in labels.error_message(refused.value)


def test_a_page_that_cannot_be_read_is_told_in_the_browsers_language(browser: Browser) -> None:
    with pytest.raises(BadWikitext) as refused:
        read_page("a\x07b", SiteRules.for_language("en"))
    assert str(refused.value) == "The page has the control character U+0007 at 1. It is skipped."
    again = pickle.loads(pickle.dumps(refused.value))  # noqa: S301, as other processes hand it over
    with browser.client.application.test_request_context(base_url=f"http://{HOST}", headers=FRENCH):
        assert labels.error_message(again).startswith("La page contient le caractère de contrôle")
