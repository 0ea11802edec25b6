"""max_disagreement=0.005 at confidence 0.9, with 300 and 1000 policy queries of MQ2007.

LambdaMART is trained on one of the five parts. Policy queries are drawn from the other four, and
the loss is that on those which were not drawn. `best` is what a price would evaluate that just
meets the bound on these.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import mddag
from benchmarks.data import loaded
from benchmarks.ranking.folds import lambda_mart, problem
from mddag.metrics import NDCG
from mddag.solvers.ranking import UrgencyExits

BOUND, SIZES = 0.005, (300, 1000)
FIELDS = ("policy queries", "draws", "violations", "mean loss", "mean trees", "best")


def measure(n_draws: int = 50) -> Iterator[dict[str, Any]]:
    """A row for each number of policy queries."""
    given = loaded("mq2007")
    order = np.argsort(given["qid"], kind="stable")
    X, y, qid, part = (given[name][order] for name in ("X", "y", "qid", "part"))
    X, y, trained = X.astype(np.float32), y.astype(float), part == 1
    ensemble = lambda_mart("mq2007_part1", (X[trained], y[trained], qid[trained]), 0.03)
    rest = X[~trained], y[~trained], qid[~trained]
    gains = UrgencyExits().fit(problem(ensemble, rest, NDCG(10))).state.readings.gains
    for size in SIZES:
        found = np.array([drawn(ensemble, rest, gains, size, seed) for seed in range(n_draws)])
        lost, trees, best = found.mean(axis=0).tolist()
        violations = int((found[:, 0] > BOUND).sum())
        values = (size, n_draws, violations, round(lost, 5), round(trees, 1), round(best, 1))
        yield dict(zip(FIELDS, values, strict=True))


def drawn(
    ensemble: mddag.Ensemble, rest: Any, gains: Any, size: int, seed: int
) -> tuple[float, float, float]:
    """Loss and trees on queries that were not drawn, and the fewest trees of any price there."""
    X, y, qid = rest
    chosen = np.random.default_rng(seed).choice(np.unique(qid), size, replace=False)
    policy = np.isin(qid, chosen)
    given = X[policy], y[policy]
    fast = mddag.sparsify(
        ensemble, *given, qid=qid[policy], max_disagreement=BOUND, random_state=seed
    )
    other = X[~policy], y[~policy], qid[~policy]
    judged = problem(ensemble, other, NDCG(10))
    worth = gains(judged.full)
    lost = judged.teacher_loss(fast.predict(other[0], other[2]), worth).mean()
    trees = fast.n_evaluated(other[0], other[2]).mean()
    family = UrgencyExits().fit(problem(ensemble, (*given, qid[policy]), NDCG(10)))
    blocks, best = family.blocks(judged), float(len(ensemble))
    for price in UrgencyExits.knobs:
        readings, steps = family.run(blocks, judged.queries, price)
        if judged.teacher_loss(readings, worth).mean() > BOUND:
            break
        best = steps.mean()
    return float(lost), float(trees), float(best)
