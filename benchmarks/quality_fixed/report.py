"""Tables from the solved problems: every reading (.csv), and what they come to (.md).

The best rival of a problem is the one with the smallest geometric mean of evaluations over the
seeds. Ratios are geometric means. Two methods tie (=) where the mean logarithm of their ratio over
the seeds is within two standard errors of 0.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.quality_fixed.curves import TOLERANCES, by_method, reading
from benchmarks.quality_fixed.methods import OURS, OWN_ORDER, RIVALS
from benchmarks.quality_fixed.models import ENSEMBLES
from benchmarks.quality_fixed.picture import picture
from benchmarks.quality_fixed.split import DATA, FRESH
from benchmarks.table import markdown, written

NOTE = """Mean evaluations over the seeds, standard deviation in brackets. "default" is ours; =
marks a tie with it: the mean logarithm of the ratio is within two standard errors of 0. "+ order":
in `Correlation` order (docs/ordering.md); "+ condensed": on condensed ensembles, likewise ordered
(docs/condensation.md). Ratios are geometric means, below 1 where ours evaluates less."""
FIELDS = ("data", "ensemble", "tolerance", "method", "seed", "evaluations", "full_error")
CHANCES = ["data", "full log-loss", "label agreement at 0.2 points", "default adds",
           "pred_early_stop adds", "ratio", "evaluations within 2 %", "of the prefix + order",
           "ratio"]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Case:
    """The readings of a data set, an ensemble and a tolerance: method -> (n_seeds,)."""

    data: str
    ensemble: str
    tolerance: float
    methods: dict[str, np.ndarray]

    def best_rival(self) -> str:
        return min((m for m in RIVALS if m in self.methods), key=lambda m: mean(self.methods[m]))

    def ratio(self, rival: str) -> float:
        """What ours evaluates for one evaluation of the rival."""
        return mean(self.methods[OURS] / self.methods[rival])

    def ties(self, method: str) -> bool:
        """Whether the method and ours are within two standard errors of each other."""
        logs = np.log(self.methods[method] / self.methods[OURS])
        if len(logs) < 2:
            return False
        return bool(abs(logs.mean()) <= 2 * logs.std(ddof=1) / np.sqrt(len(logs)))


def mean(numbers: np.ndarray) -> float:
    """The geometric mean."""
    return float(np.exp(np.log(numbers).mean()))


def write(parts: Sequence[Path], results: Path, name: str) -> None:
    """Make tables and picture of the problems solved so far: results/name.csv, .md and .png."""
    solved = [json.loads(part.read_text(encoding="utf-8")) for part in parts]
    names = [*DATA, *FRESH]
    solved.sort(key=lambda p: (names.index(p["data"]), ENSEMBLES.index(p["ensemble"])))
    rows = [row for problem in solved for row in readings(problem)]
    written(results / f"{name}.csv", FIELDS, rows)
    tables = [NOTE, work(gathered(rows)), chances(solved)]
    (results / f"{name}.md").write_text("\n\n".join(tables) + "\n", encoding="utf-8")
    picture(solved, results / f"{name}.png")


def readings(problem: dict[str, Any]) -> list[dict[str, Any]]:
    """The fewest evaluations of every method at every tolerance."""
    curves = by_method(problem)
    (full,) = curves.pop("full")
    key = {name: problem[name] for name in ("data", "ensemble", "seed")}
    return [
        {
            **key,
            "tolerance": tolerance,
            "method": method,
            "evaluations": round(reading(curve, full, tolerance), 3),
            "full_error": round(full.error, 5),
        }
        for tolerance in TOLERANCES
        for method, curve in curves.items()
    ]


def gathered(rows: list[dict[str, Any]]) -> list[Case]:
    """The readings by data set, ensemble and tolerance."""
    numbers: dict[tuple[str, str, float], dict[str, list[float]]] = {}
    for row in rows:
        methods = numbers.setdefault((row["data"], row["ensemble"], row["tolerance"]), {})
        methods.setdefault(row["method"], []).append(row["evaluations"])
    return [
        Case(*key, {name: np.array(values) for name, values in methods.items()})
        for key, methods in numbers.items()
    ]


def work(cases: list[Case]) -> str:
    """Evaluations at equal error by ensemble, and the ratios to the best rival."""
    lines = []
    for tolerance in TOLERANCES:
        here = [case for case in cases if case.tolerance == tolerance]
        lines.append(f"## Evaluations at {100 * tolerance:.1f} points above the full error\n")
        for ensemble in ENSEMBLES:
            lines += [*evaluations([c for c in here if c.ensemble == ensemble], ensemble), ""]
        lines += [*verdict(here), ""]
    return "\n".join(lines)


def evaluations(cases: list[Case], ensemble: str) -> list[str]:
    """Methods by data sets."""
    # all problems name the methods in one order, and one with two classes has all of them
    methods = max((list(case.methods) for case in cases), key=len, default=[])
    rows = [[method, *(cell(case, method) for case in cases)] for method in methods]
    return markdown([ensemble, *(case.data for case in cases)], rows)


def cell(case: Case, method: str) -> str:
    """Mean over the seeds, spread in brackets, = for a tie with ours."""
    if method not in case.methods:
        return ""
    numbers = case.methods[method]
    tie = " =" if method != OURS and case.ties(method) else ""
    return f"{numbers.mean():.1f} ({numbers.std():.1f}){tie}"


def verdict(cases: list[Case]) -> list[str]:
    """Ours beside the best rival and beside QWYC in its own order, problem by problem."""
    best = {case: case.ratio(case.best_rival()) for case in cases}
    own = {case: case.ratio(OWN_ORDER) for case in cases if OWN_ORDER in case.methods}
    rows = []
    for case in cases:
        rival = case.best_rival()
        tie = " =" if case.ties(rival) else ""
        beside = f"{own[case]:.2f}" if case in own else ""
        rows.append([f"{case.data}, {case.ensemble}", rival, f"{best[case]:.2f}{tie}", beside])
    ratios = [np.array(list(part.values())) for part in (best, own)]
    for name, summary in {"geometric mean": mean, "worst": np.max}.items():
        rows.append([name, "", *(f"{summary(part):.2f}" if len(part) else "" for part in ratios)])
    return markdown(["problem", "best rival", "ours / its", f"ours / {OWN_ORDER}"], rows)


def chances(solved: list[dict[str, Any]]) -> str:
    """Log-loss beside the full ensemble's and pred_early_stop's: means over the seeds."""
    rows = []
    for name in dict.fromkeys(problem["data"] for problem in solved):
        seeds = [p["probabilities"] for p in solved if p["data"] == name and p["probabilities"]]
        if not seeds:
            continue
        means = {key: np.mean([seed[key] for seed in seeds]) for key in seeds[0]}
        full = means["full_log_loss"]
        ours, theirs = means["log_loss"] - full, means["early_stop_log_loss"] - full
        rows.append([
            name, f"{full:.4f}", f"{means['agreement']:.4f}", f"{100 * ours / full:+.1f} %",
            f"{100 * theirs / full:+.1f} %", f"{ours / theirs:.2f}" if theirs > 0 else "",
            f"{means['evaluations']:.1f}", f"{means['prefix_evaluations']:.1f}",
            f"{means['evaluations'] / means['prefix_evaluations']:.2f}",
        ])  # fmt: skip
    return "\n".join(["## Probabilities, LightGBM\n", *markdown(CHANCES, rows)])
