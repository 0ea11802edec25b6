"""TrainedFront: candidates of models of many shapes, judged by the same rows, on one front.

Every shape gives candidates: its prefixes, margin rules and, where these are near the best, all
that a ``Portfolio`` finds. What each loses is measured against one reference, the tuned full model,
on the rows that judge it (``contestant``): by labels, with a charge for luck, which grows with the
share of rows on which a candidate differs from the reference. Thousands of candidates compete, and
the charge keeps those that are merely lucky from the front. The reference's probabilities have no
say here, as they have within a portfolio: rows are more, and of other models' candidates such a
teacher knows only how far they are from itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, Policy
from mddag.solvers.front import rounded, spaced_front
from mddag.tuning.candidate_front import Candidate, CandidateFront
from mddag.tuning.candidates import BETAS, STEP
from mddag.tuning.contestant import By, Contestant, Entry
from mddag.tuning.excess_loss import ExcessLoss, Measure

# Losses beyond the reference's at which shapes are compared.
LEVELS = (0.0, 0.002, 0.005, 0.01, 0.02)
NOTHING = 1e-4  # of the reference's cost: less is no better
MUCH = 10.0  # times the smallest cost: more is no worse
MOST_SHAPES = 6  # that a portfolio is run for
MOST_VOTES = 4_000_000  # rows for learning x trees, over all of them: this bounds the time
Vector = NDArray[np.float64]
BY: tuple[By, ...] = get_args(By)


def affordable(contestants: list[Contestant]) -> list[Contestant]:
    """The first ones, as many as policies can be learned for in a few minutes."""
    kept: list[Contestant] = []
    left = MOST_VOTES
    for contestant in contestants:
        n_votes = len(contestant.parts.learning) * contestant.parts.ensemble.n_trees
        if not kept or (n_votes <= left and len(kept) < MOST_SHAPES):
            kept.append(contestant)
            left -= n_votes
    return kept


@dataclass(frozen=True, eq=False)
class TrainedCandidate(Candidate):
    """A candidate, and whose it is."""

    contestant: Contestant | None = None


class TrainedFront(CandidateFront):
    """All candidates so far; number 0 is the reference, evaluated in full."""

    def __init__(
        self, reference: Contestant, measure: Measure, only_looked_at: Sequence[Contestant] = ()
    ) -> None:
        """only_looked_at : contestants of a first look that have no candidates here"""
        self.reference, self.measure, self.only_looked_at = reference, measure, only_looked_at
        self.judges = {by: reference.judge(by) for by in BY}
        self.first = {
            by: judge.of_policy(judge.mdp.evaluate_all()) for by, judge in self.judges.items()
        }
        self.entries: list[Entry] = []
        self.weight = reference.parts.weight
        self.candidates: list[Candidate] = [self._constant(EVAL, 0.0)]

    def add(self, entry: Entry) -> None:
        """Candidates that were judged."""
        self.entries.append(entry)

    @property
    def losses(self) -> Vector:
        """What is to be expected of every candidate, the reference first.

        Rows that judge have their own luck, so a loss is that of the reference plus what the same
        rows say of the difference.
        """
        level = self.first["seen"].losses
        found = [level]
        for entry in self.entries:
            judged = self.judges[entry.by].by_labels(entry.judgements)
            found.append(level + judged - self.first[entry.by].losses)
        return rounded(np.concatenate(found))

    @property
    def costs(self) -> Vector:
        """Mean costs of every candidate, the reference first."""
        first = [self.reference.mean_cost(self.reference.parts.seen)]
        return np.concatenate([first, *(e.judgements.costs for e in self.entries)])

    @property
    def owners(self) -> list[Contestant]:
        """Whose each candidate is."""
        owners = [self.reference]
        for entry in self.entries:
            owners += [entry.contestant] * len(entry.judgements.costs)
        return owners

    def promising(self) -> list[Contestant]:
        """The contestants whose simple candidates cost least, over several losses, the best
        first."""
        losses, costs, owners = self.losses, self.costs, self.owners
        contestants = list(dict.fromkeys(owners))
        number = {contestant: i for i, contestant in enumerate(contestants)}
        whose = np.array([number[owner] for owner in owners])
        ratios = np.full((len(LEVELS), len(contestants)), np.inf)
        for level, ratio in zip(LEVELS, ratios, strict=True):
            within = losses <= losses[0] + level * self.unit
            for i in range(len(contestants)):
                ratio[i] = costs[within & (whose == i)].min(initial=np.inf)
            np.maximum(ratio, NOTHING * costs[0], out=ratio)  # a constant answer costs nothing
            ratio /= ratio.min()
        score = np.log(np.minimum(ratios, MUCH)).mean(axis=0)
        return [contestants[i] for i in np.argsort(score, kind="stable")]

    @property
    def unit(self) -> float:
        """What prices and bounds are in, in units of the loss."""
        return self.judges["seen"].mdp.unit

    def learned(self, beta: float) -> Candidate:
        """The best candidate at a price."""
        at = int((self.losses + beta * self.unit * self.costs).argmin())
        return self._candidate(at, beta)

    def lay_out(self) -> None:
        """Replay the front of all candidates on all rows, those that certify too."""
        losses, costs = self.losses, self.costs
        for price, at in spaced_front(losses, costs, STEP)[:-1]:
            if at > 0:
                self.candidates.append(self._candidate(at, price / self.unit))

    def within_budget(self, budget: float, judges: NDArray[np.intp]) -> Candidate:
        """The dearest of the front with at most `budget` mean cost on the rows `judges`: the
        dearer, the less loss is expected. Where there is none, a policy that evaluates nothing."""
        cheap = [c for c in self.candidates if self._mean(c.cost, judges) <= budget]
        if not cheap:
            return self._constant(QUIT, BETAS[-1])
        return max(cheap, key=lambda c: self._mean(c.cost, judges))

    def _candidate(self, at: int, beta: float) -> Candidate:
        if at == 0:
            return self.everything
        at -= 1
        for entry in self.entries:
            if at < len(entry.judgements.costs):
                return self._replayed(entry.contestant, entry.policies[at], beta)
            at -= len(entry.judgements.costs)
        raise IndexError(f"there is no candidate {at} beyond the last")

    def _constant(self, action: int, beta: float) -> Candidate:
        ensemble = self.reference.parts.ensemble
        grid = Grid(np.empty(0), ensemble.n_scores)
        policy = Policy.constant(action, ensemble.n_classifiers, grid)
        return self._replayed(self.reference, policy, beta)

    def _replayed(self, contestant: Contestant, policy: Policy, beta: float) -> TrainedCandidate:
        parts, prices = contestant.parts, contestant.prices
        policy = policy.on_fewest_cells()
        found = parts.replayed(policy)
        reference = self.reference.parts
        targets = reference.full if self.measure == "share" else reference.truth
        lost = ExcessLoss(
            parts.ensemble, self.measure, targets, reference.full, parts.seen, parts.weight
        )
        excess = lost(found.scores, found.exit_step, found.verdict)
        counted = None if prices is None else contestant.row_costs.under(policy)
        return TrainedCandidate(
            float(beta), policy, found.n_evaluated, excess, counted, contestant=contestant
        )
