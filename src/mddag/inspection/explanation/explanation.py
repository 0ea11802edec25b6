"""Explanation: what a DAG did with one row, and why.

``str`` is plain text of readable length, ``to_dict`` is ready for JSON and leaves nothing out,
``plot`` draws the score behind each step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mddag.inspection.explanation.changes import Change
from mddag.inspection.explanation.exits import Exit
from mddag.inspection.explanation.text import in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mddag.inspection.plotting.explanation import ExplanationDisplay


@dataclass(frozen=True)
class Rule:
    """The leaf of one tree: its conditions in words, and its votes (K,)."""

    text: str
    votes: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"rule": self.text, "votes": list(self.votes)}


@dataclass(frozen=True)
class Step:
    """One evaluation.

    step       : of the policy
    classifier : its number in the source ensemble
    name       : such as "h_7"
    rules      : one for each of its trees; none for a callable
    votes      : (K,), what it added to the scores
    scores     : (K,), the scores behind it
    skipped    : base classifiers that were skipped since the evaluation before
    """

    step: int
    classifier: int
    name: str
    rules: tuple[Rule, ...]
    votes: tuple[float, ...]
    scores: tuple[float, ...]
    skipped: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "step": self.step,
            "classifier": self.classifier,
            "name": self.name,
            "rules": [rule.to_dict() for rule in self.rules],
            "votes": list(self.votes),
            "scores": list(self.scores),
            "skipped": list(self.skipped),
        }


@dataclass(frozen=True)
class Explanation:
    """One row; made by ``model.explain(x)``.

    kind          : "classifier", "regressor" or "ranker"
    prediction    : the class or the number that ``predict`` gives
    classes       : the labels; None where there are none
    probabilities : of the classes, in their order; None where there are none
    start         : (K,), the scores before the first step
    scores        : (K,), the final scores
    steps         : the evaluations in their order
    skipped       : base classifiers that the policy skipped, in its order
    not_reached   : base classifiers behind the exit, in the policy's order
    exit          : why it stopped
    inputs        : name -> value of the features that evaluated rules read
    changes       : what would change the prediction; see ``Change``
    n_tried       : how many changes were tried
    missing_score : how much less score (classes: margin) would have changed the label; None for
                    numbers, and where a verdict decided
    """

    kind: str
    prediction: Any
    classes: tuple[Any, ...] | None
    probabilities: tuple[float, ...] | None
    start: tuple[float, ...]
    scores: tuple[float, ...]
    steps: tuple[Step, ...]
    skipped: tuple[int, ...]
    not_reached: tuple[int, ...]
    exit: Exit
    inputs: dict[str, Any]
    changes: tuple[Change, ...]
    n_tried: int
    missing_score: float | None

    @property
    def n_evaluated(self) -> int:
        return len(self.steps)

    @property
    def n_classifiers(self) -> int:
        """All of the ensemble."""
        return len(self.steps) + len(self.skipped) + len(self.not_reached)

    @property
    def rivals(self) -> tuple[int, int] | None:
        """The places of the two best scores, the best first; None for one score."""
        if len(self.scores) == 1:
            return None
        second, first = np.argsort(self.scores, kind="stable")[::-1][:2][::-1].tolist()
        return first, second

    def effect(self, votes: tuple[float, ...]) -> float:
        """What votes add to the score, or to the margin between the two best classes."""
        if self.rivals is None:
            return votes[0]
        first, second = self.rivals
        return votes[first] - votes[second]

    def __str__(self) -> str:
        return in_words(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as dicts, lists, strings and numbers; what is infinite is a string."""
        everything: dict[str, Any] = _finite(self._content())
        return everything

    def _content(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "prediction": self.prediction,
            "classes": None if self.classes is None else list(self.classes),
            "probabilities": None if self.probabilities is None else list(self.probabilities),
            "start": list(self.start),
            "scores": list(self.scores),
            "steps": [step.to_dict() for step in self.steps],
            "skipped": list(self.skipped),
            "not_reached": list(self.not_reached),
            "exit": self.exit.to_dict(),
            "inputs": dict(self.inputs),
            "changes": [change.to_dict() for change in self.changes],
            "n_tried": self.n_tried,
            "missing_score": self.missing_score,
        }

    def plot(self, ax: Axes | None = None) -> ExplanationDisplay:
        """Draw the scores behind each step into `ax`, or into a new figure."""
        from mddag.inspection.plotting.explanation import ExplanationDisplay

        return ExplanationDisplay.from_explanation(self, ax=ax)


def _finite(value: Any) -> Any:
    """The same without infinite numbers, which JSON does not have."""
    if isinstance(value, dict):
        return {str(key): _finite(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_finite(entry) for entry in value]
    return value if not isinstance(value, float) or np.isfinite(value) else str(value)
