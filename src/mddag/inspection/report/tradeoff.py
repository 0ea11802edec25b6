"""Trade-off: loss against evaluations, one point per price beta, and the place of this model.

The points are those of a Curve (``report(curve=mddag.sweep(...))``), the ring is the model as the
rows of the report measure it (``place``). Without a curve only the model and the full ensemble are
known, as they were measured on the policy rows.
"""

from __future__ import annotations

from mddag.inspection.report.facts import Facts
from mddag.inspection.report.place import Place, at_price, counts_errors, place_of
from mddag.inspection.report.section import Section, figure, paragraph
from mddag.inspection.report.svg import Chart, is_wide, room
from mddag.mdp.curve import Curve

Point = tuple[float, float, str]
SAME = 1e-6  # of the full model's loss: sums in another order differ by less, other rows by more


def tradeoff(facts: Facts) -> Section | None:
    """None where nothing was measured."""
    curve = facts.curve
    if curve is None:
        return _two_points(facts)
    sample = curve.samples[-1]
    points = _points(curve, sample)
    chosen = curve.envelope(x="n_evaluated").tolist()
    full = float(curve.columns[f"full_{sample}_n_evaluated"][0])
    full_loss = float(curve.columns[f"full_{sample}_loss"][0])
    at, own = at_price(curve, facts.beta), place_of(curve, facts)
    ring = _ring(curve, own, None if at is None else points[at])
    there = (full, full_loss, f"full model: {full:.0f} evaluations, {_loss(curve)} {full_loss:.4f}")
    here = _full_here(curve, own, there)
    chart = _chart([*points, there, *here, *ring], _loss(curve))
    chart.rule(full_loss, "full")
    chart.line(sorted((points[k][0], points[k][1]) for k in chosen), "c0")
    for k, point in enumerate(points):
        said = f"{point[2]}, the price of this model" if k == at else point[2]
        chart.point(*point[:2], "c0" if k in chosen else "hollow", said)
    chart.point(*there[:2], "full", there[2], 6)
    for point in here:
        chart.point(*point[:2], "full hollow", point[2], 6)
    for x, y, said in ring:
        chart.point(x, y, "here", said, 8)
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


def _ring(curve: Curve, own: Place | None, priced: Point | None) -> list[Point]:
    """The model as measured, or else the point with its price, or nothing."""
    if own is not None:
        said = f"{own.n_evaluated:.1f} evaluations, {_loss(curve)} {own.loss:.4f}"
        return [(own.n_evaluated, own.loss, f"this model, on the rows of this report: {said}")]
    return [] if priced is None else [(*priced[:2], f"the price of this model, {priced[2]}")]


def _full_here(curve: Curve, own: Place | None, there: Point) -> list[Point]:
    """The full model on the rows of the report, where these are others than those of the sweep."""
    if own is None or own.full_loss is None:
        return []
    if abs(own.full_loss - there[1]) <= SAME * abs(there[1]):
        return []
    said = f"full model, on the rows of this report: {_loss(curve)} {own.full_loss:.4f}"
    return [(there[0], own.full_loss, said)]


def _words(facts: Facts, own: Place | None, at: int | None, others: bool) -> str:
    """What the ring is, and what it is not."""
    if own is None:
        priced = (
            "The ring is the policy that the sweep learned at the price of this model; this model "
            "itself was not measured."
        )
        return "" if at is None else priced
    said = f"The ring is this model, measured on the {facts.n_rows:,} rows of this report."
    if not others:
        return said
    return (
        f"{said} These are other rows than those of the sweep, so the ring may lie beside the "
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
        f"{loss} against {name}", x, room(ys, 0.15), name, loss, x_log=log, y_percent=share
    )


def _loss(curve: Curve) -> str:
    return "error" if counts_errors(curve) else f"{type(curve.loss).__name__} loss"
