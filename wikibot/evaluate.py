"""`wikibot evaluate`: held-out figures for this very wiki (protocol B), beside what others do.

A fifth of the pages, chosen by a hash of their titles, loses its links to other pages of the wiki;
their text stays. Everything is learned from the other pages, and the links are to be found again. A
small wiki has few links on a fifth of its pages: there each fifth in turn gives surer figures.
"""

from __future__ import annotations

import hashlib
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit

from wikibot.errors import BadInput
from wikibot.ranking import metrics
from wikibot.ranking.baselines import tagme, title_match
from wikibot.ranking.candidates import Candidates
from wikibot.ranking.lessons import (
    Study,
    all_hidden,
    candidates_of,
    lessons_from_links,
    only_elsewhere,
    study,
    truth,
)
from wikibot.ranking.metrics import Answers
from wikibot.ranking.ranker import FEWEST_LINKS, Ranked, Ranker, best_rows, learn_ranker
from wikibot.ranking.topics import TopicReader, corpus_of, topic_count
from wikibot.ranking.wiki import Bools, Floats, Longs, Wiki

Tell = Callable[[str], None]
FIFTHS = 5
GROUPS = ("several targets", "anchor never seen", "the rest")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Each system's answers on the held-out pages, and what its speed was."""

    pages: int
    gold: int
    coverage: float
    answers: dict[str, Answers]
    seconds_per_page: dict[str, float]
    groups: dict[str, dict[str, float]]

    def as_json(self) -> dict[str, Any]:
        systems = {
            name: {**figures(answers), "seconds_per_page": self.seconds_per_page[name]}
            for name, answers in self.answers.items()
        }
        return {
            "pages": {"test": self.pages, "gold": self.gold},
            "coverage": round(self.coverage, 4),
            "systems": systems,
            "crtm_gain": self.crtm_gain(),
            "average_precision_by_group": self.groups,
        }

    def crtm_gain(self) -> dict[str, Any]:
        """How much better average precision is with CRTM than without, and the 95 % interval."""
        ours, theirs = (self.answers[name] for name in ("wikibot", "without_crtm"))
        gain = metrics.average_precision(ours) - metrics.average_precision(theirs)
        low, high = metrics.gain_interval(ours, theirs, metrics.average_precision)
        return {"ap": round(gain, 4), "interval": [round(low, 4), round(high, 4)]}

    @classmethod
    def together(cls, parts: Sequence[Evaluation]) -> Evaluation:
        """The evaluations of several parts of the pages as one, each weighing as it has links."""
        gold = np.array([part.gold for part in parts], dtype=float)
        first = parts[0]
        return cls(
            sum(part.pages for part in parts),
            sum(part.gold for part in parts),
            float(np.average([part.coverage for part in parts], weights=gold)),
            {
                name: Answers.joined([part.answers[name] for part in parts])
                for name in first.answers
            },
            {
                name: round(float(np.mean([part.seconds_per_page[name] for part in parts])), 5)
                for name in first.seconds_per_page
            },
            {name: _mean_of_group([part.groups[name] for part in parts]) for name in first.groups},
        )


def _mean_of_group(parts: Sequence[dict[str, float]]) -> dict[str, float]:
    links = [part["links"] for part in parts]
    weights = np.maximum(links, 1e-9)
    means = {
        name: round(float(np.average([part[name] for part in parts], weights=weights)), 4)
        for name in parts[0]
        if name != "links"
    }
    return {"links": sum(links), **means}


def figures(answers: Answers) -> dict[str, Any]:
    """The figures of one system, with 95 % intervals of the main one."""
    low, high = metrics.interval(answers, metrics.average_precision)
    found = {
        "ap": metrics.average_precision(answers),
        "ap_interval": [round(low, 4), round(high, 4)],
        "precision_at_0.5": metrics.precision_at(answers, 0.5),
        "recall_at_0.5": metrics.recall_at(answers, 0.5),
        "exact_precision_at_0.5": metrics.exact_share_at(answers, 0.5),
        "top3_precision": metrics.top_precision(answers),
        "recall_at_precision": {
            f"{least:g}": round(metrics.recall_at_precision(answers, least), 4)
            for least in metrics.PRECISIONS
        },
        "calibration_error": metrics.calibration_error(answers),
    }
    return {key: round(v, 4) if isinstance(v, float) else v for key, v in found.items()}


def fifth_of(title: str) -> int:
    """The fifth of the wiki that a page belongs to; those of fifth 0 are tested on."""
    return int(hashlib.sha1(title.encode()).hexdigest(), 16) % FIFTHS


def evaluate(
    wiki: Wiki,
    *,
    topics: int | None = None,
    in_turn: bool = False,
    tell: Tell = lambda _: None,
) -> Evaluation:
    """Protocol B on a wiki, or each fifth of its pages `in_turn`.

    Refuses a wiki with too few links to learn from and test on.
    """
    fifth = np.array([fifth_of(title) for title in wiki.titles])
    tested = range(FIFTHS if in_turn else 1)
    return Evaluation.together([_one_fifth(wiki, fifth == n, topics, tell) for n in tested])


def _one_fifth(wiki: Wiki, held_out: Bools, topics: int | None, tell: Tell) -> Evaluation:
    gold = _gold(wiki, held_out)
    known = wiki.linked_pairs()
    if gold.sum() < 5 or len(known) - gold.sum() < FEWEST_LINKS:
        raise BadInput(
            f"The wiki has {len(known)} links between its pages, too few to learn from some and "
            "test on others. Nothing was evaluated."
        )
    tell("Learning topics")
    reader = _topics(wiki, ~held_out, topics)
    tell("Learning from the other pages' links")
    studied = study(wiki, ~held_out, reader)
    plain = replace(studied, topics=None)
    rankers = [learn_ranker(lessons_from_links(one, ~held_out)) for one in (studied, plain)]
    tell("Finding the hidden links")
    return _tested(studied, plain, held_out, gold, *rankers)


def _topics(wiki: Wiki, known: Bools, topics: int | None) -> TopicReader:
    from crtm import CRTM

    corpus = corpus_of(wiki, known[wiki.links.page])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = CRTM(topics or topic_count(wiki.size), max_iter=12).fit(corpus)
    return TopicReader(model, wiki).learn_aptness(wiki, known)


def _gold(wiki: Wiki, held_out: Bools) -> Longs:
    """How many links there are to find on each page."""
    pairs = wiki.linked_pairs()
    page, target = pairs // wiki.size, pairs % wiki.size
    counted = held_out[page] & ~wiki.is_disambiguation[target]
    return np.bincount(page[counted], minlength=wiki.size)


def _tested(
    studied: Study, plain: Study, held_out: Bools, gold: Longs, judge: Ranker, plain_judge: Ranker
) -> Evaluation:
    wiki = studied.wiki
    begun = time.perf_counter()
    rows, features = candidates_of(studied, all_hidden(wiki), held_out)
    shared = time.perf_counter() - begun
    named, plain_features = candidates_of(plain, all_hidden(wiki), held_out)
    systems: dict[str, tuple[Candidates, Callable[[], Ranked]]] = {
        "wikibot": (rows, lambda: judge.rank(rows, features)),
        "without_crtm": (named, lambda: plain_judge.rank(named, plain_features)),
        "crtm": (rows, lambda: crtm_alone(rows, _scores(studied, rows))),
        "title_match": (named, lambda: title_match(wiki, named)),
        "tagme": (named, lambda: tagme(wiki, studied.knowledge, named)),
    }
    answers, seconds = {}, {}
    for name, (own, system) in systems.items():
        begun = time.perf_counter()
        ranked = system()
        taken = time.perf_counter() - begun + (shared if name == "wikibot" else 0)
        seconds[name] = round(taken / max(1, int(held_out.sum())), 5)
        answers[name] = answers_of(wiki, own, ranked, gold)
    covered = np.unique(rows.code[truth(wiki, rows)[0]])
    compared = {name: (systems[name][0], answers[name]) for name in ("wikibot", "without_crtm")}
    return Evaluation(
        int(held_out.sum()), int(gold.sum()), len(covered) / max(1, int(gold.sum())),
        answers, seconds, _by_group(wiki, rows, compared),
    )  # fmt: skip


def _scores(studied: Study, rows: Candidates) -> Floats:
    assert studied.topics is not None, "an evaluation always has topics"
    return studied.topics.scores(studied.wiki, rows)


def crtm_alone(rows: Candidates, scores: Floats) -> Ranked:
    """CRTM's own score of each candidate's words, and nothing else."""
    score = np.nan_to_num(scores, nan=-20.0)
    centred = np.asarray(expit(score - np.quantile(score, 0.9)), dtype=np.float32)
    chosen = best_rows(rows.code, centred)
    return Ranked(chosen, centred[chosen], centred)


def answers_of(wiki: Wiki, rows: Candidates, ranked: Ranked, gold: Longs) -> Answers:
    """What of the ranking is right; targets linked only where none may be proposed do not count."""
    is_linked, is_place = truth(wiki, rows)
    row, score = ranked.row, ranked.probability
    counts = ~only_elsewhere(wiki, rows)[row] & (score > 0)
    row, score = row[counts], score[counts]
    return Answers(rows.page[row], score, is_linked[row], is_place[row], gold)


def _by_group(
    wiki: Wiki, rows: Candidates, compared: dict[str, tuple[Candidates, Answers]]
) -> dict[str, dict[str, float]]:
    """Average precision apart: several possible targets, anchors never seen, and the rest.

    All that a system was asked about is among the `rows`, which say what belongs to which group.
    """
    codes, first = np.unique(rows.code, return_index=True)
    kinds = _kinds(rows)[first]
    counted = ~only_elsewhere(wiki, rows)[first]
    is_right = truth(wiki, rows)[0][first] & counted
    found: dict[str, dict[str, float]] = {}
    for number, group in enumerate(GROUPS):
        gold = np.bincount(rows.page[first][is_right & (kinds == number)], minlength=wiki.size)
        found[group] = {"links": int(gold.sum())}
        for name, (own, answers) in compared.items():
            place = np.searchsorted(codes, np.unique(own.code))
            part = answers.where((kinds[place] == number)[counted[place]], gold)
            found[group][name] = round(metrics.average_precision(part), 4)
    return found


def _kinds(rows: Candidates) -> Longs:
    """Which group each candidate's (page, target) belongs to, the same for all its mentions."""
    from wikibot.ranking.surface import spans_of

    spans = spans_of(rows)
    several = np.bincount(spans)[spans] > 1
    seen = rows.pair_links > 0
    codes, place = np.unique(rows.code, return_inverse=True)
    any_seen, all_several = np.zeros(len(codes), dtype=bool), np.ones(len(codes), dtype=bool)
    np.logical_or.at(any_seen, place, seen)
    np.logical_and.at(all_several, place, several)
    kind = np.where(all_several, 0, np.where(any_seen, 2, 1))
    return np.asarray(kind[place], dtype=np.int64)


def draw(evaluation: Evaluation, path: Path) -> None:
    """A picture of precision and recall, and of calibration, is in the file."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.5))
    for name, answers in evaluation.answers.items():
        recall, precision = _curve(answers)
        left.plot(recall, precision, label=name)
    left.set(
        xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.02), title="Held-out links"
    )
    left.legend()
    bins = metrics.calibration_bins(evaluation.answers["wikibot"])
    right.plot([0, 1], [0, 1], color="grey", linewidth=0.8)
    right.plot([mean for mean, _, _ in bins], [share for _, share, _ in bins], marker="o")
    right.set(xlabel="probability", ylabel="share of right links", xlim=(0, 1), ylim=(0, 1.02), title="Calibration")  # fmt: skip
    figure.tight_layout()
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise BadInput(f"The picture {path} could not be written: {error}") from error
    finally:
        pyplot.close(figure)


def _curve(answers: Answers) -> tuple[Floats, Floats]:
    order = np.argsort(-answers.score, kind="stable")
    found = np.cumsum(answers.is_right[order]).astype(np.float32)
    count = np.arange(1, len(found) + 1, dtype=np.float32)
    return found / np.float32(max(1, answers.gold.sum())), found / count
