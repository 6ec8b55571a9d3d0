"""What readers' verdicts teach about proposals on pages with links: `python benchmarks/acceptance.py`.

Each file of `benchmarks/verdicts/` holds proposals of one wiki that were read blind, with what was known
of each: the ranker's number and the facts of `wikibot.linker.acceptance`. Prints as JSON the line that
all wikis teach, which `AS_READ` repeats, and for each wiki how well the line of the *other* wikis
predicts its verdicts, beside the ranker's number.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wikibot.linker.acceptance import FACTS, READ_FACTS, accepted
from wikibot.linker.calibration import Line, fit_line, log_odds

FOLDER = Path(__file__).resolve().parent / "verdicts"
PRECISION = 3.0  # of the prior of each weight, which is 0
DECIMALS = 2
OTHERS = len(FACTS) - len(READ_FACTS)


class Verdicts(NamedTuple):
    """What was known of proposals, and which were accepted as they stood, a row for each reader."""

    chance: Any
    facts: Any
    is_accepted: Any


def read_verdicts(path: Path) -> Verdicts:
    """The verdicts of one wiki, of proposals on pages with links."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    said = [(row, verdict) for row in rows if row["has_links"] for verdict in row["verdicts"]]
    return Verdicts(
        np.array([row["chance"] for row, _ in said], dtype=np.float32),
        np.array(
            [[row["facts"][name] for name in READ_FACTS] for row, _ in said], dtype=np.float32
        ),
        np.array([verdict == "yes" for _, verdict in said]),
    )


def learn(parts: list[Verdicts]) -> Line:
    """The line that verdicts of some wikis teach, each wiki counting the same."""
    chance, facts, is_accepted = (np.concatenate(column) for column in zip(*parts, strict=True))
    mean = len(chance) / len(parts)
    weight = np.concatenate([np.full(len(part.chance), mean / len(part.chance)) for part in parts])
    evidence = np.concatenate([log_odds(chance)[:, None], facts], axis=1)
    start = np.zeros(evidence.shape[1] + 1)
    line = fit_line(evidence, is_accepted, weight, start, PRECISION, slope=0)
    return (*(round(value, DECIMALS) for value in line), *(0.0 for _ in range(OTHERS)))


def expected(line: Line, part: Verdicts) -> Any:
    """What the line says of the proposals; facts that verdicts do not weigh are left out."""
    return accepted(line[: 2 + len(READ_FACTS)], part.chance, part.facts)


def area(score: Any, is_accepted: Any) -> float:
    """The chance that an accepted proposal scores above a refused one."""
    yes, no = score[is_accepted], score[~is_accepted]
    wins = (yes[:, None] > no).mean() + 0.5 * (yes[:, None] == no).mean()
    return round(float(wins), 3)


def loss(chance: Any, is_accepted: Any) -> float:
    """The mean log loss."""
    likely = np.clip(np.where(is_accepted, chance, 1 - chance), 1e-4, 1)
    return round(float(-np.log(likely).mean()), 3)


def report(folder: Path = FOLDER) -> dict[str, Any]:
    """The line of all wikis, and each wiki judged by the line of the others."""
    parts = {path.stem: read_verdicts(path) for path in sorted(folder.glob("*.jsonl"))}
    wikis = {}
    for name, part in parts.items():
        line = learn([other for wiki, other in parts.items() if wiki != name])
        told = expected(line, part)
        sure = told >= 0.8
        wikis[name] = {
            "read": len(told),
            "accepted": round(float(part.is_accepted.mean()), 3),
            "area_of_ranker": area(part.chance, part.is_accepted),
            "area_of_line": area(told, part.is_accepted),
            "loss_of_ranker": loss(part.chance, part.is_accepted),
            "loss_of_line": loss(told, part.is_accepted),
            "at_0.8": {"proposals": int(sure.sum()), "accepted": round(float(part.is_accepted[sure].mean()), 3)},
        }  # fmt: skip
    return {"names": ["offset", "log_odds", *FACTS], "line": learn(list(parts.values())), "wikis": wikis}  # fmt: skip


if __name__ == "__main__":
    sys.stdout.write(json.dumps(report(), indent=2) + "\n")
