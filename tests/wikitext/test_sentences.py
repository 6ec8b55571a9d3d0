"""Sentences and words: whole, in order, and exactly where they stand."""

from __future__ import annotations

import warnings
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wikitext.exports import DATA, exports, language_of, pages, site_of
from wikibot.wikitext import SiteRules, at_word_boundary, read_page, words
from wikibot.wikitext.sentences import find_words, sentence_ranges

ENGLISH = SiteRules.for_language("en")


def cut(text: str, language: str = "en") -> list[str]:
    return [text[a:b] for a, b in sentence_ranges(text, language)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("One.\nTwo", ["One.", "Two"]),
        ("Dr. Smith met J. R. Ewing.", ["Dr. Smith met J. R. Ewing."]),
        ("It cost 3.5 million. Yes.", ["It cost 3.5 million.", "Yes."]),
        ("Born in 1920. He", ["Born in 1920.", "He"]),
        ("He said “No.” Then he left.", ["He said “No.”", "Then he left."]),
        ("What?! Yes...", ["What?!", "Yes..."]),
        ("e.g. this one and etc. that one.", ["e.g. this one and etc. that one."]),
        ("  spaced.   Out  ", ["spaced.", "Out"]),
        ("", []),
        ("\n\n", []),
        ("no end", ["no end"]),
        ("see p. 5. (And more.)", ["see p. 5.", "(And more.)"]),
    ],
)
def test_english_sentences(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "Im 17. Jahrhundert. Dann", ["Im 17. Jahrhundert.", "Dann"]),
        ("de", "Das ist z. B. so. Gut.", ["Das ist z. B. so.", "Gut."]),
        ("hu", "A 4. és 5. században. Itt", ["A 4. és 5. században.", "Itt"]),
        ("ja", "首都である。人口は多い。", ["首都である。", "人口は多い。"]),
        ("ja", "「首都である。」と言う", ["「首都である。」", "と言う"]),
        ("zh", "柏林是首都。很大！对吗？", ["柏林是首都。", "很大！", "对吗？"]),
        ("ru", "Он жил в г. Москве. Потом", ["Он жил в г. Москве.", "Потом"]),
        ("ar", "هل هي كبيرة؟ نعم.", ["هل هي كبيرة؟", "نعم."]),
        ("hi", "यह है। वह है।", ["यह है।", "वह है।"]),
        ("he", "זו עיר. היא גדולה.", ["זו עיר.", "היא גדולה."]),
    ],
)
def test_sentences_of_other_languages(language: str, text: str, expected: list[str]) -> None:
    assert cut(text, language) == expected


@given(st.text(alphabet="aB .!?。\n\"'”)1", max_size=60), st.sampled_from(("en", "de", "ja")))
def test_sentences_lose_nothing_but_white_space(text: str, language: str) -> None:
    ranges = list(sentence_ranges(text, language))
    assert all(a < b for a, b in ranges)
    assert all(one[1] <= two[0] for one, two in pairwise(ranges))
    left = text
    for a, b in reversed(ranges):
        left = left[:a] + left[b:]
    assert not left.strip()


def test_a_sentence_keeps_the_markup_of_its_own_words() -> None:
    text = "'''Ann''' is [[Bob]]'s friend.<ref>x</ref> ''He'' lives in [[City|Paris]]."
    found = read_page(text, ENGLISH).sentences
    assert [text[s.start : s.end] for s in found] == [
        "'''Ann''' is [[Bob]]'s friend.",
        "''He'' lives in [[City|Paris]].",
    ]
    assert [s.text for s in found] == ["Ann is Bob's friend.", "He lives in Paris."]


def test_a_list_item_that_is_a_link_is_a_sentence_with_its_brackets() -> None:
    text = "* [[Ann]]\n* ''[[Bob]]''\n"
    assert [text[s.start : s.end] for s in read_page(text, ENGLISH).sentences] == [
        "[[Ann]]",
        "''[[Bob]]''",
    ]


def test_templates_tables_comments_and_headings_are_in_no_sentence() -> None:
    text = "{{x|a. b}}\n== H. ==\n{|\n| c. d\n|}\nOne <!-- e. f --> sentence.\n[[Category:G]]"
    assert [s.text for s in read_page(text, ENGLISH).sentences] == ["One  sentence."]


def test_an_entity_is_seen_as_its_character() -> None:
    text = "A&nbsp;b &amp; c&mdash;d.&nbsp;E"
    found = read_page(text, ENGLISH).sentences
    assert [s.text for s in found] == ["A\u00a0b & c—d.", "E"]
    assert text[found[0].start : found[0].end] == "A&nbsp;b &amp; c&mdash;d."


def test_a_place_in_the_wikitext_is_a_place_in_what_is_seen() -> None:
    text = "One [[Two|three]] {{x}}four."
    seen = read_page(text, ENGLISH).visible
    assert seen.text == "One three four."
    assert seen.text[seen.seen(text.index("three")) :].startswith("three")
    assert seen.text[seen.seen(text.index("four")) :] == "four."
    assert seen.seen(0) == 0
    assert seen.seen(len(text)) == len(seen.text)


def test_the_sentence_at_a_place() -> None:
    text = "One here. Two {{x}} there."
    page = read_page(text, ENGLISH)
    two = page.sentence_at(text.index("there"))
    assert two is not None
    assert two.text == "Two  there."
    assert page.sentence_at(9) is None
    assert page.sentence_at(len(text)) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Spider-Man's 3 webs.", ["Spider-Man's", "3", "webs"]),
        ("U.S. and 3.5", ["U.S", "and", "3.5"]),
        ("(naïve) “Café”", ["naïve", "Café"]),
        ("cafe\u0301 x", ["cafe\u0301", "x"]),
        ("दिल्ली में", ["दिल्ली", "में"]),
        ("می‌خواهم", ["می‌خواهم"]),
        ("الْعَرَبِيَّة لغة", ["الْعَرَبِيَّة", "لغة"]),
        ("snake_case", ["snake", "case"]),
        ("--- ... !", []),
    ],
)
def test_words_of_scripts_with_spaces(text: str, expected: list[str]) -> None:
    found = words(text, ENGLISH)
    assert [w.text for w in found] == expected
    assert all(text[w.start : w.end] == w.text for w in found)


@pytest.mark.parametrize(
    ("language", "text", "word"),
    [
        ("ja", "首都ベルリンは大きい", "ベルリン"),
        ("zh", "德国首都柏林。", "柏林"),
        ("th", "กรุงเบอร์ลินคือเมือง", "เบอร์ลิน"),
    ],
)
def test_words_of_scripts_without_spaces(language: str, text: str, word: str) -> None:
    found = find_words(text, language)
    assert word in [w.text for w in found]
    assert all(text[w.start : w.end] == w.text for w in found)


def test_letters_that_the_model_rewrites_are_found_again() -> None:
    text = "大都市圏ＡＢＣ㌔ｶﾞｷﾞの中心"
    found = find_words(text, "ja")
    assert all(text[w.start : w.end] == w.text for w in found)
    assert "ＡＢＣ" in [w.text for w in found]
    assert "".join(w.text for w in found) == text.replace("㌔", "")


def test_an_offset_is_added_to_every_word() -> None:
    assert [(w.start, w.end) for w in words("a bc", ENGLISH, start=10)] == [(10, 11), (12, 14)]


@pytest.mark.parametrize(
    ("text", "offset", "boundary"),
    [
        ("cat", 0, True),
        ("cat", 1, False),
        ("cat", 3, True),
        ("a-b", 1, True),
        ("a'b", 1, True),
        ("a_b", 1, False),
        ("a1", 1, False),
        ("e\u0301", 1, False),
        ("e\u0301a", 2, False),
        ("柏林", 1, True),
        ("柏a", 1, True),
        ("กิ", 1, False),
        ("กน", 1, True),
        ("ب\u064bب", 2, False),
        ("\u200fa", 1, True),
        ("a\u200db", 1, False),
    ],
)
def test_word_boundaries(text: str, offset: int, boundary: bool) -> None:
    assert at_word_boundary(text, offset) is boundary


needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"no exports in {DATA}")


@needs_data
@pytest.mark.parametrize("export", exports(small=True), ids=lambda path: path.name)
def test_sentences_and_words_are_exact_in_every_language(export: Path) -> None:
    language = language_of(export)
    for title, text in pages(export):
        page = read_page(text, site_of(export), title)
        assert len(page.sentences) > 10
        for sentence in page.sentences:
            assert 0 <= sentence.start < sentence.end <= len(text)
            assert sentence.text[0] in text[sentence.start : sentence.end]
            for word in find_words(sentence.text, language):
                assert sentence.text[word.start : word.end] == word.text


@needs_data
@pytest.mark.parametrize("code", ["ar", "el", "fr", "he", "it", "ko", "ru", "zh"])
def test_mwtokenizer_cuts_nearly_the_same_sentences(code: str) -> None:
    from mwtokenizer import Tokenizer

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        tokenizer = Tokenizer(code)
    export = DATA / "minidumps" / f"{code}.xml.bz2"
    same = other = 0
    for title, text in pages(export):
        for line in read_page(text, site_of(export), title).visible.text.splitlines():
            ours = {line[a:b] for a, b in sentence_ranges(line, code)}
            theirs = {s.strip() for s in tokenizer.sentence_tokenize(line) if s.strip()}
            same, other = same + len(ours & theirs), other + len(ours ^ theirs)
    assert same > 15 * other
