"""What families of early exits share: candidates that are made when asked for, and one knob.

An early exit is a policy without SKIP: rows quit at some step and evaluate all before it. `OneKnob`
is a rule for quitting with one number to tune, the knob; each of its settings is a candidate.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_whole
from mddag._internal.parameters import Parameters
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import Policy
from mddag.solvers.solver import Family


class Policies(Sequence[Policy], ABC):
    """Policies that are made when asked for: all together they may fill memory."""

    @abstractmethod
    def policy(self, c: int) -> Policy:
        """Candidate c, counted from 0."""

    @abstractmethod
    def evaluate_by(self, mdps: Sequence[MDP]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The mean loss of every candidate by each MDP, (n_mdps, n_candidates), and its mean cost,
        (n_candidates,). The MDPs are of the same rows; only labels and loss may differ."""

    def evaluate(self, mdp: MDP) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean loss and mean cost of every candidate on these rows, both (n_candidates,)."""
        losses, costs = self.evaluate_by([mdp])
        return losses[0], costs

    @overload
    def __getitem__(self, c: int) -> Policy: ...
    @overload
    def __getitem__(self, c: slice) -> list[Policy]: ...
    def __getitem__(self, c: int | slice) -> Policy | list[Policy]:
        if isinstance(c, slice):
            return [self.policy(one) for one in range(*c.indices(len(self)))]
        return self.policy(range(len(self))[c])


@dataclass
class OneKnob(Parameters, Family):
    """A rule for quitting with one knob, which Eq. (8) tunes.

    every : steps between two looks at the score
    """

    every: int = 1

    settings: ClassVar[tuple[str, ...]] = ("every",)

    def __post_init__(self) -> None:
        check_whole("every", self.every, 1)

    @abstractmethod
    def candidates(self, mdp: MDP) -> Policies:
        """The settings of the knob, from the full ensemble to the boldest."""


def check_classes(rule: Any, mdp: MDP) -> None:
    """Refuse numbers: they have no winning class, whose margin such a rule looks at."""
    if mdp.of_numbers:
        raise ValueError(
            f"{rule!r} quits where the winning class is sure, but labels are numbers; wanted "
            "Prefix(), Descent() or Portfolio()"
        )
