import numpy as np
import pytest

import mddag
from mddag.ensemble.routing import Route, leaves_of
from mddag.ensemble.votes import Votes
from mddag.ordering.regions import fitted_router, routings_of


@pytest.fixture(scope="module")
def known():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 4))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
    model = mddag.AdaBoostMHClassifier(mddag.learners.Tree(4), n_rounds=60).fit(X, y)
    ensemble = mddag.as_ensemble(model)
    return ensemble, ensemble.features.rows(X)


def test_a_router_parts_rows_by_their_scores(known):
    ensemble, rows = known
    scores = ensemble.scores(rows)
    router = fitted_router(rows, scores, 8, 20)
    regions = leaves_of(router, rows)
    assert router.n_leaves == 8
    assert np.bincount(regions).min() >= 20
    within = sum(scores[regions == q].var() * (regions == q).sum() for q in range(8))
    assert within < 0.6 * scores.var() * len(rows)


def test_missing_values_go_left_and_infinite_ones_are_ordered():
    X = np.array([[np.nan], [-np.inf], [0.0], [1.0], [np.inf]] * 20)
    router = fitted_router(X, np.arange(5.0).repeat(1)[np.arange(100) % 5][:, None], 4, 5)
    regions = leaves_of(router, X)
    assert regions[0] == regions[1]
    assert len(np.unique(regions)) == 4


def test_sums_of_regions_follow_the_full_score_better_than_one_order(known):
    ensemble, rows = known
    votes = ensemble.votes(rows)
    scores, errors = votes.scores(), []
    for n_regions in (1, 8):
        router = fitted_router(rows, scores, n_regions, 20) if n_regions > 1 else None
        if router is None:
            from mddag.ordering.condensation import Condensation

            few = Condensation.of(votes, 8).arrangement(8)
            errors.append(np.abs(few.votes(votes).scores() - scores).mean())
            continue
        regions = leaves_of(router, rows)
        routing = routings_of(router, votes, regions, [8])[0]
        assert routing.order.shape == (8, 8)
        routed = Votes(votes.codes, votes.tables, (Route(routing, regions),))
        errors.append(np.abs(routing.votes(routed).scores() - scores).mean())
    assert errors[1] < 0.8 * errors[0]
