"""Make a ranker sparse for one target: ``mddag.ranking.sparsify``.

Order and readings are cross-fitted, so every query measures settings by a policy that it was not
fitted on, and all queries choose and certify. Bounds are on the mean over queries, never documents.
Most queries lose nothing and a few of them much, so that a mean over few queries looks too small
where none of these was drawn: there must be enough queries for a rare one to be among them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from mddag._utils.checks import check_jobs, check_one_of
from mddag.adapters import ModelParts, ensemble_of, parts_of
from mddag.metrics.ranking import GainMetric, Queries, checked_labels
from mddag.ranking.estimator import MDDAGRanker, as_ranker, checked_exits, checked_metric
from mddag.ranking.exits import Exits, ProximityExits, UrgencyExits
from mddag.ranking.front import cross_fitted, result_of
from mddag.ranking.problem import RankingProblem
from mddag.tuning.guarantee import BoundedLoss
from mddag.tuning.targets import MaxLoss, target_of

# A query hardly loses more than 0.1, so rare ones must be noticed; 30 make a mean about normal.
LOSS = BoundedLoss("asymptotic", worst=0.1, fewest=30, counted="queries")
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
    train_set: tuple[ArrayLike, ArrayLike] | None = None,
    solver: Exits | None = None,
    objective: Literal["evaluations", "time"] = "evaluations",
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = 0,
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
    train_set : tuple of (array-like, array-like), default None
        Documents that the ranker was trained on, and their queries, if they are at hand: they help
        to order trees and to estimate scores.
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
    check_one_of("objective", objective, ("evaluations", "time"))
    check_jobs(n_jobs)
    timed = objective == "time"
    source = parts_of(ranker)
    ensemble = ensemble_of(source)
    if ensemble.kind == "classifier":
        raise ValueError(
            "the model is a classifier; wanted a ranker or a regressor. "
            "MDDAGRanker(model, solver=…).fit(X, y, qid=qid) sorts by expected relevance"
        )
    odds, ensemble = ensemble.kind == "ranker", as_ranker(ensemble)
    tried = [checked_exits(solver)]
    if timed and solver is None:
        tried = [UrgencyExits(TIMED_EVERY, FEW_CHECKS), ProximityExits(growth=FEW_CHECKS)]
    metric = checked_metric(metric)
    if isinstance(target, MaxLoss) and y is None:
        raise ValueError(
            "max_loss bounds the metric by labels, but y is not given; give y, or "
            "max_disagreement, which bounds what is lost against the full model's own order"
        )
    labels = None if y is None else checked_labels(y)
    rows = ensemble.features.rows(source.rows(X))
    if labels is not None:
        check_consistent_length(rows, labels)
    queries = Queries.of(qid, len(rows))
    target = replace(target, losses=(LOSS,))
    if target.certifies:
        target.require(len(queries), len(queries))
    problem = RankingProblem.of(ensemble.votes(rows), queries, metric, labels)
    more = None
    if train_set is not None:
        X_seen, qid_seen = train_set
        seen = ensemble.features.rows(source.rows(X_seen))
        try:
            others = Queries.of(qid_seen, len(seen))
        except ValueError as error:
            raise ValueError(f"of train_set, {error}") from None
        more = RankingProblem.of(ensemble.votes(seen), others, metric)
    random = check_random_state(random_state)
    found = []
    for exits in tried:
        front = cross_fitted(
            exits,
            problem,
            random,
            by_labels=isinstance(target, MaxLoss),
            more=more,
            odds=odds,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        candidate = target.choose(front)
        found.append((front.dag(ensemble, candidate), candidate))
    dag, candidate = max(found, key=lambda pair: pair[0].expected_speedup)
    if timed and dag.expected_speedup <= 1 and budget is None:  # evaluating everything is faster
        dag, candidate = front.dag(ensemble, front.full), front.full
    estimator = MDDAGRanker(
        ensemble if source.transformer is None else ModelParts(ensemble, source.transformer),
        beta=beta or 0.0,
        metric=metric,
        solver=tried[0],
        verbose=verbose,
        random_state=random_state,
    )
    estimator._describe_rows(X)
    result = result_of(problem, target, candidate, dag, "sparsify")
    estimator._take(ensemble, dag.policy, dag, None, result)
    return estimator
