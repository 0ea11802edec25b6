"""What acquire learned, and its Dag."""

from itertools import pairwise

import numpy as np
import pytest

import mddag
from mddag.features.prices import FeaturePrices
from mddag.solvers.acquisition.set_policy import SetPolicy
from mddag.tuning.acquisition import chains_of, learned, set_dag
from mddag.tuning.given_rows import GivenRows
from mddag.tuning.set_rows import SetRows
from tests.tuning.costly import GROUPS, model, rows


@pytest.fixture(scope="module", params=[2, 3])
def found(request):
    X, y = rows(request.param)
    ensemble = mddag.as_ensemble(model(request.param))
    costs = {"cheap": 1.0, "dear": 5.0, 4: 0.0}
    prices = FeaturePrices.of(ensemble.features, costs, GROUPS)
    random = np.random.RandomState(0)
    given = GivenRows(
        model(request.param), ensemble, X[500:1100], y[500:1100], X[:500], y[:500], random
    )
    return learned(given, prices, "beta", np.empty(0, np.intp), 0, 1), X[1100:]


@pytest.mark.parametrize("beta", [1e-4, 0.01, 0.03])
def test_the_dag_does_what_the_policy_over_sets_does(found, beta):
    acquisition, X = found
    models, ensemble = acquisition.models, acquisition.ensemble
    read = ensemble.features.rows(X)
    test = SetRows(models.sets, models.scores(read, ensemble.bias), None)
    for candidate in acquisition.search.at(beta):
        stops = candidate.policy.follow(test.sets, test.values)
        dag, used = set_dag(models, candidate.policy, ensemble, test)
        trace = dag.run(X)
        same = np.isclose(trace.feature_cost, stops.cost)
        assert same.mean() > 0.99
        scores = test.scores[np.arange(len(X)), stops.last]
        np.testing.assert_allclose(trace.scores[same], scores[same], atol=1e-4)
        assert len(used) <= len(models)


def test_a_policy_that_buys_nothing(found):
    acquisition, X = found
    models = acquisition.models
    nothing = SetPolicy.static(len(models), 0)
    dag, _ = set_dag(models, nothing, acquisition.ensemble, acquisition.rows)
    assert not dag.run(X).feature_cost.any()


def test_chains_are_nested_and_go_to_the_end(found):
    sets = found[0].models.sets
    for chain in chains_of(found[0].rows):
        assert chain[0] == 0
        assert chain[-1] == len(sets) - 1
        assert all(sets.leads[s, t] for s, t in pairwise(chain))
