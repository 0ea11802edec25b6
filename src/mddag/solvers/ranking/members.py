"""Members: what is looked at to let a document quit, and how one knob makes thresholds of it.

| member          | quits where                                                  | from |
|---|---|---|
| UrgencyExits    | what it may still move in the metric is below price x steps  | this library |
| ProximityExits  | its reading is so many spreads below the k-th best           | Cambazoglu et al. 2010, EPT |
| ScoreExits      | its reading is so many spreads below a common level          | the same, EST |
| RankExits       | its place is behind a limit that falls with the steps        | the same, ERT and ECT |
| PrefixExits     | all documents quit at one check point                        | |
| QueryExits      | all documents of a query quit at once: nothing of it is urgent | query-level exits |

All share the order and the readings. Cambazoglu's capacity exit keeps so many documents of a query,
which for documents that take their steps together is a limit of the place.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_whole
from mddag._internal.parameters import Parameters
from mddag.mdp.query_state import Gap, QueryState, QueryUrgency, Rank, Reading, Urgency
from mddag.mdp.readings import Readings
from mddag.metrics.ranking import GainMetric
from mddag.solvers.ranking.exit_family import NO_CELLS, ExitFamily
from mddag.solvers.ranking.fit_readings import GROWTH, check_points, fitted_readings, gain_curve
from mddag.solvers.ranking.fit_readings import block_sums as sums_of_blocks
from mddag.solvers.ranking.order import top_order
from mddag.solvers.ranking.problem import RankingProblem, joined

LEAST_EVERY = 8


@dataclass
class Exits(ABC, Parameters):
    """A way to quit: order and readings are fitted here, the number is a member's.

    every  : steps that one decision covers, at least 8: a look at all documents of a query takes as
             long as some trees
    growth : the distance of check points as a share of their step; 1 for few of them
    """

    every: int = LEAST_EVERY
    growth: float = GROWTH
    knobs: ClassVar[NDArray[np.float64]]  # from careful to cheap

    def __post_init__(self) -> None:
        check_whole("every", self.every, LEAST_EVERY)

    @property
    def name(self) -> str:
        """What messages call it."""
        return type(self).__name__

    @abstractmethod
    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        """What is looked at."""

    @abstractmethod
    def thresholds(self, readings: Readings, knob: float) -> NDArray[np.float64]:
        """Of the numbers at all check points but the last, (C - 1,)."""

    def fit(
        self, problem: RankingProblem, *, more: RankingProblem | None = None, odds: bool = True
    ) -> ExitFamily:
        """Order and readings of these documents.

        more : further queries for both, such as those that the model was trained on; their labels
               are not used, since a model is too sure of them
        odds : see fitted_readings
        """
        whole = problem if more is None else joined([problem, more])
        order = top_order(whole)
        checks = check_points(problem.n_steps, self.every, self.growth)
        blocks = sums_of_blocks(whole, order, checks)
        curve = gain_curve(problem, odds)
        return self.family(fitted_readings(whole, blocks, checks, curve), order, problem.metric)

    def family(
        self, readings: Readings, order: NDArray[np.intp], metric: GainMetric
    ) -> ExitFamily:
        """The policies over readings that are fitted."""
        state = self.state(readings, metric)
        return ExitFamily(state, order, self.every, lambda knob: self.thresholds(readings, knob))


@dataclass
class UrgencyExits(Exits):
    """Quit where the urgency is at most price x steps to the next check point: knob = price."""

    knobs = np.geomspace(1e-7, 3e-2, 56)

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return Urgency(NO_CELLS, readings, metric)

    def thresholds(self, readings: Readings, knob: float) -> NDArray[np.float64]:
        return knob * np.diff(readings.checks).astype(float)


@dataclass
class QueryExits(UrgencyExits):
    """The same with the mean over the query: all of its documents quit, or none."""

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return QueryUrgency(NO_CELLS, readings, metric)


@dataclass
class ProximityExits(Exits):
    """Quit where the gap to the k-th best reading is more than so many spreads: 1 / knob of them."""

    k: int = 10
    knobs = 1 / np.geomspace(8.0, 0.05, 40)

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return Gap(NO_CELLS, readings, self.k)

    def thresholds(self, readings: Readings, knob: float) -> NDArray[np.float64]:
        return -typical_spreads(readings) / knob


@dataclass
class ScoreExits(Exits):
    """Quit where the reading is below a level, by so many spreads: knob - 4 of them above it."""

    knobs = np.linspace(0.5, 8.0, 40)

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return Reading(NO_CELLS, readings)

    def thresholds(self, readings: Readings, knob: float) -> NDArray[np.float64]:
        middle = readings.edges[-1][readings.edges.shape[1] // 2]
        return middle + (knob - 4.0) * typical_spreads(readings)


@dataclass
class RankExits(Exits):
    """Quit behind a place that falls from check point to check point: limit = 10 (N / step)^(1 /
    knob), where `k` stands for 10."""

    k: int = 10
    knobs = np.geomspace(0.3, 60.0, 40)

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return Rank(NO_CELLS, readings)

    def thresholds(self, readings: Readings, knob: float) -> NDArray[np.float64]:
        passed = readings.checks[:-1] / readings.n_steps
        return -np.floor(self.k * passed ** (-1.0 / knob))


@dataclass
class PrefixExits(Exits):
    """All quit at one check point: knob = the share of steps that are left out."""

    knobs = np.linspace(0.0, 0.99, 100)

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return Reading(NO_CELLS, readings)

    def thresholds(self, readings: Readings, knob: float) -> NDArray[np.float64]:
        last = (1.0 - knob) * readings.n_steps
        return np.where(readings.checks[:-1] >= last, np.inf, -np.inf)


def typical_spreads(readings: Readings) -> NDArray[np.float64]:
    """The root mean square of the spreads at all check points but the last, (C - 1,)."""
    return np.sqrt(np.mean(readings.spread[:-1] ** 2, axis=1))
