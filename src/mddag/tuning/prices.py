"""Prices: what an objective other than the number of evaluations makes of policies and rows.

Solvers need a price for each base classifier, the same for all rows; a policy that was found is
then counted as exactly as the objective can be: ``node_prices`` is the member.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.votes import Votes
from mddag.mdp.policy import Policy


class RowCosts(Protocol):
    """Costs of policies on some rows, whose votes are known."""

    @property
    def votes(self) -> Votes:
        """Of the rows."""
        ...

    def under(self, policy: Policy) -> NDArray[Any]:
        """What each row costs under a policy, (n,)."""
        ...

    def everything(self) -> NDArray[Any]:
        """What each row costs where everything is evaluated, (n,)."""
        ...


class Prices(Protocol):
    """Prices of the base classifiers of one ensemble."""

    @property
    def means(self) -> NDArray[np.float64]:
        """Of each base classifier, (N,)."""
        ...

    def on(self, votes: Votes) -> RowCosts:
        """What counts the costs of the rows of these votes."""
        ...
