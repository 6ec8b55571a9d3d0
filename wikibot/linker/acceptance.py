"""What reviewers accept: the number that a proposal shows.

Links say what editors once made. On a page that has links, what is left was often left on purpose,
and the ranker's order says little about what a reviewer accepts there; how often other pages link the
name, and whether it is a title, say much. So on pages with links the number comes from such facts,
weighted as readers on several wikis judged proposals (`benchmarks/acceptance.py`); on pages without
links it is the ranker's own. Decisions of this wiki's reviewers correct both, where they are shown to
predict decisions on held-back pages better.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from wikibot.linker.calibration import Line, expit, fit_line, log_odds
from wikibot.linker.page import Bools, Floats, Longs

# What readers' verdicts weigh; then what only the decisions of a wiki's own reviewers do.
READ_FACTS = (
    "is_name", "share_to_target", "links_to_target", "mention", "is_italic", "is_longer", "list_link",
    "text_similarity",
)  # fmt: skip
FACTS = (*READ_FACTS, "is_lower", "is_listed", "box_link")
MOST_MENTIONS = 3  # beyond which more say the same
# An offset, the weight of the ranker's log-odds, and those of the facts.
AS_RANKED: Line = (0.0, 1.0, *(0.0 for _ in FACTS))
AS_READ: Line = (
    0.87, 0.11, 1.33, 0.39, -0.18, -0.19, -2.02, -0.44, -0.99, 0.67, 0.0, 0.0, 0.0,
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


def facts(columns: Any) -> Floats:
    """(rows, FACTS) of features that can be asked for by name."""
    # Nobody links a new page yet, so that its mentions without a link say nothing.
    share = np.where(columns["popularity"] > 0, log_odds(columns["share_to_target"]), 0)
    known = {
        "is_name": (columns["is_title"] > 0) | (columns["is_redirect"] > 0),
        "share_to_target": share,
        "links_to_target": columns["links_to_target"],
        "mention": np.minimum(columns["mention"], MOST_MENTIONS),
        "is_italic": columns["italic_around"] > 0,
        "is_longer": (columns["longer_by"] > 0) | (columns["longer_at_end"] > 0),
        "text_similarity": columns["text_similarity"],
    }
    found = [known[name] if name in known else columns[name] > 0 for name in FACTS]
    return np.stack(found, axis=1).astype(np.float32)


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
