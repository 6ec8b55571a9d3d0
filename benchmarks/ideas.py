"""Draws ideas for real orphans of an export, ours and BM25's, for readers who do not know whose is whose.

    python benchmarks/ideas.py [EXPORT] [--n 60] [--seed 0] [--folder FOLDER] [--out FILE] [--key FILE]

Readers get FILE (JSON): for each idea the page with the paragraph around the sentence, and how the target begins. The question is "would a
sentence about the target be useful here?" The key, in a file of its own, says whose idea it is: ours, bm25 or both. With --folder the
database and its models are made there once and taken up again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from crtm.experiments.insertion import bm25
from crtm.experiments.orphans import bm25_sources
from crtm.place_ranker import Case
from wikibot.config import load_settings
from wikibot.dataset import Dataset, load_dataset
from wikibot.excerpt import blocks, context_at, shortened
from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.ideas import IdeaFinder
from wikibot.insertion import Insertion, Place, open_insertion_of
from wikibot.store import Store, ideas, open_store
from wikibot.store.ideas import NewIdea
from wikibot.store.pages import articles
from wikibot.train import train

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from crtm.place_features import PlaceReader
    from crtm.vectors import Floats

DATA = Path(os.environ.get("WIKIBOT_DATA", Path(__file__).parents[2] / "shared" / "data"))
QUESTION = "Would a sentence about the target be useful here? Answer yes or no."
LONGEST = 700  # characters of the target's beginning


@dataclass(frozen=True)
class ByBm25(Insertion):
    """The first page and the first sentence by BM25, with the target's lead as the query."""

    @cached_property
    def _rank(self) -> Callable[[int], Floats]:
        assert self.model.corpus_ is not None
        return bm25_sources(self.model.corpus_)

    def source_scores(self, target: int) -> Floats:
        return self._rank(target).astype(float)

    def places_for_orphan(self, target: int, sources: Sequence[int]) -> Iterator[tuple[int, Place]]:
        for source in sources:
            for place in self.places(source, target):
                yield source, replace(place, chance=1.0)

    def place_scores(self, reader: PlaceReader, target: int) -> Floats:
        return bm25(Case(reader, target, np.zeros(len(reader.parts), dtype=bool)))


def main() -> None:
    """Make the database, unless it is there, and write the draw and its key."""
    parser = argparse.ArgumentParser(description=__doc__)
    export = DATA / "wikis" / "fr-ekopedia.xml.bz2"
    parser.add_argument("export", nargs="?", type=Path, default=export)
    parser.add_argument("--n", type=int, default=60, help="ideas of each system")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--out", type=Path, default=Path("build/ideas.json"))
    parser.add_argument("--key", type=Path, default=Path("build/ideas-key.json"))
    given = parser.parse_args()
    if given.folder:
        given.folder.mkdir(parents=True, exist_ok=True)
        items, key = drawn(given.export, given.folder, given.n, given.seed)
    else:
        with tempfile.TemporaryDirectory() as folder:
            items, key = drawn(given.export, Path(folder), given.n, given.seed)
    report = {"question": QUESTION, "export": given.export.name, "ideas": items}
    for path in (given.out, given.key):
        path.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(report, indent=1, ensure_ascii=False), encoding="utf-8")
    given.key.write_text(json.dumps(key, indent=1), encoding="utf-8")
    counts = {system: list(key.values()).count(system) for system in sorted(set(key.values()))}
    print(json.dumps({"out": str(given.out), "key": str(given.key), **counts}))


def drawn(export: Path, folder: Path, n: int, seed: int) -> tuple[list[dict[str, Any]], dict[str, str]]:  # fmt: skip
    """The ideas in a blind order, and whose each is."""
    path = folder / "w.db"
    made = not path.exists()
    with open_store(path, create=made) as store:
        if made:
            fetch_export(store, ExportOptions(export))
            train(store)
        dataset = load_dataset(store)
        opened = open_insertion_of(store, dataset)
        return blind(store, dataset, opened, n, seed)


def blind(
    store: Store, dataset: Dataset, opened: Insertion, n: int, seed: int
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The first idea of each system for `n` orphans, shuffled."""
    assert dataset.wiki is not None
    with store.reading() as session:
        lonely = ideas.orphan_ids(session, dataset.wiki.id)
    chance = random.Random(seed)
    chance.shuffle(lonely)
    settings = load_settings(environ={})
    ours = IdeaFinder(store, dataset, opened, settings)
    theirs = IdeaFinder(store, dataset, ByBm25(dataset, opened.model), settings)
    found: dict[tuple[int, int, int], tuple[NewIdea, set[str]]] = {}
    taken = 0
    for target in lonely:
        both = (ours.ideas_for(target)[:1], theirs.ideas_for(target)[:1])
        if not all(both):
            continue
        for system, (idea,) in zip(("ours", "bm25"), both, strict=True):
            place = (idea.page_id, idea.target_id, idea.start)
            found.setdefault(place, (idea, set()))[1].add(system)
        taken += 1
        if taken == n:
            break
    order = sorted(found)
    chance.shuffle(order)
    with store.reading() as session:
        texts = {row.id: row.wikitext for row in articles(session, dataset.wiki.id)}
    items = [_item(n, found[place][0], dataset, texts) for n, place in enumerate(order, 1)]
    whose = [found[place][1] for place in order]
    key = {str(n): "both" if len(of) == 2 else of.pop() for n, of in enumerate(whose, 1)}
    return items, key


def _item(number: int, idea: NewIdea, dataset: Dataset, texts: dict[int, str]) -> dict[str, Any]:
    """What a reader sees of an idea."""
    titles = {row.id: row.title for row in dataset.rows}
    around = context_at(texts[idea.page_id], dataset.rules, idea.start, idea.end)
    return {
        "id": number,
        "target": titles[idea.target_id],
        "target_begins": _beginning(texts[idea.target_id], dataset),
        "page": titles[idea.page_id],
        "sections": list(around.sections),
        "before": [block.quoted for block in around.before][-1:],
        "paragraph": around.block.quoted,
        "after": [block.quoted for block in around.after][:1],
        "sentence": idea.sentence,
    }


def _beginning(text: str, dataset: Dataset) -> str:
    """How a page begins, headings and lists with it: many have nothing before the first heading."""
    shown = " ".join(block.quoted for block in blocks(text, dataset.rules))
    return shortened(shown, LONGEST)


if __name__ == "__main__":
    main()
