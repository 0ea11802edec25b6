"""DagEstimator: what MDDAGClassifier, MDDAGRegressor and MDDAGRanker share.

fit: rows -> ensemble (trained here, or given) -> votes on the policy rows -> MDP -> policy -> DAG.
predict: each row evaluates the base classifiers that its path in the DAG needs, and no others.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from mddag._utils.arrays import part
from mddag._utils.checks import check_fraction, check_one_of, checked_jobs
from mddag._utils.output import Report, progress
from mddag._utils.warnings import doubt_few_policy_rows
from mddag.adapters import Transformer, parts_of
from mddag.engine.dag import Dag
from mddag.engine.dag import compile as compile_dag
from mddag.engine.trace import Trace
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Patches, Rows, is_frame, without_arrow
from mddag.ensemble.patches import PatchFeatures, pixel_rows
from mddag.ensemble.row_checks import all_or_nothing, checked_rows, counted_rows, transformed_rows
from mddag.ensemble.tasks import TASKS, Kind
from mddag.estimators.fitted_model import (
    FittedModel,
    fitted_model,
    may_transform,
    patches_for,
    reads_patches,
)
from mddag.estimators.monotone import doubt_monotone
from mddag.losses import Loss
from mddag.policy.calibration import Calibration, calibrated
from mddag.policy.mdp import MDP, checked_actions, checked_beta, checked_loss, mdp_of
from mddag.policy.ordering import checked_ordering
from mddag.policy.policy import ACTIONS, Policy, check_policy
from mddag.policy.rollout import Rollout, roll_out
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor, predictor_of
from mddag.serving.result import Result
from mddag.serving.served_model import ServedModel
from mddag.solvers import Portfolio, Solver
from mddag.solvers.solver import GRIDS, arranged_for, as_solver, configured


def chosen_solver(
    solver: Any,
    *,
    ordering: Any = None,
    every: int = 1,
    n_jobs: int = 1,
    verbose: bool = False,
) -> Solver:
    """Return the solver with these settings; for None ``Portfolio()`` on that many threads."""
    checked_jobs(n_jobs)
    solver = Portfolio(n_jobs=n_jobs) if solver is None else solver
    learner = configured(as_solver(solver), every=every, verbose=verbose or None)
    if ordering is None:
        return learner
    checked_ordering(ordering)
    if not learner.arranges:
        return learner
    ordered: Solver = learner.with_order(ordering)  # type: ignore[attr-defined]
    return ordered


class ResultRepr:
    """``repr`` of an estimator: the result that it was made with, else scikit-learn's.

    Inside of pipelines and searches scikit-learn prints an estimator only if its class has the
    ``__repr__`` of BaseEstimator, so the class keeps that one.
    """

    def __get__(self, estimator: Any, owner: type) -> Callable[..., str]:
        plain: Callable[..., str] = BaseEstimator.__repr__
        if estimator is None:
            return plain
        result = vars(estimator).get("result_")
        if result is None or result.made_by == "fit":
            return partial(plain, estimator)
        return partial(str, result)


# What to do about the steps of a Pipeline, where a Predictor reads rows as they are given.
ONE_ROW = (
    "transform rows together; use predict or predict_proba of a frame or an array with this one row"
)
WITHOUT_STEPS = (
    "only scikit-learn can run; pickle the estimator, or save the sparse model of the last step "
    "instead: sparsify(pipeline[-1], pipeline[:-1].transform(X), y, …)"
)


class DagEstimator(ServedModel, BaseEstimator):  # type: ignore[misc]
    """Parameters and fit; a subclass defines its kind and its targets.

    X is checked here by scikit-learn's rules and transformed where a Pipeline was given; then the
    Predictor of the last fit predicts.
    """

    kind: ClassVar[Kind]
    __repr__ = ResultRepr()
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
        grid: str = "quantile",
        actions: tuple[str, ...] = ACTIONS,
        policy_rows: str = "held_out",
        policy_fraction: float = 0.3,
        n_jobs: int = 1,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.ensemble = ensemble
        self.beta = beta
        self.loss = loss
        self.solver = solver
        self.ordering = ordering
        self.every = every
        self.grid = grid
        self.actions = actions
        self.policy_rows = policy_rows
        self.policy_fraction = policy_fraction
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the policy, and the ensemble if it is not fitted.

        If it fails or is interrupted, the estimator is as it was before.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d)
            Rows.
        y : array-like of shape (n,)
            Targets.
        sample_weight : array-like of shape (n,), default None
            What each row counts for, 0 or more; a common factor changes nothing.
            A weight of 0 is as if the row were not there. An ensemble that is fitted here gets the
            weights with a mean of 1.

        Returns
        -------
        Self
            The fitted estimator.
        """
        solver = self._checked_solver()
        with all_or_nothing(self):
            X = self._seen(X, finite=True)
            targets = self._targets(y)
            check_consistent_length(X, targets)
            X, targets, weight = counted_rows(X, targets, sample_weight)
            with progress(type(self).__name__, 2, self.verbose) as report:
                self._fit(X, targets, weight, solver, report)
        return self

    def _fit(
        self,
        X: Any,
        targets: NDArray[Any],
        weight: NDArray[np.float64] | None,
        solver: Solver,
        report: Report,
    ) -> None:
        random = check_random_state(self.random_state)
        held_out = self.policy_fraction if self.policy_rows == "held_out" else 0.0
        model = self._default_model() if self.ensemble is None else self.ensemble
        source = fitted_model(model, self.kind, X, targets, held_out, random, weight)
        report(1, f"{source.ensemble.n_classifiers} base classifiers")
        rows = self._enter(source, _safe_indexing(X, source.rows), finite=True)
        doubt_few_policy_rows(len(source.rows), held_out=len(source.rows) < len(targets))
        source.ensemble.task.doubt_targets(targets[source.rows])
        mdp = self._policy_mdp(source, rows, targets[source.rows], part(weight, source.rows))
        learning = arranged_for(solver, mdp, self.ordering, self.grid)
        policy = learning.for_source(configured(solver, random=random).solve(learning.mdp))
        self._settle(source.ensemble, policy, mdp)
        doubt_monotone(source.monotone, self.dag_, self.calibration_, rows)
        report(2, f"{self.result_.n_evaluated:.1f} evaluated by {solver.name}")

    def adopt(self, policy: Policy, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take a policy learned elsewhere, such as one of a sweep, over the fitted ensemble.

        Parameters
        ----------
        policy : Policy
            The policy.
        X : array-like or DataFrame of shape (n, d)
            Rows that calibrate and evaluate it.
        y : array-like of shape (n,) or (n, n_classes)
            Targets; for classifiers also probabilities.
        sample_weight : array-like of shape (n,), default None
            What each row counts for, 0 or more; a common factor changes nothing.

        Returns
        -------
        Self
            The fitted estimator.
        """
        self._checked_solver()
        check_policy(policy)
        with all_or_nothing(self):
            X = self._seen(X, finite=False)
            soft = TASKS[self.kind].soft_targets and np.ndim(y) == 2
            targets = y if soft else self._targets(y)
            check_consistent_length(X, targets)
            X, targets, weight = counted_rows(X, targets, sample_weight)
            source = FittedModel.of(self.ensemble, self.kind, np.arange(len(targets)))
            rows = self._enter(source, X, finite=False)
            mdp = self._policy_mdp(source, rows, targets, weight)
            self._settle(source.ensemble, policy, mdp)
            doubt_monotone(source.monotone, self.dag_, self.calibration_, rows)
        return self

    def _policy_mdp(
        self,
        source: FittedModel,
        rows: Rows | Patches,
        targets: NDArray[Any],
        weight: NDArray[np.float64] | None,
    ) -> MDP:
        votes = source.ensemble.votes(rows, n_jobs=self.n_jobs)
        return mdp_of(
            source.ensemble,
            votes,
            targets,
            beta=self.beta,
            loss=self.learned_loss,
            actions=self.actions,
            weight=weight,
        )

    @property
    def learned_loss(self) -> Loss | None:
        """The loss that policies are learned by; None for that of the task."""
        return self.loss  # type: ignore[no-any-return]

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Compute the raw scores f^(N) of Eq. (2).

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d)
            Rows.

        Returns
        -------
        ndarray of shape (n, K)
            Scores; K = 1 for binary problems.
        """
        return self.untransformed().scores(self._rows(X))

    def trace(self, X: Any) -> Trace:
        """Return raw scores and classification paths of every row.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d)
            Rows.

        Returns
        -------
        Trace
            The paths.
        """
        return self.untransformed().run(self._rows(X))

    def predict_one(self, x: Any) -> bool | int | float | str:
        """Predict one row; see ``Predictor.predict_one``.

        Parameters
        ----------
        x : array-like, dict or Series
            The row.

        Returns
        -------
        bool, int, float or str
            The winning class, or the expected mean.
        """
        return self._of_given_rows(ONE_ROW).predict_one(x)

    def predict_proba_one(self, x: Any) -> NDArray[np.float64]:
        """Compute the class probabilities of one row.

        Parameters
        ----------
        x : array-like, dict or Series
            The row.

        Returns
        -------
        ndarray of shape (n_classes,)
            Probabilities.
        """
        return self._of_given_rows(ONE_ROW).predict_proba_one(x)

    def predictor(self) -> Predictor:
        return self._of_given_rows(WITHOUT_STEPS)

    def untransformed(self) -> Predictor:
        try:
            return self._predictor.on_threads(self.n_jobs)
        except AttributeError:
            check_is_fitted(self)
            raise

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _checked_solver(self, n_jobs: int | None = None) -> Solver:
        """Check the parameters, before any work, and return the solver."""
        checked_jobs(self.n_jobs)
        check_one_of("policy_rows", self.policy_rows, ("held_out", "train"))
        check_one_of("grid", self.grid, GRIDS)
        check_fraction("policy_fraction", self.policy_fraction, zero=False)
        checked_beta(self.beta)
        checked_actions(self.actions)
        checked_loss(self.loss)
        return chosen_solver(
            self.solver,
            ordering=self.ordering,
            every=self.every,
            n_jobs=self.n_jobs if n_jobs is None else n_jobs,
            verbose=self.verbose,
        )

    def _calibrated(self, dag: Dag, policy: Policy, found: Rollout, mdp: MDP) -> Calibration:
        """Fit what scores stand for, by the rows of an MDP as they left the policy."""
        if hasattr(self.solver, "calibration"):
            own: Calibration = self.solver.calibration(policy, found, mdp)
            return own
        return calibrated(dag.ensemble, found, mdp.votes.scores(), mdp.labels, mdp.weight)

    def _default_model(self) -> Any:
        """Return what is trained where no ensemble is given."""
        raise TypeError(f"{type(self).__name__} must say what to train")

    def _targets(self, y: Any) -> NDArray[Any]:
        """Return the targets (n,), if they are of the right kind."""
        return TASKS[self.kind]().checked_targets(y)

    def _seen(self, X: Any, *, finite: bool) -> Any:
        """X for the ensemble's own fit: arrays are checked here, frames keep their columns.

        The steps of a Pipeline check what they are given by themselves.
        """
        if reads_patches(self.ensemble):
            patches = patches_for(self.ensemble, X)
            validate_data(self, pixel_rows(patches), reset=True, skip_check_array=True)
            return patches
        X = without_arrow(X)
        if is_frame(X) or may_transform(self.ensemble):
            validate_data(self, X, reset=True, skip_check_array=True)
            return X
        allowed = "allow-nan" if finite else False
        return validate_data(self, X, reset=True, dtype="numeric", ensure_all_finite=allowed)

    def _describe_rows(self, X: Any) -> None:
        """Take number and names of features from rows that were checked elsewhere."""
        source = parts_of(self.ensemble)
        self.transformer_ = source.transformer
        given = pixel_rows(X) if reads_patches(source.model) else X
        validate_data(self, given, reset=True, skip_check_array=True)
        if source.transformer is not None:
            source.transformer.describe(self)

    def _enter(self, source: FittedModel, X: Any, *, finite: bool) -> Rows | Patches:
        """Return policy rows as the ensemble reads them; from here on X enters as these did."""
        self.transformer_ = source.transformer
        if source.transformer is not None:
            source.transformer.describe(self)
        return self._read(X, source.ensemble, finite=finite)

    def _read(self, X: Any, ensemble: Ensemble, *, finite: bool = False) -> Rows | Patches:
        if isinstance(ensemble.features, PatchFeatures):
            return ensemble.features.read(X)
        if self.transformer_ is None:
            return checked_rows(self, X, ensemble.features, finite=finite)
        rows = self.transformer_.transform(X)
        return transformed_rows(self, rows, ensemble.features, finite=finite)

    def _rows(self, X: Any) -> Rows | Patches:
        check_is_fitted(self)
        features = self.ensemble_.features
        if self.transformer_ is not None and isinstance(X, Rows) and X.passed(features):
            return X  # transformed by `encode`
        return self._read(X, self.ensemble_)

    def _one_row(self, x: Any) -> Rows:
        if self.transformer_ is None:
            return self.untransformed()._one_row(x)
        rows = self._rows(x)
        if len(rows) != 1:
            raise ValueError(f"x has {len(rows)} rows; wanted one row, (1, n_features)")
        return self.ensemble_.features.rows(rows)

    def _with_model(self, model: Model) -> Self:
        other = copy(self)
        other._predictor, other.dag_ = self.untransformed()._with_model(model), model.dag
        return other

    def _report_facts(self) -> dict[str, Any]:
        return {
            "title": f"{type(self).__name__} of {len(self.ensemble_)} base classifiers",
            "source": self.ensemble_,
            "lines": () if self.result_.made_by == "fit" else self.result_.lines(),
        }

    def _of_given_rows(self, instead: str) -> Predictor:
        """Return the Predictor if it reads rows as given; `instead` says what to do if not."""
        fitted = self.untransformed()
        if self.transformer_ is not None:
            raise ValueError(f"the model reads rows after {self.transformer_}, which {instead}")
        return fitted

    def _settle(self, ensemble: Ensemble, policy: Policy, mdp: MDP) -> None:
        """Take a policy, calibrated and evaluated on the rows of an MDP."""
        found = roll_out(policy, mdp.votes, mdp.costs, n_jobs=self.n_jobs)
        evaluation = mdp.evaluation(found)
        result = Result(
            kind=self.kind,
            target="beta",
            value=float(self.beta),
            made_by="fit",
            rows="policy",
            n_rows=mdp.n_rows,
            n_classifiers=ensemble.n_classifiers,
            n_evaluated=evaluation.n_evaluated,
            against="labels" if mdp.labels.ndim == 1 else "probabilities",
            evaluation=evaluation,
            full_evaluation=mdp.evaluate_full(),
        )
        dag = compile_dag(ensemble, policy, expected_evaluations=evaluation.n_evaluated)
        calibration = self._calibrated(dag, policy, found, mdp)
        self._take(ensemble, policy, dag, calibration, result)

    def _take(
        self,
        ensemble: Ensemble,
        policy: Policy,
        dag: Dag,
        calibration: Calibration | None,
        result: Result,
    ) -> None:
        """Take a policy over an ensemble, and what is known of it."""
        self.ensemble_, self.policy_, self.dag_ = ensemble, policy, dag
        self.calibration_, self.result_ = calibration, result
        self._predictor = predictor_of(Model(dag, calibration, result), n_jobs=self.n_jobs)
