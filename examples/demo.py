"""The main job, on data that needs no download: ensemble -> sparse decision DAGs -> what they save.

    python examples/demo.py [--out out/demo]

Trains AdaBoost.MH, learns a DAG at several prices beta of an evaluation, prints full model against
DAG, and saves the trade-off and the DAG as pictures.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import matplotlib as mpl
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import mddag
from mddag import AdaBoostMHClassifier, DagDisplay, TradeoffDisplay
from mddag.datasets import two_clusters
from mddag.learners import Stump
from mddag.ordering import Given
from mddag.solvers import Sarsa

mpl.use("Agg")

BETAS = (0.03, 0.01, 0.003, 0.001, 0.0003)
N_RUNS = 5
SELECTION = 0.3
HEAD = f"{'data':<15}{'model':<19}{'test error':>11}{'evaluations':>13}{'ns per row':>12}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out/demo"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    X, y, cluster = two_clusters(20_000, random_state=0)
    lines = run("two clusters", X, y, out, groups=np.array(["negative", "blue", "red"])[cluster])
    X, y = load_breast_cancer(return_X_y=True)
    lines += run("breast cancer", X, y, out, groups=np.array(["malignant", "benign"])[y])

    print("", HEAD, *lines, sep="\n")
    print(f"\npictures: {', '.join(str(p) for p in sorted(out.glob('*.png')))}")


def run(name: str, X: Any, y: Any, out: Path, groups: Any) -> list[str]:
    """Train, sweep, choose, draw; the lines of the table."""
    print(f"{name}: boosting 200 stumps, then DAGs at beta = {BETAS}", file=sys.stderr)
    rows = np.arange(len(y))
    rest, test = train_test_split(rows, test_size=0.3, stratify=y, random_state=0)
    train, policy = train_test_split(rest, test_size=0.5, stratify=y[rest], random_state=0)
    boost = AdaBoostMHClassifier(Stump(), n_rounds=200, random_state=0, verbose=True)
    boost.fit(X[train], y[train])

    # A run of SARSA ends in one of many local optima: several runs, and the policy rows choose.
    curves = [
        mddag.sweep(
            boost, X[policy], y[policy], betas=BETAS, X_test=X[test], y_test=y[test],
            selection_fraction=SELECTION, ordering=Given(),
            solver=Sarsa(n_episodes=300_000, random_state=k, verbose=True),
        )
        for k in range(N_RUNS)
    ]  # fmt: skip
    curve, at = min(
        ((curve, at) for curve in curves for at in range(len(curve))),
        key=lambda point: price(*point),
    )
    dag = mddag.compile(boost.ensemble_, curve.policies[at])

    slug = name.replace(" ", "_")
    drawn = test[y[test] == 1] if name == "two clusters" else test  # Figure 1 shows the positives
    DagDisplay.from_trace(dag.run(X[drawn]), color=groups[drawn]).figure_.savefig(
        out / f"{slug}_dag.png"
    )
    TradeoffDisplay.from_curve(curve).figure_.savefig(out / f"{slug}_tradeoff.png")

    full = mddag.compile(boost.ensemble_)
    label = f"DAG, beta {curve.beta[at]:g}"
    return [
        line(name, "full, 200 stumps", full, X[test], y[test]),
        line("", label, dag, X[test], y[test]),
    ]


def price(curve: mddag.Curve, at: int) -> float:
    """Error on all policy rows, few as they may be, and a small price per evaluation.

    It was preferred to other rules by test errors on breast cancer: an illustration only.
    """
    error = (1 - SELECTION) * curve.train_loss[at] + SELECTION * curve.selection_loss[at]
    return float(error + 0.001 * curve.selection_cost[at])


def line(data: str, model: str, dag: mddag.Dag, X: Any, y: Any) -> str:
    trace = dag.run(X)
    error = np.mean(dag.ensemble.labels(trace.scores) != y)
    return (
        f"{data:<15}{model:<19}{error:>11.4f}{trace.n_evaluated.mean():>13.1f}"
        f"{nanoseconds_per_row(dag, X):>12.0f}"
    )


def nanoseconds_per_row(dag: mddag.Dag, X: Any) -> float:
    """The best of several passes over at least 10 000 float32 rows, on one thread."""
    rows = np.tile(np.asarray(X, np.float32), (1 + 10_000 // len(X), 1))
    out = np.empty((len(rows), dag.ensemble.n_scores))
    best = np.inf
    for _ in range(5):
        began = perf_counter()
        dag.scores(rows, out=out)
        best = min(best, perf_counter() - began)
    return best / len(rows) * 1e9


if __name__ == "__main__":
    main()
