from types import SimpleNamespace

import numpy as np

from mddag.ordering import Correlation, Given
from mddag.ordering.arrangement import Arrangement
from mddag.solvers import Descent, Margin
from mddag.solvers.portfolio.arranged_rows import ArrangementRule, RowsByArrangement, RowSubset
from mddag.solvers.portfolio.descent_member import (
    N_PRICES,
    N_STARTS,
    SMALL,
    _may_end,
    _may_win,
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


def test_descents_on_labels_run_at_all_prices():
    three, soft = mdp_of(0, n_scores=3), mdp_of(0, n_scores=3, labels="shares")
    assert not _may_end(Descent(), three)
    assert _may_end(Descent(), soft)
    assert _may_end(Descent(targets="teacher"), three)
    assert not _may_end(Descent(targets="teacher"), mdp_of(0))


def values_of(here, before, known):
    """Entries of which the least values are these, by price; `before` without the descents."""

    def least(price, arrangement=None, n_entries=None):
        return (known if arrangement is None else here if n_entries is None else before)[price]

    return SimpleNamespace(least=least)


def test_descents_go_on_where_the_chord_or_what_was_gained_leaves_hope():
    """At .02 the best here is .2, at 0 it is .1: at .01 it is .15 at least."""
    here, arrangement = {0.02: 0.2, 0.0: 0.1}, Arrangement(np.arange(4))

    def goes_on(before, known):
        entries = values_of(here, {0.02: before}, {0.01: known})
        return _may_win(entries, arrangement, 0.01, 0.02, 1)

    assert goes_on(before=0.2, known=0.151)
    assert goes_on(before=0.2, known=0.15)
    assert not goes_on(before=0.2, known=0.149)
    assert goes_on(before=0.21, known=0.141)
    assert not goes_on(before=0.21, known=0.139)


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
