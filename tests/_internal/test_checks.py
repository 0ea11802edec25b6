import numpy as np
import pytest
from sklearn.base import clone

from mddag._internal.checks import (
    MOST_THREADS,
    check_between,
    check_is,
    check_one_of,
    check_whole,
    checked_order,
    checked_permutation,
    checked_prices,
    checked_threads,
    described,
    typed,
)
from mddag.learners import Stump, Tree
from mddag.solvers import Sarsa
from mddag.solvers.sarsa import Flat
from mddag.solvers.values import RadialBasis, Table


def test_values_are_described_in_few_words():
    assert described(int) == "the class int"
    assert described(None) == "None"
    assert described(np.zeros((2, 3))) == "an array of float64 of shape (2, 3)"
    assert described([1]) == "a list"
    assert described(ValueError()) == "a ValueError"
    assert len(described("x" * 1000)) <= 60


def test_the_article_of_a_type_is_by_sound():
    for article, names in {
        "a": ("Policy", "MappingProxy", "UCIData", "GBM", "list", "ndarray", "_X", "T"),
        "an": ("MDDAGClassifier", "LGBMRanker", "XGBRegressor", "MDP", "Ensemble", "int"),
    }.items():
        for name in names:
            assert typed(type(name, (), {})()) == described(type(name, (), {})())
            assert typed(type(name, (), {})()) == f"{article} {name}"


def test_what_is_not_wanted_is_refused_in_a_sentence():
    with pytest.raises(TypeError, match=r"^votes is a list; wanted Votes$"):
        check_is("votes", [1], dict, "Votes")
    with pytest.raises(ValueError, match="n is True; wanted a whole number, 1 or more"):
        check_whole("n", True, 1)
    with pytest.raises(ValueError, match="how is 1; wanted one of True, False"):
        check_one_of("how", 1, (True, False))
    with pytest.raises(ValueError, match="z is nan; wanted a number"):
        check_between("z", float("nan"), 0, 1, "a number")


def test_prices_are_ones_by_default_and_checked_otherwise():
    assert checked_prices("costs", None, 3, "row").tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match=r"costs\[1\] is -1.0; wanted finite numbers, 0 or more"):
        checked_prices("costs", [1, -1], 2, "row")


def test_orders_name_the_first_offender():
    assert checked_permutation([1, 0], 2).tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"order\[1\] is 2; base classifiers are numbered 0..1"):
        checked_order([0, 2], 2)


def test_threads_are_bounded():
    assert checked_threads(10**12) == MOST_THREADS
    with pytest.raises(ValueError, match="n_threads is 0; wanted a whole number"):
        checked_threads(0)


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
