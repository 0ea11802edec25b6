"""Trained ensembles as problems: the votes of their base classifiers on rows they have not seen.

Two ensembles per data set: LightGBM, 500 rounds of 8-leaf trees at its default learning rate (100
rounds for many classes, where each round grows a tree per class), and AdaBoost.MH, 500 stumps.
What is trained is kept in a folder, one file per data set, ensemble and seed, so that changed
solvers need no training.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier

from benchmarks.quality_fixed import split
from benchmarks.quality_fixed.rivals import SmallerModels, prove_early_stop
from mddag import AdaBoostMHClassifier, Votes, as_ensemble
from mddag.ensemble.votes import Tables
from mddag.learners import Stump

ENSEMBLES = ("LightGBM", "AdaBoost.MH")
CHECKED_ROWS = 2000


@dataclass(frozen=True)
class Sample:
    """What the base classifiers say of some rows, and the labels."""

    votes: Votes
    labels: np.ndarray


@dataclass(frozen=True)
class Problem:
    """An ensemble on a data set: policies are learned on `policy` and read on `test`."""

    data: str
    ensemble: str
    seed: int
    policy: Sample
    test: Sample
    smaller: SmallerModels | None

    @property
    def key(self) -> dict[str, Any]:
        return {"data": self.data, "ensemble": self.ensemble, "seed": self.seed}


def problem(name: str, ensemble: str, seed: int, folder: Path, shrink: int = 1) -> Problem:
    """The problem from the folder; trained and put there if it is missing."""
    words = (name.replace("/", " ").replace(" ", "_"), ensemble, str(seed), f"shrink{shrink}")
    path = folder / ("-".join(words[: 3 if shrink == 1 else 4]) + ".npz")
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        arrays = _trained(ensemble, split.parts(name, seed, shrink), 500 // shrink)
        np.savez(path.with_suffix(".part.npz"), **arrays)
        path.with_suffix(".part.npz").rename(path)
    with np.load(path) as arrays:
        return _from_arrays(name, ensemble, seed, dict(arrays))


def _trained(ensemble: str, rows: split.Parts, n_rounds: int) -> dict[str, np.ndarray]:
    """Votes, labels and the smaller models' measures as plain arrays."""
    n_classes = int(rows.model[1].max()) + 1
    smaller: dict[str, np.ndarray] = {}
    if ensemble == "LightGBM":
        n_rounds = n_rounds if n_classes == 2 else n_rounds // 5
        model = lightgbm(n_rounds).fit(*rows.model)
        some = rows.test[0][:CHECKED_ROWS]
        prove_early_stop(model, some, as_ensemble(model).votes(some))
        smaller = SmallerModels.trained(lightgbm, n_rounds, rows).arrays()
    else:
        model = AdaBoostMHClassifier(Stump(), n_rounds=n_rounds, max_bins=255).fit(*rows.model)
    source = as_ensemble(model)
    tables = {f"tables_{f.name}": getattr(source.tables, f.name) for f in fields(Tables)}
    return {
        "policy_codes": source.votes(rows.policy[0]).codes,
        "policy_labels": rows.policy[1],
        "test_codes": source.votes(rows.test[0]).codes,
        "test_labels": rows.test[1],
        **tables,
        **smaller,
    }


def _from_arrays(name: str, ensemble: str, seed: int, arrays: dict[str, np.ndarray]) -> Problem:
    tables = Tables(**{f.name: arrays[f"tables_{f.name}"] for f in fields(Tables)})
    policy, test = (
        Sample(Votes(arrays[f"{part}_codes"], tables), arrays[f"{part}_labels"])
        for part in ("policy", "test")
    )
    smaller = SmallerModels.from_arrays(arrays) if ensemble == "LightGBM" else None
    return Problem(name, ensemble, seed, policy, test, smaller)


def lightgbm(n_rounds: int, learning_rate: float = 0.1) -> LGBMClassifier:
    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    return LGBMClassifier(
        n_estimators=n_rounds,
        num_leaves=8,
        learning_rate=learning_rate,
        n_jobs=1,
        deterministic=True,
        force_col_wise=True,
        verbose=-1,
    )
