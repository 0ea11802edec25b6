"""Cross-fitting: what each knob does to queries that order and readings were not fitted on.

The queries are split into folds. The family of each fold is fitted on the others, and run with
every knob on the fold; so every query is judged once, by a family that has not seen it. The family
that is used in the end is fitted on all queries: it has seen more, so it is no worse on average.
Chosen on the queries that it was fitted on, a knob would promise too much: with 20 queries a loss
of 0.002 was 0.0067 on others. Folds are independent, so they may run in several processes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from mddag._internal.checks import check_jobs
from mddag._internal.progress import progress
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


@dataclass(frozen=True, eq=False)
class JudgedFold:
    """What knobs did to the queries of one fold: as of CrossFitted, (n_knobs, n_in_fold)."""

    losses: NDArray[np.float64]
    label_losses: NDArray[np.float64] | None
    evaluations: NDArray[np.float64]


def cross_fitted(
    member: Exits,
    problem: RankingProblem,
    random: Any,
    *,
    more: RankingProblem | None = None,
    odds: bool = True,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> CrossFitted:
    """Fit and judge a member on the queries of a problem; `random` draws the folds.

    n_jobs       : workers of joblib, a fold each; the result does not depend on it
    verbose      : show the folds that are done
    """
    check_jobs(n_jobs)
    n = len(problem.queries)
    if n < 2:
        raise ValueError(
            f"there {'is 1 query' if n else 'are no queries'} to learn from; wanted at least 2, so "
            "that a policy can be judged by queries that it was not fitted on, and some hundred "
            "for a good one"
        )
    folds = np.array_split(random.permutation(n), min(FOLDS, n))
    done: list[JudgedFold] = []
    with progress(member.name, len(folds) + 1, verbose) as report:
        whole = member.fit(problem, more=more, odds=odds)
        gains = whole.gains(problem)  # one teacher for all folds
        report(1, "order and readings")
        parallel = Parallel(n_jobs=n_jobs, return_as="generator")
        for found in parallel(
            delayed(_judged)(member, problem, fold, gains, more, odds) for fold in folds
        ):
            done.append(found)
            report(1 + len(done), f"{len(done)} of {len(folds)} folds judged")
    return _together(member, problem, whole, folds, done)


def _judged(
    member: Exits,
    problem: RankingProblem,
    fold: NDArray[np.intp],
    gains: NDArray[np.float64],
    more: RankingProblem | None,
    odds: bool,
) -> JudgedFold:
    """The knobs on the queries of a fold, by a family that is fitted on the others."""
    rest = np.setdiff1d(np.arange(len(problem.queries)), fold)
    family = member.fit(problem.some(rest), more=more, odds=odds)
    judged = problem.some(fold)
    rows, _ = problem.queries.some(fold)
    blocks, knobs = family.blocks(judged), member.knobs
    losses, evaluations = np.zeros((len(knobs), len(fold))), np.zeros((len(knobs), len(fold)))
    by_labels = None if problem.labels is None else np.zeros(losses.shape)
    for a, knob in enumerate(knobs):
        readings, steps = family.run(blocks, judged.queries, knob)
        losses[a] = judged.teacher_loss(readings, gains[rows])
        evaluations[a] = judged.queries.sums(steps.astype(float))
        if by_labels is not None:
            by_labels[a] = judged.label_loss(readings)
    return JudgedFold(losses, by_labels, evaluations)


def _together(
    member: Exits,
    problem: RankingProblem,
    whole: ExitFamily,
    folds: list[NDArray[np.intp]],
    done: list[JudgedFold],
) -> CrossFitted:
    """The folds, query by query, and of pairs of knobs those that none beats."""
    order, knobs = np.argsort(np.concatenate(folds)), member.knobs
    losses, evaluations = (
        np.ascontiguousarray(np.hstack([getattr(fold, name) for fold in done])[:, order])
        for name in ("losses", "evaluations")
    )
    kept = np.arange(len(knobs))
    if knobs.ndim > 1:
        kept = front(losses.mean(axis=1), evaluations.sum(axis=1))
    by_labels = None
    if problem.labels is not None:
        lost = [fold.label_losses for fold in done if fold.label_losses is not None]
        by_labels = np.ascontiguousarray(np.hstack(lost)[:, order])[kept]
    found = losses[kept], by_labels, evaluations[kept], problem.queries.sizes
    return CrossFitted(whole, knobs[kept], *found)


def front(losses: NDArray[np.float64], costs: NDArray[np.float64]) -> NDArray[np.intp]:
    """The candidates that none beats in both, from the dearest to the cheapest."""
    by_loss = np.lexsort((costs, losses))
    least = np.minimum.accumulate(costs[by_loss])
    best = np.append(True, costs[by_loss][1:] < least[:-1])
    kept: NDArray[np.intp] = by_loss[best]
    return kept
