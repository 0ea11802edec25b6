"""Shape rules: what prefixes and margin rules of a model of one shape lose and cost, in folds.

A rule evaluates the first base classifiers of a model, at most `length` of them, and quits earlier
where the margin exceeds a threshold. So many lengths and thresholds are tried for each shape that
running the policies one by one would take longer than training: one pass over the rows of a fold
gives the losses and costs of all of them.

Every row is judged by a model that was trained without its fold (cross-validation). Step j of that
model stands for step j of the model that is returned, which is trained on all rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import _safe_indexing

from mddag._utils.arrays import mass, part, spaced_rows, stratified
from mddag.adapters import ModelParts, ensemble_of, parts_of
from mddag.engine.cost_model import MANY_ROWS
from mddag.engine.dag import Dag
from mddag.engine.dag import compile as compile_dag
from mddag.engine.node_counts import RowNodes
from mddag.ensemble.costs import LeafDepths
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.tasks import winners
from mddag.ensemble.votes import Votes, partial_sums, top_and_margin
from mddag.losses import Loss
from mddag.metrics.classification import LogLoss
from mddag.policy.calibration import exit_calibration, fit_factor, probabilities
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, Policy
from mddag.policy.rollout import roll_out
from mddag.solvers.candidates import spaced_front
from mddag.tuning.shapes import Shape, shaped

FOLDS = 3
FEWEST = 60  # rows in all
CERTIFYING, MOST_CERTIFYING = 0.15, 9_000  # of all rows: a share, and at most
MOST_JUDGING = 30_000  # rows of all folds together that judge; all of them train
N_THRESHOLDS, SPAN = 28, 80.0  # the largest threshold over the smallest
TIMED_APART = 1.05  # ratio of evaluations between rules whose time is computed

ALL, EVERY_MODEL, NO_MODEL = -1, -1, -2
Rows = NDArray[np.intp]
Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FoldedRows:
    """The rows of one call of ``train``, and what each is for.

    fold    : intp (n,), the fold of each row; EVERY_MODEL for rows of classes too rare for folds,
              NO_MODEL for rows that certify
    judging : intp, the rows of the folds that judge
    """

    X: Any
    targets: NDArray[Any]
    weight: Vector | None
    fold: Rows
    judging: Rows
    n_jobs: int = 1

    @classmethod
    def split(
        cls,
        X: Any,
        targets: NDArray[Any],
        weight: Vector | None,
        *,
        strata: NDArray[Any],
        certifies: bool,
        random: np.random.RandomState,
        n_jobs: int = 1,
    ) -> FoldedRows:
        """Split at random, with equal shares of the strata (n,) everywhere."""
        n = len(targets)
        if n < FEWEST:
            raise ValueError(
                f"X has {n} rows, too few to train models on some and to choose among them by "
                f"others; give at least {FEWEST}, and some thousand for a good choice"
            )
        fold = np.full(n, EVERY_MODEL, np.intp)
        if certifies:
            fold[stratified(strata, min(CERTIFYING, MOST_CERTIFYING / n), random)] = NO_MODEL
        stratum = np.unique(strata, return_inverse=True)[1]
        counts = np.bincount(stratum[fold == EVERY_MODEL], minlength=stratum.max() + 1)
        # a model without a fold must know every class
        folded = np.flatnonzero((fold == EVERY_MODEL) & (counts[stratum] >= FOLDS))
        if len(folded) == 0:
            raise ValueError(
                f"y has {len(counts)} classes in {n} rows, and none of them has {FOLDS} rows to "
                "train models on some and judge them by others; give more rows of each class"
            )
        kind = StratifiedKFold if len(counts) > 1 else KFold
        splits = kind(FOLDS, shuffle=True, random_state=random).split(folded, stratum[folded])
        for number, (_, left_out) in enumerate(splits):
            fold[folded[left_out]] = number
        judging = folded[spaced_rows(len(folded), MOST_JUDGING)]
        return cls(X, targets, weight, fold, judging, n_jobs)

    @property
    def certifying(self) -> Rows:
        """Rows that certify and do nothing else."""
        return np.flatnonzero(self.fold == NO_MODEL)

    def judged_in(self, fold: int) -> Rows:
        """Rows that the model without a fold judges."""
        own: Rows = self.judging[self.fold[self.judging] == fold]
        return own

    def n_trained_on(self, fold: int = ALL) -> int:
        """How many rows train the model without a fold; ALL: the one that is returned."""
        return len(self._training(fold))

    def fitted(self, estimator: Any, shape: Shape, fold: int = ALL) -> ModelParts:
        """Train a model of a shape without a fold; ALL: on all rows that do not certify."""
        rows = self._training(fold)
        weight = part(self.weight, rows)
        given = {} if weight is None else {"sample_weight": weight}
        model = shaped(estimator, shape)
        return parts_of(model.fit(_safe_indexing(self.X, rows), self.targets[rows], **given))

    def _training(self, fold: int) -> Rows:
        used = self.fold != NO_MODEL
        return np.flatnonzero(used if fold == ALL else used & (self.fold != fold))

    def votes(self, source: ModelParts, ensemble: Ensemble, rows: Rows) -> Votes:
        """Return what the base classifiers of a model vote on some rows."""
        given = source.rows(_safe_indexing(self.X, rows))
        return ensemble.votes(given, n_jobs=self.n_jobs)


@dataclass(frozen=True)
class Rule:
    """Evaluate base classifiers in order, at most `length`; quit where the margin is large.

    The `threshold` of the margin is infinite for a prefix.
    """

    length: int
    threshold: float = np.inf

    def policy(self, ensemble: Ensemble, every: int) -> Policy:
        """Return the rule as a policy over an ensemble of `length` base classifiers."""
        n_scores, edges = ensemble.n_scores, np.empty(0)
        n_decisions = -(-ensemble.n_classifiers // every)
        if np.isfinite(self.threshold):
            edges = np.array([self.threshold])
            edges = np.array([-self.threshold, self.threshold]) if n_scores == 1 else edges
        grid = Grid(edges, n_scores)
        actions = np.full((n_decisions, grid.n_cells), EVAL, np.uint8)
        if len(edges):
            sure = [0, 2] if n_scores == 1 else np.arange(1, grid.n_cells, 2)
            actions[1:, sure] = QUIT
        return Policy(actions, grid, np.arange(ensemble.n_classifiers), every)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a rule does on some rows.

    Scores (n, K), the step at which rows quit, evaluations, and what the objective counts.
    """

    scores: Vector
    exit_step: NDArray[np.int32]
    n_evaluated: NDArray[np.int32]
    cost: NDArray[Any]

    @classmethod
    def of(
        cls, rule: Rule, ensemble: Ensemble, votes: Votes, objective: str, every: int
    ) -> Outcome:
        """Run a rule on the rows of these votes of a whole ensemble."""
        ensemble, votes = cut(ensemble, rule.length), cut_votes(votes, rule.length)
        policy = rule.policy(ensemble, every)
        found = roll_out(policy, votes)
        cost: NDArray[Any] = found.n_evaluated
        if objective == "nodes":
            cost = RowNodes(votes, LeafDepths.of(ensemble)).under(policy)
        elif objective == "time":
            cost = np.full(len(votes), expected_time(rule, ensemble, every, found.n_evaluated))
        return cls(found.scores, found.exit_step, found.n_evaluated, cost)

    @classmethod
    def joined(cls, outcomes: list[Outcome]) -> Outcome:
        """Join those of several parts of the rows."""
        names = ("scores", "exit_step", "n_evaluated", "cost")
        return cls(*(np.concatenate([getattr(o, name) for o in outcomes]) for name in names))


def cut(ensemble: Ensemble, length: int) -> Ensemble:
    """Return the first base classifiers of an ensemble, `length` of them if there are that many."""
    return ensemble.truncated(min(length, ensemble.n_classifiers))


def cut_votes(votes: Votes, length: int) -> Votes:
    """Return the votes of these base classifiers alone."""
    tables = votes.tables.taken(np.arange(min(length, votes.tables.n_classifiers)))
    codes = np.ascontiguousarray(votes.codes[:, : tables.n_trees])
    return Votes(codes.astype(tables.code_dtype(), copy=False), tables)


def batch_time(dag: Dag) -> float:
    """Return the nanoseconds per row that the cost model expects of a large batch."""
    return float(dag.chosen(MANY_ROWS).cost(MANY_ROWS)) / MANY_ROWS


def expected_time(rule: Rule, ensemble: Ensemble, every: int, n_evaluated: Any) -> float:
    """Return the nanoseconds per row of a large batch that a rule is expected to take."""
    policy, mean = rule.policy(ensemble, every), float(np.mean(n_evaluated))
    return batch_time(compile_dag(ensemble, policy, expected_evaluations=mean))


@dataclass(frozen=True, eq=False)
class RuleTable:
    """What the rules of a shape lose and cost on the rows that judged it; the prefixes come last.

    losses  : (n_losses, n_rules), error and log-loss, as far as they are wanted; regressors have
              the loss of their metric
    spreads : (n_rules,), the mean square of what a row loses beyond the reference by the first
    costs   : (n_rules,), what the objective counts
    """

    rules: list[Rule]
    losses: NDArray[np.float64]
    spreads: Vector
    costs: Vector


@dataclass(frozen=True, eq=False)
class Judged:
    """A model that was trained without a fold, and what it votes on the rows of that fold."""

    ensemble: Ensemble
    votes: Votes
    rows: Rows


class ShapeTrial:
    """A shape that is tried: a model without each of some folds, and the rows that judge them."""

    def __init__(self, shape: Shape, rows: FoldedRows, objective: str, every: int) -> None:
        self.shape, self.rows = shape, rows
        self.objective, self.every = objective, every
        self.folds: list[Judged] = []
        self.thresholds = np.empty(0)

    def train(self, estimator: Any) -> Any:
        """Train the model without the next fold, and return it."""
        fold = len(self.folds)
        source = self.rows.fitted(estimator, self.shape, fold)
        ensemble, own = ensemble_of(source), self.rows.judged_in(fold)
        self.folds.append(Judged(ensemble, self.rows.votes(source, ensemble, own), own))
        if fold == 0:
            n = ensemble.n_classifiers
            series = [m for k in range(12) for m in (2**k, 3 * 2 ** (k - 1)) if k or m == 1]
            self.lengths = np.unique([*(m for m in series if m < n), n])
            if self.task.predicts_classes:
                margins = margins_of(self.folds[0].votes.scores())
                largest = float(np.quantile(margins, 0.999)) or 1.0
                self.thresholds = np.geomspace(largest / SPAN, largest, N_THRESHOLDS)
        return source.model

    @property
    def task(self) -> Any:
        """What scores stand for."""
        return self.folds[0].ensemble.task

    @property
    def n_rounds(self) -> int:
        """Base classifiers of the whole model."""
        return self.folds[0].ensemble.n_classifiers

    @property
    def judged(self) -> Rows:
        """The rows that have judged it so far, fold by fold."""
        return np.concatenate([fold.rows for fold in self.folds])

    def outcome(self, rule: Rule) -> Outcome:
        """Return what a rule does on the rows that judge, fold by fold."""
        found = [
            Outcome.of(rule, fold.ensemble, fold.votes, self.objective, self.every)
            for fold in self.folds
        ]
        return Outcome.joined(found)

    def prefixes(self, loss: Loss | None) -> list[Vector]:
        """Return probabilities (n, n_classes) or numbers (n,) by each prefix for rows that judge.

        They are calibrated; `loss` is that of regressors.
        """
        ensemble, weight = self.folds[0].ensemble, part(self.rows.weight, self.judged)
        truth, found = self.task.coded(self.rows.targets[self.judged]), []
        factors = []
        for m, scores in zip(self.lengths, self._prefix_scores(), strict=True):
            if self.task.predicts_classes:
                factors.append(fit_factor(scores, truth, None if weight is None else mass(weight)))
                found.append(probabilities(scores, factors[-1]))
                continue
            at = np.full(len(truth), min(m, ensemble.n_classifiers))
            line = exit_calibration(ensemble, scores, at, truth, weight, loss)
            found.append(self.task.means(line.calibrated(scores, at)))
        self.factors = np.array(factors)
        return found

    def table(
        self, codes: NDArray[np.intp], reference: Vector, shares: NDArray[np.float64] | None
    ) -> RuleTable:
        """Judge all rules of a classifier by the rows that judge.

        codes     : (n,), the wanted classes
        reference : (n,), 1 where the reference has another one
        shares    : (n, n_classes), of the classes, for the log-loss; None where it is not wanted
        """
        weight, start = self._shares, 0
        n_values = 4 if shares is None else 5
        total = np.zeros((n_values, len(self.thresholds) + 1, len(self.lengths)))
        for fold in self.folds:
            some = slice(start, start := start + len(fold.rows))
            said, margin, log_loss = self._walked(fold, None if shares is None else shares[some])
            wrong = (said != codes[some]).astype(np.float64)
            exits = first_exits(margin, self.thresholds, self.every)
            values = [wrong, (wrong - reference[some]) ** 2, *self._paid(fold, len(said) - 1)]
            values += log_loss
            total += rule_sums(exits, [weight[some] * v for v in values], self.lengths)
        loss, spread, steps, cost, *more = total.reshape(n_values, -1)
        return self._table(np.stack([loss, *more]), spread, steps, cost)

    def table_of_numbers(self, errors: list[Vector], reference: Vector) -> RuleTable:
        """Judge the prefixes of a regressor, which have no margins, by the errors of each."""
        weight, start = self._shares, 0
        loss = np.array([weight @ error for error in errors])
        spread = np.array([weight @ (error - reference) ** 2 for error in errors])
        paid = np.zeros((2, len(self.lengths)))
        for fold in self.folds:
            some = slice(start, start := start + len(fold.rows))
            at = np.minimum(self.lengths, fold.ensemble.n_classifiers)
            paid += [
                np.broadcast_to(v, (len(v), len(fold.rows)))[at] @ weight[some]
                for v in self._paid(fold, fold.ensemble.n_classifiers)
            ]
        return self._table(loss[None], spread, *paid)

    def _table(
        self, losses: NDArray[np.float64], spreads: Vector, steps: Vector, costs: Vector
    ) -> RuleTable:
        thresholds = [*self.thresholds, np.inf]
        rules = [Rule(int(m), float(t)) for t in thresholds for m in self.lengths]
        if self.objective == "time":
            costs = self._times(rules, losses, steps)
        return RuleTable(rules, losses, spreads, costs)

    @property
    def _shares(self) -> Vector:
        """The share of each row that judges in means."""
        weight = part(self.rows.weight, self.judged)
        weight = np.ones(len(self.judged)) if weight is None else weight
        shares: Vector = weight / weight.sum()
        return shares

    def _walked(
        self, fold: Judged, shares: NDArray[np.float64] | None
    ) -> tuple[NDArray[np.intp], Vector, list[Vector]]:
        """Return winning class, margin and log-loss after 0 .. N base classifiers, (N + 1, n)."""
        n_steps, n = fold.votes.tables.n_classifiers, len(fold.rows)
        said, margin = np.empty((n_steps + 1, n), np.intp), np.empty((n_steps + 1, n))
        log_loss = [] if shares is None else [np.empty((n_steps + 1, n))]
        factors = np.interp(np.arange(n_steps + 1), self.lengths, self.factors)
        for j, scores in enumerate(partial_sums(fold.votes)):
            said[j], margin[j] = winners(scores), margins_of(scores)
            if shares is not None:
                p = probabilities(scores, factors[j])
                log_loss[0][j] = LogLoss().of_rows(p, shares, np.ones(n))
        return said, margin, log_loss

    def _paid(self, fold: Judged, n_steps: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return evaluations, and what the objective counts, after every number of steps."""
        steps = np.arange(n_steps + 1)[:, None]
        if self.objective != "nodes":
            return steps, steps
        nodes = LeafDepths.of(fold.ensemble).of_rows(fold.votes.codes).T
        return steps, np.concatenate([np.zeros((1, nodes.shape[1])), np.cumsum(nodes, axis=0)])

    def _prefix_scores(self) -> list[Vector]:
        """Scores of the rows that judge by each of the prefixes."""
        wanted: dict[int, list[Vector]] = {int(m): [] for m in self.lengths}
        for fold in self.folds:
            for j, scores in enumerate(partial_sums(fold.votes)):
                if j in wanted:
                    wanted[j].append(scores.copy())
            for m in (m for m in wanted if m > j):  # this model has fewer base classifiers
                wanted[m].append(scores.copy())
        return [np.concatenate(parts) for parts in wanted.values()]

    def _times(self, rules: list[Rule], losses: NDArray[np.float64], steps: Vector) -> Vector:
        """Return expected times of the prefixes and of the fronts of losses and evaluations.

        They are infinite elsewhere.
        """
        cost, whole = np.full(len(rules), np.inf), self.folds[0].ensemble
        timed = set(range(len(rules) - len(self.lengths), len(rules)))
        for loss in losses:
            timed |= {at for _, at in spaced_front(loss, steps, TIMED_APART)}
        for at in timed:
            cost[at] = expected_time(rules[at], cut(whole, rules[at].length), self.every, steps[at])
        return cost


def margins_of(scores: Vector) -> Vector:
    """Return the margins (n,) of scores (n, K)."""
    return np.abs(scores[:, 0]) if scores.shape[1] == 1 else top_and_margin(scores)[1]


def first_exits(margin: Vector, thresholds: Vector, every: int) -> NDArray[np.intp]:
    """Return after how many steps each row quits at each threshold, (n_thresholds + 1, n).

    The last line is for no threshold: the number of all steps.
    """
    n_steps = len(margin) - 1
    looks = np.arange(every, n_steps, every)
    exits = np.full((len(thresholds) + 1, margin.shape[1]), n_steps, np.intp)
    largest = np.maximum.accumulate(margin[looks], axis=0)
    for of_threshold, threshold in zip(exits, thresholds, strict=False):
        before = (largest <= threshold).sum(axis=0)
        of_threshold[:] = np.minimum((before + 1) * every, n_steps)
    return exits


def rule_sums(
    exits: NDArray[np.intp], values: list[Vector], lengths: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the sums over rows of values at min(exit, length), (n_values, n_exits, n_lengths).

    exits  : (n_exits, n), the step at which rows quit
    values : of each row after 0 .. N steps, (N + 1, n) each
    """
    n_steps, n = len(values[0]) - 1, exits.shape[1]
    rows, lengths = np.arange(n), np.minimum(lengths, n_steps)
    total = np.zeros((len(values), len(exits), len(lengths)))
    for of_exits, at in zip(total.swapaxes(0, 1), exits, strict=True):
        for sums, value in zip(of_exits, values, strict=True):
            of_steps = np.bincount(at, value[at, rows], n_steps + 1)
            sums += np.cumsum(of_steps)[lengths - 1]  # rows that quit before the length
    for k, length in enumerate(lengths):
        stay = (exits >= length).astype(np.float64)
        total[:, :, k] += (stay @ np.stack([value[length] for value in values], axis=1)).T
    return total
