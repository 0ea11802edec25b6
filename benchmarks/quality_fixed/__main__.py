"""The command line; a problem at a time."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from itertools import product
from time import process_time
from typing import Any

import benchmarks.quality_fixed
from benchmarks.places import OUT, RESULTS
from benchmarks.quality_fixed import models, report, split
from benchmarks.quality_fixed.methods import BETAS, Rows, ours, rivals
from benchmarks.quality_fixed.probabilities import probabilities
from mddag.solvers import Portfolio


def main() -> None:
    options = read_options()
    table, folder = ("fresh", "quality_fixed_fresh") if options.fresh else ("main", "quality_fixed")
    out = OUT / folder
    out = out / "quick" if options.quick else out
    results = out if options.quick else RESULTS / "quality_fixed"
    shrink = 10 if options.quick else 1
    for seed, name, ensemble in product(options.seeds, options.only, options.ensembles):
        part = out / "solved" / f"{name.replace('/', ' ')} {ensemble} {seed}.json"
        known = json.loads(part.read_text(encoding="utf-8")) if part.exists() else None
        if options.resume and known:
            continue
        began = process_time()
        problem = models.problem(name, ensemble, seed, out / "models", shrink)
        trained = process_time()
        if not options.train:
            part.parent.mkdir(parents=True, exist_ok=True)
            unfinished = part.with_suffix(".part")
            found = solved(problem, known if options.again else None)
            unfinished.write_text(json.dumps(found), encoding="utf-8")
            unfinished.rename(part)
            report.write(sorted(part.parent.glob("*.json")), results, table)
        times = f"{trained - began:.0f} s to train, {process_time() - trained:.0f} s to solve"
        print(f"{name}, {ensemble}, seed {seed}: {times}", flush=True)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=benchmarks.quality_fixed.__doc__.splitlines()[0])
    parser.add_argument("--fresh", action="store_true", help="data that nothing was chosen on")
    parser.add_argument("--only", nargs="+", metavar="DATA", help="of those of the table")
    ensembles = models.ENSEMBLES
    parser.add_argument("--ensembles", nargs="+", choices=ensembles, default=ensembles)
    parser.add_argument("--seeds", nargs="+", type=int, default=range(5))
    finished = parser.add_mutually_exclusive_group()
    finished.add_argument("--resume", action="store_true", help="leave out what is finished")
    finished.add_argument("--again", action="store_true", help="keep the curves of its rivals")
    parser.add_argument("--train", action="store_true", help="train models, solve nothing")
    parser.add_argument("--quick", action="store_true", help="a tenth of all sizes, to see it run")
    options = parser.parse_args()
    names = list(split.FRESH if options.fresh else split.DATA)
    options.only = options.only or names
    for name in options.only:
        if name not in names:
            parser.error(f"--only {name!r}; wanted some of {', '.join(map(repr, names))}")
    return options


def solved(problem: models.Problem, known: dict[str, Any] | None) -> dict[str, Any]:
    """All curves of a problem and what becomes of its probabilities, as JSON.

    known : the same of an earlier run, whose rivals have not changed
    """
    rows = Rows(problem)
    pool = rows.pool(Portfolio(random_state=0))  # what a user gets who names no solver
    policies = [pool.policy(beta) for beta in BETAS]
    anew = [asdict(point) for curve in ours(problem, rows, pool) for point in curve]
    if known is None:
        theirs = [asdict(point) for curve in rivals(problem, rows) for point in curve]
    else:
        methods = {point["method"] for point in anew}
        theirs = [point for point in known["points"] if point["method"] not in methods]
    return {
        **problem.key,
        "points": theirs + anew,
        "probabilities": probabilities(problem, policies),
    }


if __name__ == "__main__":
    main()
