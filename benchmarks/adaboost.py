"""AdaBoost.MH measured: test errors, speed beside scikit-learn, growth.

    MDDAG_DATA=... python benchmarks/adaboost.py [--only errors|speed|growth]

Each section writes its table to benchmarks/results/adaboost_<section>.csv and prints it. Ratios are
from interleaved runs of one process; seconds depend on the machine, ratios much less.
"""

import argparse
import csv
from pathlib import Path

import adaboost_errors
import adaboost_growth
import adaboost_speed

RESULTS = Path(__file__).parent / "results"
SECTIONS = {
    "errors": (adaboost_errors.errors, adaboost_errors.FIELDS),
    "speed": (adaboost_speed.speed, adaboost_speed.FIELDS),
    "growth": (adaboost_growth.growth, adaboost_growth.FIELDS),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=SECTIONS)
    only = parser.parse_args().only
    for section in [only] if only else SECTIONS:
        rows = run(section)
        if section == "growth":
            adaboost_growth.picture(rows, RESULTS / "adaboost_growth.png")


def run(section):
    """Print the rows of a section as they come, and keep them once all are there."""
    make, fields = SECTIONS[section]
    print(" | ".join(fields))
    rows = []
    for row in make():
        print(" | ".join(str(cell) for cell in row.values()), flush=True)
        rows.append(row)
    with (RESULTS / f"adaboost_{section}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return rows


if __name__ == "__main__":
    main()
