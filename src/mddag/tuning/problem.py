"""The rows of one call: votes, targets, weights and prices, and what each row is for.

Votes and full scores are computed once; nothing after this reads X.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length

from mddag._utils.arrays import mass, part, stratified
from mddag._utils.cached import cached_property
from mddag.engine.node_counts import RowNodes
from mddag.ensemble.costs import LeafDepths
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import Votes
from mddag.policy.calibration import fit_factor, probabilities
from mddag.policy.mdp import MDP, mdp_of

Part = Literal["seen", "choose", "certify"]
Rows = NDArray[np.intp]
Shares = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Split:
    """Rows by what they are for, each a sorted array of row numbers."""

    learn: Rows  # policies are learned on them
    choose: Rows  # estimate candidates and choose among them
    certify: Rows  # only test a guarantee; empty where nothing is guaranteed

    @classmethod
    def random(cls, n: int, shares: Shares, random: np.random.RandomState) -> Split:
        """Split n rows at random."""
        fewest = 3 if shares[-1] else 2
        if n < fewest:
            raise ValueError(
                f"X has {n} row(s), too few to learn from some and choose by others; give "
                f"at least {fewest}"
            )
        learned, judged = np.round(np.cumsum(shares)[:-1] * n).astype(int)
        ends = min(learned, judged - 1), judged  # of few rows one chooses
        return cls(*(np.sort(rows) for rows in np.split(random.permutation(n), ends)))

    @classmethod
    def stratified(
        cls, strata: NDArray[Any], fraction: float, random: np.random.RandomState
    ) -> Split:
        """Let a fraction of every stratum choose, at random, and the rest learn."""
        choose = stratified(strata, fraction, random)
        if len(choose) == 0:
            raise ValueError(
                f"selection_fraction is {fraction}, which leaves none of {len(strata)} rows for "
                "choosing; give more rows or a larger fraction"
            )
        learn = np.setdiff1d(np.arange(len(strata)), choose)
        return cls(learn, choose, np.empty(0, np.intp))

    @property
    def seen(self) -> Rows:
        """The rows that learn and choose, sorted."""
        return np.sort(np.concatenate([self.learn, self.choose]))

    def rows(self, part: Part) -> Rows:
        """Return the rows of a part."""
        if part == "seen":
            return self.seen
        return self.choose if part == "choose" else self.certify


@dataclass(frozen=True, eq=False)
class Problem:
    """What a policy is learned from and compared by."""

    ensemble: Ensemble
    votes: Votes
    scores: NDArray[np.float64]  # (n, K), of the full ensemble
    full: NDArray[Any]  # (n,), what the full ensemble predicts
    truth: NDArray[Any]  # (n,), y; what the full ensemble predicts where y was not given
    labelled: bool  # whether y was given
    split: Split
    weight: NDArray[np.float64] | None = None  # (n,), above 0; None where all are alike
    counts_nodes: bool = False  # whether costs are nodes, not evaluations

    def __len__(self) -> int:
        return len(self.full)

    @classmethod
    def of(
        cls,
        ensemble: Ensemble,
        X: Any,
        y: Any,
        *,
        shares: Shares,
        random: np.random.RandomState,
        weight: NDArray[np.float64] | None = None,
        counts_nodes: bool = False,
        n_jobs: int = 1,
        stratify: bool = False,
    ) -> Problem:
        """Check rows and targets and split them at random, or every class alike."""
        if counts_nodes and ensemble.priced:
            raise ValueError(
                "objective is 'nodes', but the ensemble has prices of its own (with_cost), which "
                "would be replaced; wanted an ensemble without them, or objective='evaluations'"
            )
        rows = ensemble.features.rows(X)
        task, truth = ensemble.task, None
        if y is not None:
            truth = task.checked_targets(y)
            check_consistent_length(rows, truth)
            task.coded(truth)  # refuses labels that are not among the classes
        votes = ensemble.votes(rows, n_jobs=n_jobs)
        scores = votes.scores()
        full = task.predictions(scores)
        known = full if truth is None else truth
        if stratify:
            split = Split.stratified(task.strata(known), shares[1], random)
        else:
            split = Split.random(len(rows), shares, random)
        found = ensemble, votes, scores, full, known, truth is not None, split, weight
        return cls(*found, counts_nodes)

    @property
    def blocks(self) -> tuple[Rows, Rows]:
        """The two parts of the rows that metrics are computed in, each by itself."""
        split = self.split
        return (split.seen, split.certify) if len(split.certify) else (split.learn, split.choose)

    def mdp(self, targets: NDArray[Any], loss: Any = None, **settings: Any) -> MDP:
        """Return the MDP of all rows with these targets."""
        weight = self.weight
        return mdp_of(self.ensemble, self.votes, targets, loss=loss, weight=weight, **settings)

    def soft_targets(self, price: float = 0.0) -> NDArray[np.float64]:
        """Return the full ensemble's probabilities (n, n_classes), calibrated on the rows seen.

        As soft targets they price a changed label by the accuracy that it is expected to cost, with
        less noise than the true labels, and never reward it. Where something is to be proved each
        change has a `price` of its own, from 0 to 1, by which targets move towards the label.
        """
        seen, task = self.split.seen, self.ensemble.task
        weight = part(self.weight, seen)
        codes = task.coded(self.truth[seen])
        factor = fit_factor(self.scores[seen], codes, None if weight is None else mass(weight))
        targets = (1 - price) * probabilities(self.scores, factor)
        targets[np.arange(len(targets)), task.coded(self.full)] += price
        return targets

    @cached_property
    def nodes(self) -> RowNodes | None:
        """What counts the nodes that rows visit; None where evaluations count."""
        if not self.counts_nodes:
            return None
        return RowNodes(self.votes, LeafDepths.of(self.ensemble))

    def mean_nodes(self) -> NDArray[np.float64]:
        """Return the mean nodes of each base classifier, (N,), which solvers take as its price.

        A tree of 64 leaves is no evaluation like that of a stump. Rows that certify have no part in
        prices.
        """
        seen = self.split.seen
        depths = LeafDepths.of(self.ensemble).of_rows(self.votes.rows(seen).codes)
        means = np.average(depths, axis=0, weights=part(self.weight, seen))
        return np.asarray(means, np.float64)
