"""One small model of each state that looks at whole queries, with random readings."""

from dataclasses import replace

import numpy as np

from mddag.engine.dag import Dag
from mddag.ensemble.tasks import Ranking
from mddag.metrics import NDCG, LetorNDCG, MeanNDCG
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, SKIP, Policy
from mddag.ranking.states import Gap, Readings, Urgency
from mddag.serving.model_file import Model
from tests.native.blocks.forests import random_ensemble

CHECKS = (2, 4, 8, 11)


def readings(rng, checks=CHECKS, cells=3):
    """Near to what a solver fits: weights of about 1, spreads that shrink."""
    n = len(checks)
    return Readings(
        checks,
        np.tril(rng.normal(1.0, 0.2, (n, n))),
        rng.normal(size=n),
        np.sort(rng.normal(size=(n, cells - 1)), axis=1),
        rng.uniform(0.2, 1.0, (n, cells)) / np.arange(1, n + 1)[:, None],
        np.linspace(-3.0, 3.0, 7),
        np.sort(rng.uniform(0.0, 3.0, 7)),
        0.5,
    )


def ranker(seed, state, edges, skips=0.0):
    """Decisions for two steps at once, on check points; `state` of a grid and readings."""
    rng = np.random.default_rng(seed)
    thresholds = [rng.normal(size=5) for _ in range(4)]
    trees = random_ensemble(rng, [2, 8, 5] * 3 + [20, 3], thresholds)
    grid = Grid(np.array(edges))
    actions = np.full((6, grid.n_cells), EVAL, np.uint8)
    for c in CHECKS[:-1]:
        actions[c // 2, : rng.integers(1, grid.n_cells)] = QUIT
    if skips:
        actions[3][rng.random(grid.n_cells) < skips] = SKIP
    looked_at = state(grid, readings(rng))
    policy = Policy(actions, grid, rng.permutation(11), 2, state=looked_at)
    return Model(Dag(replace(trees, task=Ranking()), policy, None, 6.0), None, 1e-4)


def by_gap():
    return ranker(22, lambda grid, known: Gap(grid, known, 3), [-1.0, -0.3, 0.2])


def by_urgency():
    return ranker(23, lambda grid, known: Urgency(grid, known, NDCG(5)), [0.01, 0.05, 0.2])


def by_letor_urgency():
    """All positions count, with gains that are labels."""
    metric = LetorNDCG(None, "linear")
    return ranker(24, lambda grid, known: Urgency(grid, known, metric), [0.005, 0.1])


def by_mean_urgency():
    """The metric is a mean over cuts; a decision skips."""
    state = lambda grid, known: Urgency(grid, known, MeanNDCG())  # noqa: E731
    return ranker(21, state, [0.001, 0.01, 0.1], skips=0.5)


KINDS = {made.__name__: made for made in (by_gap, by_urgency, by_letor_urgency, by_mean_urgency)}
