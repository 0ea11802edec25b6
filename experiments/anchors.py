"""The solvers compared with the authors' own program: their stumps, their rows, their settings.

    python experiments/anchors.py            seeds 0 to 19, 10^6 episodes each
    python experiments/anchors.py --quick    3 seeds, 10^5 episodes, to see that it runs

Two clusters, the first 200 stumps of MultiBoost, beta = 0.01, 0-1 loss; the answer of a run is the
best of its 100 snapshots by training reward, reward = accuracy - beta x mean evaluations. Reads
the folder MDDAG_ANCHORS; writes every run to runs.csv and medians to summary.csv. Seconds are of
one core. The authors' program reached train rewards of .8564, .8273 and .8342 (SARSA) in three
runs of 227 to 269 seconds.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
from itertools import product
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from mddag import MDP
from mddag.solvers import Sarsa, WatkinsQ
from mddag.solvers.sarsa import Flat, Growing
from mddag.solvers.values import RadialBasis, Table

BETA = 0.01
N_STUMPS = 200
VALUES = (Table(), Table(n_bins=128, running=False), RadialBasis())
KEYS = ("solver", "values", "exploration")
RUN = (*KEYS, "seed", "train_reward", "test_reward", "test_evaluations", "cpu_seconds")
SUMMARY = (
    *KEYS,
    "n_seeds",
    "median_train_reward",
    "max_train_reward",
    "median_test_reward",
    "median_cpu_seconds",
)


def main() -> None:
    options = read_options()
    if not os.environ.get("MDDAG_ANCHORS"):
        raise SystemExit("set MDDAG_ANCHORS to the folder of the anchors; see CONTRIBUTING.md")
    folder = Path(os.environ["MDDAG_ANCHORS"])
    train, test = (read_mdp(folder, part) for part in ("train", "test"))
    n_seeds, n_episodes = (3, 10**5) if options.quick else (20, 10**6)
    options.out.mkdir(parents=True, exist_ok=True)
    runs = []
    for kind, values, exploration in product((Sarsa, WatkinsQ), VALUES, (Flat(), Growing())):
        names = kind.__name__, str(values), type(exploration).__name__
        for seed in range(n_seeds):
            solver = kind(values, n_episodes, exploration=exploration, random_state=seed)
            runs.append((*names, seed, *measured(solver, train, test)))
        line = summary([run for run in runs if run[:3] == names])
        print("{:9} {:45.45} {:8} {} seeds: {:.4f} max {:.4f} test {:.4f} {:.2f} s".format(*line))
    write(options.out / "runs.csv", RUN, runs)
    groups = dict.fromkeys(run[:3] for run in runs)
    lines = [summary([run for run in runs if run[:3] == group]) for group in groups]
    write(options.out / "summary.csv", SUMMARY, lines)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer seeds and episodes")
    results = Path(__file__).parent / "results" / "anchors"
    parser.add_argument("--out", type=Path, default=results, help="default: %(default)s")
    return parser.parse_args()


def read_mdp(folder: Path, part: str) -> MDP:
    rows = np.load(folder / f"two_{part}.npz")
    stumps = json.loads((folder / "two_stumps.json").read_text())["stumps"][:N_STUMPS]
    return MDP(votes_of(stumps, rows["X"]), (rows["y"] > 0).astype(int), beta=BETA)


def votes_of(stumps: list[dict[str, Any]], X: np.ndarray) -> np.ndarray:
    """h_j(x_i) = alpha_j v_j phi_j(x_i), (n, N)."""
    above = [X[:, s["feature"]] > s["threshold"] for s in stumps]
    weights = [s["alpha"] * s["votes"]["pos"] for s in stumps]
    return np.where(np.transpose(above), weights, np.negative(weights))


def measured(solver: Any, train: MDP, test: MDP) -> tuple[float, float, float, float]:
    """Train reward, test reward, test evaluations, seconds."""
    start = process_time()
    search = solver.search(train)
    seconds = process_time() - start
    value = test.evaluate(search.policy)
    return (
        round(1 - search.best, 6),
        round(1 - value.objective, 6),
        round(value.n_evaluated, 4),
        round(seconds, 2),
    )


def summary(runs: list[Any]) -> tuple[Any, ...]:
    train, test, _, seconds = zip(*(run[4:] for run in runs), strict=True)
    medians = round(median(test), 4), round(median(seconds), 2)
    return (*runs[0][:3], len(runs), round(median(train), 4), round(max(train), 4), *medians)


def write(path: Path, head: tuple[str, ...], lines: list[Any]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(lines)


if __name__ == "__main__":
    main()
