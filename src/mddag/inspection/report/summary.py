"""Show what was measured: a summary, the trade-off, calibration by exit, and rates of detectors.

The points of the trade-off are those of a Curve (``report(curve=mddag.sweep(...))``), the ring is
the model as the rows of the report measure it (``point_of``). Without a curve only the model and
the full ensemble are known, as they were measured on the policy rows.

Calibration by exit asks whether predictions are true, for rows that leave early and for those that
leave late; exits are grouped as in the model's calibration.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np

from mddag.inspection.report.facts import Facts, counts_errors, point_of
from mddag.inspection.report.markup import (
    Chart,
    Section,
    figure,
    is_wide,
    listed,
    padded,
    pair,
    paragraph,
    percent,
    table,
)
from mddag.policy.curve import Curve

EARLY = 0.1  # of all base classifiers: rows that need no more leave early


def summary(facts: Facts) -> Section:
    """Say what the model is, and what was measured."""
    ensemble = facts.ensemble
    trees = "" if ensemble.n_trees == len(ensemble) else f" ({ensemble.n_trees} trees)"
    of = f"{len(ensemble)} base classifiers{trees} over {ensemble.n_features} features"
    classes = "" if facts.classes is None else f" and {len(facts.classes)} classes"
    html = paragraph(
        f"A sparse decision DAG: a {ensemble.kind} of {of}{classes}.",
        "Each row evaluates the base classifiers that its own path needs, and no others;",
        "the policy decides at each step whether to evaluate, to skip or to quit.",
    )
    tiles = [f"<li><b>{escape(n)}</b> {escape(words)}</li>" for n, words in _tiles(facts)]
    html += f'<ul class="tiles">{"".join(tiles)}</ul>' if tiles else ""
    if facts.rows is not None:
        counts = facts.trace.n_evaluated
        early = float((counts <= EARLY * facts.n_classifiers).mean())
        html += paragraph(
            f"On the {facts.n_rows:,} rows given, a row evaluates {counts.mean():.1f} of "
            f"{facts.n_classifiers} base classifiers on average, half of the rows at most "
            f"{np.median(counts):.0f};",
            f"{percent(early)} of rows need at most {percent(EARLY)} of them,",
            f"the longest path has {counts.max()}.",
            *(["No targets were given, so errors are not shown."] if facts.targets is None else []),
        )
    if facts.lines:
        html += f"<h3>What was measured when it was made</h3>{listed(facts.lines)}"
    return Section("summary", "Summary", html)


def _tiles(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield numbers, and what they are."""
    of_all = f"evaluations per row, of {facts.n_classifiers}"
    if facts.rows is None:
        if facts.evaluation is not None:
            yield f"{facts.evaluation.n_evaluated:.1f}", of_all
        return
    yield f"{facts.trace.n_evaluated.mean():.1f}", of_all
    full = facts.full_predicted
    if facts.targets is not None and facts.codes is not None:
        errors = [(p != facts.codes).mean() for p in (facts.predicted, full) if p is not None]
        texts = [f"{100 * error:.2f} %" for error in errors]
        yield texts[0], "; full model ".join(["error", *texts[1:]])
    elif facts.targets is not None and facts.ensemble.kind != "ranker":
        targets = np.asarray(facts.targets, float)
        texts = [f"{r2(p, targets):.4f}" for p in (facts.predicted, full) if p is not None]
        yield texts[0], "; full model ".join(["R2", *texts[1:]])
    if full is not None and facts.classes is not None:
        same = float((full == facts.predicted).mean())
        yield f"{100 * same:.2f} %", "of rows with the label of the full model"
    times = facts.dag.expected_speedup
    if np.isfinite(times):
        what = "as fast as evaluating everything, expected in large batches"
        yield f"{times:.1f} times", what


def r2(predicted: np.ndarray, targets: np.ndarray) -> float:
    """Return the share of the variance that is explained; NaN if there is none."""
    spread = float(np.square(targets - targets.mean()).sum())
    return 1 - float(np.square(targets - predicted).sum()) / spread if spread > 0 else float("nan")


Point = tuple[float, float, str]


def tradeoff(facts: Facts) -> Section | None:
    """Draw loss against evaluations; None if nothing was measured."""
    curve = facts.curve
    if curve is None:
        return _two_points(facts)
    sample, loss = curve.samples[-1], _loss(curve)
    columns = (curve.columns[f"{sample}_{name}"] for name in ("n_evaluated", "loss"))
    points: list[Point] = [
        (float(x), float(y), f"beta {beta:.3g}: {x:.1f} evaluations, {loss} {y:.4f}")
        for x, y, beta in zip(*columns, curve.beta, strict=True)
    ]
    chosen = curve.envelope(x="n_evaluated").tolist()
    full = float(curve.columns[f"full_{sample}_n_evaluated"][0])
    full_loss = float(curve.columns[f"full_{sample}_loss"][0])
    there = (full, full_loss, f"full model: {full:.0f} evaluations, {loss} {full_loss:.4f}")
    own = point_of(curve, facts)
    ring: list[Point] = []
    words = ""
    if own is not None:
        text = f"{own.n_evaluated:.1f} evaluations, {loss} {own.loss:.4f}"
        here = "on the rows of this report"
        ring = [(own.n_evaluated, own.loss, f"this model, {here}: {text}")]
        words = f" The ring is this model, measured on the {facts.n_rows:,} rows of this report"
        if own.full_loss is None:
            words += "."
        else:
            words += f", where the {loss} of the full model is {own.full_loss:.4f}."
    chart = _chart([*points, there, *ring], loss)
    chart.rule(full_loss, "full")
    chart.line(sorted((points[k][0], points[k][1]) for k in chosen), "c0")
    for k, point in enumerate(points):
        chart.point(*point[:2], "c0" if k in chosen else "hollow", point[2])
    chart.point(*there[:2], "full", there[2], 6)
    for x, y, text in ring:
        chart.point(x, y, "here", text, 8)
        chart.text(x, y, "this model")
    caption = (
        f"Evaluations per row and {loss} on the {sample} rows of the sweep. The line joins "
        f"the points that no other beats on the {curve.chooser} rows; the dashed line is the full "
        f"model.{words}"
    )
    return Section("trade-off", "Trade-off", figure(chart.svg(), caption))


def _two_points(facts: Facts) -> Section | None:
    sparse, full = facts.evaluation, facts.full_evaluation
    if sparse is None or full is None:
        return None
    points = [
        (sparse.n_evaluated, sparse.loss, f"this model: {sparse.n_evaluated:.1f} evaluations, "
         f"loss {sparse.loss:.4g}"),
        (full.n_evaluated, full.loss, f"full model: {full.n_evaluated:.0f} evaluations, "
         f"loss {full.loss:.4g}"),
    ]  # fmt: skip
    chart = _chart(points, "loss")
    chart.rule(full.loss, "full")
    chart.point(*points[1][:2], "full", points[1][2], 6)
    chart.point(*points[0][:2], "here", points[0][2], 8)
    chart.text(*points[0][:2], "this model")
    beta = f" It was learned for beta = {facts.beta:g}." if facts.beta else ""
    caption = "Loss against evaluations per row, on the rows that the policy was learned on." + beta
    note = paragraph(
        "The points between are not in the model. A sweep has them:",
        "report(path, X, y, curve=mddag.sweep(model, X, y)).",
    )
    return Section("trade-off", "Trade-off", figure(chart.svg(), caption) + note)


def _chart(points: list[Point], loss: str) -> Chart:
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    log = is_wide(xs)
    x = (min(xs) / 1.2, max(xs) * 1.2) if log else (0.0, max(xs) * 1.06 or 1.0)
    name = "evaluations per row"
    share = loss == "error"
    return Chart(
        f"{loss} against {name}", x, padded(ys, 0.15), name, loss, x_log=log, y_percent=share
    )


def _loss(curve: Curve) -> str:
    return "error" if counts_errors(curve) else f"{type(curve.loss).__name__} loss"


def detection(facts: Facts) -> Section | None:
    """Show the rates of a detector; None for other models."""
    rates = facts.rates
    if rates is None:
        return None
    html = listed([rates.line("fpr"), rates.line("tpr")])
    html += paragraph(
        f"A negative evaluates {rates.n_evaluated:.1f} base classifiers on average, on the",
        f"{rates.n_negatives} negatives held out.",
    )
    if facts.rows is not None and facts.codes is not None:
        names = ("negatives", "positives")
        for name, here in zip(names, (facts.codes == 0, facts.codes == 1), strict=True):
            if here.any():
                found = float((facts.predicted[here] == 1).mean())
                html += paragraph(f"{found:.4g} of {int(here.sum())} {name} are called positive.")
    html += paragraph("Not shown: images, boxes, and times; see docs/detection.md.")
    return Section("detection", "Detection", html)


MOST_LISTED = 20
FEW = 30  # rows: fewer say little


def calibration(facts: Facts) -> Section | None:
    """Compare predictions with targets by exit; None without a calibration, rows or targets."""
    if facts.calibration is None or facts.targets is None or facts.ensemble.kind == "ranker":
        return None
    groups = facts.calibration.groups
    group = groups[facts.trace.exit_step]
    guess, truth = np.asarray(facts.predicted, float), np.asarray(facts.targets)
    if facts.probabilities is not None:
        guess = facts.probabilities[np.arange(facts.n_rows), facts.predicted]
        truth = facts.predicted == facts.codes
    found = []
    for g in np.unique(group):
        here, steps = group == g, np.flatnonzero(groups == g)
        name = f"{steps[0]}" if len(steps) == 1 else f"{steps[0]} to {steps[-1]}"
        off = float(np.sqrt(np.square(truth[here].astype(float) - guess[here]).mean()))
        found.append(
            (name, int(here.sum()), float(guess[here].mean()), float(truth[here].mean()), off)
        )
    rows: list[tuple[Any, ...]]
    if facts.classes is not None:
        low = min(0.5, *(min(sure, right) for _, _, sure, right, _ in found))
        ends, is_share = (low * 0.98, 1.01), True
        x, y = "mean probability of the predicted class", "share that is right"
        head: tuple[str, ...] = ("steps taken", "rows", "mean probability", "right")
        rows = [(name, n, f"{sure:.3f}", f"{right:.3f}") for name, n, sure, right, _ in found]
        title = "Probability of the predicted class by exit"
        gap = sum(n * abs(sure - right) for _, n, sure, right, _ in found) / facts.n_rows
        text = (
            "One dot per group of exits, the larger the more rows; on the line, probabilities are "
            f"true. The mean distance from it is {percent(float(gap))}, weighted by rows. Groups "
            f"of fewer than {FEW} rows are hollow."
        )
    else:
        ends, is_share = padded([v for _, _, a, b, _ in found for v in (a, b)]), False
        x, y = "mean prediction", "mean target"
        head = ("steps taken", "rows", x, y, "root mean square error")
        rows = [(name, n, *(f"{v:.4g}" for v in numbers)) for name, n, *numbers in found]
        title = "Predictions by exit"
        text = f"One dot per group of exits. R2 of all rows: {r2(guess, truth.astype(float)):.4f}."
    chart = Chart(f"{y} against {x}", ends, ends, x, y, x_percent=is_share, y_percent=is_share)
    chart.line([(ends[0], ends[0]), (ends[1], ends[1])], "full")
    most = max(n for _, n, *_ in found)
    for name, n, a, b, _ in found:
        dot = f"{name} steps: {n} rows, predicted {a:.4g}, true {b:.4g}"
        chart.point(a, b, "c0" if n >= FEW else "hollow", dot, 3 + 6 * float(np.sqrt(n / most)))
    numbers = table(head, rows[:MOST_LISTED], title)
    if len(rows) > MOST_LISTED:
        numbers += paragraph(f"{len(rows) - MOST_LISTED} more groups are in the figure alone.")
    html = pair(figure(chart.svg(), text), numbers)
    return Section("calibration", "Calibration by exit", html)
