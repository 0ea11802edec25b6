import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, norm, ttest_1samp

from mddag.metrics import LogLoss, RocAuc
from mddag.tuning.guarantee import (
    NUISANCE,
    BoundedLoss,
    _difference_tail,
    bounded_p_value,
    difference_p_value,
    mean_p_value,
    n_leading_proofs,
    price_of_difference,
    rows_for_difference,
    rows_for_mean,
    rows_for_share,
    share_p_value,
    skewed_p_value,
)
from tests.reference import bounds as reference


def p_value(loss, excess, bound=0.01):
    return loss.p_value(excess, bound, 0.9)


def test_each_measure_has_its_test():
    excess = np.repeat([1.0, -1.0, 0.0], [30, 20, 4950])
    share = p_value(BoundedLoss("share"), np.abs(excess))
    difference = p_value(BoundedLoss("difference"), excess)
    assert share == pytest.approx(0.5, abs=0.1)
    assert difference < 0.01
    assert p_value(BoundedLoss("mean"), excess) == pytest.approx(difference, abs=0.006)


def test_each_measure_needs_rows():
    assert BoundedLoss("share").fewest_rows(0.01, 0.9) == rows_for_share(0.01, 0.9) == 230
    assert BoundedLoss("mean").fewest_rows(0.005, 0.9) == 460
    assert BoundedLoss("difference").fewest_rows(0.005, 0.9) == rows_for_difference(0.005, 0.9)
    assert BoundedLoss("bounded", LogLoss(0.15)).fewest_rows(0.01, 0.9) > 300
    for metric in (RocAuc(), LogLoss()):
        assert BoundedLoss("asymptotic", metric).fewest_rows(0.01, 0.9) == 100
    queries = BoundedLoss("asymptotic", worst=0.1, fewest=30)
    assert queries.fewest_rows(0.005, 0.9) == 45
    assert queries.fewest_rows(0.3, 0.9) == 30


def test_metrics_have_tests_of_their_own():
    quiet = np.random.default_rng(0).normal(0, 0.02, 3000)
    bounded = BoundedLoss("bounded", LogLoss(0.15))
    asymptotic = BoundedLoss("asymptotic", RocAuc())
    assert bounded.exact
    assert not asymptotic.exact
    assert p_value(asymptotic, quiet) < p_value(bounded, quiet) < 0.01
    assert bounded.span == pytest.approx(-np.log(0.15))


@given(st.integers(1, 30), st.data())
def test_shares_equal_their_twin(n_rows, data):
    n_events = data.draw(st.integers(0, n_rows))
    rate = data.draw(st.floats(0.001, 0.999))
    twin = reference.share_tail(n_events, n_rows, rate)
    assert share_p_value(n_events, n_rows, rate) == pytest.approx(twin, abs=1e-12)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 12), st.data())
def test_differences_equal_their_twin(n_rows, data):
    q = data.draw(st.floats(0.01, 0.99))
    mean = data.draw(st.floats(0.0, 1.0)) * q
    worse = data.draw(st.integers(0, n_rows))
    better = data.draw(st.integers(0, n_rows - worse))
    excess = reference.studentised(worse, better, n_rows, mean)
    twin = reference.difference_tail(excess, n_rows, (q + mean) / 2, (q - mean) / 2, mean)
    assert _difference_tail(excess, n_rows, q, mean) == pytest.approx(twin, abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(st.integers(20, 3000), st.floats(0.002, 0.1), st.floats(0, 0.2), st.floats(-3, 1))
def test_no_share_in_between_has_a_larger_tail(n_rows, bound, differ, z):
    n_differ = round(differ * n_rows)
    n_worse = round((n_differ + n_rows * bound + z * np.sqrt(n_differ)) / 2)
    n_worse = min(max(n_worse, 0), n_differ)
    excess = reference.studentised(n_worse, n_differ - n_worse, n_rows, bound)
    found = difference_p_value(n_worse, n_differ - n_worse, n_rows, bound)
    lowest, highest = binomtest(n_differ, n_rows).proportion_ci(1 - NUISANCE)
    if highest > bound:
        between = np.geomspace(max(lowest, bound), highest, 300)
        finer = max(_difference_tail(excess, n_rows, q, bound) for q in between)
        assert finer + NUISANCE <= found * 1.002 + 1e-12


def test_a_difference_costs_hardly_more_than_the_normal_law():
    n_worse, n_better, n_rows = 96, 84, 6000
    z = (n_worse - n_better - n_rows * 0.005) / np.sqrt(n_worse + n_better)
    found = difference_p_value(n_worse, n_better, n_rows, 0.005)
    assert norm.cdf(z) < found < 1.05 * norm.cdf(z)


def test_the_share_is_that_of_clopper_and_pearson():
    upper = binomtest(7, 1000).proportion_ci(0.8).high  # two-sided 80 %: one-sided 90 %
    assert share_p_value(7, 1000, upper) == pytest.approx(0.1)


@pytest.mark.parametrize(("q", "bound"), [(0.03, 0.005), (0.012, 0.01), (0.2, 0.02)])
def test_a_wrong_promise_is_rare(q, bound):
    """The true excess is the bound itself: no more than one promise in ten may be made."""
    rng = np.random.default_rng(0)
    p = [(q + bound) / 2, (q - bound) / 2, 1 - q]
    draws = rng.multinomial(2000, p, size=200)
    promised = sum(difference_p_value(w, b, 2000, bound) <= 0.1 for w, b, _ in draws)
    assert promised <= 200 * 0.1 + 2 * np.sqrt(200 * 0.1 * 0.9)
    assert promised >= 200 * 0.02  # and the test is not so careful as to be useless


def test_more_harm_or_a_stricter_bound_is_harder_to_promise():
    p = [difference_p_value(worse, 20, 3000, 0.01) for worse in range(10, 60, 5)]
    assert (np.diff(p) > 0).all()
    assert difference_p_value(30, 20, 3000, 0.02) < difference_p_value(30, 20, 3000, 0.01)
    assert difference_p_value(0, 0, 10, 0.01) > 0.1
    assert difference_p_value(3000, 0, 3000, 0.5) == 1.0


def test_the_rows_that_would_do_would_do():
    for bound in (0.002, 0.01, 0.2):
        n = rows_for_share(bound, 0.9)
        assert share_p_value(0, n, bound) <= 0.1 < share_p_value(0, n - 1, bound)
        n = rows_for_difference(bound, 0.9)
        assert difference_p_value(0, 0, n, bound) <= 0.1 < difference_p_value(0, 0, n - 1, bound)
    n = rows_for_difference(0.01, 1 - NUISANCE)
    assert difference_p_value(0, 0, n, 0.01) == NUISANCE


def test_means_are_students():
    d = np.random.default_rng(0).normal(0.0, 1.0, 400)
    assert mean_p_value(d, 0.3) < 0.001
    assert mean_p_value(d, d.mean()) == pytest.approx(0.5)
    assert mean_p_value(np.zeros(5), 0.1) == 0.0
    assert mean_p_value(np.ones(5), 0.1) == 1.0
    assert mean_p_value(np.zeros(1), 0.1) == 1.0


def test_testing_stops_at_the_first_that_fails():
    assert n_leading_proofs([0.0, 0.05, 0.2, 0.01], 0.9) == 2
    assert n_leading_proofs([0.3], 0.9) == 0
    assert n_leading_proofs([], 0.9) == 0


@pytest.mark.parametrize(("bound", "n_rows"), [(0.005, 5000), (0.02, 1000)])
def test_the_price_of_a_difference_is_what_it_takes_from_the_mean(bound, n_rows):
    """More rows differ and the largest mean that passes falls: by the price for each, about."""

    def largest_excess(n_differ):
        return max(
            excess
            for excess in range(-n_differ, n_differ + 1, 2)
            if difference_p_value((n_differ + excess) // 2, (n_differ - excess) // 2, n_rows, bound)
            <= 0.1
        )

    z = norm.ppf(0.9)
    halfway = n_rows**2 * (bound / (2 * z)) ** 2  # rows that differ where half the bound is left
    few, many = 2 * int(halfway * 0.6 / 2), 2 * int(halfway * 1.4 / 2)
    slope = (largest_excess(few) - largest_excess(many)) / (many - few)
    assert price_of_difference(bound, n_rows, 0.9) == pytest.approx(slope, rel=0.3)


def test_few_rows_make_a_difference_as_dear_as_harm():
    assert price_of_difference(0.005, 100, 0.9) == 1.0


def test_skewed_p_values():
    rng = np.random.default_rng(0)
    symmetric = rng.normal(0.01, 0.02, 2000)
    plain = ttest_1samp(symmetric, 0.011, alternative="less").pvalue
    assert skewed_p_value(symmetric, 0.011) == pytest.approx(plain, abs=0.01)
    assert skewed_p_value(np.zeros(50), 0.01) == 0.0
    assert skewed_p_value(np.full(50, 0.02), 0.01) == 1.0
    draws = rng.gamma(0.1, 0.1, size=(2000, 100))  # the mean is 0.01, the skewness 6
    wrong = np.mean([skewed_p_value(d, 0.01) <= 0.1 for d in draws])
    plain = np.mean([ttest_1samp(d, 0.01, alternative="less").pvalue <= 0.1 for d in draws])
    assert wrong < 0.13 < plain


@pytest.mark.parametrize("kind", ["rare", "both", "small"])
def test_bounded_means_are_exact(kind):
    """Where the mean is at the bound, a test at 0.9 passes in at most a tenth of the draws."""
    rng = np.random.default_rng(0)
    draws = {
        "rare": lambda: (rng.random(2000) < 0.01).astype(float),
        "both": lambda: rng.choice([1.0, -1.0, 0.0], 2000, p=[0.03, 0.02, 0.95]),
        "small": lambda: np.clip(rng.normal(0.01, 0.05, 2000), -1, 1),
    }
    wrong = np.mean([bounded_p_value(draws[kind](), 0.01, 1.0, 0.9) <= 0.1 for _ in range(1000)])
    assert wrong < 0.12


def test_bounded_means_equal_their_twin():
    """The capital of a player, row by row."""
    rng = np.random.default_rng(0)
    differences, bound, span = rng.uniform(-0.2, 0.2, 50) - 0.03, 0.05, 2.0
    capital, most, squares = 1.0, 1.0, (0.1 * span) ** 2
    for i, difference in enumerate(differences):
        stake = np.sqrt(2 * np.log(10) / (50 * squares / (i + 1)))
        capital *= 1 + min(stake, 0.9 / (span - bound)) * (bound - difference)
        most, squares = max(most, capital), squares + difference**2
    assert bounded_p_value(differences, bound, span, 0.9) == pytest.approx(1 / most)


def test_rows_without_differences_prove_a_bounded_mean():
    for bound, span in ((0.005, 1.0), (0.02, 7.0)):
        n = rows_for_mean(bound, span, 0.9)
        assert bounded_p_value(np.zeros(2 * n), bound, span, 0.9) <= 0.1
        assert bounded_p_value(np.zeros(n - 1), bound, span, 0.9) > 0.1


def test_larger_rows_of_a_bounded_mean_prove_less():
    rng = np.random.default_rng(0)
    quiet, loud = rng.normal(0, 0.02, 1000), rng.normal(0, 0.2, 1000)
    assert bounded_p_value(quiet, 0.01, 1.0, 0.9) < 1e-3
    assert bounded_p_value(loud, 0.01, 1.0, 0.9) > 0.1
    assert bounded_p_value(np.full(1000, 0.02), 0.01, 1.0, 0.9) == 1.0
