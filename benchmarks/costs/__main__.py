"""The command line: measure seed by seed over all sets, then report."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import benchmarks.costs
from benchmarks.costs.curves import FIELDS, measure
from benchmarks.costs.price_lists import NAMES, problem
from benchmarks.places import OUT, RESULTS

PLACE, PARTS = RESULTS / "costs", OUT / "costs"


def main() -> None:
    parser = argparse.ArgumentParser(description=benchmarks.costs.__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="*", choices=NAMES, default=list(NAMES))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--report", action="store_true", help="measure nothing")
    given = parser.parse_args()
    PARTS.mkdir(parents=True, exist_ok=True)
    for seed in range(0 if given.report else given.seeds):
        for name in given.sets:
            file = PARTS / f"{name}-{seed}.csv"
            if not file.exists():
                _write(file, measure(problem(name, seed), seed))
    from benchmarks.costs.report import report  # which reads all that was measured

    report(sorted(PARTS.glob("*.csv")), PLACE)


def _write(file: Path, rows: list[dict[str, object]]) -> None:
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
