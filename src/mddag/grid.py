"""Grid: score vector -> cell, one grid for all steps j.

With one score the cell counts the edges below f. With several classes the state is the top class
and the margin between the two best scores, which stays one-dimensional for any K. One grid is
shared by all j, so that a chain of SKIPs, which leaves f alone, stays in its cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag.votes import Votes

DEFAULT_CELLS = 1024
MIN_MARGIN_CELLS = 32


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells of the score space.

    edges    : float64 (n_edges,), strictly increasing; cell c holds edges[c-1] < s <= edges[c],
               s being the score (K = 1) or the margin between the two best (K > 1)
    n_scores : K; for K > 1 each top class has its own row of cells
    """

    edges: NDArray[np.float64]
    n_scores: int = 1

    @property
    def n_cells(self) -> int:
        return (len(self.edges) + 1) * self.n_scores

    def cells(self, scores: NDArray[np.float64]) -> NDArray[np.int32]:
        """The cell of each row of scores (n, K), int32 (n,)."""
        cells = np.empty(len(scores), np.int32)
        _core.cells(self.native, np.ascontiguousarray(scores, np.float64), cells)
        return cells

    @cached_property
    def centres(self) -> NDArray[np.float64]:
        """A score (or margin) inside each cell of one top class, (n_edges + 1,)."""
        if len(self.edges) == 0:
            return np.zeros(1)
        width = np.diff(self.edges).mean() if len(self.edges) > 1 else 1.0
        ends = [self.edges[0] - width / 2], [self.edges[-1] + width / 2]
        return np.concatenate([ends[0], (self.edges[:-1] + self.edges[1:]) / 2, ends[1]])

    @cached_property
    def native(self) -> tuple[NDArray[np.float64], NDArray[np.int32], float, float, int]:
        """What the kernels take: edges, and buckets that tell where to begin looking."""
        n_buckets = 4 * (len(self.edges) + 1)
        low = float(self.edges[0]) if len(self.edges) else 0.0
        span = float(self.edges[-1]) - low if len(self.edges) else 0.0
        scale = n_buckets / span if span > 0 else 0.0
        bucket = np.clip((self.edges - low) * scale, 0, n_buckets - 1).astype(np.int32)
        first = np.searchsorted(bucket, np.arange(n_buckets), side="left").astype(np.int32)
        return self.edges, first, low, scale, self.n_scores

    @classmethod
    def uniform(cls, votes: Votes, n_cells: int | None = None) -> Grid:
        """Equal cells over all scores that the votes can reach (the paper's), 0 being an edge."""
        reach = float(np.abs(votes.tables.bias).max() + votes.tables.reach().sum())
        n_margins = _margin_cells(votes.tables.n_scores, n_cells)
        if votes.tables.n_scores > 1:
            return cls(np.arange(n_margins) * (2 * reach or 1.0) / n_margins, votes.tables.n_scores)
        half = np.arange(1, n_margins // 2) * (2 * reach or 1.0) / n_margins
        return cls(np.concatenate([-half[::-1], [0.0], half]))

    @classmethod
    def quantile(cls, votes: Votes, n_cells: int | None = None) -> Grid:
        """Cells that hold equally many of the partial sums that the rows pass through, and 0."""
        tables = votes.tables
        n_margins = _margin_cells(tables.n_scores, n_cells)
        rows = np.linspace(0, len(votes) - 1, min(len(votes), 2000)).astype(np.intp)
        sums = tables.bias + np.cumsum(votes.rows(rows).dense(), axis=1)
        if tables.n_scores == 1:
            seen = sums.ravel()
        else:
            best = np.partition(sums, -2, axis=-1)
            seen = (best[..., -1] - best[..., -2]).ravel()
        quantiles = np.quantile(seen, np.arange(1, n_margins - 1) / (n_margins - 1))
        return cls(np.unique(np.append(quantiles, 0.0)), tables.n_scores)


def _margin_cells(n_scores: int, n_cells: int | None) -> int:
    if n_cells is None:
        return DEFAULT_CELLS if n_scores == 1 else max(DEFAULT_CELLS // n_scores, MIN_MARGIN_CELLS)
    if n_cells < 2:
        raise ValueError(f"n_cells is {n_cells}; a grid needs at least 2 cells")
    return n_cells
