"""Files of arrays and small tools of the linker, on generated values beside slow twins."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wikibot.errors import ModelError
from wikibot.linker.arrays import open_arrays, pack_texts, save_arrays, sha256_of, unpack_texts
from wikibot.linker.candidates import member
from wikibot.linker.features.names import best_other
from wikibot.linker.knowledge import lookup
from wikibot.linker.ranker import best_rows

laws = settings(max_examples=40, deadline=None)
KINDS = (np.float32, np.float64, np.int32, np.int64, np.uint64, np.uint8, np.bool_)
SHAPES = st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple)
NUMBERS = st.lists(st.integers(-5, 20), max_size=20)


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray:
    shape, kind = draw(SHAPES), draw(st.sampled_from(KINDS))
    values = draw(st.lists(st.integers(0, 200), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))  # fmt: skip
    return np.array(values, dtype=np.int64).reshape(shape).astype(kind)


@given(st.dictionaries(st.text("abc_.", min_size=1, max_size=6), arrays(), min_size=1, max_size=4))
@laws
def test_arrays_are_opened_as_they_were_saved(given_arrays: dict[str, np.ndarray]) -> None:
    header = {"language": "de", "numbers": [1, 2.5, None], "text": "ÿ\u2028"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.arrays"
        checksum = save_arrays(path, given_arrays, header)
        found, said = open_arrays(path)
        assert said == header and found.keys() == given_arrays.keys()
        for name, array in given_arrays.items():
            assert found[name].dtype == array.dtype and found[name].shape == array.shape
            assert np.array_equal(found[name], array)
        assert checksum == sha256_of(path)


@given(st.data())
@laws
def test_a_file_that_is_cut_off_anywhere_is_refused(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.arrays"
        save_arrays(path, {"a": np.arange(40), "b": np.ones((3, 3))}, {"kind": "test"})
        whole = path.read_bytes()
        path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
        with pytest.raises(ModelError, match="cannot be read"):
            open_arrays(path)


@given(st.binary(max_size=100))
@laws
def test_a_file_of_any_bytes_is_refused(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.arrays"
        path.write_bytes(content)
        with pytest.raises(ModelError, match="cannot be read"):
            open_arrays(path)


def test_one_changed_byte_changes_the_checksum(tmp_path: Path) -> None:
    path = tmp_path / "x.arrays"
    before = save_arrays(path, {"a": np.arange(10)}, {})
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(bytes(content))
    assert sha256_of(path) != before


def test_opened_arrays_cannot_be_written_to(tmp_path: Path) -> None:
    """All processes share the file's pages in memory."""
    save_arrays(tmp_path / "x.arrays", {"a": np.arange(10)}, {})
    found, _ = open_arrays(tmp_path / "x.arrays")
    with pytest.raises(ValueError, match="read-only"):
        found["a"][0] = 7


LINES = st.text(st.characters(exclude_characters="\n", exclude_categories=()), max_size=8)


@given(st.lists(LINES, min_size=2, max_size=6))
@laws
def test_texts_are_unpacked_as_they_were(texts: list[str]) -> None:
    assert unpack_texts(pack_texts(texts)) == texts


def test_no_texts_are_no_bytes() -> None:
    assert unpack_texts(pack_texts([])) == []
    assert unpack_texts(pack_texts(["only"])) == ["only"]


@given(NUMBERS, NUMBERS)
@laws
def test_members_are_those_of_a_set(values: list[int], among: list[int]) -> None:
    found = member(np.array(values, dtype=np.int64), np.unique(np.array(among, dtype=np.int64)))
    assert found.tolist() == [value in among for value in values]


@given(st.sets(st.integers(0, 30)), NUMBERS)
@laws
def test_keys_are_looked_up_as_in_a_dictionary(known: set[int], asked: list[int]) -> None:
    keys = np.array(sorted(known), dtype=np.uint64)
    wanted = np.array([abs(one) for one in asked], dtype=np.uint64)
    place, there = lookup(keys, wanted)
    by_key = {int(key): at for at, key in enumerate(keys)}
    assert there.tolist() == [int(one) in by_key for one in wanted]
    for one, at, is_there in zip(wanted.tolist(), place.tolist(), there.tolist(), strict=True):
        assert not is_there or at == by_key[one]


@st.composite
def groups(draw: st.DrawFn, *, in_order: bool) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of groups, none left out, each with a value."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    group = [number for number, size in enumerate(sizes) for _ in range(size)]
    if not in_order:
        group = draw(st.permutations(group))
    values = draw(st.lists(st.integers(0, 6), min_size=len(group), max_size=len(group)))
    return np.array(group, dtype=np.int64), np.array(values, dtype=np.float32) / 8


@given(groups(in_order=False))
@laws
def test_the_best_other_is_the_greatest_value_of_the_rest_of_the_group(
    given_groups: tuple[np.ndarray, np.ndarray],
) -> None:
    group, value = given_groups
    found = best_other(group, value)
    for at in range(len(group)):
        others = [value[n] for n in range(len(group)) if group[n] == group[at] and n != at]
        assert found[at] == max(others, default=0)


@given(groups(in_order=True))
@laws
def test_the_best_row_of_a_group_has_its_greatest_value_and_comes_first(
    given_groups: tuple[np.ndarray, np.ndarray],
) -> None:
    group, value = given_groups
    found = best_rows(group, value)
    assert len(found) == group.max() + 1
    for number, row in enumerate(found.tolist()):
        own = [at for at in range(len(group)) if group[at] == number]
        assert row == max(own, key=lambda at: (value[at], -at))
