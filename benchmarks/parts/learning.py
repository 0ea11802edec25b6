"""How long `sparsify` learns, by target, loss and classes, and the memory that a loss takes.

    MDDAG_DATA=... python -m benchmarks.parts.learning [--threads 1 2]

10 000 policy rows of electricity (two classes) and of letter in four classes of neighbouring
letters, LightGBM of 500 rounds of 8 leaves: 500 and 2 000 trees. Wall-clock and processor seconds.
Then the peak of allocations (numpy's and Python's; the kernels' scratch is not seen) of the default
solver on 40 000 made rows and 500 trees, in units of the votes, which are counted too. Written to
benchmarks/results/parts/learning.csv.
"""

from __future__ import annotations

import argparse
import tracemalloc
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.datasets import make_classification

import mddag
from benchmarks import data
from benchmarks.clock import wall_and_processor
from benchmarks.places import RESULTS
from benchmarks.table import kept
from mddag.losses import Logistic, ZeroOne
from mddag.solvers import Portfolio

FIELDS = ("data", "knob", "n_jobs", "seconds", "cpu_seconds", "peak_to_votes")
N_POLICY = 10_000
KNOBS: dict[str, dict[str, Any]] = {
    "beta": {"beta": 1e-3},
    "beta, Logistic": {"beta": 1e-3, "loss": Logistic()},
    "max_loss": {"max_loss": 0.005},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    kept(RESULTS / "parts" / "learning.csv", FIELDS, measured(options.threads))


def measured(threads: list[int]) -> Iterator[dict[str, object]]:
    """Rows of the table, as they come."""
    for name in ("electricity", "letter, 4 classes"):
        ensemble, X, y = problem(name)
        for knob, given in KNOBS.items():
            for n_jobs in threads:
                call = partial(mddag.sparsify, ensemble, X, y, n_jobs=n_jobs, **given)
                wall, processor = wall_and_processor(call)
                yield row(name, knob, n_jobs, f"{wall:.1f}", f"{processor:.1f}", "")
    for loss in (ZeroOne(), Logistic()):
        yield row("40 000 made rows", repr(loss), 1, "", "", f"{peak_to_votes(loss):.2f}")


def row(*cells: object) -> dict[str, object]:
    return dict(zip(FIELDS, cells, strict=True))


def problem(name: str) -> tuple[Any, Any, np.ndarray]:
    """The ensemble, and policy rows with their labels."""
    rows = data.read(name.partition(",")[0])
    y = rows.y if name == "electricity" else rows.y * 4 // 26
    shuffled = np.random.default_rng(0).permutation(len(y))
    policy, model = shuffled[:N_POLICY], shuffled[N_POLICY : N_POLICY + 20_000]
    return trained(rows.X[model], y[model]), rows.X[policy], y[policy]


def trained(X: Any, y: np.ndarray) -> mddag.Ensemble:
    model = LGBMClassifier(
        n_estimators=500,
        num_leaves=8,
        n_jobs=1,
        deterministic=True,
        force_col_wise=True,
        verbose=-1,
    )
    return mddag.as_ensemble(model.fit(X, y))


def peak_to_votes(loss: Any) -> float:
    X, y = make_classification(45_000, 50, n_informative=20, flip_y=0.05, random_state=0)
    ensemble = trained(X[:5000], y[:5000])
    tracemalloc.start()
    mdp = mddag.MDP(ensemble.votes(X[5000:]), y[5000:], loss=loss, beta=1e-3)
    tracemalloc.reset_peak()
    Portfolio(random_state=0).solve(mdp)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / mdp.votes.nbytes


if __name__ == "__main__":
    main()
