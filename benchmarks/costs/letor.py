"""Ranking with priced features: MeanNDCG and NDCG@10 against the mean price of a document.

    MDDAG_DATA=... python -m benchmarks.costs.letor [--data mq2007 mq2008] [--report]

MQ2007 and MQ2008 with the prices of ``letor_costs()``, five official folds. ``mddag.acquire`` takes
classifiers alone; what is measured here is its solver over sets, on LambdaMART models of
LightGBM (``letor_sets``, ``letor_methods``). Written to benchmarks/results/costs: letor.csv, every
fold and price; letor.md, prices at a loss; letor.png.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.costs.letor_methods import (
    Run,
    cascades,
    chosen,
    greedy_chain,
    measured,
    ours,
    statics,
)
from benchmarks.costs.letor_sets import RATES, SetScores, letor_sets, scores_of_fold
from benchmarks.places import OUT, RESULTS
from benchmarks.table import markdown, written
from mddag.metrics import LetorNDCG, MeanNDCG
from mddag.metrics.ranking import GainMetric

METRICS = {"MeanNDCG": MeanNDCG(), "NDCG@10": LetorNDCG(10)}
STRENGTHS = np.geomspace(0.001, 10.0, 21)  # of the metric by the full price
LOSSES = (0.002, 0.005, 0.01)
METHODS = ("acquisition over sets", "static", "prefix", "cascade")
FIELDS = ("data", "fold", "metric", "method", "knob", "strength", "value", "cost")
PLACE, PARTS = RESULTS / "costs", OUT / "costs" / "letor"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", nargs="*", choices=tuple(RATES), default=list(RATES))
    parser.add_argument("--report", action="store_true", help="measure nothing")
    given = parser.parse_args()
    if not given.report:
        for data in given.data:
            for fold in (1, 2, 3, 4, 5):
                file = PARTS / f"{data}-{fold}.csv"
                if not file.exists():
                    written(file, FIELDS, list(of_fold(data, fold)))
                    print(data, fold, flush=True)
        written(PLACE / "letor.csv", FIELDS, _known())
    with (PLACE / "letor.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    text = table(rows)
    (PLACE / "letor.md").write_text(text)
    print(text)
    picture(rows)


def of_fold(data: str, fold: int) -> Iterator[dict[str, Any]]:
    """All methods on a fold, by both metrics, at all prices."""
    parts = scores_of_fold(data, fold, letor_sets())
    vali, test = parts["vali"], parts["test"]
    full = float(vali.sets.cost[-1])
    betas = STRENGTHS / full
    for name, metric in METRICS.items():
        whole = measured(statics([len(vali.sets) - 1])[0], test, metric)
        told = {"data": data, "fold": fold, "metric": name}
        yield told | {"method": "full", "knob": 0, "strength": 0} | _shown(whole, full)
        for method, runs in methods(vali, metric, betas).items():
            for k, run in enumerate(runs):
                knob = {"method": method, "knob": k, "strength": f"{STRENGTHS[k]:.4g}"}
                yield told | knob | _shown(measured(run, test, metric), full)


def methods(vali: SetScores, metric: GainMetric, betas: np.ndarray) -> dict[str, list[Run]]:
    """What each method does at each price."""
    chains = [greedy_chain(vali, metric, power) for power in (1.0, 0.0)]
    stages = [
        run for chain in map(list, dict.fromkeys(map(tuple, chains))) for run in cascades(chain)
    ]
    tried = {
        "static": statics(list(range(len(vali.sets)))),
        "prefix": statics([0, *chains[0]]),
        "cascade": statics([0, *chains[0], *chains[1]]) + stages,
    }
    found = {METHODS[0]: ours(vali, metric, betas)}
    return found | {name: chosen(runs, vali, metric, betas) for name, runs in tried.items()}


def _shown(value_and_cost: tuple[float, float], full: float) -> dict[str, str]:
    value, cost = value_and_cost
    return {"value": f"{value:.6f}", "cost": f"{cost / full:.5f}"}


def _known() -> list[dict[str, str]]:
    found = []
    for file in sorted(PARTS.glob("*.csv")):
        with file.open() as lines:
            found += list(csv.DictReader(lines))
    return found


def curve(rows: list[dict[str, str]], data: str, metric: str, method: str) -> np.ndarray:
    """Share of the full price and metric, means over folds, (n_knobs, 2)."""
    of = [r for r in rows if (r["data"], r["metric"], r["method"]) == (data, metric, method)]
    knobs = sorted({int(r["knob"]) for r in of})
    return np.array(
        [
            np.mean([[float(r["cost"]), float(r["value"])] for r in of if int(r["knob"]) == k], 0)
            for k in knobs
        ]
    )


def price_at(points: np.ndarray, wanted: float) -> float:
    """The price of a metric, between neighbours on the upper left edge; NaN if never reached."""
    edge: list[tuple[float, float]] = []
    for cost, value in sorted(map(tuple, points)):
        if not edge or value > edge[-1][1]:
            edge.append((cost, value))
    costs, values = np.array(edge).T
    return float("nan") if values[-1] < wanted else float(np.interp(wanted, values, costs))


def table(rows: list[dict[str, str]]) -> str:
    """Shares of the full price at losses of each metric."""
    head = ("data", "metric", "full", "below full", *METHODS)
    lines = []
    for data in RATES:
        for metric in METRICS:
            full = curve(rows, data, metric, "full")[0, 1]
            for lost in LOSSES:
                costs = [price_at(curve(rows, data, metric, m), full - lost) for m in METHODS]
                shown = ["never" if np.isnan(c) else f"{c:.3f}" for c in costs]
                lines.append((data, metric, f"{full:.4f}", lost, *shown))
    text = ["# Mean price of a document's features, as a share of the full price", ""]
    text += ["Made by `python -m benchmarks.costs.letor`; means over five folds, test queries.", ""]
    return "\n".join([*text, *markdown(head, lines)]) + "\n"


def picture(rows: list[dict[str, str]]) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(10, 8))
    for axis, (data, metric) in zip(
        axes.ravel(), ((d, m) for d in RATES for m in METRICS), strict=True
    ):
        for method in METHODS:
            points = curve(rows, data, metric, method)
            style = {"color": "black", "zorder": 3} if method == METHODS[0] else {}
            axis.plot(*points[np.argsort(points[:, 0])].T, "o-", ms=3, label=method, **style)
        full = curve(rows, data, metric, "full")[0, 1]
        axis.axhline(full, color="0.6", lw=0.8, ls="--")
        axis.set(xscale="log", xlim=(0.04, 1), ylim=(full - 0.025, full + 0.006))
        axis.set(title=data, xlabel="mean cost / full price", ylabel=metric)
    axes[0, 0].legend()
    figure.tight_layout()
    figure.savefig(PLACE / "letor.png", dpi=110)


if __name__ == "__main__":
    main()
