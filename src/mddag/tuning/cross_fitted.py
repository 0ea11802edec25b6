"""Cross-fitted rows: training rows as further rows to learn a policy from.

What makes a policy over sets worse than it could be is chance: few rows in each cell. The rows that
train the models of sets are as many again, but these models know their labels. So for each fold of
them every model is trained anew without it, and scores it. The last set's scores are the given
model's own where it has not seen the rows, else those of its clones: if a clone errs much more or
less than the given model (which had other rows, say), the training rows are left out.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from mddag.tuning.given_rows import GivenRows
from mddag.tuning.set_models import SetModels, can_be_cloned, fitted_on, template_of
from mddag.tuning.set_rows import SetRows

FOLDS = 4
ENOUGH = 10_000  # rows to learn from; beyond, chance is small and training takes long
ALIKE = 3.0  # standard errors between the errors of clones and of the given model, at most


def further_rows(
    given: GivenRows, models: SetModels, seen: SetRows, seed: int, n_threads: int = 1
) -> SetRows | None:
    """The training rows with cross-fitted scores; None where they would not be like those seen."""
    cloned = can_be_cloned(given.model)
    if not given.told or len(seen) >= ENOUGH or not (cloned or given.unseen):
        return None
    task = given.ensemble.task
    labels = task.coded(given.train_labels)
    strata = labels if task.predicts_classes else np.zeros(len(labels), np.intp)
    if np.bincount(strata).min() < FOLDS:  # a model without it would lack a class
        return None
    fold = stratified_folds(strata, FOLDS, seed)
    n_used = min(FOLDS, -(-(ENOUGH - len(seen)) * FOLDS // len(labels)))  # each is a training
    scores, used = _scores(given, models, fold, n_used, seed, n_threads), fold < n_used
    found = replace(seen, scores=scores[used], labels=labels[used])
    return found if _alike(found, seen) else None


def stratified_folds(labels: NDArray[np.intp], n_folds: int, seed: int) -> NDArray[np.intp]:
    """A fold for each row; each has about as many rows of every class."""
    fold = np.empty(len(labels), np.intp)
    shuffled = np.random.default_rng(seed).permutation(len(labels))
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    fold[by_class] = np.arange(len(labels)) % n_folds
    return fold


def _scores(
    given: GivenRows,
    models: SetModels,
    fold: NDArray[np.intp],
    n_used: int,
    seed: int,
    n_threads: int,
) -> NDArray[np.float64]:
    """Scores of the training rows in every set by models of the other folds, (n, M, K); those of
    the first `n_used` folds are made."""
    ensemble, template = given.ensemble, template_of(given.model, given.ensemble, seed)
    found = np.empty((len(fold), len(models), ensemble.n_scores))
    found[:] = ensemble.bias
    last = len(models) - 1
    if given.unseen:
        found[:, last] = ensemble.scores(given.train_rows, n_threads=n_threads)
    for f in range(n_used):
        others, own = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
        X, y = _safe_indexing(given.train, others), given.train_labels[others]
        rows = ensemble.features.rows(_safe_indexing(given.train, own))
        for s in range(last if given.unseen else last + 1):
            columns = _columns(given, models, s)
            if len(columns):
                model = fitted_on(template, ensemble, columns, X, y)
                found[own, s] = model.scores(rows, n_threads=n_threads)
    return found


def _columns(given: GivenRows, models: SetModels, s: int) -> NDArray[np.intp]:
    """What the model of a set was trained on; the given one on all columns."""
    if s == len(models) - 1:
        return np.arange(given.ensemble.features.n)
    return models.sets.columns(s)


def _alike(found: SetRows, seen: SetRows) -> bool:
    """Whether the full set's models err alike."""
    lost, own = (rows.lost(rows.full) for rows in (found, seen))
    spread = np.sqrt(lost.var() / len(lost) + own.var() / len(own) + 1 / len(own) ** 2)
    return bool(abs(lost.mean() - own.mean()) <= ALIKE * spread)
