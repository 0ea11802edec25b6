"""What every exported loss must do, and that a plain function is a loss, too."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

from mddag import MDP, losses
from mddag.losses import Exponential, Hinge, Logistic, Squared, ZeroOne
from mddag.losses.loss import Loss, as_loss, margin, others, own, sign_of

MEMBERS = [getattr(losses, name) for name in losses.__all__ if name != "Loss"]
EXAMPLES = [
    *[member() for member in MEMBERS],
    ZeroOne(weights=[1.0, 5.0]),
    ZeroOne(weights=np.array([[0.0, 2.0], [3.0, 0.0]])),
    Exponential(scale=0.5),
    Hinge(scale=2.0),
    Logistic(scale=0.1),
]


class Holder(BaseEstimator):
    """An estimator with a loss among its parameters."""

    def __init__(self, loss=None):
        self.loss = loss


def in_favour(strength, label, n_scores):
    """Scores (1, K) that speak for `label` by `strength`."""
    if n_scores == 1:
        return np.array([[strength if label else -strength]])
    scores = np.full((1, n_scores), -strength)
    scores[0, label] = strength
    return scores


@pytest.mark.parametrize("loss", EXAMPLES, ids=repr)
def test_repr_is_the_constructor_call(loss):
    again = eval(repr(loss), vars(losses))
    assert again == loss
    assert hash(again) == hash(loss)
    assert repr(again) == repr(loss)


@pytest.mark.parametrize("loss", EXAMPLES, ids=repr)
def test_losses_survive_clone_copy_and_pickle(loss):
    cloned = clone(Holder(loss)).loss
    for again in (cloned, copy.deepcopy(loss), pickle.loads(pickle.dumps(loss))):
        assert again == loss


@pytest.mark.parametrize("n_scores", [1, 2])
@pytest.mark.parametrize("loss", EXAMPLES, ids=repr)
def test_one_finite_number_per_row(loss, n_scores):
    rng = np.random.default_rng(0)
    value = loss(rng.normal(scale=20, size=(50, n_scores)), rng.integers(0, 2, size=50))
    assert value.shape == (50,)
    assert value.dtype == np.float64
    assert np.isfinite(value).all()
    assert (value >= 0).all()


@pytest.mark.parametrize("n_scores", [1, 2])
@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("loss", EXAMPLES, ids=repr)
def test_losses_fall_with_the_margin(loss, label, n_scores):
    # up to margin 1: the squared loss rises again beyond it
    strengths = np.linspace(-1, 1, 21)
    value = [loss(in_favour(s, label, n_scores), np.array([label]))[0] for s in strengths]
    assert (np.diff(value) <= 1e-15).all()
    assert value[0] > value[-1]


@pytest.mark.parametrize("member", MEMBERS)
def test_labels_of_both_kinds_of_integers_are_the_same(member):
    scores = np.array([[0.3], [-0.2]])
    whole = member()(scores, np.array([1, 0]))
    np.testing.assert_array_equal(member()(scores, np.array([True, False])), whole)
    np.testing.assert_array_equal(member()(scores, np.array([1, 0], np.uint8)), whole)


@pytest.mark.parametrize("n_scores", [1, 2])
@pytest.mark.parametrize("member", [m for m in MEMBERS if m is not Squared])
def test_class_losses_refuse_real_labels(member, n_scores):
    with pytest.raises(TypeError, match=r"labels are float64.*wants class numbers"):
        member()(np.zeros((2, n_scores)), np.array([-1.0, 1.0]))


@pytest.mark.parametrize("member", [Exponential, Hinge, Logistic])
@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
def test_a_scale_must_be_positive(member, scale):
    with pytest.raises(ValueError, match=f"scale is {scale}; wanted a finite factor"):
        member(scale=scale)


@pytest.mark.parametrize("member", [Exponential, Hinge, Logistic])
def test_scale_multiplies_the_scores(member):
    rng = np.random.default_rng(0)
    for n_scores in (1, 3):
        scores, labels = rng.normal(size=(9, n_scores)), rng.integers(0, max(n_scores, 2), size=9)
        scaled = member(scale=0.25)(scores, labels)
        np.testing.assert_allclose(scaled, member()(0.25 * scores, labels), rtol=1e-12)


def test_what_class_losses_share():
    scores, labels = np.array([[1.0, 4.0, 2.0], [3.0, 3.0, 0.0]]), np.array([2, 0])
    assert own(scores, labels).tolist() == [2.0, 3.0]
    assert others(scores, labels).tolist() == [[1.0, 4.0, -np.inf], [-np.inf, 3.0, 0.0]]
    assert margin(scores, labels).tolist() == [-2.0, 0.0]
    assert margin(np.array([[2.0], [2.0]]), np.array([0, 1])).tolist() == [-2.0, 2.0]
    assert sign_of(np.array([0, 1])).tolist() == [-1.0, 1.0]
    assert scores[0].tolist() == [1.0, 4.0, 2.0]  # others() works on a copy


def test_a_plain_function_is_a_loss():
    def absolute(scores, labels):
        return np.abs(scores[:, 0] - labels)

    mdp = MDP([[1.0, 2.0], [3.0, 0.0]], [2.5, 2.5], loss=absolute, beta=0.1)
    value = mdp.evaluate(mdp.evaluate_all())
    assert value.loss == 0.5
    assert value.objective == pytest.approx(0.5 + 0.1 * 2)


@pytest.mark.parametrize("loss", EXAMPLES, ids=repr)
def test_soft_targets_pay_the_expected_loss(loss):
    rng = np.random.default_rng(0)
    scores, share = rng.normal(size=(20, 1)), rng.uniform(size=20)
    mdp = MDP(rng.normal(size=(20, 3)), np.c_[1 - share, share], loss=loss)
    zeros, ones = np.zeros(20, int), np.ones(20, int)
    expected = (1 - share) * loss(scores, zeros) + share * loss(scores, ones)
    np.testing.assert_allclose(mdp.losses(scores), expected)


@pytest.mark.parametrize("loss", EXAMPLES, ids=repr)
def test_certain_soft_targets_are_labels(loss):
    rng = np.random.default_rng(0)
    votes, labels = rng.normal(size=(20, 3, 2)), rng.integers(0, 2, size=20)
    hard, soft = MDP(votes, labels, loss=loss), MDP(votes, np.eye(2)[labels], loss=loss)
    scores = hard.votes.scores()
    np.testing.assert_array_equal(hard.losses(scores), soft.losses(scores))


def absolute(scores, labels):
    return np.abs(scores[:, 0] - labels)


def test_a_plain_function_has_the_answers_of_a_loss():
    loss, scores = as_loss(absolute), np.array([[1.0], [3.0]])
    assert isinstance(loss, Loss)
    assert loss == as_loss(absolute)
    assert repr(loss) == repr(absolute)
    assert loss(scores, np.array([2.0, 3.0])).tolist() == [1.0, 0.0]
    assert loss.predictions(scores) is scores
    assert (loss.of_probabilities, loss.scale) == (False, 1.0)
    assert (loss.prices(2), loss.native(2)) == (None, None)
    again = pickle.loads(pickle.dumps(loss))
    assert again == loss


@pytest.mark.parametrize("wrong", ["zero_one", 3, ZeroOne])
def test_what_cannot_be_called_is_refused(wrong):
    with pytest.raises(TypeError, match=r"loss is .*; wanted a callable of \(scores, labels\)"):
        as_loss(wrong)


@pytest.mark.parametrize("loss", EXAMPLES, ids=repr)
def test_a_loss_says_what_it_is(loss):
    assert as_loss(loss) is loss
    assert loss.of_probabilities == isinstance(loss, Logistic)
    assert (loss.prices(2) is not None) == isinstance(loss, ZeroOne)


def test_a_subclass_that_changes_the_loss_has_no_twin():
    class Capped(Exponential):
        def __call__(self, scores, labels):
            return np.minimum(super().__call__(scores, labels), 1.0)

    class Renamed(Exponential):
        pass

    class Doubled(Capped):
        def native(self, n_classes):
            return Exponential(2.0).native(n_classes)

    assert Capped().native(2) is None
    assert Renamed().native(2) is not None
    assert Doubled().native(2) is not None
