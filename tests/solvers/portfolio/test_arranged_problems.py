import numpy as np

from mddag.ordering import Correlation, Given
from mddag.solvers.portfolio.arranged_problems import (
    ArrangedProblems,
    ArrangementRule,
    RowSubset,
)
from tests.solvers.problems import mdp_of


def problems_of(mdp):
    return ArrangedProblems(
        RowSubset(mdp, np.arange(0, 60, 2)), RowSubset(mdp, np.arange(1, 60, 2))
    )


def test_a_problem_is_made_once_and_one_is_kept():
    problems, rule = problems_of(mdp_of(1, n=60)), ArrangementRule(Given())
    assert problems.of(rule) is problems.of(rule)
    first = problems.of(rule)
    problems.of(ArrangementRule(Correlation()))
    assert problems.of(rule) is not first


def test_both_parts_have_the_order_and_the_grid_of_the_learning_rows():
    problems = problems_of(mdp_of(1, n=60))
    ordered = problems.of(ArrangementRule(Correlation()))
    assert ordered.judge.mdp.grid is ordered.learning.grid
    assert sorted(ordered.arrangement.order) == list(range(ordered.learning.n_steps))


def test_a_condensed_arrangement_keeps_as_many_steps_as_asked():
    mdp = mdp_of(2, n=60, n_steps=6)
    assert problems_of(mdp).of(ArrangementRule(Correlation(), 3)).learning.n_steps == 3
