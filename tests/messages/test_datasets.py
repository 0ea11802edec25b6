"""What is said of bad input: data sets."""

from mddag.datasets import two_clusters
from tests.messages.message import check, each

ROWS = [
    ("clusters", lambda: two_clusters("many"), ValueError, "n_samples is 'many'; wanted"),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
