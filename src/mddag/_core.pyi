"""The native core: kernels on arrays. The callers check the arguments; of these, only numbers that
say where a kernel writes (scores, orders, jumps) are checked here again, with a ValueError."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

# What belongs together crosses as one tuple: the `native` property of the class of that name.
Trees = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint32], NDArray[np.int64]]
Tables = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], int]
FixedTables = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], int]
Grid = tuple[NDArray[np.float64], NDArray[np.int32], float, float, int]
Policy = tuple[NDArray[np.int32], NDArray[np.int64]]
Codes = NDArray[np.unsignedinteger[Any]]
Sample = tuple[
    Tables, Codes, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]
]  # tables, codes, bias, costs, cumulative weights
Space = tuple[Grid, NDArray[np.float64], NDArray[np.float64]]  # grid, centres, norm
Allowed = tuple[bool, bool, bool]  # EVAL, SKIP, QUIT
Loss = tuple[
    int,
    float,
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.float64],
]  # kind, scale, prices; labels as classes, values or shares
Rows = NDArray[np.floating[Any]]

NODE_SIZE: int

def tree_fault(nodes: NDArray[np.uint8], n_leaves: int, n_words: int) -> tuple[int, int]: ...
def leaf_codes(trees: Trees, X: Rows, out: Codes, n_threads: int) -> None: ...
def add_scores(
    trees: Trees, tables: Tables, X: Rows, out: NDArray[np.float64], n_threads: int
) -> None: ...
def add_coded_scores(tables: Tables, codes: Codes, out: NDArray[np.float64]) -> None: ...
def cells(grid: Grid, scores: NDArray[np.float64], out: NDArray[np.int32]) -> None: ...
def rollout(
    tables: Tables,
    codes: Codes,
    grid: Grid,
    policy: Policy,
    costs: NDArray[np.float64],
    scores: NDArray[np.float64],
    n_evaluated: NDArray[np.int32],
    exit_step: NDArray[np.int32],
    cost: NDArray[np.float64],
    n_threads: int,
) -> None: ...

class Walk:
    """The row walk of a policy over trees. It copies what it is given, and any number of threads
    may use it at once. `missing` says whether a single row may hold NaN.
    """

    def __init__(
        self,
        trees: Trees,
        tables: FixedTables,
        bias: NDArray[np.int32],
        unit: float,
        order: NDArray[np.int64],  # step j evaluates base classifier order[j]
        edges: NDArray[np.int64],
        jumps: NDArray[np.int32],  # Policy.jumps
        every: int,  # at most the number of steps, or 1
        n_features: int,
        missing: bool,
    ) -> None: ...
    def predict_one(self, x: Rows) -> int:
        """The class code of one row; with one score, whether it is above 0.

        x is float32 or float64 (n_features,) or (1, n_features), of any stride; it is checked here.
        An array of another shape or type raises a ValueError, as does NaN where there may be none;
        what is no array raises a TypeError. The lock of the interpreter is kept.
        """

    def scores_one(self, x: Rows) -> tuple[float, ...]:
        """The scores (K,) of one row, which is checked in the same way."""

    def scores(self, X: Rows, out: NDArray[np.float64], n_threads: int) -> None: ...
    def exits(
        self,
        X: Rows,
        out: NDArray[np.float64],
        exit_step: NDArray[np.int32],
        n_threads: int,
    ) -> None:
        """`exit_step` holds zeros on entry."""

    def run(
        self,
        X: Rows,
        costs: NDArray[np.float64],
        out: NDArray[np.float64],
        exit_step: NDArray[np.int32],
        cost: NDArray[np.float64],
        n_threads: int,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """n_evaluated and the paths; `exit_step` and `cost` hold zeros on entry."""

def probabilities(
    scores: NDArray[np.float64],
    factors: NDArray[np.float64],  # (1,) or (n_rows,)
    out: NDArray[np.float64],  # (n_rows, max(K, 2))
) -> None: ...

class CalibratedWalk:
    """What single rows stand for, by the factor and the offset of the exit at which they leave.

    Rows are checked as by `Walk.predict_one`.
    """

    def __init__(
        self,
        walk: Walk,
        factors: NDArray[np.float64],  # (N + 1,), by exit step
        offsets: NDArray[np.float64],
    ) -> None: ...
    def probabilities_one(self, x: Rows, out: NDArray[np.float64]) -> None:
        """`out` is contiguous, with max(K, 2) elements."""

    def mean_one(self, x: Rows) -> float:
        """The first score, calibrated."""

Sums = NDArray[np.int32] | NDArray[np.float64]

class Decisions:
    """A policy as `Forest.run_blocks` takes it."""

    def __init__(
        self,
        edges: NDArray[np.int64],
        jumps: NDArray[np.int32],  # Policy.jumps
        n_steps: int,
        every: int,  # at most the number of steps, or 1
        n_scores: int,
        expected_steps: int,  # of a row, on average; it decides on speed alone
    ) -> None: ...

class Forest:
    """An ensemble of trees made ready for many rows at once; it keeps no reference to the arrays.

    Methods release the GIL and may be called from several threads. `out` is (n_rows, K) and need
    not be filled: int32 gets the fixed-point sums, bias included, and float64 the sums x `unit`.
    """

    def __init__(
        self,
        trees: Trees,
        tables: FixedTables,
        bias: NDArray[np.int32],
        unit: float,
        order: NDArray[np.int64],  # step j of run_blocks evaluates base classifier order[j]
        portable: bool = False,  # leave the machine's vector instructions alone
    ) -> None: ...
    @property
    def kernels(self) -> str: ...  # "avx2" or "portable"
    def scores(self, X: Rows, out: Sums, n_threads: int) -> None: ...
    def run_blocks(
        self,
        X: Rows,
        decisions: Decisions,
        out: Sums,
        exit_step: NDArray[np.int32] | None,  # (n_rows,), one behind the last step evaluated
        n_threads: int,
    ) -> None: ...

def learn_episodes(
    sample: Sample,
    space: Space,
    learning: tuple[float, float, float, bool, Allowed],
    epsilon: NDArray[np.float64],
    n_episodes: int,
    values: tuple[Any, ...],
    random_state: NDArray[np.uint64],
    loss: Loss | Callable[[NDArray[np.float64], int], float],
) -> None: ...
def tabulate(
    values: tuple[Any, ...], space: Space, allowed: Allowed, out: NDArray[np.uint8]
) -> None: ...
def descend(
    sample: tuple[
        Tables,
        Codes,
        NDArray[np.int64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
    ],  # tables, codes, instances, bias, costs, weight
    grid: Grid,
    arguments: tuple[float, int, Allowed],  # beta, every, allowed
    guards: tuple[int, int, float, float],  # groups, instances per group, z of SKIP, z of QUIT
    loss: Loss | Callable[[NDArray[np.float64], NDArray[np.int64]], NDArray[np.float64]],
    actions: NDArray[np.uint8],
    n_threads: int,
) -> float: ...
def losses(loss: Loss, scores: NDArray[np.float64], out: NDArray[np.float64]) -> None: ...
def sum_by_leaf(
    leaf: Codes,
    targets: NDArray[np.int8],
    weights: NDArray[np.float64],
    out: NDArray[np.int64],
    n_threads: int,
) -> int: ...
def reweigh(
    leaf: Codes,
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
    leaf: Codes,
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
