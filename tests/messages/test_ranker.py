"""What is said of bad input: rankers."""

import numpy as np

import mddag
from mddag import MDDAGRanker
from mddag.metrics import MRR
from mddag.solvers.ranking import RankExits, UrgencyExits
from tests import rankings
from tests.messages.message import check, each

X, Y, QID = rankings.documents(40, seed=51)
MASKED = np.ma.array(QID, mask=QID == 3)


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
    ("mask", lambda: sparse(beta=0.1, qid=MASKED), ValueError, "qid is an array with masked"),
    ("ragged", lambda: sparse(beta=0.1, qid=[[1], [2, 3]]), ValueError, "qid is a list that is no"),
    ("nan", lambda: sparse(beta=0.1, qid=QID * np.nan), ValueError, r"qid\[0\] is nan; wanted one"),
    (
        "large floats",
        lambda: sparse(beta=0.1, qid=QID + 2.0**60),
        ValueError,
        r"qid\[0\] is 1.15.*; wanted one .* as float64 up to 9007199254740992",
    ),
    (
        "mixed",
        lambda: sparse(beta=0.1, qid=np.array([*QID[1:], "a"], object)),
        ValueError,
        "qid is an array of object",
    ),
    ("floats", lambda: sparse(beta=0.1, group=[1.0]), ValueError, "group is an array of float64"),
    (
        "none",
        lambda: sparse(beta=0.1, group=[0]),
        ValueError,
        r"group\[0\] is 0; wanted the number",
    ),
    (
        "overflow",
        lambda: sparse(beta=0.1, group=[2**62] * 4 + [len(X)]),
        ValueError,
        r"group\[0\] is 4611686018427387904; wanted the number",
    ),
    ("no labels", lambda: MDDAGRanker().fit(X, None, QID), ValueError, "labels are missing: y is"),
    (
        "weight",
        lambda: sparse(beta=0.1, qid=QID, sample_weight=Y + 1),
        ValueError,
        "sample_weight is given, but a ranker has none here",
    ),
    (
        "train",
        lambda: sparse(beta=0.1, qid=QID, X_train=X),
        ValueError,
        "X_train is given, but qid_train is not; give both",
    ),
    (
        "train queries",
        lambda: sparse(beta=0.1, qid=QID, qid_train=QID),
        ValueError,
        "qid_train is given, but X_train is not; give both",
    ),
    (
        "short train",
        lambda: sparse(beta=0.1, qid=QID, X_train=X, qid_train=QID[1:]),
        ValueError,
        "of X_train, qid has shape",
    ),
    (
        "rate",
        lambda: sparse(target_fpr=0.1, qid=QID),
        ValueError,
        "qid is given, which is for rankers, beside target_fpr",
    ),
    (
        "jobs",
        lambda: sparse(beta=0.1, qid=QID, n_jobs=0),
        ValueError,
        "n_jobs is 0; wanted a whole",
    ),
    ("no place", lambda: RankExits(k=0), ValueError, "k is 0; wanted a whole number"),
    (
        "growth",
        lambda: sparse(beta=0.1, qid=QID, solver=UrgencyExits(growth=np.nan)),
        ValueError,
        "growth is nan; wanted a finite number",
    ),
    ("door", lambda: MDDAGRanker(solver=3).fit(X, Y, QID), TypeError, "solver is 3; wanted how"),
    ("price", lambda: MDDAGRanker(beta=np.nan).fit(X, Y, QID), ValueError, "beta is nan; wanted"),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
