"""sweep(model, X, y, betas) -> Curve: a policy at each of several prices of an evaluation.

beta of Eq. (8) is that price: small ones buy accuracy, large ones speed. Policies are those of the
front that ``sparsify`` chooses from (``PolicyFront``); test rows, if given, only report.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from mddag._utils.checks import as_floats, check_fraction, check_jobs
from mddag._utils.output import progress
from mddag._utils.warnings import doubt_few_rows
from mddag.adapters import ensemble_of, parts_of
from mddag.ensemble.row_checks import counted_rows
from mddag.estimators.classifier import MDDAGClassifier
from mddag.estimators.dag_estimator import DagEstimator, chosen_solver
from mddag.policy.curve import Curve
from mddag.policy.mdp import Evaluation, checked_loss, mdp_of
from mddag.policy.policy import Policy
from mddag.solvers.solver import configured
from mddag.tuning.front import PolicyFront
from mddag.tuning.problem import Problem

MEASURES = ("loss", "cost", "objective", "n_evaluated")
BETAS = tuple((10.0 ** np.arange(-4.0, -1.9, 0.5)).tolist())


def sweep(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    betas: ArrayLike = BETAS,
    sample_weight: Any = None,
    X_test: Any = None,
    y_test: ArrayLike | None = None,
    sample_weight_test: Any = None,
    loss: Any = None,
    solver: Any = None,
    ordering: Any = None,
    every: int | None = None,
    selection_fraction: float = 0.3,
    n_jobs: int | None = None,
    verbose: bool = False,
    random_state: Any = 0,
) -> Curve:
    """Learn a policy at each of several prices over the base classifiers of a model.

    Parameters
    ----------
    model : estimator, model, path or Ensemble
        A fitted MDDAGClassifier or MDDAGRegressor, whose loss, solver, ordering, every, grid and
        actions serve unless given here, or anything that ``sparsify`` takes.
    X : array-like or DataFrame of shape (n, d)
        Rows for the policies.
    y : array-like of shape (n,)
        Their targets.
    betas : array-like of float, default 1e-4 to 1e-2
        Prices of an evaluation, for regressors in units of R2.
    sample_weight : array-like of shape (n,), default None
        What each row counts for in all means; 1 by default.
    X_test, y_test, sample_weight_test : array-like, default None
        Rows that only report.
    loss : Loss or callable, default None
        What policies are learned by.
    solver : Solver, default None
        How policies are learned; `Portfolio()` by default.
    ordering : Ordering, default None
        The order of the base classifiers.
    every : int, default None
        Base classifiers that one decision covers; 1 by default.
    selection_fraction : float, default 0.3
        Share of the rows that choose among policies.
    n_jobs : int, default None
        Threads of the default solver, and workers of joblib for solvers that learn price by price;
        -1 for all cores. No result depends on it.
    verbose : bool, default False
        Whether to show the prices done on standard error.
    random_state : int, RandomState or None, default 0
        Seed of the split, and of a solver that has none of its own.

    Returns
    -------
    Curve
        Losses and costs at each price, and the policies.

    Examples
    --------
    >>> import mddag
    >>> from sklearn.datasets import make_hastie_10_2
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> X, y = make_hastie_10_2(4000, random_state=0)
    >>> model = HistGradientBoostingClassifier(max_leaf_nodes=8).fit(X[:2000], y[:2000])
    >>> curve = mddag.sweep(model, X[2000:], y[2000:], betas=[1e-4, 1e-2])
    >>> len(curve.policies)
    2
    """
    if y is None:
        raise ValueError("y is None; a curve tells what is lost, so give labels (or numbers)")
    if (X_test is None) != (y_test is None):
        raise ValueError("X_test and y_test must be given together; got one of them")
    if sample_weight_test is not None and X_test is None:
        raise ValueError("sample_weight_test is given, but not the rows that it is of, X_test")
    check_fraction("selection_fraction", selection_fraction, zero=False)
    check_jobs(n_jobs)
    prices = _checked_betas(betas)
    checked_loss(loss)
    of_model = model if isinstance(model, DagEstimator) else MDDAGClassifier()
    random = check_random_state(random_state)
    ordering = of_model.ordering if ordering is None else ordering
    learner = chosen_solver(
        of_model.solver if solver is None else solver,
        ordering=ordering,
        every=of_model.every if every is None else every,
        n_jobs=of_model.n_jobs if n_jobs is None else effective_n_jobs(n_jobs),
        verbose=verbose,
    )
    parts = parts_of(model)
    ensemble = ensemble_of(parts)
    settings: dict[str, Any] = {
        "loss": of_model.learned_loss if loss is None else loss,
        "actions": of_model.actions,
    }
    X, y, weight = counted_rows(X, y, sample_weight)
    shares = (1 - selection_fraction, selection_fraction, 0.0)
    problem = Problem.of(
        ensemble, parts.rows(X), y, shares=shares, random=random, weight=weight, stratify=True
    )
    doubt_few_rows(len(problem), "beta")
    ensemble.task.doubt_targets(problem.truth)
    mdp = problem.mdp(problem.truth, **settings)
    learner = configured(learner, random=random)
    front = PolicyFront(
        problem, mdp, learner, (), ordering=ordering, grid=of_model.grid, n_jobs=n_jobs
    )
    samples = {"train": front.learning.mdp, "selection": front.selection}
    if X_test is not None:
        X_test, y_test, weight = counted_rows(
            X_test, y_test, sample_weight_test, "sample_weight_test"
        )
        rows = ensemble.features.rows(parts.rows(X_test))
        truth = ensemble.task.checked_targets(y_test)
        check_consistent_length(rows, truth)
        test = mdp_of(ensemble, ensemble.votes(rows), truth, weight=weight, **settings)
        samples["test"] = front.learning.like(test)
    policies: list[Policy] = []
    found: dict[str, list[Evaluation]] = {name: [] for name in samples}
    with progress("sweep", len(prices), verbose) as report:
        for beta, policy in zip(prices, front.policies(prices), strict=True):
            policies.append(front.learning.for_source(policy))
            for name, sample in samples.items():
                found[name].append(sample.with_beta(beta * mdp.unit).evaluate(policy))
            report(
                len(policies), f"beta {beta:.3g}: {found['train'][-1].n_evaluated:.1f} evaluated"
            )
    columns = {"beta": np.array(prices)}
    for name, sample in samples.items():
        full = [sample.with_beta(beta * mdp.unit).evaluate_full() for beta in prices]
        for prefix, of_sample in ((name, found[name]), (f"full_{name}", full)):
            columns |= {
                f"{prefix}_{m}": np.array([getattr(e, m) for e in of_sample]) for m in MEASURES
            }
    return Curve(columns, tuple(policies), mdp.loss)


def _checked_betas(betas: ArrayLike) -> list[float]:
    array = np.atleast_1d(as_floats("betas", betas, "a list of at least one price"))
    if array.ndim != 1 or len(array) == 0:
        raise ValueError(f"betas has shape {array.shape}; wanted a list of at least one price")
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if len(bad):
        raise ValueError(f"betas[{bad[0]}] is {array[bad[0]]}; wanted finite prices, 0 or more")
    prices: list[float] = array.tolist()
    return prices
