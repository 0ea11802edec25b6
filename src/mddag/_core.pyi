"""The native core: kernels on arrays. The callers check the arguments; of these, only numbers that
say where a kernel writes (scores, orders, jumps) are checked here again, with a ValueError."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Ints8 = NDArray[np.int8]
Ints32 = NDArray[np.int32]
Ints64 = NDArray[np.int64]
Words = NDArray[np.uint32]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Codes = NDArray[np.unsignedinteger[Any]]
Rows = NDArray[np.floating[Any]]
Sums = Ints32 | Floats

# What belongs together crosses as one tuple: the `native` property of the class of that name.
Trees = tuple[Bytes, Ints64, Words, Ints64]
Tables = tuple[Floats, Ints64, Ints32, Ints64, int]
FixedTables = tuple[Ints32, Ints64, Ints32, Ints64, int]
Grid = tuple[Floats, Ints32, float, float, int]
Policy = tuple[Ints32, Ints64]
# reads, where the columns begin that a step writes, these columns, how many there are, the end's
Stages = tuple[Ints64, Ints64, Ints64, int, int]
# by decision and cell, and of rows that have passed all steps; see native/walk/verdicts.hpp
Verdicts = tuple[NDArray[np.int16], NDArray[np.int16]]
# discounts, whether the metric is a mean over cuts, knots and gains, slope
Urgency = tuple[Floats, bool, Floats, Floats, float]
Readings = tuple[Ints64, Floats, Floats, Floats, Floats]  # checks, weights, level, edges, spread
ColumnArrays = tuple[Codes, Ints32, Bools, Bools, NDArray[np.intp]]
# cells ((height + 1) (width + 1), n), scales (n,), height, width
PatchCells = tuple[Words, NDArray[np.float32], int, int]
# kind, scale, prices; labels as classes, values or shares
Loss = tuple[int, float, Floats, Ints64, Floats, Floats]
Allowed = tuple[bool, bool, bool]  # EVAL, SKIP, QUIT
# tables, codes, bias, costs, cumulative weights, which may be empty
Sample = tuple[Tables, Codes, Floats, Floats, Floats]
Space = tuple[Grid, Floats, Floats]  # grid, centers, norm
# beta, rate, trace decay, whether off-policy, allowed
Learning = tuple[float, float, float, bool, Allowed]
Values = tuple[Any, ...]  # of a value function: what its `start` returns
# tables, codes, instances, bias, costs, weight
DescentSample = tuple[Tables, Codes, Ints64, Floats, Floats, Floats]
Descent = tuple[float, int, Allowed]  # beta, every, allowed
# settings, features, nodes, trees and stages
WindowClassifier = tuple[Any, ...]
# tables, codes, bias, weight, what the first j base classifiers cost
ExitSample = tuple[Tables, Codes, Floats, Floats, Floats]
# levels by decision and cell, or by one of them alone; candidates; steps of a decision
Exits = tuple[Ints32, int, int]
Guards = tuple[int, int, float, float]  # groups, instances per group, z of SKIP, z of QUIT

NODE_SIZE: int

# native/levels
def levels() -> list[str]:
    """The levels of kernels that this machine runs, the slowest first; all give the same bits."""

def level() -> str:
    """The one that runs where none is named: the fastest, or MDDAG_LEVEL of the environment."""

# native/ensemble
def tree_fault(nodes: Bytes, n_leaves: int, n_words: int) -> tuple[int, int]: ...
def tree_shapes(trees: Trees, depth: Ints32, oblivious: Bytes) -> None:
    """Fill, by tree, the splits before the deepest leaf, and whether each level is one split."""

def leaf_codes(trees: Trees, X: Rows, out: Codes, n_threads: int) -> None: ...
def add_scores(trees: Trees, tables: Tables, X: Rows, out: Floats, n_threads: int) -> None: ...
def add_coded_scores(tables: Tables, codes: Codes, out: Floats) -> None: ...
def add_leaf_sums(tables: Tables, codes: Codes, numbers: Floats, sums: Floats) -> None:
    """Add numbers (n, K) of rows to those of the values (n_values,) of each leaf they reach."""

# native/haar
def integral_images(image: Bytes, sums: Words, squares: NDArray[np.uint64]) -> None: ...
def haar_fault(features: Ints32, height: int, width: int) -> tuple[int, str]:
    """The first feature of int32 (m, 3, 5) that does not fit the window, and why; or -1."""

def haar_values(
    patches: Bytes,  # (n, height, width)
    features: Ints32,  # (m, 3, 5): x, y, w, h, weight of each rectangle
    out: NDArray[np.float32],  # (n, m)
    n_threads: int,
) -> None: ...
def haar_cells(patches: Bytes, out: PatchCells, n_threads: int) -> None: ...
def haar_columns(
    patches: PatchCells,
    features: Ints32,
    out: NDArray[np.float32],  # (m, n)
    n_threads: int,
) -> None: ...
def haar_codes(
    patches: PatchCells,
    features: Ints32,
    n_bins: int,  # 2 to 256
    out: Bytes,  # (m, n)
    n_threads: int,
) -> None: ...

# native/mdp
def cells(grid: Grid, scores: Floats, out: Ints32) -> None: ...
def losses(loss: Loss, scores: Floats, out: Floats) -> None: ...
def rollout(
    tables: Tables,
    codes: Codes,
    grid: Grid,
    policy: Policy,
    costs: Floats,
    carried: Floats,  # (n, K), the scores
    n_evaluated: Ints32,
    exit_step: Ints32,
    cost: Floats,
    n_threads: int,
) -> None: ...
def rollout_stages(
    tables: Tables,
    codes: Codes,
    grid: Grid,
    stages: Stages,
    policy: Policy,
    costs: Floats,
    carried: Floats,  # (n, C x K), the columns
    n_evaluated: Ints32,
    exit_step: Ints32,
    cost: Floats,
    n_threads: int,
) -> None: ...

# native/walk
class Walk:
    """The row walk of a policy over trees. It copies what it is given, and any number of threads
    may use it at once. `missing` says whether a single row may hold NaN.
    """

    def __init__(
        self,
        trees: Trees,
        tables: FixedTables,
        bias: Ints32,
        unit: float,
        order: Ints64,  # step j evaluates base classifier order[j]
        edges: Ints64,
        jumps: Ints32,  # Policy.jumps
        every: int,  # at most the number of steps, or 1
        n_features: int,
        missing: bool,
        verdicts: Verdicts | None = None,
    ) -> None: ...
    def predict_one(self, x: Rows) -> int:
        """The class code of one row: its verdict, or by its scores; with one, whether it is above
        0.

        x is float32 or float64 (n_features,) or (1, n_features), of any stride; it is checked here.
        An array of another shape or type raises a ValueError, as does NaN where there may be none;
        what is no array raises a TypeError. The lock of the interpreter is kept.
        """

    def scores_one(self, x: Rows) -> tuple[float, ...]:
        """The scores (K,) of one row, which is checked in the same way."""

    def scores(self, X: Rows, out: Floats, n_threads: int) -> None: ...
    def exits(
        self, X: Rows, out: Floats, exit_step: Ints32, codes: Ints64 | None, n_threads: int
    ) -> None:
        """`exit_step` holds zeros on entry; `codes` gets the classes as predict_one gives them."""

    def run(
        self,
        X: Rows,
        costs: Floats,
        out: Floats,
        exit_step: Ints32,
        cost: Floats,
        codes: Ints64 | None,
        n_threads: int,
    ) -> tuple[Ints32, Ints32]:
        """n_evaluated and the paths; `exit_step` and `cost` hold zeros on entry."""

class StageWalk(Walk):
    """The same with the score columns of ``mdp.Stages``."""

    def __init__(
        self,
        trees: Trees,
        tables: FixedTables,
        bias: Ints32,
        unit: float,
        order: Ints64,
        edges: Ints64,
        jumps: Ints32,  # Policy.jump_table
        every: int,
        n_features: int,
        missing: bool,
        verdicts: Verdicts | None,
        stages: Stages,
    ) -> None: ...

def probabilities(
    scores: Floats,
    factors: Floats,  # (1,) or (n_rows,)
    offsets: Floats,  # as many; of one score
    out: Floats,  # (n_rows, max(K, 2))
) -> None: ...

class CalibratedWalk:
    """What single rows stand for, by the factor and the offset of the exit at which they leave.

    Rows are checked as by `Walk.predict_one`.
    """

    def __init__(
        self,
        walk: Walk,
        factors: Floats,  # (N + 1,), by exit step
        offsets: Floats,
    ) -> None: ...
    def probabilities_one(self, x: Rows, out: Floats) -> None:
        """`out` is contiguous, with max(K, 2) elements."""

    def mean_one(self, x: Rows) -> float:
        """The first score, calibrated."""

class CalibratedStageWalk(CalibratedWalk): ...

class LazyRun:
    """Rows that wait for groups of features; one thread at a time. See engine/purchases.py."""

    def __init__(
        self,
        walk: Walk,
        wants: Bytes,  # (N, G), not 0 where step j reads group g
        n_rows: int,
    ) -> None: ...
    def give(self, rows: Ints64, group: int) -> None:
        """Some rows, whose numbers rise, have a group from now on."""

    def resume(self, X: Floats, rows: Ints64, lacking: Bytes, n_threads: int) -> None:
        """`X` is (n_rows, n_features); `lacking` (m, G) gets 1 where a row waits for a group."""

    def finish(self, scores: Floats, exit_step: Ints32, codes: Ints64 | None) -> None:
        """Of all rows as they are; the class of a row that waits is that of its scores."""

class LazyStageRun(LazyRun): ...

class PatchWalk:
    """The row walk over patches, whose columns are Haar features, computed when they are read.

    The first arguments are those of `Walk`; there is one feature for each column.
    """

    def __init__(
        self,
        trees: Trees,
        tables: FixedTables,
        bias: Ints32,
        unit: float,
        order: Ints64,
        edges: Ints64,
        jumps: Ints32,
        every: int,
        features: Ints32,  # (n_features, 3, 5)
        height: int,
        width: int,
    ) -> None: ...
    def scores(self, patches: Bytes, out: Floats, n_threads: int) -> None: ...
    def exits(self, patches: Bytes, out: Floats, exit_step: Ints32, n_threads: int) -> None:
        """`exit_step` holds zeros on entry."""

    def run(
        self,
        patches: Bytes,
        costs: Floats,
        out: Floats,
        exit_step: Ints32,
        cost: Floats,
        n_threads: int,
    ) -> tuple[Ints32, Ints32]:
        """n_evaluated and the paths; `exit_step` and `cost` hold zeros on entry."""

# native/blocks
class Decisions:
    """A policy as `Forest.run_blocks` takes it."""

    def __init__(
        self,
        edges: Ints64,
        jumps: Ints32,  # Policy.jumps
        n_steps: int,
        every: int,  # at most the number of steps, or 1
        n_scores: int,
        expected_steps: int,  # of a row, on average; it decides on speed alone
    ) -> None: ...

class QueryDecisions:
    def __init__(
        self,
        readings: Readings,
        number: str,
        k: int,
        urgency: Urgency,
        edges: Floats,
        quits: Bytes,
    ) -> None: ...

class Forest:
    """An ensemble of trees made ready for many rows at once; it keeps no reference to the arrays.

    Methods release the GIL and may be called from several threads. `out` is (n_rows, K) and need
    not be filled: int32 gets the integer sums, bias included, and float64 the sums x `unit`.
    """

    def __init__(
        self,
        trees: Trees,
        tables: FixedTables,
        bias: Ints32,
        unit: float,
        order: Ints64,  # step j of run_blocks evaluates base classifier order[j]
        level: str = "",  # as `levels` names it; by default `level()`
    ) -> None: ...
    @property
    def level(self) -> str: ...
    def scores(self, X: Rows, out: Sums, n_threads: int) -> None: ...
    @property
    def most_documents(self) -> int: ...
    def run_queries(
        self,
        X: Rows,
        starts: Ints64,
        decisions: QueryDecisions,
        reading: Floats,
        exit_step: Ints32,
        n_threads: int,
    ) -> None: ...
    def run_blocks(
        self,
        X: Rows,
        decisions: Decisions,
        out: Sums,
        exit_step: Ints32 | None,  # (n_rows,), one after the last step evaluated
        n_threads: int,
    ) -> None: ...

# native/solvers
def learn_episodes(
    sample: Sample,
    space: Space,
    learning: Learning,
    epsilon: Floats,
    n_episodes: int,
    values: Values,
    random_state: NDArray[np.uint64],
    loss: Loss | Callable[[Floats, int], float],
) -> None: ...
def tabulate(values: Values, space: Space, allowed: Allowed, out: Bytes) -> None: ...
def descend(
    sample: DescentSample,
    grid: Grid,
    arguments: Descent,
    guards: Guards,
    loss: Loss | Callable[[Floats, Ints64], Floats],
    actions: Bytes,
    n_threads: int,
) -> float: ...
def walk_exits(
    sample: ExitSample,
    grid: Grid,
    exits: Exits,
    losses: list[Loss],
    sums: Floats,  # (n_losses + 1, n_candidates + 1), changed
) -> None: ...
def quit_cuts(
    there: Floats,  # (m, n_cells)
    wrong: Floats,  # (m, n_cells)
    budget: Floats,  # (m,)
    shares: Floats,
    low: Ints64,  # (m,)
    high: Ints64,  # (m,)
    weight: Floats,  # (m,)
) -> None: ...
def reject_thresholds(
    ranked: tuple[Floats, Ints32, Floats],  # sums, ranks, cuts, each (T, n)
    of_rows: tuple[
        Floats, Floats, Ints32, Floats, Bools
    ],  # reject, negative, reached, prices, looks
    least: float,
    going_on: Floats,  # (n,), changed
    out: Floats,  # (length,)
) -> None: ...
def last_steps(sums: Floats, thresholds: Floats, out: Ints32) -> None: ...

# native/boosting
def sum_by_leaf(
    leaf: Codes, targets: Ints8, weights: Floats, out: Ints64, n_threads: int
) -> int: ...
def reweigh(
    leaf: Codes,
    votes: Floats,
    targets: Ints8,
    mass: Floats,
    right: float,
    wrong: float,
    units: Floats,
    weights: Floats,
    n_threads: int,
) -> None: ...
def add_votes(
    leaf: Codes, votes: Floats, targets: Ints8, mass: Floats, scores: Floats, n_threads: int
) -> float: ...
def encode(
    X: Rows,
    cuts: Floats,
    starts: Ints64,
    n_codes: Ints32,
    nominal: Bools,
    out: Codes,
    n_threads: int,
) -> None: ...
def coded_leaves(
    columns: ColumnArrays, nodes: Bytes, cuts: Ints32, words: Words, out: Codes, n_threads: int
) -> None: ...
def grow(
    columns: ColumnArrays,
    targets: Ints8,
    weights: Floats,
    opposite: bool,
    nodes: Bytes,
    cuts: Ints32,
    votes: Floats,
    words: Words,
    n_threads: int,
) -> int: ...
def urgency(
    urgency: Urgency,
    starts: Ints64,
    reading: Floats,
    spread: Floats,
    alive: Bytes,
    out: Floats,
    n_threads: int,
) -> None: ...

# native/scan
def check_window_classifier(classifier: WindowClassifier) -> None:
    """ValueError unless the kernel may run it."""

def scan(
    image: Bytes,
    levels: Ints64,  # (L, 3): height, width, step
    tasks: Ints64,  # (n, 3): level, first row of windows, end
    classifier: WindowClassifier,
    n_threads: int,
    level: str = "",
) -> tuple[Ints32, Floats, int, int]:
    """Hits as (level, x, y) each, scores, windows looked at, base classifiers evaluated."""

def group_greedily(boxes: Ints64, weights: Floats, least: float, group: Ints64) -> int: ...
def group_similar(boxes: Ints64, part: float, group: Ints64) -> int: ...
def resize(image: Bytes, out: Bytes) -> None: ...
