"""Protocol A and its baselines, on planted pages."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from crtm.__main__ import cli
from crtm.corpus import Corpus
from crtm.errors import CorpusError, CRTMError
from crtm.experiments import linkprediction
from crtm.experiments.baselines import lexical
from crtm.experiments.baselines.tagme import Tagme
from crtm.experiments.casestudy import hidden_cases
from crtm.experiments.evaluate import (
    BASELINES,
    GRID,
    MODELS,
    VARIANTS,
    Fitted,
    evaluate,
    measure,
    roc_curve,
)
from crtm.experiments.protocol import hide_links
from crtm.experiments.report import BEGIN, END, by_corpus, curves, markdown, write_into
from tests.crtm.worlds import planted_corpus, planted_records


@pytest.fixture(scope="module")
def corpus():
    return planted_corpus()


@pytest.fixture(scope="module")
def corpus_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "planted.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in planted_records()))
    return path


def test_one_link_of_each_page_with_two_is_hidden_half_and_half(corpus):
    split = hide_links(corpus, 0)
    hidden = np.concatenate([split.validation.source, split.test.source])
    pages, links = np.unique(corpus.links.source, return_counts=True)
    assert sorted(hidden.tolist()) == pages[links >= 2].tolist()
    assert abs(len(split.validation) - len(split.test)) <= 1


def test_all_links_of_a_hidden_pair_are_hidden():
    text = "Bee and bee or bee. Sea."
    records = [
        {"title": "A", "text": text, "links": [[0, 3, "B"], [8, 11, "B"], [20, 23, "C"]]},
        {"title": "B", "text": "bee"},
        {"title": "C", "text": "sea"},
    ]
    corpus = Corpus.from_records(records, min_documents=1, max_share=1)
    for seed in range(6):
        split = hide_links(corpus, seed)
        hidden = {*split.test.target.tolist(), *split.validation.target.tolist()}
        assert not hidden & set(split.training.links.target.tolist())


def test_seeds_give_other_splits_and_the_same_seed_the_same(corpus):
    assert hide_links(corpus, 1).test.first.tolist() == hide_links(corpus, 1).test.first.tolist()
    assert hide_links(corpus, 1).test.first.tolist() != hide_links(corpus, 2).test.first.tolist()


def test_a_corpus_without_links_to_hide_is_refused_with_a_sentence():
    pages = [{"title": "A", "text": "bee"}, {"title": "B", "text": "bee"}]
    with pytest.raises(CorpusError, match="nothing to hide"):
        hide_links(Corpus.from_records(pages, max_share=1), 0)


class Oracle:
    """Knows the answers (1), their opposite (-1), or nothing (0)."""

    def __init__(self, corpus, links, sign):
        self.corpus, self.sign = corpus, sign
        self.answers = {
            (int(s), int(t)): (int(a), int(b), int(c), int(d))
            for s, t, a, b, c, d in zip(
                links.source,
                links.target,
                links.first,
                links.last,
                links.start,
                links.end,
                strict=True,
            )
        }

    def score_tokens(self, source, targets):
        scores = np.zeros((len(self.corpus[source]), 1), np.float32)
        first, last, _, _ = self.answers[source, targets[0]]
        base = int(self.corpus.offsets[source])
        scores[first - base : last - base] = self.sign
        return scores

    def best_span(self, source, target):
        return self.answers[source, target][2:] if self.sign > 0 else None


@pytest.mark.parametrize(("sign", "expected"), [(1, 1.0), (0, 0.0), (-1, 0.0)])
def test_the_measures_give_an_oracle_everything_and_ties_nothing(corpus, sign, expected):
    split = hide_links(corpus, 0)
    figures = measure(corpus, split, Fitted(Oracle(corpus, split.test, sign), 0.0, 0.0, 0))
    assert figures.p_at_1 == figures.p_at_5 == figures.span_p_at_1 == expected
    assert (figures.auc > 0.99) == (sign > 0)


def test_the_roc_of_a_perfect_order_is_one_and_of_the_reverse_zero():
    scores, right = np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, False, False, False])
    assert roc_curve(scores, right)[1:].min() == 1
    assert roc_curve(-scores, right)[:-1].max() == 0


def test_the_title_baseline_puts_title_words_first(corpus):
    split = hide_links(corpus, 0)
    scorer = lexical.title(split.training)
    source, target = int(split.test.source[0]), int(split.test.target[0])
    scores = scorer.score_tokens(source, [target])[:, 0]
    best = corpus.vocabulary.words[corpus[source].words[int(scores.argmax())]]
    assert best == corpus.titles[target].lower()
    start, end = scorer.best_span(source, target)
    assert (start, end) == (split.test.start[0], split.test.end[0])


@pytest.mark.parametrize("make", [lexical.tfidf, lexical.bm25])
def test_lexical_weights_grow_with_rarity_and_are_zero_for_foreign_words(make):
    records = [
        {"title": "A", "text": "rare common"}, {"title": "B", "text": "common"}, {"title": "C", "text": "rare common other"},
        {"title": "D", "text": "nothing"},
    ]  # fmt: skip
    corpus = Corpus.from_records(records, min_documents=1, max_share=1)
    scores = make(corpus).score_tokens(2, [0])[:, 0]
    assert scores[0] > scores[1] > scores[2] == 0


def test_bm25_is_the_textbook_formula():
    corpus = Corpus.from_records(
        [{"title": "A", "text": "bee bee sea"}, {"title": "B", "text": "tea"}],
        min_documents=1,
        max_share=1,
    )
    expected = np.log(2) * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2))
    assert lexical.bm25(corpus).score_tokens(0, [0])[0, 0] == pytest.approx(expected, rel=1e-5)


def test_tagme_knows_only_anchors_that_training_links_have(corpus):
    split = hide_links(corpus, 0)
    tagme = Tagme(split.training)
    anchors = {
        tuple(corpus.words[a:b].tolist())
        for a, b in zip(split.training.links.first, split.training.links.last, strict=True)
    }
    assert set(tagme.senses) == anchors
    for source in range(5):
        for mention in tagme.mentions(source):
            assert tuple(corpus[source].words[mention.first : mention.last].tolist()) in anchors
            assert 0 < mention.probability <= 1 and sum(mention.senses.values()) <= 1 + 1e-9


def test_milne_witten_relatedness_is_one_for_the_same_in_links_and_zero_for_none_shared():
    text = "bee sea tea"
    links = [[0, 3, "B"], [4, 7, "C"]]
    records = [{"title": f"S{i}", "text": text, "links": links} for i in range(3)]
    records += [
        {"title": "B", "text": "bee", "links": [[0, 3, "D"]]},
        {"title": "C", "text": "sea"},
        {"title": "D", "text": "bee"},
    ]
    corpus = Corpus.from_records(records, min_documents=1, max_share=1)
    tagme = Tagme(corpus)
    assert tagme.relatedness(corpus.index["B"], corpus.index["C"]) == 1
    assert tagme.relatedness(corpus.index["B"], corpus.index["D"]) == 0


def test_every_named_model_can_be_measured(corpus):
    results = evaluate(planted_corpus(12), ["rtm", "tagme", "title", "bm25", "tfidf"], 1)
    assert set(VARIANTS) | set(BASELINES) == set(MODELS)
    assert all(0 <= figures[0].p_at_1 <= figures[0].p_at_5 <= 1 for figures in results.values())


def test_link_prediction_hides_whole_pairs_and_finds_planted_ones(corpus):
    training, hidden = linkprediction.hide_pairs(corpus, 0)
    left = set(zip(training.links.source.tolist(), training.links.target.tolist(), strict=True))
    assert not left & {tuple(pair) for pair in hidden.tolist()}
    small = {"n_topics": 4, "max_iter": 4, "context": "document", "projection": "identity"}
    found = linkprediction.predict_links(corpus, [0], {"rtm": small})
    assert found["tfidf"][0] > 0.7 and found["rtm"][0] > 0.7


def test_the_command_writes_the_json_that_is_promised(corpus_file, tmp_path):
    out, plot = tmp_path / "out.json", tmp_path / "roc.png"
    result = CliRunner().invoke(
        cli,
        [
            "evaluate",
            str(corpus_file),
            "--models",
            "rtm,tfidf",
            "--seeds",
            "2",
            "--json",
            str(out),
            "--plot",
            str(plot),
        ],
    )
    assert result.exit_code == 0, result.output
    report = json.loads(out.read_text())
    assert set(report["models"]) == {"rtm", "tfidf"} and report["corpus"]["seeds"] == 2
    for figures in report["models"].values():
        assert (
            {"mean", "std"}
            == set(figures["p_at_1"])
            == set(figures["p_at_5"])
            == set(figures["auc"])
        )
        assert {"fit_seconds", "seconds_per_iteration", "iterations", "span_p_at_1"} <= set(figures)
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_the_case_study_shows_both_models_side_by_side(corpus_file):
    records = planted_records()
    result = CliRunner().invoke(
        cli, ["anchors", str(corpus_file), records[0]["title"], records[3]["title"], "-n", "3"]
    )
    assert result.exit_code == 0, result.output
    assert len(result.output.splitlines()) == 4


@pytest.mark.parametrize("models", ["ctrm", "crtm,lda"])
def test_an_unknown_model_is_a_usage_error(corpus_file, models):
    result = CliRunner().invoke(cli, ["evaluate", str(corpus_file), "--models", models])
    assert result.exit_code == 2 and "not among" in result.output


def test_a_bad_corpus_is_one_sentence_and_exit_code_one(tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text("nonsense")
    done = subprocess.run(
        [sys.executable, "-m", "crtm", "evaluate", str(path)], capture_output=True, text=True
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr.startswith("Error: ") and done.stderr.count("\n") == 1


SPREAD = {"mean": 0.9, "std": 0.01}
CORPUS = {
    "file": "leads.jsonl", "documents": 10, "words": 5, "tokens": 100, "links": 9, "links_without_known_word": 1, "seeds": 2,
}  # fmt: skip


def figures_file(tmp_path, name="crtm", seeds=2, **more):
    model = {"p_at_1": SPREAD, "p_at_5": SPREAD, "span_p_at_1": SPREAD, "auc": SPREAD}
    cost = {"fit_seconds": 3.0, "seconds_per_iteration": 0.5, "iterations": 20.0}
    path = tmp_path / f"{name}.json"
    models = {name: {**model, **cost, "roc": [0.0, 1.0]}} if name else {}
    path.write_text(json.dumps({"corpus": {**CORPUS, "seeds": seeds}, "models": models, **more}))
    return path


def section(*files):
    return markdown(by_corpus(files))


def test_the_report_shows_our_figures_and_the_paper_s(tmp_path):
    text = section(figures_file(tmp_path))
    assert "| crtm | 2 | 0.900 (0.010) |" in text and ".65/.86" in text


def test_files_of_one_corpus_share_its_part_and_keep_their_own_number_of_splits(tmp_path):
    files = [figures_file(tmp_path, "crtm", 10), figures_file(tmp_path, "rtm", 3)]
    text = section(*files)
    assert text.count("### leads") == 1
    assert text.index("| rtm | 3 |") < text.index("| crtm | 10 |")
    assert curves(by_corpus(files)) == {"leads": {"crtm": [0.0, 1.0], "rtm": [0.0, 1.0]}}


def test_changed_forms_of_crtm_stand_in_a_table_of_their_own(tmp_path):
    text = section(figures_file(tmp_path, "crtm"), figures_file(tmp_path, "crtm_no_case"))
    assert (
        text.index("| crtm |") < text.index("without one of its terms") < text.index("crtm_no_case")
    )


def test_the_report_tells_link_prediction_and_the_case_study(tmp_path):
    case = {
        "source": "Water", "target": "Mill", "anchor": "old mill", "crtm": ["mill", "stone"], "rtm": ["boat", "fish"],
    }  # fmt: skip
    prediction = {"crtm": {"auc": SPREAD, "seeds": 4}}
    text = section(figures_file(tmp_path, link_prediction=prediction, case_study=[case]))
    assert "AUC over 4 draws" in text and "crtm 0.900 (0.010)" in text
    assert "| Water | Mill | old mill | **mill**, stone | boat, fish |" in text


def test_the_report_replaces_its_own_section_and_nothing_else(tmp_path):
    document = tmp_path / "results.md"
    document.write_text(f"# Results\n\nbefore\n\n{BEGIN}\nold\n{END}\n\nafter\n")
    write_into(document, section(figures_file(tmp_path)))
    text = document.read_text()
    assert text.startswith("# Results\n\nbefore\n") and text.endswith("\n\nafter\n")
    assert "old" not in text and "| crtm |" in text
    write_into(document, section(figures_file(tmp_path)))
    assert document.read_text() == text


def test_a_document_without_the_marks_is_left_as_it_is(tmp_path):
    document = tmp_path / "results.md"
    document.write_text("# Results\n")
    with pytest.raises(CRTMError, match="nothing was changed"):
        write_into(document, section(figures_file(tmp_path)))
    assert document.read_text() == "# Results\n"


def test_the_report_command_writes_the_section_and_the_picture(tmp_path):
    files = [str(figures_file(tmp_path, name)) for name in ("crtm", "rtm")]
    for file in files:
        report = json.loads(Path(file).read_text())
        next(iter(report["models"].values()))["roc"] = GRID.tolist()
        Path(file).write_text(json.dumps(report))
    out, plot = tmp_path / "results.md", tmp_path / "roc.png"
    result = CliRunner().invoke(cli, ["report", *files, "--into", str(out), "--plot", str(plot)])
    assert result.exit_code == 0, result.output
    assert "| crtm |" in out.read_text() and plot.read_bytes().startswith(b"\x89PNG")


def test_cases_are_hidden_links_with_the_best_words_of_both_models(corpus):
    text_of = {record["title"]: record["text"] for record in planted_records()}
    cases = hidden_cases(corpus, text_of, 3, 4)
    hidden = hide_links(corpus, 0).test
    pairs = {
        (corpus.titles[s], corpus.titles[t])
        for s, t in zip(hidden.source, hidden.target, strict=True)
    }
    for case in cases:
        assert (case["source"], case["target"]) in pairs and case["anchor"] == case["target"]
        assert len(case["crtm"]) == len(case["rtm"]) == 4
    assert len(cases) == 3
