"""Members of acquire over trees: sources, orders, and what becomes of a candidate that wins."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier

import mddag
from mddag.features.prices import FeaturePrices
from mddag.mdp.paid import Paid
from mddag.solvers.acquisition.search import Candidate
from mddag.solvers.acquisition.tree_level import TreePolicy
from mddag.tuning.acquisition import learned
from mddag.tuning.given_rows import GivenRows
from mddag.tuning.tree_members import MOST_TREES, order_along, tree_sources
from tests.tuning.costly import GROUPS, rows

COSTS = {"cheap": 1.0, "dear": 5.0, 4: 0.0}


def stumps(n_classes, depth=1):
    X, y = rows(n_classes)
    model = GradientBoostingClassifier(n_estimators=20, max_depth=depth, random_state=0)
    return model.fit(X[:500], y[:500])


@pytest.fixture(scope="module", params=[(2, 1), (2, 3), (3, 1)], ids=str)
def settled(request):
    """Every candidate over trees at two prices, as an estimator; and rows for a test."""
    n_classes, depth = request.param
    X, y = rows(n_classes)
    model = stumps(n_classes, depth)
    ensemble = mddag.as_ensemble(model)
    prices = FeaturePrices.of(ensemble.features, COSTS, GROUPS)
    parts = X[500:1100], y[500:1100], X[:500], y[:500]
    given = GivenRows(model, ensemble, *parts, np.random.RandomState(0))
    found = learned(given, prices, "beta", np.arange(100), 0, 1, tree_level=True)
    estimators = []
    for beta in (0.003, 0.02):
        for candidate in found.search.at(beta):
            if isinstance(candidate.policy, TreePolicy):
                estimator = mddag.MDDAGClassifier(model, beta=beta)
                estimator.describe_rows(X)
                found.settle(estimator, candidate, "beta", beta)
                estimators.append((candidate, estimator))
    return found, estimators, X[1100:], y[1100:]


def test_there_are_columns_where_trees_are_stumps(settled):
    found, estimators, X, _ = settled
    names = {candidate.policy.source for candidate, _ in estimators}
    depth = max(int(n) for n in found.ensemble.tables.n_leaves)
    assert names == ({"trees", "columns"} if depth == 2 else {"trees"})
    for source in found.sources.values():
        np.testing.assert_allclose(source.ensemble.scores(X), found.ensemble.scores(X), atol=1e-9)


def test_rollouts_foretell_the_dag(settled):
    found, estimators, _, _ = settled
    every = np.arange(len(found.rows))
    for candidate, estimator in estimators:
        codes, cost = found.outcome(candidate, every)
        trace = estimator.trace(found.policy_rows)
        same = np.isclose(trace.feature_cost, cost) & (trace.verdict == codes)
        assert same.mean() > 0.99  # rows on an edge may fall either way by rounding


def test_a_row_reads_no_feature_that_it_did_not_buy(settled):
    _, estimators, X, _ = settled
    for _, estimator in estimators:
        groups, hidden = estimator.groups_bought(X), X.copy()
        for g, columns in enumerate(estimator.dag_.purchases.prices.columns):
            hidden[np.ix_(~groups[:, g], columns)] = 1e9
        np.testing.assert_array_equal(estimator.scores(hidden), estimator.scores(X))


def test_files_and_lazy_rows_have_the_same_answers(settled, tmp_path):
    _, estimators, X, _ = settled
    for _, estimator in estimators:
        estimator.save(tmp_path / "model.mddag")
        predictor = mddag.load(tmp_path / "model.mddag")
        np.testing.assert_array_equal(predictor.predict(X), estimator.predict(X))
        np.testing.assert_array_equal(predictor.predict_proba(X), estimator.predict_proba(X))
        assert predictor.predict_one(X[0]) == estimator.predict(X[:1])[0]
        prices = estimator.dag_.purchases.prices
        columns = dict(zip(prices.names, prices.columns, strict=True))
        asked = np.zeros((len(X), prices.n_groups), bool)

        def fetch(group, wanted, columns=columns, asked=asked, names=prices.names):
            asked[wanted, names.index(group)] = True
            return X[np.ix_(wanted, columns[group])]

        found = predictor.predict_lazy(fetch, n_rows=len(X))
        np.testing.assert_array_equal(found, estimator.predict(X))
        np.testing.assert_array_equal(asked, estimator.groups_bought(X))


def test_code_of_other_languages_is_made_or_refused(settled, tmp_path):
    _, estimators, _, _ = settled
    for _, estimator in estimators:
        if isinstance(estimator.policy_.state, Paid):
            with pytest.raises(TypeError, match="which code of other languages does not know; use"):
                estimator.export_c(tmp_path / "model.h")
        else:
            estimator.export_c(tmp_path / "model.h")


def test_it_says_what_it_is(settled):
    _, estimators, X, _ = settled
    for candidate, estimator in estimators:
        assert candidate.member in str(estimator.acquisition_)
        assert "features bought for" in str(estimator.acquisition_)
        explained = str(estimator.explain(X[0]))
        assert explained


def test_a_member_over_trees_must_win_by_a_standard_error(settled):
    found, estimators, _, _ = settled
    candidate, beta = estimators[0][0], estimators[0][0].beta
    best = found.search.best(beta)
    n = len(candidate.loss)

    def moved(by):
        noise = np.where(np.arange(n) % 2, 0.3, -0.3)
        loss, cost = best.loss[:n] - by + noise, best.cost[:n]
        return Candidate("trees", "score", beta, candidate.policy, loss, cost)

    assert moved(0.1).surely_beats(best, beta)
    assert not moved(0.3 / np.sqrt(n) * 0.9).surely_beats(best, beta)


def test_base_classifiers_follow_a_chain_of_sets(settled):
    found, _, _, _ = settled
    sets, wants = found.rows.sets, found.sources["trees"].charges.wants
    last = len(sets) - 1
    order = order_along([0, last], sets, wants)
    inside = ~(wants & ~sets.held[0]).any(axis=1)
    assert order.tolist() == [*np.flatnonzero(inside), *np.flatnonzero(~inside)]


def test_large_ensembles_are_left_to_sets():
    X, y = rows()
    model = GradientBoostingClassifier(n_estimators=MOST_TREES + 1, max_depth=1).fit(X, y)
    ensemble = mddag.as_ensemble(model)
    prices = FeaturePrices.of(ensemble.features)
    found = tree_sources(ensemble, prices, ensemble.features.rows(X))
    assert [source.name for source in found] == ["columns"]
