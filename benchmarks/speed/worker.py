"""A contestant in a process of its own, perhaps of another environment: asked and timed over pipes.

    python -m benchmarks.speed.worker <class of `contestants`>

Its environment has numpy and the contestant's library, perhaps nothing else; see `pipe` for how it
is asked.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

from benchmarks.clock import mean_seconds
from benchmarks.speed import contestants
from benchmarks.speed.pipe import serve

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

    def batch(self, n_rows, dtype="float32", n_jobs=1, at_least=0.02):
        """Mean seconds of a call on the first rows, repeated for a while where it is short."""
        X = np.ascontiguousarray(self.rows[:n_rows], dtype)
        self.model.scores(X[:64], n_jobs)  # what is made at the first call is not timed
        return mean_seconds(at_least, self.model.scores, X, n_jobs)

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


if __name__ == "__main__":
    serve(lambda: Worker(sys.argv[1]))
