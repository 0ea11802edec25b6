"""AdaBoostMHClassifier: multi-class AdaBoost on Hamming loss, as a scikit-learn estimator.

f(x) = sum_j alpha_j h_j(x) with base classifiers h_j that vote ±1 for every class; the class with
the largest score wins. Two classes share one score, and f > 0 means the second. The rounds are in
``boosting``, the base learners in ``learners``, the probabilities in ``calibration``. Scores are
the float64 sums of ``Ensemble.scores``, not the integer sums of a DAG, so no Predictor is used.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mddag._utils.checks import (
    check_fraction,
    check_one_of,
    check_whole,
    checked_jobs,
)
from mddag.boosting.training import BoostingFit, CallbackSupportMixin, Tasks, with_callbacks
from mddag.boosting.training_set import training_set
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Rows
from mddag.ensemble.row_checks import all_or_nothing, checked_rows
from mddag.learners.learner import own_columns
from mddag.policy.calibration import Calibration


class ScoringClassifier(ClassifierMixin):  # type: ignore[misc]
    """What both classifiers answer."""

    @abstractmethod
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the winning class of each row; a tie goes to the first class.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d)
            Rows.

        Returns
        -------
        ndarray of shape (n,)
            Labels.
        """

    @abstractmethod
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Compute class probabilities.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d)
            Rows.

        Returns
        -------
        ndarray of shape (n, n_classes)
            Probabilities.
        """

    @abstractmethod
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Compute calibrated log-odds.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d)
            Rows.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            Log-odds of binary problems, else logits up to a constant per row.
        """


class AdaBoostMHClassifier(CallbackSupportMixin, ScoringClassifier, BaseEstimator):  # type: ignore[misc]
    """AdaBoost.MH (Schapire & Singer 1999) over stumps, trees or products of stumps.

    Parameters
    ----------
    learner : Learner, default None
        Learns the base classifiers; None means ``Stump()``. With ``Haar()`` X are grey patches.
    n_rounds : int, default 100
        Most rounds to play. Boosting stops earlier at a base classifier without error, or where
        none is better than chance.
    class_weight : None, "balanced" or dict, default None
        Factors on the initial weights by class; "balanced" gives every class the same weight.
    max_features : None, int, float or "sqrt", default None
        Columns open to each round, drawn anew: all, a number, a fraction, or the square root.
    max_bins : int, default None
        Most thresholds per column, plus one. None: every threshold that separates two training
        values up to 65 536 rows, 255 bins beyond.
    min_weight_fraction_leaf : float, default 0.0
        Thresholds with less than this share of the initial weight on one side are not tried.
        A leaf of a tree further down may be lighter.
    categorical_features : "auto", None, or array of names, numbers or bools, default "auto"
        The nominal columns; "auto" takes the categorical columns of pandas and polars frames. In
        an array a nominal column holds category numbers 0, 1, 2, ...
    early_stopping : int, default None
        Stop after so many rounds without a smaller error on `validation_fraction` of the rows,
        held out, and cut the model back to its best round.
    validation_fraction : float, default 0.1
        Rows held out for early stopping, the same share of every class.
    calibration_fraction : float, default 0.0
        Rows held out to calibrate probabilities. With 0 the rows of early stopping serve, or else
        the training rows, which makes probabilities of strong ensembles too extreme.
    warm_start : bool, default False
        Continue the fitted model up to `n_rounds` in all, exactly as if it had not been stopped:
        give the same rows; the draws of the first fit go on, whatever `random_state` is by then.
    n_jobs : int, default 1
        Threads of the native core, -1 for all cores. No result depends on it.
    verbose : bool, default False
        Show a progress bar on standard error.
    random_state : int, RandomState or None, default None
        Decides which rows are held out and which columns are open; nothing else is random.

    Attributes
    ----------
    ensemble_ : Ensemble
        The base classifiers with votes ±alpha; ``ensemble_.scores(X)`` is the raw f.
    classes_ : ndarray (n_classes,)
    n_rounds_ : int
        Base classifiers in the model.
    history_ : dict of float64 arrays
        By round: "edge", "alpha", "error" (training), "held_out_error" (NaN without early
        stopping), "seconds". Rounds that early stopping cut off are included.
    stopped_by_ : str
        "n_rounds", "perfect", "chance", "early_stopping" or "callback".
    feature_importances_ : float64 (n_features,)
        Share of each feature in sum_j alpha_j edge_j; see ``mddag.boosting.training``. Those of
        ``Haar`` are the features that are used, ``ensemble_.features.rectangles``.
    calibration_ : Calibration
        a in p = sigmoid(a f) or softmax(a f), the same at every exit.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> round(AdaBoostMHClassifier(n_rounds=20).fit(X, y).score(X, y), 3)
    0.967
    """

    ensemble_: Ensemble
    calibration_: Calibration

    def __init__(
        self,
        learner: Any = None,
        *,
        n_rounds: int = 100,
        class_weight: Any = None,
        max_features: Any = None,
        max_bins: int | None = None,
        min_weight_fraction_leaf: float = 0.0,
        categorical_features: Any = "auto",
        early_stopping: int | None = None,
        validation_fraction: float = 0.1,
        calibration_fraction: float = 0.0,
        warm_start: bool = False,
        n_jobs: int = 1,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.n_rounds = n_rounds
        self.class_weight = class_weight
        self.max_features = max_features
        self.max_bins = max_bins
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.categorical_features = categorical_features
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.calibration_fraction = calibration_fraction
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost on rows and labels.

        If it fails or is interrupted, the estimator is as it was before.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d), or uint8 (n, h, w)
            Rows; patches for ``Haar``.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), default None
            What each row counts for, 0 or more; a common factor changes nothing.

        Returns
        -------
        Self
            The fitted estimator.
        """
        self._check_parameters()
        tasks = Tasks(self, self.n_rounds, X, y, sample_weight)
        with all_or_nothing(self):
            continued = getattr(self, "ensemble_", None) if self.warm_start else None
            self._check_continues(continued)
            seed = self._seed if continued is not None else _drawn_seed(self.random_state)
            own = own_columns(self.learner)
            features = None if own is None else own.features(X, seed)
            given = training_set(
                self, X, y, sample_weight, self.categorical_features, continued, features
            )
            training = BoostingFit.begin(self, given, seed)
            if continued is not None:
                training.replay(continued, self.history_["seconds"])
            stopped_by = training.run(self, tasks)
            fitted = partial(training.fitted, stopped_by)
            self.__dict__.update(fitted(), _seed=seed)
            tasks.end(fitted)
        return self

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Compute the raw scores f.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d)
            Rows.

        Returns
        -------
        ndarray of shape (n, K)
            Scores; K = 1 for binary problems.
        """
        rows = self._rows(X)
        return self.ensemble_.scores(rows, n_jobs=self.n_jobs)

    def predict(self, X: Any) -> NDArray[Any]:
        scores = self.scores(X)
        return self.ensemble_.labels(scores)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        scores = self.scores(X)
        return self.calibration_.probabilities(scores, self._exits(scores))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        scores = self.scores(X)
        return self.calibration_.log_odds(scores, self._exits(scores))

    def encode(self, X: Any) -> Rows:
        """Return rows as every method reads them: encode a DataFrame once, use it often.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d)
            Rows.

        Returns
        -------
        Rows
            The rows.
        """
        return self._rows(X).in_c_order()

    def staged_scores(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Compute the raw scores after each round.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d)
            Rows.

        Yields
        ------
        ndarray of shape (n, K)
            Scores.
        """
        rows = self._rows(X)
        votes = self.ensemble_.votes(rows, n_jobs=self.n_jobs)
        scores = np.tile(votes.tables.bias, (len(votes), 1))
        for j in range(self.n_rounds_):
            scores += votes.tables.table(j)[votes.codes[:, j]]
            yield scores.copy()

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Predict the winning classes after each round.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d)
            Rows.

        Yields
        ------
        ndarray of shape (n,)
            Labels.
        """
        for scores in self.staged_scores(X):
            yield self.ensemble_.labels(scores)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _rows(self, X: Any) -> Rows:
        check_is_fitted(self)
        return checked_rows(self, X, self.ensemble_.features)

    def _exits(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        """Every row leaves at the last step."""
        return np.full(len(scores), self.ensemble_.n_classifiers)

    def _check_parameters(self) -> None:
        check_learner(self.learner)
        check_whole("n_rounds", self.n_rounds, 1)
        if self.max_bins is not None:
            check_whole("max_bins", self.max_bins, 2)
        if self.early_stopping is not None:
            check_whole("early_stopping", self.early_stopping, 1)
        check_fraction("min_weight_fraction_leaf", self.min_weight_fraction_leaf, zero=True)
        check_fraction("validation_fraction", self.validation_fraction, zero=False)
        check_fraction("calibration_fraction", self.calibration_fraction, zero=True)
        check_one_of("warm_start", self.warm_start, (False, True))
        checked_jobs(self.n_jobs)

    def _check_continues(self, continued: Any) -> None:
        if continued is not None and continued.n_classifiers > self.n_rounds:
            raise ValueError(
                f"n_rounds is {self.n_rounds}, but the model that warm_start continues has "
                f"{continued.n_classifiers} rounds already; raise n_rounds"
            )


def check_learner(learner: Any) -> None:
    """Refuse what is no learner."""
    learns = callable(getattr(learner, "fit", None)) and not isinstance(learner, type)
    if learner is not None and (not learns or hasattr(learner, "predict")):
        raise TypeError(
            f"learner is {learner!r}; wanted an object with fit(columns, targets, weights) -> "
            "Nodes, such as mddag.learners.Stump()"
        )


def _drawn_seed(random_state: Any) -> int:
    return int(check_random_state(random_state).randint(2**31 - 1))
