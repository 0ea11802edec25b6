"""WatkinsQ: Watkins' Q(lambda), which the authors' released program runs.

delta = r + max_a Q(s', a) - Q(s, a);   the trace is cut where a' is not greedy
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mddag.solvers.td.temporal_difference import TemporalDifference


@dataclass
class WatkinsQ(TemporalDifference):
    """Q(lambda): learns the value of the greedy policy while it explores; parameters as Sarsa."""

    off_policy: ClassVar[bool] = True
