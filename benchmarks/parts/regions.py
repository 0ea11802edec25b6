"""What regions are worth: the default solver with routings and without, by evaluations.

    MDDAG_DATA=... python -m benchmarks.parts.regions [--only DATA ...] [--seeds SEED ...]

The models of benchmarks.quality_fixed (LightGBM, trees of 8 leaves). Routings are made from the
rows that the model was trained on and from the policy rows for learning, both without labels.
Curves and their readings are those of benchmarks.quality_fixed: the fewest evaluations on test rows
within a tolerance of the full ensemble's error, points chosen on policy rows. The router counts as
one evaluation. Written to benchmarks/results/parts/regions.csv.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.places import RESULTS
from benchmarks.quality_fixed import split
from benchmarks.quality_fixed.curves import TOLERANCES, Point, reading
from benchmarks.quality_fixed.methods import SELECTION, Rows, pooled
from benchmarks.quality_fixed.models import lightgbm
from benchmarks.table import kept
from mddag import MDP, as_ensemble
from mddag._internal.row_sampling import stratified
from mddag.ensemble.routing import with_regions
from mddag.solvers import Portfolio
from mddag.tuning.routes import with_routes

FIELDS = ("data", "seed", "policy_rows", "tolerance", "without", "with", "regions")
DATA = (*split.DATA, *split.FRESH)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="DATA", choices=DATA, default=DATA)
    parser.add_argument("--seeds", nargs="+", type=int, default=range(5))
    options = parser.parse_args()
    kept(RESULTS / "parts" / "regions.csv", FIELDS, measured(options.only, options.seeds))


def measured(names: Any, seeds: Any) -> Iterator[dict[str, object]]:
    """Rows of the table, as they come."""
    for seed in seeds:
        for name in names:
            yield from of_problem(name, seed)


def of_problem(name: str, seed: int) -> Iterator[dict[str, object]]:
    rows, routed = routed_rows(name, seed)
    pool = rows.pool(Portfolio(random_state=0))
    without = pool.among([entry for entry in pool.entries if " regions of " not in entry.name])
    everything = rows.test.evaluate(rows.test.evaluate_all())
    full = Point("full", 0.0, everything.n_evaluated, everything.loss)
    for tolerance in TOLERANCES:
        read = [reading(pooled("", p, rows), full, tolerance) for p in (without, pool)]
        numbers = (f"{number:.2f}" for number in read)
        cells = (name, seed, rows.policy.n_instances, tolerance, *numbers, routed)
        yield dict(zip(FIELDS, cells, strict=True))


def routed_rows(name: str, seed: int) -> tuple[Rows, str]:
    """The rows of a problem with their regions, and the numbers of regions."""
    parts = split.parts(name, seed)
    ensemble = as_ensemble(lightgbm(500 if parts.model[1].max() == 1 else 100).fit(*parts.model))
    model, policy, test = (
        ensemble.features.rows(X) for X, _ in (parts.model, parts.policy, parts.test)
    )
    labels = parts.policy[1]
    chosen = stratified(labels, SELECTION, np.random.default_rng(seed))  # as Rows does
    learning = np.setdiff1d(np.arange(len(labels)), chosen)
    mdp = MDP(ensemble.votes(policy), labels)
    votes = with_routes(ensemble, mdp, policy, learning, model)
    routings = [route.routing for route in votes.routes]
    on_test = with_regions(ensemble.votes(test), routings, test)
    of_test = SimpleNamespace(votes=on_test, labels=parts.test[1])
    of_policy = SimpleNamespace(votes=votes, labels=labels)
    problem: Any = SimpleNamespace(policy=of_policy, test=of_test, seed=seed)
    shapes = " ".join(f"{r.n_regions}x{r.n_steps - 1}" for r in routings)
    return Rows(problem), shapes


if __name__ == "__main__":
    main()
