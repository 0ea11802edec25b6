"""A union sums its ensembles by their weights, row by row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.union import interleaved, united, united_votes
from tests import strategies


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_scores_are_the_weighted_sum(data):
    one = data.draw(strategies.ensembles())
    other = one.truncated(max(len(one) - 1, 0))
    X = np.asarray(data.draw(strategies.rows(one.n_features)), np.float64)
    union = united([one, other], [0.75, 0.5])
    wanted = 0.75 * one.scores(X) + 0.5 * other.scores(X)
    np.testing.assert_allclose(union.scores(X), wanted, rtol=1e-9, atol=1e-9)
    votes = united_votes([one.votes(X), other.votes(X)], union)
    np.testing.assert_array_equal(votes.codes, union.votes(X).codes)
    assert len(union) == len(one) + len(other)


def test_prefixes_have_a_part_of_each():
    assert interleaved([3, 1, 2]).tolist() == [0, 3, 4, 1, 5, 2]


def test_what_cannot_be_added_is_refused():
    one = Ensemble.from_callables([lambda X: X[:, 0]], n_features=1)
    with pytest.raises(ValueError, match="cannot be united"):
        united([one, one], [1.0, 1.0])
