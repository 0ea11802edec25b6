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
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed import contestants

TOUCHED = np.zeros(4 << 20, np.uint8)  # larger than the caches next to a core
SINGLES = 2048  # rows for calls on one row


class Worker:
    def __init__(self, contestant: str):
        self.contestant = getattr(contestants, contestant)

    def version(self, package):
        return version(package)

    def load(self, folder, changes):
        """Load the model of a folder; `changes` are added to what its shape.json says."""
        folder = Path(folder)
        shape = json.loads((folder / "shape.json").read_text())
        self.rows = np.load(folder / "test.npy")
        self.singles = list(self.rows[:SINGLES].copy())
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

    def one_row(self, n_rows, cold, at_least=0.1):
        """Seconds of a call on one row, the median of passes over some rows, called one by one.

        In a hot loop, or with 4 MB touched before each call.
        """
        rows = self.singles[:n_rows]
        one_pass = self._cold_pass if cold else self._hot_pass
        one_pass(rows[:16])
        taken, began = [], time.perf_counter()
        while not taken or time.perf_counter() - began < at_least:
            taken.append(one_pass(rows))
        return float(np.median(taken)) / n_rows

    def _hot_pass(self, rows):
        one, began = self.model.one, time.perf_counter()
        for row in rows:
            one(row)
        return time.perf_counter() - began

    def _cold_pass(self, rows):
        one, clock, taken = self.model.one, time.perf_counter, 0.0
        for row in rows:
            TOUCHED.sum()
            began = clock()
            one(row)
            taken += clock() - began
        return taken

    def save_scores(self, n_rows, path):
        """Raw scores of the first rows, for others to compare theirs with."""
        np.save(path, np.asarray(self.model.scores(self.rows[:n_rows], 1)))


def serve(begin: Callable[[], Any]) -> None:
    """Answer requests by the methods of what `begin` makes."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries print to standard output, too
    worker = begin()
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
    serve(lambda: Worker(sys.argv[1]))
