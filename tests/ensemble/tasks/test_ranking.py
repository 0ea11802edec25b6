import numpy as np

from mddag.ensemble.tasks import Ranking


def test_scores_are_what_documents_are_sorted_by():
    scores = np.array([[0.5], [-1.0]])
    np.testing.assert_array_equal(Ranking().predictions(scores), [0.5, -1.0])
    assert Ranking().prediction_of_one(abs) is abs


def test_there_is_no_estimator_of_sparse_rankers():
    assert Ranking.estimator is None
