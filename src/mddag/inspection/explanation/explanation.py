"""Explanation: what a DAG did with one row, and why.

``str`` is plain text, ``to_dict`` is ready for JSON and leaves nothing out, ``plot`` draws the
score after each step. In the text of a long path the steps that moved the score the most have a
line each, and each run of steps between them shares one, so it has about forty lines at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mddag.inspection.explanation.rules import Change, number, one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mddag.inspection.plotting.paths import ExplanationDisplay


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
        from mddag.inspection.plotting.paths import ExplanationDisplay

        return ExplanationDisplay.from_explanation(self, ax=ax)


def _finite(value: Any) -> Any:
    """The same without infinite numbers, which JSON does not have."""
    if isinstance(value, dict):
        return {str(key): _finite(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_finite(entry) for entry in value]
    return value if not isinstance(value, float) or np.isfinite(value) else str(value)


ONE_BY_ONE = 10  # steps that have a line of their own
WIDTH = 72  # of a rule
MOST_CHANGES = 4
MOST_PROBABILITIES = 4


def in_words(one: Explanation) -> str:
    """The whole text."""
    lines = [headline(one), evaluated(one), "", f"  {'step':>9}  {'adds':>9} {reads(one):>9}"]
    lines.append(f"  {'start':>9}  {'':>9} {level(one, one.start):>9.4g}")
    lines += list(_step_lines(one))
    lines += ["", f"It stopped {why(one.exit)}"]
    lines += ["", *what_would_change(one)]
    return "\n".join(lines)


def headline(one: Explanation) -> str:
    """What is predicted, and how sure that is."""
    if one.classes is None:
        return f"{one.kind}: predicts {one.prediction:.6g} (score {one.scores[0]:.6g})"
    text = f"{one.kind}: predicts {one_line(one.prediction)}"
    if one.probabilities is not None:
        order = np.argsort(one.probabilities, kind="stable")[::-1][:MOST_PROBABILITIES]
        shares = [f"{one_line(one.classes[k])} {one.probabilities[k]:.3f}" for k in order]
        more = ", …" if len(one.classes) > MOST_PROBABILITIES else ""
        text += f" (probabilities: {', '.join(shares)}{more})"
    return text


def evaluated(one: Explanation) -> str:
    """How many base classifiers were evaluated, skipped, not reached."""
    return (
        f"{one.n_evaluated} of {one.n_classifiers} base classifiers evaluated, "
        f"{len(one.skipped)} skipped, {len(one.not_reached)} not reached"
    )


def reads(one: Explanation) -> str:
    """What the last column of the steps is called."""
    return "score" if one.rivals is None else "margin"


def level(one: Explanation, scores: tuple[float, ...]) -> float:
    """The score, or the margin between the two best classes."""
    return one.effect(scores)


def shown_steps(one: Explanation, most: int = ONE_BY_ONE) -> list[list[Step]]:
    """The path in pieces: steps with a large effect alone, the others between them together."""
    sizes = [abs(one.effect(step.votes)) for step in one.steps]
    alone = set(np.argsort(sizes, kind="stable")[::-1][:most].tolist())
    if len(one.steps) <= most + 3:
        alone = set(range(len(one.steps)))
    pieces: list[list[Step]] = []
    for k, step in enumerate(one.steps):
        if k in alone or not pieces or k - 1 in alone:
            pieces.append([])
        pieces[-1].append(step)
    return pieces


def step_rule(one: Explanation, step: Step) -> str:
    """The rule of a step: of several trees that with the largest effect."""
    if not step.rules:
        return ""
    rule = max(step.rules, key=lambda r: abs(one.effect(r.votes)))
    votes = np.flatnonzero(rule.votes)
    to = ""
    if one.classes is not None and len(rule.votes) > 1 and len(votes) == 1:
        to = f" for {one_line(one.classes[votes[0]])}"
    more = f" (and {len(step.rules) - 1} more trees)" if len(step.rules) > 1 else ""
    return f"{shortened(rule.text)}{to}{more}"


def shortened(text: str, width: int = WIDTH) -> str:
    """The text, or its beginning with the number of conditions that were left out."""
    if len(text) <= width:
        return text
    parts = text.split(" and ")
    kept = 1
    while kept < len(parts) and len(" and ".join(parts[: kept + 1])) < width - 14:
        kept += 1
    head, left = " and ".join(parts[:kept]), len(parts) - kept
    head = head if len(head) <= width else f"{head[: width - 1]}…"
    return f"{head} and {left} more" if left else head


def why(end: Exit) -> str:
    """Why the row stopped, as the rest of a sentence."""
    said = "" if end.verdict is None else f" Its verdict there is {one_line(end.verdict)}."
    if end.reason == "end":
        return f"at the end: all {end.step} steps were decided on.{said}"
    segment = end.segment
    if segment is None or end.value is None:
        return f"at step {end.step}, where the policy quits in its state.{said}"
    where = f"at step {end.step}, where the policy quits"
    if len(end.segments) == 1:
        return f"{where} whatever the {end.reads}; it was {end.value:.4g}.{said}"
    low, high = (number(bound, end.value) for bound in (segment.low, segment.high))
    if np.isinf(segment.high):
        span = f"above {low}"
    else:
        span = f"at or below {high}" if np.isinf(segment.low) else f"between {low} and {high}"
    return f"{where} if the {end.reads} is {span}; it was {end.value:.4g}.{said}"


def what_would_change(one: Explanation) -> list[str]:
    """The changes, and the score that was missing."""
    label = one.classes is not None
    lines = ["What would change the class:" if label else "What would change the number most:"]
    if one.missing_score is not None:
        what = "score" if one.rivals is None else f"margin over {_second(one)}"
        lines.append(f"  a {what} other by {one.missing_score:.4g}")
    for change in one.changes[:MOST_CHANGES]:
        now = "missing" if change.value is None else _written(change.value)
        new = _written(change.prediction)
        lines.append(f"  {change.name} {change.to} instead of {now}: {new}")
    if not one.changes:
        lines.append(f"  no change of one feature alone, of {one.n_tried} that were tried")
    return lines


def _second(one: Explanation) -> str:
    assert one.rivals is not None
    return one_line(one.classes[one.rivals[1]] if one.classes else one.rivals[1])


def _written(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else one_line(value)


def _step_lines(one: Explanation) -> Iterator[str]:
    for piece in shown_steps(one):
        first, last = piece[0], piece[-1]
        effect = sum(one.effect(step.votes) for step in piece)
        at = f"{first.step}" if len(piece) == 1 else f"{first.step}-{last.step}"
        what = f"{len(piece)} base classifiers together"
        if len(piece) == 1:
            rule = step_rule(one, first)
            what = f"{first.name}: {rule}" if rule else first.name
        n_skipped = sum(len(step.skipped) for step in piece)
        before = " before" if len(piece) == 1 else ""
        skips = f" ({n_skipped} skipped{before})" if n_skipped else ""
        yield f"  {at:>9}  {effect:>+9.4g} {level(one, last.scores):>9.4g}  {what}{skips}"
