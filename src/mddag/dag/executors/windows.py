"""Windows: patches by themselves, each feature computed when a split reads it, by native/walk.

For ensembles over Haar features (``PatchFeatures``). A patch costs its integral image and the
rectangles on its path, where the others compute all columns first. It keeps paths. Rows whose
columns are computed already are left to the row walk. Scores are those of the others, bit by bit.
Its rows are ``Patches``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag.dag.program import Program
from mddag.dag.trace import Trace
from mddag.dag.verdicts import verdicts_by_exits
from mddag.features.patches import PatchFeatures


@dataclass(frozen=True, eq=False)
class Windows:
    """Patches, computed as far as they are read."""

    program: Program
    name: ClassVar[str] = "windows"

    @staticmethod
    def runs(program: Program) -> bool:
        return program.has_kernels and isinstance(program.ensemble.features, PatchFeatures)

    def cost(self, n_rows: int) -> float:
        return self.program.costs.by_windows(n_rows)

    def scores(self, rows: Any, out: NDArray[np.float64], n_threads: int) -> None:
        self.program.patch_walk.scores(rows, out, n_threads)

    def exits(self, rows: Any, n_threads: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        scores = np.empty((len(rows), self.program.ensemble.n_scores))
        exit_step = np.zeros(len(rows), np.int32)
        self.program.patch_walk.exits(rows, scores, exit_step, n_threads)
        return scores, exit_step

    def verdicts(self, rows: Any, n_threads: int) -> NDArray[np.intp]:
        return verdicts_by_exits(self.program, *self.exits(rows, n_threads))

    def run(self, rows: Any, n_threads: int) -> Trace:
        source, (ensemble, _) = self.program.ensemble, self.program.reached
        scores = np.empty((len(rows), source.n_scores))
        exit_step, cost = np.zeros(len(rows), np.int32), np.zeros(len(rows))
        n_evaluated, indices = self.program.patch_walk.run(
            rows, ensemble.cost, scores, exit_step, cost, n_threads
        )
        if ensemble is not source:
            indices = self.program.policy.order.astype(np.int32)[indices]
        indptr = np.concatenate([[0], np.cumsum(n_evaluated, dtype=np.int64)])
        trace = Trace(scores, indptr, indices, exit_step, cost)
        if source.task.predicts_classes:
            trace = replace(trace, verdict=verdicts_by_exits(self.program, scores, exit_step))
        return trace
