"""The bytes of an export, unpacked; what it is packed with is read from its first bytes."""

from __future__ import annotations

import bz2
import gzip
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Protocol, cast

from wikibot.errors import BadExport, BadInput

CHUNK = 1 << 20
SEVEN_ZIP = b"7z\xbc\xaf\x27\x1c"
TOOLS = ("7z", "7za", "7zr")


class Readable(Protocol):
    """An open stream of bytes."""

    def read1(self, size: int, /) -> bytes: ...


class PackedExport:
    """An open export file: `chunks()` gives its content, `position` how far the file was read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = _size(path)
        self.position = 0

    def chunks(self) -> Iterator[bytes]:
        """The content, at most a megabyte at a time; refuses a file that is cut or damaged."""
        try:
            with self.path.open("rb") as raw, self._unpacked(raw) as content:
                # read1 hands over what it has; read would lose it when the next block is damaged.
                while chunk := content.read1(CHUNK):
                    self.position = raw.tell()
                    yield chunk
        except EOFError as error:
            raise CutShort(self.path) from error
        except (OSError, zlib.error) as error:
            raise _refusal(self.path, error) from error

    def _unpacked(self, raw: BufferedReader) -> AbstractContextManager[Readable]:
        first = raw.read(6)
        raw.seek(0)
        if not first:
            raise BadExport(f"{self.path} is empty. Nothing was read; get the export again.")
        if first.startswith(b"BZh"):
            return bz2.open(raw)
        if first.startswith(b"\x1f\x8b"):
            return gzip.open(raw)
        if first == SEVEN_ZIP:
            return _seven_zip(self.path)
        return raw


class CutShort(BadExport):
    """The export ends too early."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} ends too early: it was cut short")


@contextmanager
def _seven_zip(path: Path) -> Iterator[Readable]:
    """What the archive holds, through the 7z tool; refuses where there is none."""
    tool = next(filter(None, map(shutil.which, TOOLS)), None)
    if tool is None:
        raise BadInput(
            f"{path} is a .7z archive and no 7z tool is installed. Nothing was read; "
            "install p7zip, or unpack the file yourself."
        )
    with subprocess.Popen(
        [tool, "x", "-so", str(path)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        try:
            yield cast(BufferedReader, process.stdout)
        except GeneratorExit:
            process.kill()
            raise
        if process.wait() != 0:
            raise BadExport(f"{path} cannot be unpacked: 7z ended with code {process.returncode}")


def _size(path: Path) -> int:
    if path.is_dir():
        raise BadInput(f"{path} is a folder, not an export. Name the file inside it.")
    try:
        return path.stat().st_size
    except OSError as error:
        raise _refusal(path, error) from error


def _refusal(path: Path, error: Exception) -> BadInput:
    if isinstance(error, FileNotFoundError):
        return BadInput(f"There is no file {path}. Nothing was read.")
    if isinstance(error, PermissionError):
        return BadInput(f"{path} may not be read: permission denied. Nothing was read.")
    return BadExport(f"{path} is damaged: {str(error).rstrip('.') or 'it cannot be unpacked'}")
