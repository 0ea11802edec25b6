"""What leaf values that policy rows correct are worth: errors of tuned models before and after.

    MDDAG_DATA=... python -m benchmarks.parts.refitting [--only DATA ...] [--seeds SEED ...]

Full models and rows are those of benchmarks.quality. The leaves of the whole model, and of its
first base classifiers alone, are fitted anew to the labels of the policy rows that the default
solver learns from (seven tenths). Errors and log-losses are those of test rows. Written to
benchmarks/results/parts/refitting.csv.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.parts.problems import tabulate
from benchmarks.quality.boosters import tuned
from benchmarks.quality.ours import SELECTION
from benchmarks.quality.rows import parts
from mddag import Votes
from mddag._utils.arrays import stratified
from mddag.policy.calibration import fit_factor, probabilities
from mddag.solvers.portfolio.refitting import refitted_tables

FIELDS = ("data", "seed", "base", "of", "error", "corrected", "log_loss", "log_loss_corrected")
SIZES = (10, 40)
FEW_COLUMNS = (
    "electricity",
    "adult",
    "higgs",
    "spambase",
    "letter A-M/N-Z",
    "mq2007",
    "ringnorm",
    "waveform",
)


def main() -> None:
    tabulate("refitting", __doc__, FIELDS, of_problem, FEW_COLUMNS)


def of_problem(name: str, seed: int) -> Iterator[dict[str, object]]:
    rows = parts(name, seed)
    full = tuned("LightGBM", rows).full
    y = rows.policy.y
    chosen = stratified(y, SELECTION, np.random.default_rng(seed))
    learning = np.setdiff1d(np.arange(len(y)), chosen)
    labels = np.eye(rows.n_classes)[y[learning]]
    policy, test = full.votes(rows.policy.X).rows(learning), full.votes(rows.test.X)
    for size in [*(s for s in SIZES if s < len(full)), len(full)]:
        few, on_test = (votes.reordered(np.arange(size)) for votes in (policy, test))
        fitted = refitted_tables(few, labels, np.ones(len(learning)))
        before = quality(on_test.scores(), rows.test.y)
        after = quality(Votes(on_test.codes, fitted).scores(), rows.test.y)
        numbers = (f"{number:.4f}" for both in zip(before, after, strict=True) for number in both)
        yield dict(zip(FIELDS, (name, seed, size, len(full), *numbers), strict=True))


def quality(scores: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Error and log-loss; for the latter scores get the best factor."""
    winner = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
    share = probabilities(scores, fit_factor(scores, y))[np.arange(len(y)), y]
    return float((winner != y).mean()), float(-np.log(np.maximum(share, 1e-12)).mean())


if __name__ == "__main__":
    main()
