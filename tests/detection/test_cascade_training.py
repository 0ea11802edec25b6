import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.frozen import FrozenEstimator

from mddag import AdaBoostMHClassifier, DoubtfulResult
from mddag.detection import (
    FCBoostClassifier,
    SoftCascadeClassifier,
    VJCascadeClassifier,
    WaldBoostClassifier,
)
from mddag.detection.cascade import votes_of
from mddag.detection.soft_cascades import (
    BINS,
    FEWEST,
    NORMAL_RULE,
    miss_budget,
    wald_reject,
)
from mddag.detection.stage_cascades import FCStages
from tests.detection.problems import material, two_classes
from tests.reference import cascades as reference

RATES = {"max_fpr": 0.6, "min_tpr": 0.95}


def stage_rates(stages, rows):
    """FPR and TPR of the first m stages on held-out rows, one pair for each m."""
    scores = stages.chain.sums(votes_of(rows.held, stages.trees))
    passed = np.cumprod(scores > stages.chain.rejects, axis=1)
    positive = rows.held.labels > 0
    for accepted in passed.T:
        yield accepted[~positive].mean(), accepted[positive].mean()


def test_every_stage_reaches_its_rates():
    rows = material(1500, 1000)
    stages = VJCascadeClassifier(**RATES, n_stages=3)._stages(rows)
    assert stages.stopped_by == "n_stages"
    before = 1.0, 1.0
    for fpr, tpr in stage_rates(stages, rows):
        assert fpr <= 0.6 * before[0] + 1e-9
        assert tpr >= 0.95 * before[1] - 1e-9
        before = fpr, tpr


def test_the_first_stages_together_reach_the_powers():
    rows = material(1500, 1000)
    stages = VJCascadeClassifier(**RATES, rates="cascade", n_stages=4)._stages(rows)
    for m, (fpr, tpr) in enumerate(stage_rates(stages, rows), 1):
        assert fpr <= 0.6**m + 1e-9
        assert tpr >= 0.95**m - 1e-9


def test_a_stage_that_cannot_reach_its_rates_ends_the_cascade_and_is_kept():
    X, y = two_classes(600)
    model = VJCascadeClassifier(max_fpr=0.01, min_tpr=0.999, max_rounds=5, random_state=0)
    with pytest.warns(DoubtfulResult, match=r"stage 1 does not reach max_fpr=0\.01"):
        model.fit(X, y)
    assert model.stopped_by_ == "rates"
    assert len(model.ensemble_) == 5
    assert model.predict(X)[y == 1].mean() > 0.9


def test_where_negatives_run_out_the_cascade_ends_and_is_kept():
    X, y = two_classes(300)
    model = VJCascadeClassifier(max_fpr=0.3, min_tpr=0.9, n_stages=30, random_state=0)
    with pytest.warns(DoubtfulResult, match="too few negatives pass the first"):
        model.fit(X, y)
    assert model.stopped_by_ == "negatives"
    assert 0 < model.chain_.n_stages < 30


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
    chain = SoftCascadeClassifier(**setting)._chain(votes, positive)
    order, kept = reference.soft_cascade(votes, positive, **setting)
    assert chain.order.tolist() == order
    scores = chain.sums(votes)
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


def test_no_more_positives_are_lost_than_may_be():
    X, y = two_classes(4000)
    model = WaldBoostClassifier(n_rounds=40, miss_rate=0.1, random_state=0).fit(X, y)
    rejected = model.n_evaluated(X) < len(model.ensemble_)
    assert 0 < rejected[y == 1].mean() < 0.1
    assert rejected[y == 0].mean() > 10 * rejected[y == 1].mean()


def test_a_given_ensemble_keeps_its_base_classifiers():
    X, y = two_classes(1500)
    boost = AdaBoostMHClassifier(n_rounds=20).fit(X[:700], y[:700])
    model = WaldBoostClassifier(ensemble=boost, miss_rate=0.1).fit(X[700:], y[700:])
    assert model.ensemble_ is boost.ensemble_
    assert model.chain_.order.tolist() == list(range(model.chain_.n_stages))
    again = WaldBoostClassifier(ensemble=boost, miss_rate=0.1, n_rounds=5).fit(X[700:], y[700:])
    np.testing.assert_array_equal(again.chain_.rejects[:4], model.chain_.rejects[:4])


def test_the_last_rows_of_a_class_are_boosted_on_to_the_end():
    rows = material()
    steps = WaldBoostClassifier(n_rounds=30, miss_rate=0.9)._boosted(rows)
    assert len(steps.trees) == 30
    score = np.cumsum(votes_of(rows.held, steps.trees), axis=1)
    left = (score > steps.chain.rejects).all(axis=1)
    assert np.count_nonzero(left & (rows.held.labels == 0)) >= FEWEST


def test_perfect_rows_end_early():
    X = np.repeat([[0.0], [1.0]], 60, axis=0)
    model = WaldBoostClassifier(random_state=0).fit(X, np.repeat([0, 1], 60))
    assert model.stopped_by_ == "perfect"
    assert len(model.ensemble_) == 1


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("miss", [0.02, 0.2, 0.6])
def test_equals_sums_of_gaussians(seed, miss):
    rng = np.random.default_rng(seed)
    positives, negatives = rng.normal(1, 1, 80), rng.normal(-1, 1, 120)
    found = wald_reject(positives, negatives, (1 / 100, 1 / 300), miss, 0.5)
    width = 0.5 * NORMAL_RULE * positives.std() * 80**-0.2
    low, high = min(negatives.min(), positives.min()), positives.max()
    grid = np.linspace(low - 3 * width, high, 400)
    wanted = reference.wald_reject(positives, negatives, (1 / 100, 1 / 300), miss, width, grid)
    assert found == pytest.approx(wanted, abs=3 * (high - low) / BINS + 0.1 * width)


def test_a_higher_price_gives_a_cheaper_cascade():
    X, y = two_classes(1500)
    cost = [
        FCBoostClassifier(eta=eta, n_rounds=30, random_state=0).fit(X, y).n_evaluated(X)[y == 0]
        for eta in (0.0001, 0.1)
    ]
    assert cost[1].mean() < 0.7 * cost[0].mean()


def test_stages_and_columns_are_bounded():
    X, y = two_classes(500)
    model = FCBoostClassifier(max_stages=2, max_features=3, n_rounds=20, eta=0.1, random_state=0)
    assert model.fit(X, y).chain_.n_stages <= 2
    again = FCBoostClassifier(max_stages=2, max_features=3, n_rounds=20, eta=0.1, random_state=0)
    np.testing.assert_array_equal(again.fit(X, y).trace(X).scores, model.trace(X).scores)


def problem(seed, n_stages, n=7):
    rng = np.random.default_rng(seed)
    signs = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    weight = rng.random(n)
    eta = float(rng.random())
    price = np.where(signs < 0, eta / (signs < 0).sum(), 0.0)
    scores, costs = rng.normal(size=(n_stages, n)), rng.integers(1, 9, n_stages) * 1.0
    return FCStages(scores, costs, signs, weight / weight.sum(), price), eta


def twin(stages, eta, scores):
    return reference.fc_criterion(scores, stages.costs, stages.signs, stages.weight, eta)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_the_derivative_is_the_numerical_one(seed, n_stages):
    stages, eta = problem(seed, n_stages)
    assert stages.value() == pytest.approx(twin(stages, eta, stages.scores), rel=1e-12)
    derivative = stages.derivative()
    for m, i in np.ndindex(stages.scores.shape):
        up, down = stages.scores.copy(), stages.scores.copy()
        up[m, i] += 1e-6
        down[m, i] -= 1e-6
        numerical = (twin(stages, eta, up) - twin(stages, eta, down)) / 2e-6
        assert derivative[m, i] == pytest.approx(numerical, rel=1e-5, abs=1e-8)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_the_step_is_the_best_on_the_exact_criterion(seed, n_stages):
    stages, _ = problem(seed, n_stages, n=12)
    votes = np.where(np.random.default_rng(seed).random(12) < 0.5, -1.0, 1.0)
    for m in range(n_stages):
        length, value = stages.along(m, votes)
        assert stages.moved(m, length * votes).value() == pytest.approx(value, rel=1e-9)
        for other in (0.5 * length, min(1.01 * length, 2.0)):
            near = stages.moved(m, other * votes).value()
            assert value <= near + 1e-3 * abs(near)
