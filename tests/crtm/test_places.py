"""Where would a link fit? Sentences and paragraphs of a page for a target, its names present or masked."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.optimize import approx_fprime

from crtm import CRTM, Corpus, NotFittedError, ParameterError
from crtm.__main__ import cli
from crtm.corpus import encode
from crtm.experiments import insertion, insertion_tables, orphans
from crtm.place_features import (
    AROUND_COLUMNS,
    COLUMNS,
    COMPARED,
    LINKED,
    TOPIC_COLUMNS,
    PlaceKnowledge,
    is_named,
)
from crtm.place_ranker import fit_places, learn_places, masked_case, place_loss, reader_of
from crtm.places import Names, mentions, segments, without_mentions, without_sentence
from tests.crtm.worlds import THEMES, planted_corpus, planted_records

QUICK = {"n_topics": 6, "max_iter": 6, "vector_size": 8}


@pytest.fixture(scope="module")
def corpus():
    return planted_corpus(24)


@pytest.fixture(scope="module")
def model(corpus):
    return CRTM(**QUICK).fit(corpus)


def document(text, *, links=()):
    corpus = Corpus.from_records(
        [{"title": "Page", "text": text, "links": list(links)}, {"title": "Other", "text": "other"}],
        min_documents=1, max_share=1.0,
    )  # fmt: skip
    return corpus[0]


# -- masking ------------------------------------------------------------------------------------------------------------


def test_sentences_and_paragraphs_are_cut_where_the_text_is():
    page = document("One here. Two there.\nThree everywhere.")
    assert segments(page, "sentence").first.tolist() == [0, 2, 4]
    assert segments(page, "paragraph").last.tolist() == [4, 6]


def test_masking_takes_the_anchor_and_every_mention_and_nothing_else():
    page = document("Old mill by water. The water mill. No grain.")
    words = {
        word: page.words[i]
        for i, word in enumerate(
            ["old", "mill", "by", "water", "the", "water", "mill", "no", "grain"]
        )
    }
    anchor = np.arange(len(page)) < 2
    masked = without_mentions(page, anchor, frozenset({(words["water"],)}))
    assert masked.words.tolist() == [words[w] for w in ("by", "the", "mill", "no", "grain")]
    gone = without_sentence(page, anchor, frozenset({(words["grain"],)}))
    assert gone.words.tolist() == [words[w] for w in ("the", "water", "mill", "no")]


def test_names_are_titles_without_brackets_and_the_anchors_of_links():
    corpus = Corpus.from_records(
        [
            {"title": "Mill (machine)", "text": "a mill", "links": []},
            {"title": "Page", "text": "the grinder", "links": [[4, 11, "Mill (machine)"]]},
        ],
        min_documents=1, max_share=1.0,
    )  # fmt: skip
    index = corpus.vocabulary.index
    assert Names.of(corpus).of_target[0] == {(index["mill"],), (index["grinder"],)}


def test_a_name_of_several_words_is_found_only_whole():
    assert mentions(np.array([1, 2, 1, 3]), [(1, 2)]).tolist() == [True, True, False, False]


def test_a_corpus_with_fewer_tokens_keeps_its_links_in_place(corpus):
    keep = np.ones(len(corpus.words), dtype=bool)
    keep[corpus.links.first[3] : corpus.links.last[3]] = False
    fewer = corpus.with_tokens(keep)
    assert len(fewer.links) == len(corpus.links) - 1 and len(fewer.words) == keep.sum()
    before = [
        corpus.words[a:b].tolist()
        for a, b in zip(corpus.links.first, corpus.links.last, strict=True)
    ]
    after = [
        fewer.words[a:b].tolist() for a, b in zip(fewer.links.first, fewer.links.last, strict=True)
    ]
    assert after == before[:3] + before[4:]


# -- features -----------------------------------------------------------------------------------------------------------


def columns_of(model, corpus, source, targets):
    knowledge = PlaceKnowledge(model.fitted_, corpus)
    page = corpus[source]
    reader = reader_of(knowledge, page, page, model.scoring_params(), "sentence")
    return reader.columns(np.array(targets, dtype=np.int32))


def test_many_targets_at_once_give_the_columns_of_each_alone(model, corpus):
    together = columns_of(model, corpus, 0, [1, 3, 6])
    for place, target in enumerate([1, 3, 6]):
        alone = columns_of(model, corpus, 0, [target])[0]
        np.testing.assert_allclose(together[place], alone, rtol=1e-4, atol=1e-5)


def test_a_page_s_own_links_to_the_target_teach_nothing_about_it(model, corpus):
    target = int(corpus.links.target[corpus.links.source == 0][0])
    hidden = (corpus.links.source == 0) & (corpus.links.target == target)
    without = corpus.without(hidden)
    knowledge = PlaceKnowledge(model.fitted_, corpus)
    page = without[0]
    reader = reader_of(knowledge, page, page, model.scoring_params(), "sentence")
    found = reader.columns(np.array([target], dtype=np.int32))[0]
    expected = columns_of(model, without, 0, [target])[0]
    chosen = [COLUMNS.index(name) for name in (*COMPARED, *LINKED)]
    np.testing.assert_allclose(found[:, chosen], expected[:, chosen], rtol=1e-3, atol=1e-4)


def test_the_place_loss_gradient_equals_finite_differences():
    random = np.random.default_rng(0)
    columns, begins = random.standard_normal((20, 4)), np.array([0, 7, 12])
    right = np.zeros(20, bool)
    right[[1, 8, 9, 15]] = True
    weights = random.standard_normal(4)
    _, slope = place_loss(weights, columns, begins, right)
    expected = approx_fprime(weights, lambda w: place_loss(w, columns, begins, right)[0], 1e-7)
    np.testing.assert_allclose(slope, expected, atol=1e-4)


def test_without_topics_no_weight_is_given_to_them():
    random = np.random.default_rng(0)
    cases = [(random.standard_normal((5, len(COLUMNS))), np.arange(5) == 2) for _ in range(4)]
    weights = fit_places(cases, TOPIC_COLUMNS).values
    chosen = [COLUMNS.index(name) for name in TOPIC_COLUMNS]
    assert (weights[chosen] == 0).all() and (np.delete(weights, chosen) != 0).any()
    assert {"topics_page", "around_topics_lead", "relation"} <= set(TOPIC_COLUMNS)


def test_a_page_whose_place_is_gone_is_no_case(model):
    corpus = planted_corpus(24)
    link = corpus.links[:1]
    page = document("Only this.")
    names = frozenset({tuple(page.words.tolist())})
    knowledge = PlaceKnowledge(model.fitted_, corpus)
    assert masked_case(knowledge, page, link, names, "absent", model.scoring_params()) is None


# -- ranking ------------------------------------------------------------------------------------------------------------


def mixed_records(pages=30):
    """Return pages of one theme each, every third followed by pages with a paragraph per theme that link to pages of the theme."""
    random, names = np.random.default_rng(0), list(THEMES)
    plain = [
        {
            "title": f"{names[i % 3].title()}ton{chr(97 + i)}",
            "text": _sentences(names[i % 3], random),
        }
        for i in range(12)
    ]
    for number in range(pages):
        text, links = "", []
        for theme in random.permutation(3):
            for target in random.choice(np.arange(theme, 12, 3), 2, replace=False):
                title = plain[target]["title"]
                start = len(text)
                text += f"{title} has {' '.join(random.choice(THEMES[names[theme]], 4))}. "
                links.append([start, start + len(title), title])
            text += _sentences(names[theme], random) + "\n"
        plain.append(
            {
                "title": f"Mixed{chr(97 + number // 26)}{chr(97 + number % 26)}",
                "text": text,
                "links": links,
            }
        )
    return plain


def _sentences(theme, random):
    return " ".join(f"{' '.join(random.choice(THEMES[theme], 6)).capitalize()}." for _ in range(3))


@pytest.fixture(scope="module")
def mixed_model():
    corpus = Corpus.from_records(mixed_records(), min_documents=1, max_share=1.0)
    return CRTM(**QUICK).fit(corpus)


def two_themes():
    """Return a page of one sentence for each theme, and where the sentences begin."""
    parts = [f"{' '.join(words[:6]).capitalize()}." for words in THEMES.values()]
    starts = np.cumsum([0] + [len(part) + 1 for part in parts[:-1]])
    return {"title": "New", "text": "\n".join(parts)}, starts.tolist()


@pytest.mark.parametrize("kind", ["sentence", "paragraph"])
def test_the_sentence_of_the_target_s_theme_comes_first_though_no_name_is_there(mixed_model, kind):
    record, starts = two_themes()
    for target in range(3):  # one page of each theme
        best = mixed_model.rank_places(record, target, kind=kind)[0]
        assert best.start == starts[target] and best.end <= len(record["text"])


def test_all_places_are_ranked_best_first(model, corpus):
    places = model.rank_places(0, 3)
    assert len(places) == len(segments(corpus[0], "sentence"))
    assert [p.score for p in places] == sorted((p.score for p in places), reverse=True)


def test_sources_of_the_same_theme_come_first_and_never_the_target_itself(model, corpus):
    for target in range(3):
        found = [corpus.index[title] for title, _ in model.rank_sources(target, n=5)]
        assert target not in found and all(number % 3 == target for number in found)


def test_places_need_texts_and_a_known_kind(model, corpus, tmp_path):
    with pytest.raises(ParameterError, match="kind='page'"):
        model.rank_places(0, 1, kind="page")
    model.save(tmp_path / "model")
    with pytest.raises(NotFittedError, match="corpus"):
        CRTM.load(tmp_path / "model").rank_places({"title": "x", "text": "Water bank."}, 1)
    loaded = CRTM.load(tmp_path / "model", corpus)
    assert loaded.rank_places(0, 3) == model.rank_places(0, 3)
    assert model.rank_places({"title": "x", "text": ""}, 1) == []


def test_the_ranker_without_topics_scores_otherwise(model, corpus):
    knowledge = PlaceKnowledge(model.fitted_, corpus)
    full, plain = learn_places(knowledge, corpus.links[:40], model.scoring_params())
    page = encode(two_themes()[0], corpus.vocabulary, corpus.index)
    targets = np.array([1], dtype=np.int32)
    one, other = (r.scores(r.reader(page, "sentence"), targets) for r in (full, plain))
    assert not np.allclose(one, other)


# -- protocol D ---------------------------------------------------------------------------------------------------------


def test_hits_and_reciprocal_rank_break_ties_at_random():
    places = [(0, 0), (0, 1), (2, 0), (5, 0)]
    assert insertion.hits(places, 1) == pytest.approx((1 + 0.5) / 4)
    assert insertion.hits(places, 3) == pytest.approx((1 + 1 + 1) / 4)
    assert insertion.reciprocal_rank(places) == pytest.approx((1 + 0.75 + 1 / 3 + 1 / 6) / 4)


def test_training_text_lacks_the_sentences_of_the_test_links(corpus):
    trial = insertion.make_trial(corpus, 0)
    for links in trial.test:
        source, target = int(links.source[0]), int(links.target[0])
        left, page = trial.training[source], corpus[source]
        first = int(links.first[0] - corpus.offsets[source])
        assert page.sentences[first] not in left.sentences
        assert not mentions(left.words, trial.names.of_target[target]).any()
        assert not (
            (trial.training.links.source == source) & (trial.training.links.target == target)
        ).any()


def test_the_command_writes_protocol_d_in_the_promised_form(tmp_path, monkeypatch):
    monkeypatch.setattr("crtm.experiments.insertion.MAX_TEST_LINKS", 6)
    monkeypatch.setattr("crtm.place_ranker.MAX_PLACE_LINKS", 20)
    path, out = tmp_path / "corpus.jsonl", tmp_path / "out.json"
    path.write_text("\n".join(json.dumps(record) for record in planted_records()))
    done = CliRunner().invoke(cli, ["evaluate", str(path), "--task", "insertion", "--seeds", "2", "--json", str(out)])  # fmt: skip
    assert done.exit_code == 0, done.output
    report = json.loads(out.read_text())
    assert report["task"] == "insertion"
    assert {"crtm", "crtm_no_topics", "bm25", "tfidf", "random"} <= set(report["systems"])
    for system in report["systems"].values():
        assert set(system) == {"present", "mention_absent", "sentence_absent"}
        for variant in system.values():
            assert set(variant) == {"hits_at_1", "hits_at_3", "mrr"}
            assert set(variant["hits_at_1"]) == {"mean", "std"}


def test_orphans_lose_all_their_links_and_are_measured_among_all_pages(corpus):
    training, sources = orphans.hide_incoming(corpus, 0)
    assert not np.isin(training.links.target, list(sources)).any() and all(sources.values())
    assert orphans.hit(np.array([3.0, 2.0, 1.0]), 0, {2}) == 1.0
    found = orphans.evaluate_orphans_seed(corpus, 0, **QUICK)
    assert set(found) == {"crtm", "bm25", "tfidf"} and found["crtm"] > 0.5


def test_only_the_systems_asked_for_are_measured_and_the_table_says_which_are_not(
    corpus, tmp_path, monkeypatch
):
    monkeypatch.setattr("crtm.experiments.insertion.MAX_TEST_LINKS", 4)
    monkeypatch.setattr("crtm.place_ranker.MAX_PLACE_LINKS", 20)
    few = ("crtm", "crtm_no_topics", "bm25", "tfidf", "random")
    run = insertion.evaluate_seed(corpus, 0, systems=few, **QUICK)
    assert set(run) == set(few)
    (tmp_path / "planted").mkdir()
    (tmp_path / "planted" / "insertion-0.json").write_text(json.dumps(run))
    table = insertion_tables.markdown(tmp_path, ["planted"])
    cells = next(line for line in table.splitlines() if line.startswith("| planted (1)")).split("|")
    assert [cell.strip() for cell in cells[7:10]] == ["-", "-", "-"]  # names, the paper's CRTM, RTM
    none = {name: {**of, "sentence_absent": []} for name, of in run.items()}
    (tmp_path / "planted" / "insertion-0.json").write_text(json.dumps(none))
    left = insertion_tables.markdown(tmp_path, ["planted"])
    assert "Mention absent, hits@1" in left and "Sentence absent, hits@1" not in left
    more = {**run, "rtm": run["random"]}
    assert set(insertion.summary_of([more, run])["systems"]) == set(few)


def test_the_title_in_another_form_counts_as_a_name():
    columns = np.zeros((2, 3, len(COLUMNS)), dtype=np.float32)
    assert is_named(columns).tolist() == [False, False]
    columns[0, 1, COLUMNS.index("free")] = 1
    columns[1, 2, COLUMNS.index("soft")] = 0.7
    assert is_named(columns).tolist() == [True, True]


def test_a_paragraph_s_neighbours_get_no_weight(model, corpus):
    ranker, _ = learn_places(
        PlaceKnowledge(model.fitted_, corpus), corpus.links[:10], model.scoring_params()
    )
    chosen = [COLUMNS.index(name) for name in AROUND_COLUMNS]
    assert not ranker.weights["paragraph"].values[chosen].any()
    assert ranker.weights["present"].values[chosen].any()
