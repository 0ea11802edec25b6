"""Metrics of rankings: LETOR's check vector, other libraries, a slow twin, and the odd cases."""

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from mddag.metrics import MAP, MRR, NDCG, LetorNDCG, MeanNDCG
from mddag.metrics.ranking import Queries, checked_qid
from tests.reference import ranking as twin

METRICS = [NDCG(1), NDCG(3), NDCG(10), NDCG(None), LetorNDCG(3), MeanNDCG(), MAP(), MRR()]


@st.composite
def rankings(draw):
    n = draw(st.integers(1, 40))
    scores = draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n))
    labels = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    qid = draw(st.lists(st.integers(-2, 4), min_size=n, max_size=n))
    return np.array(scores, float), np.array(labels), np.array(qid)


def by_twin(metric, scores, labels, qid):
    queries = list(twin.ranked(scores.tolist(), labels.tolist(), qid.tolist()))
    if isinstance(metric, MeanNDCG):
        return [twin.mean_ndcg(labels) for labels in queries]
    if isinstance(metric, MAP):
        return [twin.average_precision(labels) for labels in queries]
    if isinstance(metric, MRR):
        return [twin.reciprocal_rank(labels) for labels in queries]
    discount = twin.letor if isinstance(metric, LetorNDCG) else twin.usual
    return [twin.ndcg(labels, metric.k, discount) for labels in queries]


@pytest.mark.parametrize("metric", METRICS, ids=repr)
@given(rankings())
def test_the_twin(metric, ranking):
    found = metric.per_query(*ranking)
    np.testing.assert_allclose(found, by_twin(metric, *ranking), atol=1e-12)
    assert metric(*ranking) == pytest.approx(found.mean(), abs=1e-12)


def test_the_check_vector_of_letor():
    """Ranked labels 2, 0, 1: DCG 3, 3, 3.63093; ideal 3, 4, 4."""
    ranking = [3.0, 2.0, 1.0], [2, 0, 1], [7, 7, 7]
    assert MeanNDCG()(*ranking) == pytest.approx(0.885911, abs=1e-6)
    at = [LetorNDCG(k)(*ranking) for k in (1, 2, 3)]
    assert at == pytest.approx([1.0, 0.75, 0.907733], abs=1e-6)


def test_the_usual_metric_is_another_number():
    ranking = [3.0, 2.0, 1.0], [2, 0, 1], [7, 7, 7]
    usual = (3 + 1 / 2) / (3 + 1 / np.log2(3))
    assert NDCG(3)(*ranking) == pytest.approx(usual)
    assert NDCG(10)(*ranking) == NDCG(3)(*ranking)  # k beyond the query
    linear = (2 + 1 / 2) / (2 + 1 / np.log2(3))
    assert NDCG(3, gain="linear")(*ranking) == pytest.approx(linear)


def sample(seed=0, n_queries=30):
    """Queries that have a relevant document each, and scores without ties: trec_eval has a rule of
    its own for them."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), rng.integers(1, 30, n_queries))
    labels = rng.choice(4, p=[0.6, 0.2, 0.1, 0.1], size=len(qid))
    labels[np.unique(qid, return_index=True)[1]] = 1
    return rng.permutation(len(qid)).astype(float), labels, qid


def as_dicts(values, qid):
    return {
        str(q): {str(i): values[i].item() for i in np.flatnonzero(qid == q)}
        for q in dict.fromkeys(qid.tolist())
    }


@pytest.mark.parametrize("seed", range(5))
def test_as_trec_eval(seed):
    scores, labels, qid = sample(seed)
    run, gains = as_dicts(scores, qid), as_dicts(2**labels - 1, qid)
    measures = {"ndcg_cut.10", "ndcg", "map", "recip_rank"}
    found = pytrec_eval.RelevanceEvaluator(gains, measures).evaluate(run)
    for metric, name in (
        (NDCG(10), "ndcg_cut_10"),
        (NDCG(None), "ndcg"),
        (MAP(), "map"),
        (MRR(), "recip_rank"),
    ):
        wanted = [found[str(q)][name] for q in dict.fromkeys(qid.tolist())]
        np.testing.assert_allclose(metric.per_query(scores, labels, qid), wanted, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_as_ir_measures(seed):
    scores, labels, qid = sample(seed)
    run, given_labels = as_dicts(scores, qid), as_dicts(labels, qid)
    pairs = {
        ir_measures.nDCG @ 10: NDCG(10, gain="linear"),
        ir_measures.nDCG @ 3: NDCG(3, gain="linear"),
        ir_measures.AP: MAP(),
        ir_measures.RR: MRR(),
        ir_measures.RR @ 2: MRR(2),
    }
    found = ir_measures.calc_aggregate(list(pairs), given_labels, run)
    for measure, metric in pairs.items():
        assert metric(scores, labels, qid) == pytest.approx(found[measure], abs=1e-6)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_odd_queries(metric):
    assert metric([0.1, 0.2], [0, 0], [1, 1]) == 0.0  # no relevant document
    assert metric([0.1], [2], [1]) == 1.0  # one document
    assert metric([0.1], [0], [1]) == 0.0
    tied = metric([5.0, 5.0, 5.0], [2, 1, 0], [1, 1, 1])
    assert tied == 1.0  # ties keep the order of the file
    assert metric([5.0, 5.0, 5.0], [0, 1, 2], [1, 1, 1]) < 1.0
    both = metric([0.1, 0.2, 1.0], [0, 0, 1], [1, 1, 2])
    assert both == 0.5  # queries without relevant documents count


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_the_order_of_queries_does_not_matter(metric):
    scores, labels, qid = sample()
    shuffled = np.random.default_rng(1).permutation(len(qid))
    mixed = metric.per_query(scores[shuffled], labels[shuffled], qid[shuffled])
    appear = list(dict.fromkeys(qid[shuffled].tolist()))
    np.testing.assert_allclose(mixed, metric.per_query(scores, labels, qid)[appear], atol=1e-12)
    names = np.array([f"query {q}" for q in qid])
    for other in (names, names.astype(object), qid.astype(float), qid.tolist()):
        assert metric(scores, labels, other) == metric(scores, labels, qid)


def test_worth_of_positions_falls():
    scores, labels, qid = sample()
    queries = Queries.of(qid, len(qid))
    for metric in (NDCG(5), LetorNDCG(5), MeanNDCG()):
        gains = metric.gains(labels.astype(float))
        worth = metric.worth(gains[queries.order(gains)], queries)
        inside = np.diff(queries.query) == 0
        assert (np.diff(worth)[inside] <= 1e-12).all()
        for q in range(len(queries)):
            of = worth[queries.starts[q] : queries.starts[q + 1]]
            behind = of[metric.depth(len(of)) :]
            assert len(behind) == 0 or np.ptp(behind) == 0
        assert metric.of_gains(scores, gains, queries) == pytest.approx(
            metric.per_query(scores, labels, qid)
        )


# Queries: rows of a query need not stand together.


@given(st.lists(st.integers(0, 4), min_size=1, max_size=50))
def test_rows_are_taken_query_by_query(qid):
    queries = Queries.of(qid, len(qid))
    values = np.array(qid)
    appear = list(dict.fromkeys(qid))
    wanted = [i for q in appear for i in range(len(qid)) if qid[i] == q]
    assert queries.rows.tolist() == wanted
    assert queries.sizes.tolist() == [qid.count(q) for q in appear]
    assert queries.returned(queries.taken(values)).tolist() == qid
    sums = queries.running_sums(np.ones(len(qid)))
    assert sums.tolist() == (queries.ranks + 1).tolist()
    assert queries.sums(np.ones(len(qid))).tolist() == queries.sizes.tolist()


def test_some_of_the_queries():
    queries = Queries.of([3, 5, 3, 7], 4)
    rows, some = queries.some(np.array([2, 0]))
    assert rows.tolist() == [3, 0, 2]
    assert some.sizes.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("qid", "words"),
    [
        (None, "qid is missing"),
        ([1, 2], r"qid has shape \(2,\).*\(3,\)"),
        ([[1], [2], [3]], r"qid has shape \(3, 1\)"),
        ([[1], [2, 3]], "qid is a list"),
        (np.ma.array([1, 2, 3], mask=[0, 0, 1]), "qid is an array with masked"),
        ([1.0, 2.5, 3.0], r"qid\[1\] is 2.5"),
        ([1.0, float("nan"), 3.0], r"qid\[1\] is nan"),
        (np.arange(3) + 2.0**60, r"qid\[0\] is 1.15.* up to 9007199254740992"),
        ([True, False, True], "qid is an array of bool"),
        ([None, 1, 2], "qid is an array of object"),
        (np.array(["a", 1, 2], object), "qid is an array of object"),
    ],
)
def test_unsound_queries(qid, words):
    with pytest.raises(ValueError, match=words):
        checked_qid(qid, 3)
