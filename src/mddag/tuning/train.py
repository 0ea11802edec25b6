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
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_consistent_length, has_fit_parameter

from mddag._utils.arrays import part
from mddag._utils.checks import check_one_of, checked_jobs, typed
from mddag._utils.warnings import doubt_objective, doubt_rare_class
from mddag.adapters import other_than_mean
from mddag.adapters.adapter import lineage
from mddag.engine.dag import Dag
from mddag.engine.dag import compile as compile_dag
from mddag.ensemble.row_checks import counted_rows
from mddag.ensemble.tasks import TASKS, Kind
from mddag.estimators.adaboost import AdaBoostMHClassifier
from mddag.estimators.classifier import MDDAGClassifier
from mddag.estimators.fitted_model import is_fitted, reads_patches
from mddag.estimators.regressor import MDDAGRegressor
from mddag.metrics.classification import one_hot
from mddag.policy.calibration import Calibration
from mddag.policy.mdp import Evaluation
from mddag.serving.result import Result, Training, finite_speed
from mddag.tuning.excess_loss import measured_metrics
from mddag.tuning.shape_front import Measured, RatedRule, ShapeFront, searched
from mddag.tuning.shape_rules import FOLDS, FoldedRows, batch_time, cut
from mddag.tuning.shapes import library_of
from mddag.tuning.sparsify import ESTIMATORS, OBJECTIVES, Objective
from mddag.tuning.targets import CONFIDENCE, Bound, Price, Target, target_of

FEWEST = 60  # rows in all


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
        Accuracy (regressors: R2) that may be lost against the tuned full model: of the given one
        and of all shapes, each with the rounds of the least log-loss, the one with the least
        cross-validated error.
    max_disagreement : float, optional
        Share of rows whose label may differ from that model's.
    confidence : float or None, default=0.9
        As for ``sparsify``. None: all rows train, and cross-validation alone chooses.
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
    target = target_of(
        beta=beta,
        budget=budget,
        max_loss=max_loss,
        max_disagreement=max_disagreement,
        confidence=confidence,
    )
    check_one_of("objective", objective, OBJECTIVES)
    threads = checked_jobs(1 if n_jobs is None else n_jobs)
    estimator, kind = checked_estimator(estimator, y, threads)
    X, y, weight = counted_rows(X, y, sample_weight)
    targets = TASKS[kind]().checked_targets(y)
    check_consistent_length(X, targets)
    target = target.measured(TASKS[kind]())
    target.require_equal(weight)
    if weight is not None and (
        isinstance(estimator, Pipeline) or not has_fit_parameter(estimator, "sample_weight")
    ):
        raise ValueError(
            f"sample_weight is given, but {type(estimator).__name__}.fit does not take it; leave "
            "it out"
        )
    if isinstance(target, Bound) and kind == "classifier":
        doubt_rare_class(targets, target.name, target.value, weight)
    rows = _split(X, targets, weight, kind, target.certifies, random_state, threads)
    if target.certifies:
        target.require(len(targets), len(rows.certifying))
    front = searched(estimator, rows, target, objective, verbose=verbose)
    chosen = target.choose(front)
    model = front.model(chosen.trial)
    if kind == "regressor":
        doubt_objective(other_than_mean(model.source.model))
    made = ESTIMATORS[kind](
        model.parts(chosen.rule),
        beta=target.value if isinstance(target, Price) else 0.0,
        every=front.every,
        n_jobs=threads,
        verbose=verbose,
        random_state=random_state,
    )
    made.describe_rows(X)
    dag, calibration = _dag_of(front, chosen)
    result = _result(front, chosen, target, dag)
    made.take(dag.ensemble, dag.policy, dag, calibration, result)
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
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
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


def _split(
    X: Any,
    targets: NDArray[Any],
    weight: NDArray[np.float64] | None,
    kind: Kind,
    certifies: bool,
    random_state: Any,
    n_jobs: int,
) -> FoldedRows:
    """Return the rows in folds, and those that certify."""
    if len(targets) < FEWEST:
        raise ValueError(
            f"X has {len(targets)} rows, too few to train models on some and to choose among them "
            f"by others; give at least {FEWEST}, and some thousand for a good choice"
        )
    rows = FoldedRows.split(
        X,
        targets,
        weight,
        strata=TASKS[kind]().strata(targets),
        certifies=certifies,
        random=check_random_state(random_state),
        n_jobs=n_jobs,
    )
    if len(rows.judging) == 0:
        raise ValueError(
            f"y has {len(np.unique(targets))} classes in {len(targets)} rows, and none of them has "
            f"{FOLDS} rows to train models on some and judge them by others; give more rows of "
            "each class"
        )
    return rows


def _dag_of(front: ShapeFront, chosen: RatedRule) -> tuple[Dag, Calibration]:
    """Make the DAG of a rule over its final model, and the calibration of its exits."""
    judged, whole = chosen.trial.outcome(chosen.rule), front.model(chosen.trial).ensemble
    ensemble = cut(whole, chosen.rule.length)
    mean = float(np.average(judged.n_evaluated, weights=front.weight))
    policy = chosen.rule.policy(ensemble, front.every)
    dag = compile_dag(ensemble, policy, expected_evaluations=mean)
    fitted = front.calibration(judged, whole.n_classifiers)
    groups = fitted.groups[: ensemble.n_classifiers + 1]
    n_groups = groups.max() + 1
    return dag, Calibration(groups, fitted.factors[:n_groups], fitted.offsets[:n_groups])


def _result(front: ShapeFront, chosen: RatedRule, target: Target, dag: Dag) -> Result:
    """Measure the chosen rule, the tuned full model and the estimator as given."""
    task, reference = front.task, front.full
    rows = front.rows.certifying if target.certifies else front.judged
    truth, weight = front.rows.targets[rows], part(front.rows.weight, rows)
    found, full, given = (front.measured(rule) for rule in (chosen, reference, front.given))
    accuracy = task.quality(given.predictions, truth, weight)
    if task.predicts_classes and accuracy is not None:
        accuracy = 1 - accuracy  # quality is an error rate
    shares = truth
    if task.predicts_classes:
        shares = one_hot(task.coded(truth), found.answers.shape[1])

    def average(numbers: NDArray[Any]) -> float:
        return float(np.average(numbers, weights=weight))

    def evaluation(measured: Measured) -> Evaluation:
        loss = average(front.lost(measured.predictions, truth))
        n = average(measured.outcome.n_evaluated)
        return Evaluation(loss, n, loss + price * n, n)

    price = target.value if isinstance(target, Price) else 0.0
    whole = compile_dag(cut(reference.trial.folds[0].ensemble, reference.rule.length))
    full_cost, of_nodes = average(full.outcome.cost), front.objective == "nodes"
    excess = average(front.beyond(found.predictions, full.predictions, truth))
    lines = front.lines()
    lines[chosen.trial] = replace(lines[chosen.trial], chosen=True)
    sign = 1 if task.predicts_classes else -1  # errors are sorted up, R2 down
    shapes = sorted(lines.values(), key=lambda line: sign * line.error)
    shapes += sorted(front.dropped, key=lambda line: sign * line.error)
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
        metrics=tuple(measured_metrics(full.answers, found.answers, shares, weight)),
        difference=task.difference(found.predictions, full.predictions, weight),
        bounds=target.measured_bounds([excess]),
        confidence=target.confidence,
        speed=finite_speed(batch_time(whole) / max(batch_time(dag), 1e-9)),
        speed_one=finite_speed(whole.program.full_costs.one / max(dag.program.costs.one, 1e-9)),
        training=Training(
            reference.trial.shape.name(reference.rule.length),
            full_cost,
            is_full_model=(chosen.trial, chosen.rule) == (reference.trial, reference.rule),
            given=accuracy,
            shapes=tuple(shapes),
        ),
    )
