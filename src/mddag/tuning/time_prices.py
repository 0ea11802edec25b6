"""TimePrices: nanoseconds per row of a large batch as the price, for ``train(objective="time")``.

They are those of the cost model (``dag.cost_model``), by the executor that is expected to be
fastest, on one thread. A base classifier costs its share of evaluating everything, where rows are
many; a policy costs what its DAG is expected to take for the evaluations that it needs. Both are
means over a batch, so every row costs the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.dag.cost_model import MANY_ROWS
from mddag.dag.dag import Dag
from mddag.dag.dag import compile as compile_dag
from mddag.dag.replay import replay
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import Votes
from mddag.mdp.policy import Policy


def batch_time(dag: Dag) -> float:
    """Nanoseconds per row of a large batch, as expected."""
    return float(dag.chosen(MANY_ROWS).cost(MANY_ROWS)) / MANY_ROWS


@dataclass(frozen=True, eq=False)
class TimedRows:
    """Expected times of policies on the rows of some votes."""

    ensemble: Ensemble
    votes: Votes

    def under(self, policy: Policy) -> NDArray[np.float64]:
        """Of a policy, the same for each row, (n,)."""
        mean = float(replay(self.ensemble, policy, self.votes).n_evaluated.mean())
        dag = compile_dag(self.ensemble, policy, expected_evaluations=mean)
        return np.full(len(self.votes), batch_time(dag))

    def everything(self) -> NDArray[np.float64]:
        """Of evaluating everything, (n,)."""
        return np.full(len(self.votes), batch_time(compile_dag(self.ensemble)))


@dataclass(frozen=True, eq=False)
class TimePrices:
    """Prices of the base classifiers of an ensemble in nanoseconds."""

    ensemble: Ensemble

    @property
    def means(self) -> NDArray[np.float64]:
        """Of each base classifier, all alike, (N,)."""
        n = self.ensemble.n_classifiers
        return np.full(n, batch_time(compile_dag(self.ensemble)) / max(n, 1))

    def on(self, votes: Votes) -> TimedRows:
        """What times the rows of these votes."""
        return TimedRows(self.ensemble, votes)
