"""MDDAGRegressor: boosted regression trees made into a sparse decision DAG.

Squared loss; the score at which a row leaves is calibrated for its exit, since a prefix of a
shrunken ensemble lies too close to the mean. Models with a log link predict exp of that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.ensemble import HistGradientBoostingRegressor

from mddag.estimators.dag_estimator import DagEstimator


class MDDAGRegressor(RegressorMixin, DagEstimator):  # type: ignore[misc]
    """A sparse decision DAG over the trees of a boosted regressor.

    Parameters
    ----------
    ensemble : estimator or model, default None
        As for ``MDDAGClassifier``; None means scikit-learn's ``HistGradientBoostingRegressor`` with
        trees of eight leaves.
    beta : float, default 0.01
        The price of one evaluation in units of R2: at 0.01 an evaluation must explain one more
        hundredth of the variance. (For another loss: in units of what the mean of y loses.)
    loss : callable, default None
        What a prediction costs, of (predictions (n, 1), y); None means ``Squared()``.
    solver : Solver, default None
        As for ``MDDAGClassifier``.
    ordering : Ordering, default None
        As for ``MDDAGClassifier``, but None means ``Given()``.
    every : int, default 1
        Base classifiers that one decision covers.
    grid : {"quantile", "uniform"}, default "quantile"
        Cells of scores on which the policy is learned.
    actions : tuple of str, default ("eval", "skip", "quit")
        Actions that the policy may take.
    policy_rows : {"held_out", "train"}, default "held_out"
        Where the policy of an ensemble fitted here is learned.
    policy_fraction : float, default 0.3
        Share of the rows held out for the policy.
    n_jobs : int, default 1
        Threads of prediction and of the default solver, -1 for all cores.
    verbose : bool, default False
        Show progress on standard error.
    random_state : int, RandomState or None, default None
        Decides which rows are held out, and seeds a solver that has no seed of its own.

    Attributes
    ----------
    ensemble_, policy_, dag_, transformer_ : as for ``MDDAGClassifier``
    n_features_in_, feature_names_in_ : likewise
    result_ : Result
        What was asked for, found, guaranteed and measured; `front_`, only of ``sparsify``, holds
        the candidates that it was chosen from.
    calibration_ : Calibration
        The line a f + b for each group of exits, fitted on the policy rows.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mddag.solvers import Sarsa
    >>> X, y = load_diabetes(return_X_y=True)
    >>> solver = Sarsa(n_episodes=50_000)
    >>> model = MDDAGRegressor(beta=0.001, solver=solver, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.4 and model.n_evaluated(X).mean() < 50)
    True
    """

    kind = "regressor"

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the expected target of each row.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d)
            Rows.

        Returns
        -------
        ndarray of shape (n,)
            Predictions.
        """
        return self.untransformed().predict(self._rows(X))

    def _default_model(self) -> Any:
        return HistGradientBoostingRegressor(max_leaf_nodes=8, early_stopping=False)
