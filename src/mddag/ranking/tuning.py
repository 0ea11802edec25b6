"""mddag.ranking.sparsify: a ranker and one target in, the setting of a family of exits out.

Order and readings are cross-fitted (``ranking.exits``), so every query measures settings by a
policy that it was not fitted on. Bounds are on the mean over queries, never documents:

    mean over queries of the metric lost  <= bound     with the confidence wanted, by Student's t
                                                        made symmetric (Hall 1992)

Most queries lose nothing and a few of them much, so that a mean over few queries looks too small
where none of these was drawn. So there must be enough queries for a rare one to be among them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from mddag._utils.checks import check_jobs, check_one_of
from mddag._utils.warnings import doubt, doubt_queries
from mddag.adapters import ModelParts, ensemble_of, parts_of
from mddag.ensemble.ensemble import Ensemble
from mddag.metrics.ranking import GainMetric, Queries, checked_labels
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, Policy
from mddag.ranking.estimator import MDDAGRanker, as_ranker, checked_exits, checked_metric
from mddag.ranking.exits import (
    CrossFitted,
    Exits,
    ProximityExits,
    UrgencyExits,
    cross_fitted,
)
from mddag.ranking.problem import RankingProblem
from mddag.serving.summary import Summary
from mddag.tuning.guarantee import BoundedLoss
from mddag.tuning.targets import Bound, Target, target_of

WORST = 0.1  # a query hardly loses more: so rare ones must be noticed
FEWEST = 30  # queries, for a mean to be about normal
OBJECTIVES = ("evaluations", "time")
TIMED_EVERY = 16
FEW_CHECKS = 1.0  # looks at queries take time: each check point twice as far as the one before


def sparsify(
    ranker: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    qid: ArrayLike | None = None,
    metric: GainMetric | None = None,
    beta: float | None = None,
    budget: float | None = None,
    max_loss: float | None = None,
    max_disagreement: float | None = None,
    confidence: float | None = 0.9,
    X_train: Any = None,
    qid_train: ArrayLike | None = None,
    solver: Exits | None = None,
    objective: Literal["evaluations", "time"] = "evaluations",
    n_jobs: int | None = None,
    random_state: Any = 0,
    verbose: bool = False,
) -> MDDAGRanker:
    """Make a trained ranker sparse: documents quit where they can hardly change the order.

    Parameters
    ----------
    ranker : estimator, model, path or Ensemble
        A trained ranker or regressor that ``mddag.as_ensemble`` reads, or a fitted Pipeline that
        ends with one. It is not refitted.
    X : array-like or DataFrame of shape (n, n_features)
        Documents that the ranker was not trained on.
    y : array-like of shape (n,), default None
        Relevance labels, 0 or more. Without them what documents are worth is assumed from the
        ranker's scores.
    qid : array-like of shape (n,), default None
        The query of each document, a whole number or a string, in any order.
    metric : NDCG, LetorNDCG or MeanNDCG, default None
        What to preserve; None means ``NDCG(10)``.
    beta : float, default None
        The price of one evaluation per document, in units of the metric.
    budget : float, default None
        Mean evaluations per document, at most.
    max_loss : float, default None
        What may be lost of the metric by labels.
    max_disagreement : float, default None
        What may be lost of the metric against the ranker's own order; it needs no labels.
    confidence : float or None, default 0.9
        Probability with which `max_loss` or `max_disagreement` holds for unseen queries. None takes
        the point estimate on held-out queries. Ignored for `beta` and `budget`.
    X_train, qid_train : array-like, default None
        Documents that the ranker was trained on, and their queries, if they are at hand: they help
        to order trees and to fit readings.
    solver : Exits, default None
        How documents quit; None means ``UrgencyExits()``.
    objective : {"evaluations", "time"}, default "evaluations"
        With ``"time"`` of large batches check points are fewer, ``ProximityExits`` are tried, too,
        and the full ranker is returned where it is expected to be faster (except for `budget`).
    n_jobs : int, default None
        Processes that measure a fifth of the queries each; -1 for all cores. The result does not
        depend on it.
    random_state : int, RandomState or None, default 0
        Draws the folds.
    verbose : bool, default False
        Show progress on standard error.

    Returns
    -------
    MDDAGRanker
        The fitted sparse ranker. ``print`` of it shows a summary.

    Raises
    ------
    ValueError
        Unless exactly one of `beta`, `budget`, `max_loss` and `max_disagreement` is given, or where
        the queries are too few to show a bound.

    Warns
    -----
    DoubtfulResult
        Where a bound can be shown for no policy: then the full ranker is returned.

    See Also
    --------
    mddag.sparsify : The same for classifiers and regressors.

    Examples
    --------
    >>> import mddag
    >>> import numpy as np
    >>> from sklearn.ensemble import HistGradientBoostingRegressor
    >>> rng = np.random.default_rng(0)
    >>> X, qid = rng.normal(size=(4000, 3)), np.repeat(np.arange(200), 20)
    >>> y = np.digitize(X[:, 0] + X[:, 1] * X[:, 2], [0.5, 1.5])
    >>> trained, new = qid < 100, qid >= 100
    >>> ranker = HistGradientBoostingRegressor(max_leaf_nodes=8).fit(X[trained], y[trained])
    >>> fast = mddag.ranking.sparsify(ranker, X[new], y[new], qid=qid[new], budget=30)
    >>> bool(fast.n_evaluated(X[new], qid[new]).mean() < 35)
    True
    """
    target = target_of(
        beta=beta,
        budget=budget,
        max_loss=max_loss,
        max_disagreement=max_disagreement,
        confidence=confidence,
    )
    check_one_of("objective", objective, OBJECTIVES)
    check_jobs(n_jobs)
    timed = objective == "time"
    source = parts_of(ranker)
    ensemble = ensemble_of(source)
    odds, ensemble = ensemble.kind == "ranker", _ranker(ensemble)
    estimator = MDDAGRanker(
        ensemble if source.transformer is None else ModelParts(ensemble, source.transformer),
        beta=target.value if target.name == "beta" else 0.0,
        metric=metric,
        solver=_default_exits(timed) if solver is None else solver,
        verbose=verbose,
        random_state=random_state,
    )
    kept_metric, exits = checked_metric(metric), checked_exits(estimator.solver)
    if target.name == "max_loss" and y is None:
        raise ValueError(
            "max_loss bounds the metric by labels, but y is not given; give y, or "
            "max_disagreement, which bounds what is lost against the full model's own order"
        )
    labels = None if y is None else checked_labels(y)
    rows = ensemble.features.rows(source.rows(X))
    if labels is not None:
        check_consistent_length(rows, labels)
    queries = Queries.of(qid, len(rows))
    target = of_queries(target, len(queries))
    trained = _trained(source, ensemble, X_train, qid_train)
    problem = RankingProblem.of(ensemble.votes(rows), queries, kept_metric, labels)
    more = None
    if trained is not None:
        more = RankingProblem.of(ensemble.votes(trained[0]), trained[1], kept_metric)
    doubt_queries(len(queries), labels)
    random = check_random_state(random_state)
    estimator.describe_rows(X)
    tried = [exits]
    if timed and solver is None:
        tried.append(ProximityExits(growth=FEW_CHECKS))
    fastest, policy, found, at = -1.0, everything(ensemble), None, None
    for members in tried:
        measured = cross_fitted(
            members,
            problem,
            random,
            more=more,
            odds=odds,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        place, setting = _chosen(measured, target)
        found_policy = everything(ensemble) if place is None else measured.family.policy(setting)
        estimator.take_policy(ensemble, found_policy, *_outcome(ensemble, measured, place))
        if estimator.dag_.expected_speedup > fastest:
            fastest = estimator.dag_.expected_speedup
            policy, found, at = found_policy, measured, place
    assert found is not None
    if timed and fastest <= 1 and target.name != "budget":  # evaluating everything is faster
        policy, at = everything(ensemble), None
    estimator.take_policy(ensemble, policy, *_outcome(ensemble, found, at))
    if target.certifies:
        estimator.promise_ = target
    estimator.summary_ = _summary(estimator, problem, target, found, at)
    return estimator


def of_queries(target: Target, n: int) -> Target:
    """Return the target with the loss of queries, of which there are n, if they suffice."""
    loss = BoundedLoss("asymptotic", worst=WORST, fewest=FEWEST, counted="queries")
    target = replace(target, losses=(loss,))
    if target.certifies:
        target.require(n, n)
    return target


def _default_exits(timed: bool) -> Exits:
    return UrgencyExits(TIMED_EVERY, FEW_CHECKS) if timed else UrgencyExits()


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
            "the model is a classifier; wanted a ranker or a regressor. "
            "MDDAGRanker(model, solver=…).fit(X, y, qid=qid) sorts by expected relevance"
        )
    return as_ranker(ensemble)


def _chosen(found: CrossFitted, target: Target) -> tuple[int | None, Any]:
    """Return the place of the chosen setting and the setting itself; None for the full model."""
    value = target.value
    if target.name == "beta":
        at = int(np.argmin(found.losses.mean(axis=1) + value * found.n_evaluated))
        return at, found.settings[at]
    if not isinstance(target, Bound):
        return _within_budget(found, value)
    lost = found.losses if target.follows_model else found.label_losses
    assert lost is not None
    n_good = 0
    for losses in lost:
        fits = losses.mean() <= value
        if target.confidence is not None:
            fits = target.p_value(losses[None]) <= 1 - target.confidence
        if not fits:
            break
        n_good += 1
    if n_good == 0:
        doubt(
            f"{lost.shape[1]} queries show {target} for no policy faster than the full "
            "model, which is returned; give more queries or a larger bound"
        )
        return None, None
    return n_good - 1, found.settings[n_good - 1]


def _within_budget(found: CrossFitted, budget: float) -> tuple[int, Any]:
    """Return the most careful setting within the budget; prices between two are interpolated."""
    costs = found.n_evaluated
    if costs[-1] > budget:
        raise ValueError(
            f"budget is {budget:g}, but policies evaluate {costs[-1]:.4g} base classifiers per "
            "document or more: the first check point is there; give a larger budget"
        )
    at = int(np.argmax(costs <= budget))
    if at == 0 or found.settings.ndim > 1:
        return at, found.settings[at]
    share = (costs[at - 1] - budget) / (costs[at - 1] - costs[at])
    return at, math.exp(np.interp(share, [0.0, 1.0], np.log(found.settings[at - 1 : at + 1])))


def _outcome(ensemble: Ensemble, found: CrossFitted, at: int | None) -> tuple[float, float]:
    if at is None:
        return 0.0, float(len(ensemble))
    return float(found.losses[at].mean()), float(found.n_evaluated[at])


def everything(ensemble: Ensemble) -> Policy:
    """Return the policy that evaluates all in the ensemble's own order."""
    return Policy.constant(EVAL, len(ensemble), Grid(np.empty(0)))


def _summary(
    estimator: MDDAGRanker,
    problem: RankingProblem,
    target: Target,
    found: CrossFitted,
    at: int | None,
) -> Summary:
    n, labels = len(problem.queries), problem.labels
    full = lost_by_labels = None
    if labels is not None and found.label_losses is not None:
        by_query = problem.metric.of_queries(problem.full, labels, problem.queries)
        full = float(by_query.mean())
        lost_by_labels = 0.0 if at is None else float(found.label_losses[at].mean())
    difference = 0.0 if at is None else float(found.losses[at].mean())
    lost = lost_by_labels if target.name == "max_loss" else difference
    speed = estimator.dag_.expected_speedup
    return Summary(
        kind="ranker",
        knob=target.name,
        value=target.value,
        n_classifiers=len(estimator.ensemble_),
        rows="certifying" if target.certifies else "choosing",
        n_rows=n,
        n_evaluated=float(estimator.evaluation_.n_evaluated),
        measured_against="model" if labels is None else "labels",
        full=full,
        sparse=None if full is None or lost_by_labels is None else full - lost_by_labels,
        difference=difference,
        lost=lost if isinstance(target, Bound) else None,
        confidence=target.confidence,
        speed=speed,
        speed_one=speed,
    )
