"""What Sarsa and WatkinsQ find, compared with the full ensemble and the best prefix.

    python experiments/solvers.py            10^6 episodes each
    python experiments/solvers.py --quick    fewer rows, stumps and episodes, to see that it runs

Two clusters (200 stumps) and Hastie et al.'s ten Gaussians (300) at five prices beta, with every
value function, exploration and loss of the paper (the exponential loss also at a tenth of the
paper's learning rate: docs/solvers.md says why); 1000 stumps for the time that they take; letter
and MNIST (K = 26 and 10, from the folder MDDAG_DATA) at one price. As in the paper, policies are
learned and chosen on the rows that trained the ensemble; what is reported is of fresh rows. The
value of Eq. (8) is in units of the row's loss. Seconds are of one core.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sklearn.datasets import make_hastie_10_2

from mddag import MDP, AdaBoostMHClassifier, Policy
from mddag.datasets import two_clusters
from mddag.learners import Stump, Tree
from mddag.losses import Exponential, ZeroOne
from mddag.solvers import Sarsa, WatkinsQ
from mddag.solvers.sarsa import Flat, Growing
from mddag.solvers.values import RadialBasis, Table

BETAS = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4)
HEAD = (
    "data",
    "n_classifiers",
    "beta",
    "loss",
    "policy",
    "values",
    "exploration",
    "rate",
    "train_objective",
    "test_objective",
    "test_error",
    "test_evaluations",
    "cpu_seconds",
)


@dataclass
class Problem:
    """An ensemble with its training rows and fresh ones, as votes."""

    name: str
    train: tuple[Any, np.ndarray]
    test: tuple[Any, np.ndarray]

    @classmethod
    def boosted(
        cls, name: str, learner: Any, n_rounds: int, X: Any, y: Any, X_test: Any, y_test: Any
    ) -> Problem:
        ensemble = AdaBoostMHClassifier(learner, n_rounds=n_rounds).fit(X, y).ensemble_
        return cls(name, (ensemble.votes(X), y), (ensemble.votes(X_test), y_test))

    def lines(self, beta: float, loss: Any, solvers: list[Any]) -> Iterator[tuple[Any, ...]]:
        """The full ensemble, the best prefix by training rows, and what the solvers find."""
        mdp = MDP(*self.train, loss=loss, beta=beta)
        key = self.name, mdp.n_steps, beta, type(loss).__name__
        simple = [("full ensemble", mdp.evaluate_all()), ("best prefix", best_prefix(mdp))]
        for name, policy in simple:
            yield *key, name, "", "", "", *self.measured(mdp, policy), ""
        for solver in solvers:
            start = process_time()
            policy = solver.solve(mdp)
            seconds = round(process_time() - start, 2)
            parts = (solver, solver.values, solver.exploration)
            names = [type(part).__name__ for part in parts]
            yield *key, *names, solver.rate, *self.measured(mdp, policy), seconds

    def measured(self, mdp: MDP, policy: Policy) -> tuple[float, float, float, float]:
        """Eq. (8) on training rows; Eq. (8), error and evaluations on fresh ones."""
        test = MDP(*self.test, loss=mdp.loss, beta=mdp.beta)
        value = test.evaluate(policy)
        error = MDP(*self.test).evaluate(policy).loss
        numbers = mdp.evaluate(policy).objective, value.objective, error
        return *(round(number, 5) for number in numbers), round(value.n_evaluated, 3)


def main() -> None:
    options = read_options()
    options.out.mkdir(parents=True, exist_ok=True)
    with (options.out / "solvers.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEAD)
        for line in all_lines(options.quick):
            writer.writerow(line)
            file.flush()
            print(*line)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rows, stumps and episodes")
    results = Path(__file__).parent / "results" / "solvers"
    parser.add_argument("--out", type=Path, default=results, help="default: %(default)s")
    return parser.parse_args()


def all_lines(quick: bool) -> Iterator[tuple[Any, ...]]:
    shrink = 10 if quick else 1
    n_episodes = 10**6 // shrink
    everything = list(product((Table(), RadialBasis()), (Flat(), Growing())))
    rates = {ZeroOne(): (0.2,), Exponential(): (0.2, 0.02)}
    for problem in (clusters(4000 // shrink, 200 // shrink), hastie(6000 // shrink, 300 // shrink)):
        for beta, loss in product(BETAS, rates):
            yield from problem.lines(beta, loss, solvers(everything, n_episodes, rates[loss]))
    large = clusters(4000 // shrink, 1000 // shrink)
    yield from large.lines(1e-3, ZeroOne(), solvers(everything, n_episodes))
    if os.environ.get("MDDAG_DATA"):
        tables = [(Table(128, running=False), exploration) for exploration in (Flat(), Growing())]
        for problem in (letter(5000 // shrink), mnist(5000 // shrink)):
            yield from problem.lines(3e-3, ZeroOne(), solvers(tables, n_episodes))


def solvers(parts: list[Any], n_episodes: int, rates: tuple[float, ...] = (0.2,)) -> list[Any]:
    return [
        kind(values, n_episodes, rate=rate, exploration=exploration, random_state=0)
        for rate, kind in product(rates, (Sarsa, WatkinsQ))
        for values, exploration in parts
    ]


def best_prefix(mdp: MDP) -> Policy:
    """By Eq. (8) on the rows of the MDP."""
    prefixes = (Policy.prefix(j, mdp.n_steps, mdp.grid) for j in range(mdp.n_steps + 1))
    return min(prefixes, key=lambda policy: mdp.evaluate(policy).objective)


def clusters(n: int, n_rounds: int) -> Problem:
    X, y, _ = two_clusters(n, random_state=0)
    X_test, y_test, _ = two_clusters(5 * n, random_state=1)
    return Problem.boosted("two clusters", Stump(), n_rounds, X, y, X_test, y_test)


def hastie(n: int, n_rounds: int) -> Problem:
    X, sign = make_hastie_10_2(3 * n, random_state=0)
    y = (sign > 0).astype(int)
    return Problem.boosted("hastie", Stump(), n_rounds, X[:n], y[:n], X[n:], y[n:])


def letter(n: int) -> Problem:
    X, y, is_test = data().letter()
    train = np.flatnonzero(~is_test)[:n]
    rows = X[train], y[train], X[is_test], y[is_test]
    return Problem.boosted("letter", Tree(n_leaves=8), 100, *rows)


def mnist(n: int) -> Problem:
    X, y, X_test, y_test = data().mnist()
    flat, flat_test = X[:n].reshape(n, -1), X_test.reshape(len(X_test), -1)
    return Problem.boosted("mnist", Tree(n_leaves=8), 100, flat, y[:n], flat_test, y_test)


def data() -> Any:
    """The loaders of the data folder."""
    sys.path.insert(0, os.environ["MDDAG_DATA"])
    import load

    return load


if __name__ == "__main__":
    main()
