"""How long a call takes: once, turn by turn with others, or often enough to be seen.

Workers of other environments read this file, too: it imports numpy alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Clock = Callable[[], float]


def seconds(call: Callable[[], object], clock: Clock = time.perf_counter) -> float:
    """The seconds of one call."""
    began = clock()
    call()
    return clock() - began


def wall_and_processor(call: Callable[[], object]) -> tuple[float, float]:
    """The wall-clock and the processor seconds of one call."""
    began = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - began[0], time.process_time() - began[1]


def turns(
    calls: Sequence[Callable[[], object]], n_repeats: int, clock: Clock = time.perf_counter
) -> np.ndarray:
    """Seconds (n_repeats, n_calls): each call once per repeat, so that a busy moment hits all."""
    return np.array([[seconds(call, clock) for call in calls] for _ in range(n_repeats)])


def mean_seconds(at_least: float, call: Callable[..., object], *arguments: Any) -> float:
    """The mean of as many calls as fill `at_least` seconds, one at least."""
    n_calls, began = 0, time.perf_counter()
    while (taken := time.perf_counter() - began) < at_least or n_calls == 0:
        call(*arguments)
        n_calls += 1
    return taken / n_calls
