"""Say what a DAG did with one row, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mddag._utils.output import plain
from mddag.inspection.explanation.rules import Change, number, one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Label = bool | int | float | str


@dataclass(frozen=True)
class Segment:
    """Scores with one action: low < s <= high."""

    low: float
    high: float
    action: str


@dataclass(frozen=True)
class ExitReason:
    """Where a row stopped, and why."""

    reason: str  # "quit", or "end" if no decision is left
    step: int  # of the policy, from 0
    reads: str  # what the decision looks at: "score", "margin" or "state"
    value: float | None  # the score or margin there; None for other states
    segments: tuple[Segment, ...] = ()  # the actions by value at this decision
    segment: Segment | None = None  # the one among them that the row is in
    verdict: Label | None = None  # the class by the policy; None where the scores decide


@dataclass(frozen=True)
class TreeRule:
    """The leaf of one tree: its conditions in words, and its votes (K,)."""

    rule: str
    votes: tuple[float, ...]


@dataclass(frozen=True)
class Step:
    """One evaluation."""

    step: int  # of the policy, from 0
    classifier: int  # its position in the source ensemble, from 0
    name: str  # in texts and plots, which count from 1: h_1 is the first
    rules: tuple[TreeRule, ...]  # one for each of its trees; none for a callable
    votes: tuple[float, ...]  # what it added to the scores, (K,)
    scores: tuple[float, ...]  # after it, (K,)


@dataclass(frozen=True)
class Explanation:
    """What a model does with one row, and why.

    ``model.explain(x)`` makes one; printing it shows the text.

    Parameters
    ----------
    kind : {"classifier", "regressor", "ranker"}
        The kind of model.
    prediction : label or float
        What ``predict`` gives.
    classes : tuple or None
        The labels; None if there are none.
    probabilities : tuple of float or None
        Those of the classes, in their order; None if there are none.
    start : tuple of float
        The scores before the first step, (K,).
    scores : tuple of float
        The final scores, (K,).
    steps : tuple of Step
        The evaluations in their order.
    skipped : tuple of int
        Base classifiers that the policy skipped, in its order.
    not_reached : tuple of int
        Base classifiers after the exit, in the policy's order.
    exit : ExitReason
        Why the row stopped.
    inputs : dict of str to value
        The features that evaluated rules read.
    changes : tuple of Change
        What would change the prediction, one feature at a time: its ``feature``, ``name`` and
        ``value``, the value ``to`` go to in words, the number ``tried``, how ``far`` it is in
        thresholds (0 to 1), and the new ``prediction``.
    n_tried : int
        How many changes were tried.
    missing_score : float or None
        By how much the score (multiclass: margin) would have to differ for another label; None for
        numbers, and where a verdict decided.

    Examples
    --------
    >>> import mddag
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> X, y = make_classification(2000, random_state=0)
    >>> full = GradientBoostingClassifier(random_state=0).fit(X[:1000], y[:1000])
    >>> fast = mddag.sparsify(full, X[1000:], y[1000:], budget=10)
    >>> one = fast.explain(X[0])
    >>> bool(one.prediction == fast.predict(X[:1])[0])
    True
    >>> print(one)
    classifier: predicts ...
    """

    kind: str
    prediction: Label
    classes: tuple[Label, ...] | None
    probabilities: tuple[float, ...] | None
    start: tuple[float, ...]
    scores: tuple[float, ...]
    steps: tuple[Step, ...]
    skipped: tuple[int, ...]
    not_reached: tuple[int, ...]
    exit: ExitReason
    inputs: dict[str, Any]
    changes: tuple[Change, ...]
    n_tried: int
    missing_score: float | None

    @property
    def n_evaluated(self) -> int:
        """The number of base classifiers that were evaluated."""
        return len(self.steps)

    @property
    def n_classifiers(self) -> int:
        """The number of base classifiers in the ensemble."""
        return len(self.steps) + len(self.skipped) + len(self.not_reached)

    @property
    def top_two(self) -> tuple[int, int] | None:
        """The positions of the two best scores, the best first; None for one score."""
        if len(self.scores) == 1:
            return None
        second, first = np.argsort(self.scores, kind="stable")[::-1][:2][::-1].tolist()
        return first, second

    def effect(self, votes: tuple[float, ...]) -> float:
        """Return what votes add to the score, or to the margin between the two best classes.

        Parameters
        ----------
        votes : tuple of float
            Votes (or scores) for each class, (K,).

        Returns
        -------
        float
            For one score, the vote itself.
        """
        if self.top_two is None:
            return votes[0]
        first, second = self.top_two
        return votes[first] - votes[second]

    def __str__(self) -> str:
        return in_words(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dicts, lists, strings and numbers, ready for JSON.

        Returns
        -------
        dict
            By the names of the attributes; infinite numbers are strings.
        """
        everything: dict[str, Any] = plain(asdict(self))
        return everything

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the score after each step.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        matplotlib Axes
            What was drawn into.
        """
        from mddag.inspection.plotting.paths import draw_explanation

        return draw_explanation(self, ax)


ONE_BY_ONE = 10  # steps that have a line of their own
WIDTH = 72  # of a rule
MOST_CHANGES = 4
MOST_PROBABILITIES = 4


def in_words(one: Explanation) -> str:
    """Return the whole text."""
    lines = [headline(one), evaluated(one), "", f"  {'step':>9}  {'adds':>9} {reads(one):>9}"]
    lines.append(f"  {'start':>9}  {'':>9} {one.effect(one.start):>9.4g}")
    lines += list(_step_lines(one))
    lines += ["", f"It stopped {why(one.exit)}"]
    lines += ["", *what_would_change(one)]
    return "\n".join(lines)


def headline(one: Explanation) -> str:
    """Say what is predicted, and how sure that is."""
    if one.classes is None:
        return f"{one.kind}: predicts {one.prediction:.6g} (score {one.scores[0]:.6g})"
    text = f"{one.kind}: predicts {one_line(one.prediction)}"
    if one.probabilities is not None:
        order = np.argsort(one.probabilities, kind="stable")[::-1][:MOST_PROBABILITIES]
        shares = [f"{one_line(one.classes[k])} {one.probabilities[k]:.3f}" for k in order]
        more = ", …" if len(one.classes) > MOST_PROBABILITIES else ""
        text += f" (probabilities: {', '.join(shares)}{more})"
    return text


def name_of(classifier: int) -> str:
    """Name a base classifier; texts count from 1, as the paper does, and arrays from 0."""
    return f"h_{classifier + 1}"


def levels_by_step(one: Explanation) -> tuple[list[int], list[float]]:
    """Return the steps that were evaluated, from 1, and the score after each; 0 is the start."""
    sums = [one.start, *(step.scores for step in one.steps)]
    return [0, *(step.step + 1 for step in one.steps)], [one.effect(scores) for scores in sums]


def evaluated(one: Explanation) -> str:
    """Say how many base classifiers were evaluated, skipped and not reached."""
    return (
        f"{one.n_evaluated} of {one.n_classifiers} base classifiers evaluated, "
        f"{len(one.skipped)} skipped, {len(one.not_reached)} not reached"
    )


def reads(one: Explanation) -> str:
    """Name the last column of the steps."""
    return "score" if one.top_two is None else "margin"


def shown_steps(one: Explanation, most: int = ONE_BY_ONE) -> list[list[Step]]:
    """Split the path: steps with a large effect alone, those between them together."""
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
    """Return the rule of a step: of several trees that with the largest effect."""
    if not step.rules:
        return ""
    rule = max(step.rules, key=lambda r: abs(one.effect(r.votes)))
    votes = np.flatnonzero(rule.votes)
    to = ""
    if one.classes is not None and len(rule.votes) > 1 and len(votes) == 1:
        to = f" for {one_line(one.classes[votes[0]])}"
    more = f" (and {len(step.rules) - 1} more trees)" if len(step.rules) > 1 else ""
    return f"{shortened(rule.rule)}{to}{more}"


def shortened(text: str, width: int = WIDTH) -> str:
    """Return the text, or its beginning with the number of conditions left out."""
    if len(text) <= width:
        return text
    head, *parts = text.split(" and ")
    while parts and len(head) + len(" and ") + len(parts[0]) < width - 14:
        head += f" and {parts.pop(0)}"
    head = head if len(head) <= width else f"{head[: width - 1]}…"
    return f"{head} and {len(parts)} more" if parts else head


def why(end: ExitReason) -> str:
    """Say why the row stopped, as the rest of a sentence."""
    verdict = "" if end.verdict is None else f" Its verdict there is {one_line(end.verdict)}."
    if end.reason == "end":
        return f"at the end: all {end.step} steps were decided on.{verdict}"
    where, segment = f"at step {end.step + 1}, where the policy quits", end.segment
    if segment is None or end.value is None:
        return f"{where} in its state.{verdict}"
    low, high = (number(bound, end.value) for bound in (segment.low, segment.high))
    span = f"if the {end.reads} is between {low} and {high}"
    if len(end.segments) == 1:
        span = f"whatever the {end.reads}"
    elif np.isinf(segment.high):
        span = f"if the {end.reads} is above {low}"
    elif np.isinf(segment.low):
        span = f"if the {end.reads} is at or below {high}"
    return f"{where} {span}; it was {end.value:.4g}.{verdict}"


def what_would_change(one: Explanation) -> list[str]:
    """List the changes, and the score that was missing."""
    label = one.classes is not None
    lines = ["What would change the class:" if label else "What would change the number most:"]
    if one.missing_score is not None:
        what = "score"
        if one.top_two is not None:
            second = one.top_two[1]
            what = f"margin over {one_line(one.classes[second] if one.classes else second)}"
        lines.append(f"  a {what} other by {one.missing_score:.4g}")
    for change in one.changes[:MOST_CHANGES]:
        now = "missing" if change.value is None else _written(change.value)
        new = _written(change.prediction)
        lines.append(f"  {change.name} {change.to} instead of {now}: {new}")
    if not one.changes:
        lines.append(f"  no change of one feature alone, of {one.n_tried} that were tried")
    return lines


def _written(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else one_line(value)


def _step_lines(one: Explanation) -> Iterator[str]:
    next_step = 0
    for piece in shown_steps(one):
        first, last = piece[0], piece[-1]
        effect = sum(one.effect(step.votes) for step in piece)
        n_skipped = last.step + 1 - next_step - len(piece)
        next_step = last.step + 1
        at, what = f"{first.step + 1}", first.name
        if len(piece) > 1:
            at, what = f"{at}-{next_step}", f"{len(piece)} base classifiers together"
        elif rule := step_rule(one, first):
            what = f"{what}: {rule}"
        before = " before" if len(piece) == 1 else ""
        skips = f" ({n_skipped} skipped{before})" if n_skipped else ""
        yield f"  {at:>9}  {effect:>+9.4g} {one.effect(last.scores):>9.4g}  {what}{skips}"
