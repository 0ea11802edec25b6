"""Show what was measured: a summary, the trade-off, calibration by exit, and rates of detectors.

The points of the trade-off are those of a Curve (``report(curve=mddag.sweep(...))``), the ring is
the model as the rows of the report measure it (``point_of``). Without a curve only the model and
the full ensemble are known, as they were measured on the policy rows.

Calibration by exit asks whether predictions are true, for rows that leave early and for those that
leave late; exits are grouped as in the model's calibration.
"""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.inspection.report.facts import CurvePoint, Facts, at_price, counts_errors, point_of
from mddag.inspection.report.markup import (
    Chart,
    Section,
    figure,
    is_wide,
    legend,
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
    """Describe the rows given."""
    n, counts = facts.n_rows, facts.trace.n_evaluated
    early = float((counts <= EARLY * facts.n_classifiers).mean())
    text = [
        f"On the {n:,} rows given, a row evaluates {counts.mean():.1f} of {facts.n_classifiers} "
        f"base classifiers on average, half of the rows at most {np.median(counts):.0f};",
        f"{percent(early)} of rows need at most {percent(EARLY)} of them,",
        f"the longest path has {counts.max()}.",
    ]
    if facts.targets is None:
        text.append("No targets were given, so errors are not shown.")
    return text


def _tiles(facts: Facts) -> list[str]:
    if facts.rows is None:
        known = facts.evaluation
        return [] if known is None else [_tile(f"{known.n_evaluated:.1f}", _of_all(facts))]
    tiles = [_tile(f"{facts.trace.n_evaluated.mean():.1f}", _of_all(facts))]
    return tiles + _quality(facts) + _agreement(facts) + _speed(facts)


def _of_all(facts: Facts) -> str:
    return f"evaluations per row, of {facts.n_classifiers}"


def _quality(facts: Facts) -> list[str]:
    """Compare error or R2 with that of the full model."""
    if facts.targets is None or facts.ensemble.kind == "ranker":
        return []
    full = facts.full_predicted
    if facts.codes is not None:
        error = float((facts.predicted != facts.codes).mean())
        other = "" if full is None else f"; full model {100 * (full != facts.codes).mean():.2f} %"
        return [_tile(f"{100 * error:.2f} %", f"error{other}")]
    targets = np.asarray(facts.targets, float)
    other = "" if full is None else f"; full model {r2(full, targets):.4f}"
    return [_tile(f"{r2(facts.predicted, targets):.4f}", f"R2{other}")]


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
    """Return the share of the variance that is explained; NaN if there is none."""
    spread = float(np.square(targets - targets.mean()).sum())
    return 1 - float(np.square(targets - predicted).sum()) / spread if spread > 0 else float("nan")


Point = tuple[float, float, str]
SAME = 1e-6  # of the full model's loss: sums in another order differ by less, other rows by more


def tradeoff(facts: Facts) -> Section | None:
    """Draw loss against evaluations; None if nothing was measured."""
    curve = facts.curve
    if curve is None:
        return _two_points(facts)
    sample = curve.samples[-1]
    points = _points(curve, sample)
    chosen = curve.envelope(x="n_evaluated").tolist()
    full = float(curve.columns[f"full_{sample}_n_evaluated"][0])
    full_loss = float(curve.columns[f"full_{sample}_loss"][0])
    at, own = at_price(curve, facts.beta), point_of(curve, facts)
    ring = _ring(curve, own, None if at is None else points[at])
    there = (full, full_loss, f"full model: {full:.0f} evaluations, {_loss(curve)} {full_loss:.4f}")
    here = _full_here(curve, own, there)
    chart = _chart([*points, there, *here, *ring], _loss(curve))
    chart.rule(full_loss, "full")
    chart.line(sorted((points[k][0], points[k][1]) for k in chosen), "c0")
    for k, point in enumerate(points):
        text = f"{point[2]}, the price of this model" if k == at else point[2]
        chart.point(*point[:2], "c0" if k in chosen else "hollow", text)
    chart.point(*there[:2], "full", there[2], 6)
    for point in here:
        chart.point(*point[:2], "full hollow", point[2], 6)
    for x, y, text in ring:
        chart.point(x, y, "here", text, 8)
        chart.text(x, y, "this model" if own else "price of this model")
    caption = (
        f"Evaluations per row and {_loss(curve)} on the {sample} rows of the sweep. The line joins "
        f"the points that no other beats on the {curve.chooser} rows; the dashed line is the full "
        f"model. {_words(facts, own, at, bool(here))}"
    )
    return Section("trade-off", "Trade-off", figure(chart.svg(), caption))


def _points(curve: Curve, sample: str) -> list[Point]:
    columns = (curve.columns[f"{sample}_{name}"] for name in ("n_evaluated", "loss"))
    return [
        (float(x), float(y), f"beta {beta:.3g}: {x:.1f} evaluations, {_loss(curve)} {y:.4f}")
        for x, y, beta in zip(*columns, curve.beta, strict=True)
    ]


def _ring(curve: Curve, own: CurvePoint | None, priced: Point | None) -> list[Point]:
    """Return the model as measured, or else the point with its price, or nothing."""
    if own is not None:
        text = f"{own.n_evaluated:.1f} evaluations, {_loss(curve)} {own.loss:.4f}"
        return [(own.n_evaluated, own.loss, f"this model, on the rows of this report: {text}")]
    return [] if priced is None else [(*priced[:2], f"the price of this model, {priced[2]}")]


def _full_here(curve: Curve, own: CurvePoint | None, there: Point) -> list[Point]:
    """Return the full model on the rows of the report, if they are not those of the sweep."""
    if own is None or own.full_loss is None:
        return []
    if abs(own.full_loss - there[1]) <= SAME * abs(there[1]):
        return []
    text = f"full model, on the rows of this report: {_loss(curve)} {own.full_loss:.4f}"
    return [(there[0], own.full_loss, text)]


def _words(facts: Facts, own: CurvePoint | None, at: int | None, others: bool) -> str:
    """Say what the ring is, and what it is not."""
    if own is None:
        priced = (
            "The ring is the policy that the sweep learned at the price of this model; this model "
            "itself was not measured."
        )
        return "" if at is None else priced
    text = f"The ring is this model, measured on the {facts.n_rows:,} rows of this report."
    if not others:
        return text
    return (
        f"{text} These are other rows than those of the sweep, so the ring may lie off the "
        "line; compare it with the large hollow dot, the full model on the same rows."
    )


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
        html += _rejected_by_step(facts)
    html += paragraph("Not shown: images, boxes, and times; see docs/detection.md.")
    return Section("detection", "Detection", html)


def _rejected_by_step(facts: Facts) -> str:
    """Draw the rows left after each step, negatives and positives apart."""
    assert facts.codes is not None
    steps, exits = facts.dag.policy.n_steps, facts.trace.exit_step
    chart = Chart(
        "rows left by step", (0.0, float(max(steps, 1))), (0.0, 1.05), "step of the policy",
        "rows that are left", y_percent=True,
    )  # fmt: skip
    names, text = [], []
    for k, name in enumerate(("negatives", "positives")):
        here = facts.codes == k
        if not here.any():
            continue
        gone = np.cumsum(np.bincount(exits[here], minlength=steps + 1)) / here.sum()
        kept = [(0.0, 1.0), *((float(j), 1 - float(gone[j])) for j in range(steps))]
        chart.line(kept[:: max(len(kept) // 400, 1)], f"c{k}", steps=True)
        found = float((facts.predicted[here] == 1).mean())
        names.append(name)
        text.append(f"{found:.4g} of {int(here.sum())} {name} are called positive")
    return figure(chart.svg(), f"On the rows given: {'; '.join(text)}.") + legend(names)


CALIBRATION = "Calibration by exit"
MOST_LISTED = 20
FEW = 30  # rows: fewer say little

ExitGroups = list[tuple[str, int, float, float]]


def calibration(facts: Facts) -> Section | None:
    """Compare predictions with targets; None without a calibration, rows or targets."""
    if facts.calibration is None or facts.targets is None or facts.ensemble.kind == "ranker":
        return None
    groups = facts.calibration.groups
    group = groups[facts.trace.exit_step]
    sure, right = _compared(facts)
    found: ExitGroups = []
    for g in np.unique(group):
        here = group == g
        means = float(sure[here].mean()), float(right[here].mean())
        found.append((_exits(groups, int(g)), int(here.sum()), *means))
    return _classes(facts, found) if facts.classes is not None else _means(facts, found, group)


def _compared(facts: Facts) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return what is predicted and what is true, row by row."""
    if facts.probabilities is None:
        return np.asarray(facts.predicted, float), np.asarray(facts.targets, float)
    sure = facts.probabilities[np.arange(facts.n_rows), facts.predicted]
    return sure, facts.predicted == facts.codes


def _classes(facts: Facts, found: ExitGroups) -> Section:
    low = min(0.5, *(min(sure, right) for _, _, sure, right in found))
    chart = _calibration_chart(found, (low * 0.98, 1.01), "mean probability of the predicted class",
                   "share that is right", share=True)  # fmt: skip
    listed = table(
        ("steps taken", "rows", "mean probability", "right"),
        [(name, n, f"{sure:.3f}", f"{right:.3f}") for name, n, sure, right in found[:MOST_LISTED]],
        "Probability of the predicted class by exit",
    )
    gap = sum(n * abs(sure - right) for _, n, sure, right in found) / facts.n_rows
    text = (
        "One dot per group of exits, the larger the more rows; on the line, probabilities are "
        f"true. The mean distance from it is {percent(float(gap))}, weighted by rows. Groups of "
        f"fewer than {FEW} rows are hollow."
    )
    html = pair(figure(chart.svg(), text), listed + _rest(found))
    return Section("calibration", CALIBRATION, html)


def _means(facts: Facts, found: ExitGroups, group: NDArray[np.intp]) -> Section:
    ends = padded([v for _, _, a, b in found for v in (a, b)])
    chart = _calibration_chart(found, ends, "mean prediction", "mean target", share=False)
    targets, rows = np.asarray(facts.targets, float), []
    for (name, n, mean, target), g in zip(found, np.unique(group), strict=True):
        here = group == g
        error = np.sqrt(np.square(targets[here] - facts.predicted[here]).mean())
        rows.append((name, n, f"{mean:.4g}", f"{target:.4g}", f"{error:.4g}"))
    listed = table(
        ("steps taken", "rows", "mean prediction", "mean target", "root mean square error"),
        rows[:MOST_LISTED],
        "Predictions by exit",
    )
    text = f"One dot per group of exits. R2 of all rows: {r2(facts.predicted, targets):.4f}."
    html = pair(figure(chart.svg(), text), listed + _rest(found))
    return Section("calibration", CALIBRATION, html)


def _calibration_chart(
    found: ExitGroups, ends: tuple[float, float], x: str, y: str, *, share: bool
) -> Chart:
    chart = Chart(f"{y} against {x}", ends, ends, x, y, x_percent=share, y_percent=share)
    chart.line([(ends[0], ends[0]), (ends[1], ends[1])], "full")
    most = max(n for _, n, _, _ in found)
    for name, n, sure, right in found:
        kind = "c0" if n >= FEW else "hollow"
        title = f"{name} steps: {n} rows, predicted {sure:.4g}, true {right:.4g}"
        chart.point(sure, right, kind, title, 3 + 6 * float(np.sqrt(n / most)))
    return chart


def _exits(groups: NDArray[np.intp], g: int) -> str:
    steps = np.flatnonzero(groups == g)
    return f"{steps[0]}" if len(steps) == 1 else f"{steps[0]} to {steps[-1]}"


def _rest(found: ExitGroups) -> str:
    left = len(found) - MOST_LISTED
    return paragraph(f"{left} more groups are in the figure alone.") if left > 0 else ""
