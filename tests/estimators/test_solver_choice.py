import numpy as np
import pytest

from mddag.estimators.solver_choice import chosen_solver, threads_of_learning
from mddag.ordering import Given
from mddag.solvers import Margin, Portfolio, Sarsa


def backwards(votes, costs=None, weight=None):
    return np.arange(votes.tables.n_classifiers)[::-1]


def test_every_is_the_solvers():
    assert chosen_solver(Margin(), every=4).every == 4
    assert chosen_solver(Margin(every=2)).every == 2
    with pytest.raises(
        ValueError, match=r"every is 4, but Sarsa.* decides at each base classifier"
    ):
        chosen_solver(Sarsa(), every=4)
    with pytest.raises(ValueError, match="every is 0"):
        chosen_solver(Margin(), every=0)


def test_an_order_reaches_a_solver_that_orders_by_itself():
    assert chosen_solver(None, ordering=backwards).orderings == (backwards,)
    portfolio = Portfolio(every=2)
    assert chosen_solver(portfolio, ordering=backwards).orderings == (backwards,)
    assert portfolio.orderings is None
    with pytest.raises(ValueError, match=r"but Portfolio.* has orders of its own; give one"):
        chosen_solver(Portfolio(orderings=(Given(),)), ordering=backwards)


def test_what_cannot_order_is_refused():
    with pytest.raises(TypeError, match="ordering is 'best'; wanted a callable"):
        chosen_solver(None, ordering="best")
    with pytest.raises(TypeError, match=r"ordering is <class .*; wanted a callable"):
        chosen_solver(Portfolio(orderings=(Given,)))


@pytest.mark.parametrize(
    ("n_threads", "n_jobs", "threads"), [(None, None, 5), (None, 2, 2), (3, 2, 3), (3, None, 3)]
)
def test_jobs_are_threads_of_a_solver_that_has_no_use_for_them(n_threads, n_jobs, threads):
    assert threads_of_learning(n_threads, n_jobs, 5) == threads


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all", True])
def test_jobs_that_make_no_sense_are_refused(n_jobs):
    with pytest.raises(ValueError, match=r"n_jobs is .*; wanted a whole number of workers, -1 for"):
        threads_of_learning(None, n_jobs)


def test_a_solver_is_told_what_it_can_do():
    assert chosen_solver(Sarsa(), verbose=True).verbose
    own = Sarsa(verbose=True)
    assert chosen_solver(own) is own
    assert chosen_solver(Margin(), verbose=True) == Margin()
