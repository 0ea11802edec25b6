"""Descent compared with the authors' program, and on Hastie-10 compared with the best prefix.

    python experiments/descent.py            all seeds
    python experiments/descent.py --quick    one seed, few starts, to see that it runs

Base classifiers are taken in the Correlation order of the training rows. Two rules choose among
candidates: "own", by the rows that were learned from, as the authors did; "held", by a quarter of
the training rows that was not. Neither sees test rows.

anchors.csv   : MultiBoost's first 200 stumps on its rows (the folder MDDAG_ANCHORS); reward is
                accuracy - beta x mean evaluations, 1 - Eq. (8)
default.csv   : the default solver, `Portfolio`, on the same stumps and rows
hastie.csv    : 300 exact stumps of AdaBoostMHClassifier on 6000 rows of make_hastie_10_2, beta
                .001, 50 000 test rows; ratio is Eq. (8) over that of the best prefix in the given
                order, chosen by the training rows
"""

from __future__ import annotations

import argparse
import csv
import json
import os
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sklearn.datasets import make_hastie_10_2

from mddag import MDP, AdaBoostMHClassifier, as_ensemble
from mddag._utils.arrays import stratified
from mddag.learners import Stump
from mddag.policy import Correlation, Given
from mddag.policy.arrangement import arranged
from mddag.policy.grid import Grid
from mddag.policy.policy import Policy
from mddag.solvers import Descent, Portfolio

N_STUMPS, N_TRAIN, N_TEST = 200, 6000, 50_000
# data, beta, rule, explorations
ANCHORS = (
    ("two", 0.01, "own", 32),
    ("two", 0.001, "own", 32),
    ("hastie", 0.001, "own", 4),
    ("hastie", 0.001, "held", 4),
    ("two", 0.01, "held", 32),
)
ANCHOR_HEAD = "data,beta,rule,n_starts,seed,train_reward,test_reward,test_evaluations,cpu_seconds"
DEFAULTS = (("two", 0.01), ("two", 0.001), ("hastie", 0.001))
DEFAULT_HEAD = "data,beta,seed,test_reward,test_evaluations,cpu_seconds"
HASTIE_HEAD = (
    "seed,order,targets,rule,test_objective,prefix_objective,ratio,evaluations,cpu_seconds"
)


def main() -> None:
    options = read_options()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.part in ("hastie", "both"):
        runs = [run for seed in range(1 if options.quick else 3) for run in hastie_runs(seed)]
        write(options.out / "hastie.csv", HASTIE_HEAD, runs)
    if options.part in ("anchors", "both"):
        write(options.out / "anchors.csv", ANCHOR_HEAD, anchor_runs(options.quick))
    if options.part in ("default", "both"):
        write(options.out / "default.csv", DEFAULT_HEAD, default_runs(options.quick))


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one seed, few starts")
    parser.add_argument("--part", choices=("hastie", "anchors", "default", "both"), default="both")
    results = Path(__file__).parent / "results" / "descent"
    parser.add_argument("--out", type=Path, default=results, help="default: %(default)s")
    return parser.parse_args()


def anchor_runs(quick: bool) -> list[tuple[Any, ...]]:
    if not os.environ.get("MDDAG_ANCHORS"):
        raise SystemExit("set MDDAG_ANCHORS to the folder of the anchors; see CONTRIBUTING.md")
    runs = []
    for data, beta, rule, n_starts in ANCHORS:
        for seed in range(1 if quick else 5):
            runs.append(anchor_run(data, beta, rule, 4 if quick else n_starts, seed))
            print(*runs[-1], flush=True)
    return runs


def default_runs(quick: bool) -> list[tuple[Any, ...]]:
    folder, runs = Path(os.environ["MDDAG_ANCHORS"]), []
    for data, beta in DEFAULTS:
        train, test = (read_mdp(folder, data, part, beta) for part in ("train", "test"))
        for seed in range(1 if quick else 5):
            start = process_time()
            policy = Portfolio(random_state=seed).solve(train)
            seconds, value = round(process_time() - start, 2), test.evaluate(policy)
            found = round(1 - value.objective, 4), round(value.n_evaluated, 2)
            runs.append((data, beta, seed, *found, seconds))
            print(*runs[-1], flush=True)
    return runs


def anchor_run(data: str, beta: float, rule: str, n_starts: int, seed: int) -> tuple[Any, ...]:
    folder = Path(os.environ["MDDAG_ANCHORS"])
    train, test = (read_mdp(folder, data, part, beta) for part in ("train", "test"))
    train, test = in_order(Correlation(), train, test)
    solver = Descent(n_starts=n_starts, random_state=seed)
    policy, seconds = learned(solver, train, rule, seed)
    value = test.evaluate(policy)
    rewards = (round(1 - mdp.evaluate(policy).objective, 4) for mdp in (train, test))
    evaluations = round(value.n_evaluated, 2)
    return data, beta, rule, n_starts, seed, *rewards, evaluations, round(seconds, 2)


def read_mdp(folder: Path, data: str, part: str, beta: float) -> MDP:
    rows = np.load(folder / f"{data}_{part}.npz")
    stumps = json.loads((folder / f"{data}_stumps.json").read_text())["stumps"][:N_STUMPS]
    above = [rows["X"][:, s["feature"]] > s["threshold"] for s in stumps]
    weights = [s["alpha"] * s["votes"]["pos"] for s in stumps]
    votes = np.where(np.transpose(above), weights, np.negative(weights))
    return MDP(votes, (rows["y"] > 0).astype(int), beta=beta)


def in_order(ordering: Any, train: MDP, test: MDP) -> tuple[MDP, MDP]:
    """Both in the order of the training rows, on a grid of their partial sums."""
    arrangement = arranged(ordering, train.votes)
    grid = Grid.uniform(arrangement.votes(train.votes))
    return train.arranged(arrangement, grid), test.arranged(arrangement, grid)


def learned(solver: Descent, train: MDP, rule: str, seed: int) -> tuple[Policy, float]:
    """The policy by one of the two rules, and the seconds of one core."""
    start = process_time()
    if rule == "own":
        policy = solver.solve(train)
    else:
        held = stratified(train.labels, 0.25, np.random.default_rng(seed))
        rest = np.setdiff1d(np.arange(train.n_rows), held)
        policy = solver.solve(train.rows(rest), train.rows(held))
    return policy, process_time() - start


def hastie_runs(seed: int) -> list[tuple[Any, ...]]:
    train, test = hastie(seed)
    prefix = prefix_objective(train, test)
    runs = []
    for ordering, targets, rule in (
        (Given(), "labels", "held"),
        (Correlation(), "labels", "held"),
        (Correlation(), "model", "held"),
        (Correlation(), "labels", "own"),
    ):
        learning, testing = in_order(ordering, train, test)
        solver = Descent(n_starts=4, targets=targets, random_state=seed)
        policy, seconds = learned(solver, learning, rule, seed)
        value = testing.evaluate(policy)
        numbers = round(value.objective, 4), round(prefix, 4), round(value.objective / prefix, 4)
        names = seed, type(ordering).__name__, targets, rule
        runs.append((*names, *numbers, round(value.n_evaluated, 1), round(seconds, 2)))
        print(*runs[-1], flush=True)
    return runs


def hastie(seed: int) -> tuple[MDP, MDP]:
    X, y = make_hastie_10_2(N_TRAIN + N_TEST, random_state=seed)
    y = (y > 0).astype(int)
    boost = AdaBoostMHClassifier(Stump(), n_rounds=300, random_state=0)
    ensemble = as_ensemble(boost.fit(X[:N_TRAIN], y[:N_TRAIN]))
    parts = slice(0, N_TRAIN), slice(N_TRAIN, None)
    train, test = (MDP(ensemble.votes(X[rows]), y[rows], beta=1e-3) for rows in parts)
    return train, test


def prefix_objective(train: MDP, test: MDP) -> float:
    """Eq. (8) on test of the best prefix by the training rows."""

    def values(mdp: MDP) -> Any:
        scores = mdp.votes.tables.bias[0] + np.cumsum(mdp.votes.dense()[:, :, 0], axis=1)
        wrong = (scores > 0) != mdp.labels[:, None]
        return wrong.mean(axis=0) + mdp.beta * np.arange(1, mdp.n_steps + 1)

    return float(values(test)[values(train).argmin()])


def write(path: Path, head: str, lines: list[Any]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head.split(","))
        writer.writerows(lines)


if __name__ == "__main__":
    main()
