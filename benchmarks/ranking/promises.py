"""max_disagreement=0.005 at confidence 0.9, with 300 and 1000 policy queries, 50 draws of them.

    mq2007      LambdaMART is trained on one of the five parts; policy queries are drawn from the
                others, 1353 queries
    simulated   documents by a formula, as many queries as are wanted; 5000 of them judge 200 trees

A promise is broken where queries that were not drawn lose more than the bound. Those of MQ2007 that
1000 policy queries leave, 353, are a smaller sample than the policy queries, so that they exceed
the bound more often than the loss that they estimate; `broken on all` counts the drawn queries,
too, each judged by a policy that was not fitted on it. `best` is what a price would evaluate that
just meets the bound on the queries that judge. Draws are kept in OUT, so that a run can go on.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.stats import binom

import mddag
from benchmarks.data import loaded
from benchmarks.places import OUT
from benchmarks.ranking.folds import Part, lambda_mart, problem
from mddag.metrics import NDCG
from mddag.ranking import UrgencyExits
from mddag.ranking.exits import ExitFamily
from mddag.ranking.problem import RankingProblem

BOUND, SIZES, METRIC = 0.005, (300, 1000), NDCG(10)
FIELDS = (
    *("data", "policy queries", "draws", "judging queries", "broken", "broken on all"),
    *("limit", "mean loss", "mean trees", "best"),
)
Draw = tuple[float, float, float, float]  # loss, loss on all, trees, best
Population = tuple[mddag.Ensemble, Callable[[int, int], tuple[Part, Part]], Any]


def measure(n_draws: int = 50) -> Iterator[dict[str, Any]]:
    """A row for each population and number of policy queries."""
    for data, population in {"simulated": simulated, "mq2007": mq2007}.items():
        made = population()
        for size in SIZES:
            yield counted(data, made, size, n_draws)


def counted(data: str, population: Population, size: int, n_draws: int) -> dict[str, Any]:
    """How many draws break the promise, and what they lose and evaluate on average."""
    ensemble, parted, gains = population
    n_others = len(np.unique(parted(size, 0)[1][2]))
    found = np.array(
        kept_draws(
            f"{data}_{size}", lambda seed: drawn(ensemble, *parted(size, seed), gains), n_draws
        )
    )
    lost, _, trees, best = found.mean(axis=0).tolist()
    broken = (found[:, :2] > BOUND).sum(axis=0).tolist()
    limit = int(binom.ppf(0.95, n_draws, 0.1))
    means = round(lost, 5), round(trees, 1), round(best, 1)
    return dict(zip(FIELDS, (data, size, n_draws, n_others, *broken, limit, *means), strict=True))


def mq2007() -> Population:
    """The ensemble, policy and other queries of a draw, and gains of full scores."""
    given = loaded("mq2007")
    order = np.argsort(given["qid"], kind="stable")
    X, y, qid, part = (given[name][order] for name in ("X", "y", "qid", "part"))
    X, y, trained = X.astype(np.float32), y.astype(float), part == 1
    ensemble = lambda_mart("mq2007_part1", (X[trained], y[trained], qid[trained]), 0.03)
    rest = X[~trained], y[~trained], qid[~trained]

    def parted(size: int, seed: int) -> tuple[Part, Part]:
        chosen = np.random.default_rng(seed).choice(np.unique(rest[2]), size, replace=False)
        policy = np.isin(rest[2], chosen)
        given, others = (tuple(values[some] for values in rest) for some in (policy, ~policy))
        return given, others

    return ensemble, parted, gains_of(ensemble, rest)


def simulated() -> Population:
    """The same of documents by a formula; 5000 queries judge all draws."""
    ensemble = lambda_mart("simulated", by_formula(340, 1), 0.05, n_trees=200)
    others = by_formula(5000, 2)
    return (
        ensemble,
        lambda size, seed: (by_formula(size, 100 + seed), others),
        gains_of(ensemble, others),
    )


def by_formula(n_queries: int, seed: int) -> Part:
    """Queries of 1 to 24 documents with ten features, whose labels are mostly 0."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), rng.integers(1, 25, n_queries))
    X = (rng.normal(size=(len(qid), 10)) + rng.normal(size=(n_queries, 10))[qid] / 2).astype("f4")
    worth = X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] / 2 + rng.normal(size=len(qid))
    return X, np.digitize(worth, [1.5, 2.8]).astype(float), qid


def gains_of(ensemble: mddag.Ensemble, part: Part) -> Any:
    """E[gain | F] by all queries that judge."""
    return UrgencyExits().fit(problem(ensemble, part, METRIC)).state.readings.gains


def kept_draws(name: str, draw: Callable[[int], Draw], n_draws: int) -> list[Draw]:
    """The draws of an earlier run, and those that it lacks."""
    path = OUT / "ranking" / f"promises_{name}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    with path.open(newline="") as file:
        known = [tuple(map(float, row)) for row in csv.reader(file)][:n_draws]
    for seed in range(len(known), n_draws):
        known.append(draw(seed))
        with path.open("a", newline="") as file:
            csv.writer(file).writerow(known[-1])
    return known


def drawn(ensemble: mddag.Ensemble, given: Part, others: Part, gains: Any) -> Draw:
    """Loss on the other queries and on all, trees there, and the fewest trees of any price."""
    X, y, qid = given
    fast = mddag.ranking.sparsify(ensemble, X, y, qid=qid, metric=METRIC, max_disagreement=BOUND)
    judged = problem(ensemble, others, METRIC)
    worth = gains(judged.full)
    lost = float(judged.order_loss(fast.predict(others[0], others[2]), worth).mean())
    n_given, n_others = len(np.unique(qid)), len(judged.queries)
    on_all = (n_given * fast.evaluation_.loss + n_others * lost) / (n_given + n_others)
    trees = float(fast.n_evaluated(others[0], others[2]).mean())
    if fast.dag_.needs_queries:
        known = fast.policy_.state.readings, fast.policy_.order
        family = UrgencyExits().family(*known, METRIC)
    else:  # nothing cheaper than all trees was shown to meet the bound
        family = UrgencyExits().fit(problem(ensemble, given, METRIC))
    return lost, on_all, trees, fewest_trees(family, judged, worth)


def fewest_trees(family: ExitFamily, judged: RankingProblem, worth: np.ndarray) -> float:
    """Of the prices that meet the bound on the queries that judge, by bisection."""
    blocks, prices = family.blocks(judged), UrgencyExits.settings
    best, low, high = float(len(family.order)), 0, len(prices)
    while low < high:
        middle = (low + high) // 2
        readings, steps = family.run(blocks, judged.queries, prices[middle])
        if judged.order_loss(readings, worth).mean() <= BOUND:
            best, low = float(steps.mean()), middle + 1
        else:
            high = middle
    return best
