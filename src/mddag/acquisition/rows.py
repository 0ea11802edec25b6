"""Split rows for ``acquire``, measure what they lose with every model, and show them to policies.

    loss of row i in set s = 1 - p[i, class that the model of s predicts]
        where a metric of probabilities is protected: log-loss of the model's, by p
    regressors             = loss of their metric in its unit, for R2
                             (f_s(x_i) - y_i)^2 / variance of y

p are soft targets: the calibrated probabilities of the full model, or their mean with the label. An
error that the full model makes as well then costs little, and a label that nobody could have known
counts half. Where labels must agree with the full model's, p is 1 for those. Regressors replace y_i
in the same two ways; the mean of both is right for deviances alone (the squared error is one),
whose expectation splits into what the full model loses and the distance from it. A policy for
regressors decides by the prediction alone: it sees where numbers of that size are hard to predict,
not how sure a model is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.model_selection import KFold
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_consistent_length

from mddag._utils.arrays import stratified
from mddag._utils.cached import cached_property
from mddag.acquisition.feature_sets import FeatureSets
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.tasks import Task, winners
from mddag.ensemble.votes import top_and_margin
from mddag.losses import Deviance
from mddag.metrics.classification import one_hot
from mddag.metrics.regression import RegressionMetric
from mddag.policy.calibration import Calibration, class_calibration, fit_factor, probabilities
from mddag.tuning.excess_loss import excess_by_probabilities
from mddag.tuning.guarantee import BoundedLoss

TRAINED_SHARE = 0.5  # of X, where no other rows train the models of smaller sets
FOLDS = 5
N_CELLS = 24
GAP = 1e-4  # of the range: executors, which add integers, round by less
Floats = NDArray[np.float64]


class SplitRows:
    """The given rows: those that train models of smaller sets, and those for the policy.

    Labels are class numbers (regressors: numbers), None without y. `unseen` says whether the given
    model has not seen the training rows either, `labelled` whether all labels were given.
    """

    def __init__(
        self,
        model: Any,
        ensemble: Ensemble,
        X: Any,
        y: Any,
        X_train: Any,
        y_train: Any,
        random: np.random.RandomState,
        metric: RegressionMetric | None = None,
    ) -> None:
        self.model, self.ensemble, self.metric = model, ensemble, metric
        if y_train is not None and X_train is None:
            raise ValueError("y_train is given without X_train, whose labels they are; give both")
        truth = None if y is None else _checked_labels(ensemble, X, y)
        self.train, train_labels = X_train, None
        if X_train is None:
            strata = None if truth is None else ensemble.task.strata(truth)
            self.train, train_labels, X, truth = _halves(X, truth, strata, random)
        elif y_train is not None:
            train_labels = _checked_labels(ensemble, X_train, y_train)
        self.rows = ensemble.features.rows(X)
        self.train_rows = ensemble.features.rows(self.train)
        self.train = self.train if hasattr(self.train, "columns") else np.asarray(self.train)
        self.unseen = X_train is None
        self.labelled = truth is not None and train_labels is not None
        self.labels = None if truth is None else ensemble.task.coded(truth)
        if train_labels is None:
            train_labels = ensemble.task.predictions(ensemble.scores(self.train_rows))
        self.train_labels: NDArray[Any] = train_labels


def _checked_labels(ensemble: Ensemble, X: Any, y: Any) -> NDArray[Any]:
    labels = ensemble.task.checked_targets(y)
    check_consistent_length(X, labels)
    ensemble.task.coded(labels)  # raises for labels that are not among the classes
    return labels


def _halves(
    X: Any,
    y: NDArray[Any] | None,
    strata: NDArray[Any] | None,
    random: np.random.RandomState,
) -> tuple[Any, ...]:
    """Split rows and labels into those that train and those for the policy, stratified."""
    n = _num_samples(X)
    if n < 4:
        raise ValueError(
            f"X has {n} row(s), too few to train smaller models on some and to decide by others; "
            "give more, or X_train"
        )
    # Not train_test_split, which raises for a class of one row.
    trains = stratified(np.zeros(n) if strata is None else strata, TRAINED_SHARE, random)
    rest = np.setdiff1d(np.arange(n), trains)
    labels = (None, None) if y is None else (y[trains], y[rest])
    return _safe_indexing(X, trains), labels[0], _safe_indexing(X, rest), labels[1]


@dataclass(frozen=True, eq=False)
class SetScores:
    """Rows with their scores in every set."""

    sets: FeatureSets
    scores: Floats  # (n, M, K)
    labels: NDArray[Any] | None  # (n,), true classes by number, or true numbers, if known
    task: Task
    metric: RegressionMetric | None = None  # of regressors
    unit: float = 1.0  # what a loss of 1 is for regressors, in that of the metric
    factor: float = 1.0  # of the full model's scores, which makes them probabilities

    @classmethod
    def of(
        cls,
        sets: FeatureSets,
        scores: Floats,
        labels: NDArray[Any] | None,
        task: Task,
        metric: RegressionMetric | None = None,
        learning: NDArray[np.intp] | slice = slice(None),
    ) -> SetScores:
        """Take scores of a classifier, calibrated on the rows that learn, or of a regressor."""
        rows = cls(sets, scores, labels, task, metric)
        if metric is not None:
            return replace(rows, unit=metric.unit(rows.truth))
        if labels is None:
            return rows
        return replace(rows, factor=fit_factor(scores[learning, -1], labels[learning]))

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def values(self) -> Floats:
        """What models decide by, (n, M): the score, or the margin between the two best."""
        if self.scores.shape[2] == 1:
            return self.scores[:, :, 0]
        margins = [top_and_margin(self.scores[:, s])[1] for s in range(len(self.sets))]
        return np.stack(margins, axis=1)

    @cached_property
    def predictions(self) -> NDArray[Any]:
        """What each model predicts, (n, M): class numbers, or numbers."""
        of = winners if self.metric is None else self.task.means
        return np.stack([of(self.scores[:, s]) for s in range(len(self.sets))], axis=1)

    @property
    def full(self) -> NDArray[Any]:
        """What the full model predicts, (n,)."""
        return np.asarray(self.predictions[:, -1])

    @property
    def truth(self) -> NDArray[Any]:
        """The labels, or the full model's where there are none."""
        return self.full if self.labels is None else self.labels

    def answers(self, last: NDArray[np.intp]) -> NDArray[Any]:
        """Return what the models of these sets (n,) predict, a set for each row."""
        return np.asarray(self.predictions[np.arange(len(self)), last])

    def lost(self, answers: NDArray[Any]) -> Floats:
        """Return the loss of these answers, (n,)."""
        return self._difference(answers, self.truth)

    def changed(self, answers: NDArray[Any]) -> Floats:
        """Return how far these answers are from the full model's, (n,)."""
        return self._difference(answers, self.full)

    def _difference(self, answers: NDArray[Any], truth: NDArray[Any]) -> Floats:
        if self.metric is None:
            return np.asarray(answers != truth, np.float64)
        return np.asarray(self.metric.loss.of(answers, truth) / self.unit)

    def _differences(self, truth: NDArray[Any]) -> Floats:
        """Return the loss of every model's predictions, (n, M)."""
        return np.stack([self._difference(of, truth) for of in self.predictions.T], axis=1)

    def rows(self, index: NDArray[np.intp]) -> SetScores:
        """Return some of the rows."""
        labels = None if self.labels is None else self.labels[index]
        return replace(self, scores=self.scores[index], labels=labels)

    def joined(self, more: SetScores) -> SetScores:
        """Append more rows; both have labels, or neither."""
        labels = None
        if self.labels is not None and more.labels is not None:
            labels = np.concatenate([self.labels, more.labels])
        return replace(self, scores=np.concatenate([self.scores, more.scores]), labels=labels)

    def soft_targets(self) -> Floats:
        """Return the full model's probabilities, (n, n_classes), calibrated if there are labels."""
        return probabilities(self.scores[:, -1], self.factor)

    def risks(self) -> Floats:
        """Return the risk of each model, (M,): the mean of what rows lose, for choosing chains.

        Classifiers have the log-loss.
        """
        by = self.losses() if self.metric is not None else self.log_losses()
        return np.asarray(next(iter(by.values())).mean(axis=0))

    def losses(self, follows_model: bool = False) -> dict[str, Floats]:
        """Return the losses (n, M) that policies learn from, by name; the first estimates all."""
        if self.metric is not None:
            follows = self._differences(self.full)
            if self.labels is None:
                return {"full model": follows}
            true = self._differences(self.labels)
            if not isinstance(self.metric.loss, Deviance):  # see the notes on top
                return {"labels": true, "full model": follows}
            follows += self.lost(self.full).mean()  # what the full model itself loses
            return {"softened labels": (true + follows) / 2, "full model": follows}
        codes = self.predictions
        if follows_model:
            agreed = np.asarray(codes != codes[:, -1:], np.float64)
            return {"labels of the full model": agreed}
        return {
            name: 1.0 - np.take_along_axis(p, codes, axis=1)
            for name, p in self._targets(follows_model).items()
        }

    def log_losses(self, follows_model: bool = False) -> dict[str, Floats]:
        """Return the log-losses (n, M) of calibrated probabilities, which keep metrics of them."""
        return {
            name: np.stack([_log_loss(of, p) for of in self.scores.swapaxes(0, 1)], axis=1)
            for name, p in self._targets(follows_model).items()
        }

    def _targets(self, follows_model: bool) -> dict[str, Floats]:
        targets = {"full model": self.soft_targets()}
        if self.labels is not None and not follows_model:
            p = targets["full model"]
            targets = {"softened labels": (one_hot(self.labels, p.shape[1]) + p) / 2, **targets}
        return targets

    def calibration(self, last: NDArray[np.intp]) -> Calibration:
        """Fit what scores stand for in the sets where rows stop, as the exits of the Dag will be.

        The rows must be those that learn.
        """
        stopped = self.scores[np.arange(len(self)), last]
        return class_calibration(stopped, last, self.soft_targets(), len(self.sets) - 1)

    def excess(
        self,
        bounded: BoundedLoss,
        last: NDArray[np.intp],
        calibration: Calibration | None,
        follows_model: bool,
    ) -> Floats:
        """Return what rows (n,) that stop in these sets lose beyond the full model."""
        if not bounded.by_probabilities:
            answers = self.answers(last)
            if follows_model:
                return self.changed(answers)
            return self.lost(answers) - self.lost(self.full)
        assert calibration is not None
        stopped, shares = self.scores[np.arange(len(self)), last], self.soft_targets()
        sparse, full = calibration.probabilities(stopped, last), shares
        if self.labels is not None and not follows_model:
            shares = one_hot(self.labels, full.shape[1])
        elif bounded.threshold is not None:  # the full model's decisions are the truth
            shares = one_hot((full[:, 1] > bounded.threshold).astype(np.intp), 2)
        return excess_by_probabilities(bounded, full, sparse, shares)

    def sample(self, measured: Floats, seed: int) -> SetSample:
        """Return the rows as policies see them; `measured` are the losses that estimate them."""
        signed = self.scores.shape[2] == 1 and self.metric is None
        around = 0.0 if signed else None
        return SetSample(self.sets, self.values, measured, folds_of(len(self), seed), around)


def _log_loss(scores: Floats, targets: Floats) -> Floats:
    p = probabilities(scores, fit_factor(scores, targets))
    return np.asarray(-(targets * np.log(np.maximum(p, 1e-12))).sum(axis=1))


@dataclass(frozen=True, eq=False)
class SetSample:
    """n rows in M sets, each with the number by which the set decides on it.

    The actions of a fold are learned on the other folds, so that a policy is estimated by rows that
    had no part in its actions.
    """

    sets: FeatureSets
    values: Floats  # (n, M)
    measured: Floats  # (n, M), losses by which policies are estimated
    fold: NDArray[np.intp]  # (n,)
    around: float | None = 0.0  # where cells must end, such as 0, at which the label changes

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def n_folds(self) -> int:
        return int(self.fold.max()) + 1

    @cached_property
    def edges(self) -> tuple[Floats, ...]:
        """Return, for each set, edges of cells that hold about equally many rows."""
        return tuple(self._edges(values) for values in self.values.T)

    @cached_property
    def cells(self) -> NDArray[np.intp]:
        """Return the cell of each row in each set, (n, M)."""
        both = zip(self.edges, self.values.T, strict=True)
        return np.stack([np.searchsorted(edges, values) for edges, values in both], axis=1)

    @cached_property
    def members(self) -> tuple[Any, ...]:
        """Return, for each set, a sparse matrix (n_folds x n_cells, n) of rows by fold and cell.

        Its product with numbers of rows are their sums.
        """
        one, found = np.ones(len(self)), []
        for s, edges in enumerate(self.edges):
            n_keys = self.n_folds * (len(edges) + 1)
            key = self.fold * (len(edges) + 1) + self.cells[:, s]
            starts = np.concatenate([[0], np.cumsum(np.bincount(key, minlength=n_keys))])
            rows = np.argsort(key, kind="stable")
            found.append(csr_matrix((one, rows, starts), (n_keys, len(self))))
        return tuple(found)

    def _edges(self, values: Floats) -> Floats:
        edges = between(values, np.arange(1, N_CELLS) / N_CELLS)
        if self.around is not None and values.min() < self.around < values.max():
            edges = np.append(edges, self.around)
        return np.unique(edges)


def between(values: Floats, shares: Floats) -> Floats:
    """Return numbers above about these shares of the values, midway between two of them, rising.

    Rows that a model cannot tell apart have one value but for rounding: no number lies between.
    """
    ordered = np.sort(values)
    apart = np.flatnonzero(np.diff(ordered) > GAP * (ordered[-1] - ordered[0]))
    if len(apart) == 0:
        return np.empty(0)
    middles = (ordered[apart] + ordered[apart + 1]) / 2
    at = np.searchsorted(middles, np.quantile(ordered, shares))
    return np.unique(middles[np.minimum(at, len(middles) - 1)])


def folds_of(n: int, seed: int) -> NDArray[np.intp]:
    """Draw a fold for each of n rows, all about equally large."""
    fold = np.zeros(n, np.intp)
    if n > 1:
        parts = KFold(min(FOLDS, n), shuffle=True, random_state=seed).split(fold)
        for f, (_, own) in enumerate(parts):
            fold[own] = f
    return fold
