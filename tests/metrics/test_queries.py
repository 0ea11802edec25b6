"""Documents by query: rows of a query need not stand together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mddag.metrics.queries import Queries, checked_qid, sizes_of_groups


@given(st.lists(st.integers(0, 4), min_size=1, max_size=50))
def test_rows_are_taken_query_by_query(qid):
    queries = Queries.of(qid, len(qid))
    values = np.array(qid)
    appear = list(dict.fromkeys(qid))
    wanted = [i for q in appear for i in range(len(qid)) if qid[i] == q]
    assert queries.rows.tolist() == wanted
    assert queries.sizes.tolist() == [qid.count(q) for q in appear]
    assert queries.returned(queries.taken(values)).tolist() == qid
    assert [appear[q] for q in queries.of_rows()] == qid
    sums = queries.running_sums(np.ones(len(qid)))
    assert sums.tolist() == (queries.ranks + 1).tolist()
    assert queries.sums(np.ones(len(qid))).tolist() == queries.sizes.tolist()


def test_some_of_the_queries():
    queries = Queries.of([3, 5, 3, 7], 4)
    rows, some = queries.some(np.array([2, 0]))
    assert rows.tolist() == [3, 0, 2]
    assert some.sizes.tolist() == [1, 2]
    assert repr(some) == "<Queries: 2 with 3 documents>"


def test_groups_are_sizes():
    assert sizes_of_groups([2, 1], 3).starts.tolist() == [0, 2, 3]
    for group in ([2, 2], [3, 0], [1.5, 1.5], [[3]], "abc"):
        with pytest.raises(ValueError, match="wanted the number of rows of each query"):
            sizes_of_groups(group, 3)


@pytest.mark.parametrize(
    ("qid", "message"),
    [
        (None, "qid is missing; a ranker needs one query number"),
        ([1, 2], r"qid has shape \(2,\); wanted .*, \(3,\)"),
        ([[1], [2], [3]], r"qid has shape \(3, 1\)"),
        ([1.0, 2.5, 3.0], r"qid\[1\] is 2.5; wanted one query number \(a whole number or a str\)"),
        ([1.0, float("nan"), 3.0], r"qid\[1\] is nan"),
        ([True, False, True], "qid is an array of bool"),
        ([None, 1, 2], "qid is an array of object"),
        (np.array(["a", 1, 2], object), "qid is an array of object"),
    ],
)
def test_refused(qid, message):
    with pytest.raises(ValueError, match=message):
        checked_qid(qid, 3)
