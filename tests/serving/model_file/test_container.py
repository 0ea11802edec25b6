"""Reading files of all kinds: one error for all that is wrong."""

import json

import numpy as np
import pytest
from safetensors.numpy import load, save

from mddag.serving.model_file.container import (
    ModelFileError,
    content_of,
    file_content,
    pack,
    unpack,
)

TENSORS = {"b": np.arange(3.0), "a": np.zeros((2, 0), np.uint8), "c": np.ones((2, 2), np.int32)}
METADATA = {"version": 1, "name": "tøwn \ud800", "beta": 0.1, "none": None}


def sealed(header, body=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


def tensor(dtype="F64", shape=(1,), offsets=(0, 8)):
    described = {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}
    return sealed({"__metadata__": {"mddag": "{}"}, "a": described}, b"x" * 8)


def test_what_is_packed_is_unpacked():
    metadata, tensors = unpack(pack(METADATA, TENSORS))
    assert metadata == METADATA
    assert tensors.keys() == TENSORS.keys()
    for name, array in TENSORS.items():
        assert tensors[name].dtype == array.dtype
        np.testing.assert_array_equal(tensors[name], array)


def test_the_order_of_keys_does_not_matter():
    other = pack(dict(reversed(METADATA.items())), dict(reversed(TENSORS.items())))
    assert other == pack(METADATA, TENSORS)


def test_safetensors_reads_it():
    assert load(pack(METADATA, TENSORS))["c"].tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "announced in 0 bytes; the file is cut short"),
        (b"\xff" * 20, "a header of 18446744073709551615 bytes is announced in 20 bytes"),
        (sealed(b"not json"), "the header is not JSON"),
        (sealed(b"\xff\xfe"), "the header is not JSON"),
        (sealed(b"[" * 10_000), "the header is not JSON"),
        (sealed(b'{"a":' * 10_000), "the header is not JSON"),
        (sealed([]), "the header is a JSON list; wanted an object"),
        (sealed({}), "no metadata named 'mddag'"),
        (sealed({"__metadata__": []}), "no metadata named 'mddag'"),
        (sealed({"__metadata__": {"mddag": {}}}), "no metadata named 'mddag'"),
        (sealed({"__metadata__": {"mddag": "[]"}}), "metadata is a JSON list"),
        (sealed({"__metadata__": {"mddag": '{"a": NaN}'}}), "a number is NaN; wanted finite"),
        (sealed({"__metadata__": {"mddag": '{"a": 1, "a": 1}'}}), "the key 'a' is given twice"),
        (sealed({"__metadata__": {"mddag": '{"a": ' + "1" * 9999}}), "metadata is not JSON"),
        (sealed(b'{"a": 1, "a": 2}'), "the key 'a' is given twice"),
        (sealed({"__metadata__": {"mddag": "{}"}, "a": 3}), "tensor 'a' is None; wanted one of"),
        (tensor("BF16"), "tensor 'a' is 'BF16'; wanted one of"),
        (tensor("F4", [16]), "tensor 'a' is 'F4'"),
        (tensor("F64", [1] * 70), "wanted at most 2 numbers"),
        (tensor("F64", [0, 2**62], [0, 0]), "wanted counts"),
        (tensor("F64", [-1]), "wanted counts"),
        (tensor("F64", [True]), "wanted counts"),
        (tensor("F64", [2**40]), "the tensors do not fit the file"),
        (tensor("F64", [1], [0, 2**60]), "the tensors do not fit the file"),
        (tensor("F64", [1], [8, 16]), "the tensors do not fit the file"),
        (tensor(), "the checksum is wrong"),
        (save(TENSORS), "no metadata named 'mddag'"),
    ],
)
def test_what_is_no_container_is_refused(data, message):
    with pytest.raises(ModelFileError, match=message):
        unpack(data)


def test_every_flipped_bit_is_found_or_does_not_matter():
    data = pack(METADATA, TENSORS)
    n_found = 0
    for at in range(len(data)):
        for bit in range(8):
            damaged = bytearray(data)
            damaged[at] ^= 1 << bit
            try:
                content = unpack(bytes(damaged))
            except ModelFileError:
                n_found += 1
            else:  # padding of the header, or the case of a hexadecimal digit
                assert pack(*content) == data, f"bit {bit} of byte {at}"
    assert n_found > 0.98 * 8 * len(data)


def test_every_truncation_is_found():
    data = pack(METADATA, TENSORS)
    for n in range(len(data)):
        with pytest.raises(ModelFileError):
            unpack(data[:n])
    with pytest.raises(ModelFileError):
        unpack(data + b"\0")


def test_what_is_made_is_returned(tmp_path):
    (tmp_path / "a").write_bytes(pack({"kind": "thing"}, {}))
    assert file_content(tmp_path / "a", lambda metadata, tensors: metadata["kind"]) == "thing"


@pytest.mark.parametrize("error", [ValueError, TypeError, OverflowError, RecursionError])
def test_errors_of_the_maker_are_errors_of_the_file(error, tmp_path):
    def make(metadata, tensors):
        raise error("nonsense")

    data = pack({}, {})
    with pytest.raises(ModelFileError, match="holds no sound model: nonsense"):
        content_of(data, make)
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(ModelFileError, match=r"cannot read '.*a': the file holds no sound model"):
        file_content(tmp_path / "a", make)


def test_a_folder_is_said_to_be_one(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder"):
        file_content(tmp_path, lambda metadata, tensors: None)
