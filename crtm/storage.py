"""A fitted model to and from the header and arrays of a model file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from crtm.errors import ModelFileError
from crtm.io import Arrays
from crtm.linkfunction import LinkFunction
from crtm.scoring import Learned


def function_arrays(function: LinkFunction) -> Arrays:
    """Return eta, Q and the full matrix, those that there are."""
    named = {"eta": function.eta, "q": function.transform, "full": function.full}
    return {f"function.{name}": array for name, array in named.items() if array is not None}


def function_from(arrays: Mapping[str, Any], nu: float) -> LinkFunction:
    """Undo ``function_arrays``."""
    return LinkFunction(
        arrays["function.eta"], nu, arrays.get("function.q"), arrays.get("function.full")
    )


def learned_arrays(learned: Learned) -> Arrays:
    """Return everything learned, by name."""
    plain = {
        field.name: getattr(learned, field.name)
        for field in fields(learned)
        if field.name != "function"
    }
    return {**plain, **function_arrays(learned.function)}


def learned_from(arrays: Mapping[str, Any], nu: float) -> Learned:
    """Undo ``learned_arrays``."""
    names = [field.name for field in fields(Learned) if field.name != "function"]
    missing = [name for name in names if name not in arrays]
    if missing:
        raise ModelFileError(f"The model file lacks {', '.join(missing)}; nothing was loaded.")
    return Learned(function=function_from(arrays, nu), **{name: arrays[name] for name in names})


def history_rows(history: list[Any]) -> list[dict[str, Any]]:
    """Return the iterations as JSON can hold them."""
    return [asdict(iteration) for iteration in history]
