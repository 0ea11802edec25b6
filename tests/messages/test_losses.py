"""What is said of bad input: losses."""

from mddag.losses import Exponential, Hinge, Logistic, Squared, ZeroOne
from tests.messages.message import check, each
from tests.messages.models import X, Y

ROWS = [
    ("scale", lambda: Exponential("big"), ValueError, "scale is 'big'; wanted a finite factor"),
    ("scale 0", lambda: Logistic(0), ValueError, "scale is 0; wanted a finite factor"),
    ("prices", lambda: ZeroOne("high"), ValueError, "ZeroOne weights is 'high'; wanted a price"),
    ("no price", lambda: ZeroOne([0, 0]), ValueError, "ZeroOne weights are all 0"),
    ("diagonal", lambda: ZeroOne([[1, 1], [1, 0]]), ValueError, "a right decision is free"),
    (
        "flat scores",
        lambda: Hinge()(X[:, 0], Y),
        ValueError,
        r"scores have shape \(80,\) and labels",
    ),
    (
        "no numbers",
        lambda: Squared()(None, "x"),
        ValueError,
        r"scores have shape \(\) and labels",
    ),
    (
        "real labels",
        lambda: Hinge()(X, X[:, 0]),
        TypeError,
        "labels are float64, which stand for reg",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
