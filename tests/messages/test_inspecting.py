"""What is said of bad input: explanations and reports."""

from functools import cache

import mddag
from mddag.inspection.plotting import ExplanationDisplay
from tests.messages.message import check, each
from tests.messages.models import X, Y, fast, scaled
from tests.rankings import documents, ranker


@cache
def sparse_ranker():
    X, y, qid = documents(40, seed=2)
    return mddag.MDDAGRanker(ranker(), beta=1e-5, random_state=0).fit(X, y, qid=qid)


ROWS = [
    (
        "a short row",
        lambda: fast().explain([1.0, 2.0]),
        ValueError,
        "x is a list of 2 values; wanted one row, 3 values",
    ),
    (
        "no row",
        lambda: fast().predictor().explain(None),
        TypeError,
        "x is a NoneType; wanted one row, 3 values",
    ),
    (
        "several rows behind a pipeline",
        lambda: scaled().explain(X[:3]),
        ValueError,
        r"x has 3 rows; wanted one row, \(1, n_features\)",
    ),
    (
        "one row behind a pipeline",
        lambda: scaled().explain(X[0]),
        ValueError,
        "Expected 2D array, got 1D array",
    ),
    (
        "a document",
        lambda: sparse_ranker().explain(documents(4)[0][0]),
        ValueError,
        r"so one row has no path of its own to explain; model.report\(path, X, y, qid=qid\)",
    ),
    ("not fitted", lambda: mddag.MDDAGClassifier().explain(X[0]), Exception, "is not fitted yet"),
    (
        "explanation",
        lambda: ExplanationDisplay(3),
        TypeError,
        "explanation is 3; wanted an Explanation, such as model.explain",
    ),
    (
        "axes",
        lambda: fast().explain(X[0]).plot(ax=3),
        TypeError,
        "ax is 3; wanted matplotlib Axes",
    ),
    ("path", lambda: fast().report(3), TypeError, "path is 3; wanted"),
    (
        "y alone",
        lambda: fast().report("r.html", y=Y),
        ValueError,
        "y is given without X; wanted the rows X that y belongs to",
    ),
    (
        "y of another length",
        lambda: fast().report("r.html", X, Y[:5]),
        ValueError,
        "y has 5 entries, but X has 80 rows; wanted one for each row",
    ),
    (
        "unknown labels",
        lambda: fast().report("r.html", X, Y + 7),
        ValueError,
        r"y contains the label 7 \(row \d+\), which the ensemble does not know",
    ),
    (
        "curve",
        lambda: fast().report("r.html", curve=fast()),
        TypeError,
        "curve is an MDDAGClassifier; wanted a Curve, such as mddag.sweep gives, or None",
    ),
    (
        "narrow X",
        lambda: fast().predictor().report("r.html", X[:, :2]),
        ValueError,
        "X has 2 features, but the model reads 3 features as input",
    ),
    (
        "queries",
        lambda: sparse_ranker().report("r.html", documents(4)[0]),
        ValueError,
        "qid is missing; a ranker needs one query",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
