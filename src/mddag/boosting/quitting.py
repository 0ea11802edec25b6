"""Quitting: rows that would have quit by now lose weight, and later rounds serve the others.

Where a margin rule will stop most rows early, later base classifiers are evaluated on the others
alone. So, every few rounds, with m the margin of f on rows that are held out and p what a full
model says of them, rows quit above the smallest threshold t at which

    mean over held-out rows of  [ m >= t ] (p_best - p_winner)  <=  max_loss,

and training rows with such a margin keep a part of their weight in what the learner sees and in
alpha. The weights of AdaBoost.MH itself go on beneath: a row that falls below the threshold has its
own again. Whether it pays must be asked of rows held out: it does on some data, elsewhere it harms
(docs/research/train.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import as_floats, check_between, check_fraction, check_whole
from mddag._internal.parameters import Parameters
from mddag.boosting.rounds import Boosted, weights_of
from mddag.boosting.training_set import TrainingSet
from mddag.ensemble.nodes import Nodes
from mddag.ensemble.partial_sums import top_and_margin
from mddag.features.patches import PatchFeatures
from mddag.features.rows import Patches, Rows

Vector = NDArray[np.float64]


@dataclass
class Quitting(Parameters):
    """When rows quit, and what they count for then.

    X             : rows (m, d) that are not boosted on
    probabilities : (m, n_classes), those that a full model gives them, calibrated
    weight        : part of their weight that rows keep which have quit, above 0 and below 1
    every         : rounds between two looks at the margins
    max_loss      : accuracy that quitting may cost, by these probabilities
    """

    X: Any = field(repr=False)
    probabilities: Any = field(repr=False)
    weight: float = 0.05
    every: int = 3
    max_loss: float = 0.003

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        check_fraction("weight of Quitting", self.weight, zero=False)
        check_whole("every of Quitting", self.every, 1)
        check_between("max_loss of Quitting", self.max_loss, 0, 1, "a share of the rows")


class Quitters:
    """The rows that have quit, as of the last look.

    held    : the rows that say when, of any labels
    teacher : float64 (m, n_classes)
    scores  : float64 (m, K), of the rounds so far
    quit    : bool (n,), of the rows under boosting
    """

    def __init__(self, quitting: Quitting, rows: TrainingSet, n_threads: int) -> None:
        self.settings, self.n_threads = quitting, n_threads
        n_classes, features = len(rows.classes), rows.features
        given: Rows | Patches
        if isinstance(features, PatchFeatures):
            given = features.patches(quitting.X)
        else:
            given = features.rows(quitting.X)
        wanted = f"one for each row of its X and class, ({len(given)}, {n_classes})"
        self.teacher = as_floats("probabilities of Quitting", quitting.probabilities, wanted)
        if self.teacher.shape != (len(given), n_classes):
            raise ValueError(
                f"probabilities of Quitting have shape {self.teacher.shape}; wanted {wanted}"
            )
        labels, ones = np.zeros(len(given), np.intp), np.ones(len(given))
        self.held = replace(rows, rows=given, labels=labels, weight=ones).in_c_order()
        self.scores = np.zeros((len(given), 1 if n_classes == 2 else n_classes))
        self.quit = np.zeros(len(rows), bool)
        self.n_rounds = 0

    def weigh(self, boosted: Boosted) -> None:
        """Before a round: those that have quit count for less."""
        if self.quit.any():
            weights = boosted.weights
            weights[self.quit] *= self.settings.weight
            weights /= weights.sum()

    def see(self, boosted: Boosted, nodes: Nodes) -> None:
        """After a round with votes ±alpha: the weights are as if none had quit, before a look."""
        if self.quit.any():  # the round has divided by the sum of other weights
            boosted.units[:] /= (boosted.mass[:, None] * boosted.units).sum()
            boosted.weights[:] = weights_of(boosted.mass, boosted.units)
        self.scores += nodes.votes[self.held.leaf_codes(nodes, self.n_threads)]
        self.n_rounds += 1
        if self.n_rounds % self.settings.every == 0:
            least = least_margin(self.scores, self.teacher, self.settings.max_loss)
            self.quit = winner_and_margin(boosted.scores)[1] >= least
            if self.quit.all():  # nothing would be left to serve
                self.quit = np.zeros_like(self.quit)


def least_margin(scores: Vector, teacher: Vector, max_loss: float) -> float:
    """The smallest margin above 0 with which rows may quit; infinite where none may."""
    winner, margin = winner_and_margin(scores)
    lost = teacher.max(axis=1) - np.take_along_axis(teacher, winner[:, None], axis=1)[:, 0]
    order = np.argsort(-margin, kind="stable")
    margin, lost = margin[order], np.cumsum(lost[order]) / len(order)
    is_last = np.append(margin[1:] < margin[:-1], True)  # those of one margin quit together
    fit = np.flatnonzero(is_last & (lost <= max_loss) & (margin > 0))
    return float(margin[fit[-1]]) if len(fit) else np.inf


def winner_and_margin(scores: Vector) -> tuple[NDArray[np.intp], Vector]:
    """The class that wins, and by how much, both (n,); scores (n, K), one for two classes."""
    if scores.shape[1] > 1:
        return top_and_margin(scores)
    return (scores[:, 0] > 0).astype(np.intp), np.abs(scores[:, 0])
