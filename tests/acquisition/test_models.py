"""Sets that deserve a model, their models, and what rows lose with each."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold

import mddag
from mddag.acquisition import models as of_sets
from mddag.acquisition.dag import set_dag
from mddag.acquisition.feature_sets import (
    MOST_PREFIXES,
    FeatureSets,
    SetPolicy,
    candidate_sets,
    group_orders,
    prefixes,
)
from mddag.acquisition.models import FOLDS, SetModels, cross_fitted_rows
from mddag.acquisition.rows import SetScores, SplitRows
from mddag.ensemble.costs import read_groups
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.ensemble.tasks import Classification, Regression
from mddag.metrics import R2
from tests.acquisition.costly import all_sets, front, model, prices, rows

EYE = np.eye(5, dtype=bool)
ONES = (1.0,) * 8
CLASSES = Classification()


def problem(n_groups, seed=0):
    """Column 2 decides, column 0 helps, the rest is noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2000, n_groups))
    return X, (X[:, 2] * 2 + X[:, 0] > 0).astype(int), np.ones(n_groups, bool)


def test_few_groups_have_all_subsets():
    X, y, full = problem(3)
    assert len(candidate_sets(prices(), full, X, y, 0)) == 8
    assert len(candidate_sets(prices(), np.array([True, True, False]), X, y, 0)) == 4


def test_the_group_that_decides_comes_first_unless_it_is_expensive():
    X, y, full = problem(8)
    orders = group_orders(prices(ONES), full, X, y, 0)
    assert orders[0][:2] == [2, 0]
    assert orders[1][0] != 2
    assert all(sorted(order) == list(range(8)) for order in orders)
    sets = candidate_sets(prices(ONES), full, X, y, 0)
    assert any(held.sum() == 1 and held[2] for held in sets)
    expensive = prices((1.0, 1.0, 1000.0) + (1.0,) * 5)
    assert group_orders(expensive, full, X, y, 0)[0][0] == 0


def test_one_order_is_for_rows_that_are_undecided():
    """Column 1 decides most rows, but for some noise; column 3 decides the others."""
    rng = np.random.default_rng(0)
    X, n = rng.normal(size=(4000, 8)), 4000
    sure = rng.random(n) < 0.7
    X[:, 1] = np.where(sure, np.sign(X[:, 1]) * 3, 0.0)
    likely = np.where(rng.random(n) < 0.9, X[:, 1], -X[:, 1])
    y = (np.where(sure, likely, X[:, 3]) > 0).astype(int)
    orders = group_orders(prices(ONES), np.ones(8, bool), X, y, 0)
    assert len(orders) == 3
    assert orders[-1][:2] == [1, 3]


@pytest.mark.parametrize("n", [3, 40])
def test_prefixes_grow_to_all(n):
    sets = prefixes(prices((1.0,) * n), np.ones(n, bool), list(range(n))[::-1])
    sizes = [int(held.sum()) for held in sets]
    assert sizes == sorted(set(sizes))
    assert (sizes[0], sizes[-1]) == (1, n)
    assert len(sizes) <= MOST_PREFIXES


def prepared(of=None, n_classes=2, **other):
    """Split rows, models of three sets and the full one, and the policy rows in them."""
    X, y = rows(n_classes)
    of = of or model(n_classes)
    parts = {"X": X[500:1100], "y": y[500:1100], "X_train": X[:500], "y_train": y[:500]} | other
    ensemble = mddag.as_ensemble(of)
    given = SplitRows(of, ensemble, **parts, random=np.random.RandomState(0))
    priced = FeaturePrices.of(ensemble.features, np.array([1.0, 1, 5, 5, 1]))
    sets = FeatureSets.of(priced, [EYE[0], EYE[0] | EYE[2], np.ones(5, bool)])
    models = SetModels.trained(given, sets, 0)
    scores = models.scores(given.rows, ensemble.bias)
    return given, models, SetScores.of(models.sets, scores, given.labels, ensemble.task)


def test_models_are_clones_on_the_columns_of_their_sets():
    given, models, seen = prepared()
    X, y = rows()
    assert models.models[0] is None
    assert models.models[-1] is given.ensemble
    for s, found in enumerate(models.models[1:-1], 1):
        columns = models.sets.columns(s)
        like = GradientBoostingClassifier(n_estimators=20, max_depth=3, random_state=0)
        own = mddag.as_ensemble(like.fit(X[:500, columns], y[:500]))
        np.testing.assert_allclose(found.scores(X), own.scores(X[:, columns]))
        assert not read_groups(models.sets.prices, found)[:, ~models.sets.held[s]].any()
    assert seen.scores.shape == (600, len(models), 1)
    assert (seen.scores[:, 0] == given.ensemble.bias).all()


def test_half_of_the_rows_train_where_no_others_do():
    X, y = rows()
    given, _, _ = prepared(X=X, y=y, X_train=None, y_train=None)
    assert abs(len(given.rows) - len(given.train)) <= 2
    both = np.concatenate([np.asarray(given.rows), given.train])
    assert len(np.unique(both, axis=0)) == len(X)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_cross_fitted_scores_are_those_of_models_that_have_not_seen_the_row(n_classes):
    given, models, seen = prepared(n_classes=n_classes)
    found = cross_fitted_rows(given, models, seen, seed=0)
    X, y = (part[:500] for part in rows(n_classes))
    splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))
    for s in range(1, len(models)):
        columns = models.sets.columns(s) if s < len(models) - 1 else np.arange(5)
        own_scores = []
        for others, own in splits:
            like = clone(model(n_classes)).fit(X[others][:, columns], y[others])
            own_scores.append(mddag.as_ensemble(like).scores(X[own][:, columns]))
        np.testing.assert_allclose(found.scores[:, s], np.concatenate(own_scores))
    assert (found.scores[:, 0] == given.ensemble.bias).all()
    assert found.labels.tolist() == y[np.concatenate([own for _, own in splits])].tolist()


def test_the_given_model_scores_rows_that_it_has_not_seen():
    given, models, seen = prepared(X_train=None, y_train=None)
    found = cross_fitted_rows(given, models, seen, seed=0)
    own = given.ensemble.scores(given.train_rows)
    np.testing.assert_array_equal(np.sort(found.scores[:, -1], axis=0), np.sort(own, axis=0))
    assert len(found) + len(seen) == 600


def test_training_rows_are_left_out_where_they_would_mislead(monkeypatch):
    given, models, seen = prepared()
    assert cross_fitted_rows(given, models, seen, seed=0) is not None
    rare = (np.arange(500) < FOLDS - 1).astype(int)
    for without in ({"y": None}, {"y_train": None}, {"y_train": rare}):
        assert cross_fitted_rows(*prepared(**without), seed=0) is None
    guesses = seen.scores.copy()
    guesses[:, -1, 0] = np.where(np.arange(len(seen)) % 2, 1.0, -1.0)
    assert cross_fitted_rows(given, models, replace(seen, scores=guesses), seed=0) is None
    monkeypatch.setattr(of_sets, "ENOUGH", 600 + 130)
    assert len(cross_fitted_rows(*prepared(), seed=0)) == 250  # two folds are enough
    monkeypatch.setattr(of_sets, "ENOUGH", 600)
    assert cross_fitted_rows(*prepared(), seed=0) is None


def made(n_scores, n=200, seed=0):
    rng, sets = np.random.default_rng(seed), all_sets()
    scores = rng.normal(size=(n, len(sets), n_scores)) * 2
    return SetScores.of(sets, scores, rng.integers(0, max(n_scores, 2), n), CLASSES)


def test_binary_rows_decide_by_the_score_and_multiclass_rows_by_the_margin():
    scored = made(1)
    np.testing.assert_array_equal(scored.values, scored.scores[:, :, 0])
    np.testing.assert_array_equal(scored.predictions, scored.scores[:, :, 0] > 0)
    losses = scored.losses()
    assert list(losses) == ["softened labels", "full model"]
    wrong = scored.predictions != scored.labels[:, None]
    half = 2 * losses["softened labels"] - losses["full model"]
    np.testing.assert_allclose(half, wrong, atol=1e-12)
    assert scored.sample(wrong, 0).around == 0.0
    scored = made(3)
    ordered = np.sort(scored.scores, axis=2)
    np.testing.assert_allclose(scored.values, ordered[:, :, -1] - ordered[:, :, -2])
    assert scored.sample(wrong, 0).around is None


def test_disagreement_is_with_the_full_model_which_is_the_truth_without_labels():
    scored = made(1)
    (losses,) = scored.losses(follows_model=True).values()
    np.testing.assert_array_equal(losses, scored.predictions != scored.predictions[:, -1:])
    bare = SetScores.of(scored.sets, scored.scores, None, CLASSES).rows(np.arange(50))
    assert list(bare.losses()) == ["full model"]
    np.testing.assert_array_equal(bare.truth, bare.predictions[:, -1])
    np.testing.assert_allclose(bare.soft_targets()[:, 1], 1 / (1 + np.exp(-bare.scores[:, -1, 0])))


def test_regressors_lose_in_units_of_r2():
    rng, sets = np.random.default_rng(0), all_sets()
    labels = rng.normal(size=300) * 3
    scores = labels[:, None, None] + rng.normal(size=(300, len(sets), 1))
    scored = SetScores.of(sets, scores, labels, Regression(), R2())
    np.testing.assert_allclose(scored.lost(np.full(300, labels.mean())).mean(), 1.0)
    losses = scored.losses()
    true = np.square(scored.values - labels[:, None]) / scored.unit
    np.testing.assert_allclose(2 * losses["softened labels"] - losses["full model"], true)
    np.testing.assert_allclose(losses["full model"][:, -1], scored.lost(scored.full).mean())
    assert scored.sample(true, 0).around is None
    np.testing.assert_allclose(scored.risks(), losses["softened labels"].mean(axis=0))
    last = np.arange(300) % len(sets)
    answers = scored.answers(last)
    np.testing.assert_array_equal(answers, scores[np.arange(300), last, 0])
    np.testing.assert_allclose(
        scored.changed(answers), np.square(answers - scored.full) / scored.unit
    )
    bare = SetScores.of(sets, scores, None, Regression(), R2())
    (follows,) = bare.losses().values()
    assert not follows[:, -1].any()
    both = scored.rows(np.arange(10)).joined(scored.rows(np.arange(20)))
    assert (both.unit, len(both), len(both.labels)) == (scored.unit, 30, 30)
    assert SetScores.of(sets, scores, np.ones(300), Regression(), R2()).unit == 1.0


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("beta", [1e-4, 0.01, 0.03])
def test_the_dag_does_what_the_policy_over_sets_does(n_classes, beta):
    found, X = front(n_classes), rows(n_classes)[0][1100:]
    models, ensemble = found.models, mddag.as_ensemble(model(n_classes))
    scores = models.scores(ensemble.features.rows(X), ensemble.bias)
    test = SetScores.of(models.sets, scores, None, ensemble.task)
    for member in found.members.values():
        policy = member(beta).policy
        stops = policy.follow(test.sets, test.values)
        dag, used = set_dag(models, policy, ensemble)
        trace = dag.run(X)
        same = np.isclose(trace.feature_cost, stops.cost)
        assert same.mean() > 0.99
        last = scores[np.arange(len(X)), stops.last]
        np.testing.assert_allclose(trace.scores[same], last[same], atol=1e-4)
        assert len(used) <= len(models)
    nothing, _ = set_dag(models, SetPolicy.static(len(models), 0), ensemble)
    assert not nothing.run(X).feature_cost.any()
    for chain in models.sets.chains(found.rows.risks()):  # nested, to the end
        assert (chain[0], chain[-1]) == (0, len(models) - 1)
        assert all(models.sets.leads[s, t] for s, t in pairwise(chain))
