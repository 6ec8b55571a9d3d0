"""What was learned from a wiki, in files beside the database, each with a row and a checksum."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wikibot.dataset import Dataset
from wikibot.errors import ModelError, WikiUnavailable
from wikibot.linker.arrays import sha256_of
from wikibot.linker.fallback import Fallback, open_ranker
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.ranker import Ranker
from wikibot.store import Store
from wikibot.store.lock import only_one
from wikibot.store.readings import Reading, keep_learned, keep_readings
from wikibot.store.suggestions import (
    ModelRow,
    model_paths,
    models_of,
    put_model,
    replace_model,
    replace_models,
)

if TYPE_CHECKING:
    from crtm import CRTM
    from crtm.insertion import InsertionWeights

NOTHING_LEARNED = (
    "Nothing was learned from this wiki yet. Nothing was changed. Run `wikibot train` first."
)
SUFFIXES = (".json", ".crtm", ".arrays", ".part")  # of files that are ours to tidy up
CHECKED_BYTES = 1 << 29  # a larger file is checked by `wikibot doctor` alone


@dataclass(frozen=True, slots=True)
class Models:
    """Knowledge and ranker as they were opened; `mark` tells them from others.

    To other machines they travel as the names of their `files`, which these memory-map.
    """

    knowledge: Knowledge
    ranker: Ranker | Fallback
    mark: str
    files: tuple[Path, Path]

    @classmethod
    def open(cls, files: tuple[Path, Path], mark: str) -> Models:
        """What lies in the files of knowledge and ranker."""
        knowledge, ranker = files
        return cls(Knowledge.open(knowledge), open_ranker(ranker), mark, files)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Models.open, (self.files, self.mark)


def keep_models(
    store: Store,
    wiki_id: int,
    run_id: int,
    crtm: CRTM,
    knowledge: Knowledge,
    ranker: Ranker | Fallback,
    figures: dict[str, Any],
    dataset: Dataset,
) -> None:
    """The files lie beside the database and a row tells of each; the old ones are gone.

    With them is kept what the pages were read as, and which revision of each was learned from.

    Stopped anywhere, the old ones stay in force.
    """
    folder = store.folder
    folder.mkdir(parents=True, exist_ok=True)
    parameters = {name: _plain(value) for name, value in crtm.get_params().items()}
    try:
        models = [
            {**_file(folder, "crtm", crtm), "parameters": parameters},
            {**_file(folder, "knowledge", knowledge), "parameters": {"pages": knowledge.size}},
            {**_file(folder, "ranker", ranker), "parameters": {"features": len(ranker.names)}},
        ]
        with store.writing() as session:
            replace_models(session, wiki_id, run_id, [{**m, "figures": figures} for m in models])
            keep_readings(session, dataset.new)
            keep_learned(session, wiki_id, {row.id: row.revision_id for row in dataset.rows})
    finally:
        _tidy(store, folder)


def keep_refreshed(
    store: Store,
    wiki_id: int,
    knowledge: Knowledge,
    ranker: Ranker | Fallback,
    new: Mapping[int, Reading],
) -> Models:
    """This knowledge and ranker take the place of what is kept; return them, opened from their files.

    The `new` readings of pages, which are counted in it, are kept at the same moment: what is kept of
    a page is always what was counted.
    """
    try:
        files = [_file(store.folder, "knowledge", knowledge), _file(store.folder, "ranker", ranker)]
        with store.writing() as session:
            for file in files:
                replace_model(session, wiki_id, file)
            keep_readings(session, new)
    finally:
        tidy_unless_training(store)
    return open_models(store, wiki_id)


def keep_insertion(
    store: Store, wiki_id: int, weights: InsertionWeights, parameters: dict[str, Any]
) -> None:
    """What was learned about places lies beside the other models, until these are learned again."""
    try:
        file = {**_file(store.folder, "insertion", weights), "parameters": parameters}
        with store.writing() as session:
            put_model(session, wiki_id, file)
    finally:
        tidy_unless_training(store)


def open_insertion(store: Store, wiki_id: int) -> tuple[InsertionWeights, dict[str, Any]] | None:
    """What was learned about places, and from what; None if that is not there, or of another version."""
    from crtm import ModelFileError
    from crtm.insertion import InsertionWeights

    with store.reading() as session:
        row = models_of(session, wiki_id).get("insertion")
    if row is None:
        return None
    try:
        return InsertionWeights.load(_checked(store, row)), row.parameters
    except (ModelError, ModelFileError):
        return None


def crtm_mark(store: Store, wiki_id: int) -> str:
    """The checksum of the topic model in force."""
    with store.reading() as session:
        row = models_of(session, wiki_id).get("crtm")
    if row is None:
        raise ModelError(NOTHING_LEARNED)
    return row.sha256


def _file(folder: Path, kind: str, model: Any) -> dict[str, Any]:
    """Write a model under a name that tells its content."""
    unnamed = folder / f"{kind}.{os.getpid()}.part"
    model.save(unnamed)
    sha256 = sha256_of(unnamed)
    path = folder / f"{kind}-{sha256[:16]}{'.crtm' if kind == 'crtm' else '.arrays'}"
    unnamed.replace(path)
    return {"kind": kind, "path": path.name, "sha256": sha256}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def tidy_unless_training(store: Store) -> None:
    """Remove what a stopped run has left behind; not while a process trains, whose files have no rows yet."""
    with suppress(WikiUnavailable), only_one(store, "train"):
        _tidy(store, store.folder)


def _tidy(store: Store, folder: Path) -> None:
    """Remove files of models that no row tells of."""
    with store.reading() as session:
        kept = model_paths(session)
    for path in folder.iterdir():
        is_half_written = path.name.startswith(".") and ".part." in path.name
        if path.name not in kept and (path.suffix in SUFFIXES or is_half_written):
            path.unlink(missing_ok=True)


def open_models(store: Store, wiki_id: int) -> Models:
    """Knowledge and ranker; refuses where nothing was learned, or files are damaged."""
    with store.reading() as session:
        rows = models_of(session, wiki_id)
    try:
        knowledge, ranker = (_checked(store, rows.get(kind)) for kind in ("knowledge", "ranker"))
        return Models.open((knowledge.absolute(), ranker.absolute()), rows["ranker"].sha256)
    except ModelError:
        with store.reading() as session:
            if models_of(session, wiki_id) == rows:
                raise
    return open_models(store, wiki_id)  # `wikibot train` has just replaced the files


def open_crtm(store: Store, wiki_id: int) -> CRTM:
    """The topic model."""
    from crtm import CRTM, ModelFileError

    with store.reading() as session:
        row = models_of(session, wiki_id).get("crtm")
    path = _checked(store, row)
    try:
        return CRTM.load(path)
    except ModelFileError as error:
        raise ModelError(f"{error} Run `wikibot train` again.") from error


def _checked(store: Store, row: ModelRow | None) -> Path:
    if row is None:
        raise ModelError(NOTHING_LEARNED)
    path = store.folder / row.path
    try:
        intact = path.stat().st_size > CHECKED_BYTES or sha256_of(path) == row.sha256
    except OSError as error:
        raise ModelError(
            f"The model file {path} cannot be read ({error.strerror}). Run `wikibot train` again."
        ) from error
    if not intact:
        raise ModelError(
            f"The model file {path} is not as it was written. Run `wikibot train` again."
        )
    return path
