import numpy as np

from mddag.ordering import Correlation, Given
from mddag.solvers.portfolio.arranged_rows import (
    ArrangementRule,
    RowsByArrangement,
    RowSubset,
)
from tests.solvers.problems import mdp_of


def rows_of(mdp):
    return RowsByArrangement(
        RowSubset(mdp, np.arange(0, 60, 2)), RowSubset(mdp, np.arange(1, 60, 2))
    )


def test_rows_are_arranged_once_and_one_is_kept():
    rows, rule = rows_of(mdp_of(1, n=60)), ArrangementRule(Given())
    assert rows.of(rule) is rows.of(rule)
    first = rows.of(rule)
    rows.of(ArrangementRule(Correlation()))
    assert rows.of(rule) is not first


def test_both_parts_have_the_order_and_the_grid_of_the_learning_rows():
    rows = rows_of(mdp_of(1, n=60))
    ordered = rows.of(ArrangementRule(Correlation()))
    assert ordered.judge.mdp.grid is ordered.learning.grid
    assert sorted(ordered.arrangement.order) == list(range(ordered.learning.n_steps))


def test_a_condensed_arrangement_keeps_as_many_steps_as_asked():
    mdp = mdp_of(2, n=60, n_steps=6)
    assert rows_of(mdp).of(ArrangementRule(Correlation(), 3)).learning.n_steps == 3


def test_of_many_rows_some_are_taken_with_their_labels():
    whole = RowSubset(mdp_of(1, n=60))
    assert whole.at_most(None) is whole.at_most(60) is whole
    some = whole.at_most(4)
    assert some.index.tolist() == [0, 19, 39, 59]
    odd = RowSubset(whole.whole, np.arange(1, 60, 2), np.arange(30) % 2)
    few = odd.at_most(2)
    assert few.index.tolist() == [1, 59]
    assert few.mdp().labels.tolist() == [0, 1]
    assert len(few) == 2
