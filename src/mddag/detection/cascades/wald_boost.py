"""WaldBoost (Sochman & Matas 2005): AdaBoost that rejects rows while it is trained.

Each round adds the base classifier that AdaBoost would add on the rows not yet rejected, and then
rejects where Wald's test finds a positive too unlikely (``likelihood_ratio``), by the scores of
rows held out. So later base classifiers are trained for the rows that reach them, and negatives
that are rejected can be replaced. Of an ensemble that is given, the thresholds alone are learned.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_fraction, check_positive, check_whole
from mddag._internal.doubts import doubt
from mddag.boosting.training_set import TrainingSet
from mddag.detection.cascades.cascade import Trained, ensemble_of
from mddag.detection.cascades.chain import Chain
from mddag.detection.cascades.coded_rows import ROUNDING, balanced, step_length, weighed
from mddag.detection.cascades.likelihood_ratio import Surviving, wald_rejects
from mddag.detection.cascades.material import Material, Supply, final_scores, passing
from mddag.detection.cascades.pooled import PooledCascadeClassifier
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import Nodes

FEWEST = 20  # rows of a class: fewer are no sample to train on
CROWDED = 0.7  # where a smaller share of the rows is left, the others are taken away

Vector = NDArray[np.float64]


@dataclass
class WaldSteps:
    """A cascade under construction.

    trees, rejects : base classifiers with votes ±alpha, and r_t
    stopped_by     : "n_rounds", "negatives" (the supply has too few that pass), "perfect" or
                     "chance" (of the last base classifier, of the next one)
    """

    trees: list[Nodes] = field(default_factory=list)
    rejects: list[float] = field(default_factory=list)
    stopped_by: str = "n_rounds"

    @property
    def chain(self) -> Chain:
        return Chain.of_steps(np.arange(len(self.trees)), np.array(self.rejects))


@dataclass
class Boosting:
    """Rows of AdaBoost, some of which are rejected; those have no weight."""

    material: Material
    score: Vector
    tested: Surviving

    def __post_init__(self) -> None:
        positive = self.material.coded.positive
        self.signs = np.where(positive, 1.0, -1.0)
        self.prior = balanced(positive)
        self.alive = np.ones(len(positive), bool)
        self.perfect = False  # whether the last base classifier has no error

    @classmethod
    def begin(cls, material: Material) -> Boosting:
        held = material.aside
        zeros = np.zeros(len(material.boosted)), np.zeros(len(held))
        return cls(material, zeros[0], Surviving.of(zeros[1], held.positive))

    @property
    def n_left(self) -> NDArray[np.intp]:
        """Rows of each class that are left to boost on, intp (2,)."""
        return self._left(self.alive)

    def round(self, miss: float, smoothing: float, fewest: int) -> tuple[Nodes, float] | None:
        """One more base classifier and threshold; None if none is better than chance.

        A threshold that leaves a class fewer than `fewest` rows rejects nothing instead.
        """
        margin = self.signs * self.score
        weight = self.prior * np.exp(margin[self.alive].min() - margin) * self.alive
        weight /= weight.sum()
        nodes, votes = self.material.coded.steepest(self.material.learner, weight * self.signs)
        right = float(weight[votes == self.signs].sum())
        alpha = step_length(right, int(self.alive.sum()))
        if alpha <= 0:
            return None
        self.perfect = right > 1 - ROUNDING
        tree = weighed(nodes, alpha)
        r = self.tested.add(self.material.aside.votes(tree), miss, smoothing)
        self.score = self.score + alpha * votes
        left = self.alive & (self.score > r)
        if min(self._left(left).min(), self.tested.left_by(r).min()) < fewest:
            return tree, -np.inf
        self.alive = left
        self.tested.reject(r)
        return tree, r

    def _left(self, rows: NDArray[np.bool_]) -> NDArray[np.intp]:
        return np.bincount(self.signs[rows] > 0, minlength=2)

    def without_rejected(self) -> Boosting:
        """The rows that are left alone."""
        here, held = np.flatnonzero(self.alive), np.flatnonzero(self.tested.alive)
        kept = self.material.kept(here, held)
        tested = self.tested
        again = Surviving.of(tested.score[held], tested.positive[held], tested.survived)
        return Boosting(kept, self.score[here], again)

    def refilled(self, supply: Supply, wanted: tuple[int, int], steps: WaldSteps) -> Boosting:
        """With negatives that pass all steps so far in the places of those that did not."""
        kept = self.without_rejected()
        passes = partial(passing, steps.chain, steps.trees)
        material = kept.material.refilled(supply, wanted, passes)
        boosted, held = (
            final_scores(rows, steps.trees) for rows in (material.boosted, material.held)
        )
        survived = self.tested.survived
        return Boosting(material, boosted, Surviving.of(held, material.held.labels > 0, survived))


def wald_boost(
    material: Material,
    *,
    n_rounds: int,
    miss: float,
    smoothing: float,
    supply: Supply | None = None,
) -> WaldSteps:
    """The cascade; negatives that are rejected are replaced by the supply, if there is one.

    Without a supply the last FEWEST rows of a class are never rejected, but boosted on to the end.
    """
    steps, rows = WaldSteps(), Boosting.begin(material)
    fewest = FEWEST if supply is None else 0
    wanted = int((material.boosted.labels == 0).sum()), int((material.held.labels == 0).sum())
    while len(steps.trees) < n_rounds:
        found = rows.round(miss, smoothing, fewest)
        if found is None:
            steps.stopped_by = "chance"
            break
        steps.trees.append(found[0])
        steps.rejects.append(found[1])
        if rows.perfect:
            steps.stopped_by = "perfect"
            break
        crowded = min(rows.alive.mean(), rows.tested.alive.mean()) < CROWDED
        if crowded and supply is None:
            rows = rows.without_rejected()
        elif crowded and supply is not None:
            rows = rows.refilled(supply, wanted, steps)
            if min(rows.n_left.min(), rows.tested.n_left.min()) < FEWEST:
                steps.stopped_by = "negatives"
                break
    return steps


class WaldBoostClassifier(PooledCascadeClassifier):
    """AdaBoost with a likelihood ratio test after every base classifier.

    Parameters
    ----------
    learner : Learner, default None
        Learns the base classifiers; None means ``Stump()``; ``Haar()`` for patches.
    ensemble : model, default None
        A fitted model whose base classifiers are taken as they come: anything that
        ``mddag.as_ensemble`` reads. Every row given to ``fit`` then sets thresholds. (Wrapped in
        ``FrozenEstimator`` it survives ``clone``.)
    n_rounds : int, default 200
        Most base classifiers.
    miss_rate : float, default 0.05
        Wald's bound: at most about this share of the positives is lost, often much less.
    smoothing : float, default 0.5
        Width of the Parzen window, in units of the width that fits a normal density best.
    policy_fraction : float, default 0.3
        Share of the rows held out for thresholds.
    n_threads : int, default 1
        Threads of training and prediction, -1 for all cores. No result depends on it.
    random_state : int, RandomState or None, default None
        Decides which rows are held out, and which features a ``Haar()`` learner draws.

    Attributes
    ----------
    chain_, ensemble_, policy_, dag_, classes_, stopped_by_ : see ``CascadeClassifier``
    """

    def __init__(
        self,
        learner: Any = None,
        *,
        ensemble: Any = None,
        n_rounds: int = 200,
        miss_rate: float = 0.05,
        smoothing: float = 0.5,
        policy_fraction: float = 0.3,
        n_threads: int = 1,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.ensemble = ensemble
        self.n_rounds = n_rounds
        self.miss_rate = miss_rate
        self.smoothing = smoothing
        self.policy_fraction = policy_fraction
        self.n_threads = n_threads
        self.random_state = random_state

    def _check_parameters(self) -> None:
        self._check_shared()
        check_fraction("policy_fraction", self.policy_fraction, zero=False)
        check_whole("n_rounds", self.n_rounds, 1)
        check_fraction("miss_rate", self.miss_rate, zero=False)
        check_positive("smoothing", self.smoothing)

    def _chain(self, ensemble: Ensemble, votes: Vector, positive: NDArray[np.bool_]) -> Chain:
        bias = float(ensemble.bias[0])
        first = votes[:, : self.n_rounds]
        rejects = wald_rejects(
            first, positive, miss=self.miss_rate, smoothing=self.smoothing, bias=bias
        )
        return _accepting(Chain.of_steps(np.arange(len(rejects)), rejects, bias))

    def _boosted(self, given: TrainingSet, supply: Supply | None, seed: int) -> Trained:
        steps = wald_boost(
            self._parted(given, seed, self.policy_fraction),
            n_rounds=self.n_rounds,
            miss=self.miss_rate,
            smoothing=self.smoothing,
            supply=supply,
        )
        ensemble = ensemble_of(given, steps.trees)
        if steps.stopped_by == "negatives":
            doubt(
                f"too few of the negatives given pass the first {len(steps.trees)} of "
                f"{self.n_rounds} rounds to train another, so the cascade ends there; give "
                "a larger pool, or a smaller miss_rate"
            )
        return Trained(ensemble, _accepting(steps.chain), steps.stopped_by)


def _accepting(chain: Chain) -> Chain:
    """At the end a row must have f > 0, as in AdaBoost, even where Wald's test would go on."""
    rejects = chain.rejects.copy()
    rejects[-1] = max(rejects[-1], 0.0)
    return replace(chain, rejects=rejects)
