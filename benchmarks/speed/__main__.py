"""How fast is mddag, beside what one would use instead? One command, everything in one run.

    python -m benchmarks.speed [--only full exit one curves] [--quick]

    full    every base classifier of five shapes of ensembles: ns per row, rivals / mddag
    exit    early exit: beside our own full evaluation, and at equal error on real data
    one     one row through Python, hot and cold
    curves  cost per row against evaluations, base classifiers, classes, leaves and rows

The first run installs rivals into build/rivals and trains models into out/speed, which takes some
minutes more; delete out/speed to train them anew. Policies are learned by the code as it is.
--quick has few rows and repeats, and keeps its results in out/ only. Contestants take turns: read
the ratios, median (range) over the repeats; times are the best, and the machine's. Tables and
pictures are benchmarks/results/speed_*; machine.csv tells what was measured on.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterable
from pathlib import Path

from benchmarks.speed import curves, full, machine, one
from benchmarks.speed import exit as early_exit

RESULTS = Path(__file__).parents[1] / "results" / "speed"
SECTIONS = {
    "full": full,
    "exit": early_exit,
    "one": one,
    "curves": curves,
    "machine": machine,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="few rows and repeats: does it run?")
    options = parser.parse_args()
    results = RESULTS.parents[2] / "out" / "speed" if options.quick else RESULTS
    results.mkdir(parents=True, exist_ok=True)
    for name in options.only:
        began, section = time.monotonic(), SECTIONS[name]
        rows = kept(results / f"{name}.csv", section.FIELDS, section.measure(options.quick))
        if hasattr(section, "picture"):
            section.picture(rows, results / f"{name}.png")
        print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)


def kept(
    path: Path, fields: tuple[str, ...], rows: Iterable[dict[str, object]]
) -> list[dict[str, object]]:
    """The rows, printed as they come and written once all are there."""
    print(" | ".join(fields))
    told = []
    for row in rows:
        print(" | ".join(str(cell) for cell in row.values()), flush=True)
        told.append(row)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(told)
    return told


if __name__ == "__main__":
    main()
