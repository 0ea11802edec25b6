"""Early stopping: held-out rows on which the error of every round is measured.

Boosting stops when `patience` rounds in a row have not lowered the smallest held-out error, and the
model is cut back to the first round that reached it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mddag.boosting.rounds import Scored, vote
from mddag.boosting.training_set import TrainingSet
from mddag.ensemble.nodes import Nodes


@dataclass(frozen=True, eq=False)
class Watch:
    """Held-out rows, and the error on them after each round."""

    rows: TrainingSet
    scored: Scored
    errors: list[float] = field(default_factory=list)

    def see(self, nodes: Nodes) -> None:
        """Count the error once `nodes`, with votes ±alpha, has voted too."""
        leaf = self.rows.leaf_codes(nodes, self.scored.n_threads)
        self.errors.append(vote(self.scored, nodes, leaf))

    @property
    def best(self) -> int:
        """The number of rounds with the smallest error, the fewest if several have it."""
        return int(np.argmin(self.errors)) + 1 if self.errors else 0

    def stale(self, patience: int) -> bool:
        """Whether the last `patience` rounds brought nothing."""
        return len(self.errors) - self.best >= patience
