"""Text to words, in any script, for any text at all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crtm.tokenize import CAPITAL, CAPITAL_AFTER, CAPITAL_BEFORE, FIRST, SHOUTED, split_words

ANY_TEXT = st.text(
    st.one_of(
        st.sampled_from(" .!?\n-'’_,;()"),
        st.characters(codec="utf-8", exclude_categories=("Cs",)),
        st.sampled_from("abcXYZāĒß0129"),
    ),
    max_size=120,
)


def words_of(text):
    return split_words(text).words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Пётр I основал Санкт-Петербург", ["пётр", "основал", "санкт-петербург"]),
        ("Ο Αχιλλέας και ο Έκτορας", ["αχιλλέας", "και", "έκτορας"]),
        ("Pilsātys i upe", ["pilsātys", "upe"]),
        ("l'uomo dell'acqua", ["uomo", "dell", "acqua"]),
        ("rock-'n'-roll", ["rock", "roll"]),
        ("well--known -edge- a-b", ["well", "known", "edge", "a-b"]),
        ("1962 3D 2001-2010 20th", ["3d", "20th"]),
        ("under_score", ["under", "score"]),
        ("東京タワー は", ["東京タワー"]),
        ("x y z ok", ["ok"]),
        ("", []),
        (" \n\t", []),
        ("...!?", []),
    ],
)
def test_words_of_many_scripts_and_marks(text, words):
    assert words_of(text) == words


@given(ANY_TEXT)
def test_every_word_stands_where_it_says(text):
    split = split_words(text)
    assert [text[a:b].lower() for a, b in zip(split.starts, split.ends, strict=True)] == split.words


@given(ANY_TEXT)
def test_words_follow_one_another_without_overlap(text):
    split = split_words(text)
    assert (split.starts < split.ends).all()
    assert (split.starts[1:] >= split.ends[:-1]).all()
    assert (np.diff(split.sentences) >= 0).all()


@given(ANY_TEXT)
def test_all_arrays_have_one_entry_for_each_word(text):
    split = split_words(text)
    *known, every = split
    assert {len(array) for array in known} == {len(split.words)}
    assert len({len(array) for array in every}) == 1 and len(every.starts) >= len(split.words)


@given(ANY_TEXT)
def test_every_word_has_two_characters_and_a_letter(text):
    for a, b in zip(split_words(text).starts, split_words(text).ends, strict=True):
        assert b - a >= 2
        assert any(not c.isdecimal() for c in text[a:b].replace("-", ""))


@given(ANY_TEXT, ANY_TEXT)
def test_a_line_break_parts_two_texts_cleanly(one, other):
    both = split_words(f"{one}\n{other}")
    assert both.words == words_of(one) + words_of(other)
    left = len(words_of(one))
    if 0 < left < len(both.words):
        assert both.sentences[left - 1] < both.sentences[left]


@given(ANY_TEXT)
def test_splitting_twice_gives_the_same(text):
    for one, other in zip(split_words(text), split_words(text), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. two", [0, 1]),
        ("One.two", [0, 0]),
        ("Mr. Fantastic", [0, 1]),
        ("Really?! Yes", [0, 1]),
        ("in 3.5 ways", [0, 0]),
        ("ends. 1962 began", [0, 0]),
        ("one\n\n\ntwo", [0, 1]),
        ("one\r\ntwo", [0, 1]),
    ],
)
def test_where_sentences_end(text, sentences):
    assert split_words(text).sentences.tolist() == sentences


def shape_of(text, word):
    split = split_words(text)
    return int(split.shapes[split.words.index(word)])


@pytest.mark.parametrize(
    ("text", "word", "shape"),
    [
        ("met Iron Man", "iron", CAPITAL | CAPITAL_AFTER),
        ("met Iron Man", "man", CAPITAL | CAPITAL_BEFORE),
        ("met Iron, Man", "iron", CAPITAL),
        ("met Iron. Man", "man", CAPITAL | FIRST),
        ("met Iron\nMan", "iron", CAPITAL),
        ("the iPhone", "iphone", SHOUTED),
        ("the NASA", "nasa", CAPITAL | SHOUTED),
        ("the X Men", "men", CAPITAL | CAPITAL_BEFORE),
        ("der Öffentliche Ruf", "öffentliche", CAPITAL | CAPITAL_AFTER),
        ("in 東京 city", "city", 0),
        ("Storm", "storm", CAPITAL | FIRST),
    ],
)
def test_shapes_of_words_beside_their_neighbours(text, word, shape):
    assert shape_of(text, word) == shape


@given(ANY_TEXT)
def test_capitals_and_beginnings_are_told_as_the_text_has_them(text):
    split = split_words(text)
    for start, shape in zip(split.starts, split.shapes, strict=True):
        assert bool(shape & CAPITAL) == text[start].isupper()
    for number in range(1, len(split.words)):
        if split.shapes[number] & FIRST:
            assert split.sentences[number] > split.sentences[number - 1]


@given(st.lists(st.sampled_from(["Bee", "sea", "DC", "Tea"]), min_size=1, max_size=12))
def test_a_neighbour_s_capital_is_seen_from_both_sides(words):
    split = split_words(" ".join(words))
    capital = (split.shapes & CAPITAL) > 0
    assert ((split.shapes[1:] & CAPITAL_BEFORE) > 0).tolist() == capital[:-1].tolist()
    assert ((split.shapes[:-1] & CAPITAL_AFTER) > 0).tolist() == capital[1:].tolist()
