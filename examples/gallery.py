"""Draw the pictures of docs/gallery.md anew."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier

import mddag
from mddag import AdaBoostMHClassifier, Dag, MDDAGClassifier
from mddag.datasets import two_clusters
from mddag.ordering import Given
from mddag.solvers import Sarsa

FOLDER = Path(__file__).parents[1] / "docs" / "gallery"


def main(folder: Path) -> None:
    mpl.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    X, y, cluster = two_clusters(random_state=0)
    boost = AdaBoostMHClassifier(n_rounds=200, random_state=0).fit(X, y)
    few = {"beta": 0.01, "solver__random_state": 0}
    never_quit = {"actions": ("eval", "skip"), "solver__n_episodes": 10**5}
    many = few | never_quit | {"beta": 3e-4}
    sparse, dense = (MDDAGClassifier.paper(boost, **how).fit(X, y).dag_ for how in (few, many))
    positive, names = y == 1, np.array(["negative", "blue", "red"])[cluster]
    pictures = {
        "dag": draw_dag(sparse, X[positive], names[positive]),
        "dag_many": draw_dag(dense, X[positive], names[positive]),
        "path": draw_paths(sparse, X[positive], names[positive]),
        "tradeoff": draw_tradeoff(boost),
        **draw_500_trees(),
    }
    for name, display in pictures.items():
        display.figure_.savefig(folder / f"{name}.png", dpi=80)
        print(folder / f"{name}.png")


def draw_dag(dag: Dag, X: np.ndarray, names: np.ndarray) -> Any:
    return mddag.DagDisplay.from_trace(dag.run(X), color=names, n_classifiers=len(dag.ensemble))


def draw_paths(dag: Dag, X: np.ndarray, names: np.ndarray) -> Any:
    return mddag.PathDisplay.from_trace(dag.run(X), X=X, groups=names)


def draw_500_trees() -> dict[str, Any]:
    """The river of a chain of 500 trees, and one of its rows explained."""
    X, y = make_classification(14_000, 20, n_informative=8, flip_y=0.03, random_state=0)
    names = np.where(y == 1, "positive", "negative")
    trees = HistGradientBoostingClassifier(max_iter=500, max_leaf_nodes=8, early_stopping=False)
    trees.fit(X[:4000], names[:4000])
    model = mddag.sparsify(trees, X[4000:9000], names[4000:9000], beta=1e-4, random_state=0)
    rows, labels = X[9000:], names[9000:]
    trace = model.trace(rows)
    hard = int(np.argsort(trace.n_evaluated, kind="stable")[int(0.9 * len(rows))])
    river = mddag.DagDisplay.from_trace(trace, color=labels, n_classifiers=500)
    return {"dag_500": river, "explanation": model.explain(rows[hard]).plot()}


def draw_tradeoff(boost: AdaBoostMHClassifier) -> Any:
    X, y, _ = two_clusters(random_state=1)  # rows that the model has not seen
    X_test, y_test, _ = two_clusters(20_000, random_state=2)
    betas = np.geomspace(1e-4, 0.1, 7)
    paper = {"ordering": Given(), "solver": Sarsa()}
    curve = mddag.sweep(boost, X, y, betas=betas, X_test=X_test, y_test=y_test, **paper)
    print(curve)
    return mddag.TradeoffDisplay.from_curve(curve)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER, help="default: %(default)s")
    main(parser.parse_args().out)
