import numpy as np
import pytest

from mddag.losses import Logistic, Squared
from mddag.ordering import Correlation, Given, arrangement, condensation
from mddag.solvers.portfolio import arranged_rows
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


def test_probabilities_are_arranged_by_some_rows_of_both_parts(monkeypatch):
    mdp = mdp_of(1, n=60, labels="shares", loss=Logistic(), weighted=True)
    rows, every_row = rows_of(mdp), np.r_[np.arange(0, 60, 2), np.arange(1, 60, 2)]
    whole, _ = rows._to_arrange(Given())
    np.testing.assert_array_equal(whole.votes.codes, mdp.votes.codes[every_row])
    monkeypatch.setattr(arranged_rows, "MAX_ROWS", 7)
    (some, at), spaced = rows._to_arrange(Given()), np.linspace(0, 59, 7).astype(int)
    assert at.tolist() == spaced.tolist()
    np.testing.assert_array_equal(some.votes.codes, mdp.votes.codes[every_row[spaced]])
    np.testing.assert_array_equal(some.labels, mdp.labels[every_row[spaced]])
    assert rows._n_equal_rows() == pytest.approx(mdp.mass.sum())


@pytest.mark.parametrize("labels", ["classes", "shares", "values"])
@pytest.mark.parametrize("size", [None, 3])
def test_rows_that_are_not_looked_at_change_no_arrangement(monkeypatch, labels, size):
    """Orders, levels and condensations take a sample of at most so many rows themselves."""
    mdp = mdp_of(1, n=60, labels=labels, loss=Squared() if labels == "values" else None)
    for module in (arranged_rows, arrangement, condensation):
        monkeypatch.setattr(module, "MAX_ROWS", 11)
    rule = ArrangementRule(Correlation(max_rows=11), size)
    few = rows_of(mdp)._arrangement(rule)
    monkeypatch.setattr(arranged_rows, "MAX_ROWS", 60)
    all_ = rows_of(mdp)._arrangement(rule)
    np.testing.assert_array_equal(few.order, all_.order)
    np.testing.assert_array_equal(few.rescaling.shift, all_.rescaling.shift)
    np.testing.assert_array_equal(few.rescaling.start, all_.rescaling.start)


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
