"""Cross-fitting: what each knob does to queries that order and readings were not fitted on.

The queries are split into folds. The family of each fold is fitted on the others, and run with
every knob on the fold; so every query is judged once, by a family that has not seen it. The family
that is used in the end is fitted on all queries: it has seen more, so it is no worse on average.
Chosen on the queries that it was fitted on, a knob would promise too much: with 20 queries a loss
of 0.002 was 0.0067 on others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.solvers.ranking.exit_family import ExitFamily
from mddag.solvers.ranking.members import Exits
from mddag.solvers.ranking.problem import RankingProblem

FOLDS = 5


@dataclass(frozen=True, eq=False)
class CrossFitted:
    """A family, and what its knobs did to every query out of its fold.

    family      : fitted on all queries
    knobs       : (n_knobs,) or (n_knobs, 2), from careful to cheap
    losses      : float64 (n_knobs, n_queries), teacher losses
    label_losses: the same by labels; None without labels
    evaluations : float64 (n_knobs, n_queries), the sum over the documents of a query
    sizes       : (n_queries,), how many these are
    """

    family: ExitFamily
    knobs: NDArray[np.float64]
    losses: NDArray[np.float64]
    label_losses: NDArray[np.float64] | None
    evaluations: NDArray[np.float64]
    sizes: NDArray[np.intp]

    @property
    def n_evaluated(self) -> NDArray[np.float64]:
        """Mean evaluations of a document, by knob, (n_knobs,)."""
        mean: NDArray[np.float64] = self.evaluations.sum(axis=1) / max(self.sizes.sum(), 1)
        return mean


def cross_fitted(
    member: Exits,
    problem: RankingProblem,
    random: Any,
    *,
    more: RankingProblem | None = None,
    odds: bool = True,
) -> CrossFitted:
    """Fit and judge a member on the queries of a problem; `random` draws the folds."""
    n = len(problem.queries)
    if n < 2:
        raise ValueError(
            f"there is {n} query to learn from; wanted at least 2, so that a policy can be judged "
            "by queries that it was not fitted on, and some hundred for a good one"
        )
    knobs = member.knobs
    losses, evaluations = np.zeros((len(knobs), n)), np.zeros((len(knobs), n))
    by_labels = None if problem.labels is None else np.zeros((len(knobs), n))
    whole = member.fit(problem, more=more, odds=odds)
    gains = whole.gains(problem)  # one teacher for all folds
    for fold in np.array_split(random.permutation(n), min(FOLDS, n)):
        rest = np.setdiff1d(np.arange(n), fold)
        family = member.fit(problem.some(rest), more=more, odds=odds)
        judged = problem.some(fold)
        rows, _ = problem.queries.some(fold)
        blocks = family.blocks(judged)
        for a, knob in enumerate(knobs):
            readings, steps = family.run(blocks, judged.queries, knob)
            losses[a, fold] = judged.teacher_loss(readings, gains[rows])
            evaluations[a, fold] = judged.queries.sums(steps.astype(float))
            if by_labels is not None:
                by_labels[a, fold] = judged.label_loss(readings)
    kept = np.arange(len(knobs))
    if knobs.ndim > 1:
        kept = front(losses.mean(axis=1), evaluations.sum(axis=1))
    by_labels = None if by_labels is None else by_labels[kept]
    judged_by = losses[kept], by_labels, evaluations[kept]
    return CrossFitted(whole, knobs[kept], *judged_by, problem.queries.sizes)


def front(losses: NDArray[np.float64], costs: NDArray[np.float64]) -> NDArray[np.intp]:
    """The candidates that none beats in both, from the dearest to the cheapest."""
    by_loss = np.lexsort((costs, losses))
    least = np.minimum.accumulate(costs[by_loss])
    best = np.append(True, costs[by_loss][1:] < least[:-1])
    kept: NDArray[np.intp] = by_loss[best]
    return kept
