"""Grid: cells of the score space, one grid for all steps.

One grid is shared by all j, so that a chain of SKIPs, which leaves f alone, stays in its cell. With
several classes the cell is that of the top class and the margin between the two best scores, which
stays one-dimensional for any K. A tie goes to the first class; a NaN score has no edge below it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.arrays import ReadOnlyArrays, are_equal, part, read_only, spaced_rows
from mddag._utils.cached import cached_property
from mddag._utils.checks import as_floats, check_whole, checked_prices
from mddag.ensemble.votes import Votes, check_votes, partial_sums, top_and_margin

DEFAULT_CELLS = 1024
MIN_MARGIN_CELLS = 32
MAX_SAMPLED_STATES = 1_000_000  # 8 MB: what `quantile` looks at, however many rows there are
BUCKETS = 16  # for each edge: kernels find a cell fastest where a bucket holds one edge at most
GAP = 1e-8  # of the range: states no further apart are one, but for rounding
MIN_LOOKS = 100  # steps it looks at; neighbors are alike, so steps are left out before rows


@dataclass(frozen=True, eq=False)
class Grid(ReadOnlyArrays):
    """Cells of the score space.

    Parameters
    ----------
    edges : array-like of shape (n_edges,)
        Strictly increasing; cell c holds edges[c-1] < s <= edges[c], where s is the score (K = 1)
        or the margin between the two best scores (K > 1).
    n_scores : int, default=1
        Number of scores, K. For K > 1 each top class has its own n_edges + 1 cells.

    Examples
    --------
    >>> import numpy as np
    >>> import mddag
    >>> grid = mddag.Grid([-1.0, 0.0, 1.0])
    >>> grid.n_cells, grid.cells(np.array([[-2.0], [0.0], [0.5]]))
    (4, array([0, 1, 2], dtype=int32))
    """

    edges: NDArray[np.float64]
    n_scores: int = 1

    def __post_init__(self) -> None:
        edges = read_only(as_floats("edges", self.edges, "a sorted array of numbers"), np.float64)
        if (
            np.ndim(self.edges) != 1
            or not np.isfinite(edges).all()
            or (edges[1:] <= edges[:-1]).any()
        ):
            raise ValueError(
                f"edges of shape {np.shape(self.edges)} are not finite and strictly increasing; "
                "wanted a sorted array without repetitions, np.unique(edges)"
            )
        check_whole("n_scores", self.n_scores, 1)
        object.__setattr__(self, "edges", edges)

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return (len(self.edges) + 1) * self.n_scores

    def cells(self, scores: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return the cell of each row.

        Parameters
        ----------
        scores : ndarray of shape (n, K)
            Scores.

        Returns
        -------
        ndarray of shape (n,), int32
            Cells.
        """
        wanted = f"an array (n, {self.n_scores})"
        scores = np.require(as_floats("scores", scores, wanted), requirements=["C", "A"])
        if scores.ndim != 2 or scores.shape[1] != self.n_scores:
            raise ValueError(f"scores have shape {scores.shape}; wanted (n, {self.n_scores})")
        cells = np.empty(len(scores), np.int32)
        _core.cells(self.native, scores, cells)
        return cells

    @cached_property
    def centers(self) -> NDArray[np.float64]:
        """A score (or margin) inside each cell of one top class, (n_edges + 1,)."""
        if len(self.edges) == 0:
            return np.zeros(1)
        below, above = self.edges[:-1], self.edges[1:]
        n_inner = len(below)
        width = self.edges[-1] / n_inner - self.edges[0] / n_inner if n_inner else 1.0
        middle = below / 2 + above / 2
        inner = np.where(middle > below, middle, above)  # between neighboring floats is nothing
        first = self.edges[0] - width / 2 if self.n_scores == 1 else min(self.edges[0], 0.0)
        last = max(self.edges[-1] + width / 2, np.nextafter(self.edges[-1], np.inf))
        return np.concatenate([[first], inner, [last]])

    @cached_property
    def native(self) -> _core.Grid:
        """Edges and equal buckets of them, as kernels take them."""
        return buckets(self.edges, self.n_scores)

    @classmethod
    def uniform(cls, votes: Votes, n_cells: int | None = None) -> Grid:
        """Divide the range of scores that votes can reach into equal cells, as in the paper.

        Parameters
        ----------
        votes : Votes
            Votes of the base classifiers.
        n_cells : int, default=None
            Cells per top class, 1024 by default (fewer for many classes). 0 is an edge: with one
            score, an odd number gives one cell less.

        Returns
        -------
        Grid
            The cells.
        """
        check_votes(votes)
        n_scores = votes.tables.n_scores
        n_cells = _checked_cells(n_scores, n_cells)
        reach = float(np.abs(votes.tables.bias).max() + votes.tables.reach().sum()) or 1.0
        if n_scores > 1:
            return cls(np.unique(np.arange(n_cells - 1) / (n_cells - 1) * (2 * reach)), n_scores)
        n_half = n_cells // 2
        return cls(np.unique(np.arange(1 - n_half, n_half) / n_half * reach))

    @classmethod
    def quantile(
        cls,
        votes: Votes,
        n_cells: int | None = None,
        *,
        weight: NDArray[np.float64] | None = None,
    ) -> Grid:
        """Choose cells that hold equally many of the partial sums f^(0) … f^(N) of the rows.

        Parameters
        ----------
        votes : Votes
            Votes of the base classifiers on the rows.
        n_cells : int, default=None
            Cells per top class, 1024 by default (fewer for many classes, and where sums repeat). 0
            is an edge.
        weight : ndarray of shape (n,), default=None
            Positive weights of the rows; cells then hold equal weights.

        Returns
        -------
        Grid
            The cells.
        """
        check_votes(votes)
        n_cells = _checked_cells(votes.tables.n_scores, n_cells)
        if weight is not None:
            weight = checked_prices("weight", weight, len(votes), "row")
        wanted = np.arange(1, n_cells - 1) / (n_cells - 1)
        states, rows = _states_passed(votes)
        edges = _between(*_quantiles(states, wanted, part(weight, rows)))
        return cls(np.unique(np.append(edges, 0.0)), votes.tables.n_scores)


def buckets(edges: NDArray[np.float64], n_scores: int) -> _core.Grid:
    """Return sorted edges, and equal buckets with the edges in each, as kernels take them."""
    n_buckets = BUCKETS * (len(edges) + 1)
    low = float(edges[0]) if len(edges) else 0.0
    span = float(edges[-1]) - low if len(edges) else 0.0
    scale = n_buckets / span if span > 0 else 0.0
    if not 0 < scale < np.inf:  # too few, too close or too far for buckets: all in the first
        bucket, scale = np.zeros(len(edges), np.int32), 0.0
    else:
        bucket = np.minimum((edges - low) * scale, n_buckets - 1).astype(np.int32)
    first = np.searchsorted(bucket, np.arange(n_buckets + 1)).astype(np.int32)
    return edges, first, low, scale, n_scores


def _quantiles(
    states: NDArray[np.float64], shares: NDArray[np.float64], weight: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the states (n_looks, n) sorted, and those of them below which the given shares lie."""
    if weight is None or are_equal(weight):
        flat = states.ravel()
        flat.sort()
        return flat, flat[(shares * (len(flat) - 1)).astype(np.intp)]
    order = np.argsort(states, axis=None)
    flat = states.ravel()[order]
    below = np.cumsum(np.broadcast_to(weight, states.shape).ravel()[order])
    at = np.searchsorted(below, shares * below[-1], side="right")
    return flat, flat[np.minimum(at, len(flat) - 1)]


def _between(states: NDArray[np.float64], at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Place an edge after each of some sorted states, midway to the next one.

    Sums of stumps repeat: with an edge on one of them, all its rows would change their cell where
    an executor rounds the sum.
    """
    near = GAP * (states[-1] - states[0])
    above = np.searchsorted(states, at + near, side="right")
    above = above[above < len(states)]
    edges: NDArray[np.float64] = states[above - 1] / 2 + states[above] / 2
    return edges


def _states_passed(votes: Votes) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Sample the scores or margins (n_looks, n) that rows pass through, and return which rows."""
    n_sums = votes.tables.n_classifiers + 1
    fits = -(-len(votes) * n_sums // MAX_SAMPLED_STATES)
    stride = max(min(fits, n_sums // MIN_LOOKS), 1)
    n_looks = -(-n_sums // stride)
    rows = spaced_rows(len(votes), max(MAX_SAMPLED_STATES // n_looks, 1))
    states = np.empty((n_looks, len(rows)))
    for j, scores in enumerate(partial_sums(votes, rows=rows)):
        if j % stride == 0:
            states[j // stride] = (
                scores[:, 0] if scores.shape[1] == 1 else top_and_margin(scores)[1]
            )
    return states, rows


def _checked_cells(n_scores: int, n_cells: int | None) -> int:
    if n_cells is None:
        return DEFAULT_CELLS if n_scores == 1 else max(DEFAULT_CELLS // n_scores, MIN_MARGIN_CELLS)
    check_whole("n_cells", n_cells, 2)
    return n_cells
