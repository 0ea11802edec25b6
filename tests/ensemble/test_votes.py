import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.ensemble.votes import Tables, Votes, partial_sums, top_and_margin
from tests import strategies

small = st.sampled_from([-1.0, 0.0, 0.5, 1.0])


@given(st.integers(1, 6), st.integers(0, 4), st.integers(1, 3), st.data())
def test_dense_votes_round_trip(n, n_classifiers, n_scores, data):
    size = n * n_classifiers * n_scores
    flat = data.draw(st.lists(small, min_size=size, max_size=size))
    dense = np.array(flat).reshape(n, n_classifiers, n_scores)
    votes = Votes.from_dense(dense, bias=0.25)
    np.testing.assert_array_equal(votes.dense(), dense)
    np.testing.assert_allclose(votes.scores(), 0.25 + dense.sum(axis=1))
    assert len(votes) == n


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 30])
@pytest.mark.parametrize("n_scores", [1, 3])
def test_scores_are_added_in_the_order_of_the_trees(n, n_scores):
    """Whatever rows are added up together."""
    dense = np.random.default_rng(0).normal(size=(n, 25, n_scores))
    wanted = np.full((n, n_scores), 0.1)
    for j in range(25):
        wanted += dense[:, j]
    np.testing.assert_array_equal(Votes.from_dense(dense, bias=0.1).scores(), wanted)


def test_rows_and_order():
    dense = np.random.default_rng(0).integers(0, 3, size=(5, 4, 2)).astype(float)
    votes = Votes.from_dense(dense)
    np.testing.assert_array_equal(votes.rows(np.array([3, 1])).dense(), dense[[3, 1]])
    np.testing.assert_array_equal(votes.rows(slice(1, 3)).dense(), dense[1:3])
    np.testing.assert_array_equal(votes.reordered([2, 0]).dense(), dense[:, [2, 0]])


SOUND = {
    "values": np.zeros(6),
    "starts": np.array([0, 2, 6]),
    "score": np.array([1, -1], np.int32),
    "rounds": np.array([0, 1, 2]),
    "bias": np.zeros(2),
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"score": np.array([2, -1], np.int32)}, "tree 0 votes for score 2"),
        ({"score": np.array([0, -2], np.int32)}, "tree 1 votes for score -2"),
        ({"starts": np.array([0, 2, 7])}, r"starts are \[0 2 7\]"),
        ({"starts": np.array([0, 6])}, r"starts are \[0 6\]"),
        ({"starts": np.array([0, 3, 6])}, "table of tree 1 has 3 values"),
        ({"rounds": np.array([0, 2, 1, 2])}, r"rounds are \[0 2 1 2\]"),
        ({"rounds": np.array([0, 3])}, r"rounds are \[0 3\]"),
        ({"rounds": np.empty(0, np.int64)}, r"rounds are \[\]"),
    ],
)
def test_tables_that_kernels_could_not_follow_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        Tables(**(SOUND | changes))


def test_all_of_one_score_is_that_score():
    changes = {"bias": np.zeros(1), "score": np.array([0, -1], np.int32)}
    assert Tables(**(SOUND | changes)).score.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        (np.zeros((3, 1), np.uint8), r"codes are .* of shape \(3, 1\)"),
        (np.zeros(2, np.uint8), r"codes are .* of shape \(2,\)"),
        (np.array([[0, 0], [1, 2]], np.uint8), "codes of tree 1 go up to 2"),
    ],
)
def test_codes_of_leaves_that_are_not_there_are_refused(codes, message):
    with pytest.raises(ValueError, match=message):
        Votes(codes, Tables(**SOUND))


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([0, 4], r"order\[1\] is 4"),
        ([-1], r"order\[0\] is -1"),
        ([0.0, 1.0], r"order is float64"),
        ([[0, 1]], r"order is int64 of shape \(1, 2\)"),
    ],
)
def test_an_order_of_what_is_not_there_is_refused(order, message):
    with pytest.raises(ValueError, match=message):
        Votes.from_dense(np.zeros((2, 4))).reordered(order)


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_partial_sums_are_those_of_prefixes(data):
    ensemble = data.draw(strategies.ensembles())
    votes = ensemble.votes(data.draw(strategies.rows(ensemble.n_features)))
    sums = [f.copy() for f in partial_sums(votes)]
    assert len(sums) == len(ensemble) + 1
    np.testing.assert_array_equal(sums[-1], votes.scores())
    for j, f in enumerate(sums):
        np.testing.assert_allclose(
            f, votes.tables.bias + votes.dense()[:, :j].sum(axis=1), atol=1e-12
        )


def test_partial_sums_go_on_from_any_step():
    rng = np.random.default_rng(0)
    votes = Votes.from_dense(rng.normal(size=(20, 150, 3)))
    sums = [f.copy() for f in partial_sums(votes)]
    for start in (0, 1, 70, 150):
        rest = [f.copy() for f in partial_sums(votes, start, sums[start])]
        np.testing.assert_array_equal(rest, sums[start:])


def test_partial_sums_of_some_rows():
    rng = np.random.default_rng(0)
    votes, rows = Votes.from_dense(rng.normal(size=(20, 150, 3))), np.array([3, 3, 17])
    wanted = [f[rows] for f in partial_sums(votes)]
    np.testing.assert_array_equal([f.copy() for f in partial_sums(votes, rows=rows)], wanted)
    rest = [f.copy() for f in partial_sums(votes, 70, wanted[70], rows)]
    np.testing.assert_array_equal(rest, wanted[70:])


def test_top_and_margin_by_hand():
    top, margin = top_and_margin(np.array([[1.0, 3.0, 2.5], [2.0, 2.0, -1.0]]))
    assert top.tolist() == [1, 0]
    assert margin.tolist() == [0.5, 0.0]
