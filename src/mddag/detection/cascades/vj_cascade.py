"""VJCascade (Viola & Jones 2004): stages of AdaBoost, each trained on what the last let through.

Stage m is boosted until the cascade so far, on rows held out, finds at least d^m of the positives
(its threshold is the largest that does) and lets at most f^m of the negatives through. The next
stage is boosted on all positives and on the negatives that pass, false positives. Where they run
out, or a stage does not reach its rates, the cascade ends with what it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.detection.cascades.chain import Chain, highest_reject
from mddag.detection.cascades.coded_rows import CodedRows, balanced, step_length
from mddag.ensemble.nodes import Nodes

FEWEST_NEGATIVES = 20  # fewer are no sample to train a stage on

Vector = NDArray[np.float64]


@dataclass
class VJStages:
    """A cascade under construction.

    trees, sizes, rejects : base classifiers with votes ±alpha, and how many and which r_m by stage
    stopped_by : "n_stages", "negatives" (too few left), or "rates" (a stage did not reach them)
    """

    trees: list[Nodes] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    rejects: list[float] = field(default_factory=list)
    stopped_by: str = "n_stages"

    @property
    def chain(self) -> Chain:
        return Chain.of_stages(self.sizes, self.rejects)


def adaboost(rows: CodedRows, learner: Any) -> Iterator[Nodes]:
    """The rounds of AdaBoost, both classes having the same weight at first; votes ±alpha.

    It ends at a base classifier without error, or where none is better than chance.
    """
    weight, signs = balanced(rows.positive), rows.signs
    while True:
        nodes, votes = rows.steepest(learner, weight * signs)
        right = float(weight[votes == signs].sum())
        alpha = step_length(right, len(rows))
        if alpha <= 0:
            return
        yield Nodes(nodes.records, alpha * nodes.votes, nodes.words)
        weight *= np.exp(-alpha * votes * signs)
        weight /= weight.sum()
        if right > 1 - 1e-12:
            return


def vj_cascade(
    boosted: CodedRows,
    held: CodedRows,
    learner: Any,
    *,
    max_fpr: float,
    min_tpr: float,
    n_stages: int,
    max_rounds: int,
) -> VJStages:
    """Stages of `boosted` rows with rates on `held` rows, which have the same columns."""
    stages = VJStages()
    alive, passing = np.ones(len(boosted), bool), np.ones(len(held), bool)
    n_positive = int(held.positive.sum())
    n_negative = max(len(held) - n_positive, 1)
    for m in range(1, n_stages + 1):
        if np.count_nonzero(alive & ~boosted.positive) < FEWEST_NEGATIVES:
            stages.stopped_by = "negatives"
            break
        use = np.flatnonzero(alive | boosted.positive)
        rows = boosted if len(use) == len(boosted) else boosted.taken(use)
        lost = n_positive - int(np.count_nonzero(passing & held.positive))
        may_lose = int((1 - min_tpr**m) * n_positive + 1e-9) - lost
        kept, score = [], np.zeros(len(held))
        reached = False
        for nodes in adaboost(rows, learner):
            kept.append(nodes)
            score += held.votes(nodes)
            reject = highest_reject(
                score[passing & held.positive], score[passing & ~held.positive], may_lose
            )
            through = np.count_nonzero(passing & ~held.positive & (score > reject))
            reached = through <= max_fpr**m * n_negative
            if reached or len(kept) == max_rounds:
                break
        if not kept:
            stages.stopped_by = "rates"
            break
        stages.trees += kept
        stages.sizes.append(len(kept))
        stages.rejects.append(reject)
        passing &= score > reject
        alive &= sum(boosted.votes(nodes) for nodes in kept) > reject
        if not reached:
            stages.stopped_by = "rates"
            break
    return stages
