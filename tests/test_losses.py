"""What every exported loss must do, and that a plain function is a loss, too."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

from mddag import MDP, losses
from mddag.losses import (
    Exponential,
    Hinge,
    Logistic,
    Loss,
    OfMeans,
    Squared,
    ZeroOne,
    as_loss,
)
from mddag.policy.grid import Grid
from mddag.policy.policy import QUIT, Policy

MEMBERS = [
    getattr(losses, name)
    for name in losses.__all__
    if name not in ("Loss", "Absolute", "Quantile", "Deviance")  # of numbers: tests/metrics
]
EXAMPLES = [
    *[member() for member in MEMBERS],
    ZeroOne(weights=[1.0, 5.0]),
    ZeroOne(weights=np.array([[0.0, 2.0], [3.0, 0.0]])),
    Exponential(scale=0.5),
    Hinge(scale=2.0),
    Logistic(scale=0.1),
]
OF_NUMBERS = [losses.Absolute(), losses.Quantile(0.9), losses.Deviance(1.5)]


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


@pytest.mark.parametrize("loss", EXAMPLES + OF_NUMBERS, ids=repr)
def test_repr_is_the_constructor_call(loss):
    again = eval(repr(loss), vars(losses))
    assert again == loss
    assert hash(again) == hash(loss)
    assert repr(again) == repr(loss)


@pytest.mark.parametrize("loss", EXAMPLES + OF_NUMBERS, ids=repr)
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


@pytest.mark.parametrize("member", [Exponential, Hinge, Logistic])
def test_scale_multiplies_the_scores(member):
    rng = np.random.default_rng(0)
    for n_scores in (1, 3):
        scores, labels = rng.normal(size=(9, n_scores)), rng.integers(0, max(n_scores, 2), size=9)
        scaled = member(scale=0.25)(scores, labels)
        np.testing.assert_allclose(scaled, member()(0.25 * scores, labels), rtol=1e-12)


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


@pytest.mark.parametrize("loss", EXAMPLES, ids=repr)
def test_a_loss_says_what_it_is(loss):
    assert as_loss(loss) is loss
    assert loss.of_probabilities == isinstance(loss, Logistic)
    assert (loss.prices(2) is not None) == isinstance(loss, ZeroOne)


def test_quitting_at_zero_does_not_pay():
    """With ties free, as printed in the paper, no policy could beat quitting at f = 0."""
    labels = np.array([0, 1, 0, 1])
    mdp = MDP(np.array([[-1.0], [1.0], [-1.0], [1.0]]), labels, beta=0.1)
    quit_at_once = mdp.evaluate(Policy.constant(QUIT, 1, Grid(np.zeros(1))))
    assert quit_at_once.objective == 1.0
    assert mdp.evaluate(mdp.evaluate_all()).objective == pytest.approx(0.1)


def test_two_opposite_scores_are_one_score():
    f, labels = np.random.default_rng(0).normal(size=(10, 1)), np.arange(10) % 2
    one, two = Exponential()(f, labels), Exponential()(np.c_[-f, f], labels)
    np.testing.assert_allclose(one, two)


def test_the_scale_is_not_neutral():
    """Unlike for the 0-1 loss: the best action may depend on it (deviations, row 5)."""
    scores, labels = np.array([[1.0], [-3.0]]), np.array([1, 1])
    raw, small = Exponential()(scores, labels), Exponential(scale=0.1)(scores, labels)
    assert not np.allclose(raw / raw[0], small / small[0])


def test_overflow_is_named_by_the_mdp():
    mdp = MDP([[1e3], [-1e3]], [1, 1], loss=Exponential())
    with pytest.raises(ValueError, match=r"Exponential\(scale=1.0\) is inf on row 1.*\[-1000.0\]"):
        mdp.evaluate(mdp.evaluate_all())


@pytest.mark.parametrize("error", [0.05, 0.2, 0.45])
def test_the_first_vote_of_adaboost_does_not_lower_raw_scores_loss(error):
    """With alpha = 1/2 ln((1 - e) / e) the mean of exp(-2 y f) is 1, as before: each evaluation
    costs beta and gains nothing, so quitting at once is best (deviations, row 18)."""
    n, n_wrong = 1000, round(1000 * error)
    labels = np.arange(n) % 2
    alpha = 0.5 * np.log((1 - error) / error)
    right = np.where(np.arange(n) < n_wrong, -1, 1)
    votes = (alpha * right * (2 * labels - 1))[:, None]
    mdp = MDP(votes, labels, loss=Exponential(), beta=1e-6)
    first, nothing = (mdp.evaluate(Policy.prefix(j, 1, mdp.grid)) for j in (1, 0))
    assert first.loss == pytest.approx(nothing.loss) == pytest.approx(1.0)
    assert first.objective > nothing.objective
    scaled = MDP(votes, labels, loss=Exponential(scale=0.5), beta=1e-6)
    assert scaled.evaluate(Policy.prefix(1, 1, mdp.grid)).loss < 1


def test_several_scores_are_a_softmax():
    scores, labels = np.random.default_rng(0).normal(size=(10, 4)), np.arange(10) % 4
    share = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(Logistic()(scores, labels), -np.log(share[np.arange(10), labels]))


def test_log_odds_f_are_the_two_scores_0_and_f():
    f, labels = np.random.default_rng(0).normal(size=(10, 1)), np.arange(10) % 2
    np.testing.assert_allclose(Logistic()(f, labels), Logistic()(np.c_[0 * f, f], labels))


def test_scores_are_logarithms_of_what_is_predicted():
    loss = OfMeans(Squared())
    scores = np.log([[2.0], [3.0]])
    np.testing.assert_allclose(loss.predictions(scores), [[2.0], [3.0]])
    np.testing.assert_allclose(loss(scores, np.array([2.0, 1.0])), [0.0, 4.0], atol=1e-12)


def test_the_row_whose_mean_is_too_large_is_named():
    mdp = MDP([[1.0], [800.0]], [1.0, 2.0], loss=OfMeans(Squared()))
    with pytest.raises(ValueError, match=r"is inf on row 1, whose scores are \[800.0\]"):
        mdp.evaluate(mdp.evaluate_all())


PRICES = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
BY_HAND = [
    # loss, scores, labels, expected
    (ZeroOne(), [[2.0], [2.0], [-1.0], [-1.0]], [1, 0, 1, 0], [0, 1, 1, 0]),
    (ZeroOne(), [[1.0, 0.5, 0.0], [0.0, 0.5, 1.0], [-3.0, -1.0, -2.0]], [0, 1, 1], [0, 1, 0]),
    # a tie with the label is an error, one between other classes is none
    (ZeroOne(), [[0.0], [0.0]], [0, 1], [1, 1]),
    (ZeroOne(), [[1.0, 1.0, 0.0]] * 3, [0, 1, 2], [1, 1, 1]),
    (ZeroOne(), [[2.0, 1.0, 1.0]], [0], [0]),
    (ZeroOne(), [[np.nan]], [1], [1]),
    (ZeroOne(), [[np.nan, 1.0]], [1], [1]),
    # prices of errors, by true class and by true and predicted class
    (ZeroOne([1, 10]), [[1.0], [-1.0], [1.0], [0.0]], [0, 1, 1, 1], [1, 10, 0, 10]),
    (ZeroOne([1, 10]), [[-1.0, 1.0], [1.0, -1.0], [-1.0, 1.0]], [0, 1, 1], [1, 10, 0]),
    (ZeroOne(PRICES), [[0.0, 0.0, 1.0], [1.0, 0.0, 0.5], [0.0, 1.0, 0.5]], [0, 1, 2], [2, 3, 6]),
    # a tie costs what the best other class costs
    (ZeroOne(PRICES), [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]], [0, 1], [1, 4]),
    (Exponential(), [[0.5], [0.5], [0.0]], [1, 0, 1], [np.exp(-1), np.exp(1), 1.0]),
    # the own score stands outside of the sum over the others
    (Exponential(), [[0.1, 0.2, 0.4]], [1], [np.exp(0.1 + 0.4 - 0.2)]),
    (Logistic(), [[0.0], [2.0], [2.0]], [1, 1, 0], np.log1p(np.exp([0.0, -2.0, 2.0]))),
    (Logistic(), [[1e4], [1e4]], [0, 1], [1e4, 0.0]),
    (Logistic(), [[1e4, 0.0, -1e4]], [2], [2e4]),
    (Hinge(), [[2.0], [0.25], [0.0], [1.0]], [1, 1, 0, 0], [0.0, 0.75, 1.0, 2.0]),
    (Hinge(), [[0.5, 0.25, -9.0], [0.5, 0.25, -9.0], [4.0, 0.0, 0.0]], [0, 1, 0], [0.75, 1.25, 0]),
    (Hinge(scale=4.0), [[0.25]], [1], [0.0]),
    (Squared(), [[1.0], [3.0]], [1.5, 1.0], [0.25, 4.0]),
    (Squared(), [[0.5], [0.5]], [1, 0], [0.25, 2.25]),  # classes are +1 and -1
    (Squared(), [[0.5, -1.0, 0.0]], [0], [0.25 + 0.0 + 1.0]),
]


@pytest.mark.parametrize(("loss", "scores", "labels", "expected"), BY_HAND)
def test_by_hand(loss, scores, labels, expected):
    np.testing.assert_allclose(loss(np.array(scores), np.array(labels)), expected, rtol=1e-12)


BAD = [
    # call, exception, words that name what was wrong
    (lambda: Exponential("big"), ValueError, "scale.*'big'"),
    (lambda: Logistic(0), ValueError, "scale.*0"),
    (lambda: Hinge(-1.0), ValueError, "scale.*-1.0"),
    (lambda: Hinge(np.inf), ValueError, "scale.*inf"),
    (lambda: ZeroOne("high"), ValueError, "weights.*'high'"),
    (lambda: ZeroOne(3.0), ValueError, r"weights.*\(\)"),
    (lambda: ZeroOne([[1.0, 2.0]]), ValueError, r"weights.*\(1, 2\)"),
    (lambda: ZeroOne([0, 0]), ValueError, "weights.*0"),
    (lambda: ZeroOne([1.0, -1.0]), ValueError, "weights.*-1.0"),
    (lambda: ZeroOne([1.0, np.nan]), ValueError, "weights.*nan"),
    (lambda: ZeroOne([[1.0, 2.0], [3.0, 0.0]]), ValueError, r"weights.*diagonal \[1.0, 0.0\]"),
    (lambda: MDP([[1.0], [2.0]], [0, 1], loss=ZeroOne([1, 2, 3])), ValueError, r"weights.*\(3,\)"),
    (lambda: Hinge()(np.zeros(3), np.zeros(3, int)), ValueError, r"scores.*\(3,\).*labels.*\(3,\)"),
    (lambda: Squared()(None, "x"), ValueError, r"scores.*\(\)"),
    (lambda: Squared()(np.zeros((2, 3)), np.array([0.5, 1.0])), ValueError, "real labels.*3"),
    *[
        (lambda member=m, k=k: member()(np.zeros((2, k)), np.ones(2)), TypeError, "labels.*float64")
        for m in MEMBERS
        if m is not Squared
        for k in (1, 2)
    ],
    *[(lambda wrong=w: as_loss(wrong), TypeError, "loss is") for w in ("zero_one", 3, ZeroOne)],
]


@pytest.mark.parametrize(("call", "error", "words"), BAD)
def test_bad_arguments_are_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


def absolute(scores, labels):
    return np.abs(scores[:, 0] - labels)


def test_a_plain_function_is_a_loss():
    mdp = MDP([[1.0, 2.0], [3.0, 0.0]], [2.5, 2.5], loss=absolute, beta=0.1)
    value = mdp.evaluate(mdp.evaluate_all())
    assert (value.loss, value.objective) == (0.5, pytest.approx(0.5 + 0.1 * 2))
    loss, scores = as_loss(absolute), np.array([[1.0], [3.0]])
    assert isinstance(loss, Loss)
    assert loss == as_loss(absolute) == pickle.loads(pickle.dumps(loss))
    assert repr(loss) == repr(absolute)
    assert loss.predictions(scores) is scores
    assert (loss.prices(2), loss.native(2)) == (None, None)


def test_a_subclass_that_changes_the_loss_has_no_twin():
    class Capped(Exponential):
        def __call__(self, scores, labels):
            return np.minimum(super().__call__(scores, labels), 1.0)

    class Renamed(Exponential):
        pass

    assert Capped().native(2) is None
    assert Renamed().native(2) is not None
