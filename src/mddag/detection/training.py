"""Training of a detector: rounds of boosting and of hard negatives, from patches to a soft cascade.

Each round boosts from the start, longer than the round before, on all negatives so far; sets the
thresholds on objects and images held out; and adds the windows of the other images that it takes
for the object. The last round is the detector. Held-out images then set the cut, see
``grouping.cut_for``.

A round is gentle boosting (Friedman, Hastie & Tibshirani 2000): trees are grown for the largest
edge, as AdaBoost grows them, and each leaf votes

    h = s (W+ - W-) / (W+ + W-),      w_i <- w_i exp(-y_i h(x_i)),

W+ and W- being the weights of its positives and negatives, s = SHRINKAGE. Votes that differ from
leaf to leaf order windows much better than the two votes of AdaBoost.MH
(docs/research/detector.md), and a leaf that is nearly pure cannot outvote all others, as it does in
real AdaBoost. Each tree may use some of the features alone, drawn at random, and is grown on the
patches that have nearly all of the weight: it is faster, and the trees differ more.

The cascade has one threshold after each tree, by backward induction on patches that boosting has
not seen (``thresholds``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mddag._utils.output import Report
from mddag._utils.warnings import doubt
from mddag.detection.augmentation import Augmentation, Degradation, beside, resized
from mddag.detection.detector import Prices
from mddag.detection.haar import PatchColumns
from mddag.detection.hard_negatives import mined, random_windows, seen_otherwise
from mddag.detection.thresholds import reject_thresholds
from mddag.detection.window_classifier import LEAF, WindowClassifier
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import Nodes
from mddag.ensemble.patches import PatchFeatures, Window, haar_features, n_haar_features
from mddag.ensemble.votes import partial_sums
from mddag.learners.learner import Learner
from mddag.learners.trees import Tree

Floats = NDArray[np.float64]
LEAST_EDGE = 1e-6
SHRINKAGE = 0.5  # smaller votes of more trees generalise better: docs/research/detector.md
TRIMMED = 0.01  # of the weight: that of the lightest patches, on which no tree is grown
TREES_PER_CHOICE = 25  # before it is seen again which these are


def gentle_trees(
    columns: PatchColumns,
    positive: NDArray[np.bool_],
    learner_of: Callable[[int], Learner],
    n_trees: int,
    n_open: int,
    rng: np.random.Generator,
    report: Callable[[int], None] = lambda n_done: None,
) -> list[Nodes]:
    """Up to `n_trees` trees; fewer where no tree is better than chance any more.

    positive   : (n,); both classes begin with half of the weight
    learner_of : the learner of a tree, by its number from 0
    n_open     : features that each round may use
    """
    y = np.where(positive, 1.0, -1.0)
    weights = initial_weights(positive)
    prior = 1.0 / len(positive)  # of each class in each leaf: keeps the votes of small leaves small
    heavy, some = np.arange(len(positive)), columns
    trees: list[Nodes] = []
    for n_done in range(n_trees):
        if n_done and n_done % TREES_PER_CHOICE == 0:
            heavy = heaviest(weights, 1 - TRIMMED)
            some = columns.taken(heavy)
        candidates = rng.choice(columns.n_features, min(n_open, columns.n_features), replace=False)
        share = weights[heavy] / weights[heavy].sum()
        targets = y[heavy, None].astype(np.int8)
        grown = learner_of(n_done).fit(some.restricted(candidates), targets, share[:, None])
        shape = grown if some is columns else _on_all(grown, some, columns)
        leaf = columns.leaf_codes(shape)
        votes = SHRINKAGE * leaf_votes(leaf, positive, weights, shape.n_leaves, prior)
        if shape.n_leaves < 2 or np.abs(votes).max() < LEAST_EDGE:
            break
        trees.append(Nodes(shape.records, votes[:, None], shape.words))
        weights *= np.exp(-y * votes[leaf])
        weights /= weights.sum()
        report(n_done + 1)
    return trees


def heaviest(weights: Floats, share: float) -> NDArray[np.intp]:
    """The fewest rows that have that share of the weight, in order."""
    order = np.argsort(-weights, kind="stable")
    n = int(np.searchsorted(np.cumsum(weights[order]), share * weights.sum())) + 1
    return np.sort(order[:n])


def _on_all(grown: Nodes, some: PatchColumns, columns: PatchColumns) -> Nodes:
    """The tree with thresholds halfway between values of all patches, not of some."""
    records = grown.records.copy()
    for record in records:
        feature = int(record["feature"])
        if feature >= 0:
            cut = some.found[feature, float(record["threshold"])]
            record["threshold"] = columns.threshold(feature, cut)
    return Nodes(records, grown.votes, grown.words)


def initial_weights(positive: NDArray[np.bool_]) -> Floats:
    """Weights (n,) by which both classes weigh one half."""
    shares = np.where(positive, 0.5 / positive.sum(), 0.5 / (~positive).sum())
    return np.asarray(shares / shares.sum())


def leaf_votes(
    leaf: NDArray[np.unsignedinteger],
    positive: NDArray[np.bool_],
    weights: Floats,
    n_leaves: int,
    prior: float,
) -> Floats:
    """(W+ - W-) / (W+ + W- + prior) of each leaf, (n_leaves,)."""
    of_positives = np.bincount(leaf[positive], weights[positive], n_leaves)
    of_negatives = np.bincount(leaf[~positive], weights[~positive], n_leaves)
    return np.asarray((of_positives - of_negatives) / (of_positives + of_negatives + prior))


Patches = NDArray[np.uint8]


def sums_by_tree(
    trees: Sequence[Nodes], features: PatchFeatures, patches: Patches, n_threads: int = 1
) -> Floats:
    """The sum of votes after each tree, float64 (n, T)."""
    ensemble = Ensemble.from_trees(
        list(trees), features=features, bias=np.zeros(1), classes=np.array([0, 1])
    )
    steps = partial_sums(ensemble.votes(patches, n_threads=n_threads))
    next(steps)
    return np.stack([step[:, 0].copy() for step in steps], axis=1)


def thresholds_of(objects: Floats, negatives: Floats, prices: Prices) -> tuple[Floats, float]:
    """Reject thresholds (T,), and what the last sum must reach.

    objects, negatives : (n, T), sums after each tree
    """
    # Above 0 objects are more likely than negatives: where they are easy to tell, that is enough.
    accept = min(0.0, float(np.quantile(objects[:, -1], prices.miss)))
    reject = reject_thresholds(
        np.concatenate([objects, negatives]),
        np.arange(len(objects) + len(negatives)) < len(objects),
        float(np.nextafter(accept, -np.inf)),  # a sum that just reaches it is accepted
        prices.false_positive,
        prices.evaluation,
        prices.shift,
    )
    return reject, accept


def soft_cascade(
    trees: Sequence[Nodes],
    features: PatchFeatures,
    reject: Floats,
    accept: float,
    min_deviation: float,
) -> WindowClassifier:
    """The trees as a classifier of windows, one stage each; of the features only those in use."""
    parts = [_nodes_of(tree) for tree in trees]
    feature = np.concatenate([part[0] for part in parts])
    used, node_feature = np.unique(feature, return_inverse=True)
    sizes = [len(part[0]) for part in parts]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    shifted = [
        np.where(part[2] == LEAF, LEAF, part[2] + start)
        for part, start in zip(parts, starts[:-1], strict=True)
    ]
    return WindowClassifier(
        window=features.window,
        features=features.rectangles[used],
        node_feature=node_feature.astype(np.int32),
        node_threshold=np.concatenate([part[1] for part in parts]).astype(np.float32),
        node_next=np.concatenate(shifted).astype(np.int32),
        node_votes=np.concatenate([part[3] for part in parts]),
        tree_starts=starts,
        stage_starts=np.arange(len(trees) + 1),
        stage_fresh=np.arange(len(trees)) == 0,
        # A sum that is equal to the threshold is rejected.
        stage_reject=np.where(np.isneginf(reject), reject, np.nextafter(reject, np.inf)),
        accept=accept,
        min_deviation=min_deviation,
    )


def _nodes_of(
    tree: Nodes,
) -> tuple[NDArray[np.int32], Floats, NDArray[np.int32], Floats]:
    """Of the splits of a tree: feature, threshold, next (n, 2) and votes (n, 2)."""
    records = tree.records
    splits = np.flatnonzero(records["feature"] >= 0)
    number = np.full(len(records), LEAF)
    number[splits] = np.arange(len(splits))
    children = np.stack([records["left"][splits], records["right"][splits]], axis=1)
    is_leaf = records["feature"][children] < 0
    codes = np.where(is_leaf, records["left"][children], 0)
    votes = np.where(is_leaf, tree.votes[codes, 0], 0.0)
    return records["feature"][splits], records["threshold"][splits], number[children], votes


Grey = NDArray[np.uint8]
Steps = Callable[[int], None]  # called with the number of trees that are done
HELD_OUT = 0.15  # of the objects and of the pictures, for thresholds and cut
EARLY, EARLY_LEAVES = 30, 4  # trees that most windows get to: small ones are fast
OPEN = 700  # features that one tree may use
MOST_PASSES = 4  # over all pictures, each time seen otherwise, where hard negatives are rare
FEWEST_NEW = 10  # hard negatives of a round; fewer change nothing
N_BEHIND = 4000  # windows that objects are put before
FEWEST_COPIES = 3000  # of all objects together: several of each where there are few
FLATTEST = 0.5  # of the deviation of the flattest objects but 1 %


class Settings(Protocol):
    """The parameters of ``Detector`` that training reads."""

    window: Window
    n_trees: int
    n_rounds: int
    n_leaves: int
    n_features: int | None
    n_negatives: int
    random_state: int
    augmentation: Augmentation
    degradation: Degradation
    prices: Prices


@dataclass(frozen=True)
class Round:
    """What one round brought.

    n_negatives : those that it was boosted on
    kept        : share of the held-out objects that pass the cascade
    n_false     : windows of the pictures that it took for the object; None: not looked for
    """

    n_trees: int
    n_negatives: int
    kept: float
    n_false: int | None = None


@dataclass(eq=False)
class Training:
    """A fit under way."""

    settings: Settings
    rng: np.random.Generator
    n_threads: int
    objects: Patches
    held_objects: Patches
    pictures: list[Grey]
    held_pictures: list[Grey]
    features: PatchFeatures
    min_deviation: float
    negatives: Patches
    rounds: list[Round] = field(default_factory=list)
    classifier: WindowClassifier | None = None
    exhausted: bool = False

    @classmethod
    def begin(
        cls,
        settings: Settings,
        patches: Patches,
        pictures: Sequence[Grey],
        negatives: Patches | None,
        n_threads: int,
    ) -> Training:
        """Hold objects and pictures out, and draw features and the first negatives."""
        rng = np.random.default_rng(settings.random_state)
        window = settings.window

        def copies(of: Patches, n_least: int) -> Patches:
            times = -(-n_least // len(of))
            many = (settings.augmentation.copies(of, window, rng, behind) for _ in range(times))
            return np.concatenate(list(many))

        objects, held = (patches[part] for part in parted(len(patches), rng))
        mined_pictures, held_pictures = (
            [pictures[i] for i in part] for part in parted(len(pictures), rng)
        )
        deviations = resized(patches, window).std(axis=(1, 2))
        behind = random_windows(mined_pictures, window, N_BEHIND, 0.0, rng)
        training = cls(
            settings,
            rng,
            n_threads,
            copies(objects, max(2 * len(objects), FEWEST_COPIES)),
            copies(held, max(2 * len(held), FEWEST_COPIES // 5)),
            mined_pictures,
            held_pictures,
            drawn_features(window, settings.n_features, rng),
            FLATTEST * float(np.quantile(deviations, 0.01)),
            np.empty((0, *window), np.uint8) if negatives is None else resized(negatives, window),
        )
        training.negatives = np.concatenate([training.first_negatives(objects), training.negatives])
        return training

    def first_negatives(self, objects: Patches) -> Patches:
        """Windows at random, and windows that lie beside the objects or on parts of them."""
        n = self.settings.n_negatives // 8
        at_random = self.at_random(self.pictures, n)
        apart = beside(objects, self.settings.window, max(1, n // 3), self.rng)
        return np.concatenate([at_random, apart])

    def at_random(self, pictures: Sequence[Grey], n: int) -> Patches:
        """Windows of the pictures, some of which are made worse."""
        seen = self.seen(pictures)
        return random_windows(seen, self.settings.window, n, self.min_deviation, self.rng)

    def seen(self, pictures: Sequence[Grey]) -> list[Grey]:
        """The pictures otherwise than before: turned, made worse."""
        worse = self.settings.degradation.worse
        seen = (worse(seen_otherwise(picture, self.rng), self.rng) for picture in pictures)
        return [self._upright(picture) for picture in seen]

    def _upright(self, picture: Grey) -> Grey:
        """The picture, turned back where it lies on its side and is too narrow for a window."""
        fits = all(n >= side for n, side in zip(picture.shape, self.settings.window, strict=True))
        return picture if fits else np.ascontiguousarray(np.rot90(picture))

    @property
    def n_steps(self) -> int:
        """Trees of all rounds."""
        return sum(lengths_of(self.settings.n_trees, self.settings.n_rounds))

    def run(self, report: Report) -> None:
        """Play all rounds; the last one that was finished is `classifier`.

        Where hard negatives run out, the last round is played next.
        """
        lengths = lengths_of(self.settings.n_trees, self.settings.n_rounds)
        for k, n_trees in enumerate(lengths):
            if self.exhausted and k + 1 < len(lengths):
                continue
            note = f"round {k + 1} of {len(lengths)}, {len(self.negatives)} negatives"
            self._play(n_trees, _behind(report, sum(lengths[:k]), note))
            if k + 1 < len(lengths):
                self._harder(_behind(report, sum(lengths[: k + 1]), f"{note}, scanning"))
        report(self.n_steps, f"{len(self.negatives)} negatives")

    def _play(self, n_trees: int, report: Steps) -> None:
        """One round."""
        classifier, kept = self.boosted(n_trees, report)
        self.rounds.append(Round(classifier.n_trees, len(self.negatives), kept))
        self.classifier = classifier

    def learner(self, n_before: int) -> Tree:
        """That of a tree behind so many others."""
        n_leaves = self.settings.n_leaves
        return Tree(n_leaves if n_before >= EARLY else min(n_leaves, EARLY_LEAVES))

    def boosted(self, n_trees: int, report: Steps) -> tuple[WindowClassifier, float]:
        """A cascade of that many trees, and the share of held-out objects that pass it."""
        patches = np.concatenate([self.objects, self.negatives])
        positive = np.arange(len(patches)) < len(self.objects)
        columns = PatchColumns.of(patches, self.features, None, self.n_threads)
        trees = gentle_trees(columns, positive, self.learner, n_trees, OPEN, self.rng, report)
        held = self.at_random(self.held_pictures, 20_000)
        held = held if len(held) else self.negatives  # of flat pictures
        objects, negatives = (
            sums_by_tree(trees, self.features, part, self.n_threads)
            for part in (self.held_objects, held)
        )
        reject, accept = thresholds_of(objects, negatives, self.settings.prices)
        passed = (objects > reject).all(axis=1) & (objects[:, -1] >= accept)
        cascade = soft_cascade(trees, self.features, reject, accept, self.min_deviation)
        return cascade, float(passed.mean())

    def _harder(self, report: Steps) -> None:
        """Add hard negatives."""
        settings = self.settings
        assert self.classifier is not None
        report(0)
        n_wanted = max(FEWEST_NEW, settings.n_negatives // settings.n_rounds)
        parts, n_false = [np.empty((0, *settings.window), np.uint8)], 0
        for _ in range(MOST_PASSES):
            left = n_wanted - sum(map(len, parts))
            pictures = self.seen(self.pictures)
            found, n_hits = mined(self.classifier, pictures, left, self.rng, self.n_threads)
            parts.append(found)
            n_false += n_hits
            if not 0 < len(found) < left:
                break
        new = np.concatenate(parts)
        last = self.rounds[-1]
        self.rounds[-1] = Round(last.n_trees, last.n_negatives, last.kept, n_false)
        self.negatives = np.concatenate([self.negatives, new])[-settings.n_negatives :]
        if len(new) < FEWEST_NEW:
            self.exhausted = True
            doubt(
                f"after {len(self.rounds)} of {settings.n_rounds} rounds the {len(self.pictures)} "
                f"pictures have {len(new)} windows that the detector takes for the object: the "
                "rounds up to the last are left out; give more or larger pictures without the "
                "object for a better detector"
            )


def lengths_of(n_trees: int, n_rounds: int) -> list[int]:
    """Trees of each round: the last has all, the ones before n (k / n_rounds)^2."""
    return [max(1, round(n_trees * (k / n_rounds) ** 2)) for k in range(1, n_rounds + 1)]


def drawn_features(window: Window, n: int | None, rng: np.random.Generator) -> PatchFeatures:
    """n of the Haar features of the window, at random; all for None."""
    total, chosen = n_haar_features(window), None
    if n is not None and n < total:
        chosen = np.sort(rng.choice(total, n, replace=False))
    return PatchFeatures.of(window, haar_features(window, chosen))


def parted(n: int, rng: np.random.Generator) -> tuple[list[int], list[int]]:
    """Numbers below n to learn from, and those held out: a share HELD_OUT, but at least one."""
    n_held = max(1, round(HELD_OUT * n))
    order = rng.permutation(n).tolist()
    return order[n_held:], order[:n_held]


def _behind(report: Report, n_before: int, note: str) -> Steps:
    return lambda n_done: report(n_before + n_done, note)
