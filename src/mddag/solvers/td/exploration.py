"""Exploration: epsilon_j(tau), the probability of a random action at step j of episode tau.

The paper prints 0.3 x 1/ceil(10000/tau), which would grow from 0; what is meant, and what the
released program does, is 0.3 / ceil(tau/10000) (docs/deviations.md, row 2). Any callable of
(episode, n_steps) will do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_between, check_whole
from mddag._internal.parameters import Parameters

__all__ = ["Exploration", "Flat", "Growing"]


def __dir__() -> list[str]:
    return __all__


class Exploration(Protocol):
    """Any callable of (episode, n_steps) that gives probabilities of a random action."""

    def __call__(self, episode: int, n_steps: int) -> NDArray[np.float64]:
        """epsilon_j of every step j in episode number `episode` (from 1), float64 (n_steps,).

        It is called every 1000 episodes; the result holds until the next call.
        """
        ...


@dataclass
class Flat(Parameters):
    """The paper's: the same epsilon at every step, start / ceil(tau / period)."""

    start: float = 0.3
    period: int = 10_000

    def __post_init__(self) -> None:
        _check(self.start, self.period)

    def __call__(self, episode: int, n_steps: int) -> NDArray[np.float64]:
        return np.full(n_steps, _falling(self.start, self.period, episode))


@dataclass
class Growing(Parameters):
    """Flat's epsilon times (j + 1) / N: a random QUIT seldom ends an episode in its first steps."""

    start: float = 0.3
    period: int = 10_000

    def __post_init__(self) -> None:
        _check(self.start, self.period)

    def __call__(self, episode: int, n_steps: int) -> NDArray[np.float64]:
        return _falling(self.start, self.period, episode) * np.arange(1, n_steps + 1) / n_steps


def _falling(start: float, period: int, episode: int) -> float:
    return start / -(-max(episode, 1) // period)


def _check(start: float, period: int) -> None:
    check_between("start", start, 0, 1, "a probability, 0 to 1")
    check_whole("period", period, 1)
