"""Patches from fit to file: policies, executors and predictors over Haar features."""

import pickle

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator

import mddag
from mddag import AdaBoostMHClassifier, MDDAGClassifier
from mddag.detection import Haar
from mddag.learners import Tree
from mddag.serving.model_file import Model, ModelFileError
from mddag.serving.model_file.container import pack, unpack
from mddag.solvers import Margin
from tests.patches import bars, boosted

FRESH, LABELS = bars(n=200, seed=1)


@pytest.fixture(scope="module", params=[None, Tree(4)], ids=repr)
def boost(request):
    return boosted(20, request.param)[0]


@pytest.fixture(scope="module")
def fast(boost):
    X, y = bars(n=600, seed=2)
    return MDDAGClassifier(boost, beta=0.005, solver=Margin()).fit(X, y)


def test_a_policy_over_patches(boost, fast):
    assert fast.score(FRESH, LABELS) > 0.9
    assert fast.n_evaluated(FRESH).mean() < 20
    assert fast.n_features_in_ == 48
    flat = FRESH.reshape(len(FRESH), -1)
    np.testing.assert_array_equal(fast.predict(flat), fast.predict(FRESH))
    np.testing.assert_array_equal(fast.trace(FRESH).scores, fast.scores(FRESH))
    np.testing.assert_array_equal(fast.predict(fast.encode(FRESH)), fast.predict(FRESH))


def test_all_executors_agree(fast):
    for executor in ("walk", "blocks"):
        dag = mddag.compile(fast.ensemble_, fast.policy_, executor=executor)
        np.testing.assert_array_equal(dag.scores(FRESH), fast.scores(FRESH))
    everything = mddag.compile(fast.ensemble_, executor="all").scores(FRESH)
    np.testing.assert_allclose(everything, fast.ensemble_.scores(FRESH), atol=1e-5)


def test_a_model_that_is_fitted_with_its_policy():
    X, y = bars(n=900)
    boost = AdaBoostMHClassifier(Haar(100), n_rounds=10)
    model = MDDAGClassifier(boost, solver=Margin(), random_state=0).fit(X, y)
    assert model.score(FRESH, LABELS) > 0.9
    with pytest.raises(ValueError, match="X is float64; wanted gray levels"):
        model.fit(X.astype(float), y)


def test_sparsify_and_sweep(boost):
    X, y = bars(n=1200, seed=3)
    for given in (boost, FrozenEstimator(boost), mddag.as_ensemble(boost)):
        sparse = mddag.sparsify(given, X, y, beta=0.005, solver=Margin())
        assert sparse.score(FRESH, LABELS) > 0.9
        assert sparse.n_features_in_ == 48
    curve = mddag.sweep(boost, X, y, betas=[0.1, 0.001], solver=Margin())
    assert len(curve.policies) == 2


def test_a_file_predicts_the_same(fast, tmp_path):
    fast.save(tmp_path / "model.mddag")
    loaded = mddag.load(tmp_path / "model.mddag")
    assert loaded.n_features_in_ == 48
    np.testing.assert_array_equal(loaded.predict(FRESH), fast.predict(FRESH))
    np.testing.assert_array_equal(loaded.scores(FRESH), fast.scores(FRESH))
    probabilities = loaded.predict_proba(FRESH)
    for i in range(20):
        assert loaded.predict_one(FRESH[i]) == fast.predict(FRESH)[i]
        assert fast.predict_one(FRESH[i].ravel()) == fast.predict(FRESH)[i]
        np.testing.assert_array_equal(loaded.predict_proba_one(FRESH[i]), probabilities[i])
    np.testing.assert_array_equal(loaded.predict(FRESH[:1]), fast.predict(FRESH)[:1])
    again = pickle.loads(pickle.dumps(loaded))
    np.testing.assert_array_equal(again.predict(FRESH), fast.predict(FRESH))


def test_columns_are_no_patches(fast):
    """An array of as many floats as there are columns must not be taken for their values."""
    values = np.zeros(fast.ensemble_.n_features, np.float32)
    for predict in (fast.predict_one, fast.predict_proba_one, fast.predictor().predict_one):
        with pytest.raises(ValueError, match="wanted one patch"):
            predict(values)
    with pytest.raises(ValueError, match="wanted 48, patches of"):
        fast.predict(values[None])


def rewritten(fast, change):
    metadata, tensors = unpack(fast.predictor().model.to_bytes())
    tensors = dict(tensors)
    change(metadata, tensors)
    return pack(metadata, tensors)


def put(at, value):
    def change(metadata, tensors):
        rectangles = tensors["features.rectangles"].copy()
        rectangles[at] = value
        tensors["features.rectangles"] = rectangles

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put((0, 0), -1), "has a rectangle outside of the window"),
        (put((0, 2), 7), "has a rectangle outside of the window"),
        (put((0, 3), 2**31 - 1), "has a rectangle outside of the window"),
        (put((0, 4), 5), "do not sum to 0"),
        (put((0, 4), -(2**31)), "too large a weight"),
        (lambda m, t: m["features"].update(window=[2, 2]), "outside of the window"),
        (lambda m, t: m["features"].update(window=[8]), r"the window is \[8\]"),
        (lambda m, t: m["features"].update(window=[8, True]), r"the window is \[8, True\]"),
        (lambda m, t: m["features"].update(window=[2**40, 2]), "window is"),
        (lambda m, t: m["features"].update(window=None), "window = None; wanted list"),
        (lambda m, t: m["features"].pop("window"), "features has the fields"),
        (lambda m, t: m["features"].update(n=1), "there are 1 features"),
        (lambda m, t: m["features"].update(missing=False), "wanted the .* that rectangles make up"),
        (lambda m, t: t.pop("features.rectangles"), "features has the fields"),
        (lambda m, t: t.update({"features.rectangles": np.zeros((3, 14), np.int32)}), "of 14"),
        (lambda m, t: t.update({"features.rectangles": np.zeros((3, 15))}), "is float64"),
    ],
)
def test_unsound_files_are_refused(fast, change, words):
    with pytest.raises(ModelFileError, match=words):
        Model.from_bytes(rewritten(fast, change))
