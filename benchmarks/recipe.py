"""The simplest form of ``train``: a grid of LightGBM shapes with prefix and margin rules.

What a good engineer would do without mddag. Models of every shape are trained without each of three
folds; their scores on the rows left out say, for every number of rounds and every threshold on the
margin, the error and the nodes visited. The reference is the full model with the least log-loss.
The cheapest rule whose cross-validated error is at most `max_loss` above the reference's wins, and
its shape is trained once more on all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

import mddag
from mddag.ensemble.leaf_depths import LeafDepths
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, Policy

LEAVES = (8, 32, 128, 512, 2047)
ROUNDS = {0.1: 250, 0.3: 100, 0.6: 50}  # by learning rate
LEAST_ROWS = (1, 5, 20)  # in a leaf
MOST_LEAVES = 40_000  # of a model: it bounds the time
LENGTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 250)
THRESHOLDS = (*np.geomspace(0.1, 8.0, 28), np.inf)  # infinite: a prefix without a margin rule
N_FOLDS = 3


@dataclass(frozen=True)
class Shape:
    """Leaves of a tree, learning rate, rounds, and the rows that a leaf must have."""

    leaves: int
    rate: float
    n_rounds: int
    least_rows: int

    def fitted(self, X: np.ndarray, y: np.ndarray, seed: int) -> Any:
        """Train a model of this shape."""
        from lightgbm import LGBMClassifier

        return LGBMClassifier(
            num_leaves=self.leaves,
            learning_rate=self.rate,
            n_estimators=self.n_rounds,
            min_child_samples=self.least_rows,
            random_state=seed,
            n_jobs=1,
            verbose=-1,
        ).fit(X, y)


@dataclass(frozen=True)
class Rule:
    """A candidate: the first `length` trees of a shape, left early where |score| >= threshold."""

    shape: Shape
    length: int
    threshold: float
    error: float
    nodes: float
    log_loss: float

    def policy(self, n_steps: int) -> Policy:
        """Return the rule as a policy over the first `length` of `n_steps` trees."""
        order = np.arange(n_steps)
        edges = [-self.threshold, self.threshold] if np.isfinite(self.threshold) else []
        actions = np.full((n_steps, len(edges) + 1), EVAL, np.uint8)
        if edges:
            actions[1:, [0, 2]] = QUIT
        actions[self.length :] = QUIT
        return Policy(actions, Grid(np.array(edges, np.float64), 1), order)


def shapes(n_rows: int) -> Iterator[Shape]:
    """Yield the grid, without shapes whose leaves the rows cannot fill."""
    for leaves, rate, least in product(LEAVES, ROUNDS, LEAST_ROWS):
        if leaves <= 8 or leaves * least <= 4 * n_rows:
            yield Shape(leaves, rate, min(ROUNDS[rate], MOST_LEAVES // leaves), least)


def walked(model: Any, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the partial scores after each tree, and the nodes visited by then, both (n, T)."""
    ensemble = mddag.as_ensemble(model)
    votes = ensemble.votes(X)
    tables = votes.tables
    values = tables.values[tables.starts[:-1] + votes.codes]
    depths = LeafDepths.of(ensemble).of_rows(votes.codes)
    return tables.bias[0] + np.cumsum(values, axis=1), np.cumsum(depths, axis=1)


def rules(shape: Shape, X: np.ndarray, y: np.ndarray, folds: Any, seed: int) -> list[Rule]:
    """Return all rules of a shape, with their cross-validated error and nodes."""
    found: dict[tuple[int, float], np.ndarray] = {}
    for train, left_out in folds:
        scores, nodes = walked(shape.fitted(X[train], y[train], seed), X[left_out])
        y_out, rows = y[left_out], np.arange(len(left_out))
        n_trees = scores.shape[1]
        for threshold in THRESHOLDS:
            confident = np.abs(scores) >= threshold
            first = np.where(confident.any(axis=1), confident.argmax(axis=1), n_trees - 1)
            for length in (m for m in LENGTHS if m <= shape.n_rounds):
                at = np.minimum(first, min(length, n_trees) - 1)
                f = scores[rows, at]
                sums = [((f > 0) != y_out).sum(), nodes[rows, at].sum(), 0.0]
                if threshold == np.inf:
                    sums[2] = np.logaddexp(0.0, np.where(y_out == 1, -f, f)).sum()
                found[length, threshold] = found.get((length, threshold), 0.0) + np.array(sums)
    return [Rule(shape, *key, *(sums / len(y)).tolist()) for key, sums in found.items()]


def candidates(X: np.ndarray, y: np.ndarray, seed: int = 0) -> list[Rule]:
    """Return the rules of all shapes."""
    folds = list(StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(X, y))
    grid = list(shapes(len(y) - len(y) // N_FOLDS))
    return [rule for shape in grid for rule in rules(shape, X, y, folds, seed)]


def chosen(rules: list[Rule], max_loss: float) -> tuple[Rule, Rule]:
    """Return the cheapest rule within max_loss of the reference, and the reference."""
    reference = min((r for r in rules if r.threshold == np.inf), key=lambda rule: rule.log_loss)
    within = [rule for rule in rules if rule.error <= reference.error + max_loss]
    return min(within, key=lambda rule: rule.nodes), reference


def settled(rule: Rule, X: np.ndarray, y: np.ndarray, seed: int = 0) -> mddag.MDDAGClassifier:
    """Train the shape of a rule on all rows; the rule becomes the policy."""
    model = rule.shape.fitted(X, y, seed)
    n_steps = mddag.as_ensemble(model).n_classifiers
    return mddag.MDDAGClassifier(model).adopt(rule.policy(n_steps), X, y)
