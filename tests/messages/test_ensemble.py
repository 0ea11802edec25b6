"""What is said of bad input: ensembles, votes and metrics; tests/ranking has more of queries."""

import numpy as np
from sklearn.svm import SVC

import mddag
from mddag import Ensemble, Features, Votes
from mddag.metrics import MAP, MRR, NDCG, MeanNDCG, rate_interval, tpr_at_fpr
from tests.messages.models import X, ensemble, model, rejected, votes


def read(source):
    return lambda: mddag.as_ensemble(source)


def called(**changes):
    return lambda: Ensemble.from_callables(
        **{"callables": [np.sin], "n_features": 3, "kind": "classifier"} | changes
    )


MODELS = [
    (read(None), TypeError, "model is a NoneType"),
    (read(SVC), TypeError, "the class SVC"),
    (read(SVC()), TypeError, "model is an SVC"),
]
ENSEMBLES = [
    (lambda: Ensemble(3, *[None] * 6), TypeError, "features is 3;"),
    (called(callables=np.sin), TypeError, "ufunc; wanted a list"),
    (called(kind="forest"), "kind is 'forest'"),
    (called(bias="none"), "bias is 'none'"),
    (lambda: Ensemble.from_trees([model()], features=Features(3)), TypeError, r"s\[0\] is"),
    (lambda: Ensemble.from_trees([], features=3), TypeError, "features is 3;"),
    (lambda: ensemble().with_cost("dear"), "cost is 'dear'"),
    (lambda: ensemble().tree(6), "t is 6;"),
    (lambda: ensemble().rescaled(2.0), TypeError, "rescaling is 2.0;"),
    (lambda: Votes.from_dense("all"), "dense is 'all'"),
    (lambda: Votes(X, 3), TypeError, "tables is 3;"),
    (lambda: votes().rows("first"), "index is 'first'"),
]


test_messages = rejected(MODELS + ENSEMBLES)


# What is said of bad input: metrics; tests/ranking has more of queries.


S, Y = np.arange(4.0), np.array([0, 0, 1, 1])


def rate(scores=S, labels=Y, fpr=0.1):
    return lambda: tpr_at_fpr(scores, labels, fpr)


RATES = [
    (rate(fpr=2), "fpr is 2;"),
    (rate("ab"), "scores is 'ab'"),
    (rate(S[:, None]), r"scores have shape \(4, 1\)"),
    (rate([0, 1, np.nan, 2]), r"scores\[2\] is NaN"),
    (rate(labels=Y[:3]), r"labels have shape \(3,\)"),
    (rate(labels=list("abab")), "labels"),
    (rate(labels=[0, 1, 2, 1]), "labels"),
    (rate(labels=[1] * 4), "no row is negative"),
    (rate(labels=[0] * 4), "no row is positive"),
    (lambda: rate_interval(3, 2), "count is 3, n is 2;"),
]
LISTS = [
    (lambda: NDCG(0), "k is 0;"),
    (lambda: NDCG(5, gain="log"), "gain is 'log'"),
    (lambda: NDCG()(S, Y, None), "qid is missing"),
    (lambda: MAP()(S, Y, [1, 2]), r"qid has shape \(2,\)"),
    (lambda: MRR()(S, Y, Y == 1), "qid is an array of bool"),
    (lambda: NDCG()([], [], []), "there are no documents"),
    (lambda: MeanNDCG()(S, -Y, Y), r"labels\[2\] is -1.0"),
    (lambda: NDCG()(S, Y[:3], Y), "4 scores and 3 labels"),
    (lambda: NDCG()([np.nan] * 4, Y, Y), r"scores\[0\] is nan"),
]


test_messages_of_metrics = rejected(RATES + LISTS)
