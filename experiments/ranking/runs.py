"""What one setting of a method does on validation and on test queries; kept in files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True, eq=False)
class RankingRun:
    """One setting of a method.

    setting     : its name
    choice_ndcg : MeanNDCG of the queries that choose among settings; NaN where nothing is chosen
    choice_cost : mean evaluations of their documents
    ndcg        : MeanNDCG of every test query, (Q,)
    lost        : what each loses against the order of the full model, (Q,); NaN if not measured
    cost        : mean evaluations of test documents
    """

    setting: str
    choice_ndcg: float
    choice_cost: float
    ndcg: np.ndarray
    lost: np.ndarray
    cost: float


def save_runs(path: Path, found: Iterable[RankingRun], n_documents: int) -> None:
    """Write the settings of a method; a file that is there is complete."""
    rows = [list(vars(run).values()) for run in found]
    columns = dict(
        zip(RankingRun.__dataclass_fields__, map(list, zip(*rows, strict=True)), strict=True)
    )
    unfinished = path.with_suffix(".part.npz")
    np.savez(unfinished, **columns, n_documents=n_documents)
    unfinished.rename(path)


def load_runs(path: Path) -> tuple[list[RankingRun], int]:
    """The settings of a method, and the number of test documents."""
    stored = np.load(path)
    columns = [stored[name] for name in RankingRun.__dataclass_fields__]
    found = [
        RankingRun(str(s), float(v), float(c), ndcg, lost, float(cost))
        for s, v, c, ndcg, lost, cost in zip(*columns, strict=True)
    ]
    return found, int(stored["n_documents"])
