"""Small rankings for tests: documents of queries with labels, and a ranker that was trained on
others."""

from dataclasses import dataclass
from functools import cache

import lightgbm
import numpy as np

import mddag
from mddag.metrics import NDCG
from mddag.metrics.ranking import Queries
from mddag.ranking import UrgencyExits
from mddag.ranking.problem import RankingProblem


def documents(n_queries=60, seed=0, largest=20):
    """X (n, 5), labels 0 … 3 and query numbers, query by query."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), rng.integers(1, largest + 1, n_queries))
    X = rng.normal(size=(len(qid), 5)).astype(np.float32).astype(float)
    worth = X[:, 0] + np.sin(2 * X[:, 1]) + 0.5 * X[:, 2] * X[:, 3] + rng.normal(size=len(qid)) / 2
    return X, np.digitize(worth, [0.3, 1.2, 2.0]), qid


@cache
def ranker(n_estimators=80):
    X, y, qid = documents(200, seed=1)
    model = lightgbm.LGBMRanker(
        n_estimators=n_estimators, num_leaves=6, verbose=-1, n_jobs=1, random_state=0
    )
    return model.fit(X, y, group=np.bincount(qid))


@cache
def ensemble():
    return mddag.as_ensemble(ranker())


def problem(n_queries=60, seed=2, metric=None, labels=True):
    X, y, qid = documents(n_queries, seed)
    given = y.astype(float) if labels else None
    queries = Queries.of(qid, len(qid))
    return RankingProblem.of(ensemble().votes(X), queries, metric or NDCG(5), given)


def check_steps(dag, X, qid):
    """Raises where kernels, or threads, give other bits than steps one by one."""
    queries = Queries.of(qid, len(qid))
    trace = dag.by_query.followed(dag.ensemble.features.rows(X), queries, 1)
    for n_jobs in (1, 3):
        found = dag.run(X, qid, n_jobs=n_jobs)
        for name in ("scores", "exit_step", "indptr", "indices"):
            assert (getattr(found, name) == getattr(trace, name)).all(), name
        np.testing.assert_allclose(found.cost, trace.cost)
        ready = dag.ensemble.features.rows(X)
        scores, exit_step, n_evaluated = dag.by_query.exits(ready, qid, n_jobs)
        assert (scores == trace.scores).all()
        assert (exit_step == trace.exit_step).all()
        assert (n_evaluated == trace.n_evaluated).all()
        assert (dag.scores(X, qid=qid, n_jobs=n_jobs) == trace.scores).all()
    assert 0 < trace.n_evaluated.mean() < 80


@dataclass
class StoppedExits(UrgencyExits):
    """Ctrl-C comes when a family is fitted for the `stops`-th time, all queries first."""

    stops: int = 2

    def fit(self, problem, **given):
        self.n_fitted = getattr(self, "n_fitted", 0) + 1
        if self.n_fitted == self.stops:
            raise KeyboardInterrupt
        return super().fit(problem, **given)


def check_trade(exits):
    """Exits fitted to queries trade loss for steps on others; they are returned."""
    found, given = exits.fit(problem()), problem(seed=3)
    blocks, gains = found.blocks(given), found.gains(given)
    settings = exits.settings[:: max(len(exits.settings) // 25, 1)]
    runs = [found.run(blocks, given.queries, setting) for setting in settings]
    steps = np.array([s.mean() for _, s in runs])
    lost = np.array([given.order_loss(r, gains).mean() for r, _ in runs])
    assert lost[steps >= steps.max() - 1e-9].min() < 0.02
    assert steps.min() < 30 < steps.max()
    assert np.corrcoef(steps, lost)[0, 1] < 0
    return found
