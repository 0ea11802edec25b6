"""Trade-off: loss against evaluations, one point per price beta, and the place of this model.

The points are those of a Curve (``report(curve=mddag.sweep(...))``). Without one, only the model
and the full ensemble are known, as they were measured on the policy rows.
"""

from __future__ import annotations

from mddag.inspection.report.facts import Facts
from mddag.inspection.report.section import Section, figure, paragraph
from mddag.inspection.report.svg import Chart, is_wide, room
from mddag.losses import ZeroOne
from mddag.mdp.curve import Curve

Point = tuple[float, float, str]


def tradeoff(facts: Facts) -> Section | None:
    """None where nothing was measured."""
    curve = facts.curve
    if curve is None:
        return _two_points(facts)
    sample = curve.samples[-1]
    x, y = curve.columns[f"{sample}_n_evaluated"], curve.columns[f"{sample}_loss"]
    points = [
        (float(a), float(b), f"beta {beta:.3g}: {a:.1f} evaluations, {_loss(curve)} {b:.4f}")
        for a, b, beta in zip(x, y, curve.beta, strict=True)
    ]
    chosen = curve.envelope(x="n_evaluated").tolist()
    full = float(curve.columns[f"full_{sample}_n_evaluated"][0])
    full_loss = float(curve.columns[f"full_{sample}_loss"][0])
    at = _place(curve, facts)
    chart = _chart([*points, (full, full_loss, "")], _loss(curve))
    chart.rule(full_loss, "full")
    chart.line(sorted((points[k][0], points[k][1]) for k in chosen), "c0")
    for k, point in enumerate(points):
        chart.point(*point[:2], "c0" if k in chosen else "hollow", point[2])
    said = f"full model: {full:.0f} evaluations, {_loss(curve)} {full_loss:.4f}"
    chart.point(full, full_loss, "full", said, 6)
    here = ""
    if at is not None:
        chart.point(*points[at][:2], "here", f"this model, {points[at][2]}", 8)
        chart.text(*points[at][:2], "this model")
        here = "The ring is the price of this model."
    caption = (
        f"{_loss(curve)} on the {sample} rows against evaluations per row. The line joins the "
        f"points that no other beats on the {curve.chooser} rows; the dashed line is the full "
        f"model. {here}"
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
        f"{loss} against {name}", x, room(ys, 0.15), name, loss, x_log=log, y_percent=share
    )


def _loss(curve: Curve) -> str:
    plain = isinstance(curve.loss, ZeroOne) and curve.loss.weights is None
    return "error" if plain else f"{type(curve.loss).__name__} loss"


def _place(curve: Curve, facts: Facts) -> int | None:
    """The point of the curve with the policy of this model, or else with its price."""
    if facts.beta is None:
        return None
    nearest = int(abs(curve.beta - facts.beta).argmin())
    return nearest if abs(curve.beta[nearest] - facts.beta) <= 1e-9 * facts.beta else None
