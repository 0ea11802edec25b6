"""What is said of bad input: the arguments of sweep."""

import numpy as np
from scipy import sparse
from sklearn.exceptions import NotFittedError

from mddag import MDDAGClassifier
from tests.messages.message import check, each
from tests.messages.models import X, Y, sweep


def given(**changes):
    return lambda: sweep(**changes)


FEW = {"X": X[:2], "y": Y[:2]}
NAN = np.full(80, np.nan)
ROWS = [
    ("unfitted", given(model=MDDAGClassifier()), NotFittedError, "MDDAGClassifier is not fitted"),
    ("no labels", given(y=None), ValueError, "y is None"),
    ("fewer labels", given(y=[0, 1]), ValueError, "inconsistent numbers of samples"),
    ("X of words", given(X=np.full((80, 3), "a")), ValueError, "X has dtype <U1"),
    ("sparse X", given(X=sparse.csr_array(X)), TypeError, "X is a sparse csr_array"),
    ("betas", given(betas="all"), ValueError, "betas is 'all'"),
    ("betas before X", given(betas=[0.1, -1], X=None), ValueError, r"betas\[1\] is -1.0"),
    ("loss before X", given(loss=3, X=None), TypeError, "loss is 3;"),
    ("solver", given(solver="sarsa"), TypeError, "solver is 'sarsa'"),
    ("half a test", given(X_test=X), ValueError, "X_test and y_test"),
    ("weight of no rows", given(sample_weight_test=NAN), ValueError, "X_test"),
    (
        "weight of test rows",
        given(X_test=X, y_test=Y, sample_weight_test=NAN),
        ValueError,
        r"sample_weight_test\[0\] is nan",
    ),
    ("selection_fraction", given(selection_fraction=1), ValueError, "selection_fraction is 1;"),
    ("none to choose", given(**FEW, selection_fraction=0.01), ValueError, "0.01, .*none of 2 rows"),
    ("n_jobs", given(n_jobs="all"), ValueError, "n_jobs is 'all'"),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
