"""AdaBoost.MH measured: test errors, speed beside scikit-learn, growth.

    MDDAG_DATA=... python -m benchmarks.adaboost [--only errors|speed|growth]

Each section writes its table to benchmarks/results/adaboost_<section>.csv and prints it. Ratios are
from interleaved runs of one process; seconds depend on the machine, ratios much less.
"""

import argparse
import csv
from pathlib import Path

from benchmarks.adaboost import errors, growth, speed

RESULTS = Path(__file__).parents[1] / "results" / "adaboost"
SECTIONS = {
    "errors": (errors.errors, errors.FIELDS),
    "speed": (speed.speed, speed.FIELDS),
    "growth": (growth.growth, growth.FIELDS),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=SECTIONS)
    only = parser.parse_args().only
    for section in [only] if only else SECTIONS:
        rows = run(section)
        if section == "growth":
            growth.picture(rows, RESULTS / "growth.png")


def run(section):
    """Print the rows of a section as they come, and keep them once all are there."""
    make, fields = SECTIONS[section]
    print(" | ".join(fields))
    rows = []
    for row in make():
        print(" | ".join(str(cell) for cell in row.values()), flush=True)
        rows.append(row)
    with (RESULTS / f"{section}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return rows


if __name__ == "__main__":
    main()
