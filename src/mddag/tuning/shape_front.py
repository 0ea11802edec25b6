"""The front of ``train``: prefixes and margin rules of models of many shapes.

Folds estimate what every rule loses and costs; the rows that certify are looked at only by the
model that is trained without them, once a target tests a candidate.

The error of all rules is known from one pass over the rows. A metric of probabilities, such as ROC
AUC, is computed for some rules alone: those that no cheaper one beats in error or in log-loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.base import is_classifier

from mddag._utils.arrays import part
from mddag._utils.output import progress
from mddag.adapters import ModelParts, ensemble_of
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import Votes
from mddag.metrics.classification import LogLoss, one_hot
from mddag.metrics.regression import RegressionMetric
from mddag.policy.calibration import Calibration, exit_calibration
from mddag.serving.result import TrainedShape
from mddag.solvers.candidates import front, spaced_front
from mddag.tuning.excess_loss import excess_by_probabilities
from mddag.tuning.front import Candidate, Front, Matrix, Vector
from mddag.tuning.guarantee import BoundedLoss
from mddag.tuning.problem import Part
from mddag.tuning.shape_rules import FOLDS, FoldedRows, Outcome, Rows, Rule, ShapeTrial, cut
from mddag.tuning.shapes import shapes_of
from mddag.tuning.targets import Target

EVERY = 16  # base classifiers that one decision covers where time counts
# Losses beyond the full model's at which shapes are compared after the first fold
LEVELS = (0.0, 0.002, 0.005, 0.01, 0.02)
MUCH = 10.0  # times the smallest cost: more is no worse
KEPT = 0.25  # of the shapes go on to the other folds
DIGITS = 6  # of losses: scores in folds and in rollouts differ in the seventh
APART = 1.1  # ratio of costs between two rules that are measured or certified one after the other


class RatedRule(Candidate):
    """A rule of a shape; what it loses by cross-validation, beyond the full model, and costs."""

    beta = 0.0

    def __init__(
        self,
        front: ShapeFront,
        trial: ShapeTrial,
        rule: Rule,
        costs: float,
        known: tuple[float, float] | None = None,
    ) -> None:
        """`known` are mean and mean square of the only excess loss, where all rules have it."""
        self.front, self.trial, self.rule, self.costs, self.known = front, trial, rule, costs, known

    @cached_property
    def estimates(self) -> tuple[Vector, Vector]:
        """Means and mean squares of the excess losses by cross-validation."""
        if self.known is not None:
            return np.array(self.known[:1]), np.array(self.known[1:])
        front = self.front
        lost = front.excess(front.cross_validated(self).answers, front.full_answers, front.judged)
        return front.means(lost), front.means(lost**2)

    def cost(self, part: Part) -> float:
        return self.costs

    def lost(self, part: Part) -> Vector:
        return self.estimates[0]

    def excess(self, part: Part) -> Matrix:
        """Return the excess losses of the rows that certify, by the final models."""
        front = self.front
        found, full = (front.measured(rule).answers for rule in (self, front.full))
        return front.excess(found, full, front.rows.certifying)

    def upper(self, z: float) -> float:
        """Return the largest upper confidence limit to expect of the rows that certify."""
        means, squares = self.estimates
        return float((means + z * np.sqrt(squares / max(self.front.n_certifying, 1))).max())


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
    """What a rule does on rows, and what it answers."""

    outcome: Outcome
    answers: Vector  # probabilities (n, n_classes), or the predictions (n,) of a regressor


class ShapeFront(Front[RatedRule]):
    """Shapes that the same rows have judged, all rules of all shapes, and the best of them.

    The full model is the one with the least cross-validated loss of any shape, each at its best
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
        self.task, self.judged, self.target = first.task, first.judged, target
        self.weight, self.coded = part(self.rows.weight, self.judged), self._coded()
        self.truth, metric = self.coded[self.judged], target.losses[0].metric
        self.metric = metric if isinstance(metric, RegressionMetric) else None
        self.unit = self.metric.unit(self.truth, self.weight) if self.metric else 1.0
        self.models: dict[ShapeTrial, FinalModel] = {}
        self.best: list[tuple[int, float]] = []  # number of the best length, and its error
        self.errors: list[list[Vector]] = []  # of the prefixes of regressors
        trial, rule = self._choose_full()
        self._judge()
        whole = next(
            at
            for at, (owner, known) in enumerate(zip(self.owners, self.rules, strict=True))
            if trials[owner] is trial and known == rule
        )
        on_them = self._on_fronts(np.arange(len(self.rules))).tolist()
        self.candidates = [self.candidate(at) for at in (whole, *on_them)]

    def _coded(self) -> NDArray[Any]:
        """Return the shares of the classes (n, n_classes), or the numbers (n,), of all rows."""
        coded: NDArray[Any] = self.task.coded(self.rows.targets)
        return one_hot(coded, len(self.task.classes)) if self.task.predicts_classes else coded

    def _choose_full(self) -> tuple[ShapeTrial, Rule]:
        """Choose the full model, which is no worse than the estimator as given by any metric."""
        least, chosen = np.inf, self.trials[0]
        for trial in self.trials:
            answers = trial.prefixes(self.metric.loss if self.metric else None)
            errors = [self.lost(own, self.truth) for own in answers]
            # by the log-loss, which is far less noisy than a count of errors; the estimator as
            # given is not cut
            smooth = errors if self.metric else [self._log_loss(own) for own in answers]
            at = len(answers) - 1 if trial.shape.is_given else self._least(smooth)
            if trial is self.trials[0]:
                given = answers[at]
            worse = self.means(self.excess(answers[at], given, self.judged, agreeing=False))
            if (worse <= 0).all() and worse.sum() < least:
                least, chosen, self.full_answers = float(worse.sum()), trial, answers[at]
            self.errors.append(errors if self.metric else [])
            error = float(np.average(errors[at], weights=self.weight))
            self.best.append((at, error))
        return chosen, Rule(int(chosen.lengths[self.best[self.trials.index(chosen)][0]]))

    def _judge(self) -> None:
        """Estimate all rules against the full model: error, log-loss, or both, and cost."""
        target, full, truth = self.target, self.full_answers, self.truth
        lost, wanted = self.lost(full, truth), truth
        by_labels = any(_is_of_labels(loss) for loss in target.losses)
        by_probabilities = not self.metric and not all(map(_is_of_labels, target.losses))
        if target.follows_model:  # answers are to be those of the full model
            lost, wanted = np.zeros(len(lost)), full
        shares = wanted if by_probabilities else None
        self.tables = [
            trial.table_of_numbers(errors, lost)
            if self.metric
            else trial.table(wanted.argmax(axis=1), lost, shares)
            for trial, errors in zip(self.trials, self.errors, strict=True)
        ]
        spreads, costs = (
            np.concatenate([getattr(table, name) for table in self.tables])
            for name in ("spreads", "costs")
        )
        known = np.flatnonzero(np.isfinite(costs))  # times are those of some rules alone
        losses = np.concatenate([table.losses for table in self.tables], axis=1)[:, known]
        owners = np.repeat(range(len(self.tables)), [len(t.rules) for t in self.tables])
        rules = [rule for table in self.tables for rule in table.rules]
        self.rules, self.owners = [rules[at] for at in known], owners[known]
        self.spreads, self.costs = spreads[known], costs[known]
        losses[0] -= np.average(lost, weights=self.weight)
        if by_probabilities:
            losses[1] -= np.average(self._log_loss(full, wanted), weights=self.weight)
        # rounded, or the full model might lose against itself
        self.estimates = np.round(losses if by_labels or self.metric else losses[1:], DIGITS)
        self.losses, self.is_exact = self.estimates[0], not by_probabilities
        self.is_bounded = by_labels or self.is_exact  # whether a bound is about `losses`

    def _on_fronts(self, rules: Rows) -> Rows:
        """Return those of some rules that no cheaper one of them beats by one of the estimates."""
        found: set[int] = set()
        for losses in self.estimates[:, rules]:
            if self.is_exact:
                found |= set(rules[front(losses, self.costs[rules])].tolist())
            elif len(rules):  # fewer, since each is to be measured
                spaced = spaced_front(losses, self.costs[rules], APART)
                found |= {int(rules[at]) for _, at in spaced}
        chosen = np.array(sorted(found), np.intp)
        return chosen[np.argsort(-self.costs[chosen], kind="stable")]

    def nothing(self) -> RatedRule:
        return RatedRule(self, self.full.trial, Rule(0), 0.0, (np.inf, 0.0))

    def sequence(self, bound: float, confidence: float | None) -> list[RatedRule]:
        """Return rules in the order in which a bound tests them, the safest first.

        A test of few rows passes what seldom differs from the full model more easily than what is
        as good in the mean, so rules are on a front of cost and of the upper confidence limit to
        expect.
        """
        z = 0.0 if confidence is None else float(norm.ppf(confidence))
        hopeful = np.flatnonzero(self.losses <= bound if self.is_bounded else self.costs)
        if not self.is_exact:
            hopeful = self._on_fronts(hopeful)
        rules = [self.candidate(at) for at in hopeful.tolist()]
        rules = [rule for rule in rules if (rule.lost("choose") <= bound).all()]
        limits, costs = np.array([(rule.upper(z), rule.costs) for rule in rules]).reshape(-1, 2).T
        found: list[RatedRule] = []
        for at in front(limits, costs)[::-1].tolist():
            if confidence is None or not found or rules[at].costs * APART <= found[-1].costs:
                found.append(rules[at])
        return found

    def candidate(self, at: int) -> RatedRule:
        """Return rule number `at` of all."""
        known = (float(self.losses[at]), float(self.spreads[at])) if self.is_exact else None
        trial = self.trials[self.owners[at]]
        return RatedRule(self, trial, self.rules[at], float(self.costs[at]), known)

    @property
    def given(self) -> RatedRule:
        """The estimator as given, evaluated in full."""
        return RatedRule(self, self.trials[0], Rule(self.trials[0].n_rounds), 0.0)

    def lost(self, answers: Vector, truth: Vector) -> Vector:
        """Return the loss of each row: 1 for a wrong label, or the error over its unit."""
        if self.metric:
            return np.asarray(self.metric.loss.of(answers, truth) / self.unit)
        return np.asarray(answers.argmax(axis=1) != truth.argmax(axis=1), np.float64)

    def excess(self, found: Vector, full: Vector, rows: Rows, *, agreeing: bool = True) -> Matrix:
        """Return each excess loss of answers for some rows beyond those of the full model.

        With max_disagreement it is of what the full model answers, unless `agreeing` is False.
        """
        follows = self.target.follows_model and agreeing
        truth, weight = full if follows else self.coded[rows], part(self.rows.weight, rows)

        def of(bounded: BoundedLoss) -> Vector:
            if self.metric or _is_of_labels(bounded):
                return self.lost(found, truth) - self.lost(full, truth)
            shares = truth
            if follows and bounded.threshold is not None:  # what the full model decides is right
                shares = one_hot((full[:, 1] > bounded.threshold).astype(np.intp), 2)
            return excess_by_probabilities(bounded, full, found, shares, weight)

        return np.stack([of(bounded) for bounded in self.target.losses])

    def means(self, losses: Matrix) -> Vector:
        """Return the means over the rows that judge, rounded."""
        return np.round(np.average(losses, axis=1, weights=self.weight), DIGITS)

    def _log_loss(self, p: Matrix, truth: Matrix | None = None) -> Vector:
        return LogLoss().of_rows(p, self.truth if truth is None else truth, np.ones(len(p)))

    def _least(self, losses: list[Vector]) -> int:
        return int(np.argmin([np.average(of_rows, weights=self.weight) for of_rows in losses]))

    def calibration(self, outcome: Outcome, ensemble: Ensemble) -> Calibration:
        """Fit what scores stand for where rows quit, by what a rule does on the rows that judge.

        `ensemble` is the whole model. Classifiers are calibrated to the answers of the full model.
        """
        steps = np.minimum(outcome.exit_step, ensemble.n_classifiers)
        targets, loss = self.full_answers, None
        if self.metric:
            targets, loss = self.truth, self.metric.loss
        return exit_calibration(ensemble, outcome.scores, steps, targets, self.weight, loss)

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

    def cross_validated(self, candidate: RatedRule) -> Measured:
        """Run a rule on the rows that judge, by models of the folds."""
        outcome = candidate.trial.outcome(candidate.rule)
        return self._measured(outcome, outcome, candidate.trial.folds[0].ensemble)

    def measured(self, candidate: RatedRule) -> Measured:
        """Run a rule on the rows that certify, by its final model; without any cross-validate."""
        if not self.n_certifying:
            return self.cross_validated(candidate)
        trial, rule = candidate.trial, candidate.rule
        model = self.model(trial)
        assert model.certifying is not None
        outcome = Outcome.of(rule, model.ensemble, model.certifying, self.objective, self.every)
        return self._measured(outcome, trial.outcome(rule), model.ensemble)

    def _measured(self, outcome: Outcome, judged: Outcome, ensemble: Ensemble) -> Measured:
        calibration = self.calibration(judged, ensemble)
        steps = np.minimum(outcome.exit_step, ensemble.n_classifiers)
        if not self.metric:
            return Measured(outcome, calibration.probabilities(outcome.scores, steps))
        means = self.task.predictions(calibration.calibrated(outcome.scores, steps))
        return Measured(outcome, np.asarray(means))

    def promising(self, share: float) -> list[ShapeTrial]:
        """Select the shapes whose rules cost least over several losses.

        The best full model and the estimator as given are among them.
        """
        ratios = np.full((len(LEVELS), len(self.estimates), len(self.trials)), np.inf)
        for level, of_level in zip(LEVELS, ratios, strict=True):
            for losses, ratio in zip(self.estimates, of_level, strict=True):
                within = losses <= level
                np.minimum.at(ratio, self.owners[within], self.costs[within])
                ratio /= max(ratio.min(), 1e-12)
        score = np.log(np.clip(ratios, 1e-9, MUCH)).mean(axis=(0, 1))
        best = np.argsort(score, kind="stable")[: max(round(share * len(self.trials)), 1)]
        kept = {0, self.trials.index(self.full.trial), *best.tolist()}
        return [trial for number, trial in enumerate(self.trials) if number in kept]

    def lines(self) -> dict[ShapeTrial, TrainedShape]:
        """Describe each shape: its best length, evaluated in full."""
        found = {}
        for trial, (at, error), table in zip(self.trials, self.best, self.tables, strict=True):
            length = int(trial.lengths[at])
            error = 1 - error if self.metric and self.metric.larger_is_better else error
            cost, name = float(table.costs[at - len(trial.lengths)]), trial.shape.name(length)
            found[trial] = TrainedShape(name, length, error, cost, len(trial.folds))
        return found


def _is_of_labels(bounded: BoundedLoss) -> bool:
    """Return whether a loss is known from the most probable classes alone."""
    return bounded.metric is None and bounded.threshold is None


def tried(
    estimator: Any, rows: FoldedRows, objective: str, *, verbose: bool = False
) -> tuple[list[ShapeTrial], Any]:
    """Train all shapes without the first fold; return them and the estimator as given."""
    n_classes = len(np.unique(rows.targets)) if is_classifier(estimator) else 1
    shapes = shapes_of(estimator, rows.n_trained_on(0), n_classes if n_classes > 2 else 1)
    trials = [ShapeTrial(s, rows, objective, EVERY if objective == "time" else 1) for s in shapes]
    given: Any = None
    with progress("train", len(trials), verbose) as report:
        for done, trial in enumerate(trials, 1):
            model = trial.train(estimator)
            given = model if trial.shape.is_given else given
            report(done, trial.shape.name(trial.n_rounds))
    return trials, given


def searched(
    estimator: Any, trials: list[ShapeTrial], target: Target, *, verbose: bool = False
) -> ShapeFront:
    """Train the most promising shapes without the other folds, and return their front."""
    look = ShapeFront(estimator, trials, target)
    kept = look.promising(KEPT)
    dropped = [line for trial, line in look.lines().items() if trial not in kept]
    with progress("other folds", len(kept), verbose) as report:
        for done, trial in enumerate(kept, 1):
            while len(trial.folds) < FOLDS:
                trial.train(estimator)
            report(done, trial.shape.name(trial.n_rounds))
    return ShapeFront(estimator, kept, target, dropped)
