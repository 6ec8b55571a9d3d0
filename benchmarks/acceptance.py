"""What readers' verdicts teach about proposals on pages with links.

    python benchmarks/acceptance.py                        # print the weights, as JSON
    python benchmarks/acceptance.py --refresh WIKI DB      # describe a wiki's proposals anew

Each file of `benchmarks/verdicts/` holds proposals of one wiki that were read blind, with what was known
of each: the ranker's number and the facts of `wikibot.linker.acceptance`. The report has the line that
all wikis teach, which `AS_READ` repeats, and for each wiki how well the line of the *other* wikis
predicts its verdicts, beside the ranker's number. `--refresh` reads the facts from the models of a
database; what the policy refuses, or what is not a candidate any more, is marked in `refused_by` and not
learned from.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wikibot.dataset import load_dataset
from wikibot.linker.acceptance import FACTS, READ_FACTS, accepted, facts
from wikibot.linker.calibration import Line, fit_line, log_odds
from wikibot.linker.policy import Policy
from wikibot.linker.ranker import NO_LINKS, state_of
from wikibot.linker.score import Scored, score_candidates
from wikibot.models import open_models
from wikibot.store import open_store

FOLDER = Path(__file__).resolve().parent / "verdicts"
PRECISION = 3.0  # of the prior of each weight, which is 0
DECIMALS = 2
NO_CANDIDATE = "no-candidate"
OTHERS = len(FACTS) - len(READ_FACTS)


class Verdicts(NamedTuple):
    """What was known of proposals, and which were accepted as they stood, a row for each reader."""

    chance: Any
    facts: Any
    is_accepted: Any


def read_verdicts(path: Path) -> Verdicts:
    """The verdicts of one wiki, of proposals on pages with links."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    wanted = [row for row in rows if row["has_links"] and not row["refused_by"]]
    said = [(row, verdict) for row in wanted for verdict in row["verdicts"]]
    return Verdicts(
        np.array([row["chance"] for row, _ in said], dtype=np.float32),
        np.array(
            [[row["facts"][name] for name in READ_FACTS] for row, _ in said], dtype=np.float32
        ),
        np.array([verdict == "yes" for _, verdict in said]),
    )


def learn(parts: list[Verdicts]) -> Line:
    """The line that verdicts of some wikis teach, each wiki counting the same."""
    chance, known, is_accepted = (np.concatenate(column) for column in zip(*parts, strict=True))
    mean = len(chance) / len(parts)
    weight = np.concatenate([np.full(len(part.chance), mean / len(part.chance)) for part in parts])
    evidence = np.concatenate([log_odds(chance)[:, None], known], axis=1)
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


def refresh(path: Path, database: str) -> None:
    """Describe the proposals of a file by the models of a database, and write the file anew."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    with open_store(database) as store:
        dataset = load_dataset(store)
        models = open_models(store, dataset.wiki.id)
        numbers = {row.title: number for number, row in enumerate(dataset.rows)}
        for row in rows:
            page = dataset.pages[numbers[row["page"]]]
            scored = score_candidates(page, models.knowledge, models.ranker, Policy())
            row["has_links"] = state_of(page, models.knowledge) != NO_LINKS
            target = models.knowledge.titles.number.get(row["target"], -1)
            row.update(described(scored, target, row["words"]))
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8")


def described(scored: Scored, target: int, words: str) -> dict[str, Any]:
    """What is known of a link to the target on these words."""
    rows = scored.rows
    spans = zip(rows.first.tolist(), rows.length.tolist(), strict=True)
    same = np.array([scored.page.written(*span).casefold() == words.casefold() for span in spans])
    found = np.flatnonzero((rows.target == target) & same) if len(rows) else rows.first
    if not len(found):
        return {"facts": {}, "refused_by": NO_CANDIDATE}
    group = int(rows.group[found[0]])
    chosen = int(scored.row[group])
    row = chosen if chosen in found else int(found[0])
    values = facts(scored.features.where(np.array([row])))[0].tolist()
    return {
        "chance": round(float(scored.ranked.probability[group]), 4),
        "facts": {name: round(value, 3) for name, value in zip(FACTS, values, strict=True)},
        "refused_by": scored.broken[row],
    }


def main() -> None:
    """Print the report, or refresh the facts of one wiki."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--refresh", nargs=2, metavar=("WIKI", "DB"))
    asked = parser.parse_args().refresh
    if asked:
        refresh(FOLDER / f"{asked[0]}.jsonl", asked[1])
    else:
        sys.stdout.write(json.dumps(report(), indent=2) + "\n")


if __name__ == "__main__":
    main()
