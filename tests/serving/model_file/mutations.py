"""Damage by number: case `number` of a model is always the same file.

Cases go round the targets: each tensor, each place in the metadata, the header and the bare bytes;
and round the ways to change a target. Chance, which the number seeds, decides on the details and
may add a second change. All but damage of header and bytes is under a right checksum: what somebody
who means harm would send.
"""

import copy
import json
import random

import numpy as np

from mddag.serving.model_file.container import pack, unpack

INTEGERS = [0, 1, -1, 2, 3, 255, 2**24, 2**30, 2**31 - 1, -(2**31), 2**31, 2**62, -(2**63)]
FLOATS = [0.0, -0.0, 1.0, -1.0, 1e308, -1e308, 5e-324, np.inf, -np.inf, np.nan]
NEIGHBOUR, ABSENT = object(), object()
VALUES = [
    *(2**30, NEIGHBOUR, 0, ABSENT, None, NEIGHBOUR, "", [], -1, 1e308, 2**31 - 1, {}, True, False),
    *("regressor", "classifier", "ranker", "identity", "exp", "unknown", "int8", "object", "U1"),
    *("score", "stages", {"kind": "score"}, {"kind": "stages"}, {"kind": "none"}),
    *("gap", "urgency", "MeanNDCG", "NDCG", "linear", 2**40),
    *("U9", "U4000000", "x" * 999, [[]], [[0, ["a"]]], 1.5, -1e308, 2**70, *INTEGERS),
]


def mutated(content, number):
    """The file `content` with the damage of a number."""
    metadata, tensors = copy.deepcopy(unpack(content))
    names = sorted(tensors)  # a file gives them in any order
    targets = [*names, *names, *places(metadata), HEADER, BYTES]
    chance = random.Random(number)
    target, turn = targets[number % len(targets)], number // len(targets)
    if target is HEADER:
        return with_another_header(content, chance)
    if target is BYTES:
        return flipped(content, chance)
    change(metadata, tensors, target, turn, chance)
    if chance.random() < 0.3:
        change(metadata, tensors, chance.choice(targets[:-2]), chance.randrange(99), chance)
    return pack(metadata, tensors)


HEADER, BYTES = object(), object()


def places(value, path=()):
    """The paths of everything inside of a JSON value, of long lists only the ends."""
    inside = list(value.items() if isinstance(value, dict) else enumerate(value))
    for key, item in inside if isinstance(value, dict) else inside[:2] + inside[2:][-1:]:
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from places(item, (*path, key))


def change(metadata, tensors, target, turn, chance):
    if isinstance(target, str):
        ways = INTEGER_WAYS if tensors[target].dtype.kind in "iu" else FLOAT_WAYS
        tensors[target] = np.ascontiguousarray(
            ways[turn % len(ways)](tensors[target].copy(), chance)
        )
    else:
        edit_json(metadata, target, VALUES[turn % len(VALUES)], chance)


def edit_json(value, path, wanted, chance):
    try:
        for key in path[:-1]:
            value = value[key]
        before = value[path[-1]]
    except (LookupError, TypeError):
        return  # a first change was here already
    if isinstance(value, str):  # likewise
        return
    if wanted is ABSENT:
        del value[path[-1]]
    elif wanted is NEIGHBOUR:
        is_number = type(before) in (int, float)
        value[path[-1]] = before + chance.choice([-1, 1, 1000]) if is_number else [before]
    else:
        value[path[-1]] = copy.deepcopy(wanted)


def somewhere(array, chance):
    return chance.randrange(array.size)


def within(value, dtype):
    """The number nearest to a value that a type holds."""
    if dtype.kind == "f":
        return value
    return min(max(value, np.iinfo(dtype).min), np.iinfo(dtype).max)


def put(value):
    """One number becomes the value."""

    def one(array, chance):
        if array.size:
            array.flat[somewhere(array, chance)] = within(value, array.dtype)
        return array

    return one


def put_all(value):
    """All numbers become the value."""
    return lambda array, chance: np.full_like(array, within(value, array.dtype))


def put_extreme(array, chance):
    return put(chance.choice(FLOATS if array.dtype.kind == "f" else INTEGERS))(array, chance)


def step_aside(array, chance):
    """One number becomes its neighbour."""
    if array.size:
        at = somewhere(array, chance)
        by = chance.choice([-1, 1])
        with np.errstate(over="ignore"):
            array.flat[at] += np.array(by).astype(array.dtype)
    return array


def borrow(array, chance):
    """One number becomes another of the array."""
    if array.size:
        array.flat[somewhere(array, chance)] = array.flat[somewhere(array, chance)]
    return array


def swap(array, chance):
    if array.size:
        a, b = somewhere(array, chance), somewhere(array, chance)
        array.flat[[a, b]] = array.flat[[b, a]]
    return array


def shuffle(array, chance):
    flat = array.reshape(-1)
    return flat[chance.sample(range(flat.size), flat.size)].reshape(array.shape)


def fill(array, chance):
    """All numbers become one of them."""
    if array.size:
        array[...] = array.flat[somewhere(array, chance)]
    return array


def cut(array, chance):
    return array[: chance.randrange(len(array) + 1)]


def double(array, chance):
    return np.concatenate([array, array])


def reshape(array, chance):
    return array.reshape(1, -1) if array.ndim == 1 else array.reshape(-1)


def retype(array, chance):
    return array.astype(chance.choice([np.float64, np.int64, np.int32, np.uint32, np.uint8]))


def nudge(array, chance):
    """One number becomes the nearest other one."""
    if array.size:
        at = somewhere(array, chance)
        array.flat[at] = np.nextafter(array.flat[at], chance.choice([-np.inf, np.inf]))
    return array


def scale(array, chance):
    """All numbers grow or shrink by far."""
    with np.errstate(over="ignore"):
        return array * chance.choice([-1.0, 1e-300, 1e-30, 1e9, 1e200, 1e307])


def flip_bit(array, chance):
    if array.size:
        raw = array.reshape(-1).view(np.uint8)
        raw[chance.randrange(raw.size)] ^= np.uint8(1 << chance.randrange(8))
    return array


ANY_WAYS = [put(0), borrow, swap, fill, shuffle, put_extreme, flip_bit, cut, double, reshape]
INTEGER_WAYS = [put(-1), step_aside, put_all(-1), put(2**31 - 1), *ANY_WAYS, put(1), retype]
FLOAT_WAYS = [nudge, put(np.inf), scale, put(np.nan), *ANY_WAYS, step_aside]


def flipped(content, chance):
    damaged = bytearray(content)
    for _ in range(chance.choice([1, 2, 20])):
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def with_another_header(content, chance):
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    edit_json(header, chance.choice(list(places(header))), chance.choice(VALUES), chance)
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + content[8 + size :]
