"""train(estimator, X, y, target): the ensemble is trained for the target, not the policy alone.

Before you make a large model sparse, try a smaller one: fewer, deeper trees, a higher learning
rate, a margin rule. ``train`` does what a careful engineer would do by hand. It trains the
estimator in a grid of shapes without each fold of the rows (``shapes``), judges every prefix and
margin rule of every shape by the rows left out (``shape_rules``), takes the cheapest rule that
meets the target, and trains its shape once more on all rows but those that certify.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.base import is_classifier
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_consistent_length, has_fit_parameter

from mddag._utils.arrays import mass, part
from mddag._utils.checks import check_one_of, checked_jobs, typed
from mddag._utils.output import progress
from mddag._utils.warnings import (
    doubt,
    doubt_objective,
    doubt_rare_class,
)
from mddag.adapters import ModelParts, ensemble_of, other_than_mean
from mddag.adapters.adapter import lineage
from mddag.engine.dag import compile as compile_dag
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.row_checks import counted_rows
from mddag.ensemble.tasks import TASKS, Kind
from mddag.ensemble.votes import Votes
from mddag.estimators.adaboost import AdaBoostMHClassifier
from mddag.estimators.classifier import MDDAGClassifier
from mddag.estimators.dag_estimator import DagEstimator
from mddag.estimators.fitted_model import is_fitted, reads_patches
from mddag.estimators.regressor import MDDAGRegressor
from mddag.metrics.classification import one_hot
from mddag.policy.by_exit import FITS
from mddag.policy.calibration import Calibration, opinion
from mddag.policy.mdp import Evaluation
from mddag.serving.result import MeasuredBound, Result, TrainedShape, Training, finite_speed
from mddag.solvers.front import front
from mddag.tuning.excess_loss import measured_metrics
from mddag.tuning.guarantee import last_promised
from mddag.tuning.shape_rules import FOLDS, FoldedRows, Outcome, Rule, ShapeTrial, batch_time, cut
from mddag.tuning.shapes import library_of, shapes_of
from mddag.tuning.sparsify import ESTIMATORS, EVERY, OBJECTIVES
from mddag.tuning.targets import CONFIDENCE, Bound, Target, target_of

FEWEST = 60  # rows in all
# Losses beyond the reference's at which shapes are compared after the first fold.
LEVELS = (0.0, 0.002, 0.005, 0.01, 0.02)
MUCH = 10.0  # times the smallest cost: more is no worse
KEPT = 0.25  # of the shapes go on to the other folds
DIGITS = 6  # of losses: scores in folds and in replays differ in the seventh
APART = 1.1  # ratio of costs between two rules that are certified one after the other


def train(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    beta: float | None = None,
    budget: float | None = None,
    max_loss: float | None = None,
    max_disagreement: float | None = None,
    confidence: float | None = CONFIDENCE,
    objective: str = "evaluations",
    sample_weight: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    random_state: Any = 0,
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
    knob, value = target.name, target.value
    target.require_equal(weight)
    if weight is not None:
        _check_takes_weight(estimator)
    if isinstance(target, Bound) and kind == "classifier":
        doubt_rare_class(targets, knob, value, weight)
    rows = _split(X, targets, weight, kind, target.certifies, random_state, threads)
    guarantee = target if isinstance(target, Bound) and target.certifies else None
    if guarantee is not None:
        guarantee.require(len(targets), len(rows.certifying))
    search = searched(estimator, rows, target, objective, verbose)
    models = FinalModels(estimator, search)
    chosen = search.chosen(knob, value)
    if guarantee is not None:
        chosen = certified(search, models, guarantee)
    if kind == "regressor":
        doubt_objective(other_than_mean(models[chosen.trial].source.model))
    made = ESTIMATORS[kind](
        models[chosen.trial].parts(chosen.rule),
        every=search.every,
        n_jobs=threads,
        verbose=verbose,
        random_state=random_state,
    )
    settle(made, search, models, chosen, target)
    return made


# ------------------------------------------------------------------------------------------ checks


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


def _check_takes_weight(estimator: Any) -> None:
    if isinstance(estimator, Pipeline) or not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"sample_weight is given, but {type(estimator).__name__}.fit does not take it; leave "
            "it out"
        )


def _split(
    X: Any,
    targets: NDArray[Any],
    weight: NDArray[np.float64] | None,
    kind: Kind,
    certifies: bool,
    random_state: Any,
    n_jobs: int,
) -> FoldedRows:
    """The rows in folds, and those that certify."""
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


# ------------------------------------------------------------------------------------------ search


@dataclass(frozen=True, eq=False)
class RatedRule:
    """A rule of a shape; what it loses by cross-validation, beyond the reference, and costs."""

    trial: ShapeTrial
    rule: Rule
    excess: float
    cost: float


class ShapeSearch:
    """Shapes that the same rows have judged, the reference, and all rules of all shapes.

    trials  : the estimator as given first
    dropped : lines of the result for shapes that the first fold alone has judged
    """

    def __init__(
        self, trials: list[ShapeTrial], target: Target, dropped: Sequence[TrainedShape] = ()
    ) -> None:
        self.trials, self.dropped, first = trials, dropped, trials[0]
        self.rows, self.every, self.objective = first.rows, first.every, first.objective
        self.task, self.judged, self.weight = first.task, first.judged, first.weight
        self.truth, self.measure = self.rows.targets[self.judged], target.losses[0].measure
        self.errors = [trial.full_errors() for trial in trials]
        # by the log-loss, which is far less noisy than a count of errors; the estimator as given
        # is not cut
        self.lengths = [
            len(errors) - 1 if trial.shape.is_given else int(np.argmin([e[1] for e in errors]))
            for trial, errors in zip(trials, self.errors, strict=True)
        ]
        self.reference = self._reference()
        full = self.reference.trial.outcome(self.reference.rule)
        self.soft_targets = self.truth
        if self.task.predicts_classes:  # probabilities of the best model, to calibrate others by
            codes, own_mass = self.task.coded(self.truth), mass(self.weight)
            self.soft_targets = opinion(full.scores, codes, own_mass)
        self.full = self.predictions(full, self.calibration(full, self.reference.trial.n_rounds))
        self._judge()

    def _reference(self) -> RatedRule:
        """The best full model of any shape, each at its best length: few numbers are compared, so
        that little luck is in the least of them."""
        errors = [errors[at][0] for errors, at in zip(self.errors, self.lengths, strict=True)]
        best = int(np.argmin(errors))
        trial = self.trials[best]
        return RatedRule(trial, Rule(int(trial.lengths[self.lengths[best]])), 0.0, 0.0)

    def _judge(self) -> None:
        """Judge all rules against the reference."""
        lost, targets = self.lost(self.full, self.truth), self.rows.targets
        if self.measure == "share":  # labels are to be the reference's
            lost, targets = np.zeros(len(lost)), targets.copy()
            targets[self.judged] = self.full
        self.tables = [trial.table(targets, lost) for trial in self.trials]
        joined = (np.concatenate(c) for c in zip(*(t.numbers for t in self.tables), strict=True))
        losses, spreads, costs = joined
        known = np.flatnonzero(np.isfinite(costs))  # times are those of some rules alone
        owners = np.repeat(range(len(self.tables)), [len(t.rules) for t in self.tables])
        rules = [rule for table in self.tables for rule in table.rules]
        self.rules, self.owners = [rules[at] for at in known], owners[known]
        self.spreads, self.costs = spreads[known], costs[known]
        # rounded, or the reference might lose against itself
        excess = losses - np.average(lost, weights=self.weight)
        self.excess = np.round(excess[known], DIGITS)

    @property
    def given(self) -> RatedRule:
        """The estimator as given, evaluated in full."""
        return RatedRule(self.trials[0], Rule(self.trials[0].n_rounds), 0.0, 0.0)

    def candidate(self, at: int) -> RatedRule:
        """Rule number `at` of all."""
        trial = self.trials[self.owners[at]]
        return RatedRule(trial, self.rules[at], float(self.excess[at]), float(self.costs[at]))

    def lost(self, predictions: NDArray[Any], truth: NDArray[Any]) -> NDArray[np.float64]:
        """The loss of each row: 1 for a wrong label; the squared error over the variance."""
        if self.task.predicts_classes:
            return np.asarray(predictions != truth, np.float64)
        mean = np.average(self.truth, weights=self.weight)
        variance = float(np.average(np.square(self.truth - mean), weights=self.weight)) or 1.0
        return np.asarray(np.square(predictions - truth) / variance)

    def beyond(
        self, predictions: NDArray[Any], full: NDArray[Any], truth: NDArray[Any]
    ) -> NDArray[np.float64]:
        """The excess loss of each row beyond the reference's, by the measure of the target."""
        if self.measure == "share":
            return np.asarray(predictions != full, np.float64)
        return self.lost(predictions, truth) - self.lost(full, truth)

    def calibration(self, outcome: Outcome, n_steps: int) -> Calibration:
        """What scores stand for where rows quit, by what a rule does on the rows that judge.

        n_steps : of the whole model; the scores of regressors need no line there
        """
        steps, weight = np.minimum(outcome.exit_step, n_steps), mass(self.weight)
        fit = FITS[self.task.calibrated]
        return fit(outcome.scores, steps, self.soft_targets, n_steps, weight)

    def predictions(self, outcome: Outcome, calibration: Calibration) -> NDArray[Any]:
        """What is predicted for the rows of an outcome."""
        scores = outcome.scores
        if self.task.calibration_changes_predictions:
            last = len(calibration.groups) - 1
            scores = calibration.calibrated(scores, np.minimum(outcome.exit_step, last))
        return np.asarray(self.task.predictions(scores))

    def chosen(self, knob: str, value: float) -> RatedRule:
        """The rule that a target takes, by cross-validation alone."""
        if knob == "beta":
            return self.candidate(int(np.argmin(self.excess + value * self.costs)))
        if knob == "budget":
            within = self.costs <= value
            if within.any():
                return self._best(within, self.excess, self.costs)
            doubt(
                f"there is no policy within budget={value:g}; returned is one that evaluates "
                "nothing and gives every row the same answer: give a larger budget"
            )
            return RatedRule(self.reference.trial, Rule(0), np.nan, 0.0)
        return self._best(self.excess <= value, self.costs, self.excess)

    def _best(self, able: NDArray[np.bool_], first: Any, then: Any) -> RatedRule:
        """Of some rules the one with the least of a number, and of another number in ties."""
        some = np.flatnonzero(able)
        if not len(some):
            return self.reference
        return self.candidate(int(some[np.lexsort((then[some], first[some]))[0]]))

    def to_certify(self, bound: float, confidence: float) -> list[RatedRule]:
        """Rules in the order in which they are certified, the safest first.

        A test of few rows passes what seldom differs from the reference more easily than what is
        as good in the mean, so rules are on a front of cost and of the upper confidence limit to
        expect.
        """
        n, hopeful = len(self.rows.certifying), np.flatnonzero(self.excess <= bound)
        limit = self.excess + norm.ppf(confidence) * np.sqrt(self.spreads / n)
        found: list[RatedRule] = []
        for at in hopeful[front(limit[hopeful], self.costs[hopeful])][::-1].tolist():
            if not found or self.costs[at] * APART <= found[-1].cost:
                found.append(self.candidate(at))
        return found

    def promising(self, share: float) -> list[ShapeTrial]:
        """The shapes whose rules cost least over several losses, the best full model, and the
        estimator as given."""
        ratios = np.full((len(LEVELS), len(self.trials)), np.inf)
        for level, ratio in zip(LEVELS, ratios, strict=True):
            within = self.excess <= level
            np.minimum.at(ratio, self.owners[within], self.costs[within])
            ratio /= max(ratio.min(), 1e-12)
        score = np.log(np.clip(ratios, 1e-9, MUCH)).mean(axis=0)
        best = np.argsort(score, kind="stable")[: max(round(share * len(self.trials)), 1)]
        kept = {0, self.trials.index(self.reference.trial), *best.tolist()}
        return [trial for number, trial in enumerate(self.trials) if number in kept]

    def lines(self) -> dict[ShapeTrial, TrainedShape]:
        """What is told of each shape: its best length, evaluated in full."""
        found = {}
        parts = zip(self.trials, self.errors, self.lengths, self.tables, strict=True)
        for trial, errors, at, table in parts:
            length, error = int(trial.lengths[at]), errors[at][0]
            error = error if self.task.predicts_classes else 1 - error
            cost, name = float(table.full_costs[at]), trial.shape.name(length)
            found[trial] = TrainedShape(name, length, error, cost, len(trial.folds))
        return found


def searched(
    estimator: Any, rows: FoldedRows, target: Target, objective: str, verbose: bool = False
) -> ShapeSearch:
    """Train all shapes without the first fold, and those that promise most without the others."""
    n_classes = len(np.unique(rows.targets)) if is_classifier(estimator) else 1
    shapes = shapes_of(estimator, rows.n_trained_on(0), n_classes if n_classes > 2 else 1)
    trials = [ShapeTrial(s, rows, objective, EVERY if objective == "time" else 1) for s in shapes]
    with progress("train", len(trials), verbose) as report:
        for done, trial in enumerate(trials, 1):
            trial.train(estimator)
            report(done, trial.shape.name(trial.n_rounds))
    look = ShapeSearch(trials, target)
    kept = look.promising(KEPT)
    dropped = [line for trial, line in look.lines().items() if trial not in kept]
    with progress("other folds", len(kept), verbose) as report:
        for done, trial in enumerate(kept, 1):
            for _ in range(FOLDS - 1):
                trial.train(estimator)
            report(done, trial.shape.name(trial.n_rounds))
    return ShapeSearch(kept, target, dropped)


# ---------------------------------------------------------------------------------------- results


@dataclass(frozen=True, eq=False)
class FinalModel:
    """A shape trained on all rows that do not certify; `ensemble` is the whole model."""

    source: ModelParts
    ensemble: Ensemble
    certifying: Votes | None

    def parts(self, rule: Rule) -> Any:
        """The base classifiers that a rule may evaluate, after what transforms their rows."""
        ensemble = cut(self.ensemble, rule.length)
        if self.source.transformer is None:
            return ensemble
        return ModelParts(ensemble, self.source.transformer)


class FinalModels(dict[ShapeTrial, FinalModel]):
    """Final models by shape, trained when they are asked for."""

    def __init__(self, estimator: Any, search: ShapeSearch) -> None:
        self.estimator, self.search = estimator, search

    def __missing__(self, trial: ShapeTrial) -> FinalModel:
        rows, certifying = self.search.rows, None
        source = rows.fitted(self.estimator, trial.shape)
        ensemble = ensemble_of(source)
        if len(rows.certifying):
            certifying = rows.votes(source, ensemble, rows.certifying)
        self[trial] = FinalModel(source, ensemble, certifying)
        return self[trial]

    def measured(self, candidate: RatedRule) -> Measured:
        """What a rule does on the rows that certify, by its final model; where there are none, on
        the rows that judge, by models of the folds."""
        search, trial, rule = self.search, candidate.trial, candidate.rule
        judged = outcome = trial.outcome(rule)
        n_steps = trial.n_rounds
        if len(search.rows.certifying):
            model = self[trial]
            assert model.certifying is not None
            outcome = Outcome.of(
                rule, model.ensemble, model.certifying, search.objective, search.every
            )
            n_steps = model.ensemble.n_classifiers
        calibration = search.calibration(judged, n_steps)
        predictions = answers = search.predictions(outcome, calibration)
        if search.task.predicts_classes:
            steps = np.minimum(outcome.exit_step, len(calibration.groups) - 1)
            answers = calibration.probabilities(outcome.scores, steps)
        return Measured(outcome, predictions, answers)


@dataclass(frozen=True, eq=False)
class Measured:
    """What a rule does on rows, and what it predicts for them."""

    outcome: Outcome
    predictions: NDArray[Any]
    answers: NDArray[np.float64]  # probabilities (n, n_classes), or the predictions of a regressor


def certified(search: ShapeSearch, models: FinalModels, guarantee: Bound) -> RatedRule:
    """Return the cheapest rule whose guarantee the certifying rows prove, else the reference.

    Rules are tested in a fixed order, up to the first that fails; none before it costs anything.
    """
    rows, full = search.rows.certifying, models.measured(search.reference).predictions
    assert guarantee.confidence is not None
    able = search.to_certify(guarantee.value, guarantee.confidence)

    def p_value(candidate: RatedRule) -> float:
        found = models.measured(candidate).predictions
        return guarantee.p_value(search.beyond(found, full, search.rows.targets[rows])[None])

    n_proved = last_promised((p_value(candidate) for candidate in able), guarantee.confidence)
    if n_proved:
        return min(able[:n_proved], key=lambda candidate: candidate.cost)
    doubt(
        f"{len(rows)} certifying rows prove {guarantee} for no policy "
        "cheaper than the full model, which is returned; give more rows or a larger bound"
    )
    return search.reference


def settle(
    made: DagEstimator,
    search: ShapeSearch,
    models: FinalModels,
    chosen: RatedRule,
    target: Target,
) -> None:
    """Give the estimator its DAG, its calibration, and what is known of them."""
    task, model, trial, rule = search.task, models[chosen.trial], chosen.trial, chosen.rule
    judged = trial.outcome(rule)
    ensemble = cut(model.ensemble, rule.length)
    calibration = search.calibration(judged, model.ensemble.n_classifiers)
    mean = float(np.average(judged.n_evaluated, weights=search.weight))
    dag = compile_dag(ensemble, rule.policy(ensemble, search.every), expected_evaluations=mean)
    groups = calibration.groups[: ensemble.n_classifiers + 1]
    n_groups = groups.max() + 1
    calibration = Calibration(
        groups, calibration.factors[:n_groups], calibration.offsets[:n_groups]
    )

    rows = search.rows.certifying if target.certifies else search.judged
    truth, weight = search.rows.targets[rows], part(search.rows.weight, rows)
    found = models.measured(chosen)
    full, given = (models.measured(c) for c in (search.reference, search.given))
    given_quality = task.quality(given.predictions, truth, weight)
    if task.predicts_classes and given_quality is not None:
        given_quality = 1 - given_quality

    def average(numbers: NDArray[Any]) -> float:
        return float(np.average(numbers, weights=weight))

    def evaluation(measured: Measured, price: float) -> Evaluation:
        loss = average(search.lost(measured.predictions, truth))
        n = average(measured.outcome.n_evaluated)
        return Evaluation(loss, n, loss + price * n, n)

    price = target.value if target.name == "beta" else 0.0
    made.set_params(beta=price)
    made.describe_rows(search.rows.X)
    reference, cost = search.reference, average(full.outcome.cost)
    whole = compile_dag(cut(reference.trial.folds[0].ensemble, reference.rule.length))
    name = reference.trial.shape.name(reference.rule.length)
    of_nodes = search.objective == "nodes"
    excess = average(search.beyond(found.predictions, full.predictions, truth))
    lines = search.lines()
    lines[trial] = replace(lines[trial], chosen=True)
    sign = 1 if task.predicts_classes else -1
    shapes = sorted([*lines.values()], key=lambda line: sign * line.error)
    shapes += sorted(search.dropped, key=lambda line: sign * line.error)
    shares = truth
    if task.predicts_classes:
        shares = one_hot(task.coded(truth), found.answers.shape[1])
    result = Result(
        kind=task.kind,
        target=target.name,
        value=target.value,
        made_by="train",
        rows="certifying" if target.certifies else "choosing",
        n_rows=len(rows),
        n_classifiers=ensemble.n_classifiers,
        n_evaluated=average(found.outcome.n_evaluated),
        evaluation=evaluation(found, price),
        full_evaluation=evaluation(full, price),
        n_nodes=average(found.outcome.cost) if of_nodes else None,
        n_nodes_full=cost if of_nodes else None,
        metrics=tuple(measured_metrics(full.answers, found.answers, shares, weight)),
        difference=task.quality.difference(found.predictions, full.predictions, weight),
        bounds=tuple(MeasuredBound(b.name, excess, b.exact) for b in target.losses)
        if isinstance(target, Bound)
        else (),
        confidence=target.confidence,
        speed=finite_speed(batch_time(whole) / max(batch_time(dag), 1e-9)),
        speed_one=finite_speed(whole.program.full_costs.one / max(dag.program.costs.one, 1e-9)),
        training=Training(
            name,
            cost,
            is_full_model=(trial, rule) == (reference.trial, reference.rule),
            given=given_quality,
            shapes=tuple(shapes),
        ),
    )
    made.take(dag.ensemble, dag.policy, dag, calibration, result)
