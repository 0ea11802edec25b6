"""Candidates of a portfolio, estimates of their losses, and their front.

Candidates differ on few rows and labels are noisy, so the best of many by labels alone is often a
lucky one. For a loss that counts errors there is a second estimate, by soft targets: the calibrated
probabilities of the full ensemble, or of a refitted one. It is much less noisy but biased towards
the full ensemble; `LossEstimator.estimates` combines the two. Other losses are estimated by labels
alone. The front has the candidates that no cheaper one beats in loss: a price beta picks only those
on its convex hull, a budget can use all of it.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.rescaling import Rescaling
from mddag.losses import ZeroOne
from mddag.policy.arrangement import Arrangement
from mddag.policy.grid import Grid
from mddag.policy.mdp import MDP
from mddag.policy.policy import Policy, trusted_policy
from mddag.solvers.solver import Candidates, with_soft_targets

DIGITS = 40  # binary ones that a sum of losses over all rows can be relied on for
Vector = NDArray[np.float64]


def front(losses: Vector, costs: Vector) -> NDArray[np.intp]:
    """Return the candidates that no cheaper one beats in loss, by rising cost.

    Equal losses stay: on few rows many do as the full ensemble does, and the more
    expensive are safer.
    """
    order = np.lexsort((losses, costs))
    best_before = np.concatenate([[np.inf], np.minimum.accumulate(losses[order])[:-1]])
    rises = np.diff(costs[order], prepend=-1.0) > 0
    on_it = (losses[order] < best_before) | ((losses[order] == best_before) & rises)
    return np.asarray(order[on_it], np.intp)


def spaced_front(losses: Vector, costs: Vector, ratio: float) -> list[tuple[float, int]]:
    """Return candidates of the front from expensive to cheap, with their prices.

    Each is cheaper than the one before by a factor `ratio` or more.

    The price of a candidate is the beta at which the next cheaper one becomes as good: the
    difference of their losses per difference of their costs. The cheapest has none, infinity.
    """
    found: list[int] = []
    for at in front(losses, costs)[::-1].tolist():
        if not found or costs[at] * ratio <= costs[found[-1]]:
            found.append(at)
    saved, spent = np.diff(losses[found]), -np.diff(costs[found])
    return list(zip([*(saved / spent).tolist(), np.inf], found, strict=True))


def worth(losses: Vector, costs: Vector, at: int) -> float:
    """Return the highest price at which a candidate beats all that are cheaper."""
    cheaper = costs < costs[at]
    prices = (losses[cheaper] - losses[at]) / (costs[at] - costs[cheaper])
    return max(float(prices.min(initial=np.inf)), 0.0)


def rounded(losses: Vector) -> Vector:
    """Round to DIGITS binary digits of the largest, so that no unit of the loss matters."""
    largest = float(np.abs(losses).max())
    unit = 2.0 ** (np.frexp(largest)[1] - DIGITS)
    found: Vector = np.rint(losses / unit) * unit
    return found


class JudgedCandidates(ABC):
    """Candidates by number, for base classifiers as the MDP has them; the full ensemble is 0."""

    @property
    @abstractmethod
    def losses(self) -> NDArray[np.float64]:
        """The expected loss of every candidate, (n_candidates,)."""

    @property
    @abstractmethod
    def costs(self) -> NDArray[np.float64]:
        """The mean cost of every candidate, (n_candidates,)."""

    @abstractmethod
    def candidate(self, at: int) -> Policy:
        """Return a candidate by its number."""

    def best(self, beta: float) -> int:
        """Return the number of the best candidate by Eq. (8), the first in a tie."""
        return int((self.losses + beta * self.costs).argmin())

    def policy(self, beta: float) -> Policy:
        """Return the best candidate at a price."""
        return self.candidate(self.best(beta))


CHARGE = 2.0


@dataclass(frozen=True, eq=False)
class Measurements:
    """Means over the rows of some candidates, each (n_candidates,)."""

    losses: Vector  # loss by labels
    soft_losses: Vector  # loss by soft targets
    differs: Vector  # share of decisions that differ from those of the full ensemble
    costs: Vector  # cost

    @classmethod
    def joined(cls, measurements: list[Measurements]) -> Measurements:
        """Concatenate the candidates."""
        names = ("losses", "soft_losses", "differs", "costs")
        return cls(*(np.concatenate([getattr(o, name) for o in measurements]) for name in names))


class LossEstimator:
    """Estimates losses of candidates on the rows of an MDP."""

    def __init__(
        self, mdp: MDP, full: Vector, soft_scores: Vector | None = None, *, n_jobs: int = 1
    ) -> None:
        # `full` are scores (n, K) of the full ensemble: those of the MDP may be condensed
        self.mdp, self.n_jobs = mdp, n_jobs
        self.n_rows = float(mdp.mass.sum())
        self.has_soft_targets = False
        self.soft, self.decided, self.square = mdp, mdp, 1.0
        prices = mdp.loss.prices(max(mdp.n_scores, 2))
        if prices is not None and mdp.labels.ndim == 1:
            self.has_soft_targets = True
            winner = full[:, 0] > 0 if mdp.n_scores == 1 else full.argmax(axis=1)
            self.soft = with_soft_targets(mdp, full if soft_scores is None else soft_scores)
            self.decided = mdp.with_labels(winner.astype(np.intp), ZeroOne())
            self.square = _mean_square_price(mdp, prices)

    def without_rows(self) -> LossEstimator:
        """Return a copy without votes, which fill memory; it cannot measure candidates."""
        other = copy(self)
        del other.mdp, other.soft, other.decided
        return other

    def of_policy(self, policy: Policy) -> Measurements:
        """Measure one candidate by a rollout."""
        scores, n_evaluated, cost = self.mdp.rollout(policy, n_jobs=self.n_jobs)

        def mean(numbers: Vector) -> Vector:
            return np.array([np.average(numbers, weights=self.mdp.weight)])

        def loss(mdp: MDP) -> Vector:
            return mean(mdp.losses(scores, slice(None), n_evaluated))

        losses = loss(self.mdp)
        if not self.has_soft_targets:
            return Measurements(losses, losses, np.zeros(1), mean(cost))
        return Measurements(losses, loss(self.soft), loss(self.decided), mean(cost))

    def of_candidates(self, candidates: Candidates) -> Measurements:
        """Measure candidates that are evaluated together."""
        if not self.has_soft_targets:
            losses, costs = candidates.evaluate(self.mdp)
            return Measurements(losses, losses, np.zeros(len(losses)), costs)
        by, costs = candidates.evaluate_by([self.mdp, self.soft, self.decided])
        losses, soft_losses, differs = by
        return Measurements(losses, soft_losses, differs, costs)

    def estimates(self, measurements: Measurements, by_labels: NDArray[np.bool_]) -> Vector:
        """Estimate the losses of all candidates, the first of which is the full ensemble.

        With D_L and D_S the differences to the full ensemble's loss by labels and by soft targets,
        r the share of decisions that differ, c^2 the mean square of an error's price and n the
        number of (equal) rows,

            estimate = D_S + k (D_L - D_S) + CHARGE standard errors,    k = b^2 r / (b^2 r + c^2 /
            n),

        where b is the bias of the soft targets per decision that differs, fitted separately to
        candidates that were learned from labels (`by_labels`) and to those that follow the full
        ensemble. CHARGE guards against selection bias: among thousands of candidates some look good
        by chance.
        """
        if not self.has_soft_targets:
            return measurements.losses
        differs, n = measurements.differs, self.n_rows
        gained = measurements.soft_losses - measurements.soft_losses[0]
        difference = (measurements.losses - measurements.losses[0]) - gained
        noise = self.square * differs / n
        share = np.zeros_like(noise)
        for kind in (by_labels, ~by_labels):
            share[kind] = _weight_of_labels(difference[kind], differs[kind], noise[kind])
        spread = np.divide(gained**2, n * differs, out=np.zeros_like(noise), where=differs > 0)
        error = np.sqrt(share**2 * noise + (1 - share) ** 2 * spread)
        estimates: Vector = measurements.losses[0] + gained + share * difference + CHARGE * error
        return estimates


def _weight_of_labels(difference: Vector, differs: Vector, noise: Vector) -> Vector:
    """Return k of each candidate; b^2 is fitted to all, weighted by the inverse of their noise."""
    differing = differs > 0
    if not differing.any():
        return np.zeros_like(noise)
    excess = float(np.sum((difference[differing] ** 2 - noise[differing]) / differs[differing]))
    bias = max(excess / float(differs.sum()), 0.0) * differs**2
    return np.divide(bias, bias + noise, out=np.zeros_like(noise), where=differing)


def _mean_square_price(mdp: MDP, price: Vector) -> float:
    """Return the mean square price of an error, all wrong classes counting alike."""
    of_class = np.square(price).sum(axis=1) / (len(price) - 1)
    return float(np.average(of_class[mdp.labels], weights=mdp.weight))


@dataclass(frozen=True, eq=False)
class ArrangedRows:
    """Rows for learning in one arrangement, and the estimator, which has the rows for choosing."""

    name: str
    arrangement: Arrangement
    learning: MDP
    estimator: LossEstimator


class PackedPolicies:
    """Policies with their actions compressed, since they would fill memory: few cells differ."""

    def __init__(self) -> None:
        self.kept: list[tuple[Grid, NDArray[np.intp], int, Rescaling | None]] = []
        self.actions: list[bytes] = []

    def append(self, policy: Policy) -> None:
        self.kept.append((policy.grid, policy.order, policy.every, policy.rescaling))
        self.actions.append(zlib.compress(policy.actions.tobytes(), 1))

    def __getitem__(self, c: int, /) -> Policy:
        grid, order, every, rescaling = self.kept[c]
        actions = np.frombuffer(zlib.decompress(self.actions[c]), np.uint8)
        return trusted_policy(actions.reshape(-1, grid.n_cells), grid, order, every, rescaling)


@dataclass(frozen=True, eq=False)
class Entry:
    """Candidates of one solver in one arrangement, and what was measured of them."""

    name: str
    candidates: Candidates | PackedPolicies
    arrangement: Arrangement
    measurements: Measurements
    by_labels: bool  # whether learned from labels, not from the full ensemble's scores


class Entries(JudgedCandidates):
    """All entries so far, candidates numbered entry by entry; in a tie the earlier one wins."""

    def __init__(self, rows: ArrangedRows) -> None:
        self.entries: list[Entry] = []
        self.estimator = rows.estimator.without_rows()
        self.add_policies("all", [rows.learning.evaluate_all()], rows)

    def add(self, name: str, candidates: Candidates, rows: ArrangedRows) -> None:
        """Add candidates that are evaluated together."""
        measurements = rows.estimator.of_candidates(candidates)
        self._add(name, candidates, rows, measurements, by_labels=False)

    def add_policies(
        self,
        name: str,
        policies: Iterable[Policy],
        rows: ArrangedRows,
        *,
        by_labels: bool = False,
    ) -> None:
        """Add candidates that are evaluated one by one, and packed before the next is made."""
        packed, measurements = PackedPolicies(), []
        for policy in policies:
            measurements.append(rows.estimator.of_policy(policy))
            packed.append(policy)
        self._add(name, packed, rows, Measurements.joined(measurements), by_labels=by_labels)

    def _add(
        self,
        name: str,
        candidates: Candidates | PackedPolicies,
        rows: ArrangedRows,
        measurements: Measurements,
        *,
        by_labels: bool,
    ) -> None:
        name = f"{name} in {rows.name}"
        self.entries.append(Entry(name, candidates, rows.arrangement, measurements, by_labels))

    def among(self, entries: Sequence[Entry]) -> Entries:
        """Return some of the entries, and the full ensemble."""
        other = copy(self)
        other.entries = [self.entries[0], *(e for e in entries if e is not self.entries[0])]
        return other

    @property
    def losses(self) -> NDArray[np.float64]:
        """Estimated loss of every candidate, entry by entry, rounded.

        Candidates that decide alike are to be equal, in whatever sequence their losses were added
        up.
        """
        measurements = [entry.measurements for entry in self.entries]
        by_labels = np.repeat(
            [entry.by_labels for entry in self.entries], [len(o.costs) for o in measurements]
        )
        return rounded(self.estimator.estimates(Measurements.joined(measurements), by_labels))

    @property
    def costs(self) -> NDArray[np.float64]:
        """Mean cost of every candidate, entry by entry."""
        return np.concatenate([e.measurements.costs for e in self.entries])

    def best_in(self, arrangement: Arrangement, beta: float) -> Policy | None:
        """Return the best of one arrangement, in its order; None if the full ensemble is better."""
        known = [e for e in self.entries[1:] if e.arrangement is arrangement]
        among = self.among(known)
        entry, c = among.place(among.best(beta))
        return None if entry is self.entries[0] else entry.candidates[c]

    def candidate(self, at: int) -> Policy:
        """Return a candidate by its number, for base classifiers in their own order."""
        entry, c = self.place(at)
        return entry.candidates[c].after(entry.arrangement)

    def place(self, at: int) -> tuple[Entry, int]:
        """Return the entry of a candidate, and its number there."""
        for entry in self.entries:
            if at < len(entry.measurements.costs):
                return entry, at
            at -= len(entry.measurements.costs)
        raise IndexError(f"there is no candidate {at} beyond the last")
