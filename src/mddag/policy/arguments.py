"""Checks of the arguments of an MDP: votes, labels, loss, beta, grid and actions.

Each function returns its argument in the form that the MDP holds, or raises an error that names the
first offender. Estimators and ``sparsify`` use them before any work.
"""

from __future__ import annotations

from collections.abc import Collection
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.checks import as_floats, typed
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import Votes
from mddag.losses import Loss, LossFunction, ZeroOne, as_loss
from mddag.policy.grid import Grid
from mddag.policy.policy import ACTIONS

LARGEST = 1e60  # vote: squares of covariances stay finite


def checked_votes(votes: Votes | ArrayLike) -> Votes:
    """Return the votes, coded if they are numbers; there must be some, and all finite."""
    if isinstance(votes, Ensemble):
        raise TypeError("votes is an Ensemble; wanted what it says of the rows: ensemble.votes(X)")
    if not isinstance(votes, Votes):
        votes = _coded(votes)
    tables = votes.tables
    if len(votes) == 0 or tables.n_classifiers == 0:
        raise ValueError(
            f"votes are of {tables.n_classifiers} base classifiers on {len(votes)} rows; "
            "wanted at least one of each: there is nothing to decide"
        )
    if not np.isfinite(tables.bias).all():
        raise ValueError(f"the bias of the votes is {tables.bias.tolist()}; it must be finite")
    bad = np.flatnonzero(~np.isfinite(tables.values))
    if len(bad):
        t = np.searchsorted(tables.starts, bad[0], side="right") - 1
        j = np.searchsorted(tables.rounds, t, side="right") - 1
        raise ValueError(
            f"a leaf of base classifier {j} votes {tables.values[bad[0]]}; votes must be finite"
        )
    largest = max(np.abs(tables.values).max(initial=0.0), np.abs(tables.bias).max())
    if largest > 0 and not 1 / LARGEST < largest < LARGEST:
        raise ValueError(
            f"the largest of the votes and the bias is {largest}; wanted numbers to compute with, "
            f"below {LARGEST:g} and not all below {1 / LARGEST:g}: scale them"
        )
    return votes


def _coded(votes: ArrayLike) -> Votes:
    array = as_floats("votes", votes, "Votes, such as ensemble.votes(X) gives, or numbers (n, N)")
    if array.ndim not in (2, 3) or array.shape[2:] == (0,):
        raise ValueError(
            f"votes have shape {array.shape}; wanted (n, N) for one score or (n, N, K)"
        )
    if not np.isfinite(array).all():
        i, j = np.argwhere(~np.isfinite(array))[0][:2]
        raise ValueError(
            f"the vote of base classifier {j} on row {i} is {array[i, j]}; votes must be finite"
        )
    return Votes.from_dense(array)


def checked_grid(grid: Grid, n_scores: int) -> Grid:
    """Return the grid after checking that it is for this number of scores."""
    if not isinstance(grid, Grid):
        raise TypeError(f"grid is {typed(grid)}; wanted a Grid, such as Grid(edges)")
    if grid.n_scores != n_scores:
        raise ValueError(f"the grid is for {grid.n_scores} score(s), but votes have {n_scores}")
    return grid


def checked_actions(actions: tuple[str, ...]) -> tuple[str, ...]:
    """Return the actions after checking that they are in ACTIONS and contain EVAL."""
    listed = isinstance(actions, Collection) and not isinstance(actions, str)
    if not listed or set(map(str, actions)) - set(ACTIONS) or "eval" not in actions:
        raise ValueError(
            f"actions are {actions!r}; wanted 'eval' and any of 'skip' and 'quit', in a tuple"
        )
    return tuple(actions)


def checked_loss(loss: LossFunction | None) -> Loss:
    """Return the loss as a `Loss`; ZeroOne() for None."""
    return ZeroOne() if loss is None else as_loss(loss)


def checked_beta(beta: float) -> float:
    """Return beta after checking that it is a price."""
    if not isinstance(beta, Real) or not 0 <= beta < np.inf:
        raise ValueError(f"beta is {beta!r}; wanted a finite price per evaluation, 0 or more")
    return float(beta)


def are_numbers(labels: NDArray[Any]) -> bool:
    """Return whether labels are those of regression."""
    return labels.ndim == 1 and labels.dtype.kind == "f"


def checked_labels(labels: ArrayLike, n: int, n_scores: int) -> NDArray[Any]:
    """Return class numbers (n,), numbers (n,) or soft targets (n, n_classes), by shape and type."""
    array: NDArray[Any] = np.asarray(labels)
    if array.ndim not in (1, 2) or len(array) != n:
        raise ValueError(
            f"labels have shape {array.shape} for votes on {n} rows; wanted ({n},), or soft "
            f"targets ({n}, {max(n_scores, 2)})"
        )
    if array.ndim == 2:
        return _checked_shares(array, max(n_scores, 2))
    if array.dtype.kind == "f" and n_scores == 1:
        bad = np.flatnonzero(~np.isfinite(array))
        if len(bad):
            raise ValueError(f"the label of row {bad[0]} is {array[bad[0]]}; wanted finite labels")
        return array.astype(np.float64)
    return _checked_classes(array, max(n_scores, 2))


def _checked_classes(labels: NDArray[Any], n_classes: int) -> NDArray[np.intp]:
    regression = "; floats stand for regression" if n_classes == 2 else ""
    if labels.dtype.kind not in "iub":
        raise ValueError(
            f"labels have dtype {labels.dtype}; wanted class numbers 0..{n_classes - 1}, "
            f"np.unique(labels, return_inverse=True)[1]{regression}"
        )
    bad = np.flatnonzero((labels < 0) | (labels >= n_classes))
    if len(bad):
        raise ValueError(
            f"votes have {n_classes} classes but labels contain class {labels[bad[0]]} "
            f"(row {bad[0]}); labels must lie in 0..{n_classes - 1}{regression}"
        )
    return labels.astype(np.intp)


def _checked_shares(shares: NDArray[Any], n_classes: int) -> NDArray[np.float64]:
    if shares.shape[1] != n_classes:
        raise ValueError(
            f"soft targets have {shares.shape[1]} columns; wanted {n_classes}, one per class"
        )
    shares = shares.astype(np.float64)
    # float32 probabilities sum to 1 within about 1e-6; percentages and counts do not
    fit = (shares >= 0).all(axis=1) & (np.abs(shares.sum(axis=1) - 1.0) < 1e-3)
    if not fit.all():
        i = int(np.flatnonzero(~fit)[0])
        raise ValueError(
            f"the soft target of row {i} is {shares[i].tolist()}; wanted probabilities that sum "
            "to 1: divide rows by their sums, and put what rows count for into weight"
        )
    return shares
