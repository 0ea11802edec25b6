import numpy as np
import pytest

from mddag import MDP
from mddag.losses import Squared
from mddag.losses.of_means import OfMeans


def test_scores_are_logarithms_of_what_is_predicted():
    loss = OfMeans(Squared())
    scores = np.log([[2.0], [3.0]])
    np.testing.assert_allclose(loss.predictions(scores), [[2.0], [3.0]])
    np.testing.assert_allclose(loss(scores, np.array([2.0, 1.0])), [0.0, 4.0], atol=1e-12)


def test_the_row_whose_mean_is_too_large_is_named():
    mdp = MDP([[1.0], [800.0]], [1.0, 2.0], loss=OfMeans(Squared()))
    with pytest.raises(ValueError, match=r"is inf on row 1, whose scores are \[800.0\]"):
        mdp.evaluate(mdp.evaluate_all())
