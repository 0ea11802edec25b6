"""What is said of bad input: AdaBoostMHClassifier and its learners."""

import numpy as np

from mddag.learners import Product, Tree
from tests.messages.message import check, each
from tests.messages.models import boost

ROWS = [
    ("learner", lambda: boost("stump"), TypeError, "learner is 'stump'; wanted"),
    ("n_rounds", lambda: boost(n_rounds=0), ValueError, "n_rounds is 0; wanted"),
    ("max_seconds", lambda: boost(max_seconds=-1), ValueError, "max_seconds is -1; wanted"),
    ("no rows", lambda: boost(rows=[], labels=[]), ValueError, "Expected 2D array"),
    ("a dict", lambda: boost(rows={}), ValueError, r"X has 0 dimension\(s\)"),
    ("one class", lambda: boost(labels=np.ones(80, int)), ValueError, "one class|1 class"),
    (
        "n_leaves",
        lambda: boost(Tree(n_leaves=1)),
        ValueError,
        "n_leaves is 1; wanted a whole number",
    ),
    (
        "n_terms",
        lambda: boost(Product(n_terms=9)),
        ValueError,
        "n_terms is 9; wanted a whole number",
    ),
    ("unknown", lambda: Tree().set_params(depth=3), ValueError, "Tree has no parameter 'depth'"),
    (
        "weight of words",
        lambda: boost(sample_weight={"first": 1}),
        ValueError,
        "sample_weight is a dict; wanted one number per row",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
