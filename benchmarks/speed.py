"""How fast is mddag, beside what one would use instead? One command, everything in one run.

    python benchmarks/speed.py [--only full exit one curves] [--quick] [--prepare]

    full    every base classifier of five shapes of ensembles: ns per row, rivals / mddag
    exit    early exit: beside our own full evaluation, and at equal error on real data
    one     one row through Python, hot and cold
    curves  cost per row against evaluations, base classifiers, classes, leaves and rows

The first run installs rivals into build/rivals and trains models into out/speed, which takes some
minutes; --prepare does only that. Contestants take turns within one run: read the ratios, rivals /
mddag as median (range) over the repeats; nanoseconds are the best and depend on the machine.
Tables go to benchmarks/results/speed_*.csv, pictures to speed_*.png beside them.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path

import speed_exit
import speed_full
import speed_one

RESULTS = Path(__file__).parent / "results"
SECTIONS = {"full": speed_full, "exit": speed_exit, "one": speed_one}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="few rows and repeats: does it run?")
    options = parser.parse_args()
    results = RESULTS if not options.quick else RESULTS.parents[1] / "out"
    for section in options.only:
        run(section, SECTIONS[section], results, options.quick)


def run(name, section, results, quick) -> None:
    """Print the rows of a section as they come, keep them once all are there, draw them."""
    began = time.monotonic()
    print(" | ".join(section.FIELDS))
    rows = []
    for row in section.measure(quick):
        print(" | ".join(str(cell) for cell in row.values()), flush=True)
        rows.append(row)
    with (results / f"speed_{name}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, section.FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
