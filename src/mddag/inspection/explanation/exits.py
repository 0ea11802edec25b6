"""Why a row stops: the action of its cell, and the scores at which the policy does the same.

A decision has one action per cell. Neighbouring cells with one action make a segment:

    low < score <= high : action

With several classes the number that is read is the margin of the first class over the second, in
the cells of the first class. States that read anything else have no segments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.dag.program import Program
from mddag.inspection.explanation.walk import Walked
from mddag.mdp.policy import ACTIONS, Policy
from mddag.mdp.stages import Stages
from mddag.mdp.state import Score


@dataclass(frozen=True)
class Segment:
    """Scores with one action: low < s <= high."""

    low: float
    high: float
    action: str

    def to_dict(self) -> dict[str, Any]:
        """With None for the infinite."""
        low, high = (None if np.isinf(b) else b for b in (self.low, self.high))
        return {"above": low, "up_to": high, "action": self.action}


@dataclass(frozen=True)
class Exit:
    """Where a row stopped.

    reason   : "quit", or "end": no decision is left
    step     : of the policy, at which it stopped
    reads    : what the decision looks at: "score", "margin", or "state"
    value    : of that, None for other states
    segments : the actions by value at this decision
    at       : the place of the row's own segment among them, by its cell
    verdict  : the class by the policy's verdict; None where the scores decide
    """

    reason: str
    step: int
    reads: str
    value: float | None
    segments: tuple[Segment, ...]
    at: int = 0
    verdict: Any = None

    @property
    def segment(self) -> Segment | None:
        """The one that the row is in."""
        return self.segments[self.at] if self.segments else None

    def to_dict(self) -> dict[str, Any]:
        segments = [segment.to_dict() for segment in self.segments]
        own = None if self.segment is None else self.segment.to_dict()
        return {
            "reason": self.reason,
            "step": self.step,
            "reads": self.reads,
            "value": self.value,
            "segment": own,
            "segments": segments,
            "verdict": self.verdict,
        }


def exit_of(program: Program, walked: Walked) -> Exit:
    """Why a walk ended."""
    policy, d = program.policy, walked.decision
    ended = d == len(policy.actions)
    verdict = None
    if policy.verdict is not None and (code := int(policy.verdict[d, walked.cell])) >= 0:
        classes = program.ensemble.classes
        verdict = code if classes is None else classes.tolist()[code]
    reads, value = _read(policy, walked)
    segments: tuple[Segment, ...] = ()
    at = 0
    if not ended and value is not None:
        segments, at = segments_of(policy, d, walked.cell)
    step = min(d * policy.every, policy.n_steps)
    return Exit("end" if ended else "quit", step, reads, value, segments, at, verdict)


def segments_of(policy: Policy, decision: int, cell: int) -> tuple[tuple[Segment, ...], int]:
    """The actions of a decision by score, or by the margin of the class that the cell is of; and
    the place of the segment that the cell is in."""
    edges = policy.grid.edges
    top, place = divmod(cell, len(edges) + 1)
    actions = policy.actions[decision].reshape(-1, len(edges) + 1)[top]
    return merged(actions, edges), int(np.count_nonzero(np.diff(actions[: place + 1])))


def merged(actions: NDArray[np.uint8], edges: NDArray[np.float64]) -> tuple[Segment, ...]:
    """Neighbouring cells with one action together; actions (n_edges + 1,)."""
    at = np.flatnonzero(np.diff(actions))
    bounds = [-np.inf, *edges[at].tolist(), np.inf]
    named = [ACTIONS[actions[i]] for i in [*at, len(actions) - 1]]
    spans = zip(bounds[:-1], bounds[1:], named, strict=True)
    return tuple(Segment(low, high, action) for low, high, action in spans)


def _read(policy: Policy, walked: Walked) -> tuple[str, float | None]:
    if not isinstance(policy.state, (Score, Stages)):
        return "state", None
    if len(walked.read) == 1:
        return "score", float(walked.read[0])
    second, first = np.sort(walked.read)[-2:]
    return "margin", float(first - second)
