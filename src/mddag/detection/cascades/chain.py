"""Chain: what every cascade is: stages in order, and the score below which each rejects.

Stage m has a score f_m, the sum of the votes of its base classifiers. A row leaves at the first
stage with f_m <= r_m, and is accepted if there is none. Every base classifier is evaluated once, in
the first stage that counts it; later stages may count it again at no cost:

    VJCascade     a stage counts its own base classifiers alone
    SoftCascade, WaldBoost   a stage is one base classifier, and counts all before it
    FCBoost       some are counted by one stage, some by all stages from their own on

A row is ranked by where it left, later being better, and there by f_m: m + (f_m / reach_m + 1) / 2,
reach_m being the largest |f_m| there can be. Nothing is learned here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.mdp.grid import Grid
from mddag.mdp.policy import BY_SCORES, EVAL, QUIT, Policy
from mddag.mdp.state import Score, Stages

Vector = NDArray[np.float64]

CLEARANCE = 1e-4  # of the spread of scores: far more than executors round by


@dataclass(frozen=True, eq=False)
class Left:
    """Where rows left a chain.

    stage       : intp (n,), the last stage entered
    score       : float64 (n,), f_m there
    accepted    : bool (n,)
    n_evaluated : int64 (n,)
    rank        : float64 (n,), what an ROC curve is made of
    """

    stage: NDArray[np.intp]
    score: Vector
    accepted: NDArray[np.bool_]
    n_evaluated: NDArray[np.int64]
    rank: Vector


@dataclass(frozen=True, eq=False)
class Chain:
    """Stages of base classifiers.

    order   : intp (T,), step t evaluates base classifier order[t] of the source ensemble
    ends    : intp (M,), rising to T: stage m evaluates the steps ends[m - 1] .. ends[m]
    rejects : float64 (M,), r_m; -inf where a stage rejects nothing
    counts  : bool (T, M), whether stage m counts step t; None: a stage counts all before it
    bias    : what every score begins with, that of the ensemble
    """

    order: NDArray[np.intp]
    ends: NDArray[np.intp]
    rejects: Vector
    counts: NDArray[np.bool_] | None = None
    bias: float = 0.0

    @property
    def n_stages(self) -> int:
        return len(self.ends)

    @classmethod
    def of_steps(cls, order: NDArray[np.intp], rejects: Vector, bias: float = 0.0) -> Chain:
        """One base classifier a stage, each counting all before it."""
        return cls(order.astype(np.intp), np.arange(1, len(order) + 1), rejects, bias=bias)

    @classmethod
    def of_stages(cls, sizes: list[int], rejects: list[float]) -> Chain:
        """Stages with scores of their own, over base classifiers as they come."""
        ends = np.cumsum(np.asarray(sizes, np.intp))
        of = np.repeat(np.arange(len(ends)), sizes)
        counts = of[:, None] == np.arange(len(ends))
        return cls(np.arange(len(of)), ends, np.asarray(rejects, float), counts)

    def truncated(self, n_stages: int) -> Chain:
        """The first stages alone."""
        n_steps = int(self.ends[n_stages - 1])
        counts = None if self.counts is None else self.counts[:n_steps, :n_stages]
        return replace(
            self,
            order=self.order[:n_steps],
            ends=self.ends[:n_stages],
            rejects=self.rejects[:n_stages],
            counts=counts,
        )

    def stage_scores(self, votes: Vector) -> Vector:
        """f_m of rows with these votes (n, N), float64 (n, M)."""
        taken = votes[:, self.order]
        if self.counts is None:
            sums: Vector = np.cumsum(taken, axis=1)[:, self.ends - 1]
        else:
            sums = taken @ self.counts
        return sums + self.bias

    def left(self, votes: Vector, most: Vector | None = None) -> Left:
        """Where rows with these votes (n, N) leave.

        most : the largest |vote| of each base classifier, (N,); by default those of these rows
        """
        scores = self.stage_scores(votes)
        rejected = scores <= self.rejects
        out: NDArray[np.bool_] = np.asarray(rejected.any(axis=1))
        stage = np.where(out, rejected.argmax(axis=1), self.n_stages - 1)
        score = scores[np.arange(len(scores)), stage]
        reach = self.reach(np.abs(votes).max(axis=0, initial=0.0) if most is None else most)
        rank = self.ranks(score, self.ends[stage], reach)
        return Left(stage, score, np.logical_not(out), self.ends[stage].astype(np.int64), rank)

    def ranks(self, scores: Vector, exit_step: NDArray[np.integer[Any]], reach: Vector) -> Vector:
        """What an ROC curve is made of, (n,): of scores (n,) of rows that left at steps (n,)."""
        stage = np.searchsorted(self.ends, exit_step)
        ranks: Vector = stage + (scores / reach[stage] + 1) / 2
        return ranks

    def boundary(self, reach: Vector) -> float:
        """The rank above which rows are accepted."""
        most = float(reach[-1])
        last = min(max(float(self.rejects[-1]), -most), most)
        return self.n_stages - 1 + (last / most + 1) / 2

    def policy(self, n_classifiers: int) -> Policy:
        """The same as a policy over an ensemble of so many base classifiers."""
        n_steps = len(self.order)
        unused = np.setdiff1d(np.arange(n_classifiers), self.order)
        grid = Grid(np.unique(self.rejects[np.isfinite(self.rejects)]))
        actions = np.full((n_classifiers, grid.n_cells), QUIT, np.uint8)
        actions[:n_steps] = EVAL
        verdict = np.full((n_classifiers + 1, grid.n_cells), BY_SCORES, np.int16)
        verdict[n_steps] = 1
        for end, reject in zip(self.ends.tolist(), self.rejects.tolist(), strict=True):
            below = np.searchsorted(grid.edges, reject) + 1 if reject > -np.inf else 0
            verdict[end, :below] = 0
            if end < n_steps:
                actions[end, :below] = QUIT
        state = Score(grid) if self.counts is None else self._state(grid, n_classifiers)
        order = np.concatenate([self.order, unused])
        return Policy(actions, grid, order, state=state, verdict=verdict)

    def _state(self, grid: Grid, n_classifiers: int) -> Stages:
        """A score column for each stage; the first step of a stage reads that of the last."""
        assert self.counts is not None
        n_steps = len(self.order)
        reads = np.full(n_classifiers + 1, self.n_stages - 1)
        reads[: n_steps + 1] = np.searchsorted(self.ends, np.arange(n_steps + 1))
        writes = np.zeros((n_classifiers, self.n_stages), bool)
        writes[:n_steps] = self.counts
        return Stages(grid, reads, writes)

    def reach(self, most: Vector) -> Vector:
        """The largest |f_m| there can be, float64 (M,), of the largest votes (N,) of each h_j."""
        taken = most[self.order]
        sums = np.cumsum(taken)[self.ends - 1] if self.counts is None else taken @ self.counts
        sums = sums + abs(self.bias)
        reach: Vector = np.where(sums > 0, sums, 1.0)
        return reach


def highest_reject(positives: Vector, negatives: Vector, n_lost: int) -> float:
    """The largest r that rejects at most `n_lost` of the positives, of scores (n,) of each class.

    Scores of stumps repeat, and executors round them: so r lies midway between the lowest score
    that is kept and the next one below, whichever class that is of.
    """
    ordered = np.sort(positives)
    if n_lost >= len(ordered):
        return -np.inf  # nothing would be left
    kept = float(ordered[n_lost])
    below = max(
        (float(s[s < kept].max(initial=-np.inf)) for s in (positives, negatives)), default=-np.inf
    )
    if below == -np.inf:
        spread = float(np.abs(ordered).max()) or 1.0
        return kept - CLEARANCE * spread
    return (below + kept) / 2
