import numpy as np
import pytest

from mddag.ensemble.ensemble import Ensemble


def test_callables_vote_and_sum():
    ensemble = Ensemble.from_callables(
        [lambda X: X[:, 0], lambda X: np.sign(X[:, 1])], n_features=2, bias=[0.5]
    )
    X = np.array([[1.0, -2.0], [0.25, 3.0]])
    np.testing.assert_array_equal(ensemble.scores(X)[:, 0], [0.5, 1.75])
    np.testing.assert_array_equal(ensemble.votes(X).dense()[:, :, 0], [[1, -1], [0.25, 1]])
    np.testing.assert_array_equal(ensemble.votes(X).scores(), ensemble.scores(X))
    np.testing.assert_array_equal(ensemble.reordered([1, 0]).scores(X), ensemble.scores(X))
    np.testing.assert_array_equal(ensemble.truncated(1).scores(X)[:, 0], [1.5, 0.75])
    assert "2 callables" in repr(ensemble)
    assert ensemble.labels(ensemble.scores(X)).tolist() == [1, 1]


def test_callables_of_several_classes():
    ensemble = Ensemble.from_callables(
        [lambda X: np.c_[X, -X, 0 * X]] * 3, n_features=1, bias=[0, 0, 0.1], classes=list("abc")
    )
    assert ensemble.labels(ensemble.scores([[1.0], [-1.0], [0.0]])).tolist() == ["a", "b", "c"]


def test_unfit_callables_are_refused():
    with pytest.raises(TypeError, match=r"callables\[1\] is an int"):
        Ensemble.from_callables([abs, 3], n_features=1)
    with pytest.raises(ValueError, match="callables is empty"):
        Ensemble.from_callables([], n_features=1)
    with pytest.raises(ValueError, match=r"classes has shape \(3,\)"):
        Ensemble.from_callables([abs], n_features=1, classes=[1, 2, 3])
    short = Ensemble.from_callables([lambda X: X[:1, 0]], n_features=1)
    with pytest.raises(ValueError, match=r"base classifier 0 returned votes of shape \(1, 1\)"):
        short.scores(np.zeros((2, 1)))
