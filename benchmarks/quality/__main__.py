"""The command line; a problem at a time, seed by seed, so that what is there is always a table."""

from __future__ import annotations

import argparse
from time import process_time

import benchmarks.quality
from benchmarks.places import OUT, RESULTS
from benchmarks.quality import report
from benchmarks.quality.boosters import LIBRARIES
from benchmarks.quality.solved import PARTS, problems, solve


def main() -> None:
    options = read_options()
    folder = OUT / "quality" / "quick" if options.quick else OUT / "quality"
    results = folder if options.quick else RESULTS / "quality"
    for problem in problems(options.seeds, folder):
        if options.only and problem.data not in options.only:
            continue
        if problem.library not in options.libraries:
            continue
        began = process_time()
        if solve(problem, options.parts, options.again, 10 if options.quick else 1):
            print(f"{problem}: {process_time() - began:.0f} s", flush=True)
            report.write(folder / "solved", results, with_picture=False)
    report.write(folder / "solved", results, with_picture=True)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(benchmarks.quality.__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="DATA", help="of the data sets")
    parser.add_argument("--libraries", nargs="+", choices=LIBRARIES, default=LIBRARIES)
    parser.add_argument("--seeds", nargs="+", type=int, default=range(5))
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--again", action="store_true", help="these parts, though they are done")
    parser.add_argument("--quick", action="store_true", help="a tenth of all sizes, to see it run")
    return parser.parse_args()


if __name__ == "__main__":
    main()
