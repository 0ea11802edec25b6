"""Judge: the loss to expect of a candidate, estimated on rows that it was not learned on.

Candidates differ on few rows, and labels are noisy: the best of many by labels alone is often the
luckiest. For a loss that counts errors there is a second estimate, by the teacher: the calibrated
probabilities of the full ensemble, or of one whose leaves rows for learning have corrected
(``refitted``). It is much less noisy, but biased in favour of the full ensemble. With D_L and D_T
the differences to the full ensemble's loss by labels and by teacher, r the share of decisions that
differ, c^2 the mean square of an error's price (1 without prices), n the number of rows (of equal
rows with the same standard error, where weights differ),

    estimate = D_T + k (D_L - D_T) + CHARGE standard errors,    k = b^2 r / (b^2 r + c^2 / n),

where b is the teacher's error per decision that differs: b r is the difference of D_L and D_T
beyond the noise of labels, c sqrt(r / n). Where labels prove the teacher wrong, k is near 1. It is
fitted separately to candidates that were learned from labels and to those that follow the full
ensemble, since the teacher may be wrong in just the decisions of the former. The charge is for
luck: of thousands of candidates some differ from the full ensemble on just the right rows. Other
losses are judged by labels alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.rescaling import Rescaling
from mddag.losses import ZeroOne
from mddag.policy.arrangement import Arrangement
from mddag.policy.grid import Grid
from mddag.policy.mdp import MDP
from mddag.policy.policy import Policy
from mddag.solvers.exits import Policies
from mddag.solvers.front import JudgedCandidates, rounded
from mddag.solvers.preparation import with_teacher

CHARGE = 2.0
Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Judgements:
    """Means over the rows of some candidates, each (n_candidates,).

    losses     : by labels
    by_teacher : by the teacher
    differs    : share of decisions that are not those of the full ensemble
    costs      : mean cost
    """

    losses: Vector
    by_teacher: Vector
    differs: Vector
    costs: Vector

    def taken(self, which: Sequence[int]) -> Judgements:
        """Those of some of the candidates."""
        some = np.asarray(which, np.intp)
        return Judgements(*(a[some] for a in vars(self).values()))

    @classmethod
    def joined(cls, judgements: list[Judgements]) -> Judgements:
        names = ("losses", "by_teacher", "differs", "costs")
        return cls(*(np.concatenate([getattr(o, name) for o in judgements]) for name in names))


class Judge:
    """Judges candidates on the rows of an MDP."""

    def __init__(
        self, mdp: MDP, full: Vector, opinion: Vector | None = None, *, n_threads: int = 1
    ) -> None:
        """full : the scores of the full ensemble, (n, K); those of the MDP may be condensed.
        opinion : the scores of the teacher, (n, K); `full` by default
        n_threads : of rollouts
        """
        self.mdp, self.n_threads = mdp, n_threads
        self.n_rows = float(mdp.mass.sum())
        self.has_teacher = False
        self.teacher, self.decided, self.square = mdp, mdp, 1.0
        prices = mdp.loss.prices(max(mdp.n_scores, 2))
        if prices is not None and mdp.labels.ndim == 1:
            self.has_teacher = True
            winner = full[:, 0] > 0 if mdp.n_scores == 1 else full.argmax(axis=1)
            self.teacher = with_teacher(mdp, full if opinion is None else opinion)
            self.decided = mdp.with_labels(winner.astype(np.intp), ZeroOne())
            self.square = _mean_square_price(mdp, prices)

    def without_rows(self) -> Judge:
        """One that estimates as this does, but has no votes, which fill memory, to judge by."""
        other = copy(self)
        del other.mdp, other.teacher, other.decided
        return other

    def of_policy(self, policy: Policy) -> Judgements:
        """The judgement of one candidate, by a rollout."""
        scores, n_evaluated, cost = self.mdp.rollout(policy, n_threads=self.n_threads)

        def mean(numbers: Vector) -> Vector:
            return np.array([np.average(numbers, weights=self.mdp.weight)])

        def loss(mdp: MDP) -> Vector:
            return mean(mdp.losses_of(scores, slice(None), n_evaluated))

        losses = loss(self.mdp)
        if not self.has_teacher:
            return Judgements(losses, losses, np.zeros(1), mean(cost))
        return Judgements(losses, loss(self.teacher), loss(self.decided), mean(cost))

    def of_candidates(self, candidates: Policies) -> Judgements:
        """Judgements of candidates that are evaluated together."""
        if not self.has_teacher:
            losses, costs = candidates.evaluate(self.mdp)
            return Judgements(losses, losses, np.zeros(len(losses)), costs)
        by, costs = candidates.evaluate_by([self.mdp, self.teacher, self.decided])
        losses, by_teacher, differs = by
        return Judgements(losses, by_teacher, differs, costs)

    def estimates(self, judgements: Judgements, by_labels: NDArray[np.bool_]) -> Vector:
        """Expected losses of all candidates, the first of which is the full ensemble.

        by_labels : (n_candidates,), which of them were learned from labels
        """
        if not self.has_teacher:
            return judgements.losses
        differs, n = judgements.differs, self.n_rows
        gained = judgements.by_teacher - judgements.by_teacher[0]
        doubt = (judgements.losses - judgements.losses[0]) - gained
        noise = self.square * differs / n
        trust = np.zeros_like(noise)
        for kind in (by_labels, ~by_labels):
            trust[kind] = _weight_of_labels(doubt[kind], differs[kind], noise[kind])
        spread = np.divide(gained**2, n * differs, out=np.zeros_like(noise), where=differs > 0)
        error = np.sqrt(trust**2 * noise + (1 - trust) ** 2 * spread)
        estimates: Vector = judgements.losses[0] + gained + trust * doubt + CHARGE * error
        return estimates


def _weight_of_labels(doubt: Vector, differs: Vector, noise: Vector) -> Vector:
    """k of each candidate; b^2 is fitted to all, weighted by the inverse of their noise."""
    differing = differs > 0
    if not differing.any():
        return np.zeros_like(noise)
    excess = float(np.sum((doubt[differing] ** 2 - noise[differing]) / differs[differing]))
    bias = max(excess / float(differs.sum()), 0.0) * differs**2
    return np.divide(bias, bias + noise, out=np.zeros_like(noise), where=differing)


def _mean_square_price(mdp: MDP, price: Vector) -> float:
    """Of an error, given the prices (n_classes, n_classes); all wrong classes count alike."""
    of_class = np.square(price).sum(axis=1) / (len(price) - 1)
    return float(np.average(of_class[mdp.labels], weights=mdp.weight))


@dataclass(frozen=True, eq=False)
class ArrangedRows:
    """The rows for learning in one arrangement, and the judge, which has the rows for choosing."""

    name: str
    arrangement: Arrangement
    learning: MDP
    judge: Judge


class Indexed(Protocol):
    def __getitem__(self, c: int, /) -> Policy: ...


class PackedPolicies:
    """Policies that would fill memory, with their actions compressed: few cells differ."""

    def __init__(self) -> None:
        self.kept: list[tuple[Grid, NDArray[np.intp], int, Rescaling | None]] = []
        self.actions: list[bytes] = []

    def append(self, policy: Policy) -> None:
        self.kept.append((policy.grid, policy.order, policy.every, policy.rescaling))
        self.actions.append(zlib.compress(policy.actions.tobytes(), 1))

    def __getitem__(self, c: int, /) -> Policy:
        grid, order, every, rescaling = self.kept[c]
        actions = np.frombuffer(zlib.decompress(self.actions[c]), np.uint8)
        return Policy(actions.reshape(-1, grid.n_cells), grid, order, every, rescaling)


@dataclass(frozen=True, eq=False)
class Entry:
    """Candidates of one solver in one arrangement, and the judge's estimates of them.

    by_labels : whether they were learned from labels, not from the full ensemble's scores
    """

    name: str
    candidates: Indexed
    arrangement: Arrangement
    judgements: Judgements
    by_labels: bool


class Entries(JudgedCandidates):
    """All entries so far, candidates numbered entry by entry; in a tie the earlier one wins.

    Estimates do not depend on beta, so a policy that was learned at one price may be the answer at
    another.
    """

    def __init__(self, rows: ArrangedRows) -> None:
        self.entries: list[Entry] = []
        self.judge = rows.judge.without_rows()
        self.add_policies("all", [rows.learning.evaluate_all()], rows)

    def add(self, name: str, candidates: Policies, rows: ArrangedRows) -> None:
        """Candidates that are evaluated together."""
        judgements = rows.judge.of_candidates(candidates)
        self._add(name, candidates, rows, judgements, by_labels=False)

    def add_policies(
        self,
        name: str,
        policies: Iterable[Policy],
        rows: ArrangedRows,
        *,
        by_labels: bool = False,
    ) -> None:
        """Candidates that are evaluated one by one, and packed before the next is made."""
        packed, judgements = PackedPolicies(), []
        for policy in policies:
            judgements.append(rows.judge.of_policy(policy))
            packed.append(policy)
        self._add(name, packed, rows, Judgements.joined(judgements), by_labels=by_labels)

    def _add(
        self,
        name: str,
        candidates: Indexed,
        rows: ArrangedRows,
        judgements: Judgements,
        *,
        by_labels: bool,
    ) -> None:
        name = f"{name} in {rows.name}"
        self.entries.append(Entry(name, candidates, rows.arrangement, judgements, by_labels))

    def among(self, entries: Sequence[Entry]) -> Entries:
        """Some of the entries, and the full ensemble."""
        other = copy(self)
        other.entries = [self.entries[0], *(e for e in entries if e is not self.entries[0])]
        return other

    @property
    def losses(self) -> NDArray[np.float64]:
        """The estimated loss of every candidate, entry by entry, rounded: those that decide alike
        are to be equal, in whatever sequence their losses were added up."""
        judgements = [entry.judgements for entry in self.entries]
        by_labels = np.repeat(
            [entry.by_labels for entry in self.entries], [len(o.costs) for o in judgements]
        )
        return rounded(self.judge.estimates(Judgements.joined(judgements), by_labels))

    @property
    def costs(self) -> NDArray[np.float64]:
        """The mean cost of every candidate, entry by entry."""
        return np.concatenate([e.judgements.costs for e in self.entries])

    def best_in(self, arrangement: Arrangement, beta: float) -> Policy | None:
        """The best of one arrangement, in its order; None where the full ensemble is better."""
        known = [e for e in self.entries[1:] if e.arrangement is arrangement]
        among = self.among(known)
        entry, c = among.place(among.best(beta))
        return None if entry is self.entries[0] else entry.candidates[c]

    def candidate(self, at: int) -> Policy:
        """A candidate by its number, for base classifiers in their own order."""
        entry, c = self.place(at)
        return entry.candidates[c].after(entry.arrangement)

    def place(self, at: int) -> tuple[Entry, int]:
        """The entry of a candidate, and its number there."""
        for entry in self.entries:
            if at < len(entry.judgements.costs):
                return entry, at
            at -= len(entry.judgements.costs)
        raise IndexError(f"there is no candidate {at} beyond the last")
