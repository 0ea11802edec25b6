"""The contract of a solver: from a Markov decision process to a policy."""

from __future__ import annotations

from typing import Protocol

from mddag.mdp import MDP
from mddag.policy import Policy


class Solver(Protocol):
    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        """A policy for `mdp`, chosen among candidates by Eq. (8) on `selection` (or on `mdp`)."""
        ...
