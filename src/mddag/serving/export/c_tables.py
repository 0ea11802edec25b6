"""CTables: a DAG flattened into the arrays that exported code walks.

Votes and scores are the integers of ``IntegerVotes``, so sums are those of the Dag. Steps that no
cell evaluates are left out and the rest renumbered. A row of the jump table becomes runs of cells
with one target each: run r is for states up to ``bounds[r]``, an integer score (K = 1) or margin,
so no grid is left to search. There is one row before the first step and one after each decision.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mddag.dag.dag import Dag
from mddag.dag.integer_votes import LARGEST, IntegerVotes
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import NODE
from mddag.ensemble.votes import starts_of
from mddag.mdp.policy import EVAL, Policy

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
class CTables:
    """All that a walk needs; made by ``CTables.of``.

    steps  : intp (n_kept,), the steps of the policy that are kept
    rounds : int64 (n_kept + 1,), which trees make up which step
    score  : int32 (n_trees,), the score that a tree votes for, -1 for all
    votes  : int32
    bias   : int32 (K,)
    exponent : a score is an integer x 2^-exponent
    starts : int64 (n_rows x K + 1,), where the runs of each row and top class begin
    bounds, jumps : int64 (n_runs,), the highest state of a run, and the step that follows
    """

    splits: Splits
    steps: NDArray[np.intp]
    rounds: NDArray[np.int64]
    score: NDArray[np.int32]
    votes: NDArray[np.int64]
    bias: NDArray[np.int32]
    exponent: int
    every: int
    starts: NDArray[np.int64]
    bounds: NDArray[np.int64]
    jumps: NDArray[np.int64]

    @property
    def n_scores(self) -> int:
        return len(self.bias)

    @property
    def n_steps(self) -> int:
        return len(self.steps)

    @classmethod
    def of(cls, dag: Dag) -> CTables:
        """The tables of a DAG of trees."""
        if dag.ensemble.callables:
            raise TypeError(
                f"the base classifiers are {len(dag.ensemble.callables)} callables; "
                "only ensembles of trees can be exported"
            )
        policy, fixed = dag.policy, dag.fixed_point
        decisions = np.flatnonzero((policy.actions == EVAL).any(axis=1))
        steps = np.flatnonzero(np.isin(np.arange(policy.n_steps) // policy.every, decisions))
        ensemble = _of_steps(dag, steps, fixed)
        starts, bounds, jumps = _runs(policy, steps, decisions, fixed)
        return cls(
            splits=_splits(ensemble),
            steps=steps,
            rounds=ensemble.tables.rounds,
            score=ensemble.tables.score,
            votes=ensemble.tables.values.astype(np.int64),
            bias=fixed.bias,
            exponent=fixed.exponent,
            every=policy.n_together,
            starts=starts,
            bounds=bounds,
            jumps=jumps,
        )


def _of_steps(dag: Dag, steps: NDArray[np.intp], fixed: IntegerVotes) -> Ensemble:
    """The base classifiers of the given steps, in that order, voting integers."""
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


def _runs(
    policy: Policy, steps: NDArray[np.intp], decisions: NDArray[np.intp], fixed: IntegerVotes
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Starts, bounds and jumps of the rows that a walk can consult: the first, and the one behind
    each decision that evaluates something, unless the last one covers fewer steps."""
    renumbered = np.searchsorted(steps, np.arange(policy.n_steps + 1))
    consulted = np.concatenate([[0], decisions + 1])[: len(steps) // policy.n_together + 1]
    rows = renumbered[policy.jumps[consulted]].reshape(-1, len(policy.grid.edges) + 1)
    edges, filled = _cells(policy, fixed)
    runs = [_merged(edges, row[filled]) for row in rows]
    bounds, jumps = (np.concatenate(parts) for parts in zip(*runs, strict=True))
    return starts_of([len(bound) for bound, _ in runs]), bounds, jumps


def _cells(policy: Policy, fixed: IntegerVotes) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The highest integer state in each cell that a state can be in, and which cells those are.

    A score lies above -LARGEST - 1, a margin above -1.
    """
    least, most = (-LARGEST - 1, LARGEST) if policy.grid.n_scores == 1 else (-1, 2 * LARGEST)
    edges = np.append(np.clip(fixed.edges(policy.grid.edges), least, most), most)
    filled = np.diff(edges, prepend=least) > 0
    return edges[filled], filled


def _merged(
    edges: NDArray[np.int64], row: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Bounds and jumps of one row of cells, neighbours with one target joined."""
    last = np.append(row[1:] != row[:-1], True)
    return edges[last], row[last].astype(np.int64)
