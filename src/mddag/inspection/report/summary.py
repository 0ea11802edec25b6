"""Summary: what the model is and what it does on the rows, in words and in a few large numbers."""

from __future__ import annotations

from html import escape

import numpy as np

from mddag.inspection.report.facts import Facts
from mddag.inspection.report.section import Section, listed, paragraph, percent

EARLY = 0.1  # of all base classifiers: rows that need no more leave early


def summary(facts: Facts) -> Section:
    """Always there."""
    tiles = _tiles(facts)
    html = _opening(facts) + (f'<ul class="tiles">{"".join(tiles)}</ul>' if tiles else "")
    if facts.rows is not None:
        html += paragraph(*_on_rows(facts))
    if facts.lines:
        html += f"<h3>What was measured when it was made</h3>{listed(facts.lines)}"
    return Section("summary", "Summary", html)


def _opening(facts: Facts) -> str:
    ensemble = facts.ensemble
    trees = "" if ensemble.n_trees == len(ensemble) else f" ({ensemble.n_trees} trees)"
    of = f"{len(ensemble)} base classifiers{trees} over {ensemble.n_features} features"
    classes = "" if facts.classes is None else f" and {len(facts.classes)} classes"
    return paragraph(
        f"A sparse decision DAG: a {ensemble.kind} of {of}{classes}.",
        "Each row evaluates the base classifiers that its own path needs, and no others;",
        "the policy decides at each step whether to evaluate, to skip or to quit.",
    )


def _on_rows(facts: Facts) -> list[str]:
    """Sentences about the rows given."""
    n, counts = facts.n_rows, facts.trace.n_evaluated
    early = float((counts <= EARLY * facts.n_classifiers).mean())
    said = [
        f"On the {n:,} rows given, a row evaluates {counts.mean():.1f} of {facts.n_classifiers} "
        f"base classifiers on average, half of the rows at most {np.median(counts):.0f};",
        f"{percent(early)} of rows need at most {percent(EARLY)} of them,",
        f"the longest path has {counts.max()}.",
    ]
    if facts.targets is None:
        said.append("No targets were given, so nothing is said of errors.")
    return said


def _tiles(facts: Facts) -> list[str]:
    if facts.rows is None:
        known = facts.evaluation
        return [] if known is None else [_tile(f"{known.n_evaluated:.1f}", _of_all(facts))]
    tiles = [_tile(f"{facts.trace.n_evaluated.mean():.1f}", _of_all(facts))]
    return tiles + _quality(facts) + _agreement(facts) + _speed(facts)


def _of_all(facts: Facts) -> str:
    return f"evaluations per row, of {facts.n_classifiers}"


def _quality(facts: Facts) -> list[str]:
    """Error or R2 beside that of the full model."""
    if facts.targets is None or facts.ensemble.kind == "ranker":
        return []
    full = facts.full_predicted
    if facts.codes is not None:
        error = float((facts.predicted != facts.codes).mean())
        beside = "" if full is None else f"; full model {100 * (full != facts.codes).mean():.2f} %"
        return [_tile(f"{100 * error:.2f} %", f"error{beside}")]
    targets = np.asarray(facts.targets, float)
    beside = "" if full is None else f"; full model {r2(full, targets):.4f}"
    return [_tile(f"{r2(facts.predicted, targets):.4f}", f"R2{beside}")]


def _agreement(facts: Facts) -> list[str]:
    full = facts.full_predicted
    if full is None or facts.classes is None:
        return []
    same = float((full == facts.predicted).mean())
    return [_tile(f"{100 * same:.2f} %", "of rows with the label of the full model")]


def _speed(facts: Facts) -> list[str]:
    times = facts.dag.expected_speedup
    if not np.isfinite(times):
        return []
    what = "as fast as evaluating everything, expected in large batches"
    return [_tile(f"{times:.1f} times", what)]


def _tile(number: str, words: str) -> str:
    return f"<li><b>{escape(number)}</b> {escape(words)}</li>"


def r2(predicted: np.ndarray, targets: np.ndarray) -> float:
    """The share of the variance that is explained; NaN where there is none."""
    spread = float(np.square(targets - targets.mean()).sum())
    return 1 - float(np.square(targets - predicted).sum()) / spread if spread > 0 else float("nan")
