"""What is said of bad input: plots, explanations and reports."""

from functools import cache

import mddag
from mddag import DagDisplay, ExplanationDisplay, PathDisplay, TradeoffDisplay
from tests.messages.message import check, each
from tests.messages.models import X, Y, curve, fast, scaled, trace
from tests.rankings import documents, ranker


@cache
def sparse_ranker():
    X, y, qid = documents(40, seed=2)
    return mddag.MDDAGRanker(ranker(), beta=1e-5, random_state=0).fit(X, y, qid=qid)


PLOTS = [
    ("curve", lambda: TradeoffDisplay.from_curve(fast()), TypeError, "curve is .*; .*Curve"),
    ("x", lambda: TradeoffDisplay(curve(), x="time"), ValueError, "x is 'time'; .*'cost'"),
    ("trace", lambda: DagDisplay.from_trace(fast()), TypeError, "trace is .*; .*a Trace"),
    ("graph", lambda: DagDisplay(trace()), TypeError, "graph is a Trace; .*from_trace"),
    ("path", lambda: PathDisplay(trace(), None), TypeError, "graph is a Trace; .*from_trace"),
    ("share", lambda: DagDisplay.from_trace(trace(), min_share=2), ValueError, "min_share is 2"),
    ("n", lambda: DagDisplay.from_trace(trace(), n_classifiers=0), ValueError, "classifiers is 0"),
    ("color", lambda: DagDisplay.from_trace(trace(), color=[1]), ValueError, r"color .*\(1,\)"),
    ("grouped", lambda: DagDisplay.from_trace(trace(), grouped="y"), ValueError, "grouped is 'y'"),
    ("axes", lambda: DagDisplay.from_trace(trace(), ax=3), TypeError, "ax is 3; .*Axes"),
    ("plane", lambda: PathDisplay.from_trace(trace(), X=X), ValueError, r"X .*\(80, 3\)"),
    ("explanation", lambda: ExplanationDisplay(3), TypeError, "explanation is 3"),
    ("its axes", lambda: fast().explain(X[0]).plot(ax=3), TypeError, "ax is 3; .*Axes"),
]
EXPLANATIONS = [
    ("a short row", lambda: fast().explain([1.0, 2.0]), ValueError, "x .* 2 values; .* 3 values"),
    ("no row", lambda: fast().predictor().explain(None), TypeError, "x is a NoneType"),
    ("rows of a pipeline", lambda: scaled().explain(X[:3]), ValueError, "x has 3 rows; .*one row"),
    ("a vector for a pipeline", lambda: scaled().explain(X[0]), ValueError, "2D array, got 1D"),
    ("a document", lambda: sparse_ranker().explain(documents(4)[0][0]), ValueError, "report.*qid"),
    ("not fitted", lambda: mddag.MDDAGClassifier().explain(X[0]), Exception, "not fitted yet"),
]
REPORTS = [
    ("file", lambda: fast().report(3), TypeError, "path is 3"),
    ("y alone", lambda: fast().report("r.html", y=Y), ValueError, "y is given without X"),
    ("short y", lambda: fast().report("r.html", X, Y[:5]), ValueError, "y has 5 .*80 rows"),
    ("labels", lambda: fast().report("r.html", X, Y + 7), ValueError, r"y .*label 7 \(row \d+\)"),
    ("sweep", lambda: fast().report("r.html", curve=fast()), TypeError, "curve is .*; .*Curve"),
    ("narrow X", lambda: fast().predictor().report("r.html", X[:, :2]), ValueError, "X has 2 feat"),
    ("queries", lambda: sparse_ranker().report("r.html", documents(4)[0]), ValueError, "qid"),
]


@each(PLOTS + EXPLANATIONS + REPORTS)
def test_messages(call, error, words):
    check(call, error, words)
