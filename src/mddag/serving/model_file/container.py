"""Pack named arrays and one JSON object into bytes, in the safetensors layout.

The JSON stands in the header under ``mddag``, with sorted keys, so the same content gives the same
bytes. It ends with the SHA-256 of everything: a flipped bit is found, whatever it would have meant.
That is no signature: a malicious file can have a correct sum, so all content must be checked.

Layout : uint64 header length, header (JSON), the tensors' bytes one after the other
Header : {"__metadata__": {"mddag": "<JSON>"}, "<name>": {"dtype", "shape", "data_offsets"}, …}
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from mddag._utils.checks import checked_path

DTYPES = {
    "F64": np.dtype(np.float64),
    "I64": np.dtype(np.int64),
    "I32": np.dtype(np.int32),
    "U32": np.dtype(np.uint32),
    "U8": np.dtype(np.uint8),
}
MOST_HEADER_BYTES = 100_000_000  # safetensors' own limit
MOST_DIMENSIONS = 2
# What Python makes of JSON, by the signs outside of strings: objects, keys, lists, values; a string
# has one of its quotes there. Numbers take no more than ten times their text.
OBJECT_BYTES = {"{": 240, ":": 180, "[": 112, ",": 8, '"': 64}
MOST_TIMES, ALLOWED_BYTES = 10, 2**24  # of memory: a million names of four letters are a model's
SMALL_TEXT = 2**18

Metadata = dict[str, Any]
Tensors = dict[str, NDArray[Any]]


class ModelFileError(ValueError):
    """A file that is not a model file, is damaged, or holds no sound model.

    Examples
    --------
    >>> import mddag
    >>> with open("notes.txt", "w") as file:
    ...     _ = file.write("no model")
    >>> mddag.load("notes.txt")
    Traceback (most recent call last):
        ...
    mddag.serving.model_file.container.ModelFileError: cannot read 'notes.txt': ...
    """


def pack(metadata: Metadata, tensors: Tensors) -> bytes:
    """Return the bytes of a file; the same for the same content."""
    sealed = metadata | {"sha256": _digest(metadata, tensors)}
    return bytes(save(tensors, {"mddag": _canonical(sealed)}))


def unpack(data: bytes) -> tuple[Metadata, Tensors]:
    """Return what `pack` packed: JSON without repeated keys or NaN, arrays of known types."""
    header = _header(data)
    kept = header.pop("__metadata__", None)
    text = kept.get("mddag") if isinstance(kept, dict) else None
    if not isinstance(text, str):
        raise ModelFileError("the header has no metadata named 'mddag'; wanted a file of mddag's")
    metadata = parsed(text, "the metadata")
    for name, described in header.items():
        _check_described(name, described)
    try:
        tensors = load(data)
    except SafetensorError as error:
        raise ModelFileError(
            f"the tensors do not fit the file ({error}); get a whole copy"
        ) from None
    if metadata.pop("sha256", None) != _digest(metadata, tensors):
        raise ModelFileError("the checksum is wrong, so the file is damaged; get another copy")
    return metadata, tensors


def parsed(text: str, what: str) -> dict[str, Any]:
    """Parse a JSON object without repeated keys, NaN or infinities."""
    _check_structure(text, what)
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refused_constant)
    except ModelFileError:
        raise
    except (ValueError, RecursionError) as error:  # of UTF-8, of JSON, of integers without end
        raise ModelFileError(f"{what} is not JSON that can be read ({error!s:.80})") from None
    if not isinstance(value, dict):
        raise ModelFileError(f"{what} is a JSON {type(value).__name__}; wanted an object")
    return value


def _header(data: bytes) -> dict[str, Any]:
    n_bytes = int.from_bytes(data[:8], "little")
    if len(data) < 8 or n_bytes > min(len(data) - 8, MOST_HEADER_BYTES):
        raise ModelFileError(
            f"a header of {n_bytes} bytes is announced in {len(data)} bytes; "
            "the file is cut short, or not a model file"
        )
    try:
        text = data[8 : 8 + n_bytes].decode()
    except UnicodeDecodeError as error:
        raise ModelFileError(f"the header is not JSON that can be read ({error!s:.80})") from None
    return parsed(text, "the header")


def _check_structure(text: str, what: str) -> None:
    """Reject text of which Python would make objects that take far more memory."""
    if len(text) <= SMALL_TEXT:
        return
    # Backslashes stand in strings alone, so without escaped quotes the others enclose strings. What
    # follows a fault of the text does not matter: the parser ends there.
    plain = text.encode("utf-8", "surrogatepass").replace(b"\\\\", b"").replace(b'\\"', b"")
    signs = np.frombuffer(plain, np.uint8)
    outside = ~np.logical_xor.accumulate(signs == ord('"'))
    n_bytes = sum(
        size * int(np.count_nonzero((signs == ord(sign)) & outside))
        for sign, size in OBJECT_BYTES.items()
    )
    if n_bytes > MOST_TIMES * len(text) + ALLOWED_BYTES:
        raise ModelFileError(
            f"{what} would take {n_bytes >> 20} MB of memory for {len(text) >> 10} kB of text; "
            f"wanted at most {MOST_TIMES} times as much"
        )


def _check_described(name: str, described: Any) -> None:
    """Reject what numpy or safetensors would stumble over."""
    dtype = described.get("dtype") if isinstance(described, dict) else None
    shape = described.get("shape") if isinstance(described, dict) else None
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ModelFileError(f"tensor {name!r:.40} is {dtype!r:.20}; wanted one of {[*DTYPES]}")
    if not isinstance(shape, list) or len(shape) > MOST_DIMENSIONS:
        raise ModelFileError(
            f"tensor {name!r:.40} has shape {shape!r:.40}; wanted at most {MOST_DIMENSIONS} numbers"
        )
    if not all(type(n) is int and 0 <= n < 2**48 for n in shape):
        raise ModelFileError(f"tensor {name!r:.40} has shape {shape!r:.40}; wanted counts")


def _digest(metadata: Metadata, tensors: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256(_canonical(metadata).encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"\n{name} {tensor.dtype.name} {tensor.shape}\n".encode("utf-8", "replace"))
        digest.update(np.ascontiguousarray(tensor).data)
    return digest.hexdigest()


def _canonical(metadata: Metadata) -> str:
    return json.dumps(metadata, sort_keys=True, allow_nan=False, separators=(",", ":"))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for name, value in pairs:
        if name in whole:
            raise ModelFileError(f"the key {name!r:.40} is given twice; the file is not sound")
        whole[name] = value
    return whole


def _refused_constant(name: str) -> Any:
    raise ModelFileError(f"a number is {name}; wanted finite numbers")


Made = TypeVar("Made")


def content_of(data: bytes, make: Callable[[Metadata, Tensors], Made]) -> Made:
    """Pass a file's content to `make`; what is not sound raises ModelFileError."""
    try:
        return make(*unpack(data))
    except ModelFileError:
        raise
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise ModelFileError(f"the file holds no sound model: {error}") from error


def file_content(path: str | os.PathLike[str], make: Callable[[Metadata, Tensors], Made]) -> Made:
    """Pass the content of a file to `make`; errors name the file."""
    if os.path.isdir(checked_path(path)):
        raise IsADirectoryError(f"{os.fspath(path)!r} is a folder; wanted a file that save wrote")
    data = Path(path).read_bytes()
    try:
        return content_of(data, make)
    except ModelFileError as error:
        from mddag.adapters import other_than_ours  # only where something is wrong already

        other = other_than_ours(data)
        known = "" if other is None else f": {other}"
        raise ModelFileError(f"cannot read {os.fspath(path)!r}: {error}{known}") from error


Types = type | tuple[type, ...]


def check_fields(what: str, metadata: Any, wanted: Mapping[str, Types]) -> Metadata:
    """Return `metadata` if it has exactly the wanted keys, with values of the wanted types."""
    if not isinstance(metadata, dict) or metadata.keys() != wanted.keys():
        got = sorted(metadata)[:12] if isinstance(metadata, dict) else f"{metadata!r:.40}"
        raise ModelFileError(f"{what} has the fields {got}; wanted {sorted(wanted)}")
    for name, types in wanted.items():
        allowed = types if isinstance(types, tuple) else (types,)
        if type(metadata[name]) not in allowed:  # a bool is no int here
            raise ModelFileError(
                f"{what} has {name} = {metadata[name]!r:.40}; "
                f"wanted {' or '.join(t.__name__ for t in allowed)}"
            )
    return metadata


def check_tensors(tensors: Tensors, wanted: Mapping[str, tuple[str, int]]) -> None:
    """Reject tensors other than those wanted, by name, type and number of dimensions."""
    if tensors.keys() != wanted.keys():
        absent, extra = sorted(wanted.keys() - tensors), sorted(tensors.keys() - wanted)
        raise ModelFileError(
            f"the tensors {absent} are missing and {[f'{e:.40}' for e in extra[:5]]} are unexpected"
        )
    for name, (dtype, n_dims) in wanted.items():
        tensor = tensors[name]
        if tensor.dtype != DTYPES[dtype] or tensor.ndim != n_dims:
            raise ModelFileError(
                f"tensor {name} is {tensor.dtype} of shape {tensor.shape}; "
                f"wanted {DTYPES[dtype]} with {n_dims} dimension(s)"
            )
        if dtype == "F64" and np.isnan(tensor).any():
            raise ModelFileError(f"tensor {name} holds NaN; wanted numbers")


def check_length(name: str, tensor: NDArray[Any], n: int, of_what: str) -> None:
    """Reject a tensor with another number of entries."""
    if len(tensor) != n:
        raise ModelFileError(f"tensor {name} has {len(tensor)} entries; wanted {n}, {of_what}")
