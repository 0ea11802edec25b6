"""VJCascade (Viola & Jones 2004): stages of AdaBoost, each trained on what the last let through.

A stage is boosted until, on rows held out, it keeps at least a share d of the positives that reach
it (its threshold is the largest that does) and at most a share f of the negatives. Or, the words of
Benbouzid et al., until the first m stages together keep d^m and f^m; then a stage that is better
than asked allows the next to be worse. The next stage is boosted on all positives and on the
negatives that pass, false positives. Where these run out, or a stage does not reach its rates, the
cascade ends with what it has.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import check_fraction, check_one_of, check_whole
from mddag._utils.warnings import doubt
from mddag.boosting.training_set import TrainingSet
from mddag.detection.cascade import CascadeClassifier, Chain, Trained, highest_reject, passing
from mddag.detection.cascade_rows import ROUNDING, Material, Supply
from mddag.ensemble.nodes import Nodes

FEWEST_NEGATIVES = 20  # fewer are no sample to train a stage on


@dataclass(frozen=True)
class Rates:
    """What stages are to reach.

    fpr, tpr : f and d
    of       : "stage", or "cascade" for f^m and d^m of the first m stages together
    """

    fpr: float
    tpr: float
    of: str = "stage"

    def goal(self, m: int, so_far: tuple[float, float]) -> tuple[float, float]:
        """The FPR and the TPR of stage m = 1, 2 … by itself, given those of the stages before."""
        if self.of == "stage":
            return self.fpr, self.tpr
        return self.fpr**m / max(so_far[0], ROUNDING), min(self.tpr**m / so_far[1], 1.0)


@dataclass(frozen=True, eq=False)
class _Stage:
    trees: list[Nodes]
    reject: float
    score: NDArray[np.float64]  # of the rows boosted on
    passing: NDArray[np.bool_]  # of the rows held out
    reached: bool


def vj_cascade(
    material: Material,
    rates: Rates,
    *,
    n_stages: int,
    max_rounds: int,
    supply: Supply | None = None,
) -> Trained:
    """Train the stages; negatives that are rejected are replaced by the supply, if there is one.

    It is stopped by "n_stages", "negatives" (too few are left) or "rates" (a stage misses them).
    """
    trees: list[Nodes] = []
    sizes: list[int] = []
    rejects: list[float] = []
    so_far, wanted, stopped_by = (1.0, 1.0), material.n_negatives, "n_stages"
    for m in range(1, n_stages + 1):
        boosted, held = material.n_negatives
        if m > 1 and (boosted < FEWEST_NEGATIVES or held == 0):
            stopped_by = "negatives"
            break
        stage = _boosted(material, rates.goal(m, so_far), max_rounds)
        if stage.trees:
            trees += stage.trees
            sizes.append(len(stage.trees))
            rejects.append(stage.reject)
        if not stage.reached:
            stopped_by = "rates"
            break
        positive = material.aside.positive
        fpr, tpr = (
            float(stage.passing[of].mean()) if of.any() else 0.0 for of in (~positive, positive)
        )
        so_far = so_far[0] * fpr, so_far[1] * tpr
        through = (stage.score > stage.reject) | material.coded.positive
        material = material.kept(np.flatnonzero(through), np.flatnonzero(stage.passing))
        passes = partial(passing, Chain.of_stages(sizes, rejects), trees)
        material = material.refilled(supply, wanted, passes)
    return Trained(trees, Chain.of_stages(sizes, rejects), stopped_by)


def _boosted(material: Material, goal: tuple[float, float], max_rounds: int) -> _Stage:
    """One stage."""
    held = material.aside
    positive = held.positive
    may_lose = int((1 - goal[1]) * positive.sum() + ROUNDING)
    may_pass = goal[0] * (~positive).sum() + ROUNDING
    trees: list[Nodes] = []
    score, held_score, reject = np.zeros(len(material.boosted)), np.zeros(len(held)), -np.inf
    for nodes, votes in material.rounds():
        trees.append(nodes)
        score += votes
        held_score += held.votes(nodes)
        reject = highest_reject(held_score[positive], held_score[~positive], may_lose)
        through = held_score > reject
        if np.count_nonzero(through & ~positive) <= may_pass:
            return _Stage(trees, reject, score, through, True)
        if len(trees) == max_rounds:
            break
    return _Stage(trees, reject, score, held_score > reject, False)


@dataclass(eq=False, repr=False, kw_only=True)
class VJCascadeClassifier(CascadeClassifier):
    """The cascade of Viola and Jones: a stage is an AdaBoost ensemble with a threshold.

    Parameters
    ----------
    learner : Learner, default None
        Learns the base classifiers; None means ``Stump()``; ``Haar()`` for patches.
    n_stages : int, default 10
        Most stages.
    max_fpr : float, default 0.5
        Share of the negatives that reach a stage which may pass it, f.
    min_tpr : float, default 0.99
        Share of the positives that reach a stage which must pass it, d.
    rates : {"stage", "cascade"}, default "stage"
        Whether a stage must reach f and d by itself, or the first m stages together f^m and d^m.
    max_rounds : int, default 200
        Most base classifiers of a stage. One that has not reached its rates by then is the last.
    policy_fraction : float, default 0.3
        Share of the rows held out for thresholds and rates.
    n_threads : int, default 1
        Threads of training and prediction, -1 for all cores. No result depends on it.
    random_state : int, RandomState or None, default None
        Decides which rows are held out, and which features a ``Haar()`` learner draws.

    Attributes
    ----------
    chain_, ensemble_, policy_, dag_, classes_, stopped_by_
        See ``CascadeClassifier``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = VJCascadeClassifier(n_stages=2, random_state=0).fit(X, y)
    >>> bool(model.n_evaluated(X).mean() < len(model.ensemble_))
    True
    """

    n_stages: int = 10
    max_fpr: float = 0.5
    min_tpr: float = 0.99
    rates: Literal["stage", "cascade"] = "stage"
    max_rounds: int = 200
    policy_fraction: float = 0.3

    def _check_parameters(self) -> None:
        check_fraction("policy_fraction", self.policy_fraction, zero=False)
        check_whole("n_stages", self.n_stages, 1)
        check_whole("max_rounds", self.max_rounds, 1)
        check_fraction("max_fpr", self.max_fpr, zero=False)
        check_fraction("min_tpr", self.min_tpr, zero=False)
        check_one_of("rates", self.rates, ("stage", "cascade"))

    def _train(self, given: TrainingSet, supply: Supply | None, seed: int) -> Trained:
        trained = vj_cascade(
            self._parted(given, seed, self.policy_fraction),
            Rates(self.max_fpr, self.min_tpr, self.rates),
            n_stages=self.n_stages,
            max_rounds=self.max_rounds,
            supply=supply,
        )
        n = trained.chain.n_stages
        if trained.stopped_by == "rates" and n:
            size = int(np.diff(trained.chain.ends, prepend=0)[-1])
            doubt(
                f"stage {n} does not reach max_fpr={self.max_fpr:g} and min_tpr={self.min_tpr:g} "
                f"with {size} base classifiers, so the cascade ends with it, at {n} of "
                f"{self.n_stages} stages; raise max_rounds or max_fpr, or lower min_tpr"
            )
        elif trained.stopped_by == "negatives":
            doubt(
                f"too few negatives pass the first {n} of {self.n_stages} stages to train another, "
                "so the cascade ends there; give negatives=, a pool or a function, or fewer stages"
            )
        return trained
