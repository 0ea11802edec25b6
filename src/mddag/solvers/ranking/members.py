"""Members: what is looked at to let a document quit, and how one knob makes thresholds of it.

    UrgencyExits     what it may still move in the metric is at most price x steps
    ProximityExits   its reading is so many spreads below the k-th best (Cambazoglu 2010, EPT)
    ScoreExits       its reading is so many spreads below a common level (the same, EST)
    RankExits        its place is behind a limit that falls with the steps (the same, ERT)
    CapacityExits    it is not in the share of the query that is kept there (the same, ECT)
    QueryExits       nothing of its query is urgent: all documents of a query quit at once
    PrefixExits      all documents quit at one check point

All share the order and the readings. Cambazoglu's capacity exit keeps so many documents; where all
documents of a query take their steps together and the number is fixed, that is `RankExits`, so here
it is a share of the query. Those four also stop all documents at one step, without which the best
ones would never quit: their knobs are pairs, and `cross_fitting` keeps those that no other pair
beats.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_whole
from mddag._internal.parameters import Parameters
from mddag.mdp.query_state import Gap, QueryState, QueryUrgency, Rank, Reading, Share, Urgency
from mddag.mdp.readings import Readings
from mddag.metrics.ranking import GainMetric
from mddag.solvers.ranking.exit_family import NO_CELLS, ExitFamily
from mddag.solvers.ranking.fit_readings import GROWTH, check_points, fitted_readings, gain_curve
from mddag.solvers.ranking.fit_readings import block_sums as sums_of_blocks
from mddag.solvers.ranking.order import top_order
from mddag.solvers.ranking.problem import RankingProblem, joined

LEAST_EVERY = 8
ENDS = np.geomspace(1.0, 0.02, 14)  # shares of steps behind which all quit


def pairs(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each number with each of ENDS, (n, 2)."""
    return np.array([(number, end) for number in numbers for end in ENDS])


def ended(readings: Readings, thresholds: NDArray[np.float64], end: float) -> NDArray[np.float64]:
    """The thresholds, infinite from the share `end` of the steps on: all quit there."""
    behind = readings.checks[:-1] >= end * readings.n_steps
    return np.where(behind, np.inf, thresholds)


@dataclass
class Exits(ABC, Parameters):
    """A way to quit: order and readings are fitted here, the number is a member's.

    every  : steps that one decision covers, at least 8: a look at all documents of a query takes as
             long as some trees
    growth : the distance of check points as a share of their step; 1 for few of them
    """

    every: int = LEAST_EVERY
    growth: float = GROWTH
    knobs: ClassVar[NDArray[np.float64]]  # (n,), from careful to cheap, or (n, 2)

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
    def thresholds(self, readings: Readings, knob: Any) -> NDArray[np.float64]:
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

    def family(self, readings: Readings, order: NDArray[np.intp], metric: GainMetric) -> ExitFamily:
        """The policies over readings that are fitted."""
        state = self.state(readings, metric)
        return ExitFamily(state, order, self.every, lambda knob: self.thresholds(readings, knob))


@dataclass
class UrgencyExits(Exits):
    """Quit where the urgency is at most price x steps to the next check point: knob = price."""

    knobs = np.geomspace(1e-7, 3e-2, 56)

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return Urgency(NO_CELLS, readings, metric)

    def thresholds(self, readings: Readings, knob: Any) -> NDArray[np.float64]:
        return float(knob) * np.diff(readings.checks).astype(float)


@dataclass
class QueryExits(UrgencyExits):
    """The same with the mean over the query: all of its documents quit, or none."""

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return QueryUrgency(NO_CELLS, readings, metric)


@dataclass
class ProximityExits(Exits):
    """Quit where the gap to the k-th best reading is more than so many spreads: a knob is their
    number, and the share of steps behind which all quit."""

    k: int = 10
    knobs = pairs(np.geomspace(6.0, 0.02, 14))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("k", self.k, 1)

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return Gap(NO_CELLS, readings, self.k)

    def thresholds(self, readings: Readings, knob: Any) -> NDArray[np.float64]:
        spreads, end = knob
        return ended(readings, -spreads * typical_spreads(readings), end)


@dataclass
class ScoreExits(Exits):
    """Quit where the reading is so many spreads above the middle of full scores, or less: a knob is
    their number, which may be negative, and the share of steps behind which all quit."""

    knobs = pairs(np.linspace(-4.0, 4.0, 17))

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return Reading(NO_CELLS, readings)

    def thresholds(self, readings: Readings, knob: Any) -> NDArray[np.float64]:
        above, end = knob
        middle = readings.edges[-1][readings.edges.shape[1] // 2]
        return ended(readings, middle + above * typical_spreads(readings), end)


@dataclass
class RankExits(Exits):
    """Quit behind the place k (N / step)^power: a knob is the power, and the share of steps behind
    which all quit."""

    k: int = 10
    knobs = pairs(np.geomspace(3.0, 0.01, 14))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("k", self.k, 1)

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return Rank(NO_CELLS, readings)

    def thresholds(self, readings: Readings, knob: Any) -> NDArray[np.float64]:
        power, end = knob
        left = readings.n_steps / readings.checks[:-1]
        return ended(readings, -np.floor(self.k * left**power), end)


@dataclass
class CapacityExits(Exits):
    """Keep the share (1 + step / every)^-power of each query, at least one document: a knob is the
    power, and the share of steps behind which all quit."""

    knobs = pairs(np.geomspace(0.01, 2.0, 14))

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return Share(NO_CELLS, readings)

    def thresholds(self, readings: Readings, knob: Any) -> NDArray[np.float64]:
        power, end = knob
        return ended(readings, -((1.0 + readings.checks[:-1] / self.every) ** -power), end)


@dataclass
class PrefixExits(Exits):
    """All quit at one check point: knob = the share of steps that are left out."""

    knobs = np.linspace(0.0, 0.99, 100)

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return Reading(NO_CELLS, readings)

    def thresholds(self, readings: Readings, knob: Any) -> NDArray[np.float64]:
        return ended(readings, np.full(len(readings) - 1, -np.inf), 1.0 - knob)


def typical_spreads(readings: Readings) -> NDArray[np.float64]:
    """The root mean square of the spreads at all check points but the last, (C - 1,)."""
    squares: NDArray[np.float64] = np.mean(readings.spread[:-1] ** 2, axis=1)
    return np.sqrt(squares)
