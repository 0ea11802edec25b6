"""Report of the curves: cost at equal error as ratios, a table of ann_thyroid, a plot.

Curves are averaged over seeds, strength by strength. The cost at a given error is read off the
lower left edge of the averaged curve, in a straight line between neighbors; its standard error is
that of the jackknife over seeds. Sets where a method never comes so close to the full model have
none.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.costs.curves import FIELDS
from benchmarks.costs.price_lists import NAMES, problem
from benchmarks.table import markdown, written

POINTS = (0.2, 0.5)
RIVALS = ("static", "CEGB", "cascade")
METHODS = ("acquire", *RIVALS)
OF = {
    "acquire": ("acquire",),
    "static": ("static", "static, chains"),
    "CEGB": ("CEGB lazy", "CEGB coupled"),
    "cascade": ("cascade, labels", "cascade, teacher"),
}
FEWER = "cascade, policy rows"  # tuned on these alone, as one does by hand
OF_FEWER = {FEWER: tuple(f"{variant}, policy rows" for variant in OF["cascade"])}
OTHERS = {"one model": ("static", "CEGB"), "cascade": ("cascade",), FEWER: (FEWER,)}
Curve = dict[int, np.ndarray]  # by seed: (n_knobs, 4): excess error, cost / full, waves, macro-F1


def report(rows: list[dict[str, str]], place: Path) -> None:
    """Write curves.csv, prices.csv, summary.csv, summary.md and curves.png."""
    place.mkdir(parents=True, exist_ok=True)
    written(place / "curves.csv", FIELDS, rows)
    sets = [name for name in NAMES if any(row["set"] == name for row in rows)]
    written(place / "prices.csv", ["set", "group", "price", "columns"], _prices(sets))
    table = [line for name in sets for line in _lines(rows, name)]
    written(place / "summary.csv", list(table[0]), table)
    (place / "summary.md").write_text(_markdown(rows, sets, table))
    plot(rows, sets, place / "curves.png")
    print((place / "summary.md").read_text())


def curves_of(rows: list[dict[str, str]], name: str, method: str) -> Curve:
    """The curves of a method on a set."""
    found: Curve = {}
    of_set = [row for row in rows if row["set"] == name]
    full = {row["seed"]: row for row in of_set if row["method"] == "full"}
    for seed, whole in full.items():
        own = [row for row in of_set if row["method"] == method and row["seed"] == seed]
        found[int(seed)] = np.array(
            [
                [
                    float(row["error"]) - float(whole["error"]),
                    float(row["cost"]) / float(whole["cost"]),
                    float(row["waves"]),
                    float(row["macro_f1"]),
                ]
                for row in sorted(own, key=lambda row: int(row["knob"]))
            ]
        )
    return found


def cost_at(curve: np.ndarray, points: float) -> float:
    """The share of the full price at so many points above the full error; NaN if never reached."""
    edge: list[tuple[float, float]] = []
    for error, cost in sorted(map(tuple, curve[:, :2]), key=lambda pair: pair[1]):
        if not edge or error < edge[-1][0]:
            edge.append((error, cost))
    errors, costs = np.array(edge).T
    if errors[-1] > points:
        return float("nan")
    return float(np.interp(-points, -errors, costs))


def best_at(rows: list[dict[str, str]], name: str, method: str, points: float) -> tuple[float, ...]:
    """The best of the variants of a method: all seeds together, then without each of them."""
    variants = [curves_of(rows, name, variant) for variant in (OF | OF_FEWER)[method]]
    seeds = sorted(variants[0])
    alone = [tuple(seeds)]
    alone += [tuple(t for t in seeds if t != s) for s in seeds] if len(seeds) > 1 else []
    return tuple(
        float(
            np.nanmin(
                [cost_at(np.mean([v[s] for s in kept], axis=0), points) for v in variants] + [1.0]
            )
        )
        for kept in alone
    )


def _lines(rows: list[dict[str, str]], name: str) -> list[dict[str, object]]:
    found = []
    n_seeds = len({row["seed"] for row in rows if row["set"] == name})
    for points in POINTS:
        costs = {method: best_at(rows, name, method, points) for method in (*METHODS, FEWER)}
        line: dict[str, object] = {"set": name, "points": points, "seeds": n_seeds}
        line |= {method: f"{cost[0]:.3f}" for method, cost in costs.items()}
        for other, to in OTHERS.items():
            ratio = np.array(costs["acquire"]) / np.min([costs[m] for m in to], axis=0)
            line[f"of {other}"] = f"{ratio[0]:.3f}"
            line[f"se of {other}"] = f"{_jackknife(ratio[1:]):.3f}"
        found.append(line)
    return found


def _jackknife(without: np.ndarray) -> float:
    n = len(without)
    if n < 2:
        return float("nan")
    return float(np.sqrt((n - 1) / n * np.square(without - without.mean()).sum()))


def _geometric(table: list[dict[str, object]], points: float, field: str) -> float:
    numbers = [float(str(line[field])) for line in table if line["points"] == points]
    return float(np.exp(np.mean(np.log(numbers))))


def _markdown(rows: list[dict[str, str]], sets: list[str], table: list[dict[str, object]]) -> str:
    text = ["# Mean feature cost at equal error, as a share of the full price", ""]
    text += ["Made by `python -m benchmarks.costs`; \u00b1 is the jackknife over seeds.", ""]
    text += ["Static subsets and cascades are tuned on the rows that `acquire` learns from: policy"]
    text += ["rows, and training rows with cross-fitted scores. The last column has cascades that"]
    text += ["are tuned on policy rows alone.", ""]
    for points in POINTS:
        text += [f"## {points} points above the full error", ""]
        heads = ("set", "seeds", *METHODS, *(f"of {other}" for other in OTHERS))
        shown = [
            [line[field] for field in ("set", "seeds", *METHODS)]
            + [f"{line[f'of {o}']} \u00b1 {line[f'se of {o}']}" for o in OTHERS]
            for line in table
            if line["points"] == points
        ]
        fields = (*METHODS, *(f"of {other}" for other in OTHERS))
        means = [f"{_geometric(table, points, field):.3f}" for field in fields]
        text += [*markdown(heads, [*shown, ["geometric mean", "", *means]]), ""]
    if "ann_thyroid" in sets:
        text += _thyroid(rows)
    return "\n".join(text) + "\n"


def _thyroid(rows: list[dict[str, str]]) -> list[str]:
    """Accuracy and macro-F1 against mean cost at the published prices."""
    text = ["## ann_thyroid at its published prices", ""]
    lines: list[tuple[str, ...]] = []
    own = [row for row in rows if row["set"] == "ann_thyroid"]
    for method in ("full", *(variant for variants in OF.values() for variant in variants)):
        of_method = [row for row in own if row["method"] == method]
        knobs = sorted({int(row["knob"]) for row in of_method})
        shown = set()
        for knob in knobs:
            at = [row for row in of_method if int(row["knob"]) == knob]
            fields = ("cost", "error", "macro_f1", "waves")
            cost, error, f1, waves = (np.mean([float(r[f]) for r in at]) for f in fields)
            if f"{cost:.0f}" not in shown:
                shown.add(f"{cost:.0f}")
                lines.append((method, *(f"{v:.2f}" for v in (cost, 100 - error, f1, waves))))
    head = ("method", "mean cost", "accuracy", "macro-F1", "waves")
    return [*text, *markdown(head, lines), ""]


def _prices(sets: list[str]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for name in sets:
        data = problem(name, 0)
        for group, columns in data.groups.items():
            where = " ".join(map(str, columns))
            price = data.costs[group]
            found.append({"set": name, "group": group, "price": price, "columns": where})
    return found


def plot(rows: list[dict[str, str]], sets: list[str], file: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(3, 3, figsize=(12, 10), squeeze=False)
    for name, axis in zip(sets, axes.ravel(), strict=False):
        curves = {}
        for method, variants in OF.items():
            for variant in variants:
                mean = np.mean(list(curves_of(rows, name, variant).values()), axis=0)
                curves[variant if len(variants) > 1 else method] = mean[:, 1], mean[:, 0]
        for i, (method, (costs, errors)) in enumerate(curves.items()):
            order = np.argsort(costs, kind="stable")
            axis.plot(
                costs[order], errors[order], "o-", lw=2.4 if i == 0 else 1.2, ms=3, label=method
            )
        axis.legend(fontsize=8, frameon=False)
        axis.set(title=name, xlabel="mean cost / full price", ylabel="points above full error")
        axis.set_ylim(-0.5, 3)
        axis.axhline(0, color="0.6", linewidth=0.8)
    for axis in axes.ravel()[len(sets) :]:
        axis.set_axis_off()
    figure.tight_layout()
    figure.savefig(file, dpi=110)
