"""sparsify(model, X, y, target): a trained ensemble and one number in, a sparse decision DAG out.

The rows are split: policies are learned on some and chosen by others; where a bound is to be
guaranteed, half of the rows only test it (``guarantee``). The model is never refitted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from mddag._utils.arrays import mass, part
from mddag._utils.checks import check_one_of
from mddag._utils.warnings import doubt, doubt_rare_class
from mddag.adapters import ModelParts, ensemble_of, monotone_columns, parts_of
from mddag.engine.dag import compile as compile_dag
from mddag.ensemble.row_checks import counted_rows
from mddag.estimators.classifier import MDDAGClassifier
from mddag.estimators.dag_estimator import chosen_solver
from mddag.estimators.monotone import doubt_monotone
from mddag.estimators.regressor import MDDAGRegressor
from mddag.losses import Logistic, Loss, Squared
from mddag.metrics.classification import Accuracy, one_hot
from mddag.metrics.named import Metric, as_metric
from mddag.metrics.ranking import RankingMetric
from mddag.metrics.regression import RegressionMetric
from mddag.policy.calibration import Calibration, calibrated, fit_factor, probabilities
from mddag.policy.rollout import Rollout, roll_out
from mddag.serving.result import MeasuredMetric, Result, finite_speed
from mddag.solvers.solver import configured
from mddag.tuning.excess_loss import MetricLoss, NumberLoss, excess_loss_of, measured_metrics
from mddag.tuning.front import PolicyCandidate, PolicyFront
from mddag.tuning.problem import Part, Problem
from mddag.tuning.targets import CONFIDENCE, Bound, Budget, Target, largest_loss, target_of

ESTIMATORS: dict[str, type[MDDAGClassifier | MDDAGRegressor]] = {
    "classifier": MDDAGClassifier,
    "regressor": MDDAGRegressor,
}
Objective = Literal["evaluations", "nodes", "time"]
OBJECTIVES = get_args(Objective)
TINY = float(np.finfo(np.float64).eps)
OTHERWISE = 0.01  # share of rows that a threshold of other probabilities may decide otherwise
EVERY = 16  # fewer decisions keep more rows together, which is what batches gain by
FOR_RANKERS = "mddag.ranking.sparsify(ranker, X, y, qid=qid, ...) makes rankers sparse"


def sparsify(
    model: Any,
    X: Any,
    y: ArrayLike | None = None,
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
    solver: Any = None,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = 0,
    verbose: bool = False,
) -> MDDAGClassifier | MDDAGRegressor:
    """Learn which base classifiers of a trained model each row needs.

    Give exactly one of `beta`, `budget`, `max_loss` and `max_disagreement`. The model is not
    refitted. Rankers are for ``mddag.ranking.sparsify``; to detect at a wanted rate of false
    positives use ``mddag.detection.sparsify``.

    Parameters
    ----------
    model : estimator, model, path or Ensemble
        Anything that ``mddag.as_ensemble`` reads, or a fitted Pipeline that ends with such a model.
    X : array-like or DataFrame of shape (n, d)
        Rows that the model was not trained on.
    y : array-like of shape (n,), default=None
        Their labels (or numbers); without them the model's own predictions are the targets.
    beta : float, default=None
        Price of one evaluation (with ``objective="nodes"``: of a node) in units of the loss, for
        regressors in units of R2.
    budget : float, default=None
        Mean evaluations per row (with ``objective="nodes"``: nodes), at most, on held-out rows.
        Each base classifier counts as one, whatever the prices of an ensemble are.
    max_loss : float, default=None
        What may be lost of the metric against the full model.
    max_disagreement : float, default=None
        Share of rows whose label may differ from the full model's. With a metric: what may be lost
        of it if the full model's own probabilities were true.
    confidence : float or None, default=0.9
        Probability with which `max_loss` or `max_disagreement` holds on unseen data. With None the
        bound is only compared with the mean over held-out rows. Ignored for `beta` and `budget`.
    metric : metric or str, default=None
        The quality to preserve, from ``mddag.metrics``, or its name in scikit-learn, such as
        "roc_auc". By default `max_loss` bounds what classifiers lose of accuracy and what they lose
        of ROC AUC (multiclass: the mean of one class against all others), each with the stated
        confidence; ``Accuracy()`` protects labels alone, ``LogLoss()``
        probabilities. Regressors keep the metric of the objective that they were trained for: R2,
        or ``D2`` of the pinball loss, the absolute error or a deviance.
    threshold : float, default=None
        For binary problems: the probability above which you decide for the second class. It moves
        the decisions that are counted, not those of ``predict``. By default the decision is the
        more probable class, or that of a model which has a threshold of its own
        (``FixedThresholdClassifier``, ``TunedThresholdClassifierCV``); a warning then says how to
        decide as it does.
    objective : {"evaluations", "nodes", "time"}, default="evaluations"
        What is to be small: evaluated base classifiers; nodes visited in trees; or the time of
        large batches, for which one decision covers 16 base classifiers, and the full model is
        returned where a policy is not expected to be faster (except within a budget).
    sample_weight : array-like of shape (n,), default=None
        What each row counts for in all means; 1 by default. Guarantees need equal weights: with
        others pass ``confidence=None``.
    solver : Solver, default=None
        How policies are learned; `Portfolio()` by default. ``Margin()`` takes a fraction of its
        time; ``Portfolio(every=16)`` decides less often.
    n_jobs : int, default=None
        Threads of the default solver and of prediction, and workers of joblib for solvers that
        learn price by price; 1 by default, -1 for all cores. No result depends on it.
    random_state : int, RandomState or None, default=0
        Seed of the split, and of a solver without a seed of its own.
    verbose : bool, default=False
        Whether to report progress on standard error.

    Returns
    -------
    MDDAGClassifier or MDDAGRegressor
        The fitted estimator; ``print`` of it shows what was found.

    Raises
    ------
    ValueError
        If an argument is invalid, or no policy could keep the bound with so few rows.
    TypeError
        If the model is a ranker or cannot be read.

    Warns
    -----
    DoubtfulResult
        Where the result may be unreliable; the message says why.

    See Also
    --------
    train : Train an ensemble for the target, too.
    sweep : Learn policies at several prices.

    Examples
    --------
    >>> import mddag
    >>> from sklearn.datasets import make_hastie_10_2
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> X, y = make_hastie_10_2(6000, random_state=0)
    >>> model = HistGradientBoostingClassifier(max_leaf_nodes=8).fit(X[:2000], y[:2000])
    >>> fast = mddag.sparsify(model, X[2000:], y[2000:], max_loss=0.02)
    >>> bool(fast.n_evaluated(X[2000:]).mean() < 60)
    True
    """
    check_one_of("objective", objective, OBJECTIVES)
    metric = None if metric is None else as_metric(metric)
    target = target_of(
        beta=beta,
        budget=budget,
        max_loss=max_loss,
        max_disagreement=max_disagreement,
        confidence=confidence,
        largest=largest_loss(metric),
    )
    source = parts_of(model)
    ensemble = ensemble_of(replace(source, threshold=None))
    if ensemble.kind == "ranker" or isinstance(metric, RankingMetric):
        raise TypeError(f"the model is a {ensemble.kind} and metric is {metric!r}; {FOR_RANKERS}")
    ensemble.task.require_predictions()
    target = target.protecting(
        ensemble.task, metric, threshold, max(ensemble.n_scores, 2), source.model
    )
    threads = 1 if n_jobs is None else n_jobs
    every = EVERY if objective == "time" and getattr(solver, "every", 1) == 1 else 1
    learner = chosen_solver(solver, every=every, n_jobs=threads, verbose=verbose)
    X, y, weight = counted_rows(X, y, sample_weight)
    target.require_equal(weight)
    own = target.losses[0].metric
    if y is not None and isinstance(own, RegressionMetric):
        own.loss.checked(y)
    random = check_random_state(random_state)
    problem = Problem.of(
        ensemble,
        source.rows(X),
        y,
        shares=target.shares,
        random=random,
        weight=weight,
        counts_nodes=objective == "nodes",
        n_jobs=threads,
    )
    target.require(len(problem), len(problem.split.certify))
    ensemble.task.doubt_targets(problem.truth, given=problem.labelled)
    given = _given_targets(model if source.path is None else source.model, X, problem)
    wanted = source.threshold if threshold is None else threshold
    if wanted is not None and hasattr(source.model, "predict_proba"):
        decides, differ = _threshold_of_source(source, X, problem, given, wanted)
        if threshold is None:
            assert ensemble.classes is not None
            _doubt_threshold(source, ensemble.classes.tolist()[1], decides)
            if isinstance(metric, Accuracy | None):
                target = target.protecting(ensemble.task, metric, decides, 2, source.model)
        elif differ > OTHERWISE:
            doubt(
                f"threshold={threshold:g} is of calibrated probabilities, as the sparse model has; "
                f"the model's own decide otherwise there on {100 * differ:.1f} % of the rows: for "
                "its own decisions leave threshold out and sparsify sklearn.model_selection."
                f"FixedThresholdClassifier(FrozenEstimator(model), threshold={threshold:g})"
                ".fit(X, y)"
            )
    if problem.labelled:
        target = target.ranking(*(problem.truth[rows] for rows in problem.blocks))
    if isinstance(target, Bound) and target.counts_labels:
        doubt_rare_class(problem.truth, target.name, target.value, weight)

    losses = [excess_loss_of(problem, target, loss, given) for loss in target.losses]
    by_metric = any(isinstance(loss, MetricLoss) for loss in losses)
    loss: Loss | None = None
    teaching = losses[0]
    if isinstance(teaching, NumberLoss):
        loss = teaching.loss
    elif by_metric and (metric is not None or ensemble.n_scores == 1):
        # Probabilities near the full ones keep every metric of probabilities. Many classes take
        # minutes by this loss, so there labels teach unless a metric is asked for.
        loss, teaching = Logistic(), losses[-1]
    mdp = problem.mdp(teaching.learned_from(), loss)
    if problem.counts_nodes:
        mdp = mdp.with_costs(problem.mean_nodes())
    elif isinstance(target, Budget):
        mdp = mdp.with_costs(np.ones(mdp.n_steps))
    learner = configured(learner, random=random)
    front = PolicyFront(problem, mdp, learner, losses, n_jobs=n_jobs, verbose=verbose)
    chosen = target.choose(front)
    if objective == "time" and not isinstance(target, Budget) and not front.saves_time(chosen):
        chosen = front.full

    estimator = ESTIMATORS[ensemble.kind](
        ensemble if source.transformer is None else ModelParts(ensemble, source.transformer),
        beta=chosen.beta,
        solver=solver,
        every=every,
        n_jobs=threads,
        verbose=verbose,
        random_state=random_state,
    )
    if by_metric and metric is not None:
        estimator.set_params(metric=metric)
    if isinstance(losses[0], NumberLoss) and loss != Squared():
        estimator.set_params(loss=loss)
    estimator._describe_rows(X)
    # Means, and probabilities that a metric is of, are calibrated on the rows on which the excess
    # loss was; factors of classifiers change no label, so otherwise all rows serve.
    rows = np.arange(len(problem))
    if ensemble.task.calibration_changes_predictions or by_metric:
        rows = problem.split.seen
    found = roll_out(chosen.policy, problem.votes, ensemble.cost, n_jobs=threads)
    fitting = problem.mdp(given, loss, beta=chosen.beta).rows(rows)
    evaluation = fitting.evaluation(found.rows(rows))
    dag = compile_dag(ensemble, chosen.policy, expected_evaluations=evaluation.n_evaluated)
    calibration = calibrated(
        dag.ensemble, found.rows(rows), problem.scores[rows], fitting.labels, fitting.weight, loss
    )
    result = replace(
        _result(problem, target, chosen, found, calibration, given),
        evaluation=evaluation,
        full_evaluation=fitting.evaluate_full(),
        speed=finite_speed(dag.expected_speedup),
        speed_one=finite_speed(dag.expected_speedup_one),
    )
    estimator._take(ensemble, chosen.policy, dag, calibration, result)
    doubt_monotone(monotone_columns(source.model), dag, calibration, source.rows(X))
    estimator.front_ = front
    return estimator


def _given_targets(model: Any, X: Any, problem: Problem) -> NDArray[Any]:
    """Return the targets of all rows; of classifiers without labels the model's probabilities."""
    if problem.labelled or not problem.ensemble.task.soft_targets:
        return problem.truth
    if hasattr(model, "predict_proba"):
        shares = np.array(model.predict_proba(X), np.float64)
        shares /= shares.sum(axis=1, keepdims=True)  # those of one-vs-all need not add up to 1
        return shares
    return probabilities(problem.scores, 1.0)  # scores are read as log-odds


def _threshold_of_source(
    source: ModelParts, X: Any, problem: Problem, given: NDArray[Any], threshold: float
) -> tuple[float, float]:
    """Return where calibrated probabilities decide as the model's own do at a threshold.

    And the share of rows that they decide otherwise at that threshold itself. `given` are labels
    (n,), or without them the model's own probabilities.
    """
    own = np.sort(source.model.predict_proba(source.rows(X))[:, 1])
    score = np.interp(threshold, own, np.sort(problem.scores[:, 0]))
    seen, labels = problem.split.seen, problem.ensemble.task.coded(given)
    weight = part(problem.weight, seen)
    factor = fit_factor(
        problem.scores[seen], labels[seen], None if weight is None else mass(weight)
    )
    p = probabilities(np.append(problem.scores[:, 0], score)[:, None], factor)[:, 1]
    found = float(f"{p[-1]:.6g}")
    return found, float(np.mean((p > found) != (p > threshold)))


def _doubt_threshold(source: ModelParts, label: Any, calibrated: float) -> None:
    """Say how the sparse model decides as a source with a threshold of its own."""
    doubt(
        f"the model decides for {label!r} at probability "
        f"{source.threshold:.4g}, but predict of the sparse model for the more probable class; "
        f"decide as the model does by predict_proba(X)[:, 1] > {calibrated:g} (its probabilities "
        "are calibrated), or predict with sklearn.model_selection.FixedThresholdClassifier("
        f"FrozenEstimator(sparse), threshold={calibrated:g}).fit(X, y)"
    )


def _result(
    problem: Problem,
    target: Target,
    chosen: PolicyCandidate,
    found: Rollout,
    calibration: Calibration,
    given: NDArray[Any],
) -> Result:
    """Measure the chosen policy on rows that it was not learned on."""
    block: Part = "certify" if target.certifies else "choose"
    rows, task = problem.split.rows(block), problem.ensemble.task
    full, weight, left = problem.full[rows], part(problem.weight, rows), found.rows(rows)
    if task.classes is not None:  # a verdict may say otherwise than the scores
        sparse = task.classes[left.codes]
    else:
        sparse = task.predictions(calibration.calibrated(left.scores, left.exit_step))
    metrics: list[MeasuredMetric] = []
    if problem.labelled and task.predicts_classes:
        p_full = MetricLoss(problem, target, target.losses[0], given).full[rows]
        p = calibration.probabilities(left.scores, left.exit_step)
        shares = one_hot(task.coded(problem.truth[rows]), p.shape[1])
        metrics = measured_metrics(p_full, p, shares, weight)
        threshold = target.losses[0].threshold
        if threshold is not None:
            right = ((q[:, 1] > threshold) == shares[:, 1] for q in (p_full, p))
            found_right = (float(np.average(r, weights=weight)) for r in right)
            metrics.insert(0, MeasuredMetric(f"accuracy at threshold {threshold:g}", *found_right))
    elif problem.labelled:
        own = target.losses[0].metric
        assert isinstance(own, RegressionMetric)
        metrics = measured_metrics(full, sparse, problem.truth[rows], weight, own)
    n_nodes = n_nodes_full = None
    if problem.nodes is not None:
        n_nodes = chosen.cost(block)
        n_nodes_full = float(np.average(problem.nodes.everything()[rows], weights=weight))
    return Result(
        kind=problem.ensemble.kind,
        target=target.name,
        value=target.value,
        made_by="sparsify",
        rows="certifying" if target.certifies else "choosing",
        n_rows=len(rows),
        n_classifiers=problem.ensemble.n_classifiers,
        n_evaluated=float(np.average(chosen.n_evaluated[rows], weights=weight)),
        against="labels" if problem.labelled else "model",
        n_nodes=n_nodes,
        n_nodes_full=n_nodes_full,
        metrics=tuple(metrics),
        difference=task.difference(sparse, full, weight),
        bounds=target.measured_bounds(chosen.lost(block).tolist()),
        confidence=target.confidence,
    )
