import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.dag.integer_votes import LARGEST, IntegerVotes
from mddag.ensemble.votes import Votes


def votes_of(data, n_scores):
    n, n_classifiers = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 6))
    number, size = st.floats(-1e6, 1e6, allow_subnormal=False), n * n_classifiers * n_scores
    flat = data.draw(st.lists(number, min_size=size, max_size=size))
    return Votes.from_dense(np.reshape(flat, (n, n_classifiers, n_scores)), data.draw(number))


@given(st.data(), st.sampled_from([1, 3]))
@settings(deadline=None)
def test_sums_stay_in_31_bits_and_near_the_scores(data, n_scores):
    votes = votes_of(data, n_scores)
    fixed = IntegerVotes.of(votes.tables)
    tables, whole = votes.tables, fixed.bias.astype(object)
    for t in range(tables.n_trees):
        table = fixed.values[tables.starts[t] : tables.starts[t + 1]].reshape(-1, n_scores)
        whole = whole + table[votes.codes[:, t]].astype(object)
    assert np.abs(whole).max() <= LARGEST
    scores = fixed.scores(whole.astype(np.int32))
    rounding = 1e-12 * np.abs(tables.values).sum()
    assert np.abs(scores - votes.scores()).max() <= fixed.bound + rounding


@given(st.floats(-100, 100), st.integers(-1000, 1000))
def test_a_sum_is_above_an_edge_as_its_score_less_rounding_is(edge, whole):
    fixed = IntegerVotes(np.zeros(1, np.int32), np.zeros(1, np.int32), 4, 1)
    score = fixed.scores(np.array([whole], np.int32))
    assert (score - 2 * fixed.unit > edge) == (whole > fixed.edges(np.array([edge])))


@given(st.data(), st.sampled_from([1, 3]))
@settings(deadline=None)
def test_a_state_on_an_edge_stays_there(data, n_scores):
    """The sum or margin of all votes, as an edge: rounding does not lift it over itself."""
    votes = votes_of(data, n_scores)
    fixed, tables = IntegerVotes.of(votes.tables), votes.tables
    sums = fixed.bias.astype(np.int64)
    for t in range(tables.n_trees):
        table = fixed.values[tables.starts[t] : tables.starts[t + 1]].reshape(-1, n_scores)
        sums = sums + table[votes.codes[:, t]]
    scores = votes.scores()
    rounding = 1e-12 * np.abs(tables.values).sum()  # of float64 itself
    state, whole = scores[:, 0] + rounding, sums[:, 0]
    if n_scores > 1:
        state, whole = scores[:, 1] - scores[:, 0] + rounding, sums[:, 1] - sums[:, 0]
    assert (whole <= fixed.edges(state)).all()


def test_an_edge_beyond_all_sums_is_above_or_below_them():
    fixed = IntegerVotes(np.zeros(1, np.int32), np.zeros(1, np.int32), 40, 1)
    below, above = fixed.edges(np.array([-1e305, 1e305]))
    assert below < -LARGEST
    assert above > LARGEST


def test_votes_of_nothing_and_votes_without_end():
    assert IntegerVotes.of(Votes.from_dense(np.zeros((2, 3))).tables).values.tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="can sum up to inf; wanted finite"):
        IntegerVotes.of(Votes.from_dense(np.full((1, 1), np.inf)).tables)
    with pytest.raises(ValueError, match="can sum up to inf; wanted finite"):
        IntegerVotes.of(Votes.from_dense(np.full((1, 2), 1.7e308)).tables)
    assert IntegerVotes.of(Votes.from_dense(np.full((1, 2), 5e-324)).tables).exponent == 1000
