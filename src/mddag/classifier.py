"""MDDAGClassifier: an ensemble made into a sparse decision DAG, as a scikit-learn estimator.

fit: rows -> ensemble (trained here, or given) -> votes on the policy rows -> MDP -> policy -> DAG.
predict: each row evaluates the base classifiers that its path in the DAG needs, and no others.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import check_consistent_length, validate_data

from mddag._checks import check_fraction, check_one_of, check_whole
from mddag.calibration import fit_factor
from mddag.dag import compile as compile_dag
from mddag.door import all_or_nothing, checked_labels, checked_rows
from mddag.ensemble import Ensemble
from mddag.features import is_frame
from mddag.grid import Grid
from mddag.mdp import MDP, checked_actions, checked_beta, checked_loss
from mddag.policy import ACTIONS, Policy
from mddag.prediction import ScoringClassifier
from mddag.serving import Served
from mddag.solvers import Sarsa, Solver
from mddag.solvers.solver import checked_solver, seeded
from mddag.source import class_codes, fitted_source
from mddag.trace import Trace


class MDDAGClassifier(Served, ScoringClassifier, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A sparse decision DAG over the base classifiers of a boosted ensemble.

    Parameters
    ----------
    ensemble : estimator or model, default None
        What gives the base classifiers: anything that ``mddag.as_ensemble`` reads. If fitted (or
        wrapped in ``FrozenEstimator``, which survives ``clone``) it is used as it is, and every
        row given to ``fit`` is a policy row; if not, it is fitted here. None means
        ``AdaBoostMHClassifier()``.
    beta : float, default 0.01
        The price of one evaluation in units of the loss: the trade-off between accuracy and speed.
        An ensemble with prices of its own (``Ensemble.with_cost``) pays beta times those.
    loss : callable, default None
        What a wrong decision costs, of (scores, labels); None means ``ZeroOne()``.
    solver : Solver, default None
        How the policy is learned; None means ``Sarsa()``.
    actions : tuple of str, default ("eval", "skip", "quit")
        Without "skip" the DAG is a chain with early exits, without "quit" every row goes to the
        end.
    policy_rows : "held_out" or "train", default "held_out"
        Where the policy of an ensemble fitted here is learned: on `policy_fraction` of the rows,
        which the ensemble does not see, or on the rows that it was fitted on (the paper), which
        look easier than they are.
    policy_fraction : float, default 0.3
        Share of the rows held out for the policy.
    n_threads : int, default 1
        Threads of prediction. No result depends on it.
    random_state : int, RandomState or None, default None
        Decides which rows are held out, and seeds a solver that has no seed of its own.

    Attributes
    ----------
    ensemble_ : Ensemble
    policy_ : Policy
    dag_ : Dag
    classes_ : ndarray (n_classes,)
    evaluation_ : Evaluation
        Eq. (8) and its parts on the policy rows.
    calibration_factor_ : float
        a in p = sigmoid(a f) or softmax(a f), fitted on the policy rows.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mddag.solvers import Sarsa
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MDDAGClassifier(beta=0.001, solver=Sarsa(n_episodes=50_000), random_state=0)
    >>> model.fit(X, y).n_evaluated(X).mean() < 50
    True
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        beta: float = 0.01,
        loss: Any = None,
        solver: Any = None,
        actions: tuple[str, ...] = ACTIONS,
        policy_rows: str = "held_out",
        policy_fraction: float = 0.3,
        n_threads: int = 1,
        random_state: Any = None,
    ) -> None:
        self.ensemble = ensemble
        self.beta = beta
        self.loss = loss
        self.solver = solver
        self.actions = actions
        self.policy_rows = policy_rows
        self.policy_fraction = policy_fraction
        self.n_threads = n_threads
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the policy, and the ensemble if it is not fitted, from X (n, d) and labels y."""
        solver = self._check_parameters()
        with all_or_nothing(self):
            X = self._given(X)
            labels = checked_labels(y)
            check_consistent_length(X, labels)
            random = check_random_state(self.random_state)
            held_out = self.policy_fraction if self.policy_rows == "held_out" else 0.0
            source = fitted_source(self.ensemble, X, labels, held_out, random)
            mdp = self._mdp(source.ensemble, _safe_indexing(X, source.rows), labels[source.rows])
            self._set_policy(source.ensemble, mdp, seeded(solver, random).solve(mdp))
        return self

    def scores(self, X: Any) -> NDArray[np.float64]:
        """The raw scores f^(N) of Eq. (2), float64 (n, K); K = 1 for two classes."""
        rows = self._rows(X)
        scores: NDArray[np.float64] = self.dag_.scores(rows, n_threads=self.n_threads)
        return scores

    def trace(self, X: Any) -> Trace:
        """Raw scores and classification paths of every row."""
        rows = self._rows(X)
        trace: Trace = self.dag_.run(rows, n_threads=self.n_threads)
        return trace

    def n_evaluated(self, X: Any) -> NDArray[np.int64]:
        """Base classifiers evaluated on each row, (n,)."""
        return self.trace(X).n_evaluated

    def _given(self, X: Any) -> Any:
        """X for the ensemble's own fit: arrays are checked here, frames keep their columns."""
        if is_frame(X):
            validate_data(self, X, reset=True, skip_check_array=True)
            return X
        return validate_data(self, X, reset=True, dtype="numeric", ensure_all_finite="allow-nan")

    def _mdp(self, ensemble: Ensemble, X: Any, labels: NDArray[Any]) -> MDP:
        votes = ensemble.votes(checked_rows(self, X, ensemble.features))
        return MDP(
            votes,
            class_codes(labels, ensemble),
            loss=self.loss,
            beta=self.beta,
            costs=ensemble.cost if ensemble.priced else None,
            grid=Grid.quantile(votes),
            actions=self.actions,
        )

    def _set_policy(self, ensemble: Ensemble, mdp: MDP, policy: Policy) -> None:
        scores, _, _ = mdp.rollout(policy)
        self.ensemble_, self.policy_ = ensemble, policy
        self.dag_ = compile_dag(ensemble, policy)
        self.classes_ = ensemble.classes
        self.evaluation_ = mdp.evaluate(policy)
        self.calibration_factor_ = fit_factor(scores, mdp.labels, mdp.weight)

    def _check_parameters(self) -> Solver:
        """Refuse before any work what would be refused after it."""
        check_one_of("policy_rows", self.policy_rows, ("held_out", "train"))
        check_fraction("policy_fraction", self.policy_fraction, zero=False)
        check_whole("n_threads", self.n_threads, 1)
        checked_beta(self.beta)
        checked_actions(self.actions)
        checked_loss(self.loss)
        return checked_solver(Sarsa() if self.solver is None else self.solver)
