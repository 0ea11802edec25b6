"""Draw the toy problem of the paper from a seed."""

from __future__ import annotations

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from mddag._utils.checks import check_whole

__all__ = ["two_clusters"]

NEGATIVE, BLUE, RED = 0, 1, 2

_CENTRE = np.array([[0.0, 0.0], [-1.5, 1.5], [1.5, -1.5]])
_SPREAD = np.array([0.7, 0.6, 0.6])
_HALF_SIDE = 3.5
_STREWN = 0.05  # share of the negatives drawn uniformly from the square


def two_clusters(
    n_samples: int = 4000, *, random_state: int | RandomState | None = None
) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
    """Draw the binary problem of Section 3.1 and Figure 1(a).

    The positive class is two clusters, blue and red, far from each other; the negative class is one
    cluster between them plus a few rows spread over the whole square. A stump that separates one
    positive cluster hardly separates the other, so the clusters need different base classifiers.
    The paper gives no numbers; with these, 1000 stumps of AdaBoost misclassify about one row in
    ten.

    Parameters
    ----------
    n_samples : int, default=4000
        Number of rows, shuffled. Half are negative, a quarter in each positive cluster.
    random_state : int, RandomState or None, default=None
        Seed or generator.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Rows.
    y : ndarray of shape (n_samples,)
        Labels, 1 for the positive class.
    cluster : ndarray of shape (n_samples,)
        0 for negative, 1 for blue, 2 for red.

    Examples
    --------
    >>> from mddag.datasets import two_clusters
    >>> X, y, cluster = two_clusters(8, random_state=0)
    >>> sorted(cluster.tolist())
    [0, 0, 0, 0, 1, 1, 2, 2]
    """
    check_whole("n_samples", n_samples, 1)
    rng = check_random_state(random_state)
    cluster = np.array([NEGATIVE, BLUE, NEGATIVE, RED], np.intp)[rng.permutation(n_samples) % 4]
    X = _CENTRE[cluster] + _SPREAD[cluster, None] * rng.normal(size=(n_samples, 2))
    strewn = (cluster == NEGATIVE) & (rng.uniform(size=n_samples) < _STREWN)
    X[strewn] = rng.uniform(-_HALF_SIDE, _HALF_SIDE, size=(int(strewn.sum()), 2))
    return X, (cluster != NEGATIVE).astype(np.intp), cluster
