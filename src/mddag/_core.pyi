"""The native core: kernels on arrays. Nothing here checks its arguments; the callers do."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

NODE_SIZE: int

def leaf_codes(
    nodes: NDArray[np.uint8],
    starts: NDArray[np.int64],
    words: NDArray[np.uint32],
    word_starts: NDArray[np.int64],
    X: NDArray[np.floating[Any]],
    out: NDArray[np.unsignedinteger[Any]],
    n_threads: int,
) -> None: ...
def add_scores(
    nodes: NDArray[np.uint8],
    starts: NDArray[np.int64],
    words: NDArray[np.uint32],
    word_starts: NDArray[np.int64],
    values: NDArray[np.float64],
    value_starts: NDArray[np.int64],
    score: NDArray[np.int32],
    X: NDArray[np.floating[Any]],
    out: NDArray[np.float64],
    n_threads: int,
) -> None: ...
def add_coded_scores(
    values: NDArray[np.float64],
    value_starts: NDArray[np.int64],
    score: NDArray[np.int32],
    codes: NDArray[np.unsignedinteger[Any]],
    out: NDArray[np.float64],
) -> None: ...
def sum_by_leaf(
    leaf: NDArray[np.unsignedinteger[Any]],
    targets: NDArray[np.int8],
    weights: NDArray[np.float64],
    out: NDArray[np.int64],
    n_threads: int,
) -> int: ...
def reweigh(
    leaf: NDArray[np.unsignedinteger[Any]],
    votes: NDArray[np.float64],
    targets: NDArray[np.int8],
    mass: NDArray[np.float64],
    right: float,
    wrong: float,
    units: NDArray[np.float64],
    weights: NDArray[np.float64],
    n_threads: int,
) -> None: ...
def add_votes(
    leaf: NDArray[np.unsignedinteger[Any]],
    votes: NDArray[np.float64],
    targets: NDArray[np.int8],
    mass: NDArray[np.float64],
    scores: NDArray[np.float64],
    n_threads: int,
) -> float: ...
def encode(
    X: NDArray[np.floating[Any]],
    cuts: NDArray[np.float64],
    starts: NDArray[np.int64],
    n_codes: NDArray[np.int32],
    nominal: NDArray[np.bool_],
    out: NDArray[np.unsignedinteger[Any]],
    n_threads: int,
) -> None: ...

ColumnArrays = tuple[
    NDArray[np.unsignedinteger[Any]],
    NDArray[np.int32],
    NDArray[np.bool_],
    NDArray[np.bool_],
    NDArray[np.intp],
]

def coded_leaves(
    columns: ColumnArrays,
    nodes: NDArray[np.uint8],
    cuts: NDArray[np.int32],
    words: NDArray[np.uint32],
    out: NDArray[np.unsignedinteger[Any]],
    n_threads: int,
) -> None: ...
def grow(
    columns: ColumnArrays,
    targets: NDArray[np.int8],
    weights: NDArray[np.float64],
    opposite: bool,
    nodes: NDArray[np.uint8],
    cuts: NDArray[np.int32],
    votes: NDArray[np.float64],
    words: NDArray[np.uint32],
    n_threads: int,
) -> int: ...
