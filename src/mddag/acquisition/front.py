"""Candidates for a target of ``acquire``: the best policy over sets at each of many prices."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mddag._utils.output import progress
from mddag.acquisition.feature_sets import (
    FeatureSets,
    SetPolicy,
    candidate_sets,
    completed_set,
)
from mddag.acquisition.models import SetModels, cross_fitted_rows
from mddag.acquisition.rows import SetScores, SplitRows
from mddag.acquisition.search import Member, all_members, best_member
from mddag.ensemble.costs import read_groups
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.tuning.front import Candidate, Front, Matrix, Vector
from mddag.tuning.problem import Part
from mddag.tuning.targets import Target

PRICES = np.geomspace(0.004, 8.0, 28)  # in what all features together are worth
HALVINGS = 5  # between two prices, to use a budget
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SetCandidate(Candidate):
    """A policy over sets, with its cross-fitted means on rows that learn and choose."""

    front: SetFront
    policy: SetPolicy
    member: str  # what learned it
    beta: float
    mean_lost: Vector  # (n_losses,), beyond the full model
    mean_cost: float

    def cost(self, part: Part) -> float:
        return self.mean_cost

    def lost(self, part: Part) -> Vector:
        return self.mean_lost

    def excess(self, part: Part) -> Matrix:
        front, sets = self.front, self.front.models.sets
        seen = self.policy.follow(sets, front.seen.values).last
        last = self.policy.follow(sets, front.certifying.values).last
        return front.excess(seen, front.certifying, last)


@dataclass(eq=False)
class SetFront(Front[SetCandidate]):
    """Policies over sets by their price, learned when a target asks for them."""

    models: SetModels
    target: Target
    rows: SetScores  # all policy rows
    learned_on: SetScores  # what policies are learned from: rows that learn, then training rows
    learning: NDArray[np.intp]  # policy rows that learn and choose
    tested: NDArray[np.intp]  # policy rows that certify
    members: dict[str, Member]
    measured: Floats  # (n, M), losses of the rows that learn, which choose among members
    simple: Floats  # (n_learning, M), losses of rows that are no metric of probabilities
    found: dict[float, SetCandidate] = field(default_factory=dict)

    ordered = True

    def __post_init__(self) -> None:
        self.seen = self.rows.rows(self.learning)
        self.certifying = self.rows.rows(self.tested)
        self.n_certifying = len(self.tested)
        self.candidates = [self._static(len(self.models) - 1, "full model")]

    @classmethod
    def learned(
        cls,
        given: SplitRows,
        prices: FeaturePrices,
        certifying: NDArray[np.intp],
        target: Target,
        seed: int = 0,
        *,
        n_jobs: int = 1,
        verbose: bool = False,
    ) -> SetFront:
        """Train the models, score all rows in every set, and prepare the members."""
        ensemble, losses = given.ensemble, target.losses
        full = completed_set(prices, np.asarray(read_groups(prices, ensemble).any(axis=0)))
        coded = ensemble.task.coded(given.train_labels)
        X = np.asarray(given.train_rows, np.float64)
        sets = FeatureSets.of(prices, [*candidate_sets(prices, full, X, coded, seed), full])
        with progress("acquire", 2, verbose) as report:
            models = SetModels.trained(given, sets, seed)
            report(1, f"{len(models)} models trained")
            scores = models.scores(given.rows, ensemble.bias, n_jobs)
            learning = np.setdiff1d(np.arange(len(scores)), certifying)
            known = given.labels, ensemble.task, given.metric, learning
            rows = SetScores.of(models.sets, scores, *known)
            seen = rows.rows(learning)
            further = cross_fitted_rows(given, models, seen, seed)
            learned_on = seen if further is None else seen.joined(further)
            report(2, f"policies learned from {len(learned_on)} rows")
        simple = learned_on.losses(target.follows_model)
        # Probabilities near the full ones keep every metric of probabilities. Those of many classes
        # are taught by labels unless a metric is asked for, as in sparsify.
        taught = simple
        if any(of.by_probabilities for of in losses) and (len(losses) == 1 or scores.shape[2] == 1):
            taught = learned_on.log_losses(target.follows_model)
        measured = next(iter(taught.values()))
        chains = models.sets.chains(learned_on.risks())
        return cls(
            models,
            target,
            rows,
            learned_on,
            learning,
            certifying,
            all_members(learned_on.sample(measured, seed), taught, chains),
            measured,
            next(iter(simple.values()))[: len(seen)],
        )

    def excess(self, seen: NDArray[np.intp], rows: SetScores, last: NDArray[np.intp]) -> Matrix:
        """Return the excess losses (n_losses, n) of rows that stop in these sets.

        `seen` are the sets in which the rows that learn stop; they calibrate.
        """
        losses, follows = self.target.losses, self.target.follows_model
        known = any(of.by_probabilities for of in losses)
        calibration = self.seen.calibration(seen) if known else None
        return np.stack([rows.excess(of, last, calibration, follows) for of in losses])

    def at_price(self, beta: float) -> SetCandidate:
        """Return the member with the smallest cross-fitted objective, learned once."""
        if beta not in self.found:
            member, solved = best_member(self.members, beta)
            held = slice(len(self.learning))  # whose models are those of the result
            last, cost = solved.last[held], float(solved.cost[held].mean())
            self.found[beta] = self._candidate(solved.policy, member, beta, last, cost)
        return self.found[beta]

    def nothing(self) -> SetCandidate | None:
        return None if self.models.models[0] is not None else self._static(0, "nothing")

    @property
    def cheapest(self) -> float:
        if self.models.models[0] is not None:  # what is free is enough for a model
            return 0.0
        costs = [candidate.mean_cost for candidate in (self.full, *self.found.values())]
        return min(cost for cost in costs if cost > 0)

    def near_budget(self, budget: float) -> None:
        """Add the best at the lowest price whose candidate is within the budget."""
        betas = self._prices()
        at = next((i for i, b in enumerate(betas) if self.at_price(b).mean_cost <= budget), None)
        if at is None:
            self.candidates.append(self._static(0, "nothing"))
            return
        best = self.at_price(betas[at])
        low, high = betas[max(at - 1, 0)], betas[at]
        for _ in range(HALVINGS if at else 0):
            middle = float(np.sqrt(low * high))
            candidate = self.at_price(middle)
            if candidate.mean_cost <= budget:
                high, best = middle, candidate
            else:
                low = middle
        self.candidates.append(best)

    def sequence(self, bound: float, confidence: float | None) -> list[SetCandidate]:
        """Return the best at each price, each cheaper than the one before.

        With a confidence only those that lose at most twice the bound where they were learned: the
        others would only end the sequence.
        """
        kept: list[SetCandidate] = []
        for beta in self._prices():
            best = self.at_price(beta)
            if not kept or best.mean_cost < kept[-1].mean_cost:
                kept.append(best)
        return kept if confidence is None else [c for c in kept if (c.mean_lost <= 2 * bound).all()]

    def _prices(self) -> list[float]:
        """Return prices beta, from hardly any to prohibitive."""
        by_none, *_, by_all = self.measured.mean(axis=0).tolist()
        worth = max(by_none - by_all, 1e-3) / max(float(self.models.sets.cost[-1]), 1e-12)
        return list((PRICES * worth).tolist())

    def _static(self, s: int, name: str) -> SetCandidate:
        """Send all rows to set s."""
        sets, last = self.models.sets, np.full(len(self.learning), s)
        fare = 0.0 if s == 0 else float(sets.fares[0, s])
        return self._candidate(SetPolicy.static(len(sets), s), name, 0.0, last, fare)

    def _candidate(
        self, policy: SetPolicy, member: str, beta: float, last: NDArray[np.intp], cost: float
    ) -> SetCandidate:
        lost = self.excess(last, self.seen, last).mean(axis=1)
        for i, bounded in enumerate(self.target.losses):
            if not bounded.by_probabilities:  # soft targets estimate it with less noise
                of_rows = self.simple[np.arange(len(last)), last] - self.simple[:, -1]
                lost[i] = float(of_rows.mean())
        return SetCandidate(self, policy, member, beta, lost, cost)
