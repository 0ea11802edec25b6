"""The candidates of `Rejection`: cascades of rejects in several orders, learned and run on rows.

A candidate is an order, a final length T, a price beta and the reject thresholds that were learned
for them, with theta and lambda of the rows that the thresholds leave: both are found in turns. Of
each order the partial sums are computed and sorted once; every candidate uses them again.

The policy of a cascade needs one cell boundary alone: with the levels

    f'_t = f_t - r_t  for t < T,       f'_T = f_T - theta

as constants of the votes (`Rescaling`) a row quits where f' <= 0, up to rounding. So the sign of
f' is the verdict everywhere: a row that was rejected is of class 0, at the end f > theta is 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import spaced_rows
from mddag.detection.thresholds import (
    NEVER,
    EndScores,
    Flags,
    Floats,
    RankedSums,
    WantedRate,
    last_steps,
    shares_by_class,
)
from mddag.ensemble.rescaling import Rescaling
from mddag.ensemble.votes import Tables, Votes, partial_sums
from mddag.policy.grid import Grid
from mddag.policy.mdp import MDP
from mddag.policy.ordering import Correlation, Given, Ordering
from mddag.policy.policy import EVAL, QUIT, Policy
from mddag.tuning.front import Candidate, Front
from mddag.tuning.problem import Part

LENGTHS = (5, 7, 10, 14, 20, 30, 40, 50, 70, 100, 150, 200, 300, 400)
BETAS = (1e-5, 10**-4.5, *(10.0 ** np.arange(-4, -0.9, 1 / 6)))
SHIFT = 0.1  # standard deviations by which positives count as lower than they are
MOST_SUMS = 20_000_000  # of one order in memory: 160 MB, and as much for ranks and cuts


@dataclass(frozen=True, eq=False)
class RejectCascade:
    """One order and its thresholds."""

    order: NDArray[np.intp]  # (N,), base classifiers
    thresholds: Floats  # (T,), -inf where nothing is rejected
    theta: float = 0.0  # what the score at the end must exceed
    ties_pass: bool = False  # whether rows within rounding of theta pass; else they do not

    def run(
        self, sums: Floats, positive: Flags, weight: Floats | None = None
    ) -> tuple[EndScores, NDArray[np.int32]]:
        """Return where rows with sums f_1 … f_T' (T', n), T' >= T, end, and their steps (n,)."""
        last, length = last_steps(sums, self.thresholds), len(self.thresholds)
        scores = np.where(last < length - 1, -np.inf, sums[length - 1])
        return EndScores.of(scores, positive, weight), last + 1

    def policy(self, votes: Votes, every: int = 1) -> Policy:
        """Return the cascade as a policy over base classifiers with these votes."""
        n_steps, tables = len(self.order), votes.tables
        rescaling = self._rescaling(tables, _rounding(self._rescaling(tables, 0.0).applied(tables)))
        actions = np.full((-(-n_steps // every), 2), QUIT, np.uint8)
        looks = np.concatenate([[NEVER], self.thresholds[:-1]])[::every]
        actions[: len(looks), 1] = EVAL
        actions[: len(looks), 0] = np.where(looks == NEVER, EVAL, QUIT)
        edge = -_rounding(rescaling.applied(tables))
        return Policy(actions, Grid(np.array([edge])), self.order, every, rescaling)

    def _rescaling(self, tables: Tables, rounding: float) -> Rescaling:
        """Return the levels, what is added to f_0 … f_T, as constants of the votes."""
        # Rows at a threshold are on the side where the learned cascade has them, whatever executors
        # round: reject thresholds are raised by twice that, since rows quit below -rounding, and
        # theta, which is the score of some row, is moved away from it.
        most = 1.0 + float(np.abs(tables.bias).sum() + tables.reach().sum())  # |f| is below
        theta = min(max(self.theta, -most), most) + (-rounding if self.ties_pass else rounding)
        levels = np.concatenate([[NEVER], self.thresholds[:-1] + 2 * rounding, [theta]])
        for t in range(len(levels) - 2, -1, -1):
            if levels[t] == NEVER:  # a step that rejects nothing has the next one's
                levels[t] = levels[t + 1]
        shift = np.zeros((len(self.order), 1))
        shift[self.order[: len(self.thresholds)], 0] = -np.diff(levels)
        return Rescaling(-levels[:1], shift)


def _rounding(tables: Tables) -> float:
    """Return more than executors, which add int32 numbers, may be off by."""
    most = float(np.abs(tables.bias).sum() + tables.reach().sum())
    return 8.0 * (tables.n_trees + 2) * max(most, 1e-300) / 2**31


def ordered_sums(votes: Votes, order: NDArray[np.intp], length: int) -> Floats:
    """Return f_1 … f_length of rows in an order, (length, n)."""
    sums = np.empty((length, len(votes)))
    for t, scores in enumerate(partial_sums(votes.reordered(order[:length]))):
        if t:
            sums[t - 1] = scores[:, 0]
    return sums


@dataclass(frozen=True, eq=False)
class RejectionCandidate(Candidate):
    """A cascade with the loss and the cost that the rows for choosing have in it."""

    order: int  # its number among the orders
    beta: float  # price of one evaluation
    cascade: RejectCascade
    loss: float  # at the wanted rate
    mean_cost: float  # on negatives

    def cost(self, part: Part) -> float:
        return self.mean_cost

    def lost(self, part: Part) -> Floats:
        return np.array([self.loss])

    def excess(self, part: Part) -> Floats:
        raise NotImplementedError("rates are measured, not guaranteed")


@dataclass(frozen=True, eq=False)
class RejectionProblem:
    """Rows for detection in several orders."""

    orders: list[NDArray[np.intp]]  # intp (N,) each
    sums: list[Floats]  # (T, n) of each order, T the largest length
    positive: Flags  # (n,)
    weight: Floats  # (n,)
    costs: Floats  # (N,), prices of the base classifiers
    target: WantedRate
    every: int  # steps between two looks at the score

    @classmethod
    def of(
        cls,
        mdp: MDP,
        target: WantedRate,
        *,
        ordering: Ordering | None = None,
        every: int = 1,
        like: RejectionProblem | None = None,
    ) -> RejectionProblem:
        """Take the rows of an MDP; in the orders of another problem, if there is one."""
        check_detection(mdp)
        few = mdp.rows(_few(mdp))
        positive = positives(few)
        orders = like.orders if like is not None else _orders(ordering, few, positive)
        length = min(mdp.n_steps, LENGTHS[-1])
        sums = [ordered_sums(few.votes, order, length) for order in orders]
        return cls(orders, sums, positive, few.weight, mdp.costs, target, every)

    @property
    def ends(self) -> EndScores:
        """Return these rows after all steps, none of them rejected."""
        return EndScores.of(self.sums[0][-1], self.positive, self.weight)

    def ranked(self, o: int, rows: Flags | slice = slice(None)) -> RankedSums:
        """Sort the sums of some of the rows in order number o."""
        sums = np.ascontiguousarray(self.sums[o][:, rows])
        return RankedSums.of(sums, self.positive[rows], self.weight[rows], shift=SHIFT)

    def learned(self, ranked: RankedSums, o: int, length: int, beta: float) -> RejectCascade:
        """Learn the thresholds of that many steps in order number o at a price."""
        order = self.orders[o]
        full = EndScores(ranked.sums[length - 1], ranked.positive, ranked.share)
        theta, lam = self.target.theta(full), self.target.slope(full)
        prices = beta * self.costs[order[:length]]
        looks = (np.arange(length) + 1) % self.every == 0
        first = RejectCascade(order, ranked.thresholds(theta, lam, prices, looks=looks))
        # Thresholds change which rows are left, so theta is taken again from these; a last pass
        # counts at each step the rows that reach it.
        left, _ = first.run(ranked.sums, ranked.positive, ranked.share)
        lowest = float(full.scores.min())  # where no negative is left
        if self.target.fpr is None:  # all positives may be wanted, the lowest of them too
            lowest = float(np.nextafter(lowest, -np.inf))
        theta = max(self.target.theta(left), lowest)
        again = ranked.thresholds(theta, lam, prices, looks=looks)
        last = ranked.thresholds(theta, lam, prices, looks=looks, before=again)
        return RejectCascade(order, last)

    def run(self, candidate: RejectionCandidate) -> tuple[EndScores, NDArray[np.int32]]:
        """Return where these rows end in the cascade of a candidate, and their steps (n,)."""
        return candidate.cascade.run(self.sums[candidate.order], self.positive, self.weight)

    def candidates(self, choosing: RejectionProblem) -> Iterator[RejectionCandidate]:
        """Learn a cascade for every order, length and price; the rows for choosing estimate it."""
        target = self.target.for_choosing(choosing.ends)
        lam = target.slope(self.ends)
        most, negative = len(self.sums[0]), ~choosing.positive
        share = shares_by_class(choosing.positive, choosing.weight)[negative]
        # whole groups of steps, and all steps
        lengths = sorted({min(-(-length // self.every) * self.every, most) for length in LENGTHS})
        for o, order in enumerate(self.orders):
            ranked = self.ranked(o)
            price = np.append(0.0, np.cumsum(self.costs[order[:most]]))  # of that many steps
            for length, beta in product(lengths, map(float, BETAS)):
                cascade = self.learned(ranked, o, length, beta)
                ends, steps = cascade.run(choosing.sums[o], choosing.positive, choosing.weight)
                yield RejectionCandidate(
                    o,
                    beta,
                    cascade,
                    loss=target.mean_loss(ends, lam),
                    mean_cost=float(share @ price[steps[negative]]),
                )

    def crossed(
        self, candidate: RejectionCandidate, parts: NDArray[np.intp]
    ) -> tuple[EndScores, Floats]:
        """Return the ends of each part in a cascade learned without it, and the thetas of those."""
        o, length = candidate.order, len(candidate.cascade.thresholds)
        n_parts = int(parts.max()) + 1
        scores, thetas = np.empty(len(parts)), np.empty(n_parts)
        for part in range(n_parts):
            here = parts == part
            ranked = self.ranked(o, ~here if n_parts > 1 else here)
            cascade = self.learned(ranked, o, length, candidate.beta)
            of_part = np.ascontiguousarray(self.sums[o][:, here])
            scores[here] = cascade.run(of_part, self.positive[here], self.weight[here])[0].scores
            own, _ = cascade.run(ranked.sums, ranked.positive, ranked.share)
            thetas[part] = self.target.expected(own)
        return EndScores.of(scores, self.positive, self.weight), thetas


class RejectionFront(Front[RejectionCandidate]):
    """All candidates; none is the full model, since a rate is met, not compared with it."""

    ordered = True

    def __init__(self, learning: RejectionProblem, choosing: RejectionProblem) -> None:
        self.candidates = list(learning.candidates(choosing))
        self.one_row = 1 / int(choosing.positive.sum())

    def near_budget(self, budget: float) -> None:
        """Leave the candidates within the budget that lose least, to less than one row."""
        # Of these the target takes the most expensive: a budget is there to be used, and with more
        # evaluations there is less selection bias.
        within = [c for c in self.candidates if c.mean_cost <= budget]
        least = min(c.loss for c in within)
        best = [c for c in within if c.loss < least + self.one_row]
        self.candidates = [self.full, *best]


def class_parts(positive: Flags, n_parts: int, seed: int) -> NDArray[np.intp]:
    """Draw a part for each row, as many of each class in each; fewer where a class is small."""
    n_parts = min(n_parts, int(positive.sum()), int((~positive).sum()))
    random = np.random.RandomState(seed)
    parts = np.empty(len(positive), np.intp)
    for rows in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        parts[rows] = random.permutation(np.arange(len(rows)) % n_parts)
    return parts


def positives(mdp: MDP) -> Flags:
    """Return the rows of class 1; of soft targets those that it is likelier for."""
    labels = mdp.labels if mdp.labels.ndim == 1 else mdp.labels[:, 1] > 0.5
    return np.asarray(labels > 0)


def check_detection(mdp: MDP) -> None:
    """Raise for what is not binary with one score, and for rows of one class alone."""
    if mdp.of_numbers or mdp.n_scores != 1:
        what = "numbers" if mdp.of_numbers else f"{mdp.n_scores} scores"
        raise ValueError(
            f"Rejection got labels or votes of {what}; wanted binary ones with one score, of which "
            "1 is to be detected"
        )
    if not {"eval", "quit"} <= set(mdp.actions):
        raise ValueError(
            f"actions are {mdp.actions}; Rejection wants 'eval' and 'quit' among them: it does "
            "nothing else"
        )
    positive = positives(mdp)[mdp.weight > 0]
    if positive.all() or not positive.any():
        kind = "positive" if positive.any() else "negative"
        raise ValueError(
            f"all {len(positive)} rows for the policy are {kind}; detection wants rows of both "
            "classes: give more rows"
        )


def _orders(ordering: Ordering | None, mdp: MDP, positive: Flags) -> list[NDArray[np.intp]]:
    """Return the orders to try, without repetition; both classes count alike in a correlation."""
    tried = (Given(), Correlation(focus=0.0)) if ordering is None else (ordering,)
    weight = shares_by_class(positive, mdp.weight)
    found = [np.asarray(order(mdp.votes, mdp.costs, weight), np.intp) for order in tried]
    return [o for i, o in enumerate(found) if not any(np.array_equal(o, p) for p in found[:i])]


def _few(mdp: MDP) -> NDArray[np.intp]:
    """Return rows that count, evenly spaced in each class where all would need too much memory."""
    most = max(MOST_SUMS // min(mdp.n_steps, LENGTHS[-1]), 2)
    rows = mdp.counting()
    if len(rows) <= most:
        return rows
    positive = positives(mdp)[rows]
    kept = [
        of_class[spaced_rows(len(of_class), max(int(most * len(of_class) / len(rows)), 1))]
        for of_class in (rows[positive], rows[~positive])
    ]
    return np.sort(np.concatenate(kept))
