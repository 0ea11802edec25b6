"""Set rows: what rows lose with the model of every set, as the members of ``acquire`` learn it.

    loss of row i in set s = 1 - p[i, class that the model of s predicts]

p is the opinion of the full model (its calibrated probabilities), or the mean of opinion and label:
an error that the full model makes as well then costs little, and a label that nobody could have
known counts half. Where the labels must agree with the full model's, p is 1 for those.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mddag.calibration.calibration import fit_factor, opinion, probabilities
from mddag.ensemble.partial_sums import top_and_margin
from mddag.ensemble.tasks.classification import winners
from mddag.solvers.acquisition.feature_sets import FeatureSets
from mddag.solvers.acquisition.set_sample import SetSample, folds_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SetRows:
    """Rows with their scores in every set.

    scores  : float64 (n, M, K)
    labels  : intp (n,), the true classes; None where they are not known
    sets    : the sets
    """

    sets: FeatureSets
    scores: Floats
    labels: NDArray[Any] | None

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def codes(self) -> NDArray[np.intp]:
        """The class that each model predicts, (n, M)."""
        return np.stack([winners(self.scores[:, s]) for s in range(len(self.sets))], axis=1)

    @property
    def values(self) -> Floats:
        """What models decide by, (n, M): the score, or the margin between the two best."""
        if self.scores.shape[2] == 1:
            return self.scores[:, :, 0]
        margins = [top_and_margin(self.scores[:, s])[1] for s in range(len(self.sets))]
        return np.stack(margins, axis=1)

    @property
    def full(self) -> NDArray[Any]:
        """What the full model says, (n,)."""
        return self.said(np.full(len(self), len(self.sets) - 1))

    @property
    def truth(self) -> NDArray[Any]:
        """The labels, or the full model's where there are none."""
        return self.full if self.labels is None else self.labels

    def said(self, last: NDArray[np.intp]) -> NDArray[Any]:
        """What rows get that quit in these sets (n,)."""
        return self.codes[np.arange(len(self)), last]

    def lost(self, said: NDArray[Any]) -> Floats:
        """The loss of these answers, (n,)."""
        return np.asarray(said != self.truth, np.float64)

    def changed(self, said: NDArray[Any]) -> Floats:
        """How far these answers are from the full model's, (n,)."""
        return np.asarray(said != self.full, np.float64)

    def rows(self, index: NDArray[np.intp]) -> Self:
        labels = None if self.labels is None else self.labels[index]
        return replace(self, scores=self.scores[index], labels=labels)

    def joined(self, more: Self) -> Self:
        """These rows and then more; both have labels, or neither."""
        labels = None
        if self.labels is not None and more.labels is not None:
            labels = np.concatenate([self.labels, more.labels])
        return replace(self, scores=np.concatenate([self.scores, more.scores]), labels=labels)

    def opinion(self) -> Floats:
        """The probabilities of the full model, (n, n_classes), calibrated where labels are."""
        full = self.scores[:, -1]
        return probabilities(full, 1.0) if self.labels is None else opinion(full, self.labels)

    def risks(self) -> Floats:
        """By how much each model errs, (M,): the log-loss of its calibrated probabilities."""
        p = self.opinion()
        told = p if self.labels is None else (p + np.eye(p.shape[1])[self.labels]) / 2
        return np.array([_log_loss(self.scores[:, s], told) for s in range(len(self.sets))])

    def losses(self, p: Floats) -> Floats:
        """1 - p of the predicted classes, (n, M)."""
        return 1.0 - np.take_along_axis(p, self.codes, axis=1)

    def shares(self, knob: str) -> dict[str, Floats]:
        """The p (n, n_classes) that members learn from, by name."""
        n_classes = max(self.scores.shape[2], 2)
        if knob == "max_disagreement":
            return {"full model": np.eye(n_classes)[self.codes[:, -1]]}
        p = self.opinion()
        if self.labels is None:
            return {"opinion": p}
        return {"mean": (p + np.eye(n_classes)[self.truth]) / 2, "opinion": p}

    def learned_from(self, knob: str) -> dict[str, Floats]:
        """The losses (n, M) that members learn from, by name."""
        return {name: self.losses(p) for name, p in self.shares(knob).items()}

    @property
    def around(self) -> float | None:
        """The value at which the answer changes, if there is one."""
        return 0.0 if self.scores.shape[2] == 1 else None

    def samples(self, knob: str, seed: int) -> dict[str, SetSample]:
        """What members learn from, by name; all are judged by the first."""
        losses, around = self.learned_from(knob), self.around
        judged, fold = next(iter(losses.values())), folds_of(len(self), seed)
        known: dict[str, Any] = {"fold": fold, "weight": np.ones(len(self)), "around": around}
        values = self.values
        return {
            name: SetSample(self.sets, values, lost, judged, **known)
            for name, lost in losses.items()
        }


def _log_loss(scores: Floats, told: Floats) -> float:
    p = probabilities(scores, fit_factor(scores, told))
    return float(-(told * np.log(np.maximum(p, 1e-12))).sum(axis=1).mean())
