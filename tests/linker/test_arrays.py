"""Files of arrays: opened as they were written, and refused with one sentence where damaged."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikibot.errors import ModelError
from wikibot.linker.arrays import open_arrays, pack_texts, save_arrays, sha256_of, unpack_texts

ARRAYS = {
    "floats": np.linspace(0, 1, 7, dtype=np.float32),
    "doubles": np.array([[1.5, 2.5]]),
    "ints": np.arange(6, dtype=np.int32).reshape(2, 3),
    "longs": np.array([-1, 2**40]),
    "keys": np.array([2**64 - 1], dtype=np.uint64),
    "bytes": np.frombuffer(b"abc", dtype=np.uint8),
    "bools": np.array([True, False]),
    "empty": np.zeros((0, 3), dtype=np.float32),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    save_arrays(tmp_path / "a.arrays", ARRAYS, {"format": 1, "names": ["é"]})
    return tmp_path / "a.arrays"


def test_arrays_are_opened_as_they_were_written(path: Path) -> None:
    arrays, header = open_arrays(path)
    assert header == {"format": 1, "names": ["é"]}
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert np.array_equal(arrays[name], array)


def test_arrays_that_are_not_in_one_piece_are_written_whole(tmp_path: Path) -> None:
    every_other = np.arange(10, dtype=np.int64)[::2]
    save_arrays(tmp_path / "b", {"x": every_other, "y": np.eye(3)[:, 1]}, {})
    arrays, _ = open_arrays(tmp_path / "b")
    assert arrays["x"].tolist() == [0, 2, 4, 6, 8]
    assert arrays["y"].tolist() == [0, 1, 0]


def test_opened_arrays_cannot_change_the_file(path: Path) -> None:
    arrays, _ = open_arrays(path)
    with pytest.raises(ValueError, match="read-only"):
        arrays["ints"][0, 0] = 5


def test_saving_returns_the_checksum_of_the_file(tmp_path: Path) -> None:
    found = save_arrays(tmp_path / "c", ARRAYS, {})
    content = (tmp_path / "c").read_bytes()
    assert found == hashlib.sha256(content).hexdigest() == sha256_of(tmp_path / "c")


def test_the_same_arrays_give_the_same_file(tmp_path: Path) -> None:
    first = save_arrays(tmp_path / "d", ARRAYS, {"a": 1})
    assert save_arrays(tmp_path / "e", ARRAYS, {"a": 1}) == first
    assert save_arrays(tmp_path / "f", ARRAYS, {"a": 2}) != first


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: b"abc",
        lambda content: content[:40],
        lambda content: content[:-5],
        lambda content: b"\xff" * 8 + content[8:],
        lambda content: content[:8] + b"x" + content[9:],
        lambda content: content.replace(b"__metadata__", b"__metadatX__"),
        lambda content: content.replace(b'"F32"', b'"F99"'),
        lambda content: b"not a model at all, but long enough to look like one",
    ],
    ids=["empty", "short", "half a header", "cut off", "long header", "bad header", "no header", "odd type", "text"],
)  # fmt: skip
def test_a_damaged_file_is_refused_with_one_sentence(path: Path, damage) -> None:
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ModelError) as caught:
        open_arrays(path)
    assert str(caught.value).startswith(f"The model file {path} cannot be read (")
    assert str(caught.value).endswith("). Run `wikibot train` again.")


def test_a_missing_file_is_refused_with_the_same_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"cannot be read .* Run `wikibot train` again"):
        open_arrays(tmp_path / "none")


@given(st.lists(st.text(st.characters(exclude_characters="\n"), min_size=1)))
def test_texts_are_unpacked_as_they_were_packed(texts: list[str]) -> None:
    assert unpack_texts(pack_texts(texts)) == texts
