"""Search: the best policy so far by Eq. (8), and the values of all that were considered.

Solvers that make policies one after the other (snapshots, sweeps) hand them to a `Search`, which
also reports progress.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from mddag._internal.progress import progress
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import Policy


@dataclass
class Search:
    """The best policy so far, its value of Eq. (8), and the values of all candidates.

    It begins with the full ensemble: a candidate that is worse is of no use.
    """

    policy: Policy
    best: float
    history: list[float] = field(default_factory=list)

    @classmethod
    def begin(cls, mdp: MDP, selection: MDP) -> Search:
        """With the full ensemble of `mdp`, which must suit `selection`."""
        full = mdp.evaluate_all()
        full.require(selection.n_steps, selection.n_scores)
        return cls(full, selection.evaluate(full).objective)

    @classmethod
    def among(
        cls,
        candidates: Iterable[tuple[int, Policy]],
        mdp: MDP,
        selection: MDP | None,
        *,
        name: str,
        total: int,
        verbose: bool,
    ) -> Search:
        """The best by Eq. (8) on `selection`, or on the MDP itself.

        candidates : each with how much of `total` is done, for the report of progress
        """
        selection = mdp if selection is None else selection
        search = cls.begin(mdp, selection)
        with progress(name, total, verbose) as report:
            for done, policy in candidates:
                search.consider(policy, selection)
                report(done, f"best {search.best:.4f}, now {search.history[-1]:.4f}")
        return search

    def consider(self, policy: Policy, selection: MDP) -> None:
        """Keep the policy if it is better on these rows than the best so far."""
        objective = selection.evaluate(policy).objective
        self.history.append(objective)
        if objective < self.best:
            self.policy, self.best = policy, objective
