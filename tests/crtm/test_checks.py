"""The mistakes a scikit-learn user makes get a sentence that says what to write instead."""

import pytest

from crtm import CRTM, Corpus, CorpusError, ModelFileError, ParameterError
from tests.crtm.worlds import planted_corpus

QUICK = {"n_topics": 3, "max_iter": 2, "vector_size": 4}


@pytest.fixture(scope="module")
def model():
    return CRTM(**QUICK).fit(planted_corpus(12))


@pytest.mark.parametrize(
    ("given", "told"),
    [("corpus.jsonl", r"Corpus\.from_jsonl"), ([{"title": "A"}], r"Corpus\.from_records")],
)
def test_fit_says_how_to_make_a_corpus(given, told):
    with pytest.raises(ParameterError, match=told):
        CRTM().fit(given)


@pytest.mark.parametrize("given", [{"n_topics": 2.5}, {"n_topics": "many"}, {"terms": "topics"}])
def test_a_parameter_of_the_wrong_kind_is_named(given):
    with pytest.raises(ParameterError, match=next(iter(given))):
        CRTM(**given).fit(planted_corpus(6))


def test_one_title_where_a_list_is_meant_is_refused(model):
    with pytest.raises(ParameterError, match="one string"):
        model.link_score(0, model.titles_[1])


def test_transform_takes_one_document(model):
    for given in ([0, 1], planted_corpus(6)):
        with pytest.raises(ParameterError, match="one document"):
            model.transform(given)


def test_a_nearly_right_title_is_suggested(model):
    with pytest.raises(ParameterError, match=f'Did you mean "{model.titles_[1]}"'):
        model.rank_words(0, model.titles_[1].lower() + "x")


def test_broken_json_is_named_by_its_own_line(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"title": "A", "text": "a"}\n\n{"title": \n')
    with pytest.raises(CorpusError, match="line 3"):
        Corpus.from_jsonl(path)


def test_saving_into_a_missing_folder_is_refused(model, tmp_path):
    with pytest.raises(ModelFileError, match="no folder"):
        model.save(tmp_path / "missing" / "model")


def test_parameters_can_be_set_and_the_repr_shows_what_differs(model):
    assert repr(CRTM().set_params(n_topics=7)) == "CRTM(n_topics=7)"
    with pytest.raises(ParameterError, match="no parameter topics"):
        CRTM().set_params(topics=7)
    assert len(repr(planted_corpus(6))) < 120
    assert CRTM(**QUICK).fit_transform(planted_corpus(6)).shape == (6, 3)
