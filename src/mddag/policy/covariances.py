"""Covariances of votes, <h_j, h_l> over rows; labels are not used.

Rows with a narrow full score F have larger weights, w = exp(-focus |F| / |F|_rms): other rows have
quit before. With K > 1 there are two kinds: of each class by itself, and summed over the classes
after centering, since a shift of all scores decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import spaced_rows
from mddag.ensemble.votes import Votes

BLOCK = 250_000  # votes that stand in memory as numbers at a time: 2 MB


def covariances(votes: Votes, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the covariances of the votes of h_j and h_l for all classes together, (N, N)."""
    n_classifiers, n_scores = votes.tables.n_classifiers, votes.tables.n_scores
    products = np.zeros((n_classifiers, n_classifiers))
    means, unit = np.zeros((n_scores, n_classifiers)), _unit(votes)
    for share, block in _vote_blocks(votes, weight, unit):
        if n_scores > 1:
            block -= block.mean(axis=2, keepdims=True)
        means += np.einsum("i,ijk->kj", share, block)
        block *= np.sqrt(share)[:, None, None]
        flat = block.transpose(0, 2, 1).reshape(len(block) * n_scores, n_classifiers)
        products += _gram(flat.astype(np.float32))
    products -= means.T @ means
    products *= unit**2
    return products


def class_covariances(votes: Votes, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the covariances of the votes of h_j and h_l for each class, (K, N, N)."""
    n_classifiers, n_scores = votes.tables.n_classifiers, votes.tables.n_scores
    products = np.zeros((n_scores, n_classifiers, n_classifiers))
    means, unit = np.zeros((n_scores, n_classifiers)), _unit(votes)
    for share, block in _vote_blocks(votes, weight, unit):
        means += np.einsum("i,ijk->kj", share, block)
        block *= np.sqrt(share)[:, None, None]
        of_class = block.transpose(2, 0, 1).astype(np.float32)
        for total, part in zip(products, of_class, strict=True):
            total += _gram(part)
    for total, mean in zip(products, means, strict=True):
        total -= np.outer(mean, mean)
    products *= unit**2
    return products


def covariances_with(
    votes: Votes, weight: NDArray[np.float64], wanted: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the covariances of the votes of h_j and wanted scores (n, K), (K, N)."""
    tables, n_leaves = votes.tables, votes.tables.n_leaves
    share = shares(weight)
    pull = share[:, None] * (wanted - share @ wanted)  # about the mean: votes need not be
    found = np.zeros((tables.n_scores, tables.n_classifiers))
    for j in range(tables.n_classifiers):
        for t in range(tables.rounds[j], tables.rounds[j + 1]):
            score, table = tables.score[t], tables.table(t)
            for k in range(tables.n_scores) if score < 0 else (score,):
                pulls = np.bincount(votes.codes[:, t], pull[:, k], n_leaves[t])
                found[k, j] += pulls @ table[:, k]
    return found


def _vote_blocks(
    votes: Votes, weight: NDArray[np.float64], unit: float
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Yield the rows' shares of all weight (m,) and their votes (m, N, K), block by block.

    Those of the first row are subtracted, since constants would use up the digits of float32, and
    the unit is one whose squares float32 holds.
    """
    first = int((weight > 0).argmax())  # that counts
    share, origin = shares(weight), votes.rows(slice(first, first + 1)).dense()
    for rows in _blocks(len(votes), votes):
        yield share[rows], (votes.rows(rows).dense() - origin) / unit


def _unit(votes: Votes) -> float:
    """Return a power of 2, so that nothing is rounded, about as large as the largest vote."""
    largest = float(votes.tables.reach().max(initial=0.0))
    return float(2.0 ** np.floor(np.log2(largest))) if largest > 0 else 1.0


def mean_votes(votes: Votes, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of h_jk over the rows, (N, K); 0 if all weights are 0."""
    tables, n_leaves, total = votes.tables, votes.tables.n_leaves, weight.sum()
    means = np.zeros((tables.n_classifiers, tables.n_scores))
    for j in range(tables.n_classifiers if total > 0 else 0):
        for t in range(tables.rounds[j], tables.rounds[j + 1]):
            counts = np.bincount(votes.codes[:, t], weight, n_leaves[t])
            means[j] += counts / total @ tables.table(t)
    return means


def shares(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale weights to sum to 1; they stay 0 if all are."""
    total = weight.sum()
    return weight / total if total > 0 else weight


def sampled(votes: Votes, most: int) -> tuple[Votes, NDArray[np.intp]]:
    """Return the votes on at most `most` evenly spaced rows, and which rows these are."""
    rows = spaced_rows(len(votes), most)
    return (votes if len(rows) == len(votes) else votes.rows(rows)), rows


def narrowness(
    votes: Votes, focus: float, weight: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return exp(-focus m / rms m), (n,), where m is |F| or the margin of the two best scores.

    `weight` is that of the rows in the mean of m^2, (n,); 1 by default.
    """
    scores = votes.scores()
    if scores.shape[1] == 1:
        margin = np.abs(scores[:, 0])
    else:
        scores.partition(-2, axis=1)
        margin = scores[:, -1] - scores[:, -2]
    counts = weight is None or weight.any()
    rms = np.sqrt(np.average(margin**2, weights=weight)) if counts else 0.0
    return np.exp(-focus * margin / rms) if rms > 0 else np.ones(len(margin))


def _blocks(n: int, votes: Votes) -> Iterator[slice]:
    """Split n rows into parts whose votes as numbers fit into `BLOCK`."""
    size = max(BLOCK // max(votes.tables.n_classifiers * votes.tables.n_scores, 1), 1)
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def _gram(block: NDArray[np.float32]) -> NDArray[np.float32]:
    """Multiply columns; in float32 the BLAS is twice as fast, and sums of blocks are float64."""
    return block.T @ block
