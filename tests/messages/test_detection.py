"""What is said of bad input: images, detectors, cascades, rates."""

import numpy as np
import pytest

import mddag
from mddag import MDP, Detector
from mddag.detection import (
    FCBoostClassifier,
    Haar,
    Rejection,
    SoftCascadeClassifier,
    VJCascadeClassifier,
    WaldBoostClassifier,
)
from mddag.detection.images import as_gray
from mddag.detection.opencv import read_cascade
from mddag.losses import Squared
from mddag.solvers import Margin
from tests.detection.problems import SETTINGS, backgrounds, fitted, patches, random_classifier
from tests.messages import models
from tests.messages.models import check, named, rejected

X, Y = np.random.default_rng(0).normal(size=(80, 3)), np.arange(80) % 2
GREY, SMALL = np.zeros((30, 30), np.uint8), np.zeros((5, 9), np.uint8)


def train(patches_=None, backgrounds_=None, **settings):
    detector = Detector(**(SETTINGS | settings))
    given = patches(30) if patches_ is None else patches_
    return detector.fit(given, backgrounds() if backgrounds_ is None else backgrounds_)


def find(picture=SMALL, **options):
    return fitted().detect(picture, **options)


def classifier(**settings):
    return random_classifier(np.random.default_rng(0), **settings)


def scan(**settings):
    return classifier().scan(GREY, **settings)


def vj(labels=Y, rows=X, **parameters):
    return VJCascadeClassifier(**parameters).fit(rows, labels)


def soft(labels=Y, **parameters):
    return SoftCascadeClassifier(**parameters).fit(X, labels)


def wald(**parameters):
    return WaldBoostClassifier(**parameters).fit(X, Y)


def fc(**parameters):
    return FCBoostClassifier(**parameters).fit(X, Y)


def pool():
    return soft(n_steps=3).ensemble_


def sparsify(y=models.Y, **changes):
    return mddag.detection.sparsify(models.model(), models.X, y, **changes)


def solve(votes, labels, **settings):
    return Rejection().solve(MDP(votes, labels, **settings))


IMAGES = [
    (lambda: as_gray(None), TypeError, "picture is None"),
    (lambda: as_gray([[1, 2]]), TypeError, "picture is a list"),
    (lambda: as_gray(np.empty((0, 5), np.uint8)), r"empty: its shape is \(0, 5\)"),
    (lambda: as_gray(np.zeros(9, np.uint8)), r"an array of shape \(9,\)"),
    (lambda: as_gray(np.zeros((9, 9, 2), np.uint8)), r"shape \(9, 9, 2\)"),
    (lambda: as_gray(np.full((9, 9), np.nan)), "picture has NaN"),
    (lambda: as_gray(GREY + 255.0), "floats from 255 to 255"),
    (lambda: as_gray(GREY - 0.5), "floats from -0.5"),
    (lambda: as_gray(GREY + np.uint16(4000)), "values from 4000 to 4000"),
    (lambda: as_gray(np.full((9, 9), "a")), TypeError, "picture is an array of <U1"),
    (lambda: as_gray(np.zeros((1, 1 << 21), np.uint8)), "at most 1048576 pixels"),
    *named(scan, scale=1, min_size=-1, n_jobs=0),
    (lambda: scan(max_size=(9, 9.5)), "max_size is a tuple;"),
    *named(classifier, margin=-1, accept=np.nan, min_deviation=np.inf),
    (lambda: classifier(margin=1 << 63), "a margin that leaves no pixel"),
    (lambda: read_cascade(None), TypeError, "path is None;"),
]
DETECTORS = [
    (lambda: train(np.zeros((30, 9, 9, 3), np.uint8)), r"shape \(30, 9, 9, 3\);"),
    (lambda: train(np.zeros((30, 12, 12))), "patches is float64;"),
    (lambda: train([GREY, SMALL]), "patches are of several sizes;"),
    (lambda: train(np.zeros((0, 12, 12), np.uint8)), "0 patches"),
    (lambda: train(patches(3)), "there are 3 patches;"),
    (lambda: train(backgrounds_=[]), "0 of 0 backgrounds"),
    (lambda: train(backgrounds_=[SMALL] * 3), r"0 of 3 .* the largest of \(5, 9\)"),
    (lambda: train(backgrounds_=GREY), TypeError, "backgrounds is an? "),
    (lambda: train(backgrounds_="nowhere"), "'nowhere', which is no folder"),
    (lambda: train(backgrounds_=3), TypeError, "backgrounds is an int;"),
    *named(
        train,
        window=24,
        n_leaves=34,
        n_trees=0,
        n_negatives=3,
        n_features=0,
        false_per_megapixel=np.inf,
        random_state=-1,
    ),
    (lambda: train(window=(200, 200)), "at most 32896 pixels in all"),
    (lambda: Detector().detect(SMALL), "not fitted; call fit"),
    (lambda: Detector().save("a"), "not fitted"),
    (lambda: find("nowhere.png"), FileNotFoundError, "nowhere.png"),
    *named(find, cut="low"),
    (lambda: Detector.from_opencv(__file__), mddag.ModelFileError, "cannot read"),
    (lambda: Detector.from_opencv("a", min_neighbors=1.5), "min_neighbors is 1.5;"),
]
CASCADES = [
    *named(vj, TypeError, learner="stump"),
    *named(vj, n_stages=0, max_fpr=1.5, min_tpr=0, rates="all", max_rounds=0.5, policy_fraction=1),
    *named(soft, n_steps=-1, detection_rate=2, alpha="early", pool_size=0),
    *named(wald, miss_rate=0.0, smoothing=0),
    *named(fc, eta=-1, threshold=np.nan, positive_weight=np.inf, max_stages=0, max_features=0),
    (lambda: vj(np.arange(80) % 3), "Only binary .* y has 3 classes"),
    (lambda: vj(0 * Y), "one class only"),
    (lambda: vj(rows=0 * X), "no base classifier is better than chance"),
    (lambda: vj(rows=np.zeros((80, 8, 8)), learner=Haar(9)), "X is float64;"),
    (lambda: soft(0 * Y, ensemble=pool()), "all 80 rows are of class 0;"),
    (lambda: FCBoostClassifier().predict(X), "not fitted yet"),
]
RATES = [
    (lambda: Rejection(0.1, 0.9), "target_fpr=0.1 and target_tpr=0.9"),
    *named(Rejection, target_fpr=3),
    *named(Rejection, target_fpr=0, target_tpr=1.0, budget=-1, every=0),
    (lambda: solve(np.ones((9, 2, 3)), np.arange(9) % 3), "3 scores"),
    (lambda: solve(np.ones((9, 2)), np.ones(9), loss=Squared()), "of numbers"),
    (lambda: solve(np.ones((9, 2)), np.zeros(9, int)), "all 9 rows .* negative"),
    (lambda: solve(np.ones((2, 2)), [0, 1], actions=("eval", "skip")), "actions are "),
    (lambda: sparsify(None, target_fpr=0.1), "y is None"),
    (lambda: sparsify(), "neither"),
    (lambda: sparsify(target_fpr=0.1, target_tpr=0.9), "target_tpr=0.9"),
    (lambda: sparsify(target_fpr=0.1, beta=0.1, budget=3), "beta=0.1, budget=3"),
    (lambda: sparsify(target_fpr=0.1, budget=0), "budget is 0;"),
    (lambda: sparsify(target_fpr=0.1, beta=-1), "beta"),
    (lambda: sparsify(target_fpr=0.1, solver=Margin()), TypeError, "solver is a Margin"),
]
test_messages = rejected(IMAGES + DETECTORS + CASCADES + RATES)


def test_images_of_more_than_8_bits_and_files_that_are_none(tmp_path):
    image = pytest.importorskip("PIL.Image")
    deep = image.fromarray(np.full((9, 9), 4000, np.uint16))
    check(lambda: as_gray(deep), ValueError, "mode 'I;16'")
    path = tmp_path / "picture.png"
    path.write_text("no picture")
    check(lambda: as_gray(path), ValueError, "picture.png")
    image.fromarray(np.arange(10_000).reshape(100, 100).astype(np.uint8)).save(path)
    path.write_bytes(path.read_bytes()[:100])
    check(lambda: as_gray(path), ValueError, "cannot read .*picture.png")
