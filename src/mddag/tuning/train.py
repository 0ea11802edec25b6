"""train(estimator, X, y, target): the ensemble is trained for the target, not the policy alone.

Before you make a large model sparse, try a smaller one: fewer, deeper trees, a higher learning
rate, a margin rule. ``train`` does what a careful engineer would do by hand. It trains the
estimator in a grid of shapes without each fold of the rows (``shapes``), judges every prefix and
margin rule of every shape by the rows left out (``shape_rules``), takes the cheapest rule that
meets the target, and trains its shape once more on all rows but those that certify.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_consistent_length, has_fit_parameter

from mddag._utils.arrays import part
from mddag._utils.checks import check_one_of, checked_jobs, typed
from mddag._utils.warnings import doubt_rare_class
from mddag.adapters import metric_of_objective, monotone_columns
from mddag.adapters.adapter import lineage
from mddag.engine.dag import Dag
from mddag.engine.dag import compile as compile_dag
from mddag.ensemble.row_checks import counted_rows
from mddag.ensemble.tasks import TASKS, Kind
from mddag.estimators.adaboost import AdaBoostMHClassifier
from mddag.estimators.classifier import MDDAGClassifier
from mddag.estimators.fitted_model import is_fitted, reads_patches
from mddag.estimators.monotone import doubt_monotone
from mddag.estimators.regressor import MDDAGRegressor
from mddag.losses import Squared
from mddag.metrics.classification import ClassMetric
from mddag.metrics.named import Metric, as_metric
from mddag.metrics.regression import RegressionMetric
from mddag.policy.calibration import Calibration
from mddag.policy.mdp import Evaluation
from mddag.serving.result import MeasuredMetric, Result, Training, finite_speed
from mddag.tuning.excess_loss import measured_metrics
from mddag.tuning.shape_front import Measured, RatedRule, ShapeFront, searched, tried
from mddag.tuning.shape_rules import FoldedRows, batch_time, cut
from mddag.tuning.shapes import last_step, library_of
from mddag.tuning.sparsify import ESTIMATORS, OBJECTIVES, Objective
from mddag.tuning.targets import CONFIDENCE, Bound, Price, largest_loss, target_of


def train(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    beta: float | None = None,
    budget: float | None = None,
    max_loss: float | None = None,
    max_disagreement: float | None = None,
    confidence: float | None = CONFIDENCE,
    metric: Metric | str | None = None,
    threshold: float | None = None,
    objective: Objective = "evaluations",
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    random_state: int | np.random.RandomState | None = 0,
) -> MDDAGClassifier | MDDAGRegressor:
    """Train an ensemble whose shape suits the target, and return it with its policy.

    The estimator is trained in a grid of shapes: leaves, learning rate, rounds, and rows per leaf.
    Cross-validation judges every prefix and every margin rule of each. The cheapest rule that meets
    the target wins, and its shape is trained once more on all rows but those that certify.

    Parameters
    ----------
    estimator : estimator or None
        An unfitted model of LightGBM, XGBoost, CatBoost or scikit-learn (histogram or plain
        gradient boosting, forests), AdaBoostMHClassifier, or a Pipeline that ends with one of
        them. All parameters that are no shape stay as they are; the estimator as given is one of
        the shapes. None: LightGBM if it is installed, else AdaBoost.MH with trees (numbers:
        scikit-learn's histogram gradient boosting).
    X, y : array-like or DataFrame (n, d), and array-like (n,)
        All rows that there are. Where a bound is certified, a seventh of them does nothing else.
    beta, budget : float, optional
        As for ``sparsify``.
    max_loss : float, optional
        What may be lost of the metric against the tuned full model: of the given one and of all
        shapes, each with the rounds of the least log-loss, the one that is best by
        cross-validation. It is no worse there than the given one by any protected metric.
    max_disagreement : float, optional
        Share of rows whose label may differ from that model's. With a metric: as for ``sparsify``.
    confidence : float or None, default=0.9
        As for ``sparsify``. None: all rows train, and cross-validation alone chooses. Otherwise
        neither the model returned nor the tuned full model is trained on the rows that certify.
    metric : metric or str, default=None
        As for ``sparsify``: by default accuracy and ROC AUC may each lose at most `max_loss`, and
        regressors keep the metric of the objective that the estimator trains for.
    threshold : float, default=None
        As for ``sparsify``: the probability above which you decide for the second class.
    objective : {"evaluations", "nodes", "time"}, default="evaluations"
        The unit of cost, of beta and of budget: base classifiers, nodes visited in trees, or
        expected nanoseconds per row of a large batch.
    sample_weight : array-like (n,), optional
        As for ``sparsify``; models are trained with it.
    n_jobs : int, optional
        Of prediction, -1 for all cores; 1 by default. An estimator has a parameter of its own for
        its training.
    verbose : bool, default=False
        Show progress on standard error.
    random_state : int, RandomState or None, default=0
        Seeds the split of the rows.

    Returns
    -------
    MDDAGClassifier or MDDAGRegressor
        Fitted. ``result_.training`` has the shapes that were tried with their errors and costs, and
        the tuned full model.

    See Also
    --------
    sparsify : Make a trained model sparse.

    Examples
    --------
    >>> import mddag
    >>> from sklearn.datasets import make_hastie_10_2
    >>> from sklearn.ensemble import ExtraTreesClassifier
    >>> X, y = make_hastie_10_2(600, random_state=0)
    >>> model = ExtraTreesClassifier(10, max_leaf_nodes=8, random_state=0)
    >>> fast = mddag.train(model, X, y, budget=5)
    >>> bool(fast.n_evaluated(X).mean() < 7)
    True
    """
    metric = None if metric is None else as_metric(metric)
    target = target_of(
        beta=beta,
        budget=budget,
        max_loss=max_loss,
        max_disagreement=max_disagreement,
        confidence=confidence,
        largest=largest_loss(metric),
    )
    check_one_of("objective", objective, OBJECTIVES)
    threads = checked_jobs(1 if n_jobs is None else n_jobs)
    estimator, kind = checked_estimator(estimator, y, threads)
    X, y, weight = counted_rows(X, y, sample_weight)
    task = TASKS[kind]()
    targets = task.checked_targets(y)
    check_consistent_length(X, targets)
    target = target.protecting(task, metric, threshold, len(np.unique(targets)), None)
    target.require_equal(weight)
    if weight is not None and (
        isinstance(estimator, Pipeline) or not has_fit_parameter(estimator, "sample_weight")
    ):
        raise ValueError(
            f"sample_weight is given, but {type(estimator).__name__}.fit does not take it; leave "
            "it out"
        )
    rows = FoldedRows.split(
        X,
        targets,
        weight,
        strata=task.strata(targets),
        certifies=target.certifies,
        random=check_random_state(random_state),
        n_jobs=threads,
    )
    if kind == "classifier":
        # the first fold alone judges most shapes, and metrics are computed in it, too
        blocks = [rows.judged_in(0), rows.certifying] if target.certifies else [rows.judged_in(0)]
        target = target.ranking(*(targets[block] for block in blocks))
        if isinstance(target, Bound) and target.counts_labels:
            doubt_rare_class(targets, target.name, target.value, weight)
    if target.certifies:
        target.require(len(targets), len(rows.certifying))
    trials, given = tried(estimator, rows, objective, verbose=verbose)
    if kind == "regressor" and metric is None:
        target = target.measured(trials[0].task, metric_of_objective(given))
    own = target.losses[0].metric
    if isinstance(own, RegressionMetric):
        own.loss.checked(targets)
    front = searched(estimator, trials, target, verbose=verbose)
    chosen = target.choose(front)
    model = front.model(chosen.trial)
    made = ESTIMATORS[kind](
        model.parts(chosen.rule),
        beta=target.value if isinstance(target, Price) else 0.0,
        every=front.every,
        n_jobs=threads,
        verbose=verbose,
        random_state=random_state,
    )
    if isinstance(metric, ClassMetric) and any(loss.metric for loss in target.losses):
        made.set_params(metric=metric)
    if isinstance(own, RegressionMetric) and own.loss != Squared():
        made.set_params(loss=own.loss)
    made._describe_rows(X)
    dag, calibration = _dag_of(front, chosen)
    result = _result(front, chosen, dag)
    made._take(dag.ensemble, dag.policy, dag, calibration, result)
    some = model.source.rows(_safe_indexing(X, np.arange(min(len(targets), 1000))))
    doubt_monotone(monotone_columns(model.source.model), dag, calibration, some)
    made.front_ = front
    return made


def checked_estimator(estimator: Any, y: Any, n_jobs: int) -> tuple[Any, Kind]:
    """Return the estimator to train, by default one that suits y, and its kind."""
    if estimator is None:
        return _default(y, n_jobs)
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        raise TypeError(
            f"estimator is {estimator!r}; wanted an unfitted model, such as LGBMClassifier(), or "
            "None"
        )
    last = last_step(estimator)
    if any(name.endswith("Ranker") for name in lineage(last)):
        raise TypeError(
            f"estimator is {typed(last)}, a ranker, but train takes classifiers and regressors; "
            "fit it and make it sparse: mddag.ranking.sparsify(ranker, X, y, qid=qid, ...)"
        )
    library_of(estimator)
    if reads_patches(estimator):
        raise TypeError(
            f"estimator is {estimator!r}, which reads patches, but train grows trees over columns; "
            "wanted another learner, or mddag.Detector"
        )
    if is_fitted(estimator):
        raise ValueError(
            f"estimator, a {type(estimator).__name__}, is fitted, but train trains models in many "
            "shapes; pass sklearn.base.clone(estimator), or make the fitted one sparse: "
            "mddag.sparsify(model, X, y, ...)"
        )
    return estimator, "classifier" if is_classifier(last) else "regressor"


def _default(y: Any, n_jobs: int) -> tuple[Any, Kind]:
    classes = not type_of_target(y).startswith("continuous")
    if find_spec("lightgbm") is not None:
        from lightgbm import LGBMClassifier, LGBMRegressor

        model = LGBMClassifier if classes else LGBMRegressor
        made = model(verbose=-1, n_jobs=n_jobs, random_state=0)
        return made, "classifier" if classes else "regressor"
    if classes:
        return AdaBoostMHClassifier(n_jobs=n_jobs, random_state=0), "classifier"
    return HistGradientBoostingRegressor(random_state=0), "regressor"


def _dag_of(front: ShapeFront, chosen: RatedRule) -> tuple[Dag, Calibration]:
    """Make the DAG of a rule over its final model, and the calibration of its exits."""
    judged, whole = chosen.trial.outcome(chosen.rule), front.model(chosen.trial).ensemble
    ensemble = cut(whole, chosen.rule.length)
    mean = float(np.average(judged.n_evaluated, weights=front.weight))
    policy = chosen.rule.policy(ensemble, front.every)
    dag = compile_dag(ensemble, policy, expected_evaluations=mean)
    fitted = front.calibration(judged, whole)
    groups = fitted.groups[: ensemble.n_classifiers + 1]
    n_groups = groups.max() + 1
    return dag, Calibration(groups, fitted.factors[:n_groups], fitted.offsets[:n_groups])


def _result(front: ShapeFront, chosen: RatedRule, dag: Dag) -> Result:
    """Measure the chosen rule, the tuned full model and the estimator as given."""
    target, task, reference = front.target, front.task, front.full
    rows = front.rows.certifying if target.certifies else front.judged
    truth, weight = front.coded[rows], part(front.rows.weight, rows)
    found, full, given = (front.measured(rule) for rule in (chosen, reference, front.given))

    def average(numbers: NDArray[Any]) -> float:
        return float(np.average(numbers, weights=weight))

    def evaluation(measured: Measured) -> Evaluation:
        loss = average(front.lost(measured.answers, truth))
        n = average(measured.outcome.n_evaluated)
        return Evaluation(loss, n, loss + price * n, n)

    def metrics(sparse: Measured) -> tuple[MeasuredMetric, ...]:
        known = full.answers, sparse.answers, truth, weight, front.metric
        return tuple(measured_metrics(*known))

    price = target.value if isinstance(target, Price) else 0.0
    whole = compile_dag(cut(reference.trial.folds[0].ensemble, reference.rule.length))
    full_cost, of_nodes = average(full.outcome.cost), front.objective == "nodes"
    predicted, expected = (
        measured.answers.argmax(axis=1) if task.predicts_classes else measured.answers
        for measured in (found, full)
    )
    lines = front.lines()
    lines[chosen.trial] = replace(lines[chosen.trial], chosen=True)
    sign = -1 if front.metric and front.metric.larger_is_better else 1  # errors are sorted up
    shapes = sorted(lines.values(), key=lambda line: sign * line.error)
    shapes += sorted(front.dropped, key=lambda line: sign * line.error)
    lost = front.excess(found.answers, full.answers, rows)
    return Result(
        kind=task.kind,
        target=target.name,
        value=target.value,
        made_by="train",
        rows="certifying" if target.certifies else "choosing",
        n_rows=len(rows),
        n_classifiers=dag.ensemble.n_classifiers,
        n_evaluated=average(found.outcome.n_evaluated),
        evaluation=evaluation(found),
        full_evaluation=evaluation(full),
        n_nodes=average(found.outcome.cost) if of_nodes else None,
        n_nodes_full=full_cost if of_nodes else None,
        metrics=metrics(found),
        difference=task.difference(predicted, expected, weight),
        bounds=target.measured_bounds([average(of_rows) for of_rows in lost]),
        confidence=target.confidence,
        speed=finite_speed(batch_time(whole) / max(batch_time(dag), 1e-9)),
        speed_one=finite_speed(whole.program.full_costs.one / max(dag.program.costs.one, 1e-9)),
        training=Training(
            reference.trial.shape.name(reference.rule.length),
            full_cost,
            is_full_model=(chosen.trial, chosen.rule) == (reference.trial, reference.rule),
            given=tuple(metric.sparse for metric in metrics(given)),
            n_trained=front.rows.n_trained_on(),
            n_rows=len(front.rows.targets),
            shapes=tuple(shapes),
        ),
    )
