"""One build of mddag in a process of its own, asked and timed over pipes; see `builds`.

    <a build's python> -m benchmarks.speed.builds_worker <folder with model and rows>

Only names of the public contract are used, so that builds of any version can be compared.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path

import lightgbm
import numpy as np

from benchmarks.clock import mean_seconds
from benchmarks.speed.pipe import serve

N_SINGLES = 1024
SETTINGS = {"budget": 20, "random_state": 0}


class Build:
    """Models of this build, made from the same LightGBM text and the same rows."""

    def __init__(self, folder: str):
        import mddag

        self.mddag, self.folder = mddag, Path(folder)
        self.booster = lightgbm.Booster(model_file=self.folder / "lightgbm.txt")
        with np.load(self.folder / "policy.npz") as rows:
            self.X, self.y = rows["X"], rows["y"]
        self.X_test = np.load(self.folder / "test.npy")
        self.full = mddag.compile(mddag.as_ensemble(self.booster))

    def keep_model(self):
        """Write a model that every later build can read, so that all run the same policy."""
        solver = self.mddag.solvers.Margin()  # quick
        fast = self.mddag.sparsify(self.booster, self.X, self.y, solver=solver, **SETTINGS)
        fast.save(self.folder / "model.mddag")

    def load_model(self):
        self.predictor = self.mddag.load(self.folder / "model.mddag")

    def import_(self):
        """Seconds of `import mddag; mddag.load` in a new interpreter, its own start included."""
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import mddag; mddag.load"], check=True)
        return time.perf_counter() - began

    def one(self, what, at_least=0.2):
        """Seconds of a call on one row, called one by one in a hot loop."""
        call, rows = getattr(self.predictor, what), list(self.X_test[:N_SINGLES].copy())
        if what == "predict":
            rows = [row[None] for row in rows]

        def one_by_one():
            return [call(row) for row in rows]

        one_by_one()  # what is made at the first call is not timed
        return mean_seconds(at_least, one_by_one) / len(rows)

    def batch(self, what, n_rows, at_least=0.2):
        """Seconds of a call on some rows, float32."""
        X = np.ascontiguousarray(self.X_test[:n_rows], np.float32)
        call = self.full.scores if what == "all" else getattr(self.predictor, what)
        call(X)  # what is made at the first call is not timed
        return mean_seconds(at_least, call, X)

    def sparsify(self):
        """Seconds of the whole `sparsify` with the default solver, on one thread."""
        began = time.perf_counter()
        self.fast = self.mddag.sparsify(self.booster, self.X, self.y, **SETTINGS)
        return time.perf_counter() - began

    def peak(self):
        """Megabytes that this process held at most."""
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    def answers(self):
        """Mean evaluations and error of the last sparse model on the test rows, to compare."""
        y = np.load(self.folder / "y_test.npy")
        return [
            float(self.fast.n_evaluated(self.X_test).mean()),
            1 - self.fast.score(self.X_test, y),
        ]


if __name__ == "__main__":
    serve(lambda: Build(sys.argv[1]))
