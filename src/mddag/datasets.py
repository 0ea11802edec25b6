"""Data sets of the paper's experiments; nothing is downloaded.

`two_clusters` draws the toy problem from a seed, `load_letor` reads folds of LETOR 4.0 from disk.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from mddag._utils.checks import check_one_of, check_whole, checked_path

__all__ = ["load_letor", "two_clusters"]

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


PARTS = ("train", "vali", "test")


class LetorPart(NamedTuple):
    """One part: rows X float64 (n, d), relevance y (n,) and query numbers qid (n,), both int64."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    qid: NDArray[np.int64]


class LetorFold(NamedTuple):
    """The three parts of a fold."""

    train: LetorPart
    vali: LetorPart
    test: LetorPart


def load_letor(path: str | os.PathLike[str], fold: int) -> LetorFold:
    r"""Read an official fold of LETOR 4.0 (MQ2007, MQ2008).

    Lines are in svmlight format with a query number, such as ``2 qid:10 1:0.03 2:0.0 #docid =
    GX029-35-5894638``; their order is kept.

    Parameters
    ----------
    path : str or os.PathLike
        Folder that contains `Fold1` … `Fold5`, each with train.txt, vali.txt and test.txt.
    fold : {1, 2, 3, 4, 5}
        Which fold to read.

    Returns
    -------
    LetorFold
        Parts `train`, `vali` and `test`, each with `X`, `y` and `qid`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from mddag.datasets import load_letor
    >>> folder = Path("MQ2008/Fold1")
    >>> folder.mkdir(parents=True)
    >>> for part in ("train", "vali", "test"):
    ...     _ = (folder / f"{part}.txt").write_text("2 qid:10 1:0.5\n0 qid:10 2:1.0\n")
    >>> fold = load_letor("MQ2008", 1)
    >>> fold.train.X
    array([[0.5, 0. ],
           [0. , 1. ]])
    """
    check_one_of("fold", fold, (1, 2, 3, 4, 5))
    folder = Path(checked_path(path)) / f"Fold{fold}"
    files = [folder / f"{part}.txt" for part in PARTS]
    missing = [file for file in files if not file.is_file()]
    if missing:
        raise FileNotFoundError(
            f"there is no file {missing[0]}; wanted a folder of LETOR 4.0 that has Fold1 … Fold5 "
            "with train.txt, vali.txt and test.txt each"
        )
    read = [_read(file) for file in files]
    n_features = max(X.shape[1] for X, _, _ in read)
    parts = []
    for X, y, qid in read:
        dense = np.zeros((X.shape[0], n_features))  # a feature that is 0 throughout is in no line
        dense[:, : X.shape[1]] = X.toarray()
        parts.append(LetorPart(dense, y.astype(np.int64), qid.astype(np.int64)))
    return LetorFold(*parts)


def _read(file: Path) -> tuple[Any, Any, Any]:
    from sklearn.datasets import load_svmlight_file  # `mddag.datasets` stays light

    try:
        X, y, qid = load_svmlight_file(str(file), query_id=True, zero_based=False)
    except ValueError as error:
        raise ValueError(f"{file} is not in svmlight form: {error}") from error
    if len(qid) != len(y):
        raise ValueError(f"{file} has {len(y)} rows, but {len(qid)} of them with qid; wanted all")
    return X, y, qid
