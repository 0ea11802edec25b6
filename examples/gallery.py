"""Draw the pictures of docs/gallery.md, or of the same gallery in the folder given."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import mddag
from mddag import AdaBoostMHClassifier
from mddag.datasets import two_clusters
from mddag.mdp import MDP
from mddag.solvers import Sarsa
from mddag.tradeoff import sweep_policies

FOLDER = Path(__file__).parents[1] / "docs" / "gallery"


def main(folder: Path) -> None:
    mpl.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    X, y, cluster = two_clusters(random_state=0)
    ensemble = AdaBoostMHClassifier(n_rounds=200, random_state=0).fit(X, y).ensemble_
    votes = ensemble.votes(X)

    few = Sarsa(random_state=0).solve(MDP(votes, y, beta=0.01))
    never_quit = MDP(votes, y, beta=1e-5, actions=("eval", "skip"))
    many = Sarsa(n_episodes=10**5, random_state=0).solve(never_quit)
    positive, names = y == 1, np.array(["negative", "blue", "red"])[cluster]
    pictures = {
        "dag": dag(ensemble, few, X[positive], names[positive]),
        "dag_many": dag(ensemble, many, X[positive], names[positive]),
        "path": path(ensemble, few, X[positive], names[positive]),
        "tradeoff": tradeoff(ensemble, X, y),
    }
    for name, display in pictures.items():
        display.figure_.savefig(folder / f"{name}.png", dpi=80)
        print(folder / f"{name}.png")


def dag(ensemble: mddag.Ensemble, policy: Any, X: np.ndarray, names: np.ndarray) -> Any:
    trace = mddag.compile(ensemble, policy).run(X)
    return mddag.DagDisplay.from_trace(trace, color=names, n_classifiers=len(ensemble))


def path(ensemble: mddag.Ensemble, policy: Any, X: np.ndarray, names: np.ndarray) -> Any:
    trace = mddag.compile(ensemble, policy).run(X)
    return mddag.PathDisplay.from_trace(trace, X=X, groups=names)


def tradeoff(ensemble: mddag.Ensemble, X: np.ndarray, y: np.ndarray) -> Any:
    X_test, y_test, _ = two_clusters(20_000, random_state=1)
    votes, test_votes = ensemble.votes(X), ensemble.votes(X_test)
    curve = sweep_policies(
        lambda beta: MDP(votes, y, beta=beta),
        Sarsa(random_state=0),
        np.geomspace(1e-4, 0.1, 7),
        test=lambda beta: MDP(test_votes, y_test, beta=beta),
    )
    print(curve)
    return mddag.TradeoffDisplay.from_curve(curve)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
