"""sweep(model, X, y, betas) -> Curve: solve the same problem at several prices of an evaluation.

beta of Eq. (8) is that price: small ones buy accuracy, large ones speed. The model is never
refitted, so X should be rows that it has not seen. A part of them teaches the policies, the rest
is for choosing among them; test rows, if given, only report.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length

from mddag._checks import check_fraction
from mddag.adapters import as_ensemble
from mddag.classifier import MDDAGClassifier
from mddag.curve import SAMPLES, Curve
from mddag.door import checked_labels
from mddag.ensemble import Ensemble
from mddag.grid import Grid
from mddag.holdout import stratified
from mddag.mdp import MDP, Evaluation
from mddag.policy import Policy
from mddag.solvers import Sarsa, Solver
from mddag.solvers.solver import Interrupted, checked_solver, seeded
from mddag.source import class_codes, classifier
from mddag.votes import Votes

MEASURES = ("loss", "cost", "objective", "n_evaluated")
BETAS = tuple(10.0 ** np.arange(-4.0, -1.9, 0.5))


def sweep(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    betas: ArrayLike = BETAS,
    X_test: Any = None,
    y_test: ArrayLike | None = None,
    loss: Any = None,
    solver: Any = None,
    selection_fraction: float = 0.3,
    n_jobs: int | None = None,
    random_state: int | None = 0,
) -> Curve:
    """Learn a policy at each of `betas` over the base classifiers of `model`.

    model : a fitted MDDAGClassifier, whose loss, solver and actions serve unless given here, or
            anything that ``mddag.as_ensemble`` reads
    X, y  : rows for the policies, split into learning and `selection_fraction` for choosing
    n_jobs: joblib's; the result does not depend on it
    """
    if (X_test is None) != (y_test is None):
        raise ValueError("X_test and y_test must be given together; got one of them")
    check_fraction("selection_fraction", selection_fraction, zero=False)
    of_model = model if isinstance(model, MDDAGClassifier) else MDDAGClassifier()
    random = np.random.RandomState(random_state)
    chosen_solver = of_model.solver if solver is None else solver
    learner = checked_solver(Sarsa() if chosen_solver is None else chosen_solver)
    ensemble = classifier(as_ensemble(model))
    sample = _Sample.of(ensemble, X, y)
    shared: dict[str, Any] = {
        "loss": of_model.loss if loss is None else loss,
        "actions": of_model.actions,
        "costs": ensemble.cost if ensemble.priced else None,
    }
    learning, selection = sample.parted(selection_fraction, random)
    shared["grid"] = Grid.quantile(learning.votes)
    test = None if X_test is None else _Sample.of(ensemble, X_test, y_test).mdp(shared)
    return sweep_policies(
        learning.mdp(shared).with_beta,
        seeded(learner, random),
        betas,
        selection=selection.mdp(shared).with_beta,
        test=None if test is None else test.with_beta,
        n_jobs=n_jobs,
    )


@dataclass(frozen=True, eq=False)
class _Sample:
    """Votes and class numbers of some rows."""

    votes: Votes
    labels: NDArray[np.intp]

    @classmethod
    def of(cls, ensemble: Ensemble, X: Any, y: Any) -> _Sample:
        labels = checked_labels(y)
        votes = ensemble.votes(X)
        check_consistent_length(votes.codes, labels)
        return cls(votes, class_codes(labels, ensemble))

    def parted(
        self, selection_fraction: float, random: np.random.RandomState
    ) -> tuple[_Sample, _Sample]:
        """Rows for learning, and `selection_fraction` of every class for choosing."""
        out = stratified(self.labels, selection_fraction, random)
        if len(out) == 0:
            raise ValueError(
                f"selection_fraction is {selection_fraction}, which leaves none of "
                f"{len(self.labels)} rows for choosing; give more rows or a larger fraction"
            )
        rest = np.setdiff1d(np.arange(len(self.labels)), out)
        return self._take(rest), self._take(out)

    def _take(self, rows: NDArray[np.intp]) -> _Sample:
        return _Sample(self.votes.rows(rows), self.labels[rows])

    def mdp(self, shared: dict[str, Any]) -> MDP:
        return MDP(self.votes, self.labels, **shared)


def sweep_policies(
    mdp_of_beta: Callable[[float], MDP],
    solver: Solver,
    betas: ArrayLike,
    *,
    selection: Callable[[float], MDP] | None = None,
    test: Callable[[float], MDP] | None = None,
    n_jobs: int | None = None,
) -> Curve:
    """Solve one MDP per beta and evaluate every policy on all samples.

    `mdp_of_beta`, `selection` and `test` give the MDP of their rows at a beta, for instance
    ``lambda beta: MDP(votes, y, beta=beta)``. The solver sees the training and the selection rows,
    never the test rows. `n_jobs` is joblib's: None is 1 unless a
    ``parallel_config`` says otherwise, -1 all cores; the result does not depend on it.
    """
    prices = _checked_betas(betas)
    given = zip(SAMPLES, (mdp_of_beta, selection, test), strict=True)
    samples = {name: of_beta for name, of_beta in given if of_beta is not None}
    first = {name: of_beta(prices[0]) for name, of_beta in samples.items()}
    _check_agreement(first)
    solved = _solved(samples, solver, prices, n_jobs)
    columns = {"beta": np.array(prices[: len(solved)])}
    for name, mdp in first.items():
        columns |= _columns(name, [evaluations[name] for _, evaluations in solved])
        columns |= _full_columns(name, mdp, columns["beta"])
    return Curve(columns, tuple(policy for policy, _ in solved), first["train"].loss)


def _solved(
    samples: Mapping[str, Callable[[float], MDP]],
    solver: Solver,
    prices: list[float],
    n_jobs: int | None,
) -> list[tuple[Policy, dict[str, Evaluation]]]:
    """The policies in the order of the prices; after Ctrl-C those that were finished."""
    solved = []
    parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    try:
        solved.extend(parallel(delayed(_solve)(samples, solver, beta) for beta in prices))
    except (KeyboardInterrupt, Interrupted):
        if not solved:
            raise KeyboardInterrupt from None
        warnings.warn(
            f"stopped after {len(solved)} of {len(prices)} betas; the curve has those alone",
            Interrupted,
            stacklevel=3,
        )
    return solved


def _solve(
    samples: Mapping[str, Callable[[float], MDP]], solver: Solver, beta: float
) -> tuple[Policy, dict[str, Evaluation]]:
    mdps = {name: of_beta(beta) for name, of_beta in samples.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error", Interrupted)  # one Ctrl-C ends the sweep, not one beta
        policy = solver.solve(mdps["train"], mdps.get("selection"))
    return policy, {name: mdp.evaluate(policy) for name, mdp in mdps.items()}


def _columns(name: str, evaluations: Sequence[Evaluation]) -> dict[str, NDArray[np.float64]]:
    return {f"{name}_{m}": np.array([getattr(e, m) for e in evaluations]) for m in MEASURES}


def _full_columns(name: str, mdp: MDP, beta: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """The full ensemble in every row, for its loss and cost know no beta."""
    full = mdp.evaluate(mdp.evaluate_all())
    columns = _columns(f"full_{name}", [full] * len(beta))
    columns[f"full_{name}_objective"] = full.loss + beta * full.cost
    return columns


def _checked_betas(betas: ArrayLike) -> list[float]:
    array = np.atleast_1d(np.asarray(betas, np.float64))
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
