import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.frozen import FrozenEstimator

from mddag import AdaBoostMHClassifier
from mddag.detection.cascades import SoftCascadeClassifier
from mddag.detection.cascades.soft_cascade import miss_budget, soft_cascade
from tests.detection.cascades.rows import two_classes
from tests.reference import cascades as reference


@settings(max_examples=50)
@given(
    st.integers(0, 10**6),
    st.integers(1, 12),
    st.sampled_from([0.5, 0.9, 0.99, 1.0]),
    st.sampled_from([-8.0, -1.0, 0.0, 3.0]),
)
def test_equals_the_twin(seed, n_steps, rate, alpha):
    rng = np.random.default_rng(seed)
    positive = np.arange(60) % 3 == 0
    votes = rng.choice([-1.0, 1.0], (60, 8)) * rng.random(8) + 0.3 * positive[:, None]
    setting = {"n_steps": n_steps, "detection_rate": rate, "alpha": alpha}
    chain = soft_cascade(votes, positive, **setting)
    order, kept = reference.soft_cascade(votes, positive, **setting)
    assert chain.order.tolist() == order
    scores = chain.stage_scores(votes)
    alive = np.ones(60, bool)
    for m, lowest in enumerate(kept):
        np.testing.assert_array_equal(
            scores[alive, m] > chain.rejects[m], scores[alive, m] >= lowest - 1e-9
        )
        alive &= scores[:, m] > chain.rejects[m]


@pytest.mark.parametrize("alpha", [-700.0, -4.0, 0.0, 4.0, 700.0])
def test_the_budget_is_spent_in_all(alpha):
    budget = miss_budget(20, 0.9, alpha)
    assert budget.sum() == pytest.approx(0.1)
    assert np.isfinite(budget).all()


def test_a_negative_alpha_spends_early():
    assert miss_budget(10, 0.9, -4.0)[0] > miss_budget(10, 0.9, 0.0)[0]
    assert miss_budget(10, 0.9, 4.0)[-1] > miss_budget(10, 0.9, 0.0)[-1]


def test_the_printed_formula_is_not_used():
    """1 - exp(alpha j / N - alpha [alpha < 0]) is a rate of detection that is never positive."""
    j = np.arange(1, 101) / 100
    for alpha in (-5.0, -1.0, 1.0, 5.0):
        assert (1 - np.exp(alpha * j - alpha * (alpha < 0)) <= 0).all()


@pytest.mark.parametrize("rate", [0.8, 0.95])
def test_as_many_positives_are_found_as_wanted(rate):
    X, y = two_classes(2000)
    boost = AdaBoostMHClassifier(n_rounds=30).fit(X[:1000], y[:1000])
    model = SoftCascadeClassifier(
        ensemble=FrozenEstimator(boost), n_steps=20, detection_rate=rate
    ).fit(X[1000:], y[1000:])
    found = model.predict(X[1000:])[y[1000:] == 1].mean()
    assert rate <= found < rate + 0.05
    assert model.ensemble_ is boost.ensemble_


def test_without_an_ensemble_one_is_trained_on_a_part_of_the_rows():
    X, y = two_classes(1000)
    model = SoftCascadeClassifier(pool_size=25, n_steps=10, random_state=0).fit(X, y)
    assert len(model.ensemble_) == 25
    assert model.n_evaluated(X).max() <= 10
    assert model.n_evaluated(X)[y == 0].mean() < model.n_evaluated(X)[y == 1].mean()
