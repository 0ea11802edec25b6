"""A contestant in a process of its own, perhaps of another environment: asked and timed over pipes.

    python speed_worker.py <class of speed_contestants>

Each line of standard input is a JSON request [method, arguments]; each answer is one line of JSON,
{"answer": …} or {"absent": reason}. The worker does nothing between requests, so that contestants
take turns on an otherwise idle machine.
"""

from __future__ import annotations

import json
import os
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import speed_contestants

TOUCHED = np.zeros(4 << 20, np.uint8)  # larger than the caches next to a core
ROWS_IN_TURN = 64


class Worker:
    def __init__(self, contestant: str):
        self.contestant = getattr(speed_contestants, contestant)

    def versions(self, packages):
        return {package: version(package) for package in packages}

    def load(self, folder, **changes):
        """Load the model of a folder; `changes` are added to what its shape.json says."""
        folder = Path(folder)
        shape = json.loads((folder / "shape.json").read_text())
        self.rows = np.load(folder / "test.npy")
        self.model = None  # before the next one is made
        self.model = self.contestant(folder, {**shape, **changes})

    def batch(self, n_rows, dtype="float32", n_threads=1, at_least=0.02):
        """Mean seconds of a call on the first rows, repeated for a while where it is short."""
        X = np.ascontiguousarray(self.rows[:n_rows], dtype)
        self.model.scores(X[:64], n_threads)  # what is made at the first call is not timed
        n_calls, began = 0, time.perf_counter()
        while (taken := time.perf_counter() - began) < at_least or n_calls == 0:
            self.model.scores(X, n_threads)
            n_calls += 1
        return taken / n_calls

    def one_row(self, n_calls):
        """Median seconds of a call on one row: in a hot loop, and after 4 MB were touched."""
        rows = [np.ascontiguousarray(row) for row in self.rows[:ROWS_IN_TURN]]
        for row in rows[:8]:
            self.model.one(row)
        return {
            "hot": self._median(rows, n_calls, lambda: None),
            "cold": self._median(rows, max(n_calls // 10, 8), lambda: TOUCHED.sum()),
        }

    def _median(self, rows, n_calls, before):
        one, clock, taken = self.model.one, time.perf_counter_ns, []
        for i in range(n_calls):
            row = rows[i % len(rows)]
            before()
            began = clock()
            one(row)
            taken.append(clock() - began)
        return float(np.median(taken) - _clock_cost()) * 1e-9

    def save_scores(self, n_rows, path):
        """Raw scores of the first rows, for others to compare theirs with."""
        np.save(path, np.asarray(self.model.scores(self.rows[:n_rows], 1)))


def _clock_cost() -> float:
    """What an empty measurement measures, in ns."""
    taken = []
    for _ in range(1000):
        began = time.perf_counter_ns()
        taken.append(time.perf_counter_ns() - began)
    return float(np.median(taken))


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries print to standard output, too
    worker = Worker(sys.argv[1])
    for line in sys.stdin:
        method, arguments = json.loads(line)
        try:
            answer = {"answer": getattr(worker, method)(**arguments)}
        except Exception as error:  # whatever a library raises, the others go on
            what = str(error).partition("\n")[0][:120]
            answer = {
                "absent": f"{type(error).__name__}" + (f": {what}" if "/" not in what else "")
            }
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
