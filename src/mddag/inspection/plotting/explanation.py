"""ExplanationDisplay: the score of one instance behind each step, and what each step added.

Left: the score from the start to the exit, with the value that separates the classes; where the
policy quits at the last decision is shaded. Right: the steps with the largest effect, with their
rules. With several classes the number is the margin between the two best.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mddag._internal.checks import check_is
from mddag.inspection.explanation.explanation import Explanation
from mddag.inspection.explanation.rules import one_line
from mddag.inspection.explanation.text import headline, level, reads, shortened, step_rule
from mddag.inspection.plotting._axes import LABEL_SIZE, check_axes, pyplot
from mddag.inspection.plotting._palette import GREY, OKABE_ITO

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_BARS = 10
_RULE = 52  # letters
_UP, _DOWN = OKABE_ITO[0], OKABE_ITO[1]


class ExplanationDisplay:
    """A picture of an Explanation; made by `from_explanation`.

    Parameters
    ----------
    explanation : Explanation

    Attributes
    ----------
    axes_ : ndarray of the matplotlib axes: the scores, and the effects unless `ax` was one axes
    figure_ : the matplotlib figure
    """

    def __init__(self, explanation: Explanation) -> None:
        wanted = "an Explanation, such as model.explain(x) gives"
        check_is("explanation", explanation, Explanation, wanted)
        self.explanation = explanation

    @classmethod
    def from_explanation(
        cls, explanation: Explanation, *, ax: Axes | Sequence[Axes] | None = None
    ) -> ExplanationDisplay:
        """Draw an explanation."""
        return cls(explanation).plot(ax)

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> ExplanationDisplay:
        """Draw into `ax`, one or two axes, or into a new figure."""
        for axes in [] if ax is None else np.ravel(np.asarray(ax, object)):
            check_axes(axes)
        if ax is None:
            shape: dict[str, Any] = {"figsize": (12, 4), "width_ratios": (3, 2)}
            figure, ax = pyplot().subplots(1, 2, layout="constrained", **shape)
            figure.suptitle(_plain(headline(self.explanation)), fontsize=10)
        self.axes_ = np.atleast_1d(np.asarray(ax, object))
        if self.axes_.size not in (1, 2):
            raise ValueError(f"ax holds {self.axes_.size} axes; this picture has one or two")
        self.figure_ = self.axes_[0].figure
        self._draw_scores(self.axes_[0])
        if self.axes_.size == 2:
            self._draw_effects(self.axes_[1])
        return self

    def _draw_scores(self, ax: Axes) -> None:
        one = self.explanation
        sums = [one.start, *(step.scores for step in one.steps)]
        levels = [level(one, scores) for scores in sums]
        at = [0, *(step.step + 1 for step in one.steps)]
        marker = "o" if len(at) <= 40 else ""
        ax.plot(at, levels, f"{marker}-", color=_UP, ms=4, lw=1.2, drawstyle="steps-post", zorder=3)
        ax.plot(at[-1:], levels[-1:], "s", color=GREY, ms=7, zorder=4)
        if one.classes is not None:
            ax.axhline(0, color=_DOWN, lw=1, ls="--", zorder=1)
        self._shade_exit(ax, max(at[-1], 1))
        ax.set_xlabel("step of the policy")
        ax.set_ylabel(self._read())
        ax.spines[["right", "top"]].set_visible(False)
        ax.tick_params(labelsize=LABEL_SIZE)

    def _read(self) -> str:
        """What the left axis shows."""
        one = self.explanation
        if one.rivals is None:
            return reads(one)
        names = one.rivals if one.classes is None else [one.classes[k] for k in one.rivals]
        return _plain(f"margin of {one_line(names[0])} over {one_line(names[1])}")

    def _shade_exit(self, ax: Axes, last: int) -> None:
        """Where the policy quits at the decision that ended the path."""
        end = self.explanation.exit
        low, high = ax.get_ylim()
        room = 0.25 * (high - low)
        low, high = low - room, high + room
        for segment in end.segments:
            if segment.action != "quit":
                continue
            bottom, top = max(segment.low, low), min(segment.high, high)
            if bottom < top:
                x = [last - 0.02 * last - 0.1, last + 0.02 * last + 0.1]
                ax.fill_between(x, bottom, top, color=GREY, alpha=0.25, lw=0, zorder=0)
        ax.set_ylim(low, high)
        why = "at the square all steps were decided on"
        if end.reason == "quit":
            why = "at the square it quits, as at all grey scores" if end.segments else "it quits"
        ax.set_title(why, loc="right", fontsize=LABEL_SIZE, color=GREY)

    def _draw_effects(self, ax: Axes) -> None:
        one = self.explanation
        effects = np.array([one.effect(step.votes) for step in one.steps])
        shown = np.sort(np.argsort(np.abs(effects), kind="stable")[::-1][:_MOST_BARS])[::-1]
        colours = [_UP if effect > 0 else _DOWN for effect in effects[shown]]
        ax.barh(np.arange(len(shown)), effects[shown], color=colours, height=0.7)
        labels = []
        for k in shown:
            rule = shortened(step_rule(one, one.steps[k]).partition(" (and ")[0], _RULE)
            labels.append(_plain(f"{one.steps[k].name}: {rule}" if rule else one.steps[k].name))
        ax.set_yticks(np.arange(len(shown)), labels, fontsize=LABEL_SIZE)
        ax.yaxis.tick_right()
        ax.axvline(0, color="0.6", lw=0.6)
        ax.spines[["left", "top"]].set_visible(False)
        ax.tick_params(axis="x", labelsize=LABEL_SIZE)
        ax.locator_params(axis="x", nbins=5)
        left = len(effects) - len(shown)
        rest = effects.sum() - effects[shown].sum()
        others = f"; {left} smaller ones together {rest:+.3g}" if left else ""
        ax.set_xlabel(f"added to the {reads(one)}{others}", fontsize=LABEL_SIZE + 1)


def _plain(text: str) -> str:
    """Text without the marks that matplotlib would read as mathematics."""
    return text.replace("$", r"\$")
