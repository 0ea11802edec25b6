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
(docs/research/detector.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag._utils.output import Report
from mddag._utils.warnings import doubt
from mddag.detection.augmentation import (
    copies,
    made_worse,
    mined,
    random_windows,
    resized,
    seen_otherwise,
    windows_near,
)
from mddag.detection.cascade import balanced
from mddag.detection.detector import Detector
from mddag.detection.haar import PatchColumns, drawn_features
from mddag.detection.thresholds import RankedSums
from mddag.detection.windows import LEAF, WindowClassifier, cut_for, objects_of
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import Nodes
from mddag.ensemble.patches import PatchFeatures
from mddag.learners.learner import Learner
from mddag.learners.trees import Tree

Floats = NDArray[np.float64]
Patches = NDArray[np.uint8]
Gray = NDArray[np.uint8]
Steps = Callable[[int], None]  # called with the number of trees that are done

LEAST_EDGE = 1e-6
SHRINKAGE = 0.5  # smaller votes of more trees generalize better: docs/research/detector.md
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
# What the thresholds of the cascade are learned by; a missed object costs 1.
MISSED = 0.03  # share of the held-out objects that the last threshold may lose
FALSE_POSITIVE, EVALUATION = 10.0, 3e-3  # prices of a negative that is accepted, of a tree on one
LOWER = 0.15  # by how many standard deviations objects are taken to be lower than they are


def gentle_trees(
    columns: PatchColumns,
    positive: NDArray[np.bool_],
    learner_of: Callable[[int], Learner],
    n_trees: int,
    n_open: int,
    rng: np.random.Generator,
    report: Steps = lambda n_done: None,
) -> list[Nodes]:
    """Grow up to `n_trees` trees of `n_open` features each; fewer where none beats chance."""
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
    ensemble = Ensemble.from_trees(list(trees), features=features, classes=np.array([0, 1]))
    votes = ensemble.votes(patches, n_jobs=n_jobs).dense()[:, :, 0]
    return np.asarray(np.cumsum(votes, axis=1))


def thresholds_of(objects: Floats, negatives: Floats) -> tuple[Floats, float]:
    """Return thresholds (T,) by sums after each tree (n, T), and what the last sum must reach."""
    # Above 0 objects are more likely than negatives: where they are easy to tell, that is enough.
    accept = min(0.0, float(np.quantile(objects[:, -1], MISSED)))
    sums = np.ascontiguousarray(np.concatenate([objects, negatives]).T)
    ranked = RankedSums.of(sums, np.arange(sums.shape[1]) < len(objects), shift=LOWER)
    theta = float(np.nextafter(accept, -np.inf))  # a sum that just reaches it is accepted
    return ranked.thresholds(theta, FALSE_POSITIVE, np.full(len(sums), EVALUATION)), accept


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
    n_false: int | None = None  # windows of the images that it took for the object, if looked for
    n_new: int = 0  # negatives that these added


class DetectorTraining:
    """A fit of a `Detector` under way."""

    def __init__(
        self,
        settings: Detector,
        patches: Patches,
        images: Sequence[Gray],
        negatives: Patches | None,
        n_jobs: int,
    ) -> None:
        """Hold objects and images out, and draw features and the first negatives."""
        self.settings, self.n_jobs = settings, n_jobs
        self.rng = rng = np.random.default_rng(settings.random_state)
        window = settings.window

        def copied(of: Patches, n_least: int) -> Patches:
            times = -(-n_least // len(of))
            return np.concatenate([copies(of, window, rng, around) for _ in range(times)])

        objects, held = (patches[part] for part in parted(len(patches), rng))
        self.images, self.held_images = (
            [images[i] for i in part] for part in parted(len(images), rng)
        )
        around = random_windows(self.images, window, N_SURROUNDINGS, 0.0, rng)
        self.objects = copied(objects, max(2 * len(objects), FEWEST_COPIES))
        self.held_objects = copied(held, max(2 * len(held), FEWEST_COPIES // 5))
        self.features = drawn_features(window, settings.n_features, rng)
        deviations = resized(patches, window).std(axis=(1, 2))
        self.min_deviation = FLATTEST * float(np.quantile(deviations, 0.01))
        n = settings.n_negatives // 8
        first = [self.at_random(self.images, n), windows_near(objects, window, max(1, n // 3), rng)]
        first += [] if negatives is None else [resized(negatives, window)]
        self.negatives = np.concatenate(first)
        # the last round has all trees, the ones before n (k / n_rounds)^2
        parts = np.arange(1, settings.n_rounds + 1) / settings.n_rounds
        self.lengths = [max(1, round(settings.n_trees * part**2)) for part in parts.tolist()]
        self.rounds: list[DetectorRound] = []

    def at_random(self, images: Sequence[Gray], n: int) -> Patches:
        """Return windows of the images, some of which are made worse."""
        seen = self.seen(images)
        return random_windows(seen, self.settings.window, n, self.min_deviation, self.rng)

    def seen(self, images: Sequence[Gray]) -> list[Gray]:
        """Return the images otherwise than before: turned, made worse."""
        height, width = self.settings.window
        seen = []
        for image in images:
            worse = made_worse(seen_otherwise(image, self.rng), self.rng)
            # one that lies on its side and is too narrow for a window is turned back
            fits = worse.shape[0] >= height and worse.shape[1] >= width
            seen.append(worse if fits else np.ascontiguousarray(np.rot90(worse)))
        return seen

    def run(self, report: Report) -> WindowClassifier:
        """Train all rounds, and return the cascade of the last; it is next where images run dry."""
        n_before = 0
        for n_trees in self.lengths:
            is_last = n_before + n_trees == sum(self.lengths)
            if is_last or not self.rounds or self.rounds[-1].n_new >= FEWEST_NEW:
                classifier = self._round(n_trees, n_before, is_last, report)
            n_before += n_trees
        report(n_before, f"{len(self.negatives)} negatives")
        return classifier

    def _round(
        self, n_trees: int, n_before: int, is_last: bool, report: Report
    ) -> WindowClassifier:
        """Boost once, and look for hard negatives if there is a next time."""
        n_negatives, n_false, n_new = len(self.negatives), None, 0
        note = f"round {len(self.rounds) + 1}, {n_negatives} negatives"
        classifier, kept = self.boosted(n_trees, lambda n: report(n_before + n, note))
        if not is_last:
            report(n_before + n_trees, f"{note}, scanning")
            n_false, n_new = self._add_hard_negatives(classifier)
        self.rounds.append(DetectorRound(classifier.n_trees, n_negatives, kept, n_false, n_new))
        return classifier

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
        reject, accept = thresholds_of(objects, negatives)
        passed = (objects > reject).all(axis=1) & (objects[:, -1] >= accept)
        cascade = window_classifier(trees, self.features, reject, accept, self.min_deviation)
        return cascade, float(passed.mean())

    def _add_hard_negatives(self, classifier: WindowClassifier) -> tuple[int, int]:
        """Add windows of the images that the classifier takes for the object; count both."""
        settings = self.settings
        n_wanted = max(FEWEST_NEW, settings.n_negatives // settings.n_rounds)
        parts, n_new, n_false = [self.negatives], 0, 0
        for _ in range(MOST_PASSES):
            left = n_wanted - n_new
            found, n_hits = mined(classifier, self.seen(self.images), left, self.rng, self.n_jobs)
            parts.append(found)
            n_new, n_false = n_new + len(found), n_false + n_hits
            if not 0 < len(found) < left:
                break
        self.negatives = np.concatenate(parts)[-settings.n_negatives :]
        if n_new < FEWEST_NEW:
            doubt(
                f"after {len(self.rounds) + 1} of {settings.n_rounds} rounds the "
                f"{len(self.images)} images have {n_new} windows that the detector takes for the "
                "object: the rounds up to the last are left out; give more or larger images "
                "without the object for a better detector"
            )
        return n_false, n_new

    def cut(self, classifier: WindowClassifier) -> float:
        """Return the least evidence of an object, by what is found in images held out."""
        false, megapixels = [np.empty(0)], 0.0
        for image in self.held_images + self.seen(self.held_images):
            hits = classifier.scan(image, n_jobs=self.n_jobs)
            false.append(objects_of(hits, classifier.accept, 0.0).evidence)
            megapixels += image.size / 1e6
        return cut_for(np.concatenate(false), megapixels, self.settings.false_per_megapixel)


def parted(n: int, rng: np.random.Generator) -> tuple[list[int], list[int]]:
    """Part numbers below n: to learn from, and a share HELD_OUT, of at least one."""
    n_held = max(1, round(HELD_OUT * n))
    order = rng.permutation(n).tolist()
    return order[n_held:], order[:n_held]
