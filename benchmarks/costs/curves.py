"""Curves: error and mean feature cost of every method at every strength of its target, per seed.

Scores of every set's model on all rows are kept in OUT between runs: training models of sets is
most of the work; what is learned from their scores afterwards (waves, members, prices of a round
trip) is then quick.

Baselines are what an engineer would build instead: one smaller model, a penalized model, a cascade
by hand. Static subsets and cascades share the models of feature sets with ``acquire``; their
subsets, stages and thresholds are the best of the rows that it learns from (and again of policy
rows alone), by labels or by the full model. Static subsets are once all sets, once those of greedy
chains, among which chance picks less. LightGBM's own penalties (CEGB) train a model for each
strength; a row then pays for the groups that its own paths read ("lazy"), or for all that the model
reads ("coupled").
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightgbm as lgb
import numpy as np

import mddag
from benchmarks.costs.price_lists import Problem, problem
from benchmarks.places import OUT
from mddag.acquisition.dag import set_dag
from mddag.acquisition.feature_sets import FeatureSets
from mddag.acquisition.front import SetFront
from mddag.acquisition.rows import SetScores, SplitRows
from mddag.acquisition.search import Cascades
from mddag.ensemble.costs import read_groups
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.ensemble.features import Features
from mddag.ensemble.tasks import Classification
from mddag.tuning.targets import target_of

SETTINGS = {"n_estimators": 60, "num_leaves": 16, "n_jobs": 1, "verbose": -1, "random_state": 0}
FOLDER = OUT / "costs" / "taught"


@dataclass(frozen=True, eq=False)
class Scored:
    """Rows of a problem with their scores in every set; all have labels.

    taught : policy rows, and training rows with cross-fitted scores
    """

    policy: SetScores
    taught: SetScores
    test: SetScores

    @property
    def chains(self) -> list[list[int]]:
        """Chains of sets, where round trips cost nothing."""
        return self.taught.sets.chains(self.taught.risks())


def fitted(given: Problem, seed: int) -> tuple[SetFront, mddag.Ensemble, Any]:
    """What ``acquire`` chooses from, the full model, and test rows as it reads them."""
    (X, y), (X_test, _) = given.train, given.test
    model = lgb.LGBMClassifier(**SETTINGS).fit(X, y)
    ensemble = mddag.as_ensemble(model)
    prices = FeaturePrices.of(ensemble.features, given.costs, given.groups)
    random = np.random.RandomState(seed)
    rows = SplitRows(model, ensemble, *given.policy, X, y, random)
    target = target_of(beta=0.01).measured(ensemble.task)
    found = SetFront.learned(rows, prices, np.empty(0, np.intp), target, seed)
    return found, ensemble, ensemble.features.rows(X_test)


def scored(name: str, seed: int, folder: Path = FOLDER) -> Scored:
    """The rows of a set and seed, from the folder where they are there."""
    given, file = problem(name, seed), folder / f"{name}-{seed}.npz"
    if not file.exists():
        found, ensemble, rows = fitted(given, seed)
        keep(name, seed, found, found.models.scores(rows, ensemble.bias), folder)
    kept = np.load(file)
    features = Features(given.train[0].shape[1])
    sets = FeatureSets(FeaturePrices.of(features, given.costs, given.groups), kept["held"])
    task = Classification()
    taught = SetScores.of(sets, kept["taught"], kept["labels"], task)
    policy = taught.rows(np.arange(len(given.policy[1])))
    test = SetScores(sets, kept["test"], np.asarray(given.test[1], np.intp), task)
    return Scored(policy, taught, test)


def keep(
    name: str, seed: int, found: SetFront, test_scores: np.ndarray, folder: Path = FOLDER
) -> None:
    """Write the scores of all rows in every set."""
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f"{name}-{seed}.part.npz"
    held, taught, labels = found.models.sets.held, found.learned_on.scores, found.learned_on.labels
    np.savez(unfinished, held=held, taught=taught, labels=labels, test=test_scores)
    unfinished.rename(folder / f"{name}-{seed}.npz")


PENALTIES = {"lazy": np.geomspace(2e-4, 2e-2, 4), "coupled": np.geomspace(0.3, 30, 5)}
Reading = tuple[float, float, float, float]  # error, cost, waves, macro-F1


def static_and_cascades(
    policy: SetScores, chains: list[list[int]], seed: int
) -> dict[str, Cascades]:
    """Static subsets, and cascades tuned on labels and on the full model."""
    losses = policy.losses()
    sample = policy.sample(losses["softened labels"], seed)
    wrong = np.asarray(policy.predictions != policy.truth[:, None], np.float64)
    singles = [[s] for s in range(len(policy.sets))]
    on_chains = [[s] for s in sorted({s for chain in chains for s in chain})]
    return {
        "static": Cascades.of(sample, wrong, singles),
        "static, chains": Cascades.of(sample, wrong, on_chains),
        "cascade, labels": Cascades.of(sample, wrong, chains),
        "cascade, teacher": Cascades.of(sample, losses["full model"], chains),
    }


def tuned(cascades: Cascades, beta: float) -> Any:
    """The policy that is best on all policy rows at a price."""
    total = (cascades.losses + beta * cascades.costs).sum(axis=1)
    return cascades.policy(int(np.argmin(total)))


def penalised(problem: Problem, prices: FeaturePrices, settings: dict[str, Any]) -> Iterator[Any]:
    """LightGBM with penalties: kind, strength, labels and costs of the test rows."""
    (X, y), (X_test, _) = problem.train, problem.test
    share = np.zeros(X.shape[1])
    for group, columns in problem.groups.items():
        share[columns] += problem.costs[group] / len(columns)
    for kind, strengths in PENALTIES.items():
        for strength in strengths.tolist():
            penalty = {f"cegb_penalty_feature_{kind}": (strength * share).tolist()}
            model = lgb.LGBMClassifier(**settings, **penalty).fit(X, y)
            ensemble = mddag.as_ensemble(model)
            read = read_groups(prices, ensemble).any(axis=0)
            groups = np.tile(read, (len(X_test), 1))
            if kind == "lazy":
                groups = path_groups(ensemble, prices, X_test)
            cost = prices.closed(groups) @ prices.costs
            yield kind, strength, model.predict(X_test), cost


def path_groups(ensemble: Any, prices: FeaturePrices, X: np.ndarray) -> np.ndarray:
    """The groups that the paths of each row read, (n, G)."""
    group, nodes = prices.group_of(X.shape[1]), ensemble.nodes
    found = np.zeros((len(X), prices.n_groups), bool)
    rows = np.arange(len(X))
    for first in ensemble.starts[:-1]:
        at = np.zeros(len(X), np.int64)
        inner = np.ones(len(X), bool)
        while inner.any():
            here = rows[inner]
            node = nodes[first + at[here]]
            split = node["feature"] >= 0
            inner[here[~split]] = False
            here, node = here[split], node[split]
            found[here, group[node["feature"]]] = True
            left = X[here, node["feature"]] <= node["threshold"]
            at[here] = np.where(left, node["left"], node["right"])
    return found


FIELDS = [
    "set",
    "seed",
    "method",
    "knob",
    "strength",
    "member",
    "error",
    "cost",
    "waves",
    "macro_f1",
]
STRENGTHS = np.geomspace(0.008, 4.0, 18) * 0.2  # beta in units of the full price


Row = dict[str, Any]


def measure(problem: Problem, seed: int, before: Sequence[Row] = ()) -> list[Row]:
    """All methods on one seed of a data set; penalised models are taken from `before` if there."""
    began = time.process_time()
    found, ensemble, rows = fitted(problem, seed)
    trained = time.process_time() - began
    scores = found.models.scores(rows, ensemble.bias)
    test = SetScores(found.models.sets, scores, None, ensemble.task)
    keep(problem.name, seed, found, test.scores)
    y_test = problem.test[1]
    table = _Table(problem.name, seed, y_test)
    full_cost = float(found.models.sets.cost[-1])
    table.add("full", 0, 0.0, "", test.predictions[:, -1], np.full(len(y_test), full_cost), 1.0)
    betas = STRENGTHS / full_cost
    table.ours(found, test, betas)
    searched = time.process_time() - began - trained
    _check_dag(found, ensemble, test, rows, float(betas[9]))
    for policy, suffix in ((found.learned_on, ""), (found.rows, ", policy rows")):
        for method, cascades in static_and_cascades(
            policy, policy.sets.chains(policy.risks()), seed
        ).items():
            for k, beta in enumerate(betas.tolist()):
                table.followed(method + suffix, k, beta, "", tuned(cascades, beta), test)
    table.rows += [row for row in before if row["method"].startswith("CEGB")]
    if not before:
        found_by = enumerate(penalised(problem, test.sets.prices, SETTINGS))
        for k, (kind, strength, labels, cost) in found_by:
            table.add(f"CEGB {kind}", k, strength, "", labels, cost, 1.0)
    print(
        f"{problem.name} {seed}: {len(found.models)} models {trained:.1f} s, policies "
        f"{searched:.1f} s, all {time.process_time() - began:.1f} s of processor time",
        flush=True,
    )
    return table.rows


class _Table:
    """Rows of results of one seed."""

    def __init__(self, name: str, seed: int, y: np.ndarray) -> None:
        self.name, self.seed, self.y, self.rows = name, seed, y, list[dict[str, Any]]()

    def add(
        self, method: str, k: int, strength: float, member: str, labels: Any, cost: Any, waves: Any
    ) -> None:
        values = [
            self.name,
            self.seed,
            method,
            k,
            strength,
            member,
            100 * np.mean(labels != self.y),
            np.mean(cost),
            np.mean(waves),
            100 * macro_f1(labels, self.y),
        ]
        shown = [f"{v:.6g}" if isinstance(v, float) else v for v in values]
        self.rows.append(dict(zip(FIELDS, shown, strict=True)))

    def followed(
        self, method: str, k: int, beta: float, member: str, policy: Any, test: SetScores
    ) -> None:
        stops = policy.follow(test.sets, test.values)
        labels = test.predictions[np.arange(len(test)), stops.last]
        self.add(method, k, beta, member, labels, stops.cost, _waves(stops, test))

    def ours(self, found: SetFront, test: SetScores, betas: np.ndarray) -> None:
        """The member that policy rows choose."""
        for k, beta in enumerate(betas.tolist()):
            best = found.at_price(beta)
            self.followed("acquire", k, beta, best.member, best.policy, test)


def macro_f1(labels: np.ndarray, y: np.ndarray) -> float:
    """The mean of the classes' F1."""
    hits = [np.sum((labels == k) & (y == k)) for k in np.unique(y)]
    sizes = [np.sum(labels == k) + np.sum(y == k) for k in np.unique(y)]
    return float(np.mean([2 * h / max(s, 1) for h, s in zip(hits, sizes, strict=True)]))


def _waves(stops: Any, test: SetScores) -> np.ndarray:
    """Sets that cost more than nothing which a row has passed."""
    paid = test.sets.cost > 0
    return (stops.seen & paid).sum(axis=1)


def _check_dag(
    found: SetFront, ensemble: mddag.Ensemble, test: SetScores, rows: Any, beta: float
) -> None:
    """The Dag pays what the policy over sets pays, but for rows on an edge up to rounding."""
    policy = found.at_price(beta).policy
    dag, _ = set_dag(found.models, policy, ensemble)
    stops, trace = policy.follow(test.sets, test.values), dag.run(rows)
    same = np.isclose(stops.cost, trace.feature_cost)
    assert same.mean() > 0.99, f"the Dag pays otherwise on {np.sum(~same)} rows"
