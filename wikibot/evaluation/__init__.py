"""`wikibot evaluate`: held-out figures for this very wiki (protocol B), beside what others do.

A fifth of the pages, chosen by a hash of their titles, loses its links to other pages of the wiki;
their text stays. Everything is learned from the other pages, and the links are to be found again. A
small wiki has few links on a fifth of its pages: there each fifth in turn gives surer figures. Beside
the ranker stands the queue: what is left after policy and limits, which is what people get, on pages
without links and on pages with 85 % of their links.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wikibot.dataset import Dataset
from wikibot.errors import BadInput
from wikibot.evaluation import metrics
from wikibot.evaluation.baselines import crtm_alone, tagme, title_match
from wikibot.evaluation.metrics import Answers
from wikibot.linker.counts import link_targets
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.page import Bools, Floats, Longs, Page
from wikibot.linker.policy import Policy
from wikibot.linker.ranker import FEWEST_LINKS, best_rows
from wikibot.linker.score import Scored, score_candidates
from wikibot.linker.topics import TopicTables, fit_topics, topic_count
from wikibot.linker.training import gold_targets, learn_knowledge, learn_ranker, some_hidden, truth
from wikibot.message import message
from wikibot.steps import Step, Tell, silent, told

if TYPE_CHECKING:
    from crtm import CRTM

FIFTHS = 5
HIDDEN_SHARE = 0.15  # of the links of pages that keep the others
LEAST_PROBABILITY = 0.5  # at which precision and recall are reported
LEAST_LINKED_PROBABILITY = 0.8  # what the queue asks for on pages with links, by default
GROUPS = ("several targets", "anchor never seen", "the rest")
SYSTEMS = ("wikibot", "without_crtm", "crtm", "title_match", "tagme", "queue")


@dataclass(slots=True)
class Collected:
    """A system's answers, page by page."""

    page: list[Longs] = field(default_factory=list)
    score: list[Floats] = field(default_factory=list)
    is_right: list[Bools] = field(default_factory=list)
    is_exact: list[Bools] = field(default_factory=list)
    kind: list[Longs] = field(default_factory=list)
    is_lower: list[Bools] = field(default_factory=list)
    seconds: float = 0.0

    def answers(self, gold: Longs) -> Answers:
        """All answers, with how many links there were to find on each page."""
        return Answers(
            np.concatenate([np.zeros(0, dtype=np.int64), *self.page]),
            np.concatenate([np.zeros(0, dtype=np.float32), *self.score]),
            np.concatenate([np.zeros(0, dtype=bool), *self.is_right]),
            np.concatenate([np.zeros(0, dtype=bool), *self.is_exact]),
            gold,
        )


@dataclass(slots=True)
class Tested:
    """What all systems found on some pages."""

    gold: Longs
    found: dict[str, Collected]
    refused: dict[str, list[int]] = field(default_factory=dict)
    covered: int = 0
    pages: int = 0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The pages without links, and the same with most of them."""

    bare: Tested
    linked: Tested

    def as_json(self) -> dict[str, Any]:
        gold = int(self.bare.gold.sum())
        systems = {name: _figures_of(self.bare, name) for name in SYSTEMS}
        for name in ("wikibot", "queue"):
            systems[name]["with_85_percent_of_links"] = _figures_of(self.linked, name)
        return {
            "pages": {"test": self.bare.pages, "gold": gold},
            "coverage": round(self.bare.covered / max(1, gold), 4),
            "systems": systems,
            "crtm_gain": self.crtm_gain(),
            "average_precision_by_group": _by_group(self.bare),
        }

    def answers(self, name: str) -> Answers:
        """A system's answers on pages without links."""
        return self.bare.found[name].answers(self.bare.gold)

    def crtm_gain(self) -> dict[str, Any]:
        """How much better average precision is with CRTM than without, and the 95 % interval."""
        ours, theirs = self.answers("wikibot"), self.answers("without_crtm")
        gain = metrics.average_precision(ours) - metrics.average_precision(theirs)
        low, high = metrics.gain_interval(ours, theirs, metrics.average_precision)
        return {"ap": round(gain, 4), "interval": [round(low, 4), round(high, 4)]}


def _figures_of(tested: Tested, name: str) -> dict[str, Any]:
    collected = tested.found[name]
    found = figures(collected.answers(tested.gold))
    found["seconds_per_page"] = round(collected.seconds / max(1, tested.pages), 5)
    if name == "queue":
        found["proposals_per_page"] = round(sum(map(len, collected.page)) / max(1, tested.pages), 3)
        found["refused_by"] = {
            rule: {"refused": n, "right": right}
            for rule, (n, right) in sorted(tested.refused.items())
        }
    return found


def figures(answers: Answers) -> dict[str, Any]:
    """The figures of one system, with the 95 % interval of the main one."""
    low, high = metrics.interval(answers, metrics.average_precision)
    found = {
        "ap": metrics.average_precision(answers),
        "ap_interval": [round(low, 4), round(high, 4)],
        "precision_at_0.5": metrics.precision_at(answers, LEAST_PROBABILITY),
        "recall_at_0.5": metrics.recall_at(answers, LEAST_PROBABILITY),
        "exact_precision_at_0.5": metrics.exact_share_at(answers, LEAST_PROBABILITY),
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
    dataset: Dataset,
    *,
    topics: int | None = None,
    in_turn: bool = False,
    tell: Tell = silent,
) -> Evaluation:
    """Protocol B on a wiki, or each fifth of its pages `in_turn`.

    Refuses a wiki with too few links to learn from and test on.
    """
    fifth = np.array([fifth_of(page.title) for page in dataset.pages])
    tests = [
        _Test(dataset, fifth == n, topics, _of_fold(tell, n) if in_turn else tell)
        for n in range(FIFTHS if in_turn else 1)
    ]
    found = [test.run() for test in tests]
    return Evaluation(
        _together([one.bare for one in found]), _together([one.linked for one in found])
    )


def _of_fold(tell: Tell, number: int) -> Tell:
    """Tells the same steps with the number of the fifth that is held out."""
    return lambda step: tell(replace(step, name=f"Fold {number + 1}/{FIFTHS}: {step.name}"))


def _together(parts: Sequence[Tested]) -> Tested:
    """What was found on several parts of the pages as one."""
    whole = Tested(np.sum([part.gold for part in parts], axis=0), {name: Collected() for name in SYSTEMS})  # fmt: skip
    for part in parts:
        whole.covered += part.covered
        whole.pages += part.pages
        for rule, (n, right) in part.refused.items():
            count = whole.refused.setdefault(rule, [0, 0])
            whole.refused[rule] = [count[0] + n, count[1] + right]
        for name, collected in part.found.items():
            for column in ("page", "score", "is_right", "is_exact", "kind", "is_lower"):
                getattr(whole.found[name], column).extend(getattr(collected, column))
            whole.found[name].seconds += collected.seconds
    return whole


class _Test:
    """One part of the pages held out: everything is learned from the others."""

    def __init__(self, dataset: Dataset, held_out: Bools, topics: int | None, tell: Tell) -> None:
        self.pages, self.held_out = dataset.pages, held_out
        tell(Step(message("step-learning-topics"), compiles=True))
        self.model = self._topics(topics)
        tables = TopicTables.of(self.model, self.pages)
        language = dataset.rules.language
        self.knowledge, parts = learn_knowledge(
            self.pages, dataset.redirects, known=~held_out, topics=tables, language=language,
            tell=tell,
        )  # fmt: skip
        self._check()
        self.plain = replace(self.knowledge, topics=None)
        self.ranker = learn_ranker(self.pages, self.knowledge, parts, tell=tell)
        self.plain_ranker = learn_ranker(self.pages, self.plain, parts, tell=tell)
        self.tell = tell

    def _topics(self, topics: int | None) -> CRTM:
        shown = (
            page.hide() if hidden else page
            for page, hidden in zip(self.pages, self.held_out.tolist(), strict=True)
        )
        return fit_topics(shown, topics or topic_count(len(self.pages)))

    def _check(self) -> None:
        known = int(self.knowledge.counts.target_links.sum())
        gold = sum(len(self._gold(number)) for number in self._numbers())
        if gold < 5 or known < FEWEST_LINKS:
            raise BadInput(
                f"The wiki has {known + gold} links between its pages, too few to learn from some "
                "and test on others. Nothing was evaluated."
            )

    def _numbers(self) -> list[int]:
        return [int(number) for number in np.flatnonzero(self.held_out)]

    def _gold(self, number: int) -> Longs:
        return gold_targets(self.pages[number], number, self.knowledge)

    def run(self) -> Evaluation:
        """Find the links on bare pages by all systems, and on linked ones by ours."""
        bare, linked = (Tested(np.zeros(len(self.pages), dtype=np.int64), {n: Collected() for n in SYSTEMS}) for _ in range(2))  # fmt: skip
        numbers = self._numbers()
        for number in told(numbers, message("step-finding-hidden"), len(numbers), self.tell):
            page = self.pages[number]
            inside = link_targets(page, self.knowledge.titles) >= 0
            self._test(page, page.hide(inside), number, bare, others=True)
            some = some_hidden(page, self.knowledge, HIDDEN_SHARE)
            self._test(page, page.hide(some), number, linked, others=False)
        return Evaluation(bare, linked)

    def _test(self, page: Page, shown: Page, number: int, tested: Tested, *, others: bool) -> None:
        policy = Policy(LEAST_PROBABILITY, LEAST_LINKED_PROBABILITY)
        begun = time.perf_counter()
        scored = score_candidates(shown, self.knowledge, self.ranker, policy)
        taken = time.perf_counter() - begun
        standing = link_targets(shown, self.knowledge.titles)
        gold = np.setdiff1d(self._gold(number), standing)
        tested.gold[number] = len(gold)
        tested.pages += 1
        case = _Case(page, number, scored, self.knowledge)
        tested.covered += len(np.intersect1d(gold, scored.rows.target))
        best = best_rows(scored.rows.group, scored.ranked.place)
        case.add(tested.found["wikibot"], best, scored.ranked.probability, taken)
        self._queue(case, tested, taken)
        if others:
            self._others(case, shown, number, tested)

    def _queue(self, case: _Case, tested: Tested, taken: float) -> None:
        """What people get: all that is not refused; of the rest, which rule refused what was right."""
        scored = case.scored
        kept = np.array([not why for why in scored.refused], dtype=bool)
        score = np.where(kept, scored.ranked.acceptance, 0)
        case.add(tested.found["queue"], scored.row, score, taken)
        likely = scored.ranked.probability >= LEAST_PROBABILITY
        for group in np.flatnonzero(likely & ~kept & case.counts(scored.row)).tolist():
            count = tested.refused.setdefault(scored.refused[group], [0, 0])
            right = int(case.is_linked[scored.row[group]])
            tested.refused[scored.refused[group]] = [count[0] + 1, count[1] + right]

    def _others(self, case: _Case, shown: Page, number: int, tested: Tested) -> None:
        policy = Policy(min_probability=LEAST_PROBABILITY)
        begun = time.perf_counter()
        plain = score_candidates(shown, self.plain, self.plain_ranker, policy)
        best = best_rows(plain.rows.group, plain.ranked.place)
        other = _Case(case.page, number, plain, self.knowledge)
        other.add(tested.found["without_crtm"], best, plain.ranked.probability, time.perf_counter() - begun)  # fmt: skip
        rows = case.scored.rows
        if not len(rows):
            return
        systems: dict[str, Callable[[], Floats]] = {
            "crtm": lambda: crtm_alone(shown, rows, self.knowledge, self.model),
            "title_match": lambda: title_match(rows, self.knowledge),
            "tagme": lambda: tagme(rows, self.knowledge),
        }
        for name, system in systems.items():
            begun = time.perf_counter()
            score = system()
            best = best_rows(rows.group, score)
            case.add(tested.found[name], best, score[best], time.perf_counter() - begun)


class _Case:
    """One page with its truth."""

    def __init__(self, page: Page, number: int, scored: Scored, knowledge: Knowledge) -> None:
        self.page, self.number, self.scored = page, number, scored
        rows = scored.rows
        self.is_linked, self.is_place = truth(page, number, rows, knowledge)
        known = knowledge.titles.number
        boxed = np.array([known.get(title, -1) for title in page.other_links], dtype=np.int64)
        self.only_boxed = np.isin(rows.target, boxed) & ~self.is_linked

    def counts(self, row: Longs) -> Bools:
        """Targets that the page links only where none may be proposed count neither way."""
        return np.asarray(~self.only_boxed[row])

    def add(self, collected: Collected, row: Longs, score: Floats, seconds: float) -> None:
        """Add a system's answers: a candidate and a score for each target."""
        collected.seconds += seconds
        keep = self.counts(row) & (score > 0) if len(row) else np.zeros(0, dtype=bool)
        row, score = row[keep], score[keep]
        collected.page.append(np.full(len(row), self.number, dtype=np.int64))
        collected.score.append(np.asarray(score, dtype=np.float32))
        collected.is_right.append(self.is_linked[row])
        collected.is_exact.append(self.is_place[row])
        collected.kind.append(_kinds(self.scored)[self.scored.rows.group[row]])
        features = self.scored.features
        collected.is_lower.append(
            features["is_lower"][row] > 0 if len(row) else np.zeros(0, dtype=bool)
        )


def _kinds(scored: Scored) -> Longs:
    """Which group of GROUPS each target belongs to."""
    rows = scored.rows
    size = int(rows.group.max(initial=-1)) + 1
    several = np.bincount(rows.span)[rows.span] > 1 if len(rows) else np.zeros(0, dtype=bool)
    any_seen, all_several = np.zeros(size, dtype=bool), np.ones(size, dtype=bool)
    np.logical_or.at(any_seen, rows.group, rows.pair_links > 0)
    np.logical_and.at(all_several, rows.group, several)
    return np.where(all_several, 0, np.where(any_seen, 2, 1))


def _by_group(tested: Tested) -> dict[str, dict[str, float]]:
    """Average precision apart: several possible targets, anchors never seen, the rest, small letters."""
    found: dict[str, dict[str, float]] = {}
    chosen: dict[str, Callable[[Collected], Bools]] = {
        group: (lambda c, n=number: np.concatenate([*c.kind, []]) == n) for number, group in enumerate(GROUPS)  # type: ignore[misc]
    }  # fmt: skip
    chosen["small letters"] = lambda c: np.concatenate([*c.is_lower, []]).astype(bool)
    for group, which in chosen.items():
        ours = tested.found["wikibot"]
        right = ours.answers(tested.gold).is_right & which(ours)
        pages = ours.answers(tested.gold).page[right]
        gold = np.bincount(pages, minlength=len(tested.gold))
        found[group] = {"links": int(gold.sum())}
        for name in ("wikibot", "without_crtm"):
            part = tested.found[name].answers(tested.gold).where(which(tested.found[name]), gold)
            found[group][name] = round(metrics.average_precision(part), 4)
    return found


def draw(evaluation: Evaluation, path: Path) -> None:
    """Write a picture of precision and recall, and of calibration."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.5))
    for name in SYSTEMS:
        recall, precision = _curve(evaluation.answers(name))
        left.plot(recall, precision, label=name)
    left.set(
        xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.02), title="Held-out links"
    )
    left.legend()
    bins = metrics.calibration_bins(evaluation.answers("wikibot"))
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
