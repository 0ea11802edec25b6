from mddag.ordering import Correlation, Given
from mddag.solvers import Descent
from mddag.solvers.portfolio.arranged_rows import ArrangementRule
from mddag.solvers.portfolio.descent_member import N_PRICES, explored, runs_in, thinned
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
