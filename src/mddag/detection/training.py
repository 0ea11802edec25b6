"""Training of a detector: rounds of boosting and of hard negatives, from patches to a soft cascade.

Each round boosts from the start, longer than the round before, on all negatives so far; sets the
thresholds on objects and images held out; and adds the windows of the other images that it takes
for the object. The last round is the detector. Held-out images then set the cut, see
``windows.cut_for``.

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
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mddag._utils.output import Report
from mddag._utils.warnings import doubt
from mddag.detection.augmentation import (
    mined,
    random_windows,
    resized,
    seen_otherwise,
    windows_near,
)
from mddag.detection.cascade_rows import balanced
from mddag.detection.detector import Detector, Prices
from mddag.detection.haar import PatchColumns, drawn_features
from mddag.detection.thresholds import RankedSums
from mddag.detection.windows import LEAF, WindowClassifier
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import Nodes
from mddag.ensemble.patches import PatchFeatures
from mddag.ensemble.votes import partial_sums
from mddag.learners.learner import Learner
from mddag.learners.trees import Tree

Floats = NDArray[np.float64]
Patches = NDArray[np.uint8]
Grey = NDArray[np.uint8]
Steps = Callable[[int], None]  # called with the number of trees that are done

LEAST_EDGE = 1e-6
SHRINKAGE = 0.5  # smaller votes of more trees generalise better: docs/research/detector.md
TRIMMED = 0.01  # of the weight: that of the lightest patches, on which no tree is grown
TREES_PER_CHOICE = 25  # before it is seen again which these are
HELD_OUT = 0.15  # of the objects and of the images, for thresholds and cut
EARLY, EARLY_LEAVES = 30, 4  # trees that most windows get to: small ones are fast
OPEN = 700  # features that one tree may use
MOST_PASSES = 4  # over all images, each time seen otherwise, where hard negatives are rare
FEWEST_NEW = 10  # hard negatives of a round; fewer change nothing
N_SURROUNDINGS = 4000  # windows that objects are put before
FEWEST_COPIES = 3000  # of all objects together: several of each where there are few
FLATTEST = 0.5  # of the deviation of the flattest objects but 1 %


def gentle_trees(
    columns: PatchColumns,
    positive: NDArray[np.bool_],
    learner_of: Callable[[int], Learner],
    n_trees: int,
    n_open: int,
    rng: np.random.Generator,
    report: Steps = lambda n_done: None,
) -> list[Nodes]:
    """Grow up to `n_trees` trees; fewer where no tree is better than chance any more.

    positive   : (n,); both classes begin with half of the weight
    learner_of : the learner of a tree, by its number from 0
    n_open     : features that each round may use
    """
    y = np.where(positive, 1.0, -1.0)
    weights = balanced(positive)
    prior = 1.0 / len(positive)  # of each class in each leaf: keeps the votes of small leaves small
    heavy, some = np.arange(len(positive)), columns
    trees: list[Nodes] = []
    for n_done in range(n_trees):
        if n_done and n_done % TREES_PER_CHOICE == 0:
            # the fewest patches that have nearly all of the weight
            order = np.argsort(-weights, kind="stable")
            most = (1 - TRIMMED) * weights.sum()
            heavy = np.sort(order[: np.searchsorted(np.cumsum(weights[order]), most) + 1])
            some = columns.taken(heavy)
        candidates = rng.choice(columns.n_features, min(n_open, columns.n_features), replace=False)
        share = weights[heavy] / weights[heavy].sum()
        targets = y[heavy, None].astype(np.int8)
        grown = learner_of(n_done).fit(some.restricted(candidates), targets, share[:, None])
        shape = grown if some is columns else _on_all(grown, some, columns)
        leaf = columns.leaf_codes(shape)
        for_it, against = (
            np.bincount(leaf[of], weights[of], shape.n_leaves) for of in (positive, ~positive)
        )
        votes = SHRINKAGE * ((for_it - against) / (for_it + against + prior))
        if shape.n_leaves < 2 or np.abs(votes).max() < LEAST_EDGE:
            break
        trees.append(Nodes(shape.records, votes[:, None], shape.words))
        weights *= np.exp(-y * votes[leaf])
        weights /= weights.sum()
        report(n_done + 1)
    return trees


def _on_all(grown: Nodes, some: PatchColumns, columns: PatchColumns) -> Nodes:
    """Return the tree with thresholds halfway between values of all patches, not of some."""
    records = grown.records.copy()
    for record in records:
        feature = int(record["feature"])
        if feature >= 0:
            cut = some.found[feature, float(record["threshold"])]
            record["threshold"] = columns.threshold(feature, cut)
    return Nodes(records, grown.votes, grown.words)


def sums_by_tree(
    trees: Sequence[Nodes], features: PatchFeatures, patches: Patches, n_jobs: int = 1
) -> Floats:
    """Return the sum of votes after each tree, float64 (n, T)."""
    ensemble = Ensemble.from_trees(
        list(trees), features=features, bias=np.zeros(1), classes=np.array([0, 1])
    )
    steps = partial_sums(ensemble.votes(patches, n_jobs=n_jobs))
    next(steps)
    return np.stack([step[:, 0].copy() for step in steps], axis=1)


def thresholds_of(objects: Floats, negatives: Floats, prices: Prices) -> tuple[Floats, float]:
    """Return reject thresholds (T,), and what the last sum must reach.

    objects, negatives : (n, T), sums after each tree
    """
    # Above 0 objects are more likely than negatives: where they are easy to tell, that is enough.
    accept = min(0.0, float(np.quantile(objects[:, -1], prices.miss)))
    sums = np.ascontiguousarray(np.concatenate([objects, negatives]).T)
    ranked = RankedSums.of(sums, np.arange(sums.shape[1]) < len(objects), shift=prices.shift)
    theta = float(np.nextafter(accept, -np.inf))  # a sum that just reaches it is accepted
    of_steps = np.full(len(sums), prices.evaluation)
    return ranked.thresholds(theta, prices.false_positive, of_steps), accept


def window_classifier(
    trees: Sequence[Nodes],
    features: PatchFeatures,
    reject: Floats,
    accept: float,
    min_deviation: float,
) -> WindowClassifier:
    """Make a classifier of the trees, one stage each; of the features only those in use."""
    parts, starts = [], [0]
    for tree in trees:
        records = tree.records
        splits = np.flatnonzero(records["feature"] >= 0)
        number = np.full(len(records), LEAF)
        number[splits] = starts[-1] + np.arange(len(splits))
        children = np.stack([records["left"][splits], records["right"][splits]], axis=1)
        is_leaf = records["feature"][children] < 0
        votes = tree.votes[np.where(is_leaf, records["left"][children], 0), 0]
        parts.append((records[splits], number[children], np.where(is_leaf, votes, 0.0)))
        starts.append(starts[-1] + len(splits))
    nodes, children, votes = (np.concatenate(of) for of in zip(*parts, strict=True))
    used, node_feature = np.unique(nodes["feature"], return_inverse=True)
    return WindowClassifier(
        window=features.window,
        features=features.rectangles[used],
        node_feature=node_feature.astype(np.int32),
        node_threshold=nodes["threshold"],
        node_next=children,
        node_votes=votes,
        tree_starts=np.array(starts),
        stage_starts=np.arange(len(trees) + 1),
        stage_fresh=np.arange(len(trees)) == 0,
        # A sum that is equal to the threshold is rejected.
        stage_reject=np.where(np.isneginf(reject), reject, np.nextafter(reject, np.inf)),
        accept=accept,
        min_deviation=min_deviation,
    )


@dataclass(frozen=True)
class DetectorRound:
    """What one round of training brought."""

    n_trees: int
    n_negatives: int  # those that it was boosted on
    kept: float  # share of the held-out objects that pass the cascade
    # windows of the images that it took for the object; None: not looked for
    n_false: int | None = None


@dataclass(eq=False)
class DetectorTraining:
    """A fit of a `Detector` under way: its parameters are the settings."""

    settings: Detector
    rng: np.random.Generator
    n_jobs: int
    objects: Patches
    held_objects: Patches
    images: list[Grey]
    held_images: list[Grey]
    features: PatchFeatures
    min_deviation: float
    negatives: Patches
    rounds: list[DetectorRound] = field(default_factory=list)
    classifier: WindowClassifier | None = None
    exhausted: bool = False

    @classmethod
    def begin(
        cls,
        settings: Detector,
        patches: Patches,
        images: Sequence[Grey],
        negatives: Patches | None,
        n_jobs: int,
    ) -> DetectorTraining:
        """Hold objects and images out, and draw features and the first negatives."""
        rng = np.random.default_rng(settings.random_state)
        window = settings.window

        def copies(of: Patches, n_least: int) -> Patches:
            times = -(-n_least // len(of))
            many = (settings.augmentation.copies(of, window, rng, around) for _ in range(times))
            return np.concatenate(list(many))

        objects, held = (patches[part] for part in parted(len(patches), rng))
        mined_images, held_images = ([images[i] for i in part] for part in parted(len(images), rng))
        deviations = resized(patches, window).std(axis=(1, 2))
        around = random_windows(mined_images, window, N_SURROUNDINGS, 0.0, rng)
        training = cls(
            settings,
            rng,
            n_jobs,
            copies(objects, max(2 * len(objects), FEWEST_COPIES)),
            copies(held, max(2 * len(held), FEWEST_COPIES // 5)),
            mined_images,
            held_images,
            drawn_features(window, settings.n_features, rng),
            FLATTEST * float(np.quantile(deviations, 0.01)),
            np.empty((0, *window), np.uint8) if negatives is None else resized(negatives, window),
        )
        n = settings.n_negatives // 8
        at_random = training.at_random(training.images, n)
        near = windows_near(objects, window, max(1, n // 3), rng)
        training.negatives = np.concatenate([at_random, near, training.negatives])
        return training

    def at_random(self, images: Sequence[Grey], n: int) -> Patches:
        """Return windows of the images, some of which are made worse."""
        seen = self.seen(images)
        return random_windows(seen, self.settings.window, n, self.min_deviation, self.rng)

    def seen(self, images: Sequence[Grey]) -> list[Grey]:
        """Return the images otherwise than before: turned, made worse."""
        height, width = self.settings.window
        seen = []
        for image in images:
            worse = self.settings.degradation.worse(seen_otherwise(image, self.rng), self.rng)
            # one that lies on its side and is too narrow for a window is turned back
            fits = worse.shape[0] >= height and worse.shape[1] >= width
            seen.append(worse if fits else np.ascontiguousarray(np.rot90(worse)))
        return seen

    @property
    def n_steps(self) -> int:
        """Trees of all rounds."""
        return sum(lengths_of(self.settings.n_trees, self.settings.n_rounds))

    def run(self, report: Report) -> None:
        """Train all rounds; the last one that was finished is `classifier`.

        Where hard negatives run out, the last round is trained next.
        """
        lengths = lengths_of(self.settings.n_trees, self.settings.n_rounds)
        for k, n_trees in enumerate(lengths):
            last = k + 1 == len(lengths)
            if self.exhausted and not last:
                continue
            n_before = sum(lengths[:k])
            note = f"round {k + 1} of {len(lengths)}, {len(self.negatives)} negatives"
            steps = partial(_report_after, report, n_before, note)
            classifier, kept = self.boosted(n_trees, steps)
            self.rounds.append(DetectorRound(classifier.n_trees, len(self.negatives), kept))
            self.classifier = classifier
            if not last:
                report(n_before + n_trees, f"{note}, scanning")
                self._add_hard_negatives(classifier)
        report(self.n_steps, f"{len(self.negatives)} negatives")

    def learner(self, n_before: int) -> Tree:
        """Return the learner of a tree that stands after that many others."""
        n_leaves = self.settings.n_leaves
        return Tree(n_leaves if n_before >= EARLY else min(n_leaves, EARLY_LEAVES))

    def boosted(self, n_trees: int, report: Steps) -> tuple[WindowClassifier, float]:
        """Return a cascade of that many trees, and the share of held-out objects that pass it."""
        patches = np.concatenate([self.objects, self.negatives])
        positive = np.arange(len(patches)) < len(self.objects)
        columns = PatchColumns.of(patches, self.features, None, self.n_jobs)
        trees = gentle_trees(columns, positive, self.learner, n_trees, OPEN, self.rng, report)
        held = self.at_random(self.held_images, 20_000)
        held = held if len(held) else self.negatives  # of flat images
        objects, negatives = (
            sums_by_tree(trees, self.features, part, self.n_jobs)
            for part in (self.held_objects, held)
        )
        reject, accept = thresholds_of(objects, negatives, self.settings.prices)
        passed = (objects > reject).all(axis=1) & (objects[:, -1] >= accept)
        cascade = window_classifier(trees, self.features, reject, accept, self.min_deviation)
        return cascade, float(passed.mean())

    def _add_hard_negatives(self, classifier: WindowClassifier) -> None:
        settings = self.settings
        n_wanted = max(FEWEST_NEW, settings.n_negatives // settings.n_rounds)
        parts, n_false = [np.empty((0, *settings.window), np.uint8)], 0
        for _ in range(MOST_PASSES):
            left = n_wanted - sum(map(len, parts))
            images = self.seen(self.images)
            found, n_hits = mined(classifier, images, left, self.rng, self.n_jobs)
            parts.append(found)
            n_false += n_hits
            if not 0 < len(found) < left:
                break
        new = np.concatenate(parts)
        self.rounds[-1] = replace(self.rounds[-1], n_false=n_false)
        self.negatives = np.concatenate([self.negatives, new])[-settings.n_negatives :]
        if len(new) < FEWEST_NEW:
            self.exhausted = True
            doubt(
                f"after {len(self.rounds)} of {settings.n_rounds} rounds the {len(self.images)} "
                f"images have {len(new)} windows that the detector takes for the object: the "
                "rounds up to the last are left out; give more or larger images without the "
                "object for a better detector"
            )


def _report_after(report: Report, n_before: int, note: str, n_done: int) -> None:
    """Report the trees of a round that come after those of the rounds before."""
    report(n_before + n_done, note)


def lengths_of(n_trees: int, n_rounds: int) -> list[int]:
    """Return the trees of each round: the last has all, the ones before n (k / n_rounds)^2."""
    return [max(1, round(n_trees * (k / n_rounds) ** 2)) for k in range(1, n_rounds + 1)]


def parted(n: int, rng: np.random.Generator) -> tuple[list[int], list[int]]:
    """Part numbers below n: to learn from, and a share HELD_OUT, of at least one."""
    n_held = max(1, round(HELD_OUT * n))
    order = rng.permutation(n).tolist()
    return order[n_held:], order[:n_held]
