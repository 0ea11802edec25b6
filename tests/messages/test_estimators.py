"""What is said of bad input: MDDAGClassifier, MDDAGRegressor, AdaBoostMHClassifier and learners."""

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.exceptions import NotFittedError

import mddag
from mddag import AdaBoostMHClassifier as AdaBoost
from mddag import MDDAGClassifier, MDDAGRegressor
from mddag.detection import Haar, Rejection
from mddag.learners import Tree
from tests.messages.models import X, Y, boost, fast, fit, model, named, regressor, rejected, scaled

ROWS = [
    *(
        (
            lambda name=name: getattr(MDDAGClassifier(), name)(X),
            NotFittedError,
            "This MDDAGClassifier instance is not fitted yet",
        )
        for name in ("predict", "predict_proba", "n_evaluated", "trace", "scores")
    ),
    (lambda: MDDAGClassifier(solver=Rejection()).fit(X, np.arange(len(X)) % 3), "3 scores"),
    (lambda: MDDAGRegressor().save("m"), NotFittedError, "MDDAGRegressor instance"),
    (lambda: AdaBoost().predict(X), NotFittedError, "AdaBoostMHClassifier inst"),
    (
        lambda: mddag.export(MDDAGClassifier(), "m.h"),
        NotFittedError,
        "This MDDAGClassifier instance",
    ),
    *named(fit, policy_rows="all", policy_fraction=0, beta=None),
    (lambda: fit(actions=("skip",)), r"actions are \('skip',\)"),
    (lambda: fit(ensemble=regressor()), "the ensemble is that of a"),
    (
        lambda: fit(ensemble=GradientBoostingClassifier(), X=X[:2], y=[0, 1]),
        "leaves no row for the policy",
    ),
    (lambda: fit(X=X[:, 0]), "Expected 2D array, got 1D array"),
    (lambda: fit(X=abs(X) * np.inf), "X contains infinity"),
    (lambda: fit(y=X[:, 0]), "Unknown label type: continuous"),
    (
        lambda: MDDAGClassifier(model()).adopt(fast(), X, Y),
        TypeError,
        "policy is an MDDAGClassifier",
    ),
    (lambda: fast().predict(X[:, :2]), "X has 2 features, but MDDAGClassifier"),
    (lambda: scaled().n_evaluated(X[:, :2]), "X has 2 features, but StandardScaler"),
    (lambda: scaled().save("m.mddag"), "reads rows after StandardScaler,"),
    (lambda: fast().set_params(betas=1), "Invalid parameter 'betas'"),
    (
        lambda: MDDAGRegressor(regressor()).fit(X, ["dear"] * len(X)),
        "y is an array of <U4 of shape",
    ),
    (lambda: MDDAGRegressor(regressor()).fit(X, X[:, 0] + 1j), "omplex data not supported|y"),
]
PATCHES = np.random.default_rng(0).integers(0, 256, (80, 6, 5), np.uint8)
BOOSTING = [
    (lambda: boost("stump"), TypeError, "learner is 'stump'"),
    *named(boost, n_rounds=0),
    (lambda: boost(rows=[], labels=[]), "Expected 2D array"),
    (lambda: boost(rows={}), r"X has 0 dimension\(s\)"),
    (lambda: boost(labels=np.ones(80, int)), "one class|1 class"),
    (lambda: boost(Tree(n_leaves=1)), "n_leaves is 1"),
    (lambda: boost(Haar(0), rows=PATCHES), "n_features is 0"),
    (lambda: boost(Haar(9, random_state="today"), rows=PATCHES), "random_state is 'today'"),
    (lambda: boost(Haar(9, learner="tree"), rows=PATCHES), TypeError, "learner is 'tree'"),
    (lambda: boost(Haar(9, learner=Haar()), rows=PATCHES), TypeError, "wanted one that is fitted"),
    (lambda: boost(Haar(9, window=6), rows=PATCHES), "window is 6"),
    (lambda: boost(Haar(9, window=(4, 4)), rows=PATCHES), r"patches of \(6, 5\) pixels"),
    (lambda: boost(Haar(9)), "rows of 3 pixels, which is not the square"),
    (lambda: boost(Haar(9), rows=PATCHES / 255), "X is float64"),
    (
        lambda: boost(Haar(9), rows=np.zeros((80, 6, 5, 3), np.uint8)),
        "these look like color images:",
    ),
    (lambda: boost(Haar(9), rows=np.zeros((80, 1, 5), np.uint8)), r"window is \(1, 5\)"),
    (lambda: boost(Haar(9), rows=PATCHES[:0], labels=[]), r"X has 0 patches \(shape \(0,"),
    (lambda: boost(Haar(9), rows=PATCHES[:9]), "inconsistent numbers of samples"),
    (lambda: boost(Haar(9), rows=PATCHES, categorical_features=[0]), "the pixels of patches are"),
    (
        lambda: boost(Haar(9), rows=PATCHES, min_weight_fraction_leaf=0.1),
        "Haar places its own thresholds",
    ),
    (lambda: Tree().set_params(depth=3), "Tree has no parameter 'depth'"),
    (lambda: boost(sample_weight={"first": 1}), "sample_weight is a dict"),
]
test_messages = rejected(ROWS + BOOSTING)
