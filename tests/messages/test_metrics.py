"""What is said of bad input: metrics."""

import numpy as np

from mddag.metrics import (
    MAP,
    MRR,
    NDCG,
    MeanNDCG,
    rate_interval,
    threshold_at_tpr,
    tpr_at_fpr,
)
from tests.messages.message import check, each

S, Y = np.arange(4.0), np.array([0, 0, 1, 1])

ROWS = [
    ("rate", lambda: tpr_at_fpr(S, Y, 2), ValueError, "fpr is 2; wanted a rate from 0 to 1"),
    ("tpr", lambda: threshold_at_tpr(S, Y, "all"), ValueError, "tpr is 'all'; wanted a rate"),
    ("words", lambda: tpr_at_fpr("ab", Y, 0.1), ValueError, "scores is 'ab'; wanted one number"),
    ("columns", lambda: tpr_at_fpr(S[:, None], Y, 0.1), ValueError, r"scores have shape \(4, 1\)"),
    ("labels", lambda: tpr_at_fpr(S, Y[:3], 0.1), ValueError, r"labels have shape \(3,\)"),
    ("names", lambda: tpr_at_fpr(S, list("abab"), 0.1), ValueError, "wanted 0 and 1, -1 and 1"),
    ("three", lambda: tpr_at_fpr(S, [0, 1, 2, 1], 0.1), ValueError, "wanted 0 and 1, -1 and 1"),
    ("NaN", lambda: tpr_at_fpr([0, 1, np.nan, 2], Y, 0.1), ValueError, r"scores\[2\] is NaN"),
    ("no negative", lambda: tpr_at_fpr(S, [1] * 4, 0.1), ValueError, "no row is negative; an FPR"),
    ("no positive", lambda: tpr_at_fpr(S, [0] * 4, 0.1), ValueError, "no row is positive; a TPR"),
    ("count", lambda: rate_interval(3, 2), ValueError, "count is 3, n is 2; wanted a count of at"),
    ("k", lambda: NDCG(0), ValueError, "k is 0; wanted a whole number, 1 or more"),
    ("gain", lambda: NDCG(5, gain="log"), ValueError, "gain is 'log'; wanted one of 'exponential'"),
    ("no qid", lambda: NDCG()(S, Y, None), ValueError, "qid is missing; a ranker needs one query"),
    ("few qid", lambda: MAP()(S, Y, [1, 2]), ValueError, r"qid has shape \(2,\); wanted one query"),
    ("half qid", lambda: MRR()(S, Y, S + 0.5), ValueError, r"qid\[0\] is 0.5; wanted one query"),
    ("flags", lambda: MRR()(S, Y, Y == 1), ValueError, "qid is an array of bool"),
    ("gone", lambda: NDCG()([], [], []), ValueError, "there are no documents; wanted at least one"),
    ("label", lambda: MeanNDCG()(S, -Y, Y), ValueError, r"labels\[2\] is -1.0; wanted one relev"),
    ("fewer", lambda: NDCG()(S, Y[:3], Y), ValueError, "there are 4 scores and 3 labels; wanted"),
    ("unsortable", lambda: NDCG()([np.nan] * 4, Y, Y), ValueError, r"scores\[0\] is NaN; wanted"),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
