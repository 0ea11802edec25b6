"""VJCascade (Viola & Jones 2004): stages of AdaBoost, each trained on what the last let through.

A stage is boosted until, on rows held out, it keeps at least a share d of the positives that reach
it (its threshold is the largest that does) and at most a share f of the negatives. Or, the words of
Benbouzid et al., until the first m stages together keep d^m and f^m; then a stage that is better
than asked allows the next to be worse. The next stage is boosted on all positives and on the
negatives that pass, false positives. Where these run out, or a stage does not reach its rates, the
cascade ends with what it has.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_fraction, check_one_of, check_whole
from mddag._internal.doubts import doubt
from mddag.boosting.training_set import TrainingSet
from mddag.detection.cascades.cascade import CascadeClassifier, Trained
from mddag.detection.cascades.chain import Chain, highest_reject
from mddag.detection.cascades.material import Material, Supply, passing
from mddag.ensemble.nodes import Nodes

FEWEST_NEGATIVES = 20  # fewer are no sample to train a stage on
ROUNDING = 1e-9

Vector = NDArray[np.float64]


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


@dataclass
class VJStages:
    """A cascade under construction.

    trees, sizes, rejects : base classifiers with votes ±alpha; how many and r_m of each stage
    stopped_by : "n_stages", "negatives" (too few are left) or "rates" (a stage misses them)
    """

    trees: list[Nodes] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    rejects: list[float] = field(default_factory=list)
    stopped_by: str = "n_stages"

    @property
    def chain(self) -> Chain:
        return Chain.of_stages(self.sizes, self.rejects)


@dataclass(frozen=True, eq=False)
class _Stage:
    trees: list[Nodes]
    reject: float
    passing: NDArray[np.bool_]  # of the rows held out
    reached: bool


def vj_cascade(
    material: Material,
    rates: Rates,
    *,
    n_stages: int,
    max_rounds: int,
    supply: Supply | None = None,
) -> VJStages:
    """The stages; negatives that are rejected are replaced by the supply, if there is one."""
    stages, so_far = VJStages(), (1.0, 1.0)
    wanted = _n_negatives(material)
    for m in range(1, n_stages + 1):
        boosted, held = _n_negatives(material)
        if m > 1 and (boosted < FEWEST_NEGATIVES or held == 0):
            stages.stopped_by = "negatives"
            break
        goal = rates.goal(m, so_far)
        score = np.zeros(len(material.boosted))
        stage = _boosted(material, goal, max_rounds, score)
        if not stage.trees:
            stages.stopped_by = "rates"
            break
        stages.trees += stage.trees
        stages.sizes.append(len(stage.trees))
        stages.rejects.append(stage.reject)
        positive = material.aside.positive
        so_far = (
            so_far[0] * _share(stage.passing, ~positive),
            so_far[1] * _share(stage.passing, positive),
        )
        if not stage.reached:
            stages.stopped_by = "rates"
            break
        through = (score > stage.reject) | material.coded.positive
        material = material.kept(np.flatnonzero(through), np.flatnonzero(stage.passing))
        chain, trees = stages.chain, stages.trees
        material = material.refilled(supply, wanted, partial(passing, chain, trees))
    return stages


def _boosted(
    material: Material, goal: tuple[float, float], max_rounds: int, score: Vector
) -> _Stage:
    """One stage; `score` (n,) becomes its score of the rows boosted on."""
    held = material.aside
    positive = held.positive
    may_lose = int((1 - goal[1]) * positive.sum() + ROUNDING)
    may_pass = goal[0] * (~positive).sum() + ROUNDING
    trees: list[Nodes] = []
    held_score, reject = np.zeros(len(held)), -np.inf
    for nodes, votes in material.rounds():
        trees.append(nodes)
        score += votes
        held_score += held.votes(nodes)
        reject = highest_reject(held_score[positive], held_score[~positive], may_lose)
        passing = held_score > reject
        if np.count_nonzero(passing & ~positive) <= may_pass:
            return _Stage(trees, reject, passing, True)
        if len(trees) == max_rounds:
            break
    return _Stage(trees, reject, held_score > reject, False)


def _n_negatives(material: Material) -> tuple[int, int]:
    boosted, held = (int((rows.labels == 0).sum()) for rows in (material.boosted, material.held))
    return boosted, held


def _share(passing: NDArray[np.bool_], of: NDArray[np.bool_]) -> float:
    return float(passing[of].mean()) if of.any() else 0.0


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
    rates : "stage" or "cascade", default "stage"
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
    chain_, ensemble_, policy_, dag_, classes_, stopped_by_ : see ``CascadeClassifier``

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = VJCascadeClassifier(n_stages=2, random_state=0).fit(X, y)
    >>> bool(model.n_evaluated(X).mean() < len(model.ensemble_))
    True
    """

    def __init__(
        self,
        learner: Any = None,
        *,
        n_stages: int = 10,
        max_fpr: float = 0.5,
        min_tpr: float = 0.99,
        rates: str = "stage",
        max_rounds: int = 200,
        policy_fraction: float = 0.3,
        n_threads: int = 1,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.n_stages = n_stages
        self.max_fpr = max_fpr
        self.min_tpr = min_tpr
        self.rates = rates
        self.max_rounds = max_rounds
        self.policy_fraction = policy_fraction
        self.n_threads = n_threads
        self.random_state = random_state

    def _check_parameters(self) -> None:
        self._check_shared()
        check_fraction("policy_fraction", self.policy_fraction, zero=False)
        check_whole("n_stages", self.n_stages, 1)
        check_whole("max_rounds", self.max_rounds, 1)
        check_fraction("max_fpr", self.max_fpr, zero=False)
        check_fraction("min_tpr", self.min_tpr, zero=False)
        check_one_of("rates", self.rates, ("stage", "cascade"))

    def _trained(self, given: TrainingSet, supply: Supply | None, seed: int) -> Trained:
        material = self._parted(given, seed, self.policy_fraction)
        rates = Rates(self.max_fpr, self.min_tpr, self.rates)
        stages = vj_cascade(
            material, rates, n_stages=self.n_stages, max_rounds=self.max_rounds, supply=supply
        )
        trained = Trained.of_trees(given, stages.trees, stages.chain, stages.stopped_by)
        n = len(stages.sizes)
        if stages.stopped_by == "rates":
            doubt(
                f"stage {n} does not reach max_fpr={self.max_fpr:g} and min_tpr={self.min_tpr:g} "
                f"with {stages.sizes[-1]} base classifiers, so the cascade ends with it, at {n} of "
                f"{self.n_stages} stages; raise max_rounds or max_fpr, or lower min_tpr"
            )
        elif stages.stopped_by == "negatives":
            doubt(
                f"too few negatives pass the first {n} of {self.n_stages} stages to train another, "
                "so the cascade ends there; give negatives=, a pool or a function, or fewer stages"
            )
        return trained
