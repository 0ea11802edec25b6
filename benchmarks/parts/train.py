"""What training for the knob is worth: nodes of ``mddag.train`` beside those of its rivals.

    MDDAG_DATA=... python -m benchmarks.parts.train [--only DATA ...] [--seeds SEED ...]

All of them have the same rows: the model and policy rows of benchmarks.quality_fixed. The
reference is the tuned full model that ``train`` finds. Curves have points chosen on rows held out
from models:

- rival: a prefix or a margin rule of a model of any shape, also cut short, by all rows held out
- sparse full: the default solver for the reference alone
- train: the front of all candidates

Readings are the fewest nodes (evaluations) on test rows within a tolerance of the reference's test
error; a curve that never meets it reads the reference's. Written to
benchmarks/results/parts/train.csv.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from time import process_time
from typing import Any

import numpy as np

from benchmarks.places import RESULTS
from benchmarks.quality_fixed import split
from benchmarks.quality_fixed.curves import TOLERANCES, spread
from benchmarks.table import kept
from mddag import compile as compile_dag
from mddag.dag.node_counts import visited
from mddag.solvers.front import front as front_of
from mddag.tuning.contestant import Contestant, Entry
from mddag.tuning.node_prices import node_prices
from mddag.tuning.shape_models import cut
from mddag.tuning.train import checked_estimator, parted
from mddag.tuning.trained_front import TrainedFront
from mddag.tuning.training_job import TrainingJob

DATA = ("spambase", "higgs", "electricity", "letter A-M/N-Z", "adult")
METHODS = ("rival", "sparse_full", "train")
FIELDS = ("data", "seed", "reference", "tolerance", "full", "seconds")
FIELDS += (*METHODS, *(f"{m}_evaluations" for m in METHODS), "ratio")
Point = tuple[float, float, float]  # nodes, evaluations and error on test rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="DATA", default=DATA)
    parser.add_argument("--seeds", nargs="+", type=int, default=range(2))
    options = parser.parse_args()
    problems = ((name, seed) for seed in options.seeds for name in options.only)
    rows = (row for problem in problems for row in measured(*problem))
    kept(RESULTS / "parts" / "train.csv", FIELDS, rows)


def measured(name: str, seed: int) -> Iterator[dict[str, object]]:
    """A row for each tolerance."""
    X, y, test = joined(name, seed)
    estimator, kind = checked_estimator(None, y, 1)
    rows = parted(X, y, None, kind, False, np.random.RandomState(seed), 1)
    job = TrainingJob(estimator, rows, kind, "budget", "nodes", 1, False, "raise")
    start = process_time()
    front = job.front()
    seconds = process_time() - start
    tried = list(dict.fromkeys(front.owners))
    full = tested(front.reference, None, test)
    alone = TrainedFront(front.reference, "difference")
    for entry in front.entries:
        if entry.contestant is front.reference:
            alone.add(entry)
    curves = {
        "rival": rival(tried, front.reference, test),
        "sparse_full": points(alone, test),
        "train": points(front, test),
    }
    for tolerance in TOLERANCES:
        read = {m: reading(curve, full, tolerance) for m, curve in curves.items()}
        row: dict[str, object] = {"data": name, "seed": seed, "tolerance": tolerance}
        row |= {"reference": front.reference.model.name, "full": f"{full[0]:.0f}"}
        row |= {"seconds": f"{seconds:.0f}"}
        row |= {m: f"{nodes:.1f}" for m, (nodes, _) in read.items()}
        row |= {f"{m}_evaluations": f"{n:.1f}" for m, (_, n) in read.items()}
        yield row | {"ratio": f"{read['train'][0] / read['rival'][0]:.2f}"}


def joined(name: str, seed: int) -> tuple[Any, np.ndarray, tuple[Any, np.ndarray]]:
    """All rows but those for the test, and these."""
    parts = split.parts(name, seed)
    (X, y), (X_policy, y_policy) = parts.model, parts.policy
    if hasattr(X, "iloc"):
        import pandas as pd

        return pd.concat([X, X_policy], ignore_index=True), np.append(y, y_policy), parts.test
    return np.concatenate([X, X_policy]), np.append(y, y_policy), parts.test


def tested(contestant: Contestant, policy: Any, test: tuple[Any, np.ndarray]) -> Point:
    ensemble = contestant.parts.ensemble
    dag = compile_dag(ensemble, policy)
    rows = ensemble.features.rows(contestant.model.source.rows(test[0]))
    labels = dag.ensemble.classes[dag.verdicts(rows)]  # type: ignore[index]
    evaluations = float(dag.lengths(rows)[2].mean())
    return float(visited(dag, rows).mean()), evaluations, float(np.mean(labels != test[1]))


def points(front: TrainedFront, test: tuple[Any, np.ndarray]) -> list[Point]:
    """Of the front of all candidates, spread over their costs."""
    losses, costs = front.losses, front.costs
    on_it = front_of(losses, costs)
    chosen = on_it[spread(costs[on_it], losses[on_it], losses[0])]
    return [tested(*_placed(front.entries, front.reference, int(at)), test) for at in chosen]


def _placed(entries: list[Entry], reference: Contestant, at: int) -> tuple[Contestant, Any]:
    for entry in entries:
        if 0 < at <= len(entry.judgements.costs):
            return entry.contestant, entry.policies[at - 1]
        at -= len(entry.judgements.costs)
    return reference, None


def rival(tried: list[Contestant], reference: Contestant, test: Any) -> list[Point]:
    """Prefixes and margin rules of all shapes and of their cuts, by the labels of all rows."""
    entries: list[Entry] = []
    for contestant in tried:
        n = len(contestant.parts.ensemble)
        for m in sorted({n, n // 2, n // 4}):
            if m > 4:
                entries += _on_all_rows(contestant, m).simple()
    losses = np.concatenate([e.judgements.losses for e in entries])
    costs = np.concatenate([e.judgements.costs for e in entries])
    on_it = front_of(losses, costs)
    error = float(np.mean(reference.parts.full != reference.parts.truth))
    chosen = on_it[spread(costs[on_it], losses[on_it], error)]
    return [tested(*_placed(entries, reference, int(at) + 1), test) for at in chosen]


def _on_all_rows(contestant: Contestant, n_classifiers: int) -> Contestant:
    """A shorter model, whose rules are judged by all rows held out."""
    parts = cut(contestant.model.parts, n_classifiers)
    everyone = np.arange(len(parts))
    parts = replace(parts, learning=everyone, choosing=everyone)
    model = replace(contestant.model, parts=parts)
    return Contestant(model, contestant.targets, contestant.full, node_prices(parts))


def reading(curve: list[Point], full: Point, tolerance: float) -> tuple[float, float]:
    """The fewest nodes, and the fewest evaluations, within the tolerance."""
    within = [full, *(p for p in curve if p[2] <= full[2] + tolerance + 1e-9)]
    return min(p[0] for p in within), min(p[1] for p in within)


if __name__ == "__main__":
    main()
