import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.detection.cascades import FCBoostClassifier
from mddag.detection.cascades.fc_boost import Criterion, SoftStages, fc_boost, soft_step
from mddag.learners import Stump
from tests.detection.cascades.rows import coded_rows, two_classes
from tests.reference import cascades as reference


def test_the_criterion_falls_with_every_round():
    rows = coded_rows(400)
    values = []
    for n in (1, 3, 6, 12):
        grown = fc_boost(rows, Stump(), n_rounds=n, eta=0.01, slope=1.0)
        values.append(_value(rows, grown, 0.01))
    assert values == sorted(values, reverse=True)


def _value(rows, grown, eta):
    """L of what was grown, from its trees alone."""
    chain = grown.chain()
    votes = np.stack(
        [nodes.votes[:, 0][rows.columns.leaf_codes(nodes)] for nodes in grown.trees], 1
    )
    costs = np.diff(chain.ends, prepend=0).astype(float)
    price = np.where(rows.positive, 0.0, eta / (~rows.positive).sum())
    weight = np.where(rows.positive, 0.5 / rows.positive.sum(), 0.5 / (~rows.positive).sum())
    stages = SoftStages(chain.stage_scores(votes).T, costs, 1.0)
    return Criterion(rows.signs, weight, price).value(stages)


def test_the_chain_has_the_stages_that_were_grown():
    """What is boosted is what is run: L of the chain's own scores is the value that was reached."""
    rows = coded_rows(400)
    grown = fc_boost(rows, Stump(), n_rounds=25, eta=0.02, slope=1.0)
    assert max(grown.stage) > 0
    chain = grown.chain()
    inherited = chain.counts.sum(axis=1) > 1
    assert inherited.any()
    np.testing.assert_array_equal(np.bincount(grown.stage), np.diff(chain.ends, prepend=0))


def test_a_higher_price_gives_a_cheaper_cascade():
    X, y = two_classes(1500)
    cost = [
        FCBoostClassifier(eta=eta, n_rounds=30, random_state=0).fit(X, y).n_evaluated(X)[y == 0]
        for eta in (0.0001, 0.1)
    ]
    assert cost[1].mean() < 0.7 * cost[0].mean()


def test_more_weight_on_positives_finds_more_of_them():
    X, y = two_classes(1500)
    found = [
        FCBoostClassifier(positive_weight=w, n_rounds=20, random_state=0).fit(X, y).predict(X)
        for w in (1.0, 10.0)
    ]
    assert found[1][y == 1].mean() > found[0][y == 1].mean()


def test_stages_and_columns_are_bounded():
    X, y = two_classes(500)
    model = FCBoostClassifier(max_stages=2, max_features=3, n_rounds=20, eta=0.1, random_state=0)
    assert model.fit(X, y).chain_.n_stages <= 2
    again = FCBoostClassifier(max_stages=2, max_features=3, n_rounds=20, eta=0.1, random_state=0)
    np.testing.assert_array_equal(again.fit(X, y).scores(X), model.scores(X))


def problem(seed, n_stages, n=7):
    rng = np.random.default_rng(seed)
    signs = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    weight = rng.random(n)
    eta = float(rng.random())
    price = np.where(signs < 0, eta / (signs < 0).sum(), 0.0)
    stages = SoftStages(rng.normal(size=(n_stages, n)), rng.integers(1, 9, n_stages) * 1.0, 1.3)
    return Criterion(signs, weight / weight.sum(), price), stages, eta


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_the_criterion_is_that_of_the_twin(seed, n_stages):
    criterion, stages, eta = problem(seed, n_stages)
    wanted = reference.fc_criterion(
        stages.scores, stages.costs, stages.slope, criterion.signs, criterion.weight, eta
    )
    assert criterion.value(stages) == pytest.approx(wanted, rel=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_the_derivative_is_the_numerical_one(seed, n_stages):
    criterion, stages, eta = problem(seed, n_stages)
    derivative = criterion.derivative(stages)

    def value(scores):
        return reference.fc_criterion(
            scores, stages.costs, stages.slope, criterion.signs, criterion.weight, eta
        )

    for m, i in np.ndindex(stages.scores.shape):
        up, down = stages.scores.copy(), stages.scores.copy()
        up[m, i] += 1e-6
        down[m, i] -= 1e-6
        numerical = (value(up) - value(down)) / 2e-6
        assert derivative[m, i] == pytest.approx(numerical, rel=1e-5, abs=1e-8)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_the_step_is_the_best_on_the_exact_criterion(seed, n_stages):
    criterion, stages, _ = problem(seed, n_stages, n=12)
    votes = np.where(np.random.default_rng(seed).random(12) < 0.5, -1.0, 1.0)
    for m in range(n_stages):
        length, value = criterion.along(stages, m, votes)
        assert criterion.value(stages.moved(m, length * votes)) == pytest.approx(value, rel=1e-9)
        for other in (0.5 * length, min(1.01 * length, 2.0)):
            near = criterion.value(stages.moved(m, other * votes))
            assert value <= near + 1e-3 * abs(near)


def test_a_new_last_stage_changes_no_score():
    criterion, stages, _ = problem(0, 2)
    assert criterion.value(stages.extended()) == pytest.approx(criterion.value(stages), rel=1e-12)


def test_the_soft_step_is_a_half_at_zero():
    np.testing.assert_allclose(soft_step(np.array([-50.0, 0.0, 50.0]), 1.0), [0, 0.5, 1])
