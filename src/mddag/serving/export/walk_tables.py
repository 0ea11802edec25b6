"""Flatten a DAG into the arrays that exported code walks.

Votes and scores are the integers of ``IntegerVotes``, so sums are those of the Dag. Steps that no
cell evaluates are left out and the rest renumbered, except for stages, where a row may look again
at a step that nobody evaluates. A row of the jump table becomes runs of cells with one target each:
run r is for states up to ``bounds[r]``, an integer score (K = 1) or margin, so no grid is left to
search. There is one row before the first step and one after each decision.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.engine.dag import Dag
from mddag.engine.program import AT_END
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import NODE
from mddag.ensemble.votes import starts_of
from mddag.policy.policy import EVAL, Policy
from mddag.policy.rollout import LARGEST, IntegerVotes
from mddag.policy.state import Stages

SPLIT = np.dtype(
    [(name, np.int64 if NODE[name] == np.int32 else NODE[name]) for name in NODE.names or ()]
)


@dataclass(frozen=True, eq=False)
class Splits:
    """The splits of all trees; a child below 0 is the leaf whose votes begin at ~child.

    records : SPLIT (n_splits,), left and right counting from the first split of all; `word` counts
              from the first word of all
    roots   : int64 (n_trees,), a split or a leaf
    words   : uint32, all category sets
    """

    records: NDArray[np.void]
    roots: NDArray[np.int64]
    words: NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Runs:
    """Rows of a table, of which neighboring cells with one value are joined.

    starts : int64 (n_rows x K + 1,), where the runs of each row and top class begin
    bounds, values : int64 (n_runs,), the highest state of a run, and its value
    """

    starts: NDArray[np.int64]
    bounds: NDArray[np.int64]
    values: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class StageTables:
    """Which score columns are read and written.

    reads   : int64 (n_decisions + 1,), the column of each decision, and that of the end
    starts  : int64 (n_steps + 1,), where the columns begin that a step writes
    columns : int64, these columns
    n_columns : C
    """

    reads: NDArray[np.int64]
    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    n_columns: int


@dataclass(frozen=True, eq=False)
class WalkTables:
    """All that a walk needs; made by ``WalkTables.of``.

    steps  : intp (n_kept,), the steps of the policy that are kept
    rounds : int64 (n_kept + 1,), which trees make up which step
    score  : int32 (n_trees,), the score that a tree votes for, -1 for all
    votes, bias : int32, whose sums x 2^-exponent are scores
    jumps    : the step that follows a state
    stages   : the score columns; None where there is one state of all scores
    verdicts : the verdict of a state; None where scores decide
    """

    splits: Splits
    steps: NDArray[np.intp]
    rounds: NDArray[np.int64]
    score: NDArray[np.int32]
    votes: NDArray[np.int64]
    bias: NDArray[np.int32]
    exponent: int
    every: int
    jumps: Runs
    stages: StageTables | None = None
    verdicts: Runs | None = None

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
    runs = [_merged(edges, row[filled]) for row in rows]
    bounds, values = (np.concatenate(parts) for parts in zip(*runs, strict=True))
    return Runs(starts_of([len(bound) for bound, _ in runs]), bounds, values)


def _cells(policy: Policy, fixed: IntegerVotes) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the highest integer state of each cell that a state can be in, and which those are.

    A score lies above -LARGEST - 1, a margin above -1.
    """
    least, most = (-LARGEST - 1, LARGEST) if policy.grid.n_scores == 1 else (-1, 2 * LARGEST)
    edges = np.append(np.clip(fixed.edges(policy.grid.edges), least, most), most)
    filled = np.diff(edges, prepend=least) > 0
    return edges[filled], filled


def _merged(
    edges: NDArray[np.int64], row: NDArray[np.integer[Any]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Join neighboring cells of one row that have one value; return bounds and values."""
    last = np.append(row[1:] != row[:-1], True)
    return edges[last], row[last].astype(np.int64)


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
        looks = _looks(tables)
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


def _looks(tables: WalkTables) -> NDArray[np.int64]:
    """Count the comparisons of a look-up in each row of the jump table, of its longest class."""
    runs = np.diff(tables.jumps.starts).reshape(-1, tables.n_tops).max(axis=1)
    tops = 0 if tables.n_tops == 1 else 1 + 2 * (tables.n_tops - 2)
    return np.array([ceil(log2(n)) + tops for n in runs.tolist()], np.int64)


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
