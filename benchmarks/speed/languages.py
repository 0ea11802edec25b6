"""Exported models in every language: are the bits equal, how fast, how large, how long to compile?

    python -m benchmarks.speed.languages [--quick]

Test rows, and the same rows with a twentieth of the values missing, are predicted by programs that
the tests have too (tests/serving/export/programs.py); every label, mean, score, number of
evaluations and probability is compared with the library's, bit by bit. Nanoseconds are of the
processor, of ``predict`` on one row after the other; languages take turns, and the ratio to C is
the median (lowest-highest) of the turns. Seconds to compile are of the processor, too, and of a
program with this model alone. Writes benchmarks/results/speed/languages.csv and languages.md.
"""

from __future__ import annotations

import argparse
import resource
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import lightgbm
import numpy as np
from sklearn.datasets import make_friedman1

import mddag
from benchmarks.data import train_and_test
from benchmarks.places import OUT, RESULTS
from benchmarks.table import digits, kept, markdown, spread
from mddag.policy.calibration import Calibration
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor
from mddag.solvers import Margin
from tests.serving.export.programs import C, Case, Go, Java, JavaScript, Program, Rust, Wasm

FIELDS = ("model", "trees", "evaluations", "language", "rows", "bits_equal", "ns_per_row")
FIELDS += ("ratio_to_c", "source_kb", "table_kb", "compile_s")
N_ROWS = 2000
LEAVES = 8


class FastC(C):
    optimise = "-O2"


class FastRust(Rust):
    optimise = "3"


PROGRAMS: tuple[Program, ...] = (FastC(), FastRust(), Go(), Java(), JavaScript(), Wasm())


@dataclass(frozen=True)
class Subject:
    """A fitted model and rows that it has not seen."""

    name: str
    model: Any
    rows: np.ndarray

    @property
    def case(self) -> Case:
        rng = np.random.default_rng(0)
        gaps = np.where(rng.random(self.rows.shape) < 0.05, np.nan, self.rows)
        return Case("model", self.model, np.concatenate([self.rows, gaps]).astype(np.float32))


def boosted(kind: Any, n_trees: int) -> Any:
    return kind(n_estimators=n_trees, num_leaves=LEAVES, n_jobs=1, verbose=-1, random_state=0)


def electricity(n_trees: int, sparse: bool = False) -> Subject:
    """Two classes: everything, or the default policy for a mean of 20 evaluations."""
    X, y, X_test, _ = train_and_test("electricity")
    half = len(X) // 2
    model = boosted(lightgbm.LGBMClassifier, n_trees).fit(X[:half], y[:half])
    if sparse:
        predictor = mddag.sparsify(model, X[half:], y[half:], budget=20, random_state=0).predictor()
    else:
        dag = mddag.compile(mddag.as_ensemble(model))
        predictor = Predictor(Model(dag, Calibration.one_group(1.0, n_trees)))
    name = "electricity, budget 20" if sparse else "electricity, all"
    return Subject(name, predictor, X_test[:N_ROWS])


def letter(n_rounds: int) -> Subject:
    """26 classes, a tree for each in every round."""
    X, y, X_test, _ = train_and_test("letter")
    half = len(X) // 2
    model = boosted(lightgbm.LGBMClassifier, n_rounds).fit(X[:half], y[:half])
    fast = mddag.MDDAGClassifier(model, beta=1e-3, solver=Margin()).fit(X[half:], y[half:])
    return Subject("letter, 26 classes", fast.predictor(), X_test[:N_ROWS])


def friedman(n_trees: int) -> Subject:
    X, y = make_friedman1(12_000, noise=1.0, random_state=0)
    model = boosted(lightgbm.LGBMRegressor, n_trees).fit(X[:5000], y[:5000])
    fast = mddag.MDDAGRegressor(model, beta=1e-5, random_state=0).fit(
        X[5000:10_000], y[5000:10_000]
    )
    return Subject("friedman, regression", fast.predictor(), X[10_000:][:N_ROWS])


def adult(n_trees: int) -> Subject:
    """Categories by name."""
    X, y, X_test, _ = train_and_test("adult")
    half = len(X) // 2
    model = boosted(lightgbm.LGBMClassifier, n_trees).fit(X[:half], y[:half])
    fast = mddag.MDDAGClassifier(model, beta=1e-4, solver=Margin()).fit(X[half:], y[half:])
    predictor = fast.predictor()
    return Subject("adult, categories", predictor, np.asarray(predictor.encode(X_test[:N_ROWS])))


def subjects(quick: bool) -> Iterator[Callable[[], Subject]]:
    yield lambda: electricity(100)
    if not quick:
        yield lambda: electricity(1000)
        yield lambda: electricity(1000, sparse=True)
        yield lambda: letter(40)
        yield lambda: friedman(200)
        yield lambda: adult(200)


def measure(quick: bool) -> Iterator[dict[str, object]]:
    """Rows of the table, as they come."""
    able = [p for p in PROGRAMS if all(map(shutil.which, p.tools))]
    for subject in subjects(quick):
        yield from told(subject(), able, 2 if quick else 5)


def told(subject: Subject, programs: list[Program], n_turns: int) -> Iterator[dict[str, object]]:
    case = subject.case
    wanted = case.wanted
    evaluations = case.model.n_evaluated(case.rows).mean()
    ensemble = case.model.model.dag.ensemble
    trees = max(evaluations * ensemble.n_trees / len(ensemble), 1)
    rounds = 1 + int(1e8 / (len(case.rows) * 20 * trees))  # a tenth of a second
    with TemporaryDirectory() as folder:
        homes = [Path(folder) / type(p).__name__ for p in programs]
        made = [compiled(p, home, case) for p, home in zip(programs, homes, strict=True)]
        times = [
            [
                float(p.run(command, rounds).split()[1])
                for p, (command, _) in zip(programs, made, strict=True)
            ]
            for _ in range(n_turns)
        ]
        taken = np.array(times).T
        for p, home, (_, seconds), of_turns in zip(programs, homes, made, taken, strict=True):
            exported = case.model.export(p.file(case, home), p.language, **p.options(case))
            yield {
                "model": subject.name,
                "trees": ensemble.n_trees,
                "evaluations": digits(evaluations),
                "language": p.language,
                "rows": len(case.rows),
                "bits_equal": np.array_equal(p.read(home, case), wanted),
                "ns_per_row": digits(of_turns.min()),
                "ratio_to_c": spread(of_turns / taken[0]),
                "source_kb": digits(exported.n_bytes / 1e3),
                "table_kb": digits(exported.table_bytes / 1e3),
                "compile_s": digits(seconds),
            }


def compiled(program: Program, home: Path, case: Case) -> tuple[list[Any], float]:
    """The command that runs the program, and the processor seconds of its compilers."""
    home.mkdir()
    before = children()
    command = program.made(home, [case])
    return command, children() - before


def children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one model, few turns: does it run?")
    options = parser.parse_args()
    folder = (OUT if options.quick else RESULTS) / "speed"
    rows = kept(folder / "languages.csv", FIELDS, measure(options.quick))
    lines = markdown(FIELDS, ([row[field] for field in FIELDS] for row in rows))
    (folder / "languages.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
