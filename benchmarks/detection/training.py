"""Boosting on all Haar features of the 24 x 24 patches: minutes, seconds per round, peak memory.

Each line is measured in a process of its own, whose peak memory is that of the whole process. On
half of the patches (the same share of both classes) the other half gives the test error; on all of
them memory is what counts. Processor seconds are those of all threads together.
"""

import argparse
import json
import resource
import subprocess
import sys
from time import perf_counter, process_time

from sklearn.model_selection import train_test_split

from benchmarks.data import loaded
from benchmarks.places import RESULTS
from benchmarks.table import digits, kept
from mddag import AdaBoostMHClassifier
from mddag.detection import Haar

FIELDS = (
    "patches",
    "features",
    "rounds",
    "threads",
    "minutes",
    "seconds to code",
    "seconds per round",
    "processor seconds per round",
    "peak GB",
    "test error",
)


class TimedHaar(Haar):
    """Haar features; `coded` is processor time and clock when columns were ready."""

    def columns(self, *given):
        columns = super().columns(*given)
        type(self).coded = process_time(), perf_counter()
        return columns


def fitted(part: str, n_features: int | None, n_rounds: int, n_jobs: int) -> dict[str, str]:
    """One line of the table, measured here and now."""
    X, y = loaded("vj_faces")
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
    if part == "all":
        X, y = loaded("vj_faces")
    model = AdaBoostMHClassifier(
        TimedHaar(n_features, random_state=0), n_rounds=n_rounds, n_jobs=n_jobs
    )
    began = perf_counter()
    model.fit(X, y)
    processor, clock = TimedHaar.coded
    of_rounds, took = process_time() - processor, perf_counter() - began
    by_round = model.history_["seconds"]
    cells = (
        len(X),
        "all" if n_features is None else n_features,
        len(by_round),
        n_jobs,
        digits(took / 60),
        digits(clock - began),
        digits(by_round.mean()),
        digits(of_rounds / len(by_round)),
        digits(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9),
        "" if part == "all" else f"{1 - model.score(X_test, y_test):.4f}",
    )
    return dict(zip(FIELDS, map(str, cells), strict=True))


def measure(n_rounds: int, n_jobs: int):
    """One row for each part of the patches and number of features."""
    for part, n_features in (("half", 5000), ("half", None), ("all", None)):
        arguments = json.dumps([part, n_features, n_rounds, n_jobs])
        command = [sys.executable, "-m", "benchmarks.detection.training", "--one", arguments]
        yield json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--one", help="measure one line, for internal use")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(fitted(*json.loads(given.one))))
        return
    kept(
        RESULTS / "detection" / "training.csv",
        FIELDS,
        measure(given.rounds, given.threads),
    )


if __name__ == "__main__":
    main()
