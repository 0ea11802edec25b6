"""Policies that quit early, for measuring what quitting saves: a margin, at each `every` steps.

    quit where |f| > margin, for K = 1; the margin is such that training rows evaluate a given
    share of the base classifiers on average

How well they decide is not asked here; `exit` does so on real data, with mddag's own.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np

import mddag
from benchmarks.places import ROOT
from benchmarks.speed.models import ensemble_of
from mddag.mdp.policy import EVAL, QUIT
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor

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
    actions[1:, np.abs(grid.centres) > margin] = QUIT
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
