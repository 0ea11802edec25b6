"""The command line: which sections to measure."""

import argparse

import benchmarks.adaboost
from benchmarks.adaboost import errors, growth, speed
from benchmarks.places import RESULTS
from benchmarks.sections import measured

SECTIONS = {"errors": errors, "speed": speed, "growth": growth}


def main():
    parser = argparse.ArgumentParser(description=benchmarks.adaboost.__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    measured(SECTIONS, parser.parse_args().only, RESULTS / "adaboost")


if __name__ == "__main__":
    main()
