"""What is said of bad input: the classic cascades and their picture."""

import numpy as np

from mddag import DetectionDisplay
from mddag.detection.cascades import (
    FCBoostClassifier,
    SoftCascadeClassifier,
    VJCascadeClassifier,
    WaldBoostClassifier,
)
from mddag.learners import Haar
from tests.messages.message import check, each

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(80, 3)), np.arange(80) % 2


def vj(**parameters):
    return VJCascadeClassifier(**parameters).fit(X, Y)


def soft(**parameters):
    return SoftCascadeClassifier(**parameters).fit(X, Y)


def wald(**parameters):
    return WaldBoostClassifier(**parameters).fit(X, Y)


def fc(**parameters):
    return FCBoostClassifier(**parameters).fit(X, Y)


ROWS = [
    ("learner", lambda: vj(learner="stump"), TypeError, "learner is 'stump'; wanted"),
    ("n_stages", lambda: vj(n_stages=0), ValueError, "n_stages is 0; wanted"),
    ("max_fpr", lambda: vj(max_fpr=1.5), ValueError, "max_fpr is 1.5; wanted"),
    ("min_tpr", lambda: vj(min_tpr=0), ValueError, "min_tpr is 0; wanted"),
    ("rates", lambda: vj(rates="all"), ValueError, "rates is 'all'; wanted one of 'stage'"),
    ("max_rounds", lambda: vj(max_rounds=0.5), ValueError, "max_rounds is 0.5; wanted"),
    ("policy_fraction", lambda: vj(policy_fraction=1), ValueError, "policy_fraction is 1; wan"),
    ("n_steps", lambda: soft(n_steps=-1), ValueError, "n_steps is -1; wanted"),
    ("rate", lambda: soft(detection_rate=2), ValueError, "detection_rate is 2; wanted"),
    ("alpha", lambda: soft(alpha="early"), ValueError, "alpha is 'early'; wanted a number"),
    ("pool_size", lambda: soft(pool_size=0), ValueError, "pool_size is 0; wanted"),
    ("miss_rate", lambda: wald(miss_rate=0.0), ValueError, "miss_rate is 0.0; wanted"),
    ("smoothing", lambda: wald(smoothing=0), ValueError, "smoothing is 0; wanted"),
    ("eta", lambda: fc(eta=-1), ValueError, "eta is -1; wanted a price"),
    ("slope", lambda: fc(slope=0), ValueError, "slope is 0; wanted"),
    ("threshold", lambda: fc(threshold=np.nan), ValueError, "threshold is nan; wanted a finite"),
    ("positives", lambda: fc(positive_weight=-2), ValueError, "positive_weight is -2; wanted"),
    ("max_stages", lambda: fc(max_stages=0), ValueError, "max_stages is 0; wanted"),
    ("max_features", lambda: fc(max_features=0), ValueError, "max_features is 0; wanted"),
    (
        "three classes",
        lambda: VJCascadeClassifier().fit(X, np.arange(80) % 3),
        ValueError,
        "Only binary classification is supported. y has 3 classes, .*; wanted two",
    ),
    ("one class", lambda: VJCascadeClassifier().fit(X, 0 * Y), ValueError, "one class only"),
    (
        "negatives",
        lambda: VJCascadeClassifier().fit(X, Y, negatives=5),
        TypeError,
        "negatives is 5; wanted rows of the first class like those of X, or a function",
    ),
    (
        "columns of negatives",
        lambda: VJCascadeClassifier().fit(X, Y, negatives=X[:, :2]),
        ValueError,
        "2 features",
    ),
    (
        "nothing to refill",
        lambda: SoftCascadeClassifier().fit(X, Y, negatives=X),
        ValueError,
        "SoftCascadeClassifier rejects nothing while it is trained, .* add them to X and y",
    ),
    (
        "an ensemble and negatives",
        lambda: WaldBoostClassifier(ensemble=soft(n_steps=3).ensemble_).fit(X, Y, negatives=X),
        ValueError,
        "negatives are given beside an ensemble",
    ),
    (
        "nothing to learn",
        lambda: VJCascadeClassifier().fit(np.zeros((80, 3)), Y),
        ValueError,
        "no base classifier is better than chance on these rows",
    ),
    (
        "patches of floats",
        lambda: VJCascadeClassifier(Haar(10)).fit(RNG.random((80, 8, 8)), Y),
        ValueError,
        "X is float64; wanted grey levels",
    ),
    ("not fitted", lambda: FCBoostClassifier().predict(X), ValueError, "not fitted yet"),
    (
        "tprs",
        lambda: DetectionDisplay([0.5], [10], fpr=0.01),
        TypeError,
        "tprs is a list; wanted a dict",
    ),
    (
        "tprs of a method",
        lambda: DetectionDisplay({"ours": [0.5]}, [10], fpr=0.01),
        ValueError,
        "the TPRs of 'ours' are .*; wanted one row for each seed with one TPR for each of 1",
    ),
    (
        "fpr",
        lambda: DetectionDisplay({"ours": [[0.5]]}, [10], fpr=1.5),
        ValueError,
        "fpr is 1.5; wanted a rate",
    ),
    (
        "highlight",
        lambda: DetectionDisplay({"ours": [[0.5]]}, [10], fpr=0.1, highlight="theirs"),
        ValueError,
        "highlight is 'theirs'; wanted one of 'ours'",
    ),
    (
        "runs",
        lambda: DetectionDisplay.from_runs([], fpr=0.1),
        TypeError,
        "runs is .*; wanted a dict of method names to lists of runs",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
