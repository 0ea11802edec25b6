"""What is said of bad input: AdaBoostMHClassifier and its learners."""

import numpy as np

from mddag.detection import Haar
from mddag.learners import Tree
from tests.messages.message import check, each
from tests.messages.models import boost

PATCHES = np.random.default_rng(0).integers(0, 256, (80, 6, 5), np.uint8)
ROWS = [
    ("learner", lambda: boost("stump"), TypeError, "learner is 'stump'"),
    ("n_rounds", lambda: boost(n_rounds=0), ValueError, "n_rounds is 0"),
    ("no rows", lambda: boost(rows=[], labels=[]), ValueError, "Expected 2D array"),
    ("a dict", lambda: boost(rows={}), ValueError, r"X has 0 dimension\(s\)"),
    ("one class", lambda: boost(labels=np.ones(80, int)), ValueError, "one class|1 class"),
    ("n_leaves", lambda: boost(Tree(n_leaves=1)), ValueError, "n_leaves is 1"),
    ("n_features", lambda: boost(Haar(0), rows=PATCHES), ValueError, "n_features is 0"),
    (
        "random_state",
        lambda: boost(Haar(9, random_state="today"), rows=PATCHES),
        ValueError,
        "random_state is 'today'",
    ),
    (
        "learner of Haar",
        lambda: boost(Haar(9, learner="tree"), rows=PATCHES),
        TypeError,
        "learner is 'tree'",
    ),
    (
        "Haar of Haar",
        lambda: boost(Haar(9, learner=Haar()), rows=PATCHES),
        TypeError,
        "wanted one that is fitted",
    ),
    ("window of Haar", lambda: boost(Haar(9, window=6), rows=PATCHES), ValueError, "window is 6"),
    (
        "patches of another window",
        lambda: boost(Haar(9, window=(4, 4)), rows=PATCHES),
        ValueError,
        r"patches of \(6, 5\) pixels",
    ),
    ("no patches", lambda: boost(Haar(9)), ValueError, "rows of 3 pixels, which is not the square"),
    ("float patches", lambda: boost(Haar(9), rows=PATCHES / 255), ValueError, "X is float64"),
    (
        "colour patches",
        lambda: boost(Haar(9), rows=np.zeros((80, 6, 5, 3), np.uint8)),
        ValueError,
        "these look like color images:",
    ),
    (
        "patches of one pixel",
        lambda: boost(Haar(9), rows=np.zeros((80, 1, 5), np.uint8)),
        ValueError,
        r"window is \(1, 5\)",
    ),
    (
        "empty patches",
        lambda: boost(Haar(9), rows=PATCHES[:0], labels=[]),
        ValueError,
        r"X has 0 patches \(shape \(0,",
    ),
    (
        "fewer labels than patches",
        lambda: boost(Haar(9), rows=PATCHES[:9]),
        ValueError,
        "inconsistent numbers of samples",
    ),
    (
        "nominal pixels",
        lambda: boost(Haar(9), rows=PATCHES, categorical_features=[0]),
        ValueError,
        "the pixels of patches are",
    ),
    (
        "rare sides of patches",
        lambda: boost(Haar(9), rows=PATCHES, min_weight_fraction_leaf=0.1),
        ValueError,
        "Haar places its own thresholds",
    ),
    ("unknown", lambda: Tree().set_params(depth=3), ValueError, "Tree has no parameter 'depth'"),
    (
        "weight of words",
        lambda: boost(sample_weight={"first": 1}),
        ValueError,
        "sample_weight is a dict",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
