"""The command line: measure seed by seed over all sets, then report."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import benchmarks.costs
from benchmarks.costs.curves import FIELDS, measure
from benchmarks.costs.price_lists import NAMES, problem
from benchmarks.costs.report import report
from benchmarks.places import RESULTS

PLACE = RESULTS / "costs"


def main() -> None:
    parser = argparse.ArgumentParser(description=benchmarks.costs.__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="*", choices=NAMES, default=list(NAMES))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--report", action="store_true", help="measure nothing")
    given = parser.parse_args()
    PLACE.mkdir(parents=True, exist_ok=True)
    file = PLACE / "curves.csv"
    for seed in range(0 if given.report else given.seeds):
        for name in given.sets:
            if (name, str(seed)) not in _done(file):
                _append(file, measure(problem(name, seed), seed))
    report(PLACE)


def _done(file: Path) -> set[tuple[str, str]]:
    if not file.exists():
        return set()
    with file.open() as lines:
        return {(row["set"], row["seed"]) for row in csv.DictReader(lines)}


def _append(file: Path, rows: list[dict[str, object]]) -> None:
    new = not file.exists()
    with file.open("a", newline="") as out:
        writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
