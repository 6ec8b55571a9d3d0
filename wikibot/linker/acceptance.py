"""What reviewers accept: their decisions correct the number that a proposal shows.

Links say what editors once made; decisions say what people want on pages as they are. A line over the
log-odds and a few facts of the mention, held near "as it is" by a prior, is learned from decisions. It
is used only if it predicts decisions on pages that were held back better than the ranker alone.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from wikibot.linker.calibration import Line, expit, fit_line, log_odds
from wikibot.linker.page import Bools, Floats, Longs

FACTS = ("is_lower", "is_similar", "is_listed", "is_quoted", "box_link", "list_link")
PRIOR_PRECISION = 4.0  # of each weight: a few decisions move it little
HELD_BACK = 5  # one page in so many, each in its turn
FEWEST_DECISIONS = 20


@dataclass(frozen=True, slots=True)
class AcceptanceCheck:
    """How well decisions on held-back pages are predicted, without and with what other decisions taught.

    The losses are mean log losses; `expected` and `accepted` are means over all decisions.
    """

    decisions: int
    expected: float
    accepted: float
    loss_without: float
    loss_with: float
    is_used: bool

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def facts(columns: Any) -> Floats:
    """(rows, FACTS) of features that can be asked for by name."""
    quoted = columns["quote_around"] >= 0
    found = [quoted if name == "is_quoted" else columns[name] > 0 for name in FACTS]
    return np.stack(found, axis=1).astype(np.float32)


def accepted(line: Line, chance: Floats, known: Floats) -> Floats:
    """The expected acceptance of proposals of these chances."""
    value = line[0] + line[1] * log_odds(chance) + known @ np.array(line[2:])
    return np.asarray(expit(value), dtype=np.float32)


def learn_acceptance(
    page: Longs, chance: Floats, known: Floats, is_accepted: Bools
) -> tuple[Line, AcceptanceCheck | None]:
    """The line that decisions teach, empty where they are few or teach nothing; and the check of it.

    `chance` is what models say that had seen neither the page nor its decisions.
    """
    if len(page) < FEWEST_DECISIONS:
        return (), None
    told = np.zeros(len(page), dtype=np.float32)
    fold = page % HELD_BACK
    for number in np.unique(fold).tolist():
        others, held = fold != number, fold == number
        line = _fit(chance[others], known[others], is_accepted[others])
        told[held] = accepted(line, chance[held], known[held])
    without, with_ = _loss(chance, is_accepted), _loss(told, is_accepted)
    check = AcceptanceCheck(
        len(page), round(float(chance.mean()), 4), round(float(is_accepted.mean()), 4),
        round(without, 4), round(with_, 4), with_ < without,
    )  # fmt: skip
    return (_fit(chance, known, is_accepted) if check.is_used else ()), check


def _fit(chance: Floats, known: Floats, is_accepted: Bools) -> Line:
    as_it_is = np.zeros(2 + known.shape[1])
    as_it_is[1] = 1
    evidence = np.concatenate([log_odds(chance)[:, None], known], axis=1)
    return fit_line(evidence, is_accepted, np.ones_like(chance), as_it_is, PRIOR_PRECISION)


def _loss(chance: Floats, is_accepted: Bools) -> float:
    likely = np.clip(np.where(is_accepted, chance, 1 - chance), 1e-4, 1)
    return float(-np.log(likely).mean())
