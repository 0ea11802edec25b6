"""Let documents quit at check points: exits that are fitted to queries.

    quit at check point c  if  number <= threshold_c(setting)

A larger price, or fewer spreads, quits sooner. Where the number alone would never let the best
documents quit, a setting also has the share of steps after which all quit: settings are then pairs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import Parameters, check_whole
from mddag.metrics.ranking import GainMetric, Queries
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, Policy
from mddag.ranking.problem import (
    GROWTH,
    RankingProblem,
    block_sums,
    check_points,
    fitted_readings,
    gain_curve,
    top_order,
)
from mddag.ranking.states import Documents, Gap, QueryState, Readings, Urgency

LEAST_EVERY = 8
NO_CELLS = Grid(np.empty(0))
ENDS = np.geomspace(1.0, 0.02, 14)  # shares of steps after which all documents quit

Numbers = NDArray[np.float64]
Setting = Any  # a number, or a pair of them


@dataclass(frozen=True, eq=False)
class ExitFamily:
    """Policies of one order and one set of readings, one for each setting."""

    state: QueryState  # has the number of a document; its grid does not matter here
    order: NDArray[np.intp]  # (N,)
    every: int  # steps that a decision covers; check points are multiples of it
    thresholds: Callable[[Setting], Numbers]  # of a setting, (C - 1,): -inf none quits, inf all do

    @property
    def checks(self) -> NDArray[np.int64]:
        """Check points, (C,)."""
        return self.state.readings.checks

    def policy(self, setting: Setting) -> Policy:
        """Return the policy of one setting."""
        thresholds, n_steps = self.thresholds(setting), len(self.order)
        grid = Grid(np.unique(thresholds[np.isfinite(thresholds)]))
        actions = np.full((-(-n_steps // self.every), grid.n_cells), EVAL, np.uint8)
        above = np.append(grid.edges, np.inf)  # cell c holds numbers up to above[c]
        for j, threshold in zip(self.checks[:-1].tolist(), thresholds.tolist(), strict=True):
            actions[j // self.every, above <= threshold] = QUIT
        state = self.state.on_grid(grid)
        return Policy(actions, grid, self.order, self.every, state=state)

    def blocks(self, problem: RankingProblem) -> Numbers:
        """Return the sums of blocks of documents, (n, C)."""
        return block_sums(problem, self.order, self.checks)

    def run(
        self, blocks: Numbers, queries: Queries, setting: Setting
    ) -> tuple[Numbers, NDArray[np.int64]]:
        """Return the readings at the exits, and steps, of documents query by query; both (n,)."""
        readings, n = self.state.readings, len(blocks)
        reading = readings.read(blocks, 0)
        spread, steps = readings.spreads(reading, 0), np.full(n, self.checks[0])
        alive = np.ones(n, bool)
        documents = Documents(queries, blocks, reading, spread, alive)
        for c, threshold in enumerate(self.thresholds(setting).tolist()):
            if threshold == np.inf:
                break
            if threshold > -np.inf:
                alive &= self.state.numbers(documents) > threshold
            here = np.flatnonzero(alive)
            if len(here) == 0:
                break
            reading[here] = readings.read(blocks[here], c + 1)
            spread[here] = readings.spreads(reading[here], c + 1)
            steps[here] = self.checks[c + 1]
        return reading, steps

    def gains(self, problem: RankingProblem) -> Numbers:
        """Return what the full model expects documents to be worth, (n,)."""
        return self.state.readings.gains(problem.full)


@dataclass
class Exits(ABC, Parameters):
    """Base class of ways to quit; a subclass defines the number and its thresholds.

    Parameters
    ----------
    every : int, default=8
        Steps that one decision covers, at least 8: a look at all documents of a query takes as
        long as some trees.
    growth : float, default=0.2
        Distance of check points as a share of their step; 1 for few of them.

    Attributes
    ----------
    settings : ndarray of shape (n_settings,) or (n_settings, 2)
        What `thresholds` takes, from careful to cheap; or pairs in any order.

    Examples
    --------
    >>> from mddag.ranking import Exits, UrgencyExits
    >>> isinstance(UrgencyExits(every=16), Exits)
    True
    """

    every: int = LEAST_EVERY
    growth: float = GROWTH
    settings: ClassVar[Numbers]

    def __post_init__(self) -> None:
        check_whole("every", self.every, LEAST_EVERY)

    @abstractmethod
    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        """Return the state that has the number.

        Parameters
        ----------
        readings : Readings
            Readings of documents.
        metric : GainMetric
            Metric of their order.

        Returns
        -------
        QueryState
            The state, on any grid.
        """

    @abstractmethod
    def thresholds(self, readings: Readings, setting: Setting) -> Numbers:
        """Return the thresholds of the number at all check points but the last.

        Parameters
        ----------
        readings : Readings
            Readings of documents, with the check points.
        setting : float or tuple of float
            One of `settings`.

        Returns
        -------
        ndarray of shape (C - 1,)
            Documents quit where their number is no larger.
        """

    def fit(
        self, problem: RankingProblem, *, more: RankingProblem | None = None, odds: bool = True
    ) -> ExitFamily:
        """Fit order and readings to documents.

        Parameters
        ----------
        problem : RankingProblem
            Documents, with labels or without.
        more : RankingProblem, optional
            Further queries for both, such as those that the model was trained on; their labels
            are not used, since a model is too sure of them.
        odds : bool, default=True
            Whether, without labels, scores are log-odds, as those of a ranker; otherwise they are
            estimates of labels.

        Returns
        -------
        ExitFamily
            Policies, one for each setting.
        """
        whole = problem if more is None else problem.joined(more)
        order = top_order(whole)
        checks = check_points(problem.n_steps, self.every, self.growth)
        blocks = block_sums(whole, order, checks)
        readings = fitted_readings(whole, blocks, checks, gain_curve(problem, odds))
        return family_of(self, readings, order, problem.metric)


def family_of(
    exits: Exits, readings: Readings, order: NDArray[np.intp], metric: GainMetric
) -> ExitFamily:
    """Return the policies over readings that are fitted."""
    thresholds = partial(exits.thresholds, readings)
    return ExitFamily(exits.state(readings, metric), order, exits.every, thresholds)


@dataclass
class UrgencyExits(Exits):
    """Let a document quit where its urgency is at most price x steps to the next check point.

    The urgency is what the document may still move in the metric of its query. A setting is the
    price of a step.

    Parameters
    ----------
    every : int, default=8
        Steps that one decision covers, at least 8.
    growth : float, default=0.2
        Distance of check points as a share of their step; 1 for few of them.

    Examples
    --------
    >>> from mddag.ranking import UrgencyExits
    >>> UrgencyExits(every=16)
    UrgencyExits(every=16, growth=0.2)
    """

    settings = np.geomspace(1e-7, 3e-2, 56)

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return Urgency(NO_CELLS, readings, metric)

    def thresholds(self, readings: Readings, setting: Setting) -> Numbers:
        return float(setting) * np.diff(readings.checks).astype(float)


def pairs(numbers: Numbers) -> Numbers:
    """Return each number with each of ENDS, (n, 2)."""
    return np.array([(number, end) for number in numbers for end in ENDS])


@dataclass
class ProximityExits(Exits):
    """Let a document quit where the k-th best reading of its query is some spreads better.

    These are the exits by proximity of Cambazoglu et al. (2010). A setting is the number of
    spreads, and the share of steps after which all documents quit.

    Parameters
    ----------
    every : int, default=8
        Steps that one decision covers, at least 8.
    growth : float, default=0.2
        Distance of check points as a share of their step; 1 for few of them.
    k : int, default=10
        Place that a document must stay near to.

    Examples
    --------
    >>> from mddag.ranking import ProximityExits
    >>> ProximityExits(k=20)
    ProximityExits(every=8, growth=0.2, k=20)
    """

    k: int = 10
    settings = pairs(np.geomspace(6.0, 0.02, 14))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("k", self.k, 1)

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return Gap(NO_CELLS, readings, self.k)

    def thresholds(self, readings: Readings, setting: Setting) -> Numbers:
        spreads, end = setting
        return ended(readings, -spreads * typical_spreads(readings), end)


def ended(readings: Readings, thresholds: Numbers, end: float) -> Numbers:
    """Return the thresholds, infinite from the share `end` of the steps on: all quit there."""
    return np.where(readings.checks[:-1] >= end * readings.n_steps, np.inf, thresholds)


def typical_spreads(readings: Readings) -> Numbers:
    """Return the root mean square of the spreads at all check points but the last, (C - 1,)."""
    squares: Numbers = np.mean(readings.spread[:-1] ** 2, axis=1)
    return np.sqrt(squares)
