import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mddag import DoubtfulResult
from mddag.metrics import threshold_at_fpr, threshold_at_tpr
from mddag.solvers.rejection.operating_point import Ends, Target
from mddag.solvers.rejection.thresholds import shares_by_class


def ends(scores, positive, weight=None):
    positive = np.asarray(positive, bool)
    return Ends(np.asarray(scores, float), positive, shares_by_class(positive, weight))


@st.composite
def rows(draw):
    n = draw(st.integers(2, 30))
    scores = draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n))
    labels = draw(st.lists(st.booleans(), min_size=n - 2, max_size=n - 2))
    return np.array(scores, float), np.array([True, False, *labels])


@given(rows(), st.floats(0.01, 0.99))
def test_theta_is_the_threshold_of_the_metrics(given_rows, rate):
    scores, positive = given_rows
    found = ends(scores, positive)
    wanted = threshold_at_fpr(scores, positive, rate), threshold_at_tpr(scores, positive, rate)
    for target, theta in zip((Target(fpr=rate), Target(tpr=rate)), wanted, strict=True):
        assert found.rates(target.theta(found)) == pytest.approx(found.rates(theta))


@given(rows(), st.floats(0.01, 0.99))
def test_weights_are_rows_that_repeat(given_rows, rate):
    scores, positive = given_rows
    times = 1 + np.arange(len(scores)) % 3
    one = ends(scores, positive, times.astype(float))
    many = ends(np.repeat(scores, times), np.repeat(positive, times))
    for target in (Target(fpr=rate), Target(tpr=rate)):
        assert target.theta(one) == pytest.approx(target.theta(many))


def test_what_rows_to_come_have_is_at_most_the_wanted_fpr_on_average():
    rng = np.random.default_rng(0)
    for n, fpr in ((30, 0.05), (99, 0.01), (200, 0.1), (57, 0.3)):
        rates = []
        for _ in range(2000):
            found = ends(np.append(rng.random(n), 2.0), [False] * n + [True])
            rates.append(1 - Target(fpr=fpr).expected(found))  # of uniform scores
        assert np.mean(rates) <= fpr + 3 * np.std(rates) / 2000**0.5 or n < 1 / fpr - 1
        assert np.mean(rates) >= fpr - 1 / n


def test_what_rows_to_come_have_is_at_least_the_wanted_tpr_on_average():
    rng = np.random.default_rng(0)
    rates = []
    for _ in range(2000):
        found = ends(np.append(rng.random(60), -1.0), [True] * 60 + [False])
        rates.append(1 - Target(tpr=0.9).expected(found))
    assert 0.9 - 3 * np.std(rates) / 2000**0.5 <= np.mean(rates) <= 0.9 + 1 / 60


def test_the_loss_at_a_wanted_fpr_is_the_share_of_misses():
    found = ends([5, 4, 3, 2, 1], [1, 0, 1, 0, 0])
    assert Target(fpr=0.34).loss(found, 7.0) == 0.0
    assert Target(fpr=0.01).loss(found, 7.0) == 0.5


def test_the_loss_at_a_wanted_tpr_is_the_price_of_false_positives():
    found = ends([5, 4, 3, 2, 1], [1, 0, 1, 0, 0])
    assert Target(tpr=0.99).loss(found, 6.0) == pytest.approx(2.0)
    rejected = ends([5, -np.inf, 1], [1, 1, 0])
    assert Target(tpr=0.9).loss(rejected, 6.0) > 6.0  # the TPR cannot be met


def test_the_mean_loss_is_that_of_three_rates():
    found = ends(np.arange(200.0) % 37, np.arange(200) % 3 == 0)
    rates = [Target(fpr=fpr).loss(found, 1.0) for fpr in (0.05, 0.1, 0.2)]
    assert Target(fpr=0.1).mean_loss(found, 1.0) == pytest.approx(np.mean(rates))
    assert Target(tpr=0.8).mean_loss(found, 2.0) == Target(tpr=0.8).loss(found, 2.0)


def test_lambda_is_the_slope_of_the_curve():
    scores = np.concatenate([np.linspace(0, 1, 10_001), np.linspace(0, 1, 10_000)])
    line = ends(scores, np.arange(20_001) < 10_001)  # TPR = FPR
    assert Target(fpr=0.1).slope(line) == pytest.approx(1.0, abs=0.01)


def test_few_negatives_are_doubted():
    found = ends(np.arange(200.0), np.arange(200) < 100)
    with pytest.warns(DoubtfulResult, match="target_fpr=0.01 is to be met with 100 negatives"):
        Target(fpr=0.01).doubt_few(found)
    with pytest.warns(DoubtfulResult, match="target_tpr=0.95 is to be met with 100 positives"):
        Target(tpr=0.95).doubt_few(found)
    Target(fpr=0.2).doubt_few(found)
