"""What is said of bad input: pictures."""

from mddag.inspection.plotting import DagDisplay, PathDisplay, TradeoffDisplay
from tests.messages.message import check, each
from tests.messages.models import X, curve, fast, trace

ROWS = [
    (
        "curve",
        lambda: TradeoffDisplay.from_curve(fast()),
        TypeError,
        "curve is an MDDAGClassifier; wanted a Curve, such as mddag.sweep gives",
    ),
    (
        "x",
        lambda: TradeoffDisplay(curve(), x="time"),
        ValueError,
        "x is 'time'; wanted one of 'n_ev",
    ),
    (
        "trace",
        lambda: DagDisplay.from_trace(fast()),
        TypeError,
        r"trace is an MDDAGClassifier; wanted a Trace, such as dag.run\(X\) or estimator.trace",
    ),
    (
        "graph",
        lambda: DagDisplay(trace()),
        TypeError,
        "graph is a Trace; wanted a Graph: use DagDis",
    ),
    (
        "path",
        lambda: PathDisplay(trace(), None),
        TypeError,
        "graph is a Trace; wanted a Graph: use P",
    ),
    (
        "min_share",
        lambda: DagDisplay.from_trace(trace(), min_share=2),
        ValueError,
        "min_share is 2; wanted a share of instances",
    ),
    (
        "n_classifiers",
        lambda: DagDisplay.from_trace(trace(), n_classifiers=0),
        ValueError,
        "n_classifiers is 0, but the trace evaluates",
    ),
    ("colours", lambda: DagDisplay.from_trace(trace(), color=[1]), ValueError, "color has"),
    (
        "axes",
        lambda: DagDisplay.from_trace(trace(), ax=3),
        TypeError,
        "ax is 3; wanted matplotlib Ax",
    ),
    (
        "plane",
        lambda: PathDisplay.from_trace(trace(), X=X),
        ValueError,
        r"X has shape \(80, 3\); wanted two columns to draw over",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
