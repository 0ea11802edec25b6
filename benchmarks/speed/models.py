"""The ensembles of the speed benchmark: five shapes, from fixed seeds, trained once by LightGBM.

    A10, A50   1000 stumps on 10 and 50 features      (make_hastie_10_2, make_classification)
    B          1000 trees of 8 leaves, 50 features
    C          3 classes x 500 trees of 8 leaves, 46 features
    D          1000 trees of 64 leaves, 50 features

Rows are float32, 50 000 to train on and 100 000 to predict; shapes with missing values lack a tenth
of the values in both, and train on 20 000. Models and rows are kept under out/speed, so that a
second run is quick.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

import lightgbm as lgb
import numpy as np
from sklearn.datasets import make_classification, make_hastie_10_2

import mddag
from benchmarks.places import OUT, ROOT
from mddag.policy.policy import EVAL, QUIT
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor

CACHE = OUT / "speed"
TRAIN_ROWS, TEST_ROWS = 50_000, 100_000


@dataclass(frozen=True)
class Shape:
    """What an ensemble looks like; n_rounds of one tree per class, or of one for two classes."""

    name: str
    n_features: int
    n_rounds: int = 1000
    n_leaves: int = 8
    n_classes: int = 2
    missing: float = 0.0
    n_train: int = TRAIN_ROWS

    @property
    def n_trees(self) -> int:
        return self.n_rounds * (self.n_classes if self.n_classes > 2 else 1)

    def with_missing(self) -> Shape:
        return replace(self, name=f"{self.name}-missing", missing=0.1, n_train=20_000)


A10 = Shape("A10", 10, n_leaves=2)
A50 = Shape("A50", 50, n_leaves=2)
B = Shape("B", 50)
C = Shape("C", 46, n_rounds=500, n_classes=3)
D = Shape("D", 50, n_leaves=64)
SHAPES = (A10, A50, B, C, D)


def prepared(shape: Shape) -> Path:
    """The folder of a shape, as `keep` fills it; made where absent."""
    folder = CACHE / shape.name
    if not (folder / "lightgbm.txt").exists():
        X, y = _rows(shape)
        keep(folder, shape, X[: shape.n_train], y[: shape.n_train], X[shape.n_train :])
    keep_full(folder)
    return folder


def keep(folder: Path, shape: Shape, X_train, y_train, X_test) -> None:
    """Write rows and model of a shape: train.npz, test.npy, shape.json, lightgbm.txt."""
    print(f"training {shape.name} …", flush=True)
    booster = lgb.train(_parameters(shape), lgb.Dataset(X_train, y_train), shape.n_rounds)
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "train.npz", X=X_train, y=y_train)
    np.save(folder / "test.npy", X_test)
    (folder / "shape.json").write_text(json.dumps(asdict(shape)))
    booster.save_model(folder / "partial")
    os.replace(folder / "partial", folder / "lightgbm.txt")  # its being there says all is


def ensemble_of(folder: Path) -> mddag.Ensemble:
    return mddag.as_ensemble(lgb.Booster(model_file=folder / "lightgbm.txt"))


def keep_full(folder: Path) -> None:
    """Write what mddag runs, again in every run, since it is what may have changed."""
    dag = mddag.compile(ensemble_of(folder))
    Predictor(Model(dag)).save(folder / "full.mddag")


def _parameters(shape: Shape) -> dict[str, object]:
    task = (
        {"objective": "binary"}
        if shape.n_classes == 2
        else {"objective": "multiclass", "num_class": shape.n_classes}
    )
    # One thread: on a shared machine a second one mostly waits.
    return {**task, "num_leaves": shape.n_leaves, "verbose": -1, "num_threads": 1, "seed": 0}


def _rows(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    n_rows = shape.n_train + TEST_ROWS
    if shape.n_features == 10:
        X, y = make_hastie_10_2(n_rows, random_state=0)
        y = (y > 0).astype(np.intp)
    else:
        X, y = make_classification(
            n_rows,
            shape.n_features,
            n_informative=20,
            n_classes=shape.n_classes,
            random_state=0,
        )
    X = X.astype(np.float32)
    if shape.missing:
        X[np.random.default_rng(0).random(X.shape, np.float32) < shape.missing] = np.nan
    return X, y


N_EDGES = 1021  # two of four equal parts end at the margins
N_ROWS = 4_000


@cache
def code() -> str:
    """A few digits that change with the code which learns policies."""
    files = [*ROOT.glob("src/mddag/**/*.py"), *ROOT.glob("native/**/*.hpp")]
    return sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()[:8]


def keep_quitting(folder: Path, file: str, share: float, every: int) -> mddag.Dag:
    """Write the trees of a folder under a policy that quits at a share of their evaluations."""
    ensemble = ensemble_of(folder)
    with np.load(folder / "train.npz") as rows:
        X, y = rows["X"][:N_ROWS], rows["y"][:N_ROWS]
    mdp = mddag.MDP(ensemble.votes(X), y)
    policy = _quitting_at(mdp, share, every)
    evaluation = mdp.evaluate(policy)  # by which the executor is chosen
    dag = mddag.compile(ensemble, policy, expected_evaluations=evaluation.n_evaluated)
    Predictor(Model(dag, evaluation=evaluation)).save(folder / file)
    return dag


def _quitting_at(mdp: mddag.MDP, share: float, every: int) -> mddag.Policy:
    n_steps = mdp.n_steps
    scores = mdp.votes.tables.bias[0] + np.cumsum(mdp.votes.dense()[:, :, 0], axis=1)
    at = np.arange(every, n_steps, every)  # decisions after the first
    margin = _margin(np.abs(scores[:, at - 1]), at, n_steps, share * n_steps)
    grid = mddag.Grid(margin * np.linspace(-2, 2, N_EDGES))
    actions = np.full((-(-n_steps // every), grid.n_cells), EVAL)
    actions[1:, np.abs(grid.centers) > margin] = QUIT
    return mddag.Policy(actions, grid, np.arange(n_steps), every)


def _margin(sizes: np.ndarray, at: np.ndarray, n_steps: int, wanted: float) -> float:
    """By halving: the larger the margin, the later rows quit."""
    low, high = 0.0, float(sizes.max())
    for _ in range(30):
        margin = (low + high) / 2
        quits = sizes > margin
        evaluated = np.where(quits.any(axis=1), at[quits.argmax(axis=1)], n_steps).mean()
        low, high = (margin, high) if evaluated < wanted else (low, margin)
    return high
