"""Figure 2: true positives at a fixed rate of false ones, against evaluations on negatives.

    python experiments/figure2.py            three data sets, three seeds; about 35 minutes on two
                                             cores; goes on where it was stopped
    python experiments/figure2.py --quick    few rows, features and settings, to see that it runs

Reads the folder MDDAG_DATA. The runs of each data set, seed and method are kept below `out`; delete
that folder to begin anew. Writes figure2.png and its numbers: curves.csv, means.csv (of seeds, with
standard errors) and exponential.csv (why L_EXP needs a scale).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the parts of this figure are in a folder beside it

from experiments.detection import cases, methods, picture  # noqa: E402
from experiments.detection.cases import Case, Size  # noqa: E402
from experiments.reports import shown, write  # noqa: E402
from mddag.metrics import DetectionRun, best_within  # noqa: E402

RATES = (0.01, 0.001)
BOUNDS = (2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)


def main() -> None:
    options = read_options()
    if not os.environ.get("MDDAG_DATA"):
        raise SystemExit("set MDDAG_DATA to the folder of the data sets; see CONTRIBUTING.md")
    size = cases.QUICK if options.quick else Size()
    options.keep.mkdir(parents=True, exist_ok=True)
    options.out.mkdir(parents=True, exist_ok=True)
    work = [(name, seed) for name in options.data for seed in options.seeds]
    begin = time.perf_counter()
    pools = (delayed(pool)(*case, size, options.keep) for case in work)
    shown("pools", len(work), begin, Parallel(options.jobs, return_as="generator")(pools))
    todo = [(*case, method) for method in slowest_first() for case in work]
    tasks = (delayed(kept_runs)(*task, size, options.keep) for task in todo)
    done = Parallel(options.jobs, return_as="generator_unordered")(tasks)
    shown("methods", len(todo), begin, done)

    lines = list(curves(work, size, options.keep))
    write(options.out / "curves.csv", lines)
    write(options.out / "means.csv", means(lines))
    write(options.out / "exponential.csv", exponential(work, size, options.keep))
    trace, y = one_dag(work[0], size, options.keep)
    picture.drawn(lines, trace, y, RATES).savefig(options.out / "figure2.png", dpi=130)
    report(lines)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few rows, features and settings")
    parser.add_argument("--data", nargs="+", choices=cases.NAMES, default=cases.NAMES)
    parser.add_argument("--seeds", nargs="+", type=int)
    parser.add_argument("--jobs", type=int, default=2, help="processes; default: %(default)s")
    parser.add_argument("--keep", type=Path, help="where runs are kept; default: out/figure2")
    parser.add_argument("--out", type=Path, help="default: experiments/results/figure2")
    options = parser.parse_args()
    name = "figure2_quick" if options.quick else "figure2"
    options.seeds = options.seeds or ([0, 1] if options.quick else [0, 1, 2])
    options.keep = options.keep or ROOT / "out" / name
    if options.out is None:
        results = ROOT / "experiments" / "results" / "figure2"
        options.out = options.keep if options.quick else results
    return options


def slowest_first() -> list[str]:
    return sorted(methods.METHODS, key=lambda name: name not in ("FCBoost", "VJCascade"))


def pool(name: str, seed: int, size: Size, folder: Path) -> str:
    Case.of(name, seed, size, folder)
    return f"{name} {seed}"


def kept_runs(name: str, seed: int, method: str, size: Size, folder: Path) -> str:
    """Compute the runs of a method, unless the folder has them."""
    path = folder / f"{name}-{seed}-{method}.npz"
    began = time.process_time()
    if not path.exists():
        found = methods.runs(Case.of(name, seed, size, folder), method, RATES, BOUNDS)
        arrays = {f"{fpr:g}": [list(vars(run).values()) for _, run in found[fpr]] for fpr in RATES}
        names = {f"names {fpr:g}": [setting for setting, _ in found[fpr]] for fpr in RATES}
        unfinished = path.with_suffix(".part.npz")
        np.savez(unfinished, **arrays, **names, seconds=time.process_time() - began)
        unfinished.rename(path)
    return f"{name} {seed} {method} ({time.process_time() - began:.0f} processor seconds)"


def curves(work: list[tuple[str, int]], size: Size, folder: Path) -> Iterator[dict[str, Any]]:
    """k*(N) of every data set, seed, rate, method and N."""
    for (name, seed), method in ((case, m) for case in work for m in methods.METHODS):
        stored = np.load(folder / f"{name}-{seed}-{method}.npz")
        for fpr in RATES:
            runs = [DetectionRun(*row) for row in stored[f"{fpr:g}"]]
            settings = dict(zip(map(id, runs), stored[f"names {fpr:g}"].tolist(), strict=True))
            own = method not in methods.SAME_FOR_ALL_RATES  # it has chosen within each bound
            for bound, best in zip(BOUNDS, runs if own else best_within(runs, BOUNDS), strict=True):
                if best is not None and best.train_cost <= bound:
                    where = {"data": name, "seed": seed, "fpr": fpr, "method": method}
                    setting = settings[id(best)]
                    n_settings = int(setting.rpartition("of ")[2]) if own else len(runs)
                    chosen = {"setting": setting, "settings": n_settings}
                    yield where | {"bound": bound} | vars(best) | chosen


def means(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Means over seeds with standard errors, where every seed has a setting within N."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for line in lines:
        key = tuple(line[k] for k in ("data", "fpr", "method", "bound"))
        groups.setdefault(key, []).append(line)
    most = max(map(len, groups.values()))
    found = []
    for key, group in groups.items():
        if len(group) < most:
            continue
        mean: dict[str, Any] = dict(zip(("data", "fpr", "method", "bound"), key, strict=True))
        for column in ("test_tpr", "test_cost", "held_out_tpr", "held_out_fpr"):
            values = np.array([line[column] for line in group])
            mean[column] = values.mean()
            mean[f"{column}_error"] = values.std(ddof=1) / np.sqrt(most) if most > 1 else 0.0
        found.append(mean | {"seeds": most, "settings": group[0]["settings"]})
    return found


def exponential(work: list[tuple[str, int]], size: Size, folder: Path) -> Iterator[dict[str, Any]]:
    """The mean of L_EXP(scale f) of prefixes on policy rows; quitting at once has 1."""
    for name, seed in work:
        case = Case.of(name, seed, size, folder)
        sums = np.cumsum(case.dense[0], axis=1)
        margins = np.where(case.y_policy > 0, 1, -1)[:, None] * sums
        for scale in (0.02, 0.05, 0.1, 0.2, 0.5, 1.0):
            loss = np.exp(-2 * scale * margins).mean(axis=0)
            j = int(loss.argmin())
            where = {"data": name, "seed": seed, "scale": scale}
            yield where | {"least_loss": loss[j], "prefix": j + 1, "loss_of_all": loss[-1]}


def one_dag(case: tuple[str, int], size: Size, folder: Path) -> tuple[Any, np.ndarray]:
    """The policy of MDDAG.I that is best within ten evaluations, and what it does on test rows."""
    name, seed = case
    stored = np.load(folder / f"{name}-{seed}-MDDAG.I.npz")
    runs = [DetectionRun(*row) for row in stored[f"{RATES[0]:g}"]]
    best = best_within(runs, [10.0])[0] or min(runs, key=lambda run: run.train_cost)
    return methods.traced(Case.of(name, seed, size, folder), runs.index(best))


def report(lines: list[dict[str, Any]]) -> None:
    """Print the means as a table."""
    table = {(m["data"], m["fpr"], m["method"], m["bound"]): m for m in means(lines)}
    for name, fpr in sorted({key[:2] for key in table}, reverse=True):
        print(f"\n{name}, FPR {fpr:g}: TPR within N =", *BOUNDS)
        for method in methods.METHODS:
            row = [table.get((name, fpr, method, n)) for n in BOUNDS]
            print(f"{method:12}", *("  -  " if m is None else f"{m['test_tpr']:.3f}" for m in row))


if __name__ == "__main__":
    main()
