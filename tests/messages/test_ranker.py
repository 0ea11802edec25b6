"""What is said of bad input: rankers."""

import numpy as np

import mddag
from mddag import MDDAGRanker
from mddag.metrics import MRR
from mddag.solvers.ranking import UrgencyExits
from tests import rankings
from tests.messages.message import check, each

X, Y, QID = rankings.documents(40, seed=51)


def sparse(**given):
    return mddag.sparsify(rankings.ranker(), X, Y, **given)


ROWS = [
    ("no qid", lambda: sparse(beta=0.1), ValueError, "qid is missing; a ranker needs one query"),
    ("short", lambda: sparse(beta=0.1, qid=QID[1:]), ValueError, "qid has shape .*; wanted one"),
    ("half", lambda: sparse(beta=0.1, qid=QID + 0.5), ValueError, r"qid\[0\] is 0.5; wanted one"),
    ("flags", lambda: sparse(beta=0.1, qid=QID > 3), ValueError, "qid is an array of bool"),
    ("one", lambda: sparse(beta=0.1, qid=QID * 0), ValueError, "there is 1 query to learn from"),
    ("group", lambda: sparse(beta=0.1, group=[3, 4]), ValueError, "group sums to 7; wanted"),
    ("both", lambda: sparse(beta=0.1, group=[3], qid=QID), ValueError, "both qid and group are"),
    (
        "few",
        lambda: sparse(max_loss=0.001, qid=QID),
        ValueError,
        "40 queries are too few to promise",
    ),
    ("budget", lambda: sparse(budget=1, qid=QID), ValueError, "budget is 1, but policies evaluate"),
    (
        "metric",
        lambda: sparse(beta=0.1, qid=QID, metric=MRR()),
        TypeError,
        "metric is an MRR; wanted",
    ),
    ("solver", lambda: sparse(beta=0.1, qid=QID, solver=3), TypeError, "solver is 3; wanted how"),
    ("every", lambda: UrgencyExits(every=2), ValueError, "every is 2; wanted a whole number, 8"),
    ("labels", lambda: MDDAGRanker().fit(X, Y - 9, QID), ValueError, r"labels\[0\] is -\d"),
    ("fit", lambda: MDDAGRanker().fit(X, Y), ValueError, "qid is missing"),
    ("price", lambda: MDDAGRanker(beta=np.nan).fit(X, Y, QID), ValueError, "beta is nan; wanted"),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
