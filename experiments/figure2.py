"""Figure 2: true positives at a fixed rate of false ones, against evaluations on negatives.

    python experiments/figure2.py            three datasets, three seeds, two protocols; hours
                                             of one core; resumes
    python experiments/figure2.py --quick    few rows, features and settings, to see that it runs

Two protocols: "paper" learns policies and cascades on the rows that AdaBoost was trained on, "ours"
on held-out rows. Ties count both ways: "split" reads the usual ROC curve, "whole" never divides
rows of one score. Reads the folder MDDAG_DATA. The runs of each dataset, seed and method are kept
below `out`; delete that folder to start again. Writes a figure for each protocol and kind of ties,
such as paper_split.png; curves_paper.csv and curves_ours.csv, where lines of runs that are not in
the folder stay as they are; means.csv (of seeds, with standard errors); and exponential.csv, the
least L_EXP of prefixes.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the parts of this figure are in a folder next to it

from experiments.detection import cases, methods, plots  # noqa: E402
from experiments.detection.cases import Case, Size  # noqa: E402
from experiments.detection.methods import At  # noqa: E402
from experiments.detection.runs import DetectionRun, best_within  # noqa: E402
from experiments.reports import merged, shown, write  # noqa: E402

MEASURES: tuple[At, ...] = tuple(product((0.1, 0.05, 0.01, 0.001), ("split", "whole")))
BOUNDS = (2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)


def main() -> None:
    options = read_options()
    if not os.environ.get("MDDAG_DATA"):
        raise SystemExit("set MDDAG_DATA to the folder of the datasets; see CONTRIBUTING.md")
    for folder in (options.keep, options.out):
        folder.mkdir(parents=True, exist_ok=True)
    work = [
        (name, seed, protocol)
        for protocol in options.protocols
        for name in options.data
        for seed in options.seeds
    ]
    sizes = {
        p: size if not options.quick else cases.quick(size) for p, size in cases.PROTOCOLS.items()
    }
    begin = time.perf_counter()
    pools = (delayed(pool)(*case[:2], sizes[case[2]], options.keep) for case in work)
    shown("pools", len(work), begin, Parallel(options.jobs, return_as="generator")(pools))
    todo = [
        (*case, method)
        for case in work
        for method in methods.METHODS[case[2]]
        if method not in methods.SOME_OF
        if not options.methods or method in options.methods
    ]
    todo.sort(key=lambda task: task[-1] in methods.SLOW)
    tasks = (
        delayed(kept_runs)(name, seed, sizes[protocol], method, options.keep)
        for name, seed, protocol, method in todo
        if not options.draw
    )
    done = Parallel(options.jobs, return_as="generator_unordered")(tasks)
    shown("methods", len(todo), begin, done)

    found = list(curves(work, sizes, options.keep))
    lines = []
    for protocol in cases.PROTOCOLS:  # a file for each keeps them small
        path = options.out / f"curves_{protocol}.csv"
        own = [line for line in found if line["protocol"] == protocol]
        own = sorted(merged(path, own, ("data", "seed", "method")), key=place)
        if own:
            write(path, own)
        lines += own
    write(options.out / "means.csv", means(lines))
    held_out = [(name, seed) for name, seed, protocol in work if protocol == "ours"]
    if held_out:
        least = list(exponential(held_out, sizes["ours"], options.keep))
        write(
            options.out / "exponential.csv",
            merged(options.out / "exponential.csv", least, ("data", "seed")),
        )
    for protocol in options.protocols:
        own = [line for line in lines if line["protocol"] == protocol]
        for ties in ("split", "whole"):
            dag = one_dag(own, sizes[protocol], options.keep) if ties == "split" else None
            shown_lines = [line for line in own if line["ties"] == ties]
            figure = plots.draw_figure(shown_lines, protocol, ties, dag)
            figure.savefig(options.out / f"{protocol}_{ties}.png", dpi=100)
    report(lines)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few rows, features and settings")
    parser.add_argument("--draw", action="store_true", help="only what the kept runs say")
    parser.add_argument("--data", nargs="+", choices=cases.NAMES, default=cases.NAMES)
    parser.add_argument(
        "--protocols", nargs="+", choices=cases.PROTOCOLS, default=list(cases.PROTOCOLS)
    )
    parser.add_argument("--methods", nargs="+", help="default: all of the protocol")
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


def pool(name: str, seed: int, size: Size, folder: Path) -> str:
    Case.of(name, seed, size, folder)
    return f"{name} {seed} {size.key}"


def stored(folder: Path, name: str, seed: int, size: Size, method: str) -> Path:
    return folder / f"{name}-{seed}-{size.key}-{method.replace(', ', '-').replace(' ', '-')}.npz"


def kept_runs(name: str, seed: int, size: Size, method: str, folder: Path) -> str:
    """Compute the runs of a method, unless the folder has them."""
    path = stored(folder, name, seed, size, method)
    began = time.process_time()
    if not path.exists():
        found = methods.runs(Case.of(name, seed, size, folder), method, MEASURES, BOUNDS)
        arrays = {f"{at}": [list(vars(run).values()) for _, run in found[at]] for at in MEASURES}
        names = {f"names {at}": [setting for setting, _ in found[at]] for at in MEASURES}
        unfinished = path.with_suffix(".part.npz")
        np.savez(unfinished, **arrays, **names, seconds=time.process_time() - began)
        unfinished.rename(path)
    return (
        f"{name} {seed} {size.key} {method} ({time.process_time() - began:.0f} processor seconds)"
    )


def curves(
    work: list[tuple[str, int, str]], sizes: dict[str, Size], folder: Path
) -> Iterator[dict[str, Any]]:
    """k*(N) of every dataset, seed, protocol, method, rate, kind of ties and N."""
    for name, seed, protocol in work:
        for method in methods.METHODS[protocol]:
            source = methods.SOME_OF.get(method, method)
            path = stored(folder, name, seed, sizes[protocol], source)
            if path.exists():
                where = {"protocol": protocol, "data": name, "seed": seed, "method": method}
                yield from (where | line for line in curve(np.load(path), method))


def curve(kept: Any, method: str) -> Iterator[dict[str, Any]]:
    """What is chosen within each bound from the runs in a file."""
    chooses = method not in {*methods.SAME_FOR_ALL_RATES, *methods.SOME_OF}  # itself, by bound
    for at in MEASURES:
        runs = [DetectionRun(*row) for row in kept[f"{at}"]]
        settings = kept[f"names {at}"].tolist()
        if method in methods.SOME_OF:
            some = [k for k, setting in enumerate(settings) if methods.has_high_rate(setting)]
            runs, settings = [runs[k] for k in some], [settings[k] for k in some]
        named = dict(zip(map(id, runs), settings, strict=True))
        for bound, best in zip(BOUNDS, runs if chooses else best_within(runs, BOUNDS), strict=True):
            if best is not None and best.train_cost <= bound:
                setting = named[id(best)]
                n_settings = int(setting.rpartition("of ")[2]) if chooses else len(runs)
                line = {"fpr": at[0], "ties": at[1], "bound": bound} | vars(best)
                yield line | {"setting": setting, "settings": n_settings}


def place(line: dict[str, Any]) -> tuple[int, ...]:
    """Where a line of a protocol belongs: by dataset, seed and method."""
    known = methods.METHODS[line["protocol"]]
    return cases.NAMES.index(line["data"]), line["seed"], known.index(line["method"])


KEY = ("protocol", "data", "fpr", "ties", "method", "bound")


def means(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Means over seeds with standard errors, where every seed has a setting within N."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for line in lines:
        groups.setdefault(tuple(line[k] for k in KEY), []).append(line)
    most = max(map(len, groups.values()))
    found = []
    for key, group in groups.items():
        if len(group) < most:
            continue
        mean: dict[str, Any] = dict(zip(KEY, key, strict=True))
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


def one_dag(
    lines: list[dict[str, Any]], size: Size, folder: Path
) -> tuple[Any, np.ndarray, str] | None:
    """What the policy of MDDAG.I that is best within ten evaluations does with test rows."""
    name = lines[0]["data"]
    own = [
        line
        for line in lines
        if (line["data"], line["method"]) == (name, "MDDAG.I") and line["bound"] <= 10
    ]
    if not own:
        return None
    best = own[-1]
    case = Case.of(best["data"], best["seed"], size, folder)
    return *methods.traced(case, best["setting"]), cases.TITLES[name]


def report(lines: list[dict[str, Any]]) -> None:
    """Print the means as a table."""
    table = {tuple(m[k] for k in KEY): m for m in means(lines)}
    for group in dict.fromkeys(key[:4] for key in table):
        print("\n{}, {}, FPR {:g}, ties {}: TPR within N =".format(*group), *BOUNDS)
        for method in methods.METHODS[group[0]]:
            row = [table.get((*group, method, n)) for n in BOUNDS]
            print(f"{method:24}", *("  -  " if m is None else f"{m['test_tpr']:.3f}" for m in row))


if __name__ == "__main__":
    main()
