"""sparsify of rankers: one number in, the knob of a family of exits out, judged query by query.

Order and readings are cross-fitted (``solvers.ranking.cross_fitting``), so every query judges knobs
by a policy that it was not fitted on. A bound on what is lost counts queries, never documents
(``query_guarantee``).

max_disagreement bounds the metric lost against the full model's own order, for which labels are not
needed; max_loss the metric by labels.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from mddag._internal.checks import check_jobs
from mddag._internal.doubts import doubt, doubt_queries
from mddag.adapters import ModelParts, ensemble_of, parts_of
from mddag.ensemble.ensemble import Ensemble
from mddag.estimators.ranker import MDDAGRanker, has_odds, queries_of, ranking_ensemble
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, Policy
from mddag.metrics.queries import Queries
from mddag.metrics.ranking import checked_labels
from mddag.serving.summary import Summary
from mddag.solvers.ranking.cross_fitting import CrossFitted, cross_fitted
from mddag.solvers.ranking.fit_readings import GROWTH
from mddag.solvers.ranking.members import LEAST_EVERY, Exits, ProximityExits, UrgencyExits
from mddag.solvers.ranking.problem import RankingProblem
from mddag.tuning.arguments import BOUNDS
from mddag.tuning.guarantee import Guarantee
from mddag.tuning.p_values import skewed_p_value
from mddag.tuning.query_guarantee import query_guarantee

TIMED_EVERY = 16
FEW_CHECKS = 1.0  # looks at queries take time: each check point twice as far as the one before


def sparse_ranker(
    model: Any,
    X: Any,
    y: Any,
    knob: str,
    value: float,
    *,
    qid: Any,
    group: Any = None,
    X_train: Any = None,
    qid_train: Any = None,
    metric: Any = None,
    confidence: float | None = 0.9,
    solver: Any = None,
    every: int | None = None,
    timed: bool = False,
    n_threads: int = 1,
    n_jobs: int | None = None,
    verbose: bool = False,
    random_state: Any = 0,
) -> MDDAGRanker:
    """A fitted MDDAGRanker; see ``sparsify``. `timed`: the fastest that is expected, which may be
    the full model."""
    solver, others = _members(solver, every, timed)
    source = parts_of(model)
    ensemble = _ranker(ensemble_of(source))
    estimator = MDDAGRanker(
        ensemble if source.transformer is None else ModelParts(ensemble, source.transformer),
        beta=value if knob == "beta" else 0.0,
        metric=metric,
        solver=solver,
        n_threads=n_threads,
        verbose=verbose,
        random_state=random_state,
    )
    check_jobs(n_jobs)
    gain_metric, member = estimator.checked_metric(), estimator.checked_exits()
    if knob == "max_loss" and y is None:
        raise ValueError(
            "max_loss bounds the metric by labels, but y is not given; give y, or "
            "max_disagreement, which bounds what is lost against the full model's own order"
        )
    labels = None if y is None else checked_labels(y)
    rows = ensemble.features.rows(source.rows(X))
    if labels is not None:
        check_consistent_length(rows, labels)
    queries = queries_of(qid, group, len(rows))
    guarantee = query_guarantee(knob, value, confidence, len(queries))
    trained = _trained(source, ensemble, X_train, qid_train)
    votes = ensemble.votes(rows, n_threads=n_threads)
    problem = RankingProblem.of(votes, queries, gain_metric, labels)
    more = None
    if trained is not None:
        votes = ensemble.votes(trained[0], n_threads=n_threads)
        more = RankingProblem.of(votes, trained[1], gain_metric)
    doubt_queries(len(queries), labels)
    random = check_random_state(random_state)
    estimator.describe_rows(X)
    given: dict[str, Any] = {
        "more": more,
        "odds": has_odds(model),
        "n_jobs": n_jobs,
        "verbose": verbose,
    }
    fastest: tuple[float, Policy, CrossFitted, int | None] | None = None
    for tried in (member, *others):
        found = cross_fitted(tried, problem, random, **given)
        at, setting = _chosen(found, knob, value, guarantee)
        policy = _everything(ensemble) if at is None else found.family.policy(setting)
        estimator.settle_ranking(ensemble, policy, found, at)
        speed = estimator.dag_.expected_speedup
        if fastest is None or speed > fastest[0]:
            fastest = speed, policy, found, at
    assert fastest is not None
    speed, policy, found, at = fastest
    if timed and speed <= 1 and knob != "budget":  # evaluating everything is faster
        policy, at = _everything(ensemble), None
    estimator.settle_ranking(ensemble, policy, found, at)
    if guarantee is not None:
        estimator.promise_ = guarantee
    estimator.summary_ = _summary(estimator, problem, knob, value, guarantee, found, at)
    return estimator


def _members(solver: Any, every: int | None, timed: bool) -> tuple[Any, tuple[Exits, ...]]:
    """How documents quit, and what else is tried where time is what counts."""
    if solver is not None:
        is_member = isinstance(solver, Exits) and every is not None
        return replace(solver, every=every) if is_member else solver, ()
    least = TIMED_EVERY if timed else LEAST_EVERY
    growth = FEW_CHECKS if timed else GROWTH
    others = (ProximityExits(growth=FEW_CHECKS),) if timed else ()
    return UrgencyExits(least if every is None else every, growth), others


def _trained(
    source: ModelParts, ensemble: Ensemble, X_train: Any, qid_train: Any
) -> tuple[Any, Queries] | None:
    """Documents that the model was trained on, and their queries."""
    if X_train is None and qid_train is None:
        return None
    if X_train is None or qid_train is None:
        given, absent = ("X_train", "qid_train")[:: 1 if qid_train is None else -1]
        raise ValueError(f"{given} is given, but {absent} is not; give both, or none of them")
    rows = ensemble.features.rows(source.rows(X_train))
    try:
        return rows, Queries.of(qid_train, len(rows))
    except ValueError as error:
        raise ValueError(f"of X_train, {error}") from None


def _ranker(ensemble: Ensemble) -> Ensemble:
    if ensemble.kind == "classifier":
        raise ValueError(
            "qid is given, but the model is a classifier; sparsify wants a ranker or a regressor "
            "here. MDDAGRanker(model, solver=…).fit(X, y, qid=qid) sorts by expected relevance"
        )
    return ranking_ensemble(ensemble)


def _chosen(
    found: CrossFitted, knob: str, value: float, guarantee: Guarantee | None
) -> tuple[int | None, Any]:
    """The place of the chosen knob, and the knob itself; None for the full model."""
    if knob == "beta":
        at = int(np.argmin(found.losses.mean(axis=1) + value * found.n_evaluated))
        return at, found.knobs[at]
    if knob == "budget":
        return _within_budget(found, value)
    lost = found.losses if knob == "max_disagreement" else found.label_losses
    assert lost is not None
    n_good = 0
    for losses in lost:
        fits = losses.mean() <= value
        if guarantee is not None:
            fits = skewed_p_value(losses, value) <= 1 - guarantee.confidence
        if not fits:
            break
        n_good += 1
    if n_good == 0:
        doubt(
            f"{lost.shape[1]} queries show {knob}={value} for no policy faster than the full "
            "model, which is returned; give more queries or a larger bound"
        )
        return None, None
    return n_good - 1, found.knobs[n_good - 1]


def _within_budget(found: CrossFitted, budget: float) -> tuple[int, Any]:
    """The most careful knob within the budget; prices between two knobs are interpolated."""
    costs = found.n_evaluated
    if costs[-1] > budget:
        raise ValueError(
            f"budget is {budget:g}, but policies evaluate {costs[-1]:.4g} base classifiers per "
            "document or more: the first check point is there; give a larger budget"
        )
    at = int(np.argmax(costs <= budget))
    if at == 0 or found.knobs.ndim > 1:
        return at, found.knobs[at]
    share = (costs[at - 1] - budget) / (costs[at - 1] - costs[at])
    return at, math.exp(np.interp(share, [0.0, 1.0], np.log(found.knobs[at - 1 : at + 1])))


def _everything(ensemble: Ensemble) -> Policy:
    """The full ensemble in its own order."""
    return Policy.constant(EVAL, len(ensemble), Grid(np.empty(0)))


def _summary(
    estimator: MDDAGRanker,
    problem: RankingProblem,
    knob: str,
    value: float,
    guarantee: Guarantee | None,
    found: CrossFitted,
    at: int | None,
) -> Summary:
    n, labels = len(found.sizes), problem.labels
    full = lost_by_labels = None
    if labels is not None and found.label_losses is not None:
        by_query = problem.metric.of_queries(problem.full, labels, problem.queries)
        full = float(by_query.mean())
        lost_by_labels = 0.0 if at is None else float(found.label_losses[at].mean())
    difference = 0.0 if at is None else float(found.losses[at].mean())
    lost = lost_by_labels if knob == "max_loss" else difference
    speed = estimator.dag_.expected_speedup
    return Summary(
        kind="ranker",
        knob=knob,
        value=value,
        n_classifiers=len(estimator.ensemble_),
        rows="choosing" if guarantee is None else "certifying",
        n_rows=n,
        n_evaluated=float(estimator.evaluation_.n_evaluated),
        measured_against="model" if labels is None else "labels",
        full=full,
        sparse=None if full is None or lost_by_labels is None else full - lost_by_labels,
        difference=difference,
        lost=lost if knob in BOUNDS else None,
        confidence=None if guarantee is None else guarantee.confidence,
        speed=speed,
        speed_one=speed,
    )
