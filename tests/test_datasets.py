"""The toy problem of the paper: two clusters."""

import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from mddag.datasets import two_clusters


def test_half_are_negative_and_a_quarter_in_each_positive_cluster():
    X, y, cluster = two_clusters(4000, random_state=0)
    assert X.shape == (4000, 2)
    assert np.bincount(cluster).tolist() == [2000, 1000, 1000]
    np.testing.assert_array_equal(y, cluster > 0)


def test_the_rows_are_shuffled_and_depend_on_the_seed_alone():
    X, _, cluster = two_clusters(500, random_state=3)
    again, _, _ = two_clusters(500, random_state=np.random.RandomState(3))
    other, _, _ = two_clusters(500, random_state=4)
    np.testing.assert_array_equal(X, again)
    assert (other != X).all()
    assert 0.3 < np.mean(cluster[:250] == 0) < 0.7


def test_the_positive_clusters_are_easily_told_apart():
    X, y, cluster = two_clusters(random_state=0)
    above_the_diagonal = X[y == 1, 1] > X[y == 1, 0]
    assert np.mean(above_the_diagonal == (cluster[y == 1] == 1)) > 0.995


def test_stumps_misclassify_about_one_row_in_ten():
    X, y, _ = two_clusters(random_state=0)
    X_test, y_test, _ = two_clusters(random_state=1)
    boost = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=100).fit(X, y)
    assert 0.08 < np.mean(boost.predict(X_test) != y_test) < 0.14


@pytest.mark.skipif(not os.environ.get("MDDAG_ANCHORS"), reason="MDDAG_ANCHORS is not set")
def test_the_clusters_lie_where_those_of_the_published_runs_do():
    anchor = np.load(Path(os.environ["MDDAG_ANCHORS"]) / "two_train.npz")
    X, _, cluster = two_clusters(random_state=0)
    for k in range(3):
        ours, theirs = X[cluster == k], anchor["X"][anchor["sub"] == k]
        np.testing.assert_allclose(ours.mean(axis=0), theirs.mean(axis=0), atol=0.1)
        np.testing.assert_allclose(np.cov(ours.T), np.cov(theirs.T), atol=0.1)


def test_a_sample_needs_rows():
    with pytest.raises(ValueError, match="n_samples is 0; wanted a whole number, 1 or more"):
        two_clusters(0)
    with pytest.raises(ValueError, match=r"n_samples.*'many'"):
        two_clusters("many")
