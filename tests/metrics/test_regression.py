"""Metrics of regressors and their losses, compared with scikit-learn's."""

import pickle

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import (
    d2_absolute_error_score,
    d2_pinball_score,
    d2_tweedie_score,
    mean_absolute_error,
    mean_pinball_loss,
    mean_squared_error,
    mean_tweedie_deviance,
    r2_score,
)

from mddag import MDP
from mddag.losses import Absolute, Deviance, OfMeans, Quantile, Squared, weighted_quantile
from mddag.metrics import (
    D2,
    R2,
    GammaDeviance,
    MeanAbsoluteError,
    MeanSquaredError,
    Pinball,
    PoissonDeviance,
    TweedieDeviance,
)

OURS_AND_THEIRS = [
    (MeanSquaredError(), mean_squared_error, {}),
    (MeanAbsoluteError(), mean_absolute_error, {}),
    (Pinball(0.9), mean_pinball_loss, {"alpha": 0.9}),
    (PoissonDeviance(), mean_tweedie_deviance, {"power": 1}),
    (GammaDeviance(), mean_tweedie_deviance, {"power": 2}),
    (TweedieDeviance(1.3), mean_tweedie_deviance, {"power": 1.3}),
    (TweedieDeviance(3), mean_tweedie_deviance, {"power": 3}),
    (TweedieDeviance(0), mean_tweedie_deviance, {"power": 0}),
    (R2(), r2_score, {}),
    (D2(MeanSquaredError()), r2_score, {}),
    (D2(MeanAbsoluteError()), d2_absolute_error_score, {}),
    (D2(Pinball(0.5)), d2_pinball_score, {}),
    (D2(PoissonDeviance()), d2_tweedie_score, {"power": 1}),
    (D2(TweedieDeviance(1.7)), d2_tweedie_score, {"power": 1.7}),
]
METRICS = [metric for metric, _, _ in OURS_AND_THEIRS]
LOSSES = [Squared(), Absolute(), Quantile(0.1), Quantile(0.9), Deviance(1), Deviance(1.5)]


@st.composite
def predicted_rows(draw):
    """Positive targets, predictions and weights; an odd number of rows has one median."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = 2 * draw(st.integers(2, 40)) + 1
    y = rng.gamma(2, size=n)
    y = (np.ceil(y) if draw(st.booleans()) else y) + 0.01
    assume(np.ptp(y) > 0)
    weight = rng.integers(1, 4, n).astype(float) if draw(st.booleans()) else None
    return y, y * rng.gamma(5, 0.2, size=n) + 0.01, weight


@given(predicted_rows())
def test_as_scikit_learn_has_them(rows):
    y, predicted, weight = rows
    for metric, theirs, options in OURS_AND_THEIRS:
        expected = theirs(y, predicted, sample_weight=weight, **options)
        if weight is not None and "absolute" in metric.name and isinstance(metric, D2):
            continue  # scikit-learn interpolates the weighted median
        if weight is not None and isinstance(metric, D2) and isinstance(metric.metric, Pinball):
            continue
        assert metric(y, predicted, weight) == pytest.approx(expected, rel=1e-8, abs=1e-9), metric


@given(predicted_rows())
def test_a_score_is_the_loss_in_its_unit(rows):
    y, predicted, weight = rows
    for metric in METRICS:
        lost = np.average(metric.loss.of(predicted, y), weights=weight)
        unit = metric.unit(y, weight)
        value = 1 - lost / unit if metric.larger_is_better else lost
        assert metric(y, predicted, weight) == pytest.approx(value)
        constant = np.full(len(y), metric.loss.constant(y, weight))
        if metric.larger_is_better:
            assert metric(y, constant, weight) == pytest.approx(0, abs=1e-9)
        else:
            assert unit == 1.0


def test_of_equal_targets_no_share_can_be_explained():
    y = np.full(5, 1.01)
    assert (R2()(y, y), R2()(y, y + 1)) == (1.0, 0.0)


@given(predicted_rows())
def test_no_other_constant_shift_or_factor_is_better(rows):
    y, predicted, weight = rows
    steps = np.concatenate([-np.geomspace(1e-3, 1, 15), np.geomspace(1e-3, 3, 15)])
    for loss in LOSSES:

        def mean(values, loss=loss):
            return np.average(loss.of(values, y), weights=weight)

        constant = loss.constant(y, weight)
        shift, factor = loss.shift(predicted, y, weight), loss.factor(predicted, y, weight)
        best = mean(np.full(len(y), constant)), mean(predicted + shift), mean(factor * predicted)
        for step in steps:
            others = np.full(len(y), constant + step), predicted + shift + step
            found = [*map(mean, others), mean(factor * np.exp(step) * predicted)]
            assert (np.array(found) >= np.array(best) - 1e-7).all(), loss


@pytest.mark.parametrize("weight", [None, np.array([1.0, 0, 2, 1, 1])])
def test_the_quantile_is_the_first_value_that_holds_the_share(weight):
    values = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
    copies = values if weight is None else np.repeat(values, weight.astype(int))
    for q in (0.01, 0.2, 0.5, 0.6, 0.99):
        expected = np.quantile(copies, q, method="inverted_cdf")
        assert weighted_quantile(values, q, weight) == expected


def test_deviances_where_they_end():
    y, m = np.array([0.0, 1.0, 1.0, 0.0]), np.array([0.0, 0.0, -1.0, 2.0])
    assert PoissonDeviance().loss.of(m, y).tolist() == [0, np.inf, np.inf, 4]
    assert np.isinf(GammaDeviance().loss.of(np.array([0.0, -1.0]), np.ones(2))).all()
    assert TweedieDeviance(1.5).loss.of(m, y)[0] == 0
    assert D2(PoissonDeviance()).unit(np.zeros(3)) == 1.0
    assert R2()([1.0, 1.0], [1.0, 1.0]) == 1.0
    assert R2()([1.0, 1.0], [1.0, 2.0]) == 0.0


def test_metrics_are_values():
    assert pickle.loads(pickle.dumps(Pinball(0.9))) == Pinball(0.9)
    assert len({R2(), R2(), D2(Pinball(0.9)), D2(Pinball(0.9)), Pinball(0.1)}) == 3
    assert repr(D2(Pinball(0.9))) == "D2(metric=Pinball(alpha=0.9))"
    assert repr(R2()) == "R2()"
    assert [m.name for m in (R2(), Pinball(0.9), TweedieDeviance(1.5))] == [
        "R2",
        "pinball loss (0.9)",
        "Tweedie deviance (1.5)",
    ]


def test_policies_learn_by_the_loss_of_a_metric():
    votes, y = np.array([[1.0, 0.5], [2.0, -0.5]]), [1.5, 1.0]
    mdp = MDP(votes, y, loss=MeanAbsoluteError().loss, beta=0.0)
    assert mdp.evaluate(mdp.evaluate_all()).loss == 0.25
    mdp = MDP(np.log([[2.0], [4.0]]), [2.0, 1.0], loss=OfMeans(PoissonDeviance().loss), beta=0.0)
    expected = mean_tweedie_deviance([2.0, 1.0], [2.0, 4.0], power=1)
    assert mdp.evaluate(mdp.evaluate_all()).loss == pytest.approx(expected)


BAD = [
    (lambda: PoissonDeviance()([1.0, -2.0], [1, 1]), r"y\[1\].*-2"),
    (lambda: GammaDeviance()([1.0, 0.0], [1, 1]), r"y\[1\].*0.*positive"),
    (lambda: R2()([1.0, np.nan], [1, 1]), "y is"),
    (lambda: R2()(["a", "b"], [1, 1]), "y is"),
    (lambda: R2()([1.0, 2.0], [1]), r"predicted.*\(1,\)"),
    (lambda: R2()([], []), "predicted"),
    (lambda: Pinball(1.0), "alpha.*1"),
    (lambda: Pinball("x"), "alpha.*x"),
    (lambda: TweedieDeviance(0.5), "power.*0.5"),
    (lambda: D2(R2()), "metric.*R2"),
]


@pytest.mark.parametrize(("call", "words"), BAD)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
