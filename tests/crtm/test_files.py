"""Model files: whole or refused, old or new, never in between."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from crtm import CRTM, ModelFileError, io
from tests.crtm.worlds import planted_corpus

PROGRAM = """
import sys
from tests.crtm.worlds import planted_corpus
from crtm import CRTM
"""


@pytest.fixture(scope="module")
def model():
    return CRTM(4, max_iter=2, vector_size=4).fit(planted_corpus(12))


@pytest.fixture
def saved(model, tmp_path):
    model.save(tmp_path / "model")
    return tmp_path / "model"


def test_a_loaded_model_scores_as_the_saved_one(model, saved):
    corpus = planted_corpus(12)
    loaded = CRTM.load(saved, corpus)
    assert loaded.get_params() == model.get_params()
    np.testing.assert_array_equal(loaded.score_tokens(0, [1, 3]), model.score_tokens(0, [1, 3]))
    assert loaded.rank_spans(0, 3) == model.rank_spans(0, 3)
    assert loaded.history_ == model.history_
    assert loaded.top_words(0) == model.top_words(0)


def test_a_loaded_model_needs_no_corpus_for_new_pages(saved):
    loaded = CRTM.load(saved)
    assert loaded.rank_words({"title": "New", "text": "water bank iron"}, 0)
    with pytest.raises(Exception, match="has no texts"):
        loaded.rank_words(0, 1)


def test_another_corpus_is_refused(saved):
    with pytest.raises(ModelFileError, match="another corpus"):
        CRTM.load(saved, planted_corpus(15))


def test_any_flipped_byte_is_noticed(saved):
    content = saved.read_bytes()
    random = np.random.default_rng(0)
    for place in [0, 9, 200, len(content) - 1, *random.integers(0, len(content), 60).tolist()]:
        broken = bytearray(content)
        broken[place] ^= 0x10
        saved.write_bytes(bytes(broken))
        with pytest.raises(ModelFileError):
            CRTM.load(saved)
    saved.write_bytes(content)
    CRTM.load(saved)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.999])
def test_a_cut_file_is_noticed(saved, share):
    content = saved.read_bytes()
    saved.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(ModelFileError, match="damaged"):
        CRTM.load(saved)


def test_a_newer_version_is_named(saved, monkeypatch, model):
    monkeypatch.setattr(io, "VERSION", 99)
    model.save(saved)
    monkeypatch.undo()
    with pytest.raises(ModelFileError, match="format version 99"):
        CRTM.load(saved)


def test_a_missing_file_and_a_foreign_file_are_refused(tmp_path, saved):
    with pytest.raises(ModelFileError, match="could not be read"):
        CRTM.load(tmp_path / "none")
    io.write_file(tmp_path / "other", "checkpoint", {}, {"a": np.zeros(2)})
    with pytest.raises(ModelFileError, match="not a model file"):
        CRTM.load(tmp_path / "other")


def test_the_header_tells_hashes_shapes_and_parameters(saved, model):
    header, arrays = io.read_file(saved, "model")
    assert header["version"] == io.VERSION and header["parameters"]["n_topics"] == 4
    assert header["corpus_sha256"] == planted_corpus(12).sha256
    assert (
        header["arrays"]["topics.gamma"]["shape"] == [12, 4] == list(arrays["topics.gamma"].shape)
    )
    assert json.loads(json.dumps(header)) == header


def test_a_failed_save_leaves_the_old_model_and_no_litter(saved, model, monkeypatch):
    before = saved.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        model.save(saved)
    assert saved.read_bytes() == before and [path.name for path in saved.parent.iterdir()] == [
        "model"
    ]


def test_strings_of_any_characters_survive():
    strings = ("a\nb", "", '𝒜 "quoted"', "ā")
    assert io.array_to_strings(io.strings_to_array(strings)) == strings


@pytest.mark.crash
def test_killed_during_save_the_old_model_still_loads(saved):
    program = (
        PROGRAM
        + """
model = CRTM.load(sys.argv[1])
print("ready", flush=True)
while True:
    model.save(sys.argv[1])
"""
    )
    for _ in range(5):
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(saved)], stdout=subprocess.PIPE
        )
        assert process.stdout.readline() == b"ready\n"
        deadline = time.monotonic() + 0.05
        while time.monotonic() < deadline:
            CRTM.load(saved)
        process.kill()
        process.wait()
        assert CRTM.load(saved).n_topics == 4


@pytest.mark.crash
def test_ctrl_c_leaves_a_usable_model(tmp_path):
    program = (
        PROGRAM
        + """
model = CRTM(5, max_iter=100000, vector_size=4)
try:
    model.fit(planted_corpus(12), None, lambda told: print(told.number, flush=True))
except KeyboardInterrupt:
    model.save(sys.argv[1])
    print("kept", model.n_iter_ > 2, len(model.rank_words(0, 3)) > 5)
    sys.exit(130)
"""
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "model")], stdout=subprocess.PIPE, text=True
    )
    assert [process.stdout.readline() for _ in range(3)] == ["1\n", "2\n", "3\n"]
    process.send_signal(signal.SIGINT)
    rest = process.stdout.read()
    assert process.wait() == 130 and rest.endswith("kept True True\n")
    assert CRTM.load(tmp_path / "model").rank_words({"title": "N", "text": "water bank"}, 0)
