"""What was learned, or half learned, comes back from a file as it was."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from crtm import CRTM, ModelFileError, io, storage
from crtm.em import State
from crtm.linkfunction import LinkFunction
from crtm.progress import Iteration, Progress
from tests.crtm.worlds import planted_corpus

QUICK = {"n_topics": 4, "max_iter": 2, "vector_size": 4}
FUNCTIONS = {
    "identity": LinkFunction(np.arange(3.0), -1.5),
    "learned": LinkFunction(np.ones(3), 0.25, projection=np.eye(3)),
    "full": LinkFunction(np.zeros(3), 2.0, full=np.arange(9.0).reshape(3, 3)),
}


def same(one, other):
    """Tell whether two dataclasses hold the same arrays and values, all the way down."""
    if dataclasses.is_dataclass(one):
        return all(
            same(getattr(one, f.name), getattr(other, f.name)) for f in dataclasses.fields(one)
        )
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    return one == other


@pytest.fixture(scope="module")
def corpus():
    return planted_corpus(12)


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_a_link_function_comes_back_as_it_was(kind):
    function = FUNCTIONS[kind]
    assert same(storage.function_from(storage.function_arrays(function)), function)
    assert same(storage.function_from(storage.function_arrays(function, "x."), "x."), function)


@pytest.mark.parametrize("projection", ["identity", "learned", "full"])
def test_a_model_of_every_kind_survives_saving(corpus, tmp_path, projection):
    model = CRTM(**QUICK, projection=projection).fit(corpus)
    model.save(tmp_path / "model")
    loaded = CRTM.load(tmp_path / "model", corpus)
    assert same(loaded.fitted_, model.fitted_)
    np.testing.assert_array_equal(loaded.spans_.weights, model.spans_.weights)
    np.testing.assert_array_equal(loaded.spans_.facts.leads, model.spans_.facts.leads)
    assert loaded.titles_ == model.titles_
    assert loaded.vocabulary_ == model.vocabulary_ and loaded.get_params() == model.get_params()


def test_a_model_saved_twice_is_the_same_bytes(corpus, tmp_path):
    model = CRTM(**QUICK).fit(corpus)
    model.save(tmp_path / "one")
    CRTM.load(tmp_path / "one", corpus).save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_loaded_model_can_be_fitted_again(corpus, tmp_path):
    model = CRTM(**QUICK).fit(corpus)
    model.save(tmp_path / "model")
    again = CRTM.load(tmp_path / "model").fit(corpus)
    np.testing.assert_array_equal(again.topic_word_, model.topic_word_)


def test_parameters_are_plain_json_in_the_header(corpus, tmp_path):
    CRTM(**QUICK, terms=("topics", "case")).fit(corpus).save(tmp_path / "model")
    header, _ = io.read_file(tmp_path / "model", "model")
    assert header["parameters"]["terms"] == ["topics", "case"]
    assert CRTM.load(tmp_path / "model").terms == ("topics", "case")


def test_a_model_file_of_version_0_1_still_loads_and_ranks_as_it_did():
    """The file was written when ``projection`` was called ``transform``."""
    model = CRTM.load(Path(__file__).parent / "data" / "model-0.1.crtm", planted_corpus(6))
    assert model.projection == "identity" and model.q_ is None
    ranked = model.rank_words(0, 1)[:3]
    assert [word for word, _ in ranked] == ["riverburgad", "riverburgaa", "delta"]
    assert ranked[0][1] == pytest.approx(1.31544, abs=1e-4)


# -- checkpoints --------------------------------------------------------------------------------------------------------


def a_state(number, kind="learned"):
    random = np.random.default_rng(number)
    arrays = [random.random(shape).astype(np.float32) for shape in ((5, 3), (4, 3), (2, 3))]
    return State(*arrays, FUNCTIONS[kind], number)


def a_progress(best_score=0.5):
    told = (Iteration(1, 0.1, -2.0, None), Iteration(2, 0.2, -1.5, best_score))
    return Progress(a_state(7), a_state(5), best_score, 1, told)


PARAMETERS = {"n_topics": 3, "terms": ("topics",), "max_iter": 20, "alpha": 0.1}


@pytest.mark.parametrize("score", [0.5, None])
def test_a_checkpoint_comes_back_as_it_was(tmp_path, score):
    progress = a_progress(score)
    storage.write_checkpoint(tmp_path / "c", progress, PARAMETERS, "abc")
    assert same(storage.read_checkpoint(tmp_path / "c", PARAMETERS, "abc"), progress)


def test_a_checkpoint_may_be_taken_up_with_more_iterations(tmp_path):
    storage.write_checkpoint(tmp_path / "c", a_progress(), PARAMETERS, "abc")
    more = {**PARAMETERS, "max_iter": 99}
    assert storage.read_checkpoint(tmp_path / "c", more, "abc").state.iteration == 7


@pytest.mark.parametrize(
    ("parameters", "corpus_sha256"),
    [
        ({**PARAMETERS, "alpha": 0.2}, "abc"),
        ({**PARAMETERS, "terms": ()}, "abc"),
        (PARAMETERS, "abd"),
    ],
)
def test_a_checkpoint_of_something_else_is_refused_and_left_there(
    tmp_path, parameters, corpus_sha256
):
    path = tmp_path / "c"
    storage.write_checkpoint(path, a_progress(), PARAMETERS, "abc")
    before = path.read_bytes()
    with pytest.raises(ModelFileError, match="Remove it to start anew"):
        storage.read_checkpoint(path, parameters, corpus_sha256)
    assert path.read_bytes() == before


def test_a_damaged_checkpoint_is_refused_not_ignored(corpus, tmp_path):
    path = tmp_path / "checkpoint"
    path.write_bytes(b"not a checkpoint")
    with pytest.raises(ModelFileError, match="damaged"):
        CRTM(**QUICK).fit(corpus, checkpoint=path)
    assert path.read_bytes() == b"not a checkpoint"


def test_a_model_file_is_no_checkpoint(corpus, tmp_path):
    CRTM(**QUICK).fit(corpus).save(tmp_path / "model")
    with pytest.raises(ModelFileError, match="not a checkpoint file"):
        CRTM(**QUICK).fit(corpus, checkpoint=tmp_path / "model")


# -- the container ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32, np.int64, np.uint8])
def test_arrays_of_every_kind_in_use_keep_kind_and_shape(tmp_path, kind):
    array = np.arange(6).reshape(2, 3).astype(kind)
    io.write_file(tmp_path / "f", "model", {}, {"a": array, "turned": array.T, "none": array[:0]})
    _, arrays = io.read_file(tmp_path / "f", "model")
    assert same(arrays["a"], array) and same(arrays["turned"], array.T)
    assert arrays["none"].shape == (0, 3) and arrays["none"].dtype == kind


def test_nothing_in_a_model_file_can_run_code(corpus, tmp_path):
    CRTM(**QUICK).fit(corpus).save(tmp_path / "model")
    content = (tmp_path / "model").read_bytes()
    assert b"__reduce__" not in content and not content.startswith((b"\x80", b"PK"))


def test_a_folder_that_is_not_there_is_one_clear_error(corpus, tmp_path):
    with pytest.raises(ModelFileError, match="there is no folder"):
        CRTM(**QUICK).fit(corpus).save(tmp_path / "missing" / "model")
    assert list(tmp_path.iterdir()) == []


def test_an_array_that_the_header_promises_and_the_file_lacks_is_damage(tmp_path):
    path = tmp_path / "f"
    io.write_file(path, "model", {}, {"a": np.zeros(2), "b": np.ones(2)})
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    metadata = json.loads(content[8 : 8 + length])["__metadata__"]
    path.write_bytes(safetensors.numpy.save({"a": np.zeros(2)}, metadata))
    with pytest.raises(ModelFileError, match='the array "b" does not match'):
        io.read_file(path, "model")
