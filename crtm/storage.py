"""Convert fitted models and checkpoints to and from the header and arrays of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from crtm import io
from crtm.em import State
from crtm.errors import ModelFileError
from crtm.io import Arrays
from crtm.linkfunction import LinkFunction
from crtm.progress import Iteration, Progress
from crtm.scoring import FittedModel, Lookup, Topics
from crtm.terms import WordFacts

FACTS = ("seen", "linked", "rarity", "capitals")
TOPICS = ("topic_word", "gamma", "mean", "prior", "vectors")
LOOKUPS = ("words", "stem_words", "phrases")


def plain_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON gives them back."""
    return {**parameters, "terms": list(parameters["terms"])}


def parameters_from(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Undo ``plain_parameters``; files of version 0.1 call the parameter ``projection`` ``transform``."""
    parameters = {**plain, "terms": tuple(plain["terms"])}
    if "transform" in parameters:
        parameters["projection"] = parameters.pop("transform")
    return parameters


def history_rows(history: Sequence[Iteration]) -> list[dict[str, Any]]:
    """Return the iterations as JSON can hold them."""
    return [asdict(iteration) for iteration in history]


def function_arrays(function: LinkFunction, prefix: str = "") -> Arrays:
    """Return eta, nu, Q and the full matrix, as far as they exist."""
    named = {
        "eta": function.eta,
        "nu": np.array([function.nu]),
        "q": function.projection,
        "full": function.full,
    }
    return {f"{prefix}function.{name}": array for name, array in named.items() if array is not None}


def function_from(arrays: Mapping[str, Any], prefix: str = "") -> LinkFunction:
    """Undo ``function_arrays``."""
    return LinkFunction(
        arrays[f"{prefix}function.eta"],
        float(arrays[f"{prefix}function.nu"][0]),
        arrays.get(f"{prefix}function.q"),
        arrays.get(f"{prefix}function.full"),
    )


def fitted_numbers(fitted: FittedModel) -> dict[str, Any]:
    """Return the parts of the model that are not arrays."""
    return {"weights": fitted.weights, "link_share": fitted.facts.link_share}


def fitted_arrays(fitted: FittedModel) -> Arrays:
    """Return all arrays of the model by name."""
    arrays = {f"topics.{name}": getattr(fitted.topics, name) for name in TOPICS}
    arrays |= {f"facts.{name}": getattr(fitted.facts, name) for name in FACTS}
    for table in LOOKUPS:
        lookup: Lookup = getattr(fitted, table)
        arrays |= {
            f"{table}.ptr": lookup.ptr,
            f"{table}.column": lookup.column,
            f"{table}.value": lookup.value,
        }
    return {**arrays, "stems": fitted.stems, **function_arrays(fitted.topics.function)}


def fitted_from(arrays: Mapping[str, Any], header: Mapping[str, Any]) -> FittedModel:
    """Undo ``fitted_arrays`` and ``fitted_numbers``."""
    topics = {name: arrays[f"topics.{name}"] for name in TOPICS}
    facts = {name: arrays[f"facts.{name}"] for name in FACTS}
    lookups = {
        table: Lookup(arrays[f"{table}.ptr"], arrays[f"{table}.column"], arrays[f"{table}.value"])
        for table in LOOKUPS
    }
    return FittedModel(
        topics=Topics(**topics, function=function_from(arrays)),
        facts=WordFacts(**facts, link_share=header["link_share"]),
        stems=arrays["stems"],
        weights=header["weights"],
        **lookups,
    )


def write_checkpoint(
    path: str | Path, progress: Progress, parameters: Mapping[str, Any], corpus_sha256: str
) -> None:
    """Write the progress of a fit, for ``read_checkpoint``."""
    header = {
        "identity": _identity(parameters, corpus_sha256),
        "iteration": [progress.state.iteration, progress.best.iteration],
        "best_score": progress.best_score,
        "stale": progress.stale,
        "history": history_rows(progress.history),
    }
    arrays = {**_state_arrays(progress.state, "state."), **_state_arrays(progress.best, "best.")}
    io.write_file(path, "checkpoint", header, arrays)


def read_checkpoint(
    path: str | Path, parameters: Mapping[str, Any], corpus_sha256: str
) -> Progress:
    """Return the progress of a fit; refuse one of another corpus or other parameters (``max_iter`` may differ)."""
    header, arrays = io.read_file(path, "checkpoint")
    if header["identity"] != _identity(parameters, corpus_sha256):
        raise ModelFileError(
            f"{path} is the checkpoint of another corpus or of other parameters; nothing was changed. Remove it to start anew."
        )
    state, best = (
        _state_from(arrays, prefix, iteration)
        for prefix, iteration in zip(("state.", "best."), header["iteration"], strict=True)
    )
    history = tuple(Iteration(**row) for row in header["history"])
    return Progress(state, best, header["best_score"], header["stale"], history)


def _identity(parameters: Mapping[str, Any], corpus_sha256: str) -> dict[str, Any]:
    plain = plain_parameters(parameters)
    return {
        "corpus": corpus_sha256,
        **{name: value for name, value in plain.items() if name != "max_iter"},
    }


def _state_arrays(state: State, prefix: str) -> Arrays:
    arrays = {
        f"{prefix}{name}": getattr(state, name) for name in ("topic_word", "gamma", "context")
    }
    return {**arrays, **function_arrays(state.function, prefix)}


def _state_from(arrays: Mapping[str, Any], prefix: str, iteration: int) -> State:
    return State(
        arrays[f"{prefix}topic_word"],
        arrays[f"{prefix}gamma"],
        arrays[f"{prefix}context"],
        function_from(arrays, prefix),
        iteration,
    )
