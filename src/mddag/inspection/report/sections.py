"""Gather what the sections of numbers show; what they say is in the templates of the same names.

A section is a function of Facts that returns a Section, or None where it does not apply.

A sweep learns policies of its own, at its own prices, on its own rows; a point of its curve is
not this model, even where the price is the same. So with rows and targets the model is measured
by the loss of the curve and drawn as a ring; without them it is not drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.ensemble import Ensemble
from mddag.inspection.explanation.rules import feature_name
from mddag.inspection.plotting.curves import loss_name
from mddag.inspection.report.facts import Facts
from mddag.inspection.report.markup import (
    Axis,
    Chart,
    Point,
    Section,
    is_wide,
    padded,
    percent,
)
from mddag.metrics.regression import R2
from mddag.policy.curve import Curve

EARLY = 0.1  # of all base classifiers: rows that need no more leave early


def summary(facts: Facts) -> Section:
    """Say what the model is, and what was measured."""
    counts = None if facts.rows is None else facts.trace.n_evaluated
    return Section.of_template(
        "summary",
        "Summary",
        facts=facts,
        counts=counts,
        median=None if counts is None else np.median(counts),
        early=EARLY,
        tiles=list(_tiles(facts)),
    )


def _tiles(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield numbers, and what they are."""
    of_all = f"evaluations per row, of {len(facts.ensemble)}"
    if facts.rows is None:
        known = facts.model.result
        if known is not None and known.evaluation is not None:
            yield f"{known.evaluation.n_evaluated:.1f}", of_all
        return
    yield f"{facts.trace.n_evaluated.mean():.1f}", of_all
    full = facts.full_predicted
    if facts.targets is not None and facts.codes is not None:
        errors = [(p != facts.codes).mean() for p in (facts.predicted, full) if p is not None]
        texts = [f"{100 * error:.2f} %" for error in errors]
        yield texts[0], "; full model ".join(["error", *texts[1:]])
    elif facts.targets is not None and facts.ensemble.kind != "ranker":
        texts = [f"{R2()(facts.targets, p):.4f}" for p in (facts.predicted, full) if p is not None]
        yield texts[0], "; full model ".join(["R2", *texts[1:]])
    if full is not None and facts.classes is not None:
        same = float((full == facts.predicted).mean())
        yield f"{100 * same:.2f} %", "of rows with the label of the full model"
    times = facts.dag.expected_speedup
    if np.isfinite(times):
        what = "as fast as evaluating everything, expected in large batches"
        yield f"{times:.1f} times", what


def tradeoff(facts: Facts) -> Section | None:
    """Draw loss against evaluations; None without a curve."""
    curve = facts.curve
    if curve is None:
        return None
    sample, loss = curve.samples[-1], loss_name(curve)
    at = curve.columns[f"{sample}_n_evaluated"].tolist()
    losses = curve.columns[f"{sample}_loss"].tolist()
    envelope = curve.envelope(x="n_evaluated").tolist()
    points: list[Point] = []
    for k, (x, y, beta) in enumerate(zip(at, losses, curve.beta.tolist(), strict=True)):
        words = f"beta {beta:.3g}: {x:.1f} evaluations, {loss} {y:.4f}"
        points.append((x, y, "c0" if k in envelope else "hollow", words, 4.5))
    points.sort(key=lambda point: point[2] != "hollow")  # which the line covers
    full = float(curve.columns[f"full_{sample}_n_evaluated"][0])
    full_loss = float(curve.columns[f"full_{sample}_loss"][0])
    words = f"full model: {full:.0f} evaluations, {loss} {full_loss:.4f}"
    points.append((full, full_loss, "full", words, 6.0))
    own, note = losses_of(curve, facts), None
    if own is not None:
        mean = float(facts.trace.n_evaluated.mean())
        words = f"{mean:.1f} evaluations, {loss} {own[0]:.4f}"
        words = f"this model, on the rows of this report: {words}"
        points.append((mean, own[0], "here", words, 8.0))
        note = mean, own[0], "this model"
    xs, log = [p[0] for p in points], is_wide([p[0] for p in points])
    ends = (min(xs) / 1.2, max(xs) * 1.2) if log else (0.0, max(xs) * 1.06 or 1.0)
    x_axis = Axis("evaluations per row", *ends, log=log)
    y_axis = Axis(loss, *padded([p[1] for p in points], 0.15), percent=loss == "error")
    line = sorted((at[k], losses[k]) for k in envelope), "c0"
    chart = Chart(
        f"{loss} against evaluations per row", x_axis, y_axis,
        points=points, lines=[line], rules=[full_loss], note=note,
    )  # fmt: skip
    return Section.of_template(
        "trade-off", "Trade-off",
        facts=facts, chart=chart, curve=curve, sample=sample, loss=loss, own=own,
    )  # fmt: skip


def losses_of(curve: Curve, facts: Facts) -> tuple[float, float | None] | None:
    """Return the model's loss on the rows as the curve measures it, and the full model's.

    None where that is not possible: without rows or targets, for rankers, and for losses of
    probabilities, which scores of single rows do not say.
    """
    ranks = facts.ensemble.kind == "ranker"
    if facts.rows is None or facts.targets is None or ranks or curve.loss.of_probabilities:
        return None
    by_label = facts.codes is not None and loss_name(curve) == "error"
    targets = np.asarray(facts.targets, np.float64) if facts.codes is None else facts.codes

    def mean(scores: NDArray[np.float64], predicted: NDArray[Any] | None) -> float:
        if by_label:  # a policy may give other labels than the scores say
            return float(np.mean(predicted != targets))
        return float(np.mean(curve.loss(scores, targets)))

    own, full = mean(facts.trace.scores, facts.predicted), facts.full_scores
    return own, None if full is None else mean(full, facts.full_predicted)


MOST_BARS = 40
QUANTILES = (0.25, 0.5, 0.75, 0.9, 0.99, 1.0)


def evaluations(facts: Facts) -> Section | None:
    """Show how many evaluations rows need; None without rows."""
    if facts.rows is None:
        return None
    names, group = facts.colored
    counts, of_all = facts.trace.n_evaluated, max(len(facts.ensemble), 1)
    levels = np.quantile(counts, QUANTILES, method="higher").tolist()
    quantiles = [
        (f"{100 * q:g} % of rows", f"{n:g}", percent(n / of_all))
        for q, n in zip(QUANTILES, levels, strict=True)
    ]
    chart = histogram(counts, group, max(len(names), 1), "base classifiers evaluated")
    return Section.of_template(
        "evaluations", "Evaluations per row", facts=facts, chart=chart, quantiles=quantiles
    )


def histogram(
    counts: NDArray[np.int64], group: NDArray[np.intp], n_groups: int, name: str
) -> Chart:
    """Draw bars of rows, stacked by group."""
    low, high = int(counts.min()), int(counts.max())
    edges = bins(low, high)
    held = np.stack(
        [np.histogram(counts[group == g], edges)[0] for g in range(n_groups)], axis=1
    ) / len(counts)
    x = Axis(name, float(edges[0]), float(edges[-1]), log=is_spread(low, high), whole=True)
    y = Axis("rows", 0.0, float(held.sum(axis=1).max()) * 1.08, percent=True)
    chart = Chart(f"histogram of {name}", x, y)
    tops = np.cumsum(held, axis=1)
    for k, (left, right) in enumerate(pairwise(edges.tolist())):
        span = f"{left:g}" if right - left == 1 else f"{left:g} to {right - 1:g}"
        title = f"{span} {name}: {percent(float(tops[k, -1]))} of rows"
        for g in np.flatnonzero(held[k]).tolist():
            bottom = float(tops[k, g] - held[k, g])
            chart.bars.append((left, right - left, bottom, float(tops[k, g]), f"c{g}", title))
    return chart


def bins(low: int, high: int) -> NDArray[np.int64]:
    """Return the edges of bins of counts: each number alone, or wider and wider."""
    if high - low < MOST_BARS:
        return np.arange(low, high + 2)
    spaced = np.geomspace if is_spread(low, high) else np.linspace  # which may begin at 0
    return np.unique(np.rint(spaced(low, high + 1, MOST_BARS + 1)).astype(np.int64))


def is_spread(low: int, high: int) -> bool:
    """Tell whether counts from low to high are best seen on a logarithmic scale."""
    return low > 0 and high - low >= MOST_BARS


MOST_FEATURES = 25


def features(facts: Facts) -> Section | None:
    """Show the use of features; None without rows, or if base classifiers are not trees."""
    if facts.rows is None or facts.ensemble.callables:
        return None
    times = facts.trace.uses(len(facts.ensemble)).sum(axis=1) @ reads_of(facts.ensemble)
    order = np.argsort(-times, kind="stable")[:MOST_FEATURES]
    bars = [
        (feature_name(facts.ensemble.features, i), times[i] / times.max(), times[i] / facts.n_rows)
        for i in order.tolist()
        if times[i] > 0
    ]
    n_read = int((times > 0).sum())
    return Section.of_template("features", "Use of features", facts=facts, bars=bars, n_read=n_read)


def reads_of(ensemble: Ensemble) -> NDArray[np.bool_]:
    """Tell which columns the trees of each base classifier split on, (N, n_features)."""
    found = np.zeros((len(ensemble), ensemble.n_features), bool)
    n_nodes = np.diff(ensemble.starts[ensemble.tables.rounds])
    owner, column = np.repeat(np.arange(len(ensemble)), n_nodes), ensemble.nodes["feature"]
    found[owner[column >= 0], column[column >= 0]] = True
    return found


def costs(facts: Facts) -> Section | None:
    """Show what rows pay; None without rows, or if nothing has a price."""
    if facts.rows is None:
        return None
    bought = getattr(facts.trace, "groups", None)
    if bought is not None:
        return _feature_costs(facts, np.asarray(bought))
    if not facts.ensemble.priced:
        return None
    paid, everything = facts.trace.cost, float(facts.ensemble.cost.sum())
    return Section.of_template("costs", "Costs", bought=None, paid=paid, everything=everything)


def _feature_costs(facts: Facts, bought: NDArray[np.bool_]) -> Section:
    prices: Any = getattr(getattr(facts.dag, "purchases", None), "prices", None)
    names: Sequence[Any] = [f"group {g}" for g in range(bought.shape[1])]
    names = names if prices is None else prices.names
    share, n_bought = bought.mean(axis=0), bought.sum(axis=1).astype(np.int64)
    rows = []
    for g in np.argsort(-share, kind="stable").tolist():
        price = mean = ""
        if prices is not None:
            price, mean = f"{prices.costs[g]:.4g}", f"{prices.costs[g] * share[g]:.4g}"
        rows.append((str(names[g]), price, percent(float(share[g])), mean))
    chart = histogram(n_bought, np.zeros(facts.n_rows, np.intp), 1, "groups bought")
    return Section.of_template(
        "costs", "Cost per feature group",
        bought=n_bought, n_groups=len(share), paid=facts.trace.feature_cost, chart=chart, rows=rows,
    )  # fmt: skip


def detection(facts: Facts) -> Section | None:
    """Show the rates of a detector; None for other models."""
    rates = None if facts.model.result is None else facts.model.result.rates
    if rates is None:
        return None
    shares = []
    if facts.rows is not None and facts.codes is not None:
        for code, name in enumerate(("negatives", "positives")):
            here = facts.codes == code
            if here.any():
                shares.append((name, int(here.sum()), float((facts.predicted[here] == 1).mean())))
    return Section.of_template("detection", "Detection", rates=rates, shares=shares)


FEW = 30  # rows: fewer say little


def calibration(facts: Facts) -> Section | None:
    """Compare predictions with targets by exit; None without a calibration, rows or targets.

    Exits are grouped as in the model's calibration, so that those that leave early are seen alone.
    """
    known = facts.model.calibration
    if known is None or facts.targets is None or facts.ensemble.kind == "ranker":
        return None
    of_classes = facts.classes is not None
    x, y = "mean prediction", "mean target"
    if facts.probabilities is None:
        guess, truth = np.asarray(facts.predicted, float), np.asarray(facts.targets, float)
    else:
        guess = facts.probabilities[np.arange(facts.n_rows), facts.predicted]
        truth = (facts.predicted == facts.codes).astype(float)
        x, y = "mean probability of the predicted class", "share that is right"
    group = known.groups[facts.trace.exit_step]
    places, at, n = np.unique(group, return_inverse=True, return_counts=True)
    means = [np.bincount(at, values) / n for values in (guess, truth)]
    low, high = (min(0.5, *np.ravel(means)) * 0.98, 1.01) if of_classes else padded(np.ravel(means))
    axes = Axis(x, low, high, percent=of_classes), Axis(y, low, high, percent=of_classes)
    chart = Chart(f"{y} against {x}", *axes)
    chart.lines = [([(low, low), (high, high)], "full")]
    for g, rows, a, b in zip(places, n.tolist(), *(m.tolist() for m in means), strict=True):
        steps = np.flatnonzero(known.groups == g)
        name = f"{steps[0]}" if len(steps) == 1 else f"{steps[0]} to {steps[-1]}"
        kind, size = "c0" if rows >= FEW else "hollow", 3 + 6 * float(np.sqrt(rows / n.max()))
        words = f"{name} steps: {rows} rows, predicted {a:.4g}, true {b:.4g}"
        chart.points.append((a, b, kind, words, size))
    return Section.of_template(
        "calibration",
        "Calibration by exit",
        chart=chart,
        of_classes=of_classes,
        few=FEW,
        gap=float(n @ np.abs(means[0] - means[1])) / facts.n_rows,
        r2=R2()(truth, guess),
    )
