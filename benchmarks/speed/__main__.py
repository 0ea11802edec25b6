"""The command line: which sections to measure."""

from __future__ import annotations

import argparse

import benchmarks.speed
from benchmarks.places import OUT, RESULTS
from benchmarks.sections import measured
from benchmarks.speed import curves, full, machine, one
from benchmarks.speed import exit as early_exit

SECTIONS = {
    "full": full,
    "exit": early_exit,
    "one": one,
    "curves": curves,
    "machine": machine,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=benchmarks.speed.__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="few rows and repeats: does it run?")
    options = parser.parse_args()
    results = (OUT if options.quick else RESULTS) / "speed"
    measured(SECTIONS, options.only, results, options.quick)


if __name__ == "__main__":
    main()
