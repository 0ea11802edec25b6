"""The command line: measure seed by seed over all sets, then report.

What was measured before is in out/costs, or in the committed curves; it is not measured again.
After a change of ``acquire``, `--again` measures what is not in out/costs, but not penalized
models, which such a change does not touch.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import benchmarks.costs
from benchmarks.costs.curves import FIELDS, measure
from benchmarks.costs.price_lists import NAMES, problem
from benchmarks.costs.report import report
from benchmarks.places import OUT, RESULTS

PLACE, PARTS = RESULTS / "costs", OUT / "costs"


def main() -> None:
    parser = argparse.ArgumentParser(description=benchmarks.costs.__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="*", choices=NAMES, default=list(NAMES))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--report", action="store_true", help="measure nothing")
    parser.add_argument("--again", action="store_true", help="do not trust the committed curves")
    given = parser.parse_args()
    PARTS.mkdir(parents=True, exist_ok=True)
    for seed in range(0 if given.report else given.seeds):
        for name in given.sets:
            file, key = PARTS / f"{name}-{seed}.csv", (name, str(seed))
            before = [row for row in known_rows() if (row["set"], row["seed"]) == key]
            if not before or (given.again and not file.exists()):
                _write(file, measure(problem(name, seed), seed, before))
    report(known_rows(), PLACE)


def known_rows() -> list[dict[str, str]]:
    """All that was measured, by set and seed."""
    found: dict[tuple[str, str], list[dict[str, str]]] = {}
    for file in [PLACE / "curves.csv", *sorted(PARTS.glob("*.csv"))]:
        own: dict[tuple[str, str], list[dict[str, str]]] = {}
        for row in _read(file):
            own.setdefault((row["set"], row["seed"]), []).append(row)
        found |= own
    return [row for key in sorted(found) for row in found[key]]


def _read(file: Path) -> list[dict[str, str]]:
    if not file.exists():
        return []
    with file.open() as lines:
        return list(csv.DictReader(lines))


def _write(file: Path, rows: list[dict[str, object]]) -> None:
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
