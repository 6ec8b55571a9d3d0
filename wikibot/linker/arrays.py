"""Plain arrays in one file, opened without reading them: the format of safetensors, memory-mapped."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from wikibot.errors import ModelError

_TYPES = {"F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8", "U64": "<u8", "U8": "|u1", "BOOL": "|b1"}  # fmt: skip
_HASH_BYTES_AT_ONCE = 1 << 22

Arrays = dict[str, np.ndarray]


def save_arrays(path: Path, arrays: Mapping[str, np.ndarray], header: Mapping[str, Any]) -> str:
    """Write the arrays and a header of plain values; return the file's SHA-256."""
    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    save_file(plain, path, metadata={"header": json.dumps(header)})
    with path.open("rb") as file:
        os.fsync(file.fileno())
    return sha256_of(path)


def open_arrays(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """Open a file of arrays; they are read from disk where they are used."""
    try:
        content = np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
        length = int(content[:8].view("<u8")[0])
        described = json.loads(content[8 : 8 + length].tobytes())
        header = json.loads(described.pop("__metadata__")["header"])
        arrays = {name: _array(content[8 + length :], entry) for name, entry in described.items()}
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise ModelError(
            f"The model file {path} cannot be read ({error}). Run `wikibot train` again."
        ) from error
    return arrays, header


def _array(content: np.ndarray, entry: Mapping[str, Any]) -> np.ndarray:
    start, end = entry["data_offsets"]
    if end > len(content):
        raise ValueError("it is cut off")
    return np.asarray(content[start:end].view(_TYPES[entry["dtype"]]).reshape(entry["shape"]))


def sha256_of(path: Path) -> str:
    """The checksum of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_HASH_BYTES_AT_ONCE):
            digest.update(block)
    return digest.hexdigest()


def pack_texts(texts: list[str]) -> np.ndarray:
    """Texts without line ends as one array of bytes."""
    joined = "\n".join(texts).encode("utf-8", "surrogatepass")
    return np.frombuffer(joined, dtype=np.uint8)


def unpack_texts(array: np.ndarray) -> list[str]:
    """The texts that were packed."""
    joined = array.tobytes().decode("utf-8", "surrogatepass")
    return joined.split("\n") if joined else []
