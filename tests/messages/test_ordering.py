"""What is said of bad input: orders."""

from mddag.ordering import Correlation, Given
from tests.messages.message import check, each
from tests.messages.models import X

ROWS = [
    ("focus", lambda: Correlation(focus="sharp"), ValueError, "focus is 'sharp'; wanted a finite"),
    ("max_rows", lambda: Correlation(max_rows=0), ValueError, "max_rows is 0; wanted"),
    (
        "order of",
        lambda: Given()(X),
        TypeError,
        "votes is an array of float64 of shape .*wanted Votes",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
