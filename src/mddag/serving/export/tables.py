"""All of a model that leaves Python, as named numbers and arrays for every language.

A language has one text, the walk, with sections that hold for some models alone (``facts``), and
one way to write an array. Votes and scores are the integers of ``IntegerVotes``, so sums are those
of the Dag; they stay within 31 bits, so 32-bit integers hold them exactly in every language, and so
do the doubles of JavaScript. Languages without structs read a split as four int32 in a row, which
are in one line of the cache:

    threshold as the bits of a float32, or the place of a set of categories
    feature x 4 + 2 if it is a set + 1 if missing values go left
    left, right: a split, or below 0 the leaf whose votes begin at ~child

A set of categories is its number of words, and then as many words of 32 bits.

Steps that no cell evaluates are left out and the rest renumbered, except for stages, where a row
may look again at a step that nobody evaluates. A row of the jump table becomes runs of cells with
one target each: run r is for states up to ``bounds[r]``, an integer score (K = 1) or margin, so no
grid is left to search. There is one row before the first step and one after each decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import ceil, log2
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mddag._utils.cached import cached_property
from mddag.engine.dag import Dag
from mddag.engine.program import AT_END
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import NODE
from mddag.ensemble.patches import PatchFeatures
from mddag.ensemble.votes import starts_of
from mddag.policy.calibration import Calibration
from mddag.policy.policy import EVAL, Policy
from mddag.policy.rollout import LARGEST, IntegerVotes
from mddag.policy.state import Stages
from mddag.serving.model_file import Model

Integers = NDArray[np.int64]
SPLIT = np.dtype(
    [(name, np.int64 if NODE[name] == np.int32 else NODE[name]) for name in NODE.names or ()]
)


@dataclass(frozen=True, eq=False)
class Splits:
    """The splits of all trees; a child below 0 is the leaf whose votes begin at ~child."""

    records: NDArray[np.void]  # SPLIT (n_splits,), children and words counted from the first of all
    roots: NDArray[np.int64]  # (n_trees,), a split or a leaf
    words: NDArray[np.uint32]  # all category sets


@dataclass(frozen=True, eq=False)
class Runs:
    """Rows of a table, of which neighboring cells with one value are joined."""

    starts: NDArray[np.int64]  # (n_rows x K + 1,), where the runs of each row and top class begin
    bounds: NDArray[np.int64]  # (n_runs,), the highest state of a run
    values: NDArray[np.int64]  # (n_runs,), its value


@dataclass(frozen=True, eq=False)
class StageTables:
    """Which score columns are read and written."""

    reads: NDArray[np.int64]  # (n_decisions + 1,), column of each decision, and that of the end
    starts: NDArray[np.int64]  # (n_steps + 1,), where the columns begin that a step writes
    columns: NDArray[np.int64]  # these columns
    n_columns: int


@dataclass(frozen=True, eq=False)
class WalkTables:
    """All that a walk needs; made by ``WalkTables.of``."""

    splits: Splits
    steps: NDArray[np.intp]  # (n_kept,), the steps of the policy that are kept
    rounds: NDArray[np.int64]  # (n_kept + 1,), which trees make up which step
    score: NDArray[np.int32]  # (n_trees,), the score that a tree votes for, -1 for all
    votes: NDArray[np.int64]  # sums of votes and bias x 2^-exponent are scores
    bias: NDArray[np.int32]
    exponent: int
    every: int
    jumps: Runs  # the step that follows a state
    stages: StageTables | None = None  # score columns; None where there is one state of all scores
    verdicts: Runs | None = None  # the verdict of a state; None where scores decide

    @property
    def n_scores(self) -> int:
        """K."""
        return len(self.bias)

    @property
    def n_tops(self) -> int:
        """How many classes may be the top one where a table is looked at."""
        return 1 if self.stages is not None else self.n_scores

    @property
    def n_steps(self) -> int:
        """The number of steps that are kept."""
        return len(self.steps)

    @classmethod
    def of(cls, dag: Dag) -> WalkTables:
        """Flatten a DAG of trees."""
        if dag.ensemble.callables:
            raise TypeError(
                f"the base classifiers are {len(dag.ensemble.callables)} callables; "
                "only ensembles of trees can be exported"
            )
        policy, fixed = dag.policy, dag.fixed_point
        staged = policy.state if isinstance(policy.state, Stages) else None
        if staged is None:
            _ = policy.jumps  # raises for states that no kernel knows
        elif policy.grid.n_scores > 1:
            raise TypeError(
                f"the policy has score columns of {policy.grid.n_scores} classes; only those of "
                "two classes or of a regressor can be exported"
            )
        kept = (policy.actions == EVAL).any(axis=1) | (staged is not None)
        decisions = np.flatnonzero(kept)
        steps = np.flatnonzero(np.isin(np.arange(policy.n_steps) // policy.every, decisions))
        ensemble = _of_steps(dag, steps, fixed)
        return cls(
            splits=_splits(ensemble),
            steps=steps,
            rounds=ensemble.tables.rounds,
            score=ensemble.tables.score,
            votes=ensemble.tables.values.astype(np.int64),
            bias=fixed.bias,
            exponent=fixed.exponent,
            every=policy.n_together,
            jumps=_jump_runs(policy, steps, decisions, fixed),
            stages=None if staged is None else _stage_tables(policy, staged),
            verdicts=_verdict_runs(policy, decisions, fixed),
        )


def _of_steps(dag: Dag, steps: NDArray[np.intp], fixed: IntegerVotes) -> Ensemble:
    """Return the base classifiers of the given steps, in that order, voting integers."""
    tables = replace(dag.ensemble.tables, values=fixed.values.astype(np.float64))
    order = np.concatenate([dag.policy.order[steps], np.delete(dag.policy.order, steps)])
    return replace(dag.ensemble, tables=tables).reordered(order).truncated(len(steps))


def _splits(ensemble: Ensemble) -> Splits:
    nodes, tables = ensemble.nodes, ensemble.tables
    tree = np.repeat(np.arange(ensemble.n_trees), np.diff(ensemble.starts))
    is_split = nodes["feature"] >= 0
    width = np.where(tables.score < 0, tables.n_scores, 1)
    vote = tables.starts[tree] + np.where(is_split, 0, nodes["left"]) * width[tree]
    place = np.where(is_split, np.cumsum(is_split) - 1, ~vote)
    records, of_split = nodes[is_split], tree[is_split]
    flat = np.empty(len(records), SPLIT)
    for name in NODE.names or ():
        flat[name] = records[name]
    for child in ("left", "right"):
        flat[child] = place[ensemble.starts[of_split] + records[child]]
    flat["word"] += ensemble.word_starts[of_split]
    return Splits(flat, place[ensemble.starts[:-1]], ensemble.words)


def _jump_runs(
    policy: Policy, steps: NDArray[np.intp], decisions: NDArray[np.intp], fixed: IntegerVotes
) -> Runs:
    """Return the rows that a walk can consult.

    The first, and the one after each decision that evaluates something, unless the last one covers
    fewer steps.
    """
    renumbered = np.searchsorted(steps, np.arange(policy.n_steps + 1))
    consulted = np.concatenate([[0], decisions + 1])[: len(steps) // policy.n_together + 1]
    return _runs(renumbered[policy.jump_table[consulted]], policy, fixed)


def _verdict_runs(policy: Policy, decisions: NDArray[np.intp], fixed: IntegerVotes) -> Runs | None:
    """Return the verdicts of rows that quit before the first step and after each kept decision.

    AT_END is for rows of stages that pass the end, whose last cell decides.
    """
    if policy.verdict is None:
        return None
    if isinstance(policy.state, Stages):
        table = np.array(policy.last_verdicts)
        table[:-1][policy.last_decisions[:-1] == len(policy.actions)] = AT_END
        return _runs(table, policy, fixed)
    return _runs(policy.last_verdicts[np.concatenate([[0], decisions + 1])], policy, fixed)


def _stage_tables(policy: Policy, state: Stages) -> StageTables:
    _, starts, columns, n_columns, end = state.native
    reads = np.append(state.reads[: policy.n_steps : policy.n_together], end)
    return StageTables(reads.astype(np.int64), starts, columns, n_columns)


def _runs(table: NDArray[np.integer[Any]], policy: Policy, fixed: IntegerVotes) -> Runs:
    """Split a table (n_rows, n_cells) into runs of states."""
    rows = table.reshape(-1, len(policy.grid.edges) + 1)
    edges, filled = _cells(policy, fixed)
    cells = rows[:, filled].astype(np.int64)
    last = np.append(cells[:, 1:] != cells[:, :-1], np.ones((len(rows), 1), bool), axis=1)
    starts = starts_of(last.sum(axis=1))
    return Runs(starts, np.broadcast_to(edges, cells.shape)[last], cells[last])


def _cells(policy: Policy, fixed: IntegerVotes) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the highest integer state of each cell that a state can be in, and which those are.

    A score lies above -LARGEST - 1, a margin above -1.
    """
    least, most = (-LARGEST - 1, LARGEST) if policy.grid.n_scores == 1 else (-1, 2 * LARGEST)
    edges = np.append(np.clip(fixed.edges(policy.grid.edges), least, most), most)
    filled = np.diff(edges, prepend=least) > 0
    return edges[filled], filled


@dataclass(frozen=True)
class WorstCase:
    """Base classifiers and comparisons of a walk that no row exceeds.

    The longest way that a row can take through the tables is

        W(row) = comparisons of a look-up + max over targets t (depths of the trees of t + W(t + 1))

    over all targets that a row of the jump table has, whether or not scores can lead there. A
    comparison is one of a value with a threshold (or a set), of a score with a bound of the jump
    table, or of two scores.
    """

    evaluations: int
    comparisons: int

    @classmethod
    def of(cls, tables: WalkTables) -> WorstCase:
        """Find the longest way through the tables."""
        total = np.concatenate([[0], np.cumsum(tree_depths(tables.splits))])
        steps = np.diff(total[tables.rounds])
        ones = np.ones(tables.n_steps, np.int64)
        # Comparisons of a look-up in each row of the jump table, of its longest class.
        runs = np.diff(tables.jumps.starts).reshape(-1, tables.n_tops).max(axis=1)
        tops = 0 if tables.n_tops == 1 else 1 + 2 * (tables.n_tops - 2)
        looks = np.array([ceil(log2(n)) + tops for n in runs.tolist()], np.int64)
        return cls(_longest(tables, ones, 0 * looks), _longest(tables, steps, looks))


def tree_depths(splits: Splits) -> NDArray[np.int64]:
    """Return the most splits that a row passes in each tree, (n_trees,)."""
    depth = np.zeros(len(splits.roots), np.int64)
    trees, at = np.arange(len(splits.roots)), splits.roots
    while (inside := at >= 0).any():
        trees, at = trees[inside], at[inside]
        depth[np.unique(trees)] += 1
        children = splits.records["left"][at], splits.records["right"][at]
        trees, at = np.concatenate([trees, trees]), np.concatenate(children)
    return depth


def _longest(tables: WalkTables, steps: NDArray[np.int64], looks: NDArray[np.int64]) -> int:
    """Return the most that steps and look-ups can add up to on a way from the first row."""
    every, starts = tables.every, tables.jumps.starts[:: tables.n_tops]
    from_row = np.zeros(len(looks) + 1, np.int64)  # nothing after the last row
    for row in range(len(looks) - 1, -1, -1):
        ways = [0]
        for target in np.unique(tables.jumps.values[starts[row] : starts[row + 1]]).tolist():
            if target >= tables.n_steps:
                continue
            block = target // every
            if tables.stages is not None and block > row:  # another column is looked at first
                ways.append(from_row[block])
            else:
                ways.append(steps[target : (block + 1) * every].sum() + from_row[block + 1])
        from_row[row] = looks[row] + max(ways)
    return int(from_row[0])


@dataclass(frozen=True, eq=False)
class ModelTables:
    """A model of trees that reads one row at a time, as renderers take it."""

    model: Model

    @cached_property
    def walk(self) -> WalkTables:
        """The arrays that exported code walks."""
        return WalkTables.of(self.model.dag)

    @cached_property
    def worst(self) -> WorstCase:
        """The longest way of a row."""
        return WorstCase.of(self.walk)

    @property
    def ensemble(self) -> Ensemble:
        """The ensemble that the policy runs."""
        return self.model.dag.ensemble

    @property
    def patches(self) -> PatchFeatures | None:
        """The features of patches, where the model reads those."""
        features = self.ensemble.features
        return features if isinstance(features, PatchFeatures) else None

    @property
    def classes(self) -> Labels | None:
        """The labels; None for regressors and rankers."""
        classes = self.ensemble.classes
        return None if classes is None else Labels.of(classes.tolist())

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the features; None if there are none, as for pixels."""
        names = self.ensemble.features.names
        return None if self.patches is not None or names is None else tuple(map(str, names))

    @property
    def categories(self) -> dict[int, tuple[Any, ...]]:
        """The values of nominal columns in the order of their codes: text, or floats.

        In a row by name a value is text or a number; two values that look alike there keep both
        codes, and a look-up gives one of them.
        """
        columns = sorted(self.ensemble.features.categories.items())
        return {i: tuple(map(_key, values)) for i, values in columns}

    @property
    def facts(self) -> frozenset[str]:
        """Which sections of a walk this model needs."""
        return frozenset(name for name, holds in self.all_facts.items() if holds)

    @cached_property
    def all_facts(self) -> dict[str, bool]:
        """What sections of a walk can be for, and whether the model needs them."""
        walk, features, task = self.walk, self.ensemble.features, self.ensemble.task
        probabilities = task.predicts_classes and self.model.calibration is not None
        # A ranker predicts its scores whatever its link.
        exp_link = self.ensemble.kind == "regressor" and self.ensemble.link == "exp"
        return {
            "staged": walk.stages is not None,
            "verdicts": walk.verdicts is not None,
            "nominal": bool((walk.splits.records["n_words"] > 0).any()),
            "many": walk.n_scores > 1,
            "together": walk.every > 1,
            "patches": self.patches is not None,
            "classifies": task.predicts_classes,
            "calibrated": self.calibration is not None,
            "probabilities": probabilities,
            "exp_link": exp_link,
            "exp": probabilities or exp_link,
            "named": self.names is not None,
            "missing": features.missing,
            "refuses": features.unknown == "error",
        }

    @property
    def constants(self) -> dict[str, int]:
        """Sizes that a walk reads."""
        walk = self.walk
        sizes = {
            "n_features": self.ensemble.features.n_given,
            "n_scores": walk.n_scores,
            "n_sums": walk.n_scores if walk.stages is None else walk.stages.n_columns,
            "n_steps": walk.n_steps,
            "every": walk.every,
        }
        if self.ensemble.task.predicts_classes:
            sizes["n_classes"] = max(walk.n_scores, 2)
        if self.patches is not None:
            sizes |= {"height": self.patches.window[0], "width": self.patches.window[1]}
        return sizes

    @property
    def unit(self) -> float:
        """A score is a sum times this power of two."""
        return float(np.ldexp(1.0, -self.walk.exponent))

    @cached_property
    def calibration(self) -> Calibration | None:
        """The calibration by kept exit; None for classifiers that have none."""
        calibration = self.model.calibration
        if calibration is None:
            if self.ensemble.task.predicts_classes:
                return None
            calibration = Calibration.one_group(1.0, len(self.ensemble))
        groups = calibration.groups[np.concatenate([[0], self.walk.steps + 1])]
        return Calibration(groups, calibration.factors, calibration.offsets)

    @property
    def integers(self) -> dict[str, Integers]:
        """The arrays of a walk without structs; each value fits into 32 bits with a sign."""
        walk, rest = self.walk, self.rest
        nodes, sets = self._nodes
        arrays: dict[str, NDArray[Any]]
        arrays = {"nodes": nodes, "sets": sets, "roots": walk.splits.roots, "votes": walk.votes}
        arrays |= {"bias": walk.bias, "rounds": walk.rounds, "starts": walk.jumps.starts}
        arrays |= {"bounds": self._signed(walk.jumps.bounds), "jumps": walk.jumps.values, **rest}
        if walk.verdicts is not None:
            arrays["verdict_bounds"] = self._signed(walk.verdicts.bounds)
        return {name: np.asarray(values, np.int64) for name, values in arrays.items()}

    @property
    def rest(self) -> dict[str, Integers]:
        """The arrays that some models alone have."""
        walk, arrays = self.walk, {}
        if walk.n_scores > 1:
            arrays["score"] = walk.score.astype(np.int64)
        if walk.stages is not None:
            arrays |= {"reads": walk.stages.reads, "write_starts": walk.stages.starts}
            arrays["write_columns"] = walk.stages.columns
        if walk.verdicts is not None:
            arrays |= {"verdict_starts": walk.verdicts.starts, "verdicts": walk.verdicts.values}
            arrays["verdict_bounds"] = walk.verdicts.bounds
        if self.calibration is not None:
            arrays["groups"] = self.calibration.groups.astype(np.int64)
        if self.patches is not None:
            arrays["corners"], arrays["weights"] = self.rectangles(self.patches)
        return arrays

    @property
    def doubles(self) -> dict[str, NDArray[np.float64]]:
        """The arrays of float64 numbers."""
        if self.calibration is None:
            return {}
        return {"factors": self.calibration.factors, "offsets": self.calibration.offsets}

    @property
    def longs(self) -> dict[str, NDArray[np.uint64]]:
        """The arrays of 64 bits."""
        return {"two_powers": two_powers()} if "exp" in self.facts else {}

    @cached_property
    def thresholds(self) -> NDArray[np.float32]:
        """The largest float32 that is not above the threshold of each split."""
        exact = self.walk.splits.records["threshold"]
        with np.errstate(over="ignore"):  # CatBoost splits at the least float32, before missing
            rounded: NDArray[np.float32] = exact.astype(np.float32)
            below = np.nextafter(rounded, np.float32(-np.inf))
        return np.where(rounded > exact, below, rounded)

    @staticmethod
    def rectangles(features: PatchFeatures) -> tuple[Integers, Integers]:
        """Return the corners (4 m,) of rectangles in an integral image, and their weights."""
        x, y, w, h, weight = features.rectangles.reshape(-1, 5).astype(np.int64).T
        stride = features.window[1] + 1
        upper, lower = y * stride + x, (y + h) * stride + x
        return np.stack([upper, upper + w, lower, lower + w], axis=1).ravel(), weight

    @cached_property
    def _nodes(self) -> tuple[Integers, Integers]:
        """Splits as four numbers each, and the sets of categories."""
        records, words = self.walk.splits.records, self.walk.splits.words
        first = self.thresholds.view(np.int32).astype(np.int64)
        is_set, sets = records["n_words"] > 0, [np.empty(0, np.int64)]
        at = 0
        for i in np.flatnonzero(is_set).tolist():
            own = words[records["word"][i] :][: records["n_words"][i]].view(np.int32)
            sets.append(np.concatenate([[len(own)], own]).astype(np.int64))
            first[i], at = at, at + len(sets[-1])
        second = records["feature"] * 4 + 2 * is_set + records["missing_left"]
        nodes = np.stack([first, second, records["left"], records["right"]], axis=1)
        return nodes.ravel().astype(np.int64), np.concatenate(sets)

    def _signed(self, bounds: Integers) -> Integers:
        """Bounds of margins, 0 .. 2^32 - 2, less 2^31; those of scores as they are."""
        return bounds - 2**31 if self.walk.n_scores > 1 else bounds


EXACT = 2**53  # the largest whole number up to which doubles hold all


@dataclass(frozen=True)
class Labels:
    """Names of features, values of categories or classes, all int, float or str.

    Whole numbers that a double holds exactly and bools stay whole numbers, other real numbers
    become doubles, and everything else, mixed columns too, is text.
    """

    kind: Literal["whole", "real", "text"]
    values: tuple[Any, ...]

    @classmethod
    def of(cls, values: Sequence[Any]) -> Labels:
        """Take values as numbers where a language can hold them all, else as text."""
        plain = [v.item() if isinstance(v, np.generic) else v for v in values]
        if all(isinstance(v, Integral) and abs(int(v)) <= EXACT for v in plain):
            return cls("whole", tuple(map(int, plain)))
        if all(map(_is_double, plain)):
            return cls("real", tuple(map(float, plain)))
        return cls("text", tuple(v if isinstance(v, str) else str(v) for v in plain))


def _is_double(value: Any) -> bool:
    """Tell whether a double holds the number; NaN, which equals nothing, is text."""
    try:
        return isinstance(value, (Real, np.bool_)) and bool(float(value) == value)
    except OverflowError:
        return False


def _key(value: Any) -> str | float:
    if _is_double(value):
        return float(value)
    return value if isinstance(value, str) else str(value)


STEPS = 128


@cache
def two_powers() -> NDArray[np.uint64]:
    """Return two entries for each i of 2^(i/128), of which D is the nearest double.

    The bits of D's relative error, and those of D less i 2^45: adding k 2^45 gives 2^(k/128). With
    x = k ln 2 / 128 + r, exported code computes exp(x) = 2^(k/128) x (1 + tail + r + r^2/2 + ... +
    r^5/120) by fused multiply-adds, the algorithm of Arm's optimized routines (MIT license), which
    the C library of Linux has and by which the library computes probabilities there: the same bits
    in every language. JavaScript computes fused operations of sums and products (Boldo and
    Melquiond, 2008). Other C libraries may differ by one unit in the last place.
    """
    entries: list[int] = []
    with localcontext() as context:
        context.prec = 60
        for i in range(STEPS):
            exact = Decimal(2) ** (Decimal(i) / STEPS)
            nearest = float(exact)
            tail = float(Fraction(exact) / Fraction(nearest) - 1)
            entries += [_bits(tail), _bits(nearest) - (i << 45)]
    return np.array(entries, np.uint64)


def _bits(number: float) -> int:
    return int(np.float64(number).view(np.uint64))
