"""Learn which features to buy: ``mddag.acquire``.

Each useful set of feature groups gets a model of its own, trained like the given one, which is that
of the full set. A policy goes from set to set: quit, or buy up to a larger one. The result is one
``Dag``: the models are blocks of steps, each with its own score column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from mddag._utils.checks import checked_jobs
from mddag._utils.warnings import doubt_rare_class
from mddag.acquisition.dag import set_dag
from mddag.acquisition.front import SetCandidate, SetFront
from mddag.acquisition.rows import SplitRows
from mddag.adapters import ModelParts, ensemble_of, parts_of
from mddag.engine.trace import Trace
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.estimators.classifier import MDDAGClassifier
from mddag.estimators.regressor import MDDAGRegressor
from mddag.metrics.classification import one_hot
from mddag.metrics.named import Metric, as_metric
from mddag.metrics.regression import RegressionMetric
from mddag.policy.calibration import Calibration, exit_calibration
from mddag.policy.mdp import Evaluation
from mddag.serving.result import Acquired, MeasuredMetric, Result
from mddag.tuning.excess_loss import measured_metrics
from mddag.tuning.targets import CONFIDENCE, Bound, largest_loss, target_of

ESTIMATORS: dict[str, type[MDDAGClassifier | MDDAGRegressor]] = {
    "classifier": MDDAGClassifier,
    "regressor": MDDAGRegressor,
}
Name = str | int


def acquire(
    model: Any,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    feature_costs: ArrayLike | Mapping[Name, float],
    feature_groups: Mapping[str, Sequence[Name]] | Sequence[Sequence[Name]] | None = None,
    wave_cost: float = 0.0,
    X_train: ArrayLike | None = None,
    y_train: ArrayLike | None = None,
    beta: float | None = None,
    budget: float | None = None,
    max_loss: float | None = None,
    max_disagreement: float | None = None,
    confidence: float | None = CONFIDENCE,
    metric: Metric | str | None = None,
    threshold: float | None = None,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = 0,
    verbose: bool = False,
) -> MDDAGClassifier | MDDAGRegressor:
    """Learn a model that buys only the features that each row needs.

    Give exactly one of `beta`, `budget`, `max_loss` and `max_disagreement`.

    Parameters
    ----------
    model : object
        A trained classifier or regressor that ``mddag.as_ensemble`` reads. One with the interface
        of scikit-learn is cloned for smaller sets of features.
    X : array-like of shape (n, d)
        Rows that the model was not trained on.
    y : array-like of shape (n,), optional
        Their labels. Without them the predictions of the model take their place.
    feature_costs : array-like of shape (d,) or dict
        Prices, or a dict from feature names, positions or group names to prices.
    feature_groups : dict of str to list, optional
        Features that come together and are paid once. A feature in no group is a group of its own.
    wave_cost : float, default 0.0
        The price of a round trip, whatever groups it fetches.
    X_train, y_train : array-like, optional
        Rows that train the models of smaller sets, such as those that trained `model`; without
        them one half of `X` does, and the other half learns the policy. Without `y_train` the
        model's own predictions are learned. With labels they also teach the policy, scored by
        models of other folds.
    beta : float, optional
        The price of one unit of feature cost, in units of the loss: of the error, or of `metric`.
    budget : float, optional
        The largest mean feature cost of a row, on held-out rows.
    max_loss : float, optional
        What may be lost of the metric compared with the model.
    max_disagreement : float, optional
        The share of rows whose label may differ from the model's; for classifiers. With a metric:
        what may be lost of it if the model's own probabilities were true.
    confidence : float or None, default 0.9
        Probability with which `max_loss` or `max_disagreement` holds on unseen data; one half of
        the rows tests it. None takes the estimate on held-out rows. No effect on the other two.
    metric : metric or str, optional
        The quality to preserve, as for ``sparsify``. By default `max_loss` bounds what classifiers
        lose of accuracy and what they lose of ROC AUC, each with the stated confidence;
        ``Accuracy()`` protects labels alone. Regressors keep the metric of their own objective.
    threshold : float, optional
        For binary problems: the probability above which you decide for the second class; the
        decisions that accuracy counts.
    n_jobs : int, optional
        Threads of prediction, -1 for all cores; 1 by default. The model has a parameter of its own
        for its training.
    random_state : int, RandomState or None, default 0
        Seed of splits and of models that have none.
    verbose : bool, default False
        Whether to show progress on standard error.

    Returns
    -------
    MDDAGClassifier or MDDAGRegressor
        A fitted estimator. ``feature_cost(X)`` and ``groups_bought(X)`` say what rows pay for;
        ``print`` shows what was found.

    Raises
    ------
    TypeError
        If the model cannot be read.
    ValueError
        If an argument is invalid, or the model is a ranker, a pipeline or not made of trees.

    See Also
    --------
    sparsify : Evaluate fewer trees, where features cost nothing.

    Examples
    --------
    >>> import mddag
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> X, y = make_classification(2000, 4, n_informative=3, n_redundant=0, random_state=0)
    >>> model = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(X[:500], y[:500])
    >>> cheap = mddag.acquire(model, X[500:], y[500:], feature_costs=[1, 1, 5, 5], budget=4.0)
    >>> bool(cheap.feature_cost(X).mean() < 5)
    True
    """
    metric = None if metric is None else as_metric(metric)
    threads = checked_jobs(1 if n_jobs is None else n_jobs)
    target = target_of(
        beta=beta,
        budget=budget,
        max_loss=max_loss,
        max_disagreement=max_disagreement,
        confidence=confidence,
        largest=largest_loss(metric),
    )
    source = parts_of(model)
    ensemble = _trees(source)
    target = target.protecting(
        ensemble.task, metric, threshold, max(ensemble.n_scores, 2), source.model
    )
    prices = FeaturePrices.of(ensemble.features, feature_costs, feature_groups, wave_cost)
    if not prices.paid.any():
        raise ValueError(
            "all features are free, so there is nothing to save; give feature_costs above 0, or "
            "use sparsify(model, X, y, …)"
        )
    random, own = check_random_state(random_state), target.losses[0].metric
    numbers = own if isinstance(own, RegressionMetric) else None
    given = SplitRows(model, ensemble, X, y, X_train, y_train, random, numbers)
    if numbers is not None and given.labels is not None:
        numbers.loss.checked(given.labels)
    n_certifying = len(given.rows) // 2 if target.certifies else 0
    target.require(len(given.rows), n_certifying)
    seed = int(random.randint(2**31 - 1))
    certifying = np.sort(random.permutation(len(given.rows))[:n_certifying])
    learning = np.setdiff1d(np.arange(len(given.rows)), certifying)
    if ensemble.classes is not None and given.labels is not None:
        parts = (learning, certifying) if target.certifies else (learning,)
        target = target.ranking(*(given.labels[rows] for rows in parts))
        if isinstance(target, Bound) and target.counts_labels:
            doubt_rare_class(ensemble.classes[given.labels], target.name, target.value)
    front = SetFront.learned(
        given, prices, certifying, target, seed, n_jobs=threads, verbose=verbose
    )
    candidate = target.choose(front)
    estimator = ESTIMATORS[ensemble.kind](
        model, beta=candidate.beta, n_jobs=threads, verbose=verbose, random_state=random_state
    )
    estimator._describe_rows(X)
    dag, used = set_dag(front.models, candidate.policy, ensemble)
    trace, calibration = dag.run(given.rows), Calibration.one_group(1.0, len(dag.ensemble))
    if ensemble.task.predicts_classes:
        scores, exits = trace.scores[learning], trace.exit_step[learning]
        calibration = exit_calibration(dag.ensemble, scores, exits, front.seen.soft_targets())
    acquired = Acquired(
        member=candidate.member,
        sets=tuple(tuple(map(str, front.rows.sets.names(s))) for s in used),
        feature_cost=candidate.mean_cost,
        full_cost=float(front.rows.sets.cost[-1]) + prices.wave_cost,
    )
    result = _result(ensemble, front, candidate, trace, calibration, acquired)
    estimator._take(dag.ensemble, dag.policy, dag, calibration, result)
    return estimator


def _trees(source: ModelParts) -> Ensemble:
    """Return the ensemble of a model whose features can be bought."""
    if source.transformer is not None:
        raise ValueError(
            f"the model reads rows after {source.transformer}, but prices are of the features that "
            "it reads; pass its last step, model[-1], with rows that are transformed"
        )
    ensemble = ensemble_of(source)
    if ensemble.kind not in ESTIMATORS:
        raise ValueError(
            f"the model is a {ensemble.kind}, but features are bought for classifiers and "
            "regressors alone; mddag.ranking.sparsify(model, X, y, qid=…) takes it"
        )
    ensemble.task.require_predictions()
    if ensemble.callables:
        raise ValueError(
            "the base classifiers are callables, whose features are not known; wanted trees"
        )
    return ensemble


def _result(
    ensemble: Ensemble,
    front: SetFront,
    candidate: SetCandidate,
    trace: Trace,
    calibration: Calibration,
    acquired: Acquired,
) -> Result:
    """Measure a candidate and its Dag on policy rows, the metrics on those that certify, if any."""
    rows, target, classifies = front.rows, front.target, ensemble.task.predicts_classes
    assert trace.feature_cost is not None
    answers = trace.verdict if classifies else ensemble.task.means(trace.scores)
    cost, full_cost, beta = float(trace.feature_cost.mean()), acquired.full_cost, candidate.beta
    loss, full_loss = (float(rows.lost(of).mean()) for of in (answers, rows.full))
    at, lost = front.learning, candidate.mean_lost
    if target.certifies:
        at, lost = front.tested, candidate.excess("certify").mean(axis=1)
        acquired = replace(acquired, feature_cost=float(trace.feature_cost[at].mean()))
    held, metrics = rows.rows(at), list[MeasuredMetric]()
    if held.labels is not None and classifies:
        full = held.soft_targets()
        sparse = calibration.probabilities(trace.scores[at], trace.exit_step[at])
        metrics = measured_metrics(full, sparse, one_hot(held.labels, full.shape[1]), None)
    elif held.labels is not None:
        metrics = measured_metrics(held.full, answers[at], held.labels, None, rows.metric)
    evaluated, n = float(trace.n_evaluated.mean()), len(ensemble)
    return Result(
        kind=ensemble.kind,
        target=target.name,
        value=target.value,
        made_by="acquire",
        rows="certifying" if target.certifies else "choosing",
        n_rows=len(held),
        n_classifiers=n,
        n_evaluated=evaluated,
        against="model" if rows.labels is None else "labels",
        evaluation=Evaluation(loss, cost, loss + beta * cost, evaluated),
        full_evaluation=Evaluation(full_loss, full_cost, full_loss + beta * full_cost, float(n)),
        metrics=tuple(metrics),
        difference=float(held.changed(answers[at]).mean()),
        bounds=target.measured_bounds(lost.tolist()),
        confidence=target.confidence,
        acquired=acquired,
    )
