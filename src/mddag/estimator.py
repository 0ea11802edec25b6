"""DagEstimator: what MDDAGClassifier and MDDAGRegressor share.

fit: rows -> ensemble (trained here, or given) -> votes on the policy rows -> MDP -> policy -> DAG.
predict: each row evaluates the base classifiers that its path in the DAG needs, and no others.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from mddag._checks import check_fraction, check_one_of, check_whole
from mddag.adapters import Transformer
from mddag.dag import compile as compile_dag
from mddag.door import all_or_nothing, checked_rows, piped_rows
from mddag.ensemble import Ensemble, Kind
from mddag.exit_calibration import exit_calibration
from mddag.factor import opinion
from mddag.features import Rows, is_frame
from mddag.mdp import checked_actions, checked_beta, checked_loss
from mddag.policy import ACTIONS, Policy, check_policy
from mddag.prediction import Scoring
from mddag.problem import Problem, chosen_solver
from mddag.serving import Served
from mddag.solvers import Solver
from mddag.solvers.solver import seeded, solved
from mddag.source import Source, fitted_source, is_piped
from mddag.trace import Trace


class DagEstimator(Served, Scoring, BaseEstimator):  # type: ignore[misc]
    """Parameters, fit and traces; a subclass knows its targets, its predictions and their units."""

    kind: ClassVar[Kind]
    transformer_: Transformer | None = None

    def __init__(
        self,
        ensemble: Any = None,
        *,
        beta: float = 0.01,
        loss: Any = None,
        solver: Any = None,
        ordering: Any = None,
        every: int = 1,
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
        self.ordering = ordering
        self.every = every
        self.actions = actions
        self.policy_rows = policy_rows
        self.policy_fraction = policy_fraction
        self.n_threads = n_threads
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the policy, and the ensemble if it is not fitted, from X (n, d) and targets y."""
        solver = self.checked_solver()
        with all_or_nothing(self):
            X = self._seen(X)
            targets = self._targets(y)
            check_consistent_length(X, targets)
            random = check_random_state(self.random_state)
            held_out = self.policy_fraction if self.policy_rows == "held_out" else 0.0
            model = self._default_model() if self.ensemble is None else self.ensemble
            source = fitted_source(model, self.kind, X, targets, held_out, random)
            rows = self._enter(source, _safe_indexing(X, source.rows))
            problem = Problem.of(
                source.ensemble, rows, targets[source.rows], loss=self.loss, actions=self.actions
            )
            ordered = problem.ordered(self.ordering, solver)
            policy = solved(seeded(solver, random), ordered.mdp(self.beta))
            policy = policy.after(ordered.arrangement)
            self._settle(source.ensemble, policy, problem, rows)
        return self

    def adopt(self, policy: Policy, X: Any, y: Any) -> Self:
        """Take a policy learned elsewhere, such as one of a sweep, over the fitted ensemble.

        Rows X (n, d) with targets y calibrate and evaluate it; for classifiers y may be
        probabilities (n, n_classes).
        """
        self.checked_solver()
        check_policy(policy)
        with all_or_nothing(self):
            X = self._seen(X)
            soft = self.kind == "classifier" and np.ndim(y) == 2
            targets = y if soft else self._targets(y)
            check_consistent_length(X, targets)
            source = Source.of(self.ensemble, self.kind, np.arange(len(targets)))
            rows = self._enter(source, X)
            problem = Problem.of(
                source.ensemble, rows, targets, loss=self.loss, actions=self.actions
            )
            self._settle(source.ensemble, policy, problem, rows)
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
        rows = self._rows(X)
        lengths: NDArray[np.int64] = self.dag_.lengths(rows, n_threads=self.n_threads)[2]
        return lengths

    def checked_solver(self) -> Solver:
        """The solver; bad parameters are refused here, before any work."""
        check_one_of("policy_rows", self.policy_rows, ("held_out", "train"))
        check_fraction("policy_fraction", self.policy_fraction, zero=False)
        check_whole("n_threads", self.n_threads, 1)
        checked_beta(self.beta)
        checked_actions(self.actions)
        checked_loss(self.loss)
        return chosen_solver(
            self.solver, ordering=self.ordering, every=self.every, n_threads=self.n_threads
        )

    def _default_model(self) -> Any:
        """What is trained where no ensemble is given."""
        raise TypeError(f"{type(self).__name__} must say what to train")

    def _targets(self, y: Any) -> NDArray[Any]:
        """The targets (n,), if they are of the right kind."""
        raise TypeError(f"{type(self).__name__} must say what its targets are")

    def _seen(self, X: Any) -> Any:
        """X for the ensemble's own fit: arrays are checked here, frames keep their columns.

        What a Pipeline is given is its own affair.
        """
        if is_frame(X) or is_piped(self.ensemble):
            validate_data(self, X, reset=True, skip_check_array=True)
            return X
        return validate_data(self, X, reset=True, dtype="numeric", ensure_all_finite="allow-nan")

    def _enter(self, source: Source, X: Any) -> Rows:
        """Policy rows as the ensemble reads them; from here on X enters as these did."""
        self.transformer_ = source.transformer
        if source.transformer is not None:
            source.transformer.describe(self)
        return self._read(X, source.ensemble)

    def _read(self, X: Any, ensemble: Ensemble) -> Rows:
        if self.transformer_ is None:
            return checked_rows(self, X, ensemble.features)
        return piped_rows(self, self.transformer_.transform(X), ensemble.features)

    def _rows(self, X: Any) -> Rows:
        check_is_fitted(self)
        return self._read(X, self.ensemble_)

    def _settle(self, ensemble: Ensemble, policy: Policy, problem: Problem, rows: Rows) -> None:
        self.__dict__.pop("promise_", None)  # that of another policy
        mdp = problem.mdp(self.beta)
        self.evaluation_ = mdp.evaluate(policy)
        dag = compile_dag(
            ensemble, policy, expected_evaluations=float(self.evaluation_.n_evaluated)
        )
        targets = problem.labels
        if ensemble.kind == "classifier":
            targets = opinion(problem.votes.scores(), targets)
        scores, exit_step = dag.exits(rows, n_threads=self.n_threads)
        self.ensemble_, self.policy_, self.dag_ = ensemble, policy, dag
        self.full_evaluation_ = mdp.evaluate(mdp.evaluate_all())
        self.calibration_ = exit_calibration(ensemble, scores, exit_step, targets)

    def _exits(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        rows = self._rows(X)
        exits: tuple[NDArray[np.float64], NDArray[np.int32]] = self.dag_.exits(
            rows, n_threads=self.n_threads
        )
        return exits
