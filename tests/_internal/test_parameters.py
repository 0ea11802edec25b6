import pytest
from sklearn.base import clone

from mddag.learners import Stump, Tree
from mddag.solvers import Sarsa
from mddag.solvers.sarsa import Flat
from mddag.solvers.values import RadialBasis, Table


@pytest.mark.parametrize("learner", [Stump(), Tree(), Tree(n_leaves=5)])
def test_repr_is_the_constructor_call_and_clones_are_equal(learner):
    assert eval(repr(learner)) == learner
    assert clone(learner) == learner
    assert clone(learner) is not learner


def test_parameters_are_set_by_name():
    assert Tree().set_params(n_leaves=4) == Tree(4)
    assert Tree(4).get_params() == {"n_leaves": 4}


def test_refuses_unknown_parameters():
    with pytest.raises(ValueError, match=r"Tree has no parameter 'depth'; it has \['n_leaves'\]"):
        Tree().set_params(depth=3)


def test_parameters_of_parameters():
    solver = Sarsa(values=Table(5))
    assert solver.get_params()["values__n_bins"] == 5
    assert "values__n_bins" not in solver.get_params(deep=False)
    solver.set_params(values=RadialBasis(), values__n_centres=3, rate=0.1)
    assert solver == Sarsa(values=RadialBasis(n_centres=3), rate=0.1)
    assert clone(solver) == solver
    assert clone(solver).values is not solver.values


def test_refuses_parameters_of_what_has_none():
    with pytest.raises(ValueError, match=r"Sarsa.values is None, which has no parameters; set val"):
        Sarsa().set_params(values__n_bins=5)
    with pytest.raises(ValueError, match="Table has no parameter 'n_bin'"):
        Sarsa(values=Table()).set_params(values__n_bin=5)


def test_what_a_constructor_refuses_cannot_be_set():
    exploration = Flat()
    with pytest.raises(ValueError, match="start is 2; wanted a probability"):
        exploration.set_params(start=2, period=5)
    assert exploration == Flat()
