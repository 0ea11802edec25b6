"""FCBoost (Saberian & Vasconcelos 2010): all stages of a cascade grow at once, under one criterion.

The criterion L (``fc_criterion``) adds an exponential loss and the price of the evaluations, with
soft decisions between stages. Each round finds the steepest base classifier g for every stage, and
for a new last stage f_{M+1} = f_M + a g, looks for the best length a along each on the exact L, and
takes the best of all. A base classifier of the last stage is counted by all stages to come, too,
and evaluated once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_between, check_positive, check_whole
from mddag.boosting.training_set import TrainingSet
from mddag.detection.cascades.cascade import CascadeClassifier, Trained
from mddag.detection.cascades.chain import Chain
from mddag.detection.cascades.coded_rows import CodedRows, balanced, weighed
from mddag.detection.cascades.fc_criterion import Criterion, SoftStages
from mddag.detection.cascades.material import Supply
from mddag.ensemble.nodes import Nodes

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Grown:
    """Base classifiers in the order in which they came.

    trees : with votes ±a
    stage : the stage that each was added to
    last  : whether that was the last one then, so that later stages count it, too
    """

    trees: list[Nodes]
    stage: list[int]
    last: list[bool]

    def first(self, n: int) -> Grown:
        """The first n of them."""
        return Grown(self.trees[:n], self.stage[:n], self.last[:n])

    def chain(self, reject: float = 0.0) -> Chain:
        """The cascade that rejects scores up to `reject`; base classifiers by stage."""
        stage, last = np.array(self.stage), np.array(self.last)
        order = np.argsort(stage, kind="stable")
        ends = np.cumsum(np.bincount(stage))
        stages = np.arange(len(ends))
        of = stage[order][:, None]
        counts = (of == stages) | (last[order][:, None] & (of < stages))
        return Chain(order, ends, np.full(len(ends), reject), counts)


def fc_boost(
    rows: CodedRows,
    learner: Any,
    *,
    n_rounds: int,
    eta: float,
    slope: float,
    positive_weight: float = 1.0,
    max_stages: int | None = None,
    max_features: int | None = None,
    seed: int = 0,
) -> Grown:
    """Base classifiers and their stages; fewer than `n_rounds` where no step makes L smaller.

    positive_weight : of all positives together, in units of that of all negatives
    max_features    : columns that are open to each round, drawn anew; None for all
    """
    n_negative = max(int((~rows.positive).sum()), 1)
    price = np.where(rows.positive, 0.0, eta / n_negative)
    criterion = Criterion(rows.signs, balanced(rows.positive, positive_weight), price)
    stages = SoftStages(np.zeros((1, len(rows))), np.zeros(1), slope)
    grown = Grown([], [], [])
    rng = np.random.default_rng(seed)
    for _ in range(n_rounds):
        open_rows = rows
        if max_features is not None:
            drawn = rng.choice(rows.columns.n_features, max_features, replace=False)
            open_rows = replace(rows, columns=rows.columns.restricted(drawn))
        n_stages = len(stages.scores)
        grows = bool(grown.trees) and (max_stages is None or n_stages < max_stages)
        at = stages.extended() if grows else stages
        best = _best_step(criterion, at, open_rows, learner)
        if best.value >= criterion.value(stages) and grown.trees:
            break
        m = best.stage
        stages = (at if m == n_stages else stages).moved(m, best.length * best.votes)
        grown.trees.append(best.nodes)
        grown.stage.append(m)
        grown.last.append(m >= n_stages - 1)
    return grown


@dataclass(frozen=True, eq=False)
class _Step:
    stage: int
    nodes: Nodes
    votes: Vector
    length: float
    value: float


def _best_step(criterion: Criterion, stages: SoftStages, rows: CodedRows, learner: Any) -> _Step:
    steps = []
    for m, slope in enumerate(criterion.derivative(stages)):
        nodes, votes = rows.steepest(learner, -slope)
        length, value = criterion.along(stages, m, votes)
        steps.append(_Step(m, weighed(nodes, length), votes, length, value))
    return min(steps, key=lambda step: step.value)


class FCBoostClassifier(CascadeClassifier):
    """A cascade whose stages are boosted at once, for few errors and low cost together.

    Parameters
    ----------
    learner : Learner, default None
        Learns the base classifiers; None means ``Stump()``; ``Haar()`` for patches.
    n_rounds : int, default 100
        Most base classifiers of all stages together.
    eta : float, default 0.02
        The price of one evaluation on a negative, in units of the exponential loss.
    slope : float, default 1.0
        s of u(z) = (tanh(s z) + 1) / 2: the larger, the more like a hard decision.
    positive_weight : float, default 1.0
        Weight of all positives together, in units of that of all negatives.
    threshold : float, default 0.0
        A stage rejects scores up to this.
    max_stages : int, default 10
        Most stages; training takes time for each of them in each round. None for no bound.
    max_features : int, default None
        Columns open to each round, drawn anew; None for all.
    n_threads : int, default 1
        Threads of training and prediction, -1 for all cores. No result depends on it.
    random_state : int, RandomState or None, default None
        Decides which columns are open, and which features a ``Haar()`` learner draws.

    Attributes
    ----------
    chain_, ensemble_, policy_, dag_, classes_, stopped_by_ : see ``CascadeClassifier``
    """

    refills = False

    def __init__(
        self,
        learner: Any = None,
        *,
        n_rounds: int = 100,
        eta: float = 0.02,
        slope: float = 1.0,
        positive_weight: float = 1.0,
        threshold: float = 0.0,
        max_stages: int | None = 10,
        max_features: int | None = None,
        n_threads: int = 1,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.n_rounds = n_rounds
        self.eta = eta
        self.slope = slope
        self.positive_weight = positive_weight
        self.threshold = threshold
        self.max_stages = max_stages
        self.max_features = max_features
        self.n_threads = n_threads
        self.random_state = random_state

    def _check_parameters(self) -> None:
        self._check_shared()
        check_whole("n_rounds", self.n_rounds, 1)
        check_between("eta", self.eta, 0.0, np.inf, "a price, 0 or more")
        check_positive("slope", self.slope)
        check_positive("positive_weight", self.positive_weight)
        check_between("threshold", self.threshold, -np.inf, np.inf, "a finite number")
        if self.max_stages is not None:
            check_whole("max_stages", self.max_stages, 1)
        if self.max_features is not None:
            check_whole("max_features", self.max_features, 1)

    def _trained(self, given: TrainingSet, supply: Supply | None, seed: int) -> Trained:
        """All rows are boosted on: the criterion has no thresholds to be set."""
        learner = self._learner()
        rows = CodedRows.of(given, learner, self.n_threads)
        open_columns = self.max_features
        if open_columns is not None:
            open_columns = min(open_columns, rows.columns.n_features)
        grown = fc_boost(
            rows,
            learner,
            n_rounds=self.n_rounds,
            eta=self.eta,
            slope=self.slope,
            positive_weight=self.positive_weight,
            max_stages=self.max_stages,
            max_features=open_columns,
            seed=seed,
        )
        stopped_by = "n_rounds" if len(grown.trees) == self.n_rounds else "criterion"
        return Trained.of_trees(given, grown.trees, grown.chain(self.threshold), stopped_by)
