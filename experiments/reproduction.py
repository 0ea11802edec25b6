"""Figure 2, one difference from the paper at a time: what does each contribute?

    python experiments/reproduction.py            about an hour of one core; resumes
    python experiments/reproduction.py --quick    few rows and episodes, to see that it runs

Viola-Jones faces. Test rows are not read: a third of the training rows is held out in their place,
three seeds. Every run is a policy, learned at one price beta, and one line of runs.csv, which is
written as runs end. contributions.csv has k*(N) of each formulation, means of seeds with standard
errors; convergence.csv the objective of the paper's solver by episodes. Reads the folder
MDDAG_DATA. docs/research/reproduction.md says what it shows.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the parts of this figure are in a folder next to it

from experiments.detection import methods  # noqa: E402
from experiments.detection.cases import PAPER, Case, Size, quick  # noqa: E402
from experiments.detection.formulations import (  # noqa: E402
    BETAS,
    EXP_BETAS,
    Formulation,
    decided,
)
from experiments.detection.runs import DetectionRun, Scored  # noqa: E402
from experiments.reports import read, write  # noqa: E402
from mddag.solvers import Descent, Portfolio, Sarsa, WatkinsQ  # noqa: E402
from mddag.solvers.sarsa import Growing  # noqa: E402
from mddag.solvers.values import RadialBasis, Table  # noqa: E402

RATES = (0.1, 0.05, 0.01, 0.001)
TIES = ("split", "whole")
BOUNDS = (2, 3, 5, 7, 10, 15, 20, 30, 50)
BASELINES = ("AdaBoost", "SoftCascade")
OF = (("#D55E00", "o"), ("#0072B2", "s"), ("#333333", "^"))  # colors and markers
COARSE = tuple(10.0 ** np.linspace(-4, -1.5, 6))  # the grid of our first figure
OTHER_ROWS = Size(exploring=True)
SAME_ROWS = replace(PAPER, exploring=True)


class Printed:
    """Epsilon as the paper prints it: it grows to 0.3 in the first 10,000 episodes and stays."""

    def __call__(self, episode: int, n_steps: int) -> NDArray[np.float64]:
        return np.full(n_steps, 0.3 / -(-10_000 // max(episode, 1)))

    def __repr__(self) -> str:
        return "Printed()"


def formulations() -> dict[str, tuple[Size, Formulation]]:
    """Every formulation by name; the differences in the order of their expected effect."""
    base = Formulation()
    exp = Formulation(loss="exp", betas=EXP_BETAS)
    exact = Descent()
    many = replace(base, snapshots=True)
    changes = {
        "MDDAG.I, the base": base,
        "every snapshot is a run": many,
        "exact solver": replace(base, solver=exact),
        "false positive costs 10": replace(base, false_positive=10.0),
        "exact solver, false positive costs 10": replace(base, false_positive=10.0, solver=exact),
        "every snapshot, false positive costs 10": replace(many, false_positive=10.0),
        "MDDAG.EXP, the base": exp,
        "MDDAG.EXP, every snapshot is a run": replace(exp, snapshots=True),
        "MDDAG.EXP, raw scores": replace(exp, scale=1.0, betas=BETAS),
        "MDDAG.EXP, scale 0.1": replace(exp, scale=0.1, betas=BETAS),
        "classes balanced": replace(base, prior="balanced"),
        "negatives weigh 10": replace(base, prior=10.0),
        "exact solver, negatives weigh 10": replace(base, prior=10.0, solver=exact),
        "every snapshot, negatives weigh 10": replace(many, prior=10.0, betas=(*BETAS, 3e-2)),
        "MDDAG.EXP, every snapshot, negatives weigh 10": replace(exp, snapshots=True, prior=10.0),
        "three seeds": replace(base, seeds=3),
        "false positive costs 3": replace(base, false_positive=3.0),
        "false positive costs 30": replace(base, false_positive=30.0),
        "128 bins of the total": replace(base, solver=Sarsa(Table(128, running=False))),
        "128 bins, every snapshot": replace(many, solver=Sarsa(Table(128, running=False))),
        "radial basis": replace(base, solver=Sarsa(RadialBasis())),
        "radial basis, every snapshot": replace(many, solver=Sarsa(RadialBasis())),
        "epsilon as printed": replace(base, solver=Sarsa(exploration=Printed())),
        "epsilon grows with j": replace(base, solver=Sarsa(exploration=Growing())),
        "Watkins Q": replace(base, solver=WatkinsQ()),
        "MDDAG.EXP, Watkins Q": replace(exp, solver=WatkinsQ()),
        "MDDAG.EXP, exact solver": replace(exp, betas=(2e-4, 5e-4, 1e-3), solver=exact),
        "reward 1 / L_EXP": replace(exp, loss="1/exp"),
        "reward 1 / L_EXP, every snapshot": replace(exp, loss="1/exp", snapshots=True),
        "512 bins of the total": replace(base, solver=Sarsa(Table(512, running=False))),
        "default solver": replace(base, betas=(1e-3,), solver=Portfolio()),
    }
    first = replace(base, betas=COARSE)
    rows = {
        "our first figure": (OTHER_ROWS, first),
        "the same rows": (replace(OTHER_ROWS, same_rows=True), first),
        "the same rows, 1,000 rounds": (SAME_ROWS, first),
        "exact solver, other rows": (OTHER_ROWS, replace(base, solver=exact)),
    }
    return rows | {name: (SAME_ROWS, change) for name, change in changes.items()}


def main() -> None:
    options = read_options()
    if not os.environ.get("MDDAG_DATA"):
        raise SystemExit("set MDDAG_DATA to the folder of the datasets; see CONTRIBUTING.md")
    for folder in (options.keep, options.out):
        folder.mkdir(parents=True, exist_ok=True)
    path = options.out / "runs.csv"
    lines = read(path)
    known = {(line["formulation"], line["seed"]) for line in lines}
    begin = time.perf_counter()
    studied = dict.fromkeys(BASELINES, (SAME_ROWS, None)) | formulations()
    for (name, (size, formulation)), seed in product(studied.items(), options.seeds):
        if name in (options.only or studied) and (name, seed) not in known:
            case = Case.of("vj", seed, quick(size) if options.quick else size, options.keep)
            found = list(runs(name, case, formulation) if formulation else baseline(name, case))
            many = formulation is None or formulation.snapshots
            lines += worth_keeping(found) if many else found
            write(path, lines)
            minutes = (time.perf_counter() - begin) / 60
            print(f"{minutes:5.1f} min  {name}, seed {seed}", file=sys.stderr, flush=True)
    lines.sort(key=lambda line: list(studied).index(line["formulation"]))
    write(options.out / "contributions.csv", contributions(lines))
    wanted = not options.only or "convergence" in options.only
    if wanted and not (options.out / "convergence.csv").exists():
        size = quick(SAME_ROWS) if options.quick else SAME_ROWS
        cases = (Case.of("vj", seed, size, options.keep) for seed in options.seeds)
        write(options.out / "convergence.csv", convergence(cases))
    draw(options.out)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few rows, features and episodes")
    parser.add_argument("--only", nargs="+", help='names of formulations, or "convergence"')
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--keep", type=Path, help="where pools are kept; default: out/figure2")
    parser.add_argument("--out", type=Path, help="default: experiments/results/reproduction")
    options = parser.parse_args()
    options.keep = options.keep or ROOT / "out" / ("figure2_quick" if options.quick else "figure2")
    if options.out is None:
        results = ROOT / "experiments" / "results" / "reproduction"
        options.out = options.keep if options.quick else results
    return options


def runs(name: str, case: Case, formulation: Formulation) -> Iterator[dict[str, Any]]:
    """A line for every price and seed of the solver."""
    begin = time.process_time()
    for beta, solver_seed, policy in formulation.policies(case):
        seconds = time.process_time() - begin
        value = formulation.mdp(case, beta).evaluate(policy)
        line = {"formulation": name, "seed": case.seed, "beta": beta, "solver_seed": solver_seed}
        line |= {"objective": value.objective, "loss": value.loss, "cost": value.cost}
        yield line | rates(*decided(case, policy)) | {"seconds": seconds}
        begin = time.process_time()


def baseline(name: str, case: Case) -> Iterator[dict[str, Any]]:
    """A line for every setting of another method, with the columns of `runs`."""
    blank = dict.fromkeys(("beta", "solver_seed", "objective", "loss", "cost"), np.nan)
    for _, policy, test in methods.SAME_FOR_ALL_RATES[name](case):
        line = {"formulation": name, "seed": case.seed} | blank
        on_policy = Scored(policy[0], case.y_policy, policy[1])
        on_test = Scored(test[0], case.y_test, test[1])
        yield line | rates(on_policy, on_test) | {"seconds": np.nan}


def rates(on_policy: Scored, on_test: Scored) -> dict[str, float]:
    """TPRs at all rates with both kinds of ties, and the mean evaluations of negatives."""
    found = {}
    for fpr, ties in product(RATES, TIES):
        run = DetectionRun.of(on_policy, on_test, fpr, ties=ties)
        at = f"{fpr:g} {ties}"
        found |= {f"train {at}": run.train_tpr, f"held out {at}": run.test_tpr}
    return found | {"train_cost": on_policy.cost, "test_cost": on_test.cost}


def worth_keeping(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those of the many snapshots that k*(N) may choose."""
    kept: dict[int, None] = {}
    for fpr, ties in product(RATES, TIES):
        best = chosen(lines, f"{fpr:g} {ties}")
        kept |= {k: None for k in best if k is not None}
    return [lines[k] for k in sorted(kept)]


def convergence(cases: Iterable[Case]) -> Iterator[dict[str, Any]]:
    """Yield the best objective so far of SARSA and Watkins Q by episodes, and that of Descent."""
    for case, beta in product(cases, (1e-3, 1e-4)):
        mdp = Formulation().mdp(case, beta)
        where = {"seed": case.seed, "beta": beta}
        exact = mdp.evaluate(Descent(random_state=0).solve(mdp)).objective
        yield where | {"solver": "Descent", "episodes": 0, "objective": exact}
        for solver, times in ((Sarsa, 10), (WatkinsQ, 1)):
            n_episodes = times * case.size.n_episodes
            search = solver(n_episodes=n_episodes, random_state=0).search(mdp)
            best = np.minimum.accumulate(search.history)
            for episodes in (10_000, 30_000, 100_000, 300_000, 10**6, 3 * 10**6, 10**7):
                if episodes <= n_episodes:
                    found = {"episodes": episodes, "objective": best[episodes // 10_000 - 1]}
                    yield where | {"solver": solver.__name__} | found


def contributions(lines: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield k*(N) of every formulation: means of seeds with standard errors."""
    for name in dict.fromkeys(line["formulation"] for line in lines):
        own = [line for line in lines if line["formulation"] == name]
        by_seed = [[ln for ln in own if ln["seed"] == s] for s in {ln["seed"] for ln in own}]
        for fpr, ties in product(RATES, TIES):
            at = f"{fpr:g} {ties}"
            found = [chosen(some, at) for some in by_seed]
            for bound, picked in zip(BOUNDS, zip(*found, strict=True), strict=True):
                if None in picked:
                    continue
                best = [some[k] for some, k in zip(by_seed, picked, strict=True)]
                tprs = np.array([line[f"held out {at}"] for line in best])
                yield {
                    "formulation": name,
                    "fpr": fpr,
                    "ties": ties,
                    "bound": bound,
                    "tpr": tprs.mean(),
                    "tpr_error": tprs.std(ddof=1) / len(tprs) ** 0.5 if len(tprs) > 1 else 0.0,
                    "train_tpr": float(np.mean([line[f"train {at}"] for line in best])),
                    "cost": float(np.mean([line["test_cost"] for line in best])),
                    "seeds": len(tprs),
                }


def chosen(lines: list[dict[str, Any]], at: str) -> list[int | None]:
    """The number of the run with the largest TPR on policy rows within each bound."""
    tprs, costs = (np.array([line[k] for line in lines]) for k in (f"train {at}", "train_cost"))
    return [
        int(np.where(costs <= bound, tprs, -1).argmax()) if (costs <= bound).any() else None
        for bound in BOUNDS
    ]


def draw(folder: Path) -> None:
    """Draw what contributions.csv and convergence.csv say, as far as they are there."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    lines = read(folder / "contributions.csv")
    names = list(dict.fromkeys(line["formulation"] for line in lines))[::-1]
    figure, panels = plt.subplots(
        1, 2, figsize=(11, 1.2 + 0.28 * len(names)), layout="constrained", sharey=True
    )
    for ax, fpr in zip(panels, (0.05, 0.01), strict=True):
        for bound, (color, marker) in {3: OF[0], 7: OF[1], 20: OF[2]}.items():
            own = {
                line["formulation"]: (line["tpr"], line["tpr_error"])
                for line in lines
                if (line["fpr"], line["ties"], line["bound"]) == (fpr, "split", bound)
            }
            at = [names.index(name) for name in own]
            tprs, errors = zip(*own.values(), strict=True)
            ax.errorbar(
                tprs, at, xerr=errors, fmt=marker, color=color, ms=5, label=f"within {bound}"
            )
        ax.set_title(f"FPR {100 * fpr:g} %, usual ROC curve")
        ax.set_xlabel("TPR on held-out rows ± standard error")
        ax.set_yticks(range(len(names)), names)
        ax.grid(alpha=0.3)
    panels[0].legend(frameon=False, loc="lower left")
    figure.savefig(folder / "contributions.png", dpi=110)
    lines = read(folder / "convergence.csv")
    if not lines:
        return
    betas = list(dict.fromkeys(line["beta"] for line in lines))
    figure, panels = plt.subplots(1, len(betas), figsize=(9, 3.6), layout="constrained")
    for ax, beta in zip(panels, betas, strict=True):
        for solver, (color, marker) in {"Sarsa": OF[0], "WatkinsQ": OF[1]}.items():
            own = [ln for ln in lines if (ln["beta"], ln["solver"]) == (beta, solver)]
            episodes = sorted({ln["episodes"] for ln in own})
            found = [[ln["objective"] for ln in own if ln["episodes"] == n] for n in episodes]
            ax.plot(episodes, np.mean(found, axis=1), marker=marker, color=color, label=solver)
        exact = [ln["objective"] for ln in lines if (ln["beta"], ln["solver"]) == (beta, "Descent")]
        ax.axhline(np.mean(exact), color=OF[2][0], ls="--", label="Descent")
        ax.set_xscale("log")
        ax.set_ylim(0)
        ax.set_title(f"beta = {beta:g}")
        ax.set_xlabel("episodes")
        ax.grid(alpha=0.3)
    panels[0].set_ylabel("best objective so far, Eq. (8)")
    panels[0].legend(frameon=False)
    figure.savefig(folder / "convergence.png", dpi=110)


if __name__ == "__main__":
    main()
