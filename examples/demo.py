"""A LightGBM model of 500 trees made sparse: what it gains, on data that needs no download.

    python examples/demo.py [--out out/demo]

Part 1, the product: train, `sparsify`, compare error and time with the full model, save the model
file and pictures. Part 2, the paper: two clusters of positives, 200 stumps, SARSA, Figure 1.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter
from typing import Any

import matplotlib as mpl
import numpy as np
from lightgbm import LGBMClassifier
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

import mddag
from mddag import AdaBoostMHClassifier, DagDisplay, MDDAGClassifier
from mddag.datasets import two_clusters
from mddag.learners import Stump

mpl.use("Agg")

BETAS = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5)
HEAD = f"{'':<26}{'error':>8}{'evaluations':>13}{'ns per row':>12}{'us, one row':>13}"
SINGLE_ROWS = 300
REPEATS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out/demo"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    lightgbm_made_sparse(out)
    two_clusters_by_the_paper(out)
    print("\nWritten:", *(f"  {path}" for path in sorted(out.iterdir())), sep="\n")


def lightgbm_made_sparse(out: Path) -> None:
    X, y = make_classification(
        60_000, 20, n_informative=8, n_redundant=4, n_clusters_per_class=4, flip_y=0.01,
        random_state=0,
    )  # fmt: skip
    X_train, X_policy, X_test = X[:20_000], X[20_000:30_000], X[30_000:]
    y_train, y_policy, y_test = y[:20_000], y[20_000:30_000], y[30_000:]

    step("LightGBM learns 500 trees on 20 000 rows")
    model = LGBMClassifier(n_estimators=500, n_jobs=1, verbose=-1).fit(X_train, y_train)
    step("sparsify: at most 0.5 points of accuracy may be lost, by 10 000 other rows")
    fast = mddag.sparsify(model, X_policy, y_policy, max_loss=0.005, n_jobs=-1)
    step(f"sweep: error against evaluations at {len(BETAS)} prices of an evaluation")
    some = slice(4000)
    curve = mddag.sweep(
        model, X_policy[some], y_policy[some], betas=BETAS, X_test=X_test, y_test=y_test, n_jobs=-1
    )
    print(f"\n{fast}\n", HEAD, sep="\n")
    fast.save(out / "model.mddag")
    served = mddag.load(out / "model.mddag")

    rows = np.asarray(X_test, np.float32)
    lightgbm = lambda X: model.booster_.predict(X, num_threads=1) > 0.5  # noqa: E731
    line("full model, LightGBM", lightgbm, lambda x: lightgbm(x[None]), rows, y_test, 500)
    everything = mddag.compile(mddag.as_ensemble(model))
    full = lambda X: everything.scores(X)[:, 0] > 0  # noqa: E731
    line("full model, mddag", full, lambda x: full(x[None]), rows, y_test, 500)
    evaluated = served.run(rows).n_evaluated.mean()
    line("sparse, mddag", served.predict, served.predict_one, rows, y_test, evaluated)
    curve.plot().figure_.savefig(out / "tradeoff.png")
    DagDisplay.from_trace(fast.trace(X_test), color=y_test).figure_.savefig(out / "dag.png")
    fast.report(out / "report.html", X_test, y_test, curve=curve)


def two_clusters_by_the_paper(out: Path) -> None:
    """Section 3.1: few evaluations suffice, and the two clusters of positives part ways."""
    step("\nthe paper: AdaBoost.MH and SARSA on two clusters of positives")
    X, y, cluster = two_clusters(20_000, random_state=0)
    train, test = train_test_split(np.arange(len(y)), test_size=0.3, random_state=0)
    boost = AdaBoostMHClassifier(Stump(), n_rounds=200, random_state=0)
    model = MDDAGClassifier.paper(boost, beta=0.01, random_state=0).fit(X[train], y[train])
    full = np.mean(model.ensemble_.labels(model.ensemble_.scores(X[test])) != y[test])
    sparse, evaluated = 1 - model.score(X[test], y[test]), model.n_evaluated(X[test]).mean()
    print(f"error {full:.3f} by all 200 stumps, {sparse:.3f} by {evaluated:.1f} of them")
    positives = test[y[test] == 1]
    groups = np.array(["", "first cluster", "second cluster"])[cluster[positives]]
    DagDisplay.from_trace(model.trace(X[positives]), color=groups).figure_.savefig(
        out / "two_clusters.png"
    )


def line(name: str, batch: Any, one: Any, X: Any, y: Any, evaluations: float) -> None:
    """A line of the table; times are the best of several passes on one thread."""
    error = np.mean(batch(X) != y)
    in_batches = best_time(lambda: batch(X)) / len(X) * 1e9
    alone = best_time(lambda: [one(x) for x in X[:SINGLE_ROWS]]) / SINGLE_ROWS * 1e6
    print(f"{name:<26}{error:>8.4f}{evaluations:>13.1f}{in_batches:>12.0f}{alone:>13.1f}")


def best_time(work: Any) -> float:
    times = []
    for _ in range(REPEATS):
        began = perf_counter()
        work()
        times.append(perf_counter() - began)
    return min(times)


def step(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
