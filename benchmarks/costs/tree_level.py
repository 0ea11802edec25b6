"""Members over trees beside members over sets: does buying tree by tree ever win, and what does it
cost to try? `python -m benchmarks.costs.tree_level` writes benchmarks/results/costs/tree_level.csv.

At each price both kinds are chosen on policy rows and read off on test rows, by their objective:
error + beta x feature cost. Models are LightGBM, 60 trees of 16 leaves and 150 stumps, whose
columns merge.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from typing import Any

import lightgbm as lgb
import numpy as np

import mddag
from benchmarks.costs.curves import SETTINGS, STRENGTHS
from benchmarks.costs.price_lists import NAMES, Problem, problem
from benchmarks.places import RESULTS
from mddag.features.prices import FeaturePrices
from mddag.solvers.acquisition.search import Candidate
from mddag.solvers.acquisition.tree_level import TreePolicy
from mddag.tuning.acquisition import Acquisition, learned
from mddag.tuning.given_rows import GivenRows

MODELS = {"16 leaves": {}, "stumps": {"n_estimators": 150, "num_leaves": 2}}
SETS = ("adult", "ann_thyroid", "spam_words")
FIELDS = ["set", "seed", "model", "beta_full", "kind", "member", "chosen", "judged"]
FIELDS += ["error", "cost", "waves", "objective", "seconds"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", nargs="*", choices=NAMES, default=list(SETS))
    parser.add_argument("--seeds", type=int, default=2)
    given = parser.parse_args()
    runs = [(n, s, m) for n in given.sets for s in range(given.seeds) for m in MODELS]
    with (RESULTS / "costs" / "tree_level.csv").open("w", newline="") as out:
        writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
        writer.writeheader()
        for name, seed, model in runs:
            rows = list(measured(problem(name, seed), seed, model))
            writer.writerows(rows)
            print(name, seed, model, *_shown(rows), flush=True)


def measured(of: Problem, seed: int, kind: str) -> Iterator[dict[str, Any]]:
    """The best member of either kind at every other price."""
    (X, y), (X_test, y_test) = of.train, of.test
    model = lgb.LGBMClassifier(**(SETTINGS | MODELS[kind])).fit(X, y)
    ensemble = mddag.as_ensemble(model)
    prices = FeaturePrices.of(ensemble.features, of.costs, of.groups)
    given = GivenRows(model, ensemble, *of.policy, X, y, np.random.RandomState(seed))
    found = learned(given, prices, "beta", np.empty(0, np.intp), seed, 1, tree_level=True)
    full = float(found.models.sets.cost[-1])
    known = {"set": of.name, "seed": seed, "model": kind}
    for strength in STRENGTHS[1::2].tolist():
        for row in _both(found, strength / full, X_test, y_test):
            yield known | {"beta_full": f"{strength:.4g}"} | row


def _both(found: Acquisition, beta: float, X: Any, y: Any) -> Iterator[dict[str, Any]]:
    """The best member over sets, the best over trees, and which of them is chosen."""
    over_trees = [m for (m, _), of in found.search.members.items() if hasattr(of, "mdp")]
    began = time.process_time()
    for name in over_trees:
        found.search.members[name, "score"](beta)
    seconds = time.process_time() - began
    chosen, weight = found.search.best(beta), found.search.weight
    candidates: dict[str, list[Candidate]] = {"sets": [], "trees": []}
    for c in found.search.at(beta):
        candidates["trees" if isinstance(c.policy, TreePolicy) else "sets"].append(c)
    for kind, several in candidates.items():
        best = min(several, key=lambda c: c.objective(beta, weight))
        trace = found.dag(best)[0].run(X)
        error, cost = float(np.mean(trace.verdict != y)), float(np.mean(trace.feature_cost))
        values = [best.objective(beta, weight), 100 * error, cost, float(np.mean(trace.waves))]
        shown = [f"{v:.5g}" for v in [*values, error + beta * cost]]
        yield {
            "kind": kind,
            "member": best.member,
            "chosen": int(best is chosen),
            **dict(zip(["judged", "error", "cost", "waves", "objective"], shown, strict=True)),
            "seconds": f"{seconds:.2f}" if kind == "trees" else "",
        }


def _shown(rows: list[dict[str, Any]]) -> list[str]:
    """Prices at which trees are chosen, mean ratio of test objectives, seconds."""
    sets, trees = ([r for r in rows if r["kind"] == kind] for kind in ("sets", "trees"))
    ratios = [
        float(b["objective"]) / float(a["objective"]) for a, b in zip(sets, trees, strict=True)
    ]
    seconds = sum(float(r["seconds"]) for r in trees)
    return [
        f"chosen at {sum(r['chosen'] for r in trees)} of {len(trees)} prices;",
        f"objective trees / sets {np.exp(np.mean(np.log(ratios))):.3f}",
        f"({min(ratios):.3f} to {max(ratios):.3f}); {seconds:.1f} s",
    ]


if __name__ == "__main__":
    main()
