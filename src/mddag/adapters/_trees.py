"""Trees of a foreign model on their way to an Ensemble: thresholds, flat arrays, the bias.

Some libraries test ``x < t``; some first round x to float32 or to zero. The first functions return
the largest double that still goes left, so that our one rule, ``x <= threshold``, decides every
float64 and every float32 x as the source does. ``TreeArrays`` also has the leaves' training
weights: the mean vote of a tree is its prior, which belongs into ``bias``, so that a row that skips
h_1 keeps it. treelite, which follows changes of other libraries' private formats, reads most trees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import NODE, Nodes, category_words
from mddag.ensemble.tasks import TASKS, Kind
from mddag.ensemble.votes import starts_of

# To the rounding of doubles, the float32 after the largest finite one is 2^128, not infinity.
_BEYOND = 2.0**128

NEARLY_ZERO = float(np.float32(1e-35))  # LightGBM's kZeroThreshold


def less_float32(t: ArrayLike) -> NDArray[np.float64]:
    """Return the thresholds of ``float32(x) < t``, t float32 (XGBoost)."""
    t = np.asarray(t, np.float32)
    if (t == -np.inf).any():
        raise ValueError("a split `x < -inf` sends nothing left; wanted thresholds above -inf")
    return _last_rounding_to(_before(t))


def at_most_float32(t: ArrayLike) -> NDArray[np.float64]:
    """Return the thresholds of ``float32(x) <= t``, t float64 (scikit-learn's trees, CatBoost)."""
    t = np.asarray(t, np.float64)
    with np.errstate(over="ignore"):  # a finite t may lie beyond float32
        nearest = t.astype(np.float32)
    return _last_rounding_to(np.where(nearest > t, _before(nearest), nearest))


def at_most_past_zero(t: ArrayLike) -> NDArray[np.float64]:
    """Return the thresholds of ``x <= t`` if x within 1e-35 of zero is read as zero (LightGBM)."""
    t = np.asarray(t, np.float64)
    below = _before(np.array(-NEARLY_ZERO))
    return np.where(np.abs(t) > NEARLY_ZERO, t, np.where(t < 0, below, NEARLY_ZERO))


def _last_rounding_to(value: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the largest double that rounds to the float32 `value` or to a smaller one.

    Doubles between two neighboring float32 go to the nearer; the midpoint, exact as a double, goes
    to the one whose last bit is even.
    """
    above = -_before(-value)
    middle = (_as_rounding_sees(value) + _as_rounding_sees(above)) / 2
    even = value.view(np.uint32) % 2 == 0
    last = np.where(even, middle, _before(middle))
    return np.where(value == np.inf, np.inf, last)


def _before(value: NDArray[Any]) -> NDArray[Any]:
    with np.errstate(over="ignore"):  # -inf comes before the smallest finite number
        return np.asarray(np.nextafter(value, value.dtype.type(-np.inf)))


def _as_rounding_sees(value: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.clip(value.astype(np.float64), -_BEYOND, _BEYOND)


@dataclass(frozen=True, eq=False)
class TreeArrays:
    """Trees laid out flat; the split rule is already ours."""

    starts: NDArray[np.int64]  # (n_trees + 1,), where the nodes of each tree begin
    feature: NDArray[np.integer]  # (n_nodes,), column, -1 at a leaf
    threshold: NDArray[np.float64]  # (n_nodes,), largest value that goes left
    left: NDArray[np.integer]  # (n_nodes,), children, counted from the root of their tree
    right: NDArray[np.integer]  # (n_nodes,), children, counted from the root of their tree
    missing_left: NDArray[np.bool_]  # (n_nodes,), whether NaN goes left
    # (n_leaves, width), votes of the leaves, in the order of their nodes
    votes: NDArray[np.float64]
    weight: NDArray[np.float64]  # (n_leaves,), weight of the training rows in each leaf
    # by node, the words of the category set that a nominal split sends left
    sets: dict[int, NDArray[np.uint32]]

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.starts) - 1

    @property
    def leaf_starts(self) -> NDArray[np.int64]:
        """Where the leaves of each tree begin among all leaves, (n_trees + 1,)."""
        return starts_of(self.feature < 0)[self.starts]

    def mean_votes(self) -> NDArray[np.float64]:
        """Return the weighted mean vote of each tree, (n_trees, width): its prior."""
        first = self.leaf_starts[:-1]
        total = np.add.reduceat(self.weight, first)
        # A tree that saw no weighted row counts its leaves alike
        idle = np.repeat(total <= 0, np.diff(self.leaf_starts))
        weight = np.where(idle, 1.0, self.weight)
        sums = np.add.reduceat(self.votes * weight[:, None], first, axis=0)
        return np.asarray(sums / np.add.reduceat(weight, first)[:, None])

    def minus(self, votes: NDArray[np.float64]) -> TreeArrays:
        """Subtract from the votes of each tree its row of `votes` (n_trees, width)."""
        spread = np.repeat(votes, np.diff(self.leaf_starts), axis=0)
        return replace(self, votes=self.votes - spread)

    def trees(self) -> list[Nodes]:
        """Return the trees as an Ensemble takes them."""
        records, words, word_starts = self._records()
        leaf_starts, trees = self.leaf_starts, []
        for t in range(self.n_trees):
            nodes = records[self.starts[t] : self.starts[t + 1]]
            votes = self.votes[leaf_starts[t] : leaf_starts[t + 1]]
            try:
                trees.append(Nodes(nodes, votes, words[word_starts[t] : word_starts[t + 1]]))
            except ValueError as error:
                raise ValueError(f"tree {t} of the model cannot be read: {error}") from error
        return trees

    def _records(self) -> tuple[NDArray[np.void], NDArray[np.uint32], NDArray[np.int64]]:
        leaf = self.feature < 0
        code = np.cumsum(leaf) - 1 - np.repeat(self.leaf_starts[:-1], np.diff(self.starts))
        n_words = np.zeros(len(self.feature), np.int64)
        for at, words in self.sets.items():
            n_words[at] = len(words)
        word = starts_of(n_words)
        records = np.zeros(len(self.feature), NODE)
        records["threshold"] = np.where(leaf, 0.0, self.threshold)
        records["feature"] = np.where(leaf, -1, self.feature)
        records["left"] = np.where(leaf, code, self.left)
        records["right"] = np.where(leaf, -1, self.right)
        tree_word = np.repeat(word[self.starts[:-1]], np.diff(self.starts))
        records["word"] = np.where(n_words > 0, word[:-1] - tree_word, 0)
        records["n_words"] = n_words
        records["missing_left"] = self.missing_left & ~leaf
        sets = [self.sets[at] for at in sorted(self.sets)]
        return records, np.concatenate(sets) if sets else np.empty(0, np.uint32), word[self.starts]


Translation = Callable[[NDArray[Any]], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Source:
    """A model as treelite represents it."""

    flat: TreeArrays  # the trees
    score: NDArray[np.int32]  # (n_trees,), score that each tree votes for, -1 for all
    base: NDArray[np.float64]  # (K,), prior
    averaged: bool  # whether the sum is to be divided by the number of trees
    n_features: int  # number of features
    n_target: int  # number of outputs; above 1 the model predicts several targets at once


def read_treelite(model: Any, translate: Translation) -> Source:
    """Read the trees of a ``treelite.Model``; `translate` makes our thresholds of the source's."""
    header = model.get_header_accessor()
    trees = [model.get_tree_accessor(t) for t in range(model.num_tree)]
    # Fields are views of the model's memory, which ends with it: whatever is kept is copied.
    return Source(
        flat=_flat(trees, translate),
        score=np.array(header.get_field("class_id"), np.int32),
        base=np.array(header.get_field("base_scores"), np.float64),
        averaged=bool(header.get_field("average_tree_output")[0]),
        n_features=int(header.get_field("num_feature")[0]),
        n_target=int(header.get_field("num_target")[0]),
    )


def _flat(trees: list[Any], translate: Translation) -> TreeArrays:
    starts = starts_of([tree.get_field("num_nodes")[0] for tree in trees])
    feature = _joined(trees, "split_index")
    missing_left = _joined(trees, "default_left") != 0
    left, right = _joined(trees, "cleft"), _joined(trees, "cright")
    # Sets may name the right-going categories; ours go left, so the children change places
    swap = _joined(trees, "category_list_right_child") != 0
    left, right = np.where(swap, right, left), np.where(swap, left, right)
    leaf = feature < 0
    vectors = _joined(trees, "leaf_vector")  # of each leaf, in the order of the leaves
    votes = vectors.reshape(int(leaf.sum()), -1) if len(vectors) else None
    # training rows per node, or else the source's sums of hessians, or else 1
    known = [_joined(trees, name) for name in ("data_count", "sum_hess")]
    weight = next((w for w in known if len(w) == starts[-1]), np.ones(starts[-1]))
    return TreeArrays(
        starts=starts,
        feature=feature,
        threshold=translate(np.where(leaf, 0, _joined(trees, "threshold"))),
        left=left,
        right=right,
        missing_left=missing_left ^ swap,
        votes=(_joined(trees, "leaf_value")[leaf, None] if votes is None else votes).astype(float),
        weight=weight[leaf].astype(np.float64),
        sets=_sets(trees, starts),
    )


def _sets(trees: list[Any], starts: NDArray[np.int64]) -> dict[int, NDArray[np.uint32]]:
    sets = {}
    for tree, start in zip(trees, starts[:-1], strict=True):
        if not tree.get_field("has_categorical_split")[0]:
            continue
        categories = tree.get_field("category_list").astype(np.int64)
        begin, end = tree.get_field("category_list_begin"), tree.get_field("category_list_end")
        for at in np.flatnonzero(tree.get_field("node_type") == 2):
            sets[int(start + at)] = category_words(categories[int(begin[at]) : int(end[at])])
    return sets


def _joined(trees: list[Any], name: str) -> NDArray[Any]:
    return np.concatenate([tree.get_field(name) for tree in trees])


def centered(
    flat: TreeArrays, score: NDArray[np.int32], n_scores: int
) -> tuple[TreeArrays, NDArray[np.float64]]:
    """Move the mean votes of the first tree of each score into a bias (K,)."""
    means = flat.mean_votes()
    means[n_scores:] = 0.0
    return flat.minus(means), _summed(means, score, n_scores)


def averaged(
    flat: TreeArrays, score: NDArray[np.int32], n_scores: int, n_rounds: int
) -> tuple[TreeArrays, NDArray[np.float64]]:
    """Divide the votes by the number of rounds and move every tree's mean vote into a bias (K,).

    All numbers become multiples of 2^-40 of the largest vote, which add up exactly in any order:
    rows on which a forest is undecided (p = 1/2) stay exact ties, which go to the first class, as
    the argmax of the source does.
    """
    largest = float(np.abs(flat.votes).max(initial=0.0))
    grain = 2.0 ** (np.ceil(np.log2(largest)) - 40) if largest > 0 else 1.0
    flat = replace(flat, votes=np.rint(flat.votes / n_rounds / grain) * grain)
    means = np.rint(flat.mean_votes() / grain) * grain
    return flat.minus(means), _summed(means, score, n_scores)


def build(
    flat: TreeArrays,
    *,
    features: Features,
    bias: ArrayLike,
    kind: Kind,
    score: NDArray[np.int32] | None = None,
    rounds: ArrayLike | None = None,
    order: NDArray[np.intp] | None = None,
    classes: ArrayLike | None = None,
) -> Ensemble:
    """Make the Ensemble of `flat`; `order` gives the trees in the order of their rounds."""
    bias = np.atleast_1d(np.asarray(bias, np.float64))
    if score is None:
        score = np.full(flat.n_trees, -1 if len(bias) > 1 else 0, np.int32)
    if TASKS[kind].predicts_classes and len(bias) == 2:
        flat, bias, score = _one_score(flat, bias, score)
    trees = flat.trees()
    if order is not None:
        trees, score = [trees[t] for t in order], score[order]
    return Ensemble.from_trees(
        trees,
        features=features,
        bias=bias,
        score=score,
        rounds=rounds,
        classes=TASKS[kind].labels(classes, len(bias)),
        kind=kind,
    )


def _one_score(
    flat: TreeArrays, bias: NDArray[np.float64], score: NDArray[np.int32]
) -> tuple[TreeArrays, NDArray[np.float64], NDArray[np.int32]]:
    if flat.votes.shape[1] == 2:
        votes = flat.votes[:, 1:] - flat.votes[:, :1]
    else:
        sign = np.where(score == 1, 1.0, -1.0)
        votes = flat.votes * np.repeat(sign, np.diff(flat.leaf_starts))[:, None]
    return replace(flat, votes=votes), bias[1:] - bias[:1], np.zeros_like(score)


def _summed(
    means: NDArray[np.float64], score: NDArray[np.int32], n_scores: int
) -> NDArray[np.float64]:
    if means.shape[1] == n_scores and n_scores > 1:
        return np.asarray(means.sum(axis=0))
    sums = np.zeros(n_scores)
    np.add.at(sums, score, means[:, 0])
    return sums
