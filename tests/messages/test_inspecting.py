"""What is said of bad input: plots, explanations and reports."""

from functools import cache

import mddag
from mddag import DagDisplay, ExplanationDisplay, PathDisplay, TradeoffDisplay
from tests.messages.models import X, Y, curve, fast, rejected, scaled, trace
from tests.rankings import documents, ranker


@cache
def sparse_ranker():
    X, y, qid = documents(40, seed=2)
    return mddag.MDDAGRanker(ranker(), beta=1e-5, random_state=0).fit(X, y, qid=qid)


PLOTS = [
    (lambda: TradeoffDisplay.from_curve(fast()), TypeError, "curve is .*; .*Curve"),
    (lambda: TradeoffDisplay(curve(), x="time"), ValueError, "x is 'time'; .*'cost'"),
    (lambda: DagDisplay.from_trace(fast()), TypeError, "trace is .*; .*a Trace"),
    (lambda: DagDisplay(trace()), TypeError, "graph is a Trace; .*from_trace"),
    (lambda: PathDisplay(trace(), None), TypeError, "graph is a Trace; .*from_trace"),
    (lambda: DagDisplay.from_trace(trace(), min_share=2), ValueError, "min_share is 2"),
    (lambda: DagDisplay.from_trace(trace(), n_classifiers=0), ValueError, "classifiers is 0"),
    (lambda: DagDisplay.from_trace(trace(), color=[1]), ValueError, r"color .*\(1,\)"),
    (lambda: DagDisplay.from_trace(trace(), grouped="y"), ValueError, "grouped is 'y'"),
    (lambda: DagDisplay.from_trace(trace(), ax=3), TypeError, "ax is 3; .*Axes"),
    (lambda: PathDisplay.from_trace(trace(), X=X), ValueError, r"X .*\(80, 3\)"),
    (lambda: ExplanationDisplay(3), TypeError, "explanation is 3"),
    (lambda: fast().explain(X[0]).plot(ax=3), TypeError, "ax is 3; .*Axes"),
]
EXPLANATIONS = [
    (lambda: fast().explain([1.0, 2.0]), ValueError, "x .* 2 values; .* 3 values"),
    (lambda: fast().predictor().explain(None), TypeError, "x is a NoneType"),
    (lambda: scaled().explain(X[:3]), ValueError, "x has 3 rows; .*one row"),
    (lambda: scaled().explain(X[0]), ValueError, "2D array, got 1D"),
    (lambda: sparse_ranker().explain(documents(4)[0][0]), ValueError, "report.*qid"),
    (lambda: mddag.MDDAGClassifier().explain(X[0]), Exception, "not fitted yet"),
]
REPORTS = [
    (lambda: fast().report(3), TypeError, "path is 3"),
    (lambda: fast().report("r.html", y=Y), ValueError, "y is given without X"),
    (lambda: fast().report("r.html", X, Y[:5]), ValueError, "y has 5 .*80 rows"),
    (lambda: fast().report("r.html", X, Y + 7), ValueError, r"y .*label 7 \(row \d+\)"),
    (lambda: fast().report("r.html", curve=fast()), TypeError, "curve is .*; .*Curve"),
    (lambda: fast().predictor().report("r.html", X[:, :2]), ValueError, "X has 2 feat"),
    (lambda: sparse_ranker().report("r.html", documents(4)[0]), ValueError, "qid"),
]


test_messages = rejected(PLOTS + EXPLANATIONS + REPORTS)
