import numpy as np

from mddag import Votes
from mddag.ordering import Given


def test_the_order_is_as_it_was():
    assert Given()(Votes.from_dense(np.eye(3))).tolist() == [0, 1, 2]
