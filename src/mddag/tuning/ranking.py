"""sparsify of rankers: one number in, the knob of a family of exits out, judged query by query.

Order and readings are cross-fitted (``solvers.ranking.cross_fitting``), so every query judges knobs
by a policy that it was not fitted on. A bound on what is lost counts queries, never documents:

    mean over queries of the metric lost  <= bound     with the confidence wanted, by Student's t
                                                        made symmetric (Hall 1992)

max_disagreement bounds the metric lost against the full model's own order, for which labels are not
needed; max_loss the metric by labels.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from mddag._internal.doubts import doubt
from mddag.adapters import ModelParts, ensemble_of, parts_of
from mddag.ensemble.ensemble import Ensemble
from mddag.estimators.ranker import MDDAGRanker, has_odds, queries_of, ranking_ensemble
from mddag.features.checks import counted_rows
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, Policy
from mddag.metrics.ranking import checked_labels
from mddag.serving.summary import Summary
from mddag.solvers.ranking.cross_fitting import CrossFitted, cross_fitted
from mddag.solvers.ranking.fit_readings import GROWTH
from mddag.solvers.ranking.members import LEAST_EVERY, ProximityExits, UrgencyExits
from mddag.solvers.ranking.problem import RankingProblem
from mddag.tuning.guarantee import Guarantee
from mddag.tuning.p_values import rows_for_share, skewed_p_value

BOUNDS = ("max_loss", "max_disagreement")
TIMED_EVERY = 16
FEW_CHECKS = 1.0  # looks at queries take time: each check point twice as far as the one before
WORST = 0.1  # a query hardly loses more: so rare ones must be noticed
FEWEST = 30  # queries, for a mean to be about normal


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
    verbose: bool = False,
    random_state: Any = 0,
) -> MDDAGRanker:
    """A fitted MDDAGRanker; see ``sparsify``. `timed`: the fastest that is expected, which may be
    the full model."""
    given_solver = solver
    if solver is None:
        least = TIMED_EVERY if timed else LEAST_EVERY
        growth = FEW_CHECKS if timed else GROWTH
        solver = UrgencyExits(least if every is None else every, growth)
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
    gain_metric, member = estimator.checked_metric(), estimator.checked_exits()
    others = (ProximityExits(growth=FEW_CHECKS),) if timed and given_solver is None else ()
    if knob == "max_loss" and y is None:
        raise ValueError(
            "max_loss bounds the metric by labels, but y is not given; give y, or "
            "max_disagreement, which bounds what is lost against the full model's own order"
        )
    X, labels, _ = counted_rows(X, None if y is None else checked_labels(y), None)
    rows = ensemble.features.rows(source.rows(X))
    if labels is not None:
        check_consistent_length(rows, labels)
    queries = queries_of(qid, group, len(rows))
    guarantee = _guarantee(knob, value, confidence, len(queries))
    votes = ensemble.votes(rows, n_threads=n_threads)
    problem = RankingProblem.of(votes, queries, gain_metric, labels)
    more = None
    if X_train is not None:
        trained = ensemble.features.rows(source.rows(X_train))
        seen = queries_of(qid_train, None, len(trained))
        more = RankingProblem.of(ensemble.votes(trained, n_threads=n_threads), seen, gain_metric)
    random = check_random_state(random_state)
    estimator.describe_rows(X)
    fastest = None
    for tried in (member, *others):
        found = cross_fitted(tried, problem, random, more=more, odds=has_odds(model))
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


def refuse_for_rankers(**given: Any) -> None:
    """Refuse arguments that a ranker has not."""
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name} is given, but a ranker has none here; leave it out")


def refuse_of_rankers(**given: Any) -> None:
    """Refuse arguments that only a ranker has."""
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name} is given, which is for rankers, but qid is not; give both")


def _ranker(ensemble: Ensemble) -> Ensemble:
    if ensemble.kind == "classifier":
        raise ValueError(
            "qid is given, but the model is a classifier; sparsify wants a ranker or a regressor "
            "here. MDDAGRanker(model, solver=…).fit(X, y, qid=qid) sorts by expected relevance"
        )
    return ranking_ensemble(ensemble)


def _guarantee(knob: str, bound: float, confidence: float | None, n: int) -> Guarantee | None:
    if knob not in BOUNDS or confidence is None:
        return None
    needed = max(rows_for_share(min(bound / WORST, 0.5), confidence), FEWEST)
    if n < needed:
        raise ValueError(
            f"{n} queries are too few to promise {knob}={bound} with confidence {confidence}: it "
            f"takes {needed} or more, whatever number of documents they have, and some hundred to "
            "be near the bound; give more queries, a larger bound, or confidence=None"
        )
    return Guarantee(knob, bound, float(confidence), "mean")


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
    n, labels = len(problem.queries), problem.labels
    full = lost_by_labels = None
    if labels is not None and found.label_losses is not None:
        full = float(problem.metric.of_queries(problem.full, labels, problem.queries).mean())
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
