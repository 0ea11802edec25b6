import pytest
from sklearn.base import clone

from mddag.learners import Product, Stump, Tree


@pytest.mark.parametrize("learner", [Stump(), Tree(), Tree(n_leaves=5), Product(n_terms=3)])
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
