"""Routings in sparsify: X_train makes them, held-out rows choose, and all that is served agrees."""

import pickle

import numpy as np
import pytest

import mddag
from mddag.tuning import routes


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(9000, 6))
    inside = np.where(X[:, 0] > 0, X[:, 1] * X[:, 2], X[:, 3] * X[:, 4])
    y = (inside + 0.05 * rng.normal(size=len(X)) > 0).astype(int)
    model = mddag.AdaBoostMHClassifier(mddag.learners.Tree(4), n_rounds=96)
    return X, y, model.fit(X[:5000], y[:5000])


@pytest.fixture(scope="module")
def sparse(data):
    X, y, model = data
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(routes, "FEWEST_ROWS", 2400)
        return mddag.sparsify(
            model, X[5000:7000], y[5000:7000], X_train=X[:5000], budget=8, random_state=0
        )


def test_a_routing_is_chosen_where_regions_differ(data, sparse):
    X, y, model = data
    plain = mddag.sparsify(model, X[5000:7000], y[5000:7000], budget=8, random_state=0)
    assert sparse.policy_.routing is not None
    assert plain.policy_.routing is None
    errors = [(m.predict(X[7000:]) != y[7000:]).mean() for m in (sparse, plain)]
    assert errors[0] < errors[1]
    assert sparse.n_evaluated(X[7000:]).mean() < 9


def test_paths_number_the_source_and_the_router_counts_one(data, sparse):
    X, _, _ = data
    trace = sparse.trace(X[7000:])
    n = len(sparse.ensemble_)
    assert n == 96
    first = trace.indices[trace.indptr[:-1]]
    assert (first == n).all()
    assert trace.indices.max() == n
    np.testing.assert_array_equal(trace.cost, trace.n_evaluated)
    np.testing.assert_array_equal(trace.n_evaluated, sparse.n_evaluated(X[7000:]))


def test_everything_served_agrees(data, sparse, tmp_path):
    X = data[0][7000:7300]
    sparse.save(tmp_path / "model.mddag")
    loaded = mddag.load(tmp_path / "model.mddag")
    labels, shares = sparse.predict(X), sparse.predict_proba(X)
    np.testing.assert_array_equal(loaded.predict(X), labels)
    np.testing.assert_array_equal(loaded.predict_proba(X), shares)
    np.testing.assert_array_equal(loaded.run(X).indices, sparse.trace(X).indices)
    assert [loaded.predict_one(x) for x in X] == labels.tolist()
    np.testing.assert_array_equal([sparse.predict_proba_one(x) for x in X], shares)
    assert "regions" in str(loaded)


def test_another_estimator_can_adopt_the_policy(data, sparse):
    X, y, model = data
    other = mddag.MDDAGClassifier(mddag.as_ensemble(model))
    other.adopt(sparse.policy_, X[7000:], y[7000:])
    np.testing.assert_array_equal(other.predict(X[:200]), sparse.predict(X[:200]))


def test_it_can_be_pickled_and_drawn(data, sparse):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    again = pickle.loads(pickle.dumps(sparse))
    X = data[0]
    np.testing.assert_array_equal(again.scores(X[:200]), sparse.scores(X[:200]))
    trace = sparse.trace(X[7000:7400])
    assert trace.uses(97).shape == (97, 1)
    for display in (mddag.DagDisplay, mddag.PathDisplay):
        display.from_trace(trace)
    pyplot.close("all")


def test_few_rows_make_none(data):
    X, y, model = data
    few = mddag.sparsify(
        model, X[5000:6000], y[5000:6000], X_train=X[:5000], budget=8, random_state=0
    )
    plain = mddag.sparsify(model, X[5000:6000], y[5000:6000], budget=8, random_state=0)
    assert few.policy_.routing is None
    np.testing.assert_array_equal(few.policy_.actions, plain.policy_.actions)


def test_priced_ensembles_and_callables_have_none(data):
    X, y, model = data
    ensemble = mddag.as_ensemble(model)
    mdp = mddag.MDP(ensemble.votes(X[:50]), y[:50])
    assert routes.can_be_routed(ensemble, mdp)
    assert not routes.can_be_routed(ensemble.with_cost(np.ones(96)), mdp)
    voters = mddag.Ensemble.from_callables([np.sum], n_features=6, classes=[0, 1])
    assert not routes.can_be_routed(voters, mdp)


def test_regressors_refuse_rows_without_labels(data):
    X, y, _ = data
    stumps = [mddag.as_ensemble(data[2]).tree(t) for t in range(3)]
    ensemble = mddag.Ensemble.from_trees(stumps, features=mddag.Features(6), kind="regressor")
    with pytest.raises(ValueError, match="the model is a regressor, and only classifiers and rank"):
        mddag.sparsify(ensemble, X[:99], y[:99], X_train=X, budget=2)


def test_rows_without_labels_must_have_the_columns_of_the_model(data):
    X, y, model = data
    with pytest.raises(ValueError, match="features"):
        mddag.sparsify(model, X[:99], y[:99], X_train=X[:, :3], budget=2)
