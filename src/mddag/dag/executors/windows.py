"""Windows: patches by themselves, each feature computed when a split reads it, by native/walk.

For ensembles over Haar features (``PatchFeatures``). A patch costs its integral image and the
rectangles on its path, where the others compute all columns first. It keeps paths. Of rows whose
columns are computed already it makes the row walk. Scores are those of the others, bit by bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag.dag.program import Program
from mddag.dag.trace import Trace
from mddag.features.patches import PatchFeatures
from mddag.features.rows import Patches, Rows


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

    def scores(self, rows: Rows | Patches, out: NDArray[np.float64], n_threads: int) -> None:
        self._walk(rows).scores(rows, out, n_threads)

    def exits(
        self, rows: Rows | Patches, n_threads: int
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        scores = np.empty((len(rows), self.program.ensemble.n_scores))
        exit_step = np.zeros(len(rows), np.int32)
        self._walk(rows).exits(rows, scores, exit_step, n_threads)
        return scores, exit_step

    def run(self, rows: Rows | Patches, n_threads: int) -> Trace:
        source, (ensemble, _) = self.program.ensemble, self.program.reached
        scores = np.empty((len(rows), source.n_scores))
        exit_step, cost = np.zeros(len(rows), np.int32), np.zeros(len(rows))
        n_evaluated, indices = self._walk(rows).run(
            rows, ensemble.cost, scores, exit_step, cost, n_threads
        )
        if ensemble is not source:
            indices = self.program.policy.order.astype(np.int32)[indices]
        indptr = np.concatenate([[0], np.cumsum(n_evaluated, dtype=np.int64)])
        return Trace(scores, indptr, indices, exit_step, cost)

    def _walk(self, rows: Rows | Patches) -> Any:
        """The ``Walk`` or ``PatchWalk`` that reads such rows."""
        return self.program.walk if isinstance(rows, Rows) else self.program.patch_walk
