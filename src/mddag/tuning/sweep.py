"""sweep(model, X, y, betas) -> Curve: a policy at each of several prices of an evaluation.

beta of Eq. (8) is that price: small ones buy accuracy, large ones speed. The model is never
refitted, so X should be rows that it has not seen. Policies are learned on a part of them and
chosen by the rest; test rows, if given, only report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from mddag._utils.arrays import stratified
from mddag._utils.checks import as_floats, check_fraction, check_jobs
from mddag._utils.output import progress
from mddag._utils.warnings import doubt_few_rows
from mddag.adapters import ensemble_of, parts_of
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.row_checks import counted_rows
from mddag.estimators.classifier import MDDAGClassifier
from mddag.estimators.dag_estimator import DagEstimator
from mddag.estimators.solver_choice import chosen_solver
from mddag.policy.arguments import checked_loss
from mddag.policy.curve import SAMPLES, Curve
from mddag.policy.mdp import MDP, Evaluation, mdp_of
from mddag.policy.policy import Policy
from mddag.solvers import Solver
from mddag.solvers.preparation import arranged_for
from mddag.solvers.solver import as_solver, configured, solves_paths

MEASURES = ("loss", "cost", "objective", "n_evaluated")
BETAS = tuple((10.0 ** np.arange(-4.0, -1.9, 0.5)).tolist())
Solved = tuple[Policy, dict[str, Evaluation]]  # by sample


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
    settings = {"loss": of_model.loss if loss is None else loss, "actions": of_model.actions}
    X, y, weight = counted_rows(X, y, sample_weight)
    given = _policy_mdp(ensemble, parts.rows(X), y, weight, settings, of_model)
    doubt_few_rows(given.n_rows, "beta")
    ensemble.task.doubt_targets(np.asarray(y))
    rest, out = _held_out(given, selection_fraction, random)
    learning = arranged_for(learner, given.rows(rest), ordering, of_model.grid)
    test = None
    if X_test is not None:
        X_test, y_test, weight = counted_rows(
            X_test, y_test, sample_weight_test, "sample_weight_test"
        )
        test = learning.like(_policy_mdp(ensemble, parts.rows(X_test), y_test, weight, settings))
    curve = sweep_policies(
        learning.mdp,
        configured(learner, random=random),
        prices,
        selection=learning.like(given.rows(out)),
        test=test,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    return replace(curve, policies=tuple(map(learning.for_source, curve.policies)))


def _policy_mdp(
    ensemble: Ensemble,
    X: Any,
    y: Any,
    weight: NDArray[np.float64] | None,
    settings: dict[str, Any],
    of_model: DagEstimator | None = None,
) -> MDP:
    targets = ensemble.task.checked_targets(y)
    rows = ensemble.features.rows(X)
    check_consistent_length(rows, targets)
    votes = ensemble.votes(rows)
    if of_model is not None and settings["loss"] is None:  # that of its metric, for test rows too
        settings["loss"] = of_model.learned_loss
    return mdp_of(ensemble, votes, targets, weight=weight, **settings)


def _held_out(
    mdp: MDP, fraction: float, random: np.random.RandomState
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows for learning, and `fraction` (of every class) for choosing."""
    n = mdp.n_rows
    out = stratified(np.zeros(n) if mdp.of_numbers else mdp.labels, fraction, random)
    if len(out) == 0:
        raise ValueError(
            f"selection_fraction is {fraction}, which leaves none of {n} rows for "
            "choosing; give more rows or a larger fraction"
        )
    return np.setdiff1d(np.arange(n), out), out


def sweep_policies(
    mdp: MDP,
    solver: Any,
    betas: ArrayLike,
    *,
    selection: MDP | None = None,
    test: MDP | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Curve:
    """Solve an MDP at each of several prices and evaluate every policy on all samples.

    `betas` are prices in units of ``mdp.unit``; `selection` and `test` are other rows at the same
    prices. The solver sees the training and the selection rows, never the test rows. `n_jobs` is
    joblib's: None is 1 unless a ``parallel_config`` says otherwise, -1 all cores; the result does
    not depend on it. A solver that goes along the prices by itself does so in one job. `verbose`
    shows the prices done.
    """
    prices = _checked_betas(betas)
    check_jobs(n_jobs)
    n_jobs = None if n_jobs is None else min(n_jobs, len(prices))  # more would have nothing to do
    solver = configured(as_solver(solver), verbose=verbose or None)
    given = zip(SAMPLES, (mdp, selection, test), strict=True)
    samples = {name: sample for name, sample in given if sample is not None}
    _check_agreement(samples)
    solved: list[Solved] = []
    found = _solved(samples, solver, [beta * mdp.unit for beta in prices], n_jobs)
    with progress("sweep", len(prices), verbose) as report:
        for beta, (policy, evaluations) in zip(prices, found, strict=True):
            solved.append((policy, evaluations))
            n_evaluated = evaluations["train"].n_evaluated
            report(len(solved), f"beta {beta:.3g}: {n_evaluated:.1f} evaluated")
    columns = {"beta": np.array(prices)}
    for name, sample in samples.items():
        columns |= _columns(name, [evaluations[name] for _, evaluations in solved])
        columns |= _full_columns(name, sample, columns["beta"] * mdp.unit)
    return Curve(columns, tuple(policy for policy, _ in solved), mdp.loss)


def _solved(
    samples: Mapping[str, MDP], solver: Solver, betas: list[float], n_jobs: int | None
) -> Iterable[Solved]:
    """Return the policies in the order of the prices, in units of the loss, as they come."""
    if solves_paths(solver):
        policies = solver.solve_path(samples["train"], betas, samples.get("selection"))
        return (
            (policy, _evaluated(policy, samples, beta))
            for policy, beta in zip(policies, betas, strict=True)
        )
    solver = solver if effective_n_jobs(n_jobs) == 1 else configured(solver, verbose=False)
    parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    solved: Iterable[Solved] = parallel(delayed(_solve)(samples, solver, beta) for beta in betas)
    return solved


def _solve(samples: Mapping[str, MDP], solver: Solver, beta: float) -> Solved:
    at_price = {name: mdp.with_beta(beta) for name, mdp in samples.items()}
    policy = solver.solve(at_price["train"], at_price.get("selection"))
    return policy, _evaluated(policy, samples, beta)


def _evaluated(policy: Policy, samples: Mapping[str, MDP], beta: float) -> dict[str, Evaluation]:
    return {name: mdp.with_beta(beta).evaluate(policy) for name, mdp in samples.items()}


def _columns(name: str, evaluations: Sequence[Evaluation]) -> dict[str, NDArray[np.float64]]:
    return {f"{name}_{m}": np.array([getattr(e, m) for e in evaluations]) for m in MEASURES}


def _full_columns(name: str, mdp: MDP, beta: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Return the full ensemble in every row; only the objective depends on beta."""
    full = mdp.evaluate_full()
    columns = _columns(f"full_{name}", [full] * len(beta))
    columns[f"full_{name}_objective"] = full.loss + beta * full.cost
    return columns


def _checked_betas(betas: ArrayLike) -> list[float]:
    array = np.atleast_1d(as_floats("betas", betas, "a list of at least one price"))
    if array.ndim != 1 or len(array) == 0:
        raise ValueError(f"betas has shape {array.shape}; wanted a list of at least one price")
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if len(bad):
        raise ValueError(f"betas[{bad[0]}] is {array[bad[0]]}; wanted finite prices, 0 or more")
    prices: list[float] = array.tolist()
    return prices


def _check_agreement(mdps: Mapping[str, MDP]) -> None:
    train = mdps["train"]
    for name, mdp in mdps.items():
        if (mdp.n_steps, mdp.n_scores) != (train.n_steps, train.n_scores):
            raise ValueError(
                f"the {name} rows have votes of {mdp.n_steps} base classifiers with "
                f"{mdp.n_scores} score(s), the training rows of {train.n_steps} with "
                f"{train.n_scores}; take the votes of one ensemble"
            )
