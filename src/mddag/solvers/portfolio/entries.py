"""Entries: candidates of many solvers in several arrangements, judged by held-out rows.

An entry is what one member of a portfolio found in one arrangement of the base classifiers, with
the judge's estimates of each policy. These do not depend on beta, so a policy that was learned at
one price may be the answer at another.
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
from mddag.mdp.grid import Grid
from mddag.mdp.policy import Policy
from mddag.ordering.arrangement import Arrangement
from mddag.solvers.exits.family import Policies
from mddag.solvers.front import rounded
from mddag.solvers.judged_candidates import JudgedCandidates
from mddag.solvers.portfolio.arranged_rows import ArrangedRows
from mddag.solvers.portfolio.judge import Judgements


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
    """All entries so far, candidates numbered entry by entry; in a tie the earlier one wins."""

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

    def least(
        self,
        price: float,
        arrangement: Arrangement | None = None,
        n_entries: int | None = None,
    ) -> float:
        """The smallest estimate of Eq. (8) at a price, of all candidates, of one arrangement alone,
        or of the first so many entries."""
        counts = [
            arrangement is None or entry.arrangement is arrangement
            for entry in self.entries[:n_entries]
        ]
        sizes = [len(entry.judgements.costs) for entry in self.entries[:n_entries]]
        values = (self.losses + price * self.costs)[: sum(sizes)]
        return float(values[np.repeat(counts, sizes)].min(initial=np.inf))

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
