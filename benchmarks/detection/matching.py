"""Found boxes against true ones: hits, false boxes, FROC curve and average precision.

Boxes of a picture are taken by falling score; each is a hit if it overlaps a true box that is still
free by 0.3 or more (intersection over union), and takes the one that it overlaps most. All others
are false, second hits of the same face included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

OVERLAP = 0.3


@dataclass(frozen=True, eq=False)
class Curve:
    """All found boxes by falling score: scores (m,), is_hit (m,); n_true boxes were to be found."""

    scores: np.ndarray
    is_hit: np.ndarray
    n_true: int

    @property
    def hits(self) -> np.ndarray:
        """Hits among the first 1, 2, … boxes."""
        return np.cumsum(self.is_hit)

    @property
    def false(self) -> np.ndarray:
        return np.cumsum(~self.is_hit)

    @property
    def average_precision(self) -> float:
        """The area under precision over recall, precision made falling."""
        if not len(self.scores):
            return 0.0
        precision = self.hits / np.arange(1, len(self.scores) + 1)
        falling = np.maximum.accumulate(precision[::-1])[::-1]
        return float((falling * self.is_hit).sum() / self.n_true)

    def at(self, cut: float) -> tuple[int, int]:
        """Hits and false boxes with scores of at least the cut."""
        above = self.is_hit[self.scores >= cut]
        return int(above.sum()), int((~above).sum())

    def hits_with(self, n_false: int) -> int:
        """Hits before there are more than so many false boxes."""
        allowed = self.hits[self.false <= n_false]
        return int(allowed[-1]) if len(allowed) else 0


def curve(found: list[tuple[np.ndarray, np.ndarray]], true: list[np.ndarray]) -> Curve:
    """found : boxes (m, 4) and scores (m,) of each picture; true : boxes of each picture"""
    scores, is_hit = [np.empty(0)], [np.empty(0, bool)]
    for (boxes, of_boxes), faces in zip(found, true, strict=True):
        order = np.argsort(-np.asarray(of_boxes), kind="stable")
        scores.append(np.asarray(of_boxes)[order])
        is_hit.append(matched(np.asarray(boxes).reshape(-1, 4)[order], faces))
    all_scores, all_hits = np.concatenate(scores), np.concatenate(is_hit)
    order = np.argsort(-all_scores, kind="stable")
    return Curve(all_scores[order], all_hits[order], sum(map(len, true)))


def matched(boxes: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Which of the boxes, by falling score, are hits: bool (m,)."""
    free, hit = np.ones(len(faces), bool), np.zeros(len(boxes), bool)
    for i, box in enumerate(boxes):
        shared = np.where(free, overlaps(box, faces), 0.0)
        if len(shared) and shared.max() >= OVERLAP:
            free[shared.argmax()] = False
            hit[i] = True
    return hit


def overlaps(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Intersection over union with each of the others."""
    sides = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    shared = np.prod(np.maximum(sides, 0), axis=1)
    areas = np.prod(others[:, 2:] - others[:, :2], axis=1)
    return shared / (np.prod(box[2:] - box[:2]) + areas - shared)
