"""How long the default solver takes, and how much memory: 500 trees of 8 leaves.

    python -m benchmarks.parts.portfolio

One price, and a path of ten, on two threads and on one; wall-clock and CPU seconds; the peak of
allocations beside the bytes of the votes (numpy's and Python's; the kernels' scratch is not seen).
Writes benchmarks/results/parts/portfolio.csv.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import lightgbm
import numpy as np
from sklearn.datasets import make_classification

import mddag
from benchmarks.clock import wall_and_processor
from benchmarks.places import RESULTS
from benchmarks.table import kept
from mddag.solvers import Portfolio

FIELDS = ("n_rows", "n_prices", "n_jobs", "seconds", "cpu_seconds", "peak_to_votes")
PRICES = np.geomspace(1e-2, 1e-5, 10).tolist()


def main() -> None:
    kept(RESULTS / "parts" / "portfolio.csv", FIELDS, measured())


def measured() -> Iterator[dict[str, object]]:
    """Rows of the table, as they come."""
    X, y = make_classification(40_000, 50, n_informative=20, flip_y=0.05, random_state=0)
    model = lightgbm.LGBMClassifier(n_estimators=500, num_leaves=8, n_jobs=2, verbose=-1)
    votes = mddag.as_ensemble(model.fit(X[:20_000], y[:20_000])).votes(X[20_000:])
    for n_rows, prices, n_jobs in runs():
        mdp = mddag.MDP(votes.rows(slice(n_rows)), y[20_000 : 20_000 + n_rows], beta=1e-4)
        numbers = timed(mdp, prices, n_jobs)
        peak = peak_memory(mdp) / mdp.votes.nbytes if len(prices) == 1 else ""
        cells = (n_rows, len(prices), n_jobs, *numbers, peak and f"{peak:.1f}")
        yield dict(zip(FIELDS, cells, strict=True))


def runs() -> list[tuple[int, list[float], int]]:
    one = [(n, [1e-4], 2) for n in (5_000, 10_000, 20_000)]
    return [*one, (20_000, [1e-4], 1), (20_000, PRICES, 2)]


def timed(mdp: mddag.MDP, prices: list[float], n_jobs: int) -> tuple[str, str]:
    portfolio = Portfolio(random_state=0, n_jobs=n_jobs)
    wall, processor = wall_and_processor(lambda: portfolio.solve_path(mdp, prices))
    return f"{wall:.1f}", f"{processor:.1f}"


def peak_memory(mdp: mddag.MDP) -> float:
    tracemalloc.start()
    Portfolio(random_state=0, n_jobs=2).solve(mdp)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return float(peak)


if __name__ == "__main__":
    main()
