"""What families of early exits share: candidates made when asked for, and choosing among them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_whole
from mddag._internal.parameters import Parameters
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import Policy
from mddag.solvers.solver import check_samples


class Policies(Sequence[Policy], ABC):
    """Policies that are made when asked for: all together they may fill memory."""

    @abstractmethod
    def policy(self, c: int) -> Policy:
        """Candidate c, counted from 0."""

    @abstractmethod
    def evaluate(self, mdp: MDP) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean loss and mean cost of every candidate on these rows, both (n_candidates,)."""

    @overload
    def __getitem__(self, c: int) -> Policy: ...
    @overload
    def __getitem__(self, c: slice) -> list[Policy]: ...
    def __getitem__(self, c: int | slice) -> Policy | list[Policy]:
        if isinstance(c, slice):
            return [self.policy(one) for one in range(*c.indices(len(self)))]
        return self.policy(range(len(self))[c])


@dataclass
class OneKnob(Parameters, ABC):
    """A rule for quitting with one knob, which Eq. (8) tunes.

    every : steps between two looks at the score
    """

    every: int = 1

    def __post_init__(self) -> None:
        check_whole("every", self.every, 1)

    @abstractmethod
    def candidates(self, mdp: MDP) -> Policies:
        """The settings of the knob, from the full ensemble to the boldest."""

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        """The best setting by Eq. (8) on `selection`, or on the MDP itself."""
        check_samples(mdp, selection)
        return best(self.candidates(mdp), mdp if selection is None else selection)


def check_classes(rule: Any, mdp: MDP) -> None:
    """Refuse numbers: a rule that asks how sure the sign of f is has nothing to say of them."""
    if mdp.of_numbers:
        raise ValueError(
            f"{rule!r} quits where the winning class is sure, but labels are numbers; wanted "
            "Prefix(), Descent() or Portfolio()"
        )


def best(candidates: Policies, selection: MDP) -> Policy:
    """The candidate with the smallest value of Eq. (8) on these rows, the careful one in a tie."""
    losses, costs = candidates.evaluate(selection)
    return candidates[int((losses + selection.beta * costs).argmin())]
