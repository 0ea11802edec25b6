"""Microseconds per query of 8, 35 and 1000 documents, one thread, at a loss of 0.005.

MQ2007, fold 1; queries of 8 are cut out of its test documents, those of 1000 are joined. Times are
the least processor time of several runs, interleaved, so that a busy machine matters little.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import lightgbm
import numpy as np

import mddag
from benchmarks.places import OUT
from benchmarks.ranking.exits import runs, settings
from benchmarks.ranking.folds import RATES, documents, lambda_mart, problem
from mddag.metrics import LetorNDCG
from mddag.ranking import Exits, ProximityExits, UrgencyExits

BOUND, REPEATS, METRIC = 0.005, 7, LetorNDCG(10)
FIELDS = ("leaves", "documents", "way", "loss", "trees", "us per query", "times as fast as all")
MEMBERS = (UrgencyExits(), UrgencyExits(16, 1.0), ProximityExits(8, 1.0))


def measure() -> Iterator[dict[str, Any]]:
    """A row for each size of trees, size of queries and way."""
    parts = documents("mq2007", 1)
    for n_leaves in (8, 64):
        ensemble = lambda_mart("mq2007_1", parts["train"], RATES["mq2007"], n_leaves)
        booster = lightgbm.Booster(model_file=OUT / "ranking" / f"mq2007_1_{n_leaves}.txt")
        for size in (8, 35, 1000):
            yield from timed(ensemble, booster, parts, n_leaves, size)


def timed(
    ensemble: mddag.Ensemble, booster: Any, parts: Any, n_leaves: int, size: int
) -> Iterator[dict[str, Any]]:
    (X, y, qid), (X_test, y_test, qid_test) = (
        (X, y, of_size(q, size)) for X, y, q in (parts["vali"], parts["test"])
    )
    vali = problem(ensemble, (X, y, qid), METRIC)
    test = problem(ensemble, (X_test, y_test, qid_test), METRIC)
    full, n = mddag.compile(ensemble), len(ensemble)
    ways: dict[str, tuple[Callable[[], Any], float, float]] = {
        "all": (lambda: full.scores(X_test), 0.0, n),
        "LightGBM": (lambda: booster.predict(X_test, num_threads=1), 0.0, n),
    }
    for member in MEMBERS:
        policy, lost, trees = cheapest(member, vali, test)
        dag = mddag.compile(ensemble, policy, expected_evaluations=trees)
        run = lambda dag=dag: dag.scores(X_test, qid=qid_test)  # noqa: E731
        ways[repr(member)] = run, lost, trees
    times = {name: [] for name in ways}
    for _ in range(REPEATS):
        for name, (run, _, _) in ways.items():
            began = time.process_time()
            run()
            times[name].append(time.process_time() - began)
    for name, (_, lost, trees) in ways.items():
        per_query = min(times[name]) / len(test.queries) * 1e6
        faster = min(times["all"]) / min(times[name])
        values = n_leaves, size, name, round(lost, 4), round(trees, 1)
        measured = *values, round(per_query, 1), round(faster, 2)
        yield dict(zip(FIELDS, measured, strict=True))


def cheapest(member: Exits, vali: Any, test: Any) -> tuple[Any, float, float]:
    """The policy with the fewest trees within the bound on test queries, its loss and trees."""
    family = member.fit(vali)
    known = settings(family, member.settings, vali)
    found = runs(family, known, test)
    lost, trees = (np.array([r[which].mean() for r in found]) for which in (0, 1))
    at = int(np.where(lost <= BOUND, trees, np.inf).argmin())
    return family.policy(known[at]), float(lost[at]), float(trees[at])


def of_size(qid: np.ndarray, size: int) -> np.ndarray:
    """Query numbers of queries of about so many documents; 35 is as they are."""
    if size == 8:
        return np.arange(len(qid)) // 8
    numbers = np.unique(qid, return_inverse=True)[1]
    return numbers if size == 35 else numbers // 28
