"""What reviewers accept: the number that a proposal shows.

Links say what editors once made. On a page that has links, what is left was often left on purpose,
and the ranker's order says little about what a reviewer accepts there; how often other pages link the
name, whether it is a title or only a part of a longer one, and whether the sentence is about the
target's subject say much. So on pages with links the number comes from such facts, weighted as readers
on several wikis judged proposals (`benchmarks/acceptance.py`); on pages without links it is the
ranker's own. Decisions of this wiki's reviewers correct both, where they are shown to
predict decisions on held-back pages better.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from wikibot.linker.calibration import Line, expit, fit_line, log_odds
from wikibot.linker.features import Features
from wikibot.linker.features.topics import PREFIX
from wikibot.linker.page import Bools, Floats, Longs

# What readers' verdicts weigh; then what only the decisions of a wiki's own reviewers do.
READ_FACTS = (
    "is_name", "share_to_target", "mention", "in_longer_title", "capital_neighbour", "unusual_lower_case",
    "list_link", "context_similarity",
)  # fmt: skip
FACTS = (*READ_FACTS, "is_lower", "is_listed", "box_link")
MOST_MENTIONS = 3  # beyond which more say the same
LEAST_SHARE = 0.01  # below which a name is linked as good as never
NEW_PAGE_MENTIONS = 10  # of a page that nobody links, which halve what is believed of its share
CONTEXT_TARGET = PREFIX + "context_target"
CAPITAL_BESIDE = (
    3  # of `upper_before` and `upper_after`: a capital with nothing but a space between
)
# An offset, the weight of the ranker's log-odds, and those of the facts.
AS_RANKED: Line = (0.0, 1.0, *(0.0 for _ in FACTS))
AS_READ: Line = (
    0.48, 0.17, 1.03, 0.35, -0.16, -1.95, -1.27, -0.47, -1.29, 0.98, 0.0, 0.0, 0.0,
)  # fmt: skip
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


def prior(has_links: bool) -> Line:
    """The line that is used until reviewers of this wiki have decided."""
    return AS_READ if has_links else AS_RANKED


def facts(columns: Features) -> Floats:
    """(rows, FACTS) of features; without topics nothing is known of the similarity of contexts."""
    beside = [columns[name] == CAPITAL_BESIDE for name in ("upper_before", "upper_after")]
    known = {
        "is_name": (columns["is_title"] > 0) | (columns["is_redirect"] > 0),
        "share_to_target": log_odds(_share(columns)),
        "mention": np.minimum(columns["mention"], MOST_MENTIONS),
        "in_longer_title": (columns["italic_around"] > 0) | (columns["quote_around"] > 0),
        "capital_neighbour": (columns["starts_upper"] > 0) & (beside[0] | beside[1]),
        "unusual_lower_case": columns["is_lower"] * np.maximum(2 * columns["target_upper"] - 1, 0),
        "context_similarity": _context_similarity(columns),
    }
    found = [known[name] if name in known else columns[name] > 0 for name in FACTS]
    return np.stack(found, axis=1).astype(np.float32)


def _share(columns: Features) -> Floats:
    """The share of mentions that are linked.

    Nobody links a new page yet, so that few mentions of it without a link say nothing; many say that
    its title is an everyday word.
    """
    share = np.clip(columns["share_to_target"], LEAST_SHARE, 1 - LEAST_SHARE)
    mentions = np.expm1(columns["mentioned"])
    new = 0.5 * NEW_PAGE_MENTIONS / (mentions + NEW_PAGE_MENTIONS)
    return np.where(columns["popularity"] > 0, share, new)


def _context_similarity(columns: Features) -> Floats:
    """How alike the mention's sentence and the target are, by CRTM's vectors."""
    if CONTEXT_TARGET in columns.names:
        return columns[CONTEXT_TARGET]
    return np.zeros(len(columns.values), dtype=np.float32)


def accepted(line: Line, chance: Floats, known: Floats) -> Floats:
    """The expected acceptance of proposals of these chances."""
    if line == AS_RANKED:
        return chance
    value = line[0] + line[1] * log_odds(chance) + known @ np.array(line[2:])
    return np.asarray(expit(value), dtype=np.float32)


def learn_acceptance(
    page: Longs, chance: Floats, known: Floats, is_accepted: Bools, before: Line
) -> tuple[Line, AcceptanceCheck | None]:
    """The line that decisions teach, starting from the line `before`, and the check of it.

    `chance` is what models say that had seen neither the page nor its decisions. Few decisions, and
    such as teach nothing, leave the line as it was.
    """
    if len(page) < FEWEST_DECISIONS:
        return before, None
    expected = accepted(before, chance, known)
    told = np.zeros(len(page), dtype=np.float32)
    fold = page % HELD_BACK
    for number in np.unique(fold).tolist():
        others, held = fold != number, fold == number
        line = _fit(chance[others], known[others], is_accepted[others], before)
        told[held] = accepted(line, chance[held], known[held])
    without, with_ = _loss(expected, is_accepted), _loss(told, is_accepted)
    check = AcceptanceCheck(
        len(page), round(float(expected.mean()), 4), round(float(is_accepted.mean()), 4),
        round(without, 4), round(with_, 4), with_ < without,
    )  # fmt: skip
    return (_fit(chance, known, is_accepted, before) if check.is_used else before), check


def _fit(chance: Floats, known: Floats, is_accepted: Bools, before: Line) -> Line:
    evidence = np.concatenate([log_odds(chance)[:, None], known], axis=1)
    start = np.array(before)
    return fit_line(evidence, is_accepted, np.ones_like(chance), start, PRIOR_PRECISION, slope=0)


def _loss(chance: Floats, is_accepted: Bools) -> float:
    likely = np.clip(np.where(is_accepted, chance, 1 - chance), 1e-4, 1)
    return float(-np.log(likely).mean())
