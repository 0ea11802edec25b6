"""MDDAGClassifier: an ensemble made into a sparse decision DAG, as a scikit-learn estimator.

fit: rows -> ensemble (trained here, or given) -> votes on the policy rows -> MDP -> policy -> DAG.
predict: each row evaluates the base classifiers that its path in the DAG needs, and no others.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mddag.estimators.adaboost import AdaBoostMHClassifier, ScoringClassifier
from mddag.estimators.dag_estimator import DagEstimator
from mddag.losses import Logistic, Loss
from mddag.metrics.classification import checked_class_metric
from mddag.policy.ordering import Given
from mddag.policy.policy import ACTIONS
from mddag.solvers import Sarsa, Solver
from mddag.solvers.values import Table


class MDDAGClassifier(ScoringClassifier, DagEstimator):
    """A sparse decision DAG over the base classifiers of a boosted ensemble.

    Parameters
    ----------
    ensemble : estimator or model, default None
        What gives the base classifiers: anything that ``mddag.as_ensemble`` reads, a path
        included, or a Pipeline that ends with such a model. If fitted (or wrapped in
        ``FrozenEstimator``, which survives ``clone``) it is used as it is, and every row given to
        ``fit`` is a policy row; if not, it is fitted here. None means ``AdaBoostMHClassifier()``.
    beta : float, default 0.01
        The price of one evaluation in units of the loss: the trade-off between accuracy and speed.
        An ensemble with prices of its own (``Ensemble.with_cost``) pays beta times those.
    loss : callable, default None
        What a wrong decision costs, of (scores, labels); None means ``ZeroOne()``.
    solver : Solver, default None
        How the policy is learned; None means ``Portfolio()``. The paper learns by ``Sarsa()``;
        ``MDDAGClassifier.paper`` has its other choices, too.
    ordering : Ordering, default None
        The order in which base classifiers are decided on; None means ``Correlation()``, and for
        ``Portfolio`` that it tries two (an order given here replaces them; those few that stand for
        all have their own). The paper takes them as they come: ``Given()``.
    every : int, default 1
        Decide once for so many base classifiers; above 1 the solver must have `every`, too.
    grid : "quantile" or "uniform", default "quantile"
        The cells of scores on which the policy is learned: as many rows in each, or all of one
        width (the paper). ``Portfolio`` makes its own.
    actions : tuple of str, default ("eval", "skip", "quit")
        Without "skip" the DAG is a chain with early exits, without "quit" every row goes to the
        end.
    policy_rows : "held_out" or "train", default "held_out"
        Where the policy of an ensemble fitted here is learned: on `policy_fraction` of the rows,
        which the ensemble does not see, or on the rows that it was fitted on (the paper), which
        look easier than they are.
    policy_fraction : float, default 0.3
        Share of the rows held out for the policy.
    n_jobs : int, default 1
        Threads of prediction and of the default solver, -1 for all cores. No result depends on it.
        (One policy is learned, so that there is nothing for joblib's workers.)
    verbose : bool, default False
        Show progress on standard error; a solver that can report does, too.
    random_state : int, RandomState or None, default None
        Decides which rows are held out, and seeds a solver that has no seed of its own.
    metric : metric of classifiers, default None
        What is to be good: ``LogLoss()`` or ``RocAuc()`` of ``mddag.metrics``; None means
        ``Accuracy()``. Policies are learned by ``Logistic()`` for the first two where no loss is
        given, and ``score`` returns the metric, negated where smaller is better.

    Attributes
    ----------
    ensemble_ : Ensemble
    policy_ : Policy
    dag_ : Dag
    classes_ : ndarray (n_classes,)
    result_ : Result
        What was asked for, found, guaranteed and measured; `front_`, only of ``sparsify``, holds
        the candidates that it was chosen from.
    calibration_ : Calibration
        a in p = sigmoid(a f) or softmax(a f) for each group of exits, fitted on the policy rows.
    transformer_ : Transformer or None
        The steps of a Pipeline before its ensemble, with ``transform``.
    n_features_in_, feature_names_in_ : as in scikit-learn; those of the Pipeline, if there is one

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mddag.solvers import Sarsa
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MDDAGClassifier(beta=0.001, solver=Sarsa(n_episodes=50_000), random_state=0)
    >>> bool(model.fit(X, y).n_evaluated(X).mean() < 50)
    True
    """

    kind = "classifier"

    def __init__(
        self,
        ensemble: Any = None,
        *,
        beta: float = 0.01,
        loss: Any = None,
        solver: Any = None,
        ordering: Any = None,
        every: int = 1,
        grid: str = "quantile",
        actions: tuple[str, ...] = ACTIONS,
        policy_rows: str = "held_out",
        policy_fraction: float = 0.3,
        n_jobs: int = 1,
        verbose: bool = False,
        random_state: Any = None,
        metric: Any = None,
    ) -> None:
        super().__init__(
            ensemble,
            beta=beta,
            loss=loss,
            solver=solver,
            ordering=ordering,
            every=every,
            grid=grid,
            actions=actions,
            policy_rows=policy_rows,
            policy_fraction=policy_fraction,
            n_jobs=n_jobs,
            verbose=verbose,
            random_state=random_state,
        )
        self.metric = metric

    @classmethod
    def paper(cls, ensemble: Any = None, *, beta: float = 0.01, **changes: Any) -> Self:
        """Return an estimator with the choices of the paper.

        SARSA(lambda) with its constants, Q in 128 bins of the score divided by the sum of the
        alphas, base classifiers as they come, cells of one width, the 0-1 loss (MDDAG.I), and a
        policy learned on the rows that trained the ensemble: one that is not fitted is fitted on
        all rows given to ``fit``; for one that is, give those rows. docs/deviations.md has our
        readings of the paper.

        Parameters
        ----------
        ensemble : estimator or model, default None
            As for the class.
        beta : float, default 0.01
            As for the class.
        **changes : object
            Other parameters by name, such as ``loss=Exponential()`` (MDDAG.EXP) or
            ``solver__n_episodes=100_000``.

        Returns
        -------
        MDDAGClassifier
            The estimator.
        """
        paper = cls(
            ensemble,
            beta=beta,
            solver=Sarsa(Table(128, running=False)),
            ordering=Given(),
            grid="uniform",
            policy_rows="train",
        )
        changed: Self = paper.set_params(**changes)
        return changed

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, in the order of the columns of ``predict_proba``."""
        check_is_fitted(self, "ensemble_")
        return np.asarray(self.ensemble_.classes)

    def predict(self, X: Any) -> NDArray[Any]:
        return self.untransformed().predict(self._rows(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        return self.untransformed().predict_proba(self._rows(X))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        return self.untransformed().decision_function(self._rows(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Compute the metric, larger being better.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d)
            Rows.
        y : array-like of shape (n,)
            Targets.
        sample_weight : array-like of shape (n,), default None
            What each row counts for, 0 or more; a common factor changes nothing.

        Returns
        -------
        float
            Accuracy by default; a metric of which smaller values are better is negated.
        """
        metric = checked_class_metric(self.metric)
        if metric is None:
            return float(super().score(X, y, sample_weight))
        p, codes = self.predict_proba(X), self.ensemble_.task.coded(self._targets(y))
        value = metric(p, codes, sample_weight)
        return value if metric.larger_is_better else -value

    def _checked_solver(self, n_jobs: int | None = None) -> Solver:
        checked_class_metric(self.metric)
        return super()._checked_solver(n_jobs)

    @property
    def learned_loss(self) -> Loss | None:
        """The loss that policies are learned by; None for that of the task."""
        # probabilities near the full ones keep every metric of probabilities
        by_metric = checked_class_metric(self.metric) is not None
        return Logistic() if by_metric and self.loss is None else self.loss

    def _default_model(self) -> Any:
        return AdaBoostMHClassifier(n_jobs=self.n_jobs, verbose=self.verbose)
