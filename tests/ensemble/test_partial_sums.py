import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.ensemble.partial_sums import partial_sums, top_and_margin
from mddag.ensemble.votes import Votes
from tests import strategies


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


def test_partial_sums_of_many_trees():
    rng = np.random.default_rng(0)
    votes = Votes.from_dense(rng.integers(-3, 4, size=(20, 150)))
    sums = np.stack([f[:, 0].copy() for f in partial_sums(votes)], axis=1)
    np.testing.assert_array_equal(sums[:, 1:], np.cumsum(votes.dense()[:, :, 0], axis=1))


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
