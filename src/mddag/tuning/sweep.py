"""sweep(model, X, y, betas) -> Curve: solve the same problem at several prices of an evaluation.

beta of Eq. (8) is that price: small ones buy accuracy, large ones speed. The model is never
refitted, so X should be rows that it has not seen. A part of them teaches the policies, the rest
is for choosing among them; test rows, if given, only report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from mddag._internal.checks import as_floats, check_fraction, check_jobs
from mddag._internal.doubts import doubt_one_class
from mddag._internal.interruption import check_on_interrupt, ending_all, keeping
from mddag._internal.progress import progress
from mddag._internal.row_sampling import stratified
from mddag.adapters import ensemble_of, parts_of
from mddag.ensemble.ensemble import Ensemble
from mddag.estimators.classifier import MDDAGClassifier
from mddag.estimators.dag_estimator import DagEstimator
from mddag.estimators.problem import Problem, chosen_solver, threads_of_learning
from mddag.features.checks import checked_labels, checked_numbers, counted_rows
from mddag.mdp.curve import SAMPLES, Curve
from mddag.mdp.mdp import MDP, Evaluation, checked_loss
from mddag.mdp.policy import Policy
from mddag.solvers import Solver
from mddag.solvers.solver import checked_policy, instructed, quiet, seeded, solved

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
    n_threads: int | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    on_interrupt: str = "raise",
    random_state: Any = 0,
) -> Curve:
    """Learn a policy at each of `betas` over the base classifiers of `model`.

    model : a fitted MDDAGClassifier or MDDAGRegressor, whose loss, solver, ordering, every, grid
            and actions serve unless given here, or anything that ``sparsify`` takes
    X, y  : rows for the policies, split into learning and `selection_fraction` for choosing
    betas : prices of an evaluation; for regressors in units of R2
    X_test, y_test : rows that only report, if given
    sample_weight, sample_weight_test : what these rows count for in all means, (n,); 1 by default
    every : base classifiers that one decision covers; 1 unless given
    n_jobs: workers of joblib, -1 for all cores, that learn at one price each. The default solver
            goes along the prices by itself, on so many threads
    n_threads : threads of the default solver, -1 for all cores; as many as jobs unless given. The
            result depends on neither
    verbose : show the prices done on standard error
    on_interrupt : what Ctrl-C does: "raise", or "return" the curve of the prices that are done
    random_state : of the split, and of a solver that has none of its own
    """
    if y is None:
        raise ValueError("y is None; a curve tells what is lost, so give labels (or numbers)")
    if (X_test is None) != (y_test is None):
        raise ValueError("X_test and y_test must be given together; got one of them")
    if sample_weight_test is not None and X_test is None:
        raise ValueError("sample_weight_test is given, but not the rows that it is of, X_test")
    check_fraction("selection_fraction", selection_fraction, zero=False)
    prices = _checked_betas(betas)
    checked_loss(loss)
    of_model = model if isinstance(model, DagEstimator) else MDDAGClassifier()
    random = check_random_state(random_state)
    ordering = of_model.ordering if ordering is None else ordering
    learner = chosen_solver(
        of_model.solver if solver is None else solver,
        ordering=ordering,
        every=of_model.every if every is None else every,
        n_threads=threads_of_learning(n_threads, n_jobs, of_model.n_threads),
        verbose=verbose,
        on_interrupt=on_interrupt,
    )
    parts = parts_of(model)
    ensemble = ensemble_of(parts)
    settings = {"loss": of_model.loss if loss is None else loss, "actions": of_model.actions}
    X, y, weight = counted_rows(X, y, sample_weight)
    given = _problem(ensemble, parts.rows(X), y, weight, settings)
    if ensemble.kind == "classifier":
        doubt_one_class(np.asarray(y))
    rest, out = _held_out(given, selection_fraction, random)
    learning = given.rows(rest).ordered(ordering, learner, of_model.grid)
    selection = given.rows(out).like(learning)
    test = None
    if X_test is not None:
        X_test, y_test, weight = counted_rows(
            X_test, y_test, sample_weight_test, "sample_weight_test"
        )
        tested = _problem(ensemble, parts.rows(X_test), y_test, weight, settings)
        test = replace(tested, unit=given.unit).like(learning)
    curve = sweep_policies(
        learning.mdp,
        seeded(learner, random),
        prices,
        selection=selection.mdp,
        test=None if test is None else test.mdp,
        n_jobs=n_jobs,
        verbose=verbose,
        on_interrupt=on_interrupt,
    )
    return replace(curve, policies=tuple(map(learning.outside, curve.policies)))


def _problem(
    ensemble: Ensemble,
    X: Any,
    y: Any,
    weight: NDArray[np.float64] | None,
    settings: dict[str, Any],
) -> Problem:
    targets = checked_labels(y) if ensemble.kind == "classifier" else checked_numbers(y)
    rows = ensemble.features.rows(X)
    check_consistent_length(rows, targets)
    return Problem.of(ensemble, rows, targets, weight=weight, **settings)


def _held_out(
    problem: Problem, fraction: float, random: np.random.RandomState
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows for learning, and `fraction` (of every class) for choosing."""
    groups = problem.labels if problem.labels.dtype.kind == "i" else np.zeros(len(problem))
    out = stratified(groups, fraction, random)
    if len(out) == 0:
        raise ValueError(
            f"selection_fraction is {fraction}, which leaves none of {len(problem)} rows for "
            "choosing; give more rows or a larger fraction"
        )
    return np.setdiff1d(np.arange(len(problem)), out), out


def sweep_policies(
    mdp_of_beta: Callable[[float], MDP],
    solver: Solver,
    betas: ArrayLike,
    *,
    selection: Callable[[float], MDP] | None = None,
    test: Callable[[float], MDP] | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    on_interrupt: str = "raise",
) -> Curve:
    """Solve one MDP per beta and evaluate every policy on all samples.

    `mdp_of_beta`, `selection` and `test` give the MDP of their rows at a beta, for instance
    ``lambda beta: MDP(votes, y, beta=beta)``. The solver sees the training and the selection rows,
    never the test rows. `n_jobs` is joblib's: None is 1 unless a ``parallel_config`` says
    otherwise, -1 all cores; the result does not depend on it. A solver with ``solve_path`` goes
    along the prices by itself, in one job. `verbose` shows the prices done; with on_interrupt
    "return" Ctrl-C gives the curve of those.
    """
    prices = _checked_betas(betas)
    check_jobs(n_jobs)
    check_on_interrupt(on_interrupt)
    solver = instructed(solver, verbose=verbose, on_interrupt=on_interrupt)
    given = zip(SAMPLES, (mdp_of_beta, selection, test), strict=True)
    samples = {name: of_beta for name, of_beta in given if of_beta is not None}
    first = {name: of_beta(prices[0]) for name, of_beta in samples.items()}
    _check_agreement(first)
    solved: list[Solved] = []

    def kept() -> str:
        told = f"stopped after {len(solved)} of {len(prices)} betas; the curve has those alone"
        return told if solved else ""

    found = _solved(samples, solver, prices, n_jobs)
    with keeping(on_interrupt, kept), progress("sweep", len(prices), verbose) as report:
        for beta, (policy, evaluations) in zip(prices, found, strict=True):
            solved.append((policy, evaluations))
            n_evaluated = evaluations["train"].n_evaluated
            report(len(solved), f"beta {beta:.3g}: {n_evaluated:.1f} evaluated")
    columns = {"beta": np.array(prices[: len(solved)])}
    in_units_of_loss = np.array([mdp_of_beta(beta).beta for beta in columns["beta"]])
    for name, mdp in first.items():
        columns |= _columns(name, [evaluations[name] for _, evaluations in solved])
        columns |= _full_columns(name, mdp, in_units_of_loss)
    return Curve(columns, tuple(policy for policy, _ in solved), first["train"].loss)


def _solved(
    samples: Mapping[str, Callable[[float], MDP]],
    solver: Solver,
    prices: list[float],
    n_jobs: int | None,
) -> Iterable[Solved]:
    """The policies in the order of the prices, as they come."""
    if hasattr(solver, "solve_path"):
        return _solved_at_once(samples, solver, prices)
    solver = solver if effective_n_jobs(n_jobs) == 1 else quiet(solver)
    parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    solved: Iterable[Solved] = parallel(delayed(_solve)(samples, solver, beta) for beta in prices)
    return solved


def _solved_at_once(
    samples: Mapping[str, Callable[[float], MDP]], solver: Any, prices: list[float]
) -> Iterable[Solved]:
    """The policies of a solver that goes along the prices by itself."""
    first = {name: of_beta(prices[0]) for name, of_beta in samples.items()}
    betas = [samples["train"](beta).beta for beta in prices]
    policies = solver.solve_path(first["train"], betas, first.get("selection"))
    return (
        (
            checked_policy(policy, solver),
            {name: mdp.with_beta(beta).evaluate(policy) for name, mdp in first.items()},
        )
        for policy, beta in zip(policies, betas, strict=True)
    )


def _solve(samples: Mapping[str, Callable[[float], MDP]], solver: Solver, beta: float) -> Solved:
    mdps = {name: of_beta(beta) for name, of_beta in samples.items()}
    with ending_all():
        policy = solved(solver, mdps["train"], mdps.get("selection"))
    return policy, {name: mdp.evaluate(policy) for name, mdp in mdps.items()}


def _columns(name: str, evaluations: Sequence[Evaluation]) -> dict[str, NDArray[np.float64]]:
    return {f"{name}_{m}": np.array([getattr(e, m) for e in evaluations]) for m in MEASURES}


def _full_columns(name: str, mdp: MDP, beta: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """The full ensemble in every row; its loss and cost know no beta, which is in units of loss."""
    full = mdp.evaluate(mdp.evaluate_all())
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
