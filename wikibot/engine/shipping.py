"""Functions in files: what they hold is pickled, but for large arrays, which are memory-mapped again.

The file has the length of a list, the list (where each part begins and how long it is) as JSON, and the
parts: the pickle first, then the content of each array.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ALIGNED_BYTES = 64  # where arrays begin, so that they can be used as they are
LENGTH_BYTES = 8


def ship(function: Callable[[Any], Any], folder: Path) -> Path:
    """Write a function, closures included, to a new file in FOLDER."""
    from pyspark import cloudpickle

    buffers: list[Any] = []
    pickled = cloudpickle.dumps(function, protocol=5, buffer_callback=buffers.append)
    parts = [memoryview(pickled), *(buffer.raw() for buffer in buffers)]
    starts, end = [], 0
    for part in parts:
        starts.append(end)
        end = _aligned(end + len(part))
    listed = json.dumps([(start, len(part)) for start, part in zip(starts, parts, strict=True)])
    head = len(listed).to_bytes(LENGTH_BYTES, "little") + listed.encode()
    path = folder / f"{uuid.uuid4().hex}.function"
    with path.open("wb") as file:
        file.write(head)
        for start, part in zip(starts, parts, strict=True):
            file.seek(_aligned(len(head)) + start)
            file.write(part)
    return path


def shipped_function(path: Path) -> Callable[[Any], Any]:
    """The function that lies in the file; its arrays cannot be written to."""
    from pyspark import cloudpickle

    content = np.memmap(path, dtype=np.uint8, mode="r")
    length = int.from_bytes(content[:LENGTH_BYTES].tobytes(), "little")
    listed = json.loads(content[LENGTH_BYTES : LENGTH_BYTES + length].tobytes())
    first = _aligned(LENGTH_BYTES + length)
    pickled, *arrays = (content[first + start : first + start + size] for start, size in listed)
    function: Callable[[Any], Any] = cloudpickle.loads(pickled.data, buffers=arrays)
    return function


def _aligned(place: int) -> int:
    """The next place where an array may begin."""
    return -(-place // ALIGNED_BYTES) * ALIGNED_BYTES
