"""The command line: which tables to make."""

from __future__ import annotations

import argparse

import benchmarks.ranking
from benchmarks.places import RESULTS
from benchmarks.ranking import exits, speed
from benchmarks.sections import measured

SECTIONS = {"exits": exits, "speed": speed}


def main() -> None:
    parser = argparse.ArgumentParser(description=benchmarks.ranking.__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", choices=SECTIONS, default=list(SECTIONS))
    measured(SECTIONS, parser.parse_args().only, RESULTS / "ranking")


if __name__ == "__main__":
    main()
