"""Search: the best policy so far, and the values of all that were considered."""

from __future__ import annotations

from dataclasses import dataclass, field

from mddag.mdp import MDP
from mddag.policy import Policy


@dataclass
class Search:
    """The best policy so far, its value of Eq. (8), and the values of all candidates.

    It begins with the full ensemble: a candidate that is worse is no use to anybody.
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

    def consider(self, policy: Policy, selection: MDP) -> None:
        objective = selection.evaluate(policy).objective
        self.history.append(objective)
        if objective < self.best:
            self.policy, self.best = policy, objective
