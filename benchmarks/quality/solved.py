"""A problem solved: the curve of every method in every unit, kept as JSON.

    full   : settings, error and costs of the full model, on policy and on test rows, and on these
             after a training on all rows
    curves : method -> unit -> points, by rising cost on policy rows; test measures next to them
    parts  : what has been done ("rivals", "sparsify", "train")

What each method chose at each tolerance is kept as models too, so that it can be timed.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.quality.boosters import LIBRARIES, Tuned, tuned
from benchmarks.quality.boosters import trained as trained_on
from benchmarks.quality.curves import (
    ALL_ROWS,
    HOPELESS,
    HOPELESS_TO_JUDGES,
    TOLERANCES,
    UNITS,
    Candidate,
    chosen,
    compared_with,
    cost,
    reading,
)
from benchmarks.quality.ours import SPARSIFY, TRAIN, sparsified, trained
from benchmarks.quality.rivals import JOINT, rivals, walked_by
from benchmarks.quality.rows import DATA, SEALED, Parts, Sample, parts
from mddag import Ensemble

TIMED_SEED = 0
PARTS = ("rivals", "sparsify", "train")
SLOW = ("letter", "vj", "mnist", "cbcl", "daimler")  # many classes or columns
OTHERS = ("electricity", "letter A-M/N-Z", "spambase")  # sets of XGBoost and CatBoost


@dataclass(frozen=True)
class Problem:
    """A data set, a library and a seed, and where its results are kept."""

    data: str
    library: str
    seed: int
    folder: Path = field(repr=False)

    def path(self, kind: str) -> Path:
        name = f"{self.data.replace('/', ' ')} {self.library} {self.seed}"
        return self.folder / kind / f"{name}{'.json' if kind == 'solved' else '.pickle'}"


def problems(seeds: Iterable[int], folder: Path) -> list[Problem]:
    """All problems, seed by seed, those that take long last."""
    found = []
    for seed in seeds:
        names = [(data, "LightGBM") for data in (*DATA, *SEALED)]
        names += [(data, "AdaBoost.MH") for data in DATA]
        names += product(OTHERS, LIBRARIES[2:])
        names.sort(key=lambda name: name[0] in SLOW)
        found += [Problem(*name, seed, folder) for name in names]
    return found


def solve(problem: Problem, wanted: Iterable[str], again: bool, shrink: int = 1) -> bool:
    """Do the wanted parts that are not done, or all of them again; False if none was left."""
    path = problem.path("solved")
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else empty(problem)
    left = [p for p in wanted if again or p not in known["parts"]]
    if problem.library == "AdaBoost.MH":  # whose trees have one shape
        left = [p for p in left if p != "train"]
    if not left or "rivals" not in {*left, *known["parts"]}:  # which tune the full model
        return False
    rows = parts(problem.data, problem.seed, shrink)
    tuned = the_full_model(problem, known, rows, "rivals" in left, shrink)
    for part in left:
        makes: dict[Any, Any] = {}
        for method, candidates in of_part(part, problem, tuned, rows):
            points = curves(candidates, known["full"], relative=part != "rivals")
            known["curves"][method] = {u: [as_row(*p) for p in points[u]] for u in UNITS}
            makes |= at_tolerances(method, points, compared_with(known["full"], method))
        known["parts"] = sorted({*known["parts"], part}, key=PARTS.index)
        if problem.seed == TIMED_SEED:
            keep_models(problem, tuned.full, makes)
        written(path, json.dumps(known).encode())
    return True


def empty(problem: Problem) -> dict[str, Any]:
    key = {"data": problem.data, "library": problem.library, "seed": problem.seed}
    return {**key, "full": {}, "curves": {}, "parts": []}


def the_full_model(
    problem: Problem, known: dict[str, Any], rows: Parts, again: bool, shrink: int
) -> Tuned:
    """The tuned model, from the folder where it is there; with the grid, where rivals need it."""
    path = problem.path("full")
    if path.exists() and not again:
        return Tuned(*pickle.loads(path.read_bytes()), [])
    found = tuned(problem.library, rows, shrink)
    full = found.full
    written(path, pickle.dumps((full, found.shape)))
    measures = {name: whole(full, getattr(rows, name)) for name in ("policy", "test")}
    n_rows = {name: len(getattr(rows, name).y) for name in ("train", "policy", "test")}
    known["full"] = {"setting": str(found), "n_rows": n_rows, **measures}
    if found.grid:
        again = trained_on(problem.library, found.shape, len(full), rows.all_rows)
        known["full"]["all_rows"] = whole(again, rows.test)
    return found


def whole(full: Ensemble, sample: Sample) -> tuple[float, float, float]:
    """The measures of all rounds."""
    walk = walked_by(full, sample)
    return walk.ended(np.full(len(sample.y), walk.n_rounds))


def of_part(
    part: str, problem: Problem, tuned: Tuned, rows: Parts
) -> Iterable[tuple[str, list[Candidate]]]:
    """Methods and their candidates."""
    if part == "rivals":
        found = rivals(tuned, rows, problem.library)
        for method in dict.fromkeys(c.method for c in found):
            yield method, [c for c in found if c.method == method]
        again = [c for c in found if c.method.endswith(ALL_ROWS)]
        yield JOINT, [c for c in found if not c.method.endswith(ALL_ROWS)]
        if again:
            yield JOINT + ALL_ROWS, again
    elif part == "sparsify":
        if problem.library == "AdaBoost.MH":
            found = list(sparsified(tuned.full, rows, "both", problem.seed))
            yield from ((method, found) for method in SPARSIFY.values())
        else:
            for unit, method in SPARSIFY.items():
                yield method, list(sparsified(tuned.full, rows, unit, problem.seed))
    else:
        yield TRAIN["nodes"], list(trained(problem.library, rows))


def curves(
    candidates: list[Candidate], full: dict[str, Any], *, relative: bool
) -> dict[str, list[tuple[Candidate, Any]]]:
    """The points of a method in each unit in which its costs are known, measured on test rows.

    relative : whether errors on policy rows are beyond that of the full model
    """
    most = HOPELESS_TO_JUDGES if relative else full["policy"][0] + HOPELESS
    points: dict[str, list[tuple[Candidate, Any]]] = {}
    for unit in UNITS:
        costs = np.array([cost(c.policy, unit) for c in candidates])
        errors = np.array([c.policy[0] for c in candidates])
        known = np.flatnonzero(np.isfinite(costs))
        at = []
        if len(known):
            at = chosen(costs[known], errors[known], cost(full["policy"], unit), most)
        points[unit] = [(candidates[known[i]], candidates[known[i]].test()) for i in at]
    return points


def as_row(candidate: Candidate, test: Any) -> dict[str, Any]:
    names = ("method", "setting", "policy", "ends")
    return {**{name: getattr(candidate, name) for name in names}, "test": test}


def at_tolerances(method: str, points: Any, full: Any) -> dict[Any, Any]:
    """(method, unit, tolerance) -> how to make the first point within the tolerance.

    full : test measures of the full model
    """
    found = {}
    for unit in UNITS:
        by_cost = sorted(points[unit], key=lambda p: cost(p[1], unit))
        pairs = [(cost(test, unit), test[0]) for _, test in by_cost]
        for tolerance in TOLERANCES:
            at = reading(pairs, (cost(full, unit), full[0]), tolerance)[1]
            if at < len(pairs):
                found[method, unit, tolerance] = by_cost[at][0].make
    return found


def keep_models(problem: Problem, full: Ensemble, makes: dict[Any, Any]) -> None:
    """What is to be timed: (method, unit, tolerance) -> (ensemble, policy)."""
    path = problem.path("timed")
    kept = pickle.loads(path.read_bytes()) if path.exists() else {}
    kept |= {key: make() for key, make in makes.items()} | {"full": (full, None)}
    written(path, pickle.dumps(kept))


def written(path: Path, content: bytes) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(content)
    unfinished.rename(path)
