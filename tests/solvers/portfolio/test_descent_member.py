import numpy as np

from mddag.ordering import Correlation, Given
from mddag.solvers import Descent, Margin
from mddag.solvers.portfolio.arranged_rows import ArrangementRule, RowsByArrangement, RowSubset
from mddag.solvers.portfolio.descent_member import (
    N_PRICES,
    N_STARTS,
    SMALL,
    explore_thoroughly,
    explored,
    is_thorough,
    runs_in,
    thinned,
)
from mddag.solvers.portfolio.entries import Entries
from tests.solvers.problems import mdp_of

ALL, FEW = ArrangementRule(Given()), ArrangementRule(Correlation(), 3)


def test_descents_run_in_condensed_arrangements_and_by_labels_in_whole_ones():
    two, three = mdp_of(0), mdp_of(0, n_scores=3)
    assert runs_in(Descent(targets="teacher"), FEW, [ALL, FEW], two)
    assert not runs_in(Descent(targets="teacher"), ALL, [ALL, FEW], two)
    assert runs_in(Descent(), ALL, [ALL, FEW], two)
    assert not runs_in(Descent(), ALL, [ALL, FEW], three)
    assert runs_in(Descent(targets="teacher"), ALL, [ALL], two)


def test_the_given_order_is_explored_before_others():
    assert explored([FEW, ALL]) is ALL
    assert explored([FEW]) is FEW
    assert explored([]) is None


def test_few_prices_of_many_keep_their_ends():
    prices = [float(b) for b in range(20)]
    assert len(thinned(prices)) == N_PRICES
    assert (thinned(prices)[0], thinned(prices)[-1]) == (0.0, 19.0)
    assert thinned(prices[:3]) == prices[:3]


def test_small_problems_are_explored_thoroughly_in_one_arrangement():
    small, whole = RowSubset(mdp_of(0)), ArrangementRule(Correlation())
    assert is_thorough(Descent(), whole, small)
    assert not is_thorough(Descent(targets="teacher"), whole, small)
    assert not is_thorough(Margin(), whole, small)
    assert not is_thorough(Descent(), ALL, small)
    assert not is_thorough(Descent(), FEW, small)
    n_steps = small.whole.n_steps
    many = RowSubset(small.whole, np.zeros(SMALL[1] // n_steps + 1, np.intp))
    assert not is_thorough(Descent(), whole, many)


def test_the_rows_for_learning_choose_among_starts():
    rows = RowsByArrangement(RowSubset(mdp_of(0)), RowSubset(mdp_of(1)))
    arranged, rule = rows.of(ArrangementRule(Correlation())), [0.01, 0.001]
    entries = Entries(rows.of(ArrangementRule(Given())))
    explore_thoroughly(Descent(random_state=0), arranged, rule, entries)
    assert [len(e.judgements.costs) for e in entries.entries] == [1, 1, 1]
    assert f"n_starts={N_STARTS // 2}" in entries.entries[-1].name
    learning = arranged.learning.with_beta(0.01)
    found = learning.evaluate(entries.entries[1].candidates[0]).objective
    ends = Descent(random_state=0, n_starts=N_STARTS // 2).policies(learning)
    assert found == min(learning.evaluate(end).objective for end in ends)
