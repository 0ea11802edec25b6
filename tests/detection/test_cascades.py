"""What the four cascades share: the estimator, the chain of stages, the rows of training."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lightgbm import LGBMClassifier
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import mddag
from mddag import AdaBoostMHClassifier, Ensemble, Features, detection
from mddag import compile as compile_dag
from mddag.boosting.rounds import rounds, start
from mddag.detection import Haar, SoftCascadeClassifier, WaldBoostClassifier
from mddag.detection.cascade import Chain, highest_reject
from mddag.ensemble.nodes import TreeBuilder
from mddag.learners import Stump
from tests.detection.problems import (
    blobs,
    material,
    two_classes,
)
from tests.reference import cascades as reference

SMALL = {
    "VJCascadeClassifier": {"n_stages": 2, "max_fpr": 0.6, "min_tpr": 0.95},
    "SoftCascadeClassifier": {"pool_size": 30, "n_steps": 15},
    "FCBoostClassifier": {"n_rounds": 15, "eta": 0.001},
    "WaldBoostClassifier": {"n_rounds": 15, "miss_rate": 0.2},
}
MEMBERS = [getattr(detection, name)(random_state=0, **SMALL[name]) for name in SMALL]
X, Y = two_classes(1200)
LABELS = np.where(Y == 1, "face", "background")


@pytest.fixture(scope="module", params=MEMBERS, ids=lambda m: type(m).__name__)
def model(request):
    return clone(request.param).fit(X, LABELS)


@parametrize_with_checks(MEMBERS)
@pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")
def test_scikit_learn(estimator, check):
    check(estimator)


def left(chain, votes):
    """Stages, scores and whether accepted of rows with these votes (n, N), by the twin."""
    votes = votes + 0.0
    votes[:, chain.order[0]] += chain.bias * (chain.counts is None)
    rows = [
        reference.left(row, chain.order, chain.ends, chain.rejects, chain.counts) for row in votes
    ]
    return tuple(np.array(of) for of in zip(*rows, strict=True))


def test_what_is_run_is_what_was_trained(model):
    stage, score, accepted = left(model.chain_, model.ensemble_.votes(X).dense()[:, :, 0])
    np.testing.assert_array_equal(np.where(accepted, *model.classes_[::-1]), model.predict(X))
    np.testing.assert_array_equal(model.chain_.ends[stage], model.n_evaluated(X))
    trace = model.trace(X)
    np.testing.assert_allclose(score, trace.scores[:, 0], atol=1e-6)
    np.testing.assert_array_equal(model.classes_[trace.verdict], model.predict(X))
    assert model.dag_.policy is model.policy_


def test_the_decision_ranks_rows_and_is_above_zero_where_they_are_accepted(model):
    decision = model.decision_function(X)
    np.testing.assert_array_equal(decision > 0, model.predict(X) == "face")
    assert roc_auc_score(Y, decision) > 0.85
    exits = model.n_evaluated(X)[np.argsort(decision, kind="stable")]
    assert (np.diff(np.searchsorted(model.chain_.ends, exits)) >= 0).all()  # later ones are higher


def test_files_and_a_failed_fit(model, tmp_path):
    model.save(tmp_path / "cascade.mddag")
    loaded = mddag.load(tmp_path / "cascade.mddag")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.n_evaluated(X), model.n_evaluated(X))
    assert loaded.predict_one(X[0]) == model.predict(X[:1])[0]
    again = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match="Only binary"):
        again.fit(X, np.arange(len(Y)) % 3)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("member", MEMBERS, ids=lambda m: type(m).__name__)
@pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")
def test_patches(member):
    X, y = blobs(400)
    model = clone(member).set_params(learner=Haar(80)).fit(X, y)
    assert model.score(X, y) > 0.8
    np.testing.assert_array_equal(model.predict(X.reshape(400, -1)), model.predict(X))


POOLED = [SoftCascadeClassifier, WaldBoostClassifier]


@pytest.mark.parametrize("cascade", POOLED)
def test_models_of_other_libraries_with_a_bias(cascade):
    X, y = two_classes(1600)
    pool = LGBMClassifier(n_estimators=30, num_leaves=4, verbose=-1).fit(X[:800], y[:800])
    model = cascade(ensemble=pool).fit(X[800:], y[800:])
    stage, _, accepted = left(model.chain_, model.ensemble_.votes(X).dense()[:, :, 0])
    assert model.chain_.bias == model.ensemble_.bias[0] != 0
    np.testing.assert_array_equal(accepted, model.predict(X) == 1)
    np.testing.assert_array_equal(model.chain_.ends[stage], model.n_evaluated(X))


@pytest.mark.parametrize("cascade", POOLED)
def test_patches_and_a_given_ensemble(cascade):
    X, y = blobs(400)
    boost = AdaBoostMHClassifier(Haar(60, random_state=0), n_rounds=10).fit(X[:200], y[:200])
    model = cascade(ensemble=boost.ensemble_).fit(X[200:], y[200:])
    assert model.score(X, y) > 0.8
    assert model.n_features_in_ == 64


def random_chain(rng, n_classifiers, kind):
    """A chain over some of the base classifiers."""
    n = int(rng.integers(1, n_classifiers + 1))
    order = rng.permutation(n_classifiers)[:n]
    if kind == "steps":
        return Chain.of_steps(order, rng.normal(size=n) - 0.5)
    ends = np.unique(np.append(rng.integers(1, n + 1, rng.integers(1, 4)), n))
    stage = np.searchsorted(ends, np.arange(n), side="right")
    counts = stage[:, None] == np.arange(len(ends))
    if kind == "inherited":
        counts |= (rng.random(n) < 0.5)[:, None] & (stage[:, None] < np.arange(len(ends)))
    rejects = rng.normal(size=len(ends)) - 0.5
    rejects[rng.random(len(ends)) < 0.2] = -np.inf
    return Chain(order, ends, rejects, counts)


def stumps(rng, n):
    """An ensemble of n stumps of 3 features."""
    trees = []
    for vote in rng.normal(size=n):
        tree = TreeBuilder()
        leaves = tree.leaf(np.array([vote])), tree.leaf(np.array([-vote]))
        trees.append(tree.finish(tree.split(int(rng.integers(3)), rng.normal(), *leaves, True)))
    return Ensemble.from_trees(trees, features=Features(3), classes=[0, 1])


@given(st.integers(0, 10**6), st.sampled_from(["steps", "own", "inherited"]))
def test_the_dag_of_a_chain_does_what_the_row_by_row_twin_does(seed, kind):
    rng = np.random.default_rng(seed)
    ensemble = stumps(rng, 6)
    chain = random_chain(rng, 6, kind)
    X = rng.normal(size=(30, 3))
    stage, score, accepted = left(chain, ensemble.votes(X).dense()[:, :, 0])
    trace = compile_dag(ensemble, chain.policy(6)).run(X)
    np.testing.assert_array_equal(trace.verdict, accepted)
    np.testing.assert_array_equal(trace.n_evaluated, chain.ends[stage])
    np.testing.assert_allclose(trace.scores[:, 0], score, atol=1e-6)
    reach = chain.reach(ensemble.tables.reach())
    ranks = chain.ranks(trace.scores[:, 0], trace.exit_step, reach)
    np.testing.assert_allclose(ranks, stage + (score / reach[stage] + 1) / 2, atol=1e-5)


@pytest.mark.parametrize(
    ("n_lost", "wanted"),
    [(0, 0.5), (1, 2.5), (2, 3.5), (3, -np.inf)],
)
def test_the_highest_threshold_that_loses_so_many(n_lost, wanted):
    positives, negatives = np.array([1.0, 3.0, 4.0]), np.array([0.0, 2.0])
    assert highest_reject(positives, negatives, n_lost) == wanted


def test_a_threshold_is_clear_of_the_lowest_score():
    assert highest_reject(np.array([1.0, 2.0]), np.array([3.0]), 0) == pytest.approx(1.0, abs=1e-3)
    assert highest_reject(np.array([1.0, 2.0]), np.array([3.0]), 0) < 1.0


def test_adaboost_is_that_of_the_library():
    rows = material(200)
    labels = rows.positive.astype(np.intp)
    factors = len(labels) / (2 * np.bincount(labels))
    boosted = start(labels, 2, np.ones(len(labels)), factors)
    for ours, theirs in zip(rows.adaboost(), rounds(boosted, Stump(), rows.columns), strict=False):
        np.testing.assert_array_equal(ours.tree.records, theirs.nodes.records)
        np.testing.assert_allclose(ours.tree.votes, theirs.nodes.votes, rtol=1e-9)
        np.testing.assert_allclose(np.abs(ours.votes), theirs.alpha, rtol=1e-9)
        if len(ours.tree.records) == 0 or theirs.error < 0.1:
            break
