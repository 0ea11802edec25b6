"""The candidate that a bound takes is the cheapest before the first that fails."""

import numpy as np

from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, Policy
from mddag.tuning.candidate_front import Candidate, CandidateFront

POLICY = Policy.constant(EVAL, 3, Grid(np.empty(0), 1))
ROWS = np.arange(4)


def candidate(cost, lost, counted=None):
    excess = np.full(4, lost)
    return Candidate(0.1, POLICY, np.full(4, cost, np.int32), excess, counted)


def front(*candidates):
    made = CandidateFront()
    made.candidates, made.weight = [candidate(100, 0.0), *candidates], None
    return made


def test_the_cheapest_before_the_first_that_fails():
    some = front(candidate(5, 0.01), candidate(50, 0.0), candidate(20, 0.005), candidate(2, 0.2))
    assert some.within_loss(0.01, ROWS, ROWS).cost[0] == 5
    assert some.within_loss(0.006, ROWS, ROWS).cost[0] == 20


def test_the_full_ensemble_is_left_where_all_fail():
    some = front(candidate(9, 0.5))
    assert some.within_loss(0.1, ROWS, ROWS) is some.everything


def test_what_is_counted_is_the_cost():
    one = candidate(5, 0.0, counted=np.full(4, 70))
    other = candidate(9, 0.0, counted=np.full(4, 30))
    assert one.cost[0] == 70
    laid = front(other, one).laid_out(0.1, lambda c: True, ROWS)
    assert [c.cost[0] for c in laid] == [100, 70, 30]


def test_rows_count_by_their_weight():
    some = front(Candidate(0.1, POLICY, np.full(4, 9, np.int32), np.array([1.0, 0, 0, 0])))
    assert some.within_loss(0.1, ROWS, ROWS) is some.everything
    some.weight = np.array([0.1, 1, 1, 1])
    assert some.within_loss(0.1, ROWS, ROWS).cost[0] == 9
