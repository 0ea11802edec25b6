"""A cascade made sparser: reject thresholds inside its stages too, learned on patches.

A stage of Viola & Jones is looked at when all its trees have voted. Most windows could leave
earlier: here each tree gets a threshold of its own on the sum of its stage so far, by the backward
induction of `Rejection` with the stages' own thresholds held fixed. Objects are patches that the
cascade accepts, so it is its own teacher; nothing new is ever accepted. Half of the patches learn
the thresholds, for several prices of an evaluation and guards for the tail of the objects; of those
that lose few enough of the objects of the other half the cheapest is chosen.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_between
from mddag.detection.tree_votes import Floats, stage_sums, tree_votes
from mddag.detection.window_classifier import WindowClassifier

PRICES = 10.0 ** np.arange(-4, -0.9, 0.5)  # of an evaluation, in misses
GUARDS = (0.1, 0.25, 0.5, 1.0)  # deviations by which objects are taken to be lower than they are
LEAST = 100  # objects, and other patches


def sparser(
    classifier: WindowClassifier,
    objects: NDArray[np.uint8],
    others: NDArray[np.uint8],
    *,
    max_loss: float = 0.01,
    random_state: int = 0,
) -> WindowClassifier:
    """The classifier with a threshold after every tree.

    objects, others : patches (n, height, width) of the object, and of windows as they come
    max_loss : share of the objects, among those accepted before, that may be lost
    """
    check_between("max_loss", max_loss, 0.0, 1.0, "a share of the objects, 0 to 1")
    found = _sums(classifier, objects)
    found = found[accepted(classifier, found)]
    missed = _sums(classifier, others)
    missed = missed[~accepted(classifier, missed)]
    for name, n in (("objects accepted", len(found)), ("others rejected", len(missed))):
        if n < LEAST:
            raise ValueError(f"{n} {name} by the classifier; wanted {LEAST} or more: give more")
    rng = np.random.default_rng(random_state)
    halves = [np.array_split(rows[rng.permutation(len(rows))], 2) for rows in (found, missed)]
    learn, judge = ((halves[0][k], halves[1][k]) for k in (0, 1))
    own = _thresholds(classifier)
    best, whole = own, int(classifier.stage_starts[1]) if classifier.skips else 0
    for price, guard in product(PRICES, GUARDS):
        tried = np.maximum(own, _learned(*learn, own, price, guard))
        tried[:whole] = own[:whole]  # what is hidden by the first stage stays hidden
        is_safe = (judge[0] >= tried).all(axis=1).mean() >= 1 - max_loss
        if is_safe and _reached(judge[1].T, tried).mean() < _reached(judge[1].T, best).mean():
            best = tried
    return _with_thresholds(classifier, best)


def accepted(classifier: WindowClassifier, sums: Floats) -> NDArray[np.bool_]:
    """Patches that pass all stages, by their sums."""
    passed = (sums >= _thresholds(classifier)).all(axis=1)
    return passed & (sums[:, -1] >= classifier.accept)


def _sums(classifier: WindowClassifier, patches: NDArray[np.uint8]) -> Floats:
    return stage_sums(classifier, tree_votes(classifier, patches))


def _thresholds(classifier: WindowClassifier) -> Floats:
    """Of every tree: that of its stage at the last one, else none."""
    thresholds = np.full(classifier.n_trees, -np.inf)
    thresholds[classifier.stage_starts[1:] - 1] = classifier.stage_reject
    return thresholds


def _learned(objects: Floats, others: Floats, own: Floats, price: float, guard: float) -> Floats:
    """Thresholds after each tree, from the last to the first; -inf: none.

    `pays` is what a patch pays if it goes on: an object 1 if it is lost later, another one the
    price of the trees that it still gets. To reject costs an object 1, and others nothing.
    """
    sums = np.concatenate([objects, others]).T
    is_object = np.arange(sums.shape[1]) < len(objects)
    share = np.where(is_object, 1 / len(objects), 1 / len(others))
    n_reached = _reached(sums, own)
    pays, thresholds = np.zeros(sums.shape[1]), np.full(len(sums), -np.inf)
    for t in reversed(range(len(sums))):
        here = np.flatnonzero(n_reached > t)
        key = sums[t, here] - guard * is_object[here] * sums[t, : len(objects)].std()
        thresholds[t] = max(own[t], _best_cut(key, share[here] * (pays[here] - is_object[here])))
        left = sums[t, here] < thresholds[t]
        pays[here] = np.where(left, is_object[here], pays[here])
        pays[here[~is_object[here]]] += price
    return thresholds


def _reached(sums: Floats, own: Floats) -> NDArray[np.int64]:
    """How many trees each patch gets by the thresholds of the cascade alone."""
    fails = sums < own[:, None]
    return np.where(fails.any(axis=0), fails.argmax(axis=0) + 1, len(sums))


def _best_cut(key: Floats, gain: Floats) -> float:
    """The threshold whose rows below it gain the most in sum; -inf where no sum is above 0."""
    order = np.argsort(key, kind="stable")
    totals = np.cumsum(gain[order])
    ordered = key[order]
    totals[:-1][ordered[1:] == ordered[:-1]] = -np.inf  # ties are not split
    best = int(np.argmax(totals)) if len(totals) else 0
    if len(totals) == 0 or totals[best] <= 0:
        return -np.inf
    return float(np.nextafter(ordered[best], np.inf))


def _with_thresholds(classifier: WindowClassifier, thresholds: Floats) -> WindowClassifier:
    """A stage for every tree that has a threshold; the last tree ends one in any case."""
    ends = np.flatnonzero(~np.isneginf(thresholds)) + 1
    ends = np.union1d(ends, classifier.n_trees)
    starts = np.concatenate([[0], ends])
    fresh = np.isin(starts[:-1], classifier.stage_starts[:-1][classifier.stage_fresh])
    return replace(
        classifier,
        stage_starts=starts,
        stage_fresh=fresh,
        stage_reject=thresholds[ends - 1],
    )
