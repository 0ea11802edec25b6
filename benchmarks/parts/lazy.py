"""What does waiting for features cost by itself? The lazy engine, with a fetch that takes no time.

    python -m benchmarks.parts.lazy [--repeats 15]

One thread, 300 stumps that read one of 10 groups each, group after group, all bought by every row:
as many waves as groups. Time is the process's own, the median of the repeats; fetching (slices
of a matrix) is timed by itself and taken off. Prints microseconds for each row and wave.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import mddag
from benchmarks.clock import turns
from benchmarks.table import line, markdown
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor

N_GROUPS, SIZE, N_TREES = 10, 5, 300
N_ROWS = (1, 10, 100, 1000, 10_000)
HEAD = ("rows at once", "waves", "us per row and wave", "us per call of predict, all known")


def model() -> Predictor:
    """Groups are wanted one after the other, each by thirty trees."""
    rng = np.random.default_rng(0)

    def tree(t: int):
        group = t * N_GROUPS // N_TREES
        made, column = TreeBuilder(), group * SIZE + t % SIZE
        leaves = made.leaf(rng.normal(size=1)), made.leaf(rng.normal(size=1))
        return made.finish(made.split(column, rng.normal(), *leaves, missing_left=True))

    trees = [tree(t) for t in range(N_TREES)]
    features = Features(N_GROUPS * SIZE)
    ensemble = Ensemble.from_trees(trees, features=features, classes=[0, 1])
    groups = {f"g{g}": list(range(g * SIZE, (g + 1) * SIZE)) for g in range(N_GROUPS)}
    return Predictor(Model(mddag.compile(ensemble))).with_prices(None, groups)


def measured(predictor: Predictor, n: int, n_repeats: int) -> tuple[object, ...]:
    X = np.random.default_rng(1).normal(size=(n, predictor.n_features_in_))
    slices = {f"g{g}": slice(g * SIZE, (g + 1) * SIZE) for g in range(N_GROUPS)}

    def fetch(group: str, rows: np.ndarray) -> np.ndarray:
        return X[rows, slices[group]]

    rows = np.arange(n)
    calls = [
        lambda: predictor.predict_lazy(fetch, n_rows=n),
        lambda: [fetch(group, rows) for group in slices],
        lambda: predictor.predict(X),
    ]
    lazy, fetched, known = np.median(turns(calls, n_repeats, time.process_time), axis=0)
    found = predictor.predict_lazy(fetch, n_rows=n, return_details=True)
    assert np.array_equal(found.predictions, predictor.predict(X))
    overhead = (lazy - fetched - known) / n / found.n_rounds
    return n, found.n_rounds, f"{1e6 * overhead:.2f}", f"{1e6 * known:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=15)
    n_repeats = parser.parse_args().repeats
    predictor = model()
    print(*markdown(HEAD, []), sep="\n")
    for n in N_ROWS:
        print(line(measured(predictor, n, n_repeats)), flush=True)


if __name__ == "__main__":
    main()
