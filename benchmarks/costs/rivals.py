"""What an engineer would build instead: one smaller model, a penalised model, a cascade by hand.

Static subsets and cascades share the models of feature sets with ``acquire``; their subsets, stages
and thresholds are the best of the rows that it learns from (and again of policy rows alone), by
labels or by the full model's opinion. Static
subsets are once all sets, once those of greedy chains, among which chance picks less. LightGBM's
own penalties (CEGB) train a model for each strength; a row then pays for the groups that its own
paths read ("lazy"), or for all that the model reads ("coupled").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import lightgbm as lgb
import numpy as np

import mddag
from benchmarks.costs.price_lists import Problem
from mddag.ensemble.read_groups import read_groups
from mddag.features.prices import FeaturePrices
from mddag.solvers.acquisition.set_sample import SetSample
from mddag.solvers.acquisition.thresholds import Cascades
from mddag.tuning.set_rows import SetRows

STRENGTHS = {"lazy": np.geomspace(2e-4, 2e-2, 4), "coupled": np.geomspace(0.3, 30, 5)}
Reading = tuple[float, float, float, float]  # error, cost, waves, macro-F1


def static_and_cascades(policy: SetRows, chains: list[list[int]], seed: int) -> dict[str, Cascades]:
    """Static subsets, and cascades tuned on labels and on the full model's opinion."""
    samples = policy.samples("beta", seed)
    told = np.eye(max(policy.scores.shape[2], 2))[policy.truth]
    by_label: SetSample = replace(samples["mean"], losses=policy.losses(told))
    singles = [[s] for s in range(len(policy.sets))]
    on_chains = [[s] for s in sorted({s for chain in chains for s in chain})]
    return {
        "static": Cascades.of(by_label, singles),
        "static, chains": Cascades.of(by_label, on_chains),
        "cascade, labels": Cascades.of(by_label, chains),
        "cascade, teacher": Cascades.of(samples["opinion"], chains),
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
    for kind, strengths in STRENGTHS.items():
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
