"""LETOR 4.0 (MQ2007, MQ2008): documents of queries with relevance labels, in five official folds.

A folder `Fold<k>` has train.txt, vali.txt and test.txt, in svmlight lines with a query number:

    2 qid:10 1:0.03 2:0.0 ... 46:0.07 #docid = GX029-35-5894638

Files are read as they are, row by row in their order; nothing is downloaded.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_one_of, checked_path

PARTS = ("train", "vali", "test")


class Documents(NamedTuple):
    """Rows of a part: X float64 (n, d), relevance y (n,) and query numbers qid (n,), both int64."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    qid: NDArray[np.int64]


class LetorFold(NamedTuple):
    """The three parts of a fold."""

    train: Documents
    vali: Documents
    test: Documents


def load_letor(path: str | os.PathLike[str], fold: int) -> LetorFold:
    """The official fold 1 … 5 below `path`, a folder that has `Fold1` … `Fold5`."""
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
    return LetorFold(*(_documents(X, y, qid, n_features) for X, y, qid in read))


def _read(file: Path) -> tuple[Any, Any, Any]:
    from sklearn.datasets import load_svmlight_file  # `mddag.datasets` stays light

    try:
        X, y, qid = load_svmlight_file(str(file), query_id=True, zero_based=False)
    except ValueError as error:
        raise ValueError(f"{file} is not in svmlight form: {error}") from error
    if len(qid) != len(y):
        raise ValueError(f"{file} has {len(y)} rows, but {len(qid)} of them with qid; wanted all")
    return X, y, qid


def _documents(X: Any, y: Any, qid: Any, n_features: int) -> Documents:
    dense = np.zeros((X.shape[0], n_features))  # a feature that is 0 throughout is in no line
    dense[:, : X.shape[1]] = X.toarray()
    return Documents(dense, y.astype(np.int64), qid.astype(np.int64))
