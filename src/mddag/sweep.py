"""sweep(model, X, y, betas) -> Curve: one policy per price of an evaluation.

The model is never refitted, so X should be rows that it has not seen. A part of them teaches the
policies, the rest is for choosing among them; test rows, if given, only report.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag.adapters import as_ensemble
from mddag.ensemble import Ensemble
from mddag.grid import Grid
from mddag.mdp import MDP
from mddag.policy import ACTIONS
from mddag.solvers import Sarsa
from mddag.source import class_codes, classifier, stratified
from mddag.tradeoff import Curve, sweep_policies

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
    ensemble = classifier(as_ensemble(getattr(model, "ensemble_", model)))
    labels = np.asarray(y)
    chosen = stratified(labels, selection_fraction, np.random.RandomState(random_state))
    rest = np.setdiff1d(np.arange(len(labels)), chosen)
    votes = ensemble.votes(X)
    shared: dict[str, Any] = {
        "loss": loss if loss is not None else getattr(model, "loss", None),
        "actions": getattr(model, "actions", ACTIONS),
        "grid": Grid.quantile(votes.rows(rest)),
    }
    codes = class_codes(labels, ensemble)
    learning = MDP(votes.rows(rest), codes[rest], **shared)
    selection = MDP(votes.rows(chosen), codes[chosen], **shared)
    test = None if X_test is None else _test_mdp(ensemble, X_test, np.asarray(y_test), shared)
    return sweep_policies(
        learning.with_beta,
        _solver(solver, model, random_state),
        betas,
        selection=selection.with_beta,
        test=None if test is None else test.with_beta,
        n_jobs=n_jobs,
    )


def _test_mdp(ensemble: Ensemble, X: Any, labels: NDArray[Any], shared: dict[str, Any]) -> MDP:
    return MDP(ensemble.votes(X), class_codes(labels, ensemble), **shared)


def _solver(solver: Any, model: Any, random_state: int | None) -> Any:
    chosen = solver if solver is not None else getattr(model, "solver", None)
    return Sarsa(random_state=random_state) if chosen is None else chosen
