"""What all cascades share, on every member."""

import pickle

import numpy as np
import pytest
from lightgbm import LGBMClassifier
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import mddag
from mddag import AdaBoostMHClassifier
from mddag.detection import cascades
from mddag.detection.cascades import SoftCascadeClassifier, WaldBoostClassifier
from mddag.learners import Haar
from tests.detection.cascades.rows import blobs, two_classes

SMALL = {
    "VJCascadeClassifier": {"n_stages": 2, "max_fpr": 0.6, "min_tpr": 0.95},
    "SoftCascadeClassifier": {"pool_size": 30, "n_steps": 15},
    "FCBoostClassifier": {"n_rounds": 15, "eta": 0.001},
    "WaldBoostClassifier": {"n_rounds": 15, "miss_rate": 0.2},
}
MEMBERS = [getattr(cascades, name)(random_state=0, **SMALL[name]) for name in cascades.__all__]
each_member = pytest.mark.parametrize("member", MEMBERS, ids=lambda m: type(m).__name__)


def names(rows):
    return np.where(rows == 1, "face", "background")


@pytest.fixture(scope="module")
def rows():
    return two_classes(1200)


@parametrize_with_checks(MEMBERS)
@pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")
def test_scikit_learn(estimator, check):
    check(estimator)


@each_member
def test_what_is_run_is_what_was_trained(member, rows):
    X, y = rows
    model = clone(member).fit(X, names(y))
    left = model.chain_.left(
        model.ensemble_.votes(X).dense()[:, :, 0], model.ensemble_.tables.reach()
    )
    np.testing.assert_array_equal(names(left.accepted), model.predict(X))
    np.testing.assert_array_equal(left.n_evaluated, model.n_evaluated(X))
    np.testing.assert_allclose(left.score, model.scores(X)[:, 0], atol=1e-6)
    trace = model.trace(X)
    np.testing.assert_array_equal(model.classes_[trace.verdict], model.predict(X))
    assert model.dag_.policy is model.policy_


@each_member
def test_the_decision_ranks_rows_and_is_above_zero_where_they_are_accepted(member, rows):
    X, y = rows
    model = clone(member).fit(X, names(y))
    decision = model.decision_function(X)
    np.testing.assert_array_equal(decision > 0, model.predict(X) == "face")
    assert roc_auc_score(y, decision) > 0.85
    order = np.argsort(decision, kind="stable")
    left_at = np.searchsorted(model.chain_.ends, model.n_evaluated(X))
    assert (np.diff(left_at[order]) >= 0).all()  # later exits are higher


@each_member
def test_model_file(member, rows, tmp_path):
    X, y = rows
    model = clone(member).fit(X, names(y))
    model.save(tmp_path / "cascade.mddag")
    loaded = mddag.load(tmp_path / "cascade.mddag")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.n_evaluated(X), model.n_evaluated(X))
    assert loaded.predict_one(X[0]) == model.predict(X[:1])[0]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


@each_member
def test_the_header_in_c_is_written(member, rows, tmp_path):
    X, y = rows
    clone(member).fit(X, y).export(tmp_path / "cascade.h")
    assert "predict" in (tmp_path / "cascade.h").read_text()


@each_member
@pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")
def test_patches(member):
    X, y = blobs(400)
    model = clone(member).set_params(learner=Haar(80)).fit(X, y)
    assert model.score(X, y) > 0.8
    np.testing.assert_array_equal(model.predict(X.reshape(400, -1)), model.predict(X))


@each_member
def test_seeds_decide(member, rows):
    X, y = rows
    first, second = (clone(member).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.decision_function(X), second.decision_function(X))


@each_member
def test_no_probabilities_but_those_of_a_calibration(member, rows):
    X, y = rows
    assert not hasattr(member, "predict_proba")
    calibrated = CalibratedClassifierCV(clone(member), cv=2).fit(X, y)
    assert calibrated.predict_proba(X).shape == (len(X), 2)


@each_member
def test_a_failed_fit_changes_nothing(member, rows):
    X, y = rows
    model = clone(member).fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="Only binary"):
        model.fit(X, np.arange(len(y)) % 3)
    np.testing.assert_array_equal(model.decision_function(X), before)


POOLED = [SoftCascadeClassifier, WaldBoostClassifier]


@pytest.mark.parametrize("cascade", POOLED)
def test_models_of_other_libraries_with_a_bias(cascade):
    X, y = two_classes(1600)
    pool = LGBMClassifier(n_estimators=30, num_leaves=4, verbose=-1).fit(X[:800], y[:800])
    model = cascade(ensemble=pool).fit(X[800:], y[800:])
    votes = model.ensemble_.votes(X).dense()[:, :, 0]
    left = model.chain_.left(votes, model.ensemble_.tables.reach())
    assert model.chain_.bias == model.ensemble_.bias[0] != 0
    np.testing.assert_array_equal(left.accepted, model.predict(X) == 1)
    np.testing.assert_array_equal(left.n_evaluated, model.n_evaluated(X))


@pytest.mark.parametrize("cascade", POOLED)
def test_patches_and_a_given_ensemble(cascade):
    X, y = blobs(400)
    boost = AdaBoostMHClassifier(Haar(60, random_state=0), n_rounds=10).fit(X[:200], y[:200])
    model = cascade(ensemble=boost.ensemble_).fit(X[200:], y[200:])
    assert model.score(X, y) > 0.8
    assert model.n_features_in_ == 64
