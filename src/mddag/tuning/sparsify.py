"""sparsify(model, X, y, knob): a trained ensemble and one number in, a sparse decision DAG out.

The number, called the knob, is a price (beta), a mean number of evaluations (budget), or what may
be lost against the full ensemble (max_loss, max_disagreement). Rows are split: policies are learned
on some and chosen by others; where a bound is to be guaranteed, half of the rows only test it
(``guarantee``). The model is never refitted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from mddag._utils.arrays import part
from mddag._utils.checks import check_one_of
from mddag._utils.warnings import (
    doubt_few_rows,
    doubt_objective,
    doubt_rare_class,
)
from mddag.adapters import ModelParts, ensemble_of, other_than_mean, parts_of
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.row_checks import counted_rows
from mddag.estimators.classifier import MDDAGClassifier
from mddag.estimators.dag_estimator import DagEstimator
from mddag.estimators.regressor import MDDAGRegressor
from mddag.metrics.classification import ClassMetric
from mddag.policy.calibration import probabilities
from mddag.policy.mdp import mdp_of
from mddag.solvers.solver import configured
from mddag.tuning.excess_loss import MetricLoss, metric_loss_of
from mddag.tuning.front import Candidate
from mddag.tuning.guarantee import Guarantee
from mddag.tuning.measurement import measured
from mddag.tuning.policy_choice import chosen_for, searched
from mddag.tuning.prices import node_prices
from mddag.tuning.row_parts import RowParts
from mddag.tuning.targets import (
    BOUNDS,
    CONFIDENCE,
    check_confidence,
    check_provable,
    measure_of,
    metric_of,
    one_target,
    require_no_ranker,
    supported,
)

ESTIMATORS: dict[str, type[DagEstimator]] = {
    "classifier": MDDAGClassifier,
    "regressor": MDDAGRegressor,
}


EVALUATIONS_OR_TIME = ("evaluations", "time")
OBJECTIVES = ("evaluations", "nodes", "time")
EVERY = 16  # fewer decisions keep more rows together, which is what batches gain by


def sparsify(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    beta: float | None = None,
    budget: float | None = None,
    max_loss: float | None = None,
    max_disagreement: float | None = None,
    confidence: float | None = CONFIDENCE,
    metric: Any = None,
    sample_weight: Any = None,
    loss: Any = None,
    solver: Any = None,
    ordering: Any = None,
    every: int | None = None,
    objective: str = "evaluations",
    n_jobs: int | None = None,
    verbose: bool = False,
    random_state: Any = 0,
) -> Any:
    """A fitted MDDAGClassifier or MDDAGRegressor over the base classifiers of a model.

    model            : anything that ``mddag.as_ensemble`` reads, a path or a fitted Pipeline
                       that ends with such a model; it is not refitted. Rankers are for
                       ``mddag.ranking.sparsify``
    X, y             : rows that the model was not trained on; without y its own predictions are
                       the targets
    beta             : the price of an evaluation (with objective="nodes": of a node) in units of
                       the loss (regressors: of R2)
    budget           : mean evaluations per instance, at most, on rows held out; whatever the
                       prices of an ensemble are, each counts as one. With objective="nodes": mean
                       nodes per instance
    max_loss         : accuracy (regressors: R2) that may be lost against the full model
    max_disagreement : share of rows whose label may differ from the full model's
    confidence       : with which the last two hold on rows to come; see ``promise_``. None takes
                       the point estimate on rows held out. The others have none
    sample_weight    : what each row counts for in all means, (n,); 1 by default. Rows that count
                       differently prove nothing: max_loss and max_disagreement need confidence=None
    metric           : what is to be good, from mddag.metrics: of classifiers LogLoss() or
                       RocAuc(), None for Accuracy(). max_loss is in its units, and
                       max_disagreement bounds what is lost of it if the full model's own
                       probabilities were true
    every            : base classifiers that one decision covers; None for 1, or 16 for "time"
    objective        : "evaluations"; "nodes" visited in trees, one comparison each: a base
                       classifier's price is the mean number that rows visit in it, and what is
                       chosen is counted exactly (an ensemble with prices of its own is refused);
                       or "time" of large batches: decisions for many base classifiers at once, and
                       the full ensemble, fast as it is, where a policy is not expected to be faster
                       (but within a budget)
    n_jobs           : threads of the default solver and of prediction, and workers of joblib for
                       solvers that learn at one price each; -1 for all cores. No result depends on
                       it
    verbose          : show progress on standard error
    loss, solver, ordering, random_state : as for ``MDDAGClassifier``

    Exactly one of the four knobs must be given. To detect at a wanted rate of false positives use
    ``mddag.detection.sparsify``. The time taken grows with rows and base classifiers;
    ``solver=Margin()`` takes a fraction of the default's. ``print`` of the result gives a summary
    of five lines, ``summary_`` has the numbers; what makes it doubtful is a ``DoubtfulResult``
    warning.
    """
    check_one_of("objective", objective, OBJECTIVES)
    knob, value = one_target(
        metric, beta=beta, budget=budget, max_loss=max_loss, max_disagreement=max_disagreement
    )
    check_confidence(confidence, knob, value)
    source = parts_of(model)
    ensemble = ensemble_of(source)
    require_no_ranker(ensemble, metric)
    if ensemble.kind == "regressor":
        doubt_objective(other_than_mean(source.model))
    bounded = metric_of(ensemble, metric)
    supported(ensemble, knob)
    estimator = ESTIMATORS[ensemble.kind](
        ensemble if source.transformer is None else ModelParts(ensemble, source.transformer),
        loss=loss,
        solver=solver,
        ordering=ordering,
        every=(EVERY if objective == "time" else 1) if every is None else every,
        n_jobs=1 if n_jobs is None else n_jobs,
        verbose=verbose,
        random_state=random_state,
    )
    if bounded is not None:
        estimator.set_params(metric=bounded)
    learner = estimator.checked_solver()
    X, y, weight = counted_rows(X, y, sample_weight)
    random = check_random_state(random_state)
    guarantee = _guarantee(ensemble, knob, value, confidence, weight, bounded)
    parts = RowParts.of(
        ensemble,
        source.rows(X),
        y,
        certified=guarantee is not None,
        random=random,
        weight=weight,
        n_jobs=estimator.n_jobs,
    )
    _check_rows(parts, knob, guarantee)
    if knob in BOUNDS and bounded is None and ensemble.task.predicts_classes:
        doubt_rare_class(parts.truth, knob, value, weight)
    prices = node_prices(parts) if objective == "nodes" else None
    teacher = model if source.path is None else source.model
    targets = _given_targets(teacher, X, parts)
    metric_loss = None if bounded is None else metric_loss_of(parts, bounded, knob, targets)
    solving = configured(learner, random=random)
    search = searched(estimator, solving, parts, knob, guarantee, metric_loss, n_jobs, prices)
    chosen = chosen_for(search, knob, value, guarantee, parts)
    if objective == "time" and knob != "budget" and not search.saves_time(chosen):
        chosen = search.everything
    settle_chosen(estimator, chosen, targets, X, parts, metric_loss)
    if guarantee is not None:
        estimator.promise_ = guarantee
    estimator.summary_ = measured(
        estimator, knob, value, guarantee, chosen, parts, metric_loss, prices
    )
    return estimator


def _guarantee(
    ensemble: Ensemble,
    knob: str,
    bound: float,
    confidence: float | None,
    weight: NDArray[np.float64] | None,
    metric: ClassMetric | None = None,
) -> Guarantee | None:
    """What is to be proved; None for beta and budget, and for a point estimate."""
    if knob not in BOUNDS or confidence is None:
        return None
    check_provable(knob, confidence, weight)
    measure = measure_of(ensemble.task, knob, metric)
    return Guarantee(knob, bound, float(confidence), measure, metric)


def _check_rows(parts: RowParts, knob: str, guarantee: Guarantee | None) -> None:
    """Refuse rows that cannot prove a guarantee; warn of few rows and of one class alone."""
    if guarantee is None:
        doubt_few_rows(len(parts), knob)
    else:
        guarantee.require(len(parts), len(parts.certifying))
    parts.ensemble.task.doubt_targets(parts.truth, given=parts.labelled)


def settle_chosen(
    estimator: DagEstimator,
    chosen: Candidate,
    truth: NDArray[Any],
    X: Any,
    parts: RowParts,
    metric_loss: MetricLoss | None,
) -> None:
    """The estimator takes the chosen policy, calibrated on the rows of `parts`.

    Means, and probabilities that a metric is of, are calibrated on the rows on which the excess
    loss was; factors of classifiers change no label, so otherwise all rows serve.
    """
    ensemble, task = parts.ensemble, parts.ensemble.task
    rows = np.arange(len(parts))
    if task.calibration_changes_predictions or metric_loss is not None:
        rows = parts.seen
    estimator.set_params(beta=chosen.beta)
    estimator.describe_rows(X)
    mdp = mdp_of(
        ensemble,
        parts.votes if len(rows) == len(parts) else parts.votes.rows(rows),
        truth[rows],
        beta=chosen.beta,
        loss=estimator.loss_for(ensemble, parts.votes, truth, parts.weight),
        actions=estimator.actions,
        weight=part(parts.weight, rows),
    )
    estimator.settle(ensemble, chosen.policy, mdp)
    if not parts.labelled:
        estimator.measured_against_ = "model"


def _given_targets(teacher: Any, X: Any, parts: RowParts) -> NDArray[Any]:
    """The targets of all rows, of classifiers without labels the model's own probabilities."""
    if not parts.labelled and parts.ensemble.task.soft_targets:
        return _model_probabilities(teacher, X, parts)
    return parts.truth


def _model_probabilities(model: Any, X: Any, parts: RowParts) -> NDArray[np.float64]:
    """The model's own probabilities; where it has none, its scores read as log-odds."""
    if hasattr(model, "predict_proba"):
        shares = np.array(model.predict_proba(X), np.float64)
        shares /= shares.sum(axis=1, keepdims=True)  # those of one-vs-all need not add up to 1
        return shares
    return probabilities(parts.scores, 1.0)
