import numpy as np

from mddag.detection.cascades import FCBoostClassifier
from mddag.detection.cascades.fc_boost import fc_boost
from mddag.detection.cascades.fc_criterion import Criterion, SoftStages
from mddag.learners import Stump
from tests.detection.cascades.rows import coded_rows, two_classes


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
