"""An Explanation as plain text.

Of a long path the steps that moved the score the most are written one by one; the runs of steps
between them are one line each. So the text has about forty lines at most, however long the path.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from mddag.inspection.explanation.rules import number, one_line

if TYPE_CHECKING:  # which imports this file
    from mddag.inspection.explanation.exits import Exit
    from mddag.inspection.explanation.explanation import Explanation, Step

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
