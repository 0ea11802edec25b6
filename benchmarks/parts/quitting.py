"""What exit-aware boosting is worth: AdaBoost.MH with and without rows that quit, by margin rules.

    MDDAG_DATA=... python -m benchmarks.parts.quitting [--only DATA ...] [--seeds SEED ...]

Rows as in benchmarks.quality. The reference is the ordinary ensemble of trees, of those with 8 to
64 leaves and up to 150 rounds, with the smallest log-loss on validation rows. Half of the policy
rows say when rows quit (``Quitting``), by its probabilities. Candidates are the margin rules of
several prefixes of every model; the other policy rows and the validation rows judge them as the
default solver does, and the fewest nodes on test rows within 0.2, 0.5 and 1 points of the
reference's error are read from curves of 14 points: of ordinary models alone, of exit-aware ones
alone, and of both together. Written to benchmarks/results/parts/quitting.csv.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.places import RESULTS
from benchmarks.quality import rows as quality_rows
from benchmarks.quality.nodes import depths_of
from benchmarks.quality_fixed.curves import Point, reading, spread
from benchmarks.table import kept
from mddag import AdaBoostMHClassifier
from mddag.boosting.quitting import Quitting
from mddag.calibration.platt import opinion
from mddag.learners import Tree
from mddag.solvers.portfolio.judge import Judge, Judgements

DATA = ("electricity", "adult", "higgs", "spambase")
LEAVES, ROUNDS, PREFIXES = (8, 16, 32, 64), 150, (3, 5, 10, 20, 40, 80, 150)
MAX_LOSSES = (0.001, 0.003)  # of Quitting
TOLERANCES = (0.002, 0.005, 0.01)
SHARES = np.linspace(0.2, 0.995, 40)  # of the margins, below a threshold
FIELDS = (
    "data",
    "seed",
    "tolerance",
    "full",
    "ordinary",
    *(f"max_loss {x}" for x in MAX_LOSSES),
    "both",
)


@dataclass(frozen=True)
class Sums:
    """Scores, and nodes visited, of rows after 0, 1, 2, … rounds, both (n, n_rounds + 1)."""

    scores: np.ndarray
    nodes: np.ndarray

    @classmethod
    def of(cls, model: Any, X: Any) -> Sums:
        ensemble, n = model.ensemble_, len(X)
        votes, depths = ensemble.votes(X), depths_of(ensemble)
        dense = votes.dense()[:, :, 0]
        nodes = np.stack([depths[t][votes.codes[:, t]] for t in range(len(depths))], axis=1)
        zeros = np.zeros((n, 1))
        return cls(*(np.hstack([zeros, np.cumsum(a, axis=1)]) for a in (dense, nodes)))

    def stopped(self, threshold: float, length: int) -> tuple[np.ndarray, np.ndarray]:
        """Which rows get the second class, and their nodes, by a margin rule of some rounds."""
        stops = np.abs(self.scores[:, : length + 1]) >= threshold
        stops[:, 0], stops[:, length] = False, True
        at = stops.argmax(axis=1), np.arange(len(stops))
        return self.scores[at[1], at[0]] > 0, self.nodes[at[1], at[0]]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="DATA", choices=DATA, default=DATA)
    parser.add_argument("--seeds", nargs="+", type=int, default=range(5))
    options = parser.parse_args()
    kept(RESULTS / "parts" / "quitting.csv", FIELDS, measured(options.only, options.seeds))


def measured(names: Any, seeds: Any) -> Iterator[dict[str, object]]:
    """Rows of the table, as they come."""
    for name in names:
        for seed in seeds:
            yield from of_problem(name, seed)


def of_problem(name: str, seed: int) -> Iterator[dict[str, object]]:
    parts = quality_rows.parts(name, seed)
    shuffled = np.random.default_rng(seed).permutation(len(parts.policy.y))
    learning, choosing = np.array_split(shuffled, 2)
    train, valid = parts.train, parts.validation
    models = [(0.0, fitted(train, leaves)) for leaves in LEAVES]
    reference, length = tuned([model for _, model in models], valid)
    teacher = opinion(
        full(reference, length, taken(parts.policy.X, learning)), parts.policy.y[learning]
    )
    for max_loss in MAX_LOSSES:
        quitting = Quitting(taken(parts.policy.X, learning), teacher, max_loss=max_loss)
        models += [(max_loss, fitted(train, leaves, quitting)) for leaves in LEAVES]
    judges = [(taken(parts.policy.X, choosing), parts.policy.y[choosing]), (valid.X, valid.y)]
    judged = Judged(reference, length, judges, (parts.test.X, parts.test.y))
    for max_loss, model in models:
        judged.add(max_loss, model)
    wanted = ((0.0,), *((x,) for x in MAX_LOSSES), (0.0, *MAX_LOSSES))
    for tolerance in TOLERANCES:
        numbers = [judged.full.evaluations, *(judged.read(some, tolerance) for some in wanted)]
        cells = (name, seed, tolerance, *(f"{number:.1f}" for number in numbers))
        yield dict(zip(FIELDS, cells, strict=True))


def fitted(train: Any, leaves: int, quitting: Quitting | None = None) -> AdaBoostMHClassifier:
    model = AdaBoostMHClassifier(Tree(leaves), n_rounds=ROUNDS, max_bins=255, quitting=quitting)
    return model.fit(train.X, train.y)


def taken(X: Any, rows: np.ndarray) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def full(model: Any, length: int, X: Any) -> np.ndarray:
    return Sums.of(model, X).scores[:, length : length + 1]


def tuned(models: list[Any], valid: Any) -> tuple[Any, int]:
    """The model and the number of rounds with the smallest log-loss."""
    found = []
    for model in models:
        sums = Sums.of(model, valid.X).scores
        for length in (n for n in PREFIXES if n <= model.n_rounds_):
            p = opinion(sums[:, length : length + 1], valid.y)[np.arange(len(valid.y)), valid.y]
            found.append((float(-np.log(np.maximum(p, 1e-12)).mean()), len(found), model, length))
    return min(found)[2:]


class Judged:
    """Candidates with what the judge expects of them and what they do on test rows."""

    def __init__(self, reference: Any, length: int, judges: Any, test: Any) -> None:
        self.judges, self.test = judges, test
        self.y = np.concatenate([y for _, y in judges])
        scores = np.concatenate([full(reference, length, X) for X, _ in judges])
        self.teacher = opinion(scores, self.y)[:, 1]
        sums = Sums.of(reference, test[0])
        wrong = (sums.scores[:, length] > 0) != test[1]
        self.full = Point("full", 0.0, sums.nodes[:, length].mean(), wrong.mean())
        self.kinds = [np.nan]  # the full ensemble is no candidate
        self.measured = [self.measures(scores[:, 0] > 0, np.zeros(1))]
        self.points = [self.full]

    def measures(self, second: np.ndarray, nodes: np.ndarray) -> tuple[float, ...]:
        by_teacher = np.where(second, 1 - self.teacher, self.teacher).mean()
        differs = (second != (self.teacher > 0.5)).mean()
        return float((second != self.y).mean()), by_teacher, differs, nodes.mean()

    def add(self, kind: float, model: Any) -> None:
        """The margin rules of prefixes of one model."""
        on_judges, on_test = (
            [Sums.of(model, X) for X, _ in self.judges],
            Sums.of(model, self.test[0]),
        )
        margins = np.abs(np.concatenate([sums.scores[:, 1:] for sums in on_judges]))
        for threshold in (*np.quantile(margins, SHARES), np.inf):
            for length in (n for n in PREFIXES if n <= model.n_rounds_):
                found = [sums.stopped(threshold, length) for sums in on_judges]
                self.measured.append(self.measures(*map(np.concatenate, zip(*found, strict=True))))
                second, nodes = on_test.stopped(threshold, length)
                error = float((second != self.test[1]).mean())
                self.points.append(Point("", threshold, nodes.mean(), error))
                self.kinds.append(kind)

    def read(self, kinds: tuple[float, ...], tolerance: float) -> float:
        """The reading of the front of some of the models."""
        some = np.flatnonzero(np.isin(self.kinds, kinds))
        judge: Any = Judge.__new__(Judge)
        judge.has_teacher, judge.n_rows, judge.square = True, float(len(self.y)), 1.0
        measured = Judgements(*np.array(self.measured)[np.append(0, some)].T)
        losses = judge.estimates(measured, np.zeros(len(some) + 1, bool))
        costs, front, least = measured.costs, [], np.inf
        for at in 1 + np.argsort(costs[1:], kind="stable"):
            if losses[at] < least:
                least, front = losses[at], [*front, at]
        chosen = np.array(front)[spread(costs[front], losses[front], losses[0])]
        return reading([self.points[some[at - 1]] for at in chosen], self.full, tolerance)


if __name__ == "__main__":
    main()
