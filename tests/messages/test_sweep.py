"""What is said of bad input: the arguments of sweep."""

import numpy as np
from scipy import sparse
from sklearn.exceptions import NotFittedError

from mddag import MDDAGClassifier
from tests.messages.message import check, each
from tests.messages.models import X, Y, sweep

ROWS = [
    ("no labels", lambda: sweep(y=None), ValueError, "y is None; a curve tells what is lost"),
    ("betas", lambda: sweep(betas="all"), ValueError, "betas is 'all'; wanted a list"),
    ("no betas", lambda: sweep(betas=[]), ValueError, r"betas has shape \(0,\); wanted"),
    ("negative beta", lambda: sweep(betas=[0.1, -1]), ValueError, r"betas\[1\] is -1.0; wanted"),
    (
        "half a test",
        lambda: sweep(X_test=X),
        ValueError,
        "X_test and y_test must be given together",
    ),
    (
        "selection_fraction",
        lambda: sweep(selection_fraction=1),
        ValueError,
        "selection_fraction is 1; wanted a fraction",
    ),
    ("n_jobs", lambda: sweep(n_jobs="all"), ValueError, "n_jobs is 'all'; wanted a whole"),
    (
        "unfitted",
        lambda: sweep(model=MDDAGClassifier()),
        NotFittedError,
        "this MDDAGClassifier is not fitted",
    ),
    ("X of words", lambda: sweep(X=np.full((80, 3), "a")), ValueError, "X has dtype <U1"),
    ("sparse X", lambda: sweep(X=sparse.csr_array(X)), TypeError, "X is a sparse csr_array"),
    (
        "nothing for choosing",
        lambda: sweep(X=X[:2], y=Y[:2], selection_fraction=0.01),
        ValueError,
        "leaves none of 2 rows for choosing",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
