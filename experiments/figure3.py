"""Figure 3: MeanNDCG of LETOR 4.0 against mean evaluations, five official folds.

    python experiments/figure3.py            MQ2007 and MQ2008; about forty minutes on two cores;
                                             resumes
    python experiments/figure3.py --quick    few queries, trees and settings, to see that it runs

Reads the folder MDDAG_DATA; MQ2007 has 85 % of its documents there. Models, and the runs of each
dataset, fold and method, are kept below `out`; delete that folder to start again. Writes
figure3.png and its numbers: curves.csv (means over all test queries, with paired standard errors)
and choices.csv (the settings chosen on validation queries, or on training queries in the paper's
protocol). Lines of methods whose runs are not in the folder stay as they are.
docs/research/reproduction.md and docs/research/ranking.md say what it shows.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the parts of this figure are in a folder next to it

from experiments.ranking import cases, plots  # noqa: E402
from experiments.ranking.cases import Case, Size  # noqa: E402
from experiments.ranking.curves import CHOSEN, METHODS, choices, curves, path  # noqa: E402
from experiments.ranking.runs import save_runs  # noqa: E402
from experiments.reports import merged, shown, write  # noqa: E402


def main() -> None:
    options = read_options()
    if not os.environ.get("MDDAG_DATA"):
        raise SystemExit("set MDDAG_DATA to the folder of the datasets; see CONTRIBUTING.md")
    size = cases.QUICK if options.quick else Size()
    options.keep.mkdir(parents=True, exist_ok=True)
    options.out.mkdir(parents=True, exist_ok=True)
    work = [(name, fold) for name in options.data for fold in options.folds]
    begin = time.perf_counter()
    models = (delayed(trained)(*case, size, options.keep) for case in work)
    shown("models", len(work), begin, Parallel(options.jobs, return_as="generator")(models))
    wanted = options.methods or slowest_first()
    todo = [(*case, method) for method in wanted for case in work]
    tasks = (delayed(kept_runs)(*task, size, options.keep) for task in todo)
    done = Parallel(options.jobs, return_as="generator_unordered")(tasks)
    shown("methods", len(todo), begin, done)

    given = options.folds, options.keep  # every method that has been run, now or before
    lines = [line for name in options.data for line in curves(name, *given)]
    chosen = [line for name in options.data for line in choices(name, *given)]
    lines = merged(options.out / "curves.csv", lines, ("data", "method"))
    chosen = merged(options.out / "choices.csv", chosen, ("data", "fold", "method"))
    write(options.out / "curves.csv", sorted(lines, key=place))
    write(options.out / "choices.csv", sorted(chosen, key=place))
    plots.draw_figure(lines, len(options.folds)).savefig(options.out / "figure3.png", dpi=130)
    report(lines)


def place(line: dict[str, Any]) -> tuple[int, ...]:
    """Where a line belongs: by dataset, method and fold."""
    methods = [*(method for method in METHODS if method not in CHOSEN), *CHOSEN]
    return cases.NAMES.index(line["data"]), methods.index(line["method"]), line.get("fold", 0)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few queries, trees and settings")
    parser.add_argument("--data", nargs="+", choices=cases.NAMES, default=cases.NAMES)
    parser.add_argument("--methods", nargs="+", choices=METHODS, help="default: all")
    parser.add_argument("--folds", nargs="+", type=int, choices=range(1, 6))
    parser.add_argument("--jobs", type=int, default=2, help="processes; default: %(default)s")
    parser.add_argument("--keep", type=Path, help="where runs are kept; default: out/figure3")
    parser.add_argument("--out", type=Path, help="default: experiments/results/figure3")
    options = parser.parse_args()
    name = "figure3_quick" if options.quick else "figure3"
    options.folds = options.folds or ([1, 2] if options.quick else [1, 2, 3, 4, 5])
    options.keep = options.keep or ROOT / "out" / name
    if options.out is None:
        results = ROOT / "experiments" / "results" / "figure3"
        options.out = options.keep if options.quick else results
    return options


def slowest_first() -> list[str]:
    return sorted(METHODS, key=lambda name: not name.startswith("MDDAG"))


def trained(name: str, fold: int, size: Size, folder: Path) -> str:
    Case.of(name, fold, size, folder)
    return f"{name} {fold}"


def kept_runs(name: str, fold: int, method: str, size: Size, folder: Path) -> str:
    """Compute the runs of a method, unless the folder has them."""
    file = path(folder, name, fold, method)
    began = time.perf_counter()
    if not file.exists():
        case = Case.of(name, fold, size, folder)
        save_runs(file, METHODS[method](case), len(case.parts["test"][1]))
    return f"{name} {fold} {method} ({time.perf_counter() - began:.0f} s)"


def report(lines: list[dict[str, Any]]) -> None:
    """Print some points of each curve: the last within each number of evaluations."""
    bounds = (2, 5, 10, 20, 50, 100, 200, 500)
    for name in dict.fromkeys(line["data"] for line in lines):
        print(f"\n{name}: MeanNDCG within N =", *bounds)
        for method in dict.fromkeys(line["method"] for line in lines):
            own = [ln for ln in lines if (ln["data"], ln["method"]) == (name, method)]
            within = ([ln for ln in own if ln["evaluations"] <= n] for n in bounds)
            best = [max(some, key=lambda ln: ln["evaluations"], default=None) for some in within]
            print(
                f"{method:26}", *("  -  " if b is None else f"{b['mean_ndcg']:.4f}" for b in best)
            )


if __name__ == "__main__":
    main()
