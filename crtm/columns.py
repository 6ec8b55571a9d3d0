"""Arrays in files without a name: appended piece by piece, read as if they were in memory."""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Column:
    """One array on disk. The file lies in ``folder`` (or where temporary files lie) and is gone with the last use of it."""

    def __init__(self, kind: Any, folder: str | Path | None = None) -> None:
        self.kind = np.dtype(kind)
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self._size = 0

    def append(self, values: Any) -> None:
        """Put the values at the end."""
        piece = np.ascontiguousarray(values, dtype=self.kind)
        self._file.write(piece.tobytes())
        self._size += len(piece)

    def __len__(self) -> int:
        return self._size

    def mapped(self) -> Array:
        """Return all values; the system reads them when they are asked for, and may forget them again."""
        if not self._size:
            return np.empty(0, dtype=self.kind)
        self._file.flush()
        return np.asarray(np.memmap(self._file, dtype=self.kind, mode="r+"))


class Pieces:
    """Arrays by name, of one batch after the other; ``all()`` gives them back, batch by batch."""

    def __init__(self, kinds: Mapping[str, Any], folder: str | Path | None = None) -> None:
        self._columns = {name: Column(kind, folder) for name, kind in kinds.items()}
        self._ends = {name: array("q", [0]) for name in kinds}

    def append(self, arrays: Mapping[str, Array]) -> None:
        """Put the arrays of one more batch at the end."""
        for name, column in self._columns.items():
            column.append(arrays[name])
            self._ends[name].append(len(column))

    def all(self) -> Iterator[Mapping[str, Array]]:
        """Yield the arrays of each batch."""
        whole = {name: column.mapped() for name, column in self._columns.items()}
        for i in range(len(next(iter(self._ends.values()))) - 1):
            yield {name: whole[name][ends[i] : ends[i + 1]] for name, ends in self._ends.items()}
