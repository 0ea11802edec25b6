"""What is said of bad input: Features."""

import pandas as pd

from mddag import Features
from tests.messages.message import check, each

ROWS = [
    (
        "names",
        lambda: Features(3, names="abc"),
        TypeError,
        "names is 'abc'; wanted a tuple of names",
    ),
    ("number", lambda: Features(-1), ValueError, "features is -1; wanted a whole"),
    ("few names", lambda: Features(3, names=("a",)), ValueError, "1 names for 3 features"),
    (
        "frame",
        lambda: Features(1, names=("a",)).rows(pd.DataFrame({"b": [1.0]})),
        ValueError,
        r"X has other columns than the model was trained on: missing \['a'\]",
    ),
    (
        "dates",
        lambda: Features(1).rows(pd.DataFrame({"b": pd.to_datetime(["2020-01-01"])})),
        ValueError,
        "column 'b' has dtype datetime64",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
