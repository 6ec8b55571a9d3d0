"""Model files: arrays in a safetensors file, a JSON header, checksums; never pickle.

A file is written under a temporary name, synced, then renamed, so that readers see the complete old or the complete new model.
Reading verifies all checksums before anything is used.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load as parse_tensors
from safetensors.numpy import save as tensor_bytes

from crtm.errors import ModelFileError

FORMAT = "crtm"
VERSION = 1

Arrays = dict[str, npt.NDArray[Any]]


def write_file(path: str | Path, kind: str, header: Mapping[str, Any], arrays: Arrays) -> None:
    """Write header and arrays to ``path``; a crash leaves the old file intact."""
    if not Path(path).parent.is_dir():
        raise ModelFileError(
            f"{path} cannot be written: there is no folder {Path(path).parent}. Nothing was saved; create the folder first."
        )
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    full = {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind,
        **header,
        "arrays": {name: _description(array) for name, array in sorted(arrays.items())},
    }
    text = json.dumps(full, sort_keys=True, ensure_ascii=False)
    # One entry only: safetensors keeps no order among several, and the same model must give the same bytes.
    sealed = {"header": text, "header_sha256": hashlib.sha256(text.encode()).hexdigest()}
    _replace(Path(path), tensor_bytes(arrays, {FORMAT: json.dumps(sealed)}))


def read_file(path: str | Path, kind: str) -> tuple[dict[str, Any], Arrays]:
    """Return header and arrays of a file of this kind, after all checksums agree."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ModelFileError(
            f"{path} could not be read: {error.strerror}.", "crtm-unreadable", path, error.strerror
        ) from error
    header = _header(path, content, kind)
    try:
        arrays: Arrays = parse_tensors(content)
    except (SafetensorError, ValueError) as error:
        raise _damaged(path, str(error), "crtm-damaged", error) from error
    for name, description in header["arrays"].items():
        if name not in arrays or _description(arrays[name]) != description:
            raise _damaged(
                path, f'the array "{name}" does not match its checksum', "crtm-damaged-array", name
            )
    return header, arrays


def _header(path: str | Path, content: bytes, kind: str) -> dict[str, Any]:
    """Return our own header, checked, from the metadata of a safetensors file."""
    try:
        length = int.from_bytes(content[:8], "little")
        sealed = json.loads(json.loads(content[8 : 8 + length])["__metadata__"][FORMAT])
        text, expected = sealed["header"], sealed["header_sha256"]
        sound = hashlib.sha256(text.encode()).hexdigest() == expected
        header: dict[str, Any] = json.loads(text) if sound else {}
    except (ValueError, KeyError, TypeError, AttributeError, MemoryError, OverflowError) as error:
        raise _damaged(path, "its header cannot be read", "crtm-damaged-header") from error
    if not sound:
        raise _damaged(path, "its header does not match its checksum", "crtm-damaged-checksum")
    if header.get("format") != FORMAT or header.get("kind") != kind:
        raise ModelFileError(
            f"{path} is not a {kind} file of crtm; nothing was loaded.",
            "crtm-other-kind",
            path,
            kind,
        )
    if header["version"] > VERSION:
        raise ModelFileError(
            f"{path} has format version {header['version']}, this program knows up to {VERSION}; nothing was loaded. "
            "Update the program, or train the model again.",
            "crtm-newer-version",
            path,
            header["version"],
            VERSION,
        )
    return header


def _damaged(path: str | Path, what: str, key: str, *params: object) -> ModelFileError:
    return ModelFileError(
        f"{path} is damaged ({what}); nothing was loaded. Restore it from a copy or train the model again.",
        key,
        path,
        *params,
    )


def _description(array: npt.NDArray[Any]) -> dict[str, Any]:
    digest = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
    return {"shape": list(array.shape), "dtype": array.dtype.name, "sha256": digest}


def _replace(path: Path, content: bytes) -> None:
    """Replace the file's content atomically and durably."""
    handle, temporary = tempfile.mkstemp(dir=path.parent or Path(), prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def strings_to_array(strings: tuple[str, ...]) -> npt.NDArray[np.uint8]:
    """Return strings as one array of bytes (UTF-8 JSON), so that any character may occur."""
    return np.frombuffer(json.dumps(strings, ensure_ascii=False).encode(), dtype=np.uint8)


def array_to_strings(array: npt.NDArray[np.uint8]) -> tuple[str, ...]:
    """Undo ``strings_to_array``."""
    return tuple(json.loads(array.tobytes().decode()))
