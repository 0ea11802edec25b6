"""The parts that can be made again: a table, and the calls that make some of its rows.

All tables with numbers that depend on the code alone are here: quality, fidelity, errors
and the experiments. Rows are of seed 0, but for the best of five seeds (figure1). The tables of
speed have times.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path

from benchmarks.adaboost import errors
from benchmarks.fidelity.__main__ import measured as fidelity
from benchmarks.places import ROOT
from benchmarks.quality.report import rows_of
from benchmarks.quality.solved import PARTS, Problem, problems, solve
from benchmarks.reproduced.comparison import read
from experiments import anchors, descent, guarantees
from experiments import solvers as td
from mddag.solvers import Sarsa, WatkinsQ

SEED = 0
BENCHMARKS, EXPERIMENTS = Path("benchmarks", "results"), Path("experiments", "results")
FIGURE = ("summary", "uses", "edges", "paths")

Rows = Iterable[Mapping[str, object]]


@dataclass(frozen=True)
class Part:
    """A CSV, its path below the root of the repository, and some of its rows, made again."""

    table: Path
    rows: Callable[[], Rows]


def parts(out: Path) -> dict[str, Part]:
    """All parts by name; models and pictures are kept in the folder."""
    return dict([*of_experiments(out), *of_benchmarks(out / "models")])


def of_benchmarks(folder: Path) -> Iterator[tuple[str, Part]]:
    yield "fidelity", Part(BENCHMARKS / "fidelity" / "models.csv", fidelity)
    yield "errors", Part(BENCHMARKS / "adaboost" / "errors.csv", errors.measure)
    for problem in problems([SEED], folder / "quality"):
        path = BENCHMARKS / "quality" / "readings.csv"
        name = f"quality/{problem.data.replace('/', ' ')}/{problem.library}"
        yield name, Part(path, partial(quality, problem))


def of_experiments(out: Path) -> Iterator[tuple[str, Part]]:
    yield "anchors", Part(EXPERIMENTS / "anchors" / "runs.csv", td_anchors)
    yield "descent/anchors", Part(EXPERIMENTS / "descent" / "anchors.csv", descent_anchors)
    yield "descent/hastie", Part(EXPERIMENTS / "descent" / "hastie.csv", descent_hastie)
    for name in guarantees.ROWS:
        yield f"guarantees/{name}", Part(EXPERIMENTS / "guarantees.csv", partial(guaranteed, name))
    for name in FIGURE:
        path = EXPERIMENTS / "figure1" / f"{name}.csv"
        yield f"figure1/{name}", Part(path, partial(figure, out / "figure1", name))
    yield "solvers", Part(EXPERIMENTS / "solvers" / "solvers.csv", solver_lines)


def quality(problem: Problem) -> Rows:
    solve(problem, PARTS, again=False)
    return rows_of(json.loads(problem.path("solved").read_text(encoding="utf-8")))


def td_anchors() -> Rows:
    folder = Path(os.environ["MDDAG_ANCHORS"])
    train, test = (anchors.read_mdp(folder, part) for part in ("train", "test"))
    explorations = anchors.Flat(), anchors.Growing()
    for kind, values, exploration in product((Sarsa, WatkinsQ), anchors.VALUES, explorations):
        solver = kind(values, 10**6, exploration=exploration, random_state=SEED)
        names = kind.__name__, str(values), type(exploration).__name__
        yield named(anchors.RUN, (*names, SEED, *anchors.measured(solver, train, test)))


def descent_anchors() -> Rows:
    for setting in descent.ANCHORS:
        yield named(descent.ANCHOR_HEAD.split(","), descent.anchor_run(*setting, SEED))


def descent_hastie() -> Rows:
    for run in descent.hastie_runs(SEED):
        yield named(descent.HASTIE_HEAD.split(","), run)


def guaranteed(name: str) -> Rows:
    unseen = guarantees.Unseen.of(name, os.environ["MDDAG_DATA"])
    for target in guarantees.TARGETS:
        yield guarantees.rounded(unseen.resampled(target, SEED))


def figure(folder: Path, name: str) -> Rows:
    _drawn(folder)
    return read(folder / f"{name}.csv")


@cache
def _drawn(folder: Path) -> None:
    """Once for the four tables."""
    script = ROOT / "experiments" / "figure1.py"
    subprocess.run([sys.executable, script, "--out", folder], check=True, capture_output=True)


def solver_lines() -> Rows:
    for line in td.all_lines(quick=False):
        yield named(td.HEAD, line)


def named(head: Sequence[str], cells: Iterable[object]) -> dict[str, object]:
    return dict(zip(head, cells, strict=True))
