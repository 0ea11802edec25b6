"""Random damage: whatever is in a file, loading it is a ModelFileError or a model that runs."""

import copy
import json
import random

import numpy as np
import pytest

from mddag.model_file import Model, ModelFileError
from mddag.model_file.container import pack, unpack
from tests.model_file.models import whole_model

NUMBERS = [0, 1, -1, 2, 3, 255, 2**31 - 1, -(2**31), 2**31, 2**62, -(2**63), 2**63 - 1]
FLOATS = [0.0, -0.0, 1.0, -1.0, 1e308, 5e-324, np.inf, -np.inf, np.nan]
VALUES = [None, True, "", "U9", "x" * 999, [], {}, [[]], 1e308, 2**70, "regressor", "F32", *NUMBERS]
CONTENT = whole_model().to_bytes()


def survives(content):
    """Whether the content loads; then it must run, too."""
    try:
        model = Model.from_bytes(content)
    except ModelFileError:
        return False
    n_features = model.dag.ensemble.n_features
    if 0 < n_features < 1000:
        X = np.zeros((2, n_features))
        assert model.dag.run(X).scores.shape == (2, model.dag.ensemble.n_scores)
    return True


def places(value, path=()):
    """The paths of everything inside of a JSON value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in inside:
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from places(item, (*path, key))


def edit_json(value, chance):
    path = chance.choice(list(places(value)))
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = copy.deepcopy(chance.choice(VALUES))


def edit_tensor(tensors, chance):
    name = chance.choice(list(tensors))
    array = tensors[name].copy()
    kind = chance.randrange(6)
    if kind <= 2 and array.size:
        limits = np.iinfo(array.dtype) if array.dtype.kind in "iu" else None
        value = chance.choice(FLOATS) if limits is None else chance.choice(NUMBERS)
        within = value if limits is None else min(max(value, limits.min), limits.max)
        array.flat[chance.randrange(array.size)] = within
    elif kind == 3:
        array = array[: chance.randrange(len(array) + 1)]
    elif kind == 4:
        array = np.concatenate([array, array])
    else:
        array = array.reshape(1, -1) if array.ndim == 1 else array.reshape(-1)
    tensors[name] = np.ascontiguousarray(array)


def flipped(chance):
    damaged = bytearray(CONTENT)
    for _ in range(chance.choice([1, 2, 20])):
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def with_another_header(chance):
    size = int.from_bytes(CONTENT[:8], "little")
    header = json.loads(CONTENT[8 : 8 + size])
    edit_json(header, chance)
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + CONTENT[8 + size :]


def resealed(chance):
    """Other content under a right checksum: what somebody who means harm would send."""
    metadata, tensors = copy.deepcopy(unpack(CONTENT))
    for _ in range(chance.choice([1, 1, 2])):
        if chance.random() < 0.4:
            edit_json(metadata, chance)
        else:
            edit_tensor(tensors, chance)
    return pack(metadata, tensors)


@pytest.mark.parametrize("damage", [flipped, with_another_header, resealed])
def test_damaged_files_are_refused_or_run(damage):
    chance = random.Random(0)
    survivors = sum(survives(damage(chance)) for _ in range(600))
    assert survivors < (200 if damage is resealed else 12)
    assert survives(CONTENT)
