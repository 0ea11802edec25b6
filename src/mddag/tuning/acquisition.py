"""Acquisition: what ``acquire`` learned: models of sets, members, and the Dag of the chosen one.

``learned`` trains the models, computes the scores of all rows in every set once, and makes the
search; ``Acquisition.settle`` lays the models of the chosen policy out as blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.calibration.by_exit import exit_calibration
from mddag.calibration.calibration import Calibration
from mddag.dag.dag import Dag
from mddag.dag.purchases import Purchases
from mddag.ensemble.blocks import Blocks
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.read_groups import read_groups
from mddag.estimators.dag_estimator import DagEstimator
from mddag.features.prices import FeaturePrices
from mddag.features.rows import Rows
from mddag.mdp.mdp import Evaluation
from mddag.solvers.acquisition.block_policy import block_policy
from mddag.solvers.acquisition.feature_sets import FeatureSets, completed_set
from mddag.solvers.acquisition.search import Candidate, Search
from mddag.solvers.acquisition.set_policy import SetPolicy
from mddag.tuning.cross_fitted import further_rows
from mddag.tuning.given_rows import GivenRows
from mddag.tuning.group_order import candidate_sets
from mddag.tuning.number_rows import NumberRows, variance_of
from mddag.tuning.set_models import SetModels
from mddag.tuning.set_rows import SetRows

POWERS = (1.0, 0.0)  # of the price, by which chains prefer cheap sets


@dataclass(frozen=True, eq=False)
class AcquisitionSummary:
    """What was learned, and what it does to rows on which it was not learned.

    member       : the kind of policy that won, and what it learned from
    sets         : the groups of each set that has a model in the result
    n_rows       : rows that measured
    feature_cost, full_cost : mean price of a row, and that of all that the full model reads
    error, full_error       : of the labels, or None without; of numbers 1 - R2
    disagreement : with the full model; of numbers the squared difference, in units of R2
    """

    estimator: str
    knob: str
    value: float
    member: str
    sets: tuple[tuple[Any, ...], ...]
    n_rows: int
    feature_cost: float
    full_cost: float
    error: float | None
    full_error: float | None
    disagreement: float

    def __str__(self) -> str:
        numbers = self.estimator == "MDDAGRegressor"
        against = "squared difference from" if numbers else "disagreement with"
        against += f" the full model: {self.disagreement:.4f}"
        if self.error is not None and self.full_error is not None:
            error = "1 - R2" if numbers else "error"
            against = f"{error} {self.error:.4f}, full model {self.full_error:.4f}; {against}"
        return (
            f"{self.estimator} by acquire({self.knob}={self.value:g}): features are bought as a "
            f"row needs them\nfeatures bought for {self.feature_cost:.4g} per row, all cost "
            f"{self.full_cost:.4g}; {self.member}, {len(self.sets)} sets\n"
            f"{against} (on {self.n_rows} rows held out)"
        )


@dataclass(frozen=True, eq=False)
class Acquisition:
    """Models of sets, rows with their scores, and members.

    rows       : all policy rows
    taught     : what members learn from: the learning ones, then training rows with cross-fitted
                 scores
    learning, certifying : intp, those that learn and choose, and those that only certify
    """

    ensemble: Ensemble
    models: SetModels
    rows: SetRows
    taught: SetRows
    policy_rows: Rows
    learning: NDArray[np.intp]
    certifying: NDArray[np.intp]
    search: Search
    prices: NDArray[np.float64]

    def outcome(
        self, candidate: Candidate, index: NDArray[np.intp]
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """What a candidate says of some rows, class codes or numbers (n,), and makes them pay."""
        rows = self.rows.rows(index)
        stops = candidate.policy.follow(rows.sets, rows.values)
        return rows.said(stops.last), stops.cost

    def excess(self, candidate: Candidate, index: NDArray[np.intp], knob: str) -> Any:
        """What the candidate loses on rows beyond the full model, (n,)."""
        rows, (said, _) = self.rows.rows(index), self.outcome(candidate, index)
        if knob == "max_disagreement":
            return rows.changed(said)
        return rows.lost(said) - rows.lost(rows.full)

    def settle(
        self, estimator: DagEstimator, candidate: Candidate, knob: str, value: float
    ) -> None:
        """The estimator takes the Dag of a candidate."""
        dag, used = set_dag(self.models, candidate.policy, self.ensemble, self.rows)
        trace = dag.run(self.policy_rows)
        rows = self.rows
        said = trace.scores[:, 0] if isinstance(rows, NumberRows) else trace.verdict
        measured = _evaluation(rows.lost(said), trace, candidate.beta)
        whole = float(rows.sets.cost[-1]) + rows.sets.prices.wave_cost
        n_full = float(len(self.ensemble))
        lost = float(rows.lost(rows.full).mean())
        of_full = Evaluation(lost, whole, lost + candidate.beta * whole, n_full)
        against = "model" if rows.labels is None else "labels"
        estimator.take_dag(dag, self._calibration(dag, trace), (measured, of_full), against)
        estimator.acquisition_ = self._summary(candidate, used, knob, value)

    def _calibration(self, dag: Dag, trace: Any) -> Calibration:
        """Of probabilities; models of numbers are left as they were trained."""
        rows = self.rows.rows(self.learning)
        if isinstance(rows, NumberRows):
            return Calibration.one_group(1.0, dag.ensemble.n_classifiers)
        scores, exits = trace.scores[self.learning], trace.exit_step[self.learning]
        return exit_calibration(dag.ensemble, scores, exits, rows.opinion())

    def _summary(
        self, candidate: Candidate, used: NDArray[np.intp], knob: str, value: float
    ) -> AcquisitionSummary:
        index = self.certifying if len(self.certifying) else self.learning
        rows, sets = self.rows.rows(index), self.rows.sets
        said, paid = self.outcome(candidate, index)
        cost = paid.mean() if len(self.certifying) else candidate.held_cost
        known = self.rows.labels is not None
        return AcquisitionSummary(
            self.ensemble.task.estimator,
            knob,
            value,
            f"{candidate.member}, by {candidate.reading}",
            tuple(tuple(sets.names(s)) for s in used),
            len(rows),
            float(cost),
            float(sets.cost[-1]) + sets.prices.wave_cost,
            float(rows.lost(said).mean()) if known else None,
            float(rows.lost(rows.full).mean()) if known else None,
            float(rows.changed(said).mean()),
        )


def learned(
    given: GivenRows,
    prices: FeaturePrices,
    knob: str,
    certifying: NDArray[np.intp],
    seed: int,
    n_threads: int,
) -> Acquisition:
    """Models, scores and members."""
    ensemble = given.ensemble
    full = completed_set(prices, np.asarray(read_groups(prices, ensemble).any(axis=0)))
    coded = ensemble.task.coded(given.train_labels)
    X = np.asarray(given.train_rows, np.float64)
    wanted = [*candidate_sets(prices, full, X, coded, seed), full]
    sets = FeatureSets.of(prices, wanted)
    models = SetModels.trained(given.model, ensemble, sets, given.train, given.train_labels, seed)
    scores = models.scores(given.rows, ensemble.bias, n_threads)
    rows = SetRows(models.sets, scores, given.labels)
    if not ensemble.task.predicts_classes:
        rows = NumberRows(models.sets, scores, given.labels)
        rows = replace(rows, unit=variance_of(rows.truth))
    learning = np.setdiff1d(np.arange(len(rows)), certifying)
    seen = rows.rows(learning)
    further = further_rows(given, models, seen, seed, n_threads)
    taught = seen if further is None else seen.joined(further)
    samples = taught.samples(knob, seed)
    search = Search.of(samples, chains_of(taught), len(seen))
    judged = next(iter(samples.values())).judged.mean(axis=0)
    betas = search.prices(float(judged[0]), float(judged[-1]))
    return Acquisition(
        ensemble, models, rows, taught, given.rows, learning, certifying, search, betas
    )


def chains_of(rows: SetRows) -> list[list[int]]:
    """Chains of nested sets, from the first to the last, the best next one by its risk each."""
    sets, risk = rows.sets, rows.risks()
    covers = sets.leads & ~(sets.leads.astype(np.int64) @ sets.leads > 0)
    chains = []
    for power in POWERS:
        chain = [0]
        while covers[chain[-1]].any():
            s, to = chain[-1], np.flatnonzero(covers[chain[-1]])
            worth = (risk[s] - risk[to]) / sets.fares[s, to] ** power
            chain.append(int(to[np.argmax(worth)]))
        chains.append(chain)
    return [list(c) for c in dict.fromkeys(map(tuple, chains))]


def set_dag(
    models: SetModels, policy: SetPolicy, ensemble: Ensemble, rows: SetRows
) -> tuple[Dag, NDArray[np.intp]]:
    """The Dag of a policy over the models that some row may reach, and their sets."""
    sets = models.sets
    start = policy.targets[0]
    reached = _reachable(policy)
    bare = models.models[0] is None or (len(np.unique(start)) == 1 and start[0] != 0)
    used = np.array([s for s in reached if not (s == 0 and bare)], np.intp)
    if len(used) == 0:  # everybody quits with nothing
        used = np.array([len(sets) - 1])
    place = {int(s): b for b, s in enumerate(used)}
    blocks = Blocks.of([_model(models, s) for s in used], ensemble)
    edges = [policy.edges[s] for s in used]
    targets = [np.array([place[int(t)] for t in policy.targets[s]]) for s in used]
    first = 0
    if bare:
        first = -1 if start[0] == 0 else place[int(start[0])]
    found = block_policy(blocks, edges, targets, ensemble.n_scores, first)
    buys = np.zeros((len(blocks.ensemble), sets.prices.n_groups), bool)
    for b, s in enumerate(used):
        buys[blocks.starts[b] : blocks.gates[b]] = sets.held[s]
    return Dag(blocks.ensemble, found, purchases=Purchases(sets.prices, buys)), used


def _reachable(policy: SetPolicy) -> list[int]:
    """The sets that a row may come to, in rising order."""
    found = {0}
    for s in range(len(policy)):
        if s in found:
            found.update(policy.targets[s].tolist())
    return sorted(found)


def _model(models: SetModels, s: int) -> Ensemble:
    model = models.models[s]
    assert model is not None
    return model


def _evaluation(lost: NDArray[np.float64], trace: Any, beta: float) -> Evaluation:
    loss, cost = float(lost.mean()), float(trace.feature_cost.mean())
    return Evaluation(loss, cost, loss + beta * cost, float(trace.n_evaluated.mean()))
