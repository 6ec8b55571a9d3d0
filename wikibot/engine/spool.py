"""Byte strings in a file without a name: as many as there are pages, none of them in memory."""

from __future__ import annotations

import os
import tempfile
import uuid
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, overload

from wikibot.engine.cluster import cluster

BUFFER_BYTES = 1 << 20


class Spool(Sequence[bytes]):
    """What was appended, by number; forked processes read the same file, and those of a cluster too.

    The file lies in FOLDER, if that is there, and is gone with the last process that has it open. On a
    cluster it lies in the folder that all machines see.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._path: Path | None = None
        chosen = cluster()
        if chosen is not None:
            self._path = chosen.folder / f"{uuid.uuid4().hex}.spool"
            self._file: IO[bytes] = self._path.open("w+b", buffering=BUFFER_BYTES)
        else:
            place = folder if folder is not None and folder.is_dir() else None
            self._file = tempfile.TemporaryFile(dir=place, buffering=BUFFER_BYTES)  # noqa: SIM115
        self._start = array("q", [0])
        self._flushed = 0

    def __reduce__(self) -> tuple[Callable[[str, bytes], Spool], tuple[str, bytes]]:
        """Travel to other machines as the name of the file."""
        assert self._path is not None, "it was made on a cluster"
        self._file.flush()
        return _opened, (str(self._path), self._start.tobytes())

    def append(self, content: bytes) -> int:
        """Keep these bytes; return their number."""
        self._file.write(content)
        self._start.append(self._start[-1] + len(content))
        return len(self) - 1

    def __len__(self) -> int:
        return len(self._start) - 1

    @property
    def size_bytes(self) -> int:
        """How many bytes are kept."""
        return self._start[-1]

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> list[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | list[bytes]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        first, last = self._start[number], self._start[number + 1]
        if last > self._flushed:
            self._file.flush()
            self._flushed = self._start[-1]
        return os.pread(self._file.fileno(), last - first, first)


def _opened(path: str, start: bytes) -> Spool:
    """A spool that another machine has written."""
    spool = Spool.__new__(Spool)
    spool._path, spool._file = Path(path), Path(path).open("rb")  # noqa: SIM115
    spool._start = array("q", start)
    spool._flushed = spool._start[-1]
    return spool
