"""The front of ``train``: prefixes and margin rules of models of many shapes.

Folds estimate what every rule loses and costs; the rows that certify are looked at only by the
model that is trained without them, once a target tests a candidate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.base import is_classifier

from mddag._utils.arrays import mass
from mddag._utils.output import progress
from mddag.adapters import ModelParts, ensemble_of
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import Votes
from mddag.policy.by_exit import FITS
from mddag.policy.calibration import Calibration, fitted_probabilities
from mddag.serving.result import TrainedShape
from mddag.solvers.front import front
from mddag.tuning.front import Candidate, Front, Matrix, Part, Vector
from mddag.tuning.shape_rules import FOLDS, FoldedRows, Outcome, Rule, ShapeTrial, cut
from mddag.tuning.shapes import shapes_of
from mddag.tuning.targets import Target

EVERY = 16  # base classifiers that one decision covers where time counts
# Losses beyond the full model's at which shapes are compared after the first fold
LEVELS = (0.0, 0.002, 0.005, 0.01, 0.02)
MUCH = 10.0  # times the smallest cost: more is no worse
KEPT = 0.25  # of the shapes go on to the other folds
DIGITS = 6  # of losses: scores in folds and in rollouts differ in the seventh
APART = 1.1  # ratio of costs between two rules that are certified one after the other


class RatedRule(Candidate):
    """A rule of a shape; what it loses by cross-validation, beyond the full model, and costs."""

    beta = 0.0

    def __init__(
        self, front: ShapeFront, trial: ShapeTrial, rule: Rule, loses: float, costs: float
    ) -> None:
        self.front, self.trial, self.rule, self.loses, self.costs = front, trial, rule, loses, costs

    def cost(self, part: Part) -> float:
        return self.costs

    def lost(self, part: Part) -> Vector:
        return np.array([self.loses])

    def excess(self, part: Part) -> Matrix:
        """Return the excess losses of the rows that certify, by the final models."""
        front = self.front
        found, full = (front.measured(rule).predictions for rule in (self, front.full))
        return front.beyond(found, full, front.rows.targets[front.rows.certifying])[None]


@dataclass(frozen=True, eq=False)
class FinalModel:
    """A shape trained on all rows that do not certify."""

    source: ModelParts
    ensemble: Ensemble  # the whole model
    certifying: Votes | None  # on the rows that certify, if there are any

    def parts(self, rule: Rule) -> Any:
        """Return the base classifiers that a rule may evaluate, with what transforms their rows."""
        ensemble = cut(self.ensemble, rule.length)
        if self.source.transformer is None:
            return ensemble
        return ModelParts(ensemble, self.source.transformer)


@dataclass(frozen=True, eq=False)
class Measured:
    """What a rule does on rows, and what it predicts for them."""

    outcome: Outcome
    predictions: NDArray[Any]
    answers: NDArray[np.float64]  # probabilities (n, n_classes), or the predictions of a regressor


class ShapeFront(Front[RatedRule]):
    """Shapes that the same rows have judged, all rules of all shapes, and the best of them.

    The full model is the one with the least cross-validated error of any shape, each at its best
    length: few numbers are compared, so that there is little selection bias in the least of them.
    """

    def __init__(
        self,
        estimator: Any,
        trials: list[ShapeTrial],
        target: Target,
        dropped: Sequence[TrainedShape] = (),
    ) -> None:
        """`trials` begin with the estimator as given; `dropped` are judged by one fold alone."""
        self.estimator, self.trials, self.dropped, first = estimator, trials, dropped, trials[0]
        self.rows, self.every, self.objective = first.rows, first.every, first.objective
        self.n_certifying = len(self.rows.certifying)
        self.task, self.judged, self.weight = first.task, first.judged, first.weight
        self.truth, self.measure = self.rows.targets[self.judged], target.losses[0].measure
        self.models: dict[ShapeTrial, FinalModel] = {}
        self.errors = [trial.full_errors() for trial in trials]
        # by the log-loss, which is far less noisy than a count of errors; the estimator as given
        # is not cut
        self.lengths = [
            len(errors) - 1 if trial.shape.is_given else int(np.argmin([e[1] for e in errors]))
            for trial, errors in zip(trials, self.errors, strict=True)
        ]
        least = [errors[at][0] for errors, at in zip(self.errors, self.lengths, strict=True)]
        best = int(np.argmin(least))
        trial, rule = trials[best], Rule(int(trials[best].lengths[self.lengths[best]]))
        outcome = trial.outcome(rule)
        self.soft_targets = self.truth
        if self.task.predicts_classes:  # probabilities of the best model, to calibrate others by
            codes, own_mass = self.task.coded(self.truth), mass(self.weight)
            self.soft_targets = fitted_probabilities(outcome.scores, codes, own_mass)
        self.full_predictions = self.predictions(outcome, self.calibration(outcome, trial.n_rounds))
        self._judge()
        whole = next(
            at
            for at, (owner, known) in enumerate(zip(self.owners, self.rules, strict=True))
            if owner == best and known == rule
        )
        # no rule that a cheaper one beats in loss is of use to any target
        on_it = front(self.losses, self.costs)[::-1].tolist()
        self.candidates = [self.candidate(at) for at in (whole, *on_it)]

    def _judge(self) -> None:
        """Estimate all rules against the full model."""
        lost, targets = self.lost(self.full_predictions, self.truth), self.rows.targets
        if self.measure == "share":  # labels are to be those of the full model
            lost, targets = np.zeros(len(lost)), targets.copy()
            targets[self.judged] = self.full_predictions
        self.tables = [trial.table(targets, lost) for trial in self.trials]
        joined = (np.concatenate(c) for c in zip(*(t.numbers for t in self.tables), strict=True))
        losses, spreads, costs = joined
        known = np.flatnonzero(np.isfinite(costs))  # times are those of some rules alone
        owners = np.repeat(range(len(self.tables)), [len(t.rules) for t in self.tables])
        rules = [rule for table in self.tables for rule in table.rules]
        self.rules, self.owners = [rules[at] for at in known], owners[known]
        self.spreads, self.costs = spreads[known], costs[known]
        # rounded, or the full model might lose against itself
        excess = losses - np.average(lost, weights=self.weight)
        self.losses = np.round(excess[known], DIGITS)

    def nothing(self) -> RatedRule:
        return RatedRule(self, self.full.trial, Rule(0), np.inf, 0.0)

    def sequence(self, bound: float, confidence: float | None) -> list[RatedRule]:
        """Return rules in the order in which a bound tests them, the safest first.

        A test of few rows passes what seldom differs from the full model more easily than what is
        as good in the mean, so rules are on a front of cost and of the upper confidence limit to
        expect.
        """
        if confidence is None:
            return super().sequence(bound, confidence)
        hopeful = np.flatnonzero(self.losses <= bound)
        limit = self.losses + norm.ppf(confidence) * np.sqrt(self.spreads / self.n_certifying)
        found: list[RatedRule] = []
        for at in hopeful[front(limit[hopeful], self.costs[hopeful])][::-1].tolist():
            if not found or self.costs[at] * APART <= found[-1].costs:
                found.append(self.candidate(at))
        return found

    def candidate(self, at: int) -> RatedRule:
        """Return rule number `at` of all."""
        trial = self.trials[self.owners[at]]
        return RatedRule(self, trial, self.rules[at], float(self.losses[at]), float(self.costs[at]))

    @property
    def given(self) -> RatedRule:
        """The estimator as given, evaluated in full."""
        return RatedRule(self, self.trials[0], Rule(self.trials[0].n_rounds), 0.0, 0.0)

    def lost(self, predictions: NDArray[Any], truth: NDArray[Any]) -> Vector:
        """Return the loss of each row: 1 for a wrong label; the squared error over the variance."""
        if self.task.predicts_classes:
            return np.asarray(predictions != truth, np.float64)
        mean = np.average(self.truth, weights=self.weight)
        variance = float(np.average(np.square(self.truth - mean), weights=self.weight)) or 1.0
        return np.asarray(np.square(predictions - truth) / variance)

    def beyond(self, predictions: NDArray[Any], full: NDArray[Any], truth: NDArray[Any]) -> Vector:
        """Return the excess loss of each row, by the measure of the target."""
        if self.measure == "share":
            return np.asarray(predictions != full, np.float64)
        return self.lost(predictions, truth) - self.lost(full, truth)

    def calibration(self, outcome: Outcome, n_steps: int) -> Calibration:
        """Fit what scores stand for where rows quit, by what a rule does on the rows that judge.

        `n_steps` are those of the whole model; the scores of regressors need no line there.
        """
        steps, weight = np.minimum(outcome.exit_step, n_steps), mass(self.weight)
        fit = FITS[self.task.calibrated]
        return fit(outcome.scores, steps, self.soft_targets, n_steps, weight)

    def predictions(self, outcome: Outcome, calibration: Calibration) -> NDArray[Any]:
        """Return what is predicted for the rows of an outcome."""
        scores = outcome.scores
        if self.task.calibration_changes_predictions:
            last = len(calibration.groups) - 1
            scores = calibration.calibrated(scores, np.minimum(outcome.exit_step, last))
        return np.asarray(self.task.predictions(scores))

    def model(self, trial: ShapeTrial) -> FinalModel:
        """Return the final model of a shape, trained when it is first asked for."""
        if trial not in self.models:
            rows, certifying = self.rows, None
            source = rows.fitted(self.estimator, trial.shape)
            ensemble = ensemble_of(source)
            if self.n_certifying:
                certifying = rows.votes(source, ensemble, rows.certifying)
            self.models[trial] = FinalModel(source, ensemble, certifying)
        return self.models[trial]

    def measured(self, candidate: RatedRule) -> Measured:
        """Run a rule on the rows that certify, by its final model.

        Where there are none it is run on the rows that judge, by models of the folds.
        """
        trial, rule = candidate.trial, candidate.rule
        judged = outcome = trial.outcome(rule)
        n_steps = trial.n_rounds
        if self.n_certifying:
            model = self.model(trial)
            assert model.certifying is not None
            outcome = Outcome.of(rule, model.ensemble, model.certifying, self.objective, self.every)
            n_steps = model.ensemble.n_classifiers
        calibration = self.calibration(judged, n_steps)
        predictions = answers = self.predictions(outcome, calibration)
        if self.task.predicts_classes:
            steps = np.minimum(outcome.exit_step, len(calibration.groups) - 1)
            answers = calibration.probabilities(outcome.scores, steps)
        return Measured(outcome, predictions, answers)

    def promising(self, share: float) -> list[ShapeTrial]:
        """Select the shapes whose rules cost least over several losses.

        The best full model and the estimator as given are among them.
        """
        ratios = np.full((len(LEVELS), len(self.trials)), np.inf)
        for level, ratio in zip(LEVELS, ratios, strict=True):
            within = self.losses <= level
            np.minimum.at(ratio, self.owners[within], self.costs[within])
            ratio /= max(ratio.min(), 1e-12)
        score = np.log(np.clip(ratios, 1e-9, MUCH)).mean(axis=0)
        best = np.argsort(score, kind="stable")[: max(round(share * len(self.trials)), 1)]
        kept = {0, self.trials.index(self.full.trial), *best.tolist()}
        return [trial for number, trial in enumerate(self.trials) if number in kept]

    def lines(self) -> dict[ShapeTrial, TrainedShape]:
        """Describe each shape: its best length, evaluated in full."""
        found = {}
        parts = zip(self.trials, self.errors, self.lengths, self.tables, strict=True)
        for trial, errors, at, table in parts:
            length, error = int(trial.lengths[at]), errors[at][0]
            error = error if self.task.predicts_classes else 1 - error
            cost, name = float(table.full_costs[at]), trial.shape.name(length)
            found[trial] = TrainedShape(name, length, error, cost, len(trial.folds))
        return found


def searched(
    estimator: Any, rows: FoldedRows, target: Target, objective: str, *, verbose: bool = False
) -> ShapeFront:
    """Train all shapes without the first fold, and the most promising without the others."""
    n_classes = len(np.unique(rows.targets)) if is_classifier(estimator) else 1
    shapes = shapes_of(estimator, rows.n_trained_on(0), n_classes if n_classes > 2 else 1)
    trials = [ShapeTrial(s, rows, objective, EVERY if objective == "time" else 1) for s in shapes]
    with progress("train", len(trials), verbose) as report:
        for done, trial in enumerate(trials, 1):
            trial.train(estimator)
            report(done, trial.shape.name(trial.n_rounds))
    look = ShapeFront(estimator, trials, target)
    kept = look.promising(KEPT)
    dropped = [line for trial, line in look.lines().items() if trial not in kept]
    with progress("other folds", len(kept), verbose) as report:
        for done, trial in enumerate(kept, 1):
            for _ in range(FOLDS - 1):
                trial.train(estimator)
            report(done, trial.shape.name(trial.n_rounds))
    return ShapeFront(estimator, kept, target, dropped)
