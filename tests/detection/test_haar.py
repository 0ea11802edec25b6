"""Haar features: values and codes against their twins, and the learner that reads them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone

from mddag import AdaBoostMHClassifier, _core
from mddag._utils.warnings import DoubtfulResult
from mddag.detection import Haar
from mddag.detection.haar import PatchColumns, haar_features, n_haar_features
from mddag.ensemble.patches import PatchFeatures, haar_values
from mddag.learners import Stump, Tree
from tests.learners.problems import labels
from tests.patches import bars, boosted
from tests.reference import scan as reference
from tests.reference.trees import leaf_code


def patches(most=4):
    shapes = st.tuples(st.integers(1, most), st.integers(2, 7), st.integers(2, 7))
    return shapes.flatmap(lambda shape: hnp.arrays(np.uint8, shape))


@pytest.mark.parametrize(("window", "count"), [((24, 24), 162_336), ((1, 2), 1), ((1, 1), 0)])
def test_all_features_of_a_window(window, count):
    features = haar_features(window)
    assert features.shape == (count, 3, 5)
    assert features.dtype == np.int32
    assert _core.haar_fault(features, *window) == (-1, "")


@pytest.mark.parametrize("window", [(1, 1), (2, 2), (9, 7), (7, 9)])
def test_some_features_are_those_of_these_numbers(window):
    everything = haar_features(window)
    assert n_haar_features(window) == len(everything)
    chosen = np.arange(len(everything))[::7]
    np.testing.assert_array_equal(haar_features(window, chosen), everything[chosen])


def test_large_windows_have_more_features_than_memory_holds():
    n = n_haar_features((1000, 1000))
    assert n > 10**11
    some = haar_features((1000, 1000), np.array([0, n - 1]))
    assert _core.haar_fault(some, 1000, 1000) == (-1, "")


@pytest.mark.parametrize("window", [(4, 4), (3, 6), (5, 2)])
def test_features_are_those_of_the_twin(window):
    def key(weights):
        return weights.tobytes()

    mine = [reference.pixel_weights(f, *window) for f in haar_features(window).tolist()]
    assert sorted(map(key, mine)) == sorted(map(key, reference.features(*window)))
    assert len(set(map(key, mine))) == len(mine)


@given(patches())
def test_values_are_those_of_the_twin(pixels):
    features = haar_features(pixels.shape[1:])[::3]
    wanted = [[reference.value(patch, f) for f in features.tolist()] for patch in pixels]
    np.testing.assert_array_equal(haar_values(pixels, features), np.array(wanted, np.float32))


@given(hnp.arrays(np.uint8, hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6)))
def test_integral_images_are_those_of_the_twin(picture):
    shape = picture.shape[0] + 1, picture.shape[1] + 1
    sums, squares = np.empty(shape, np.uint32), np.empty(shape, np.uint64)
    _core.integral_images(picture, sums, squares)
    assert sums.tolist() == reference.integral(picture)
    assert squares.tolist() == reference.integral(picture, exponent=2)


@pytest.mark.parametrize(
    ("rectangle", "fault"),
    [
        ((-1, 0, 1, 1, 1), "outside"),
        ((0, 0, 2**31 - 1, 1, 1), "outside"),
        ((3, 3, 1, 2, 1), "outside"),
        ((0, 0, 0, 1, 1), "outside"),
        ((2**31 - 1, 0, 1, 1, 1), "outside"),
        ((0, 0, 1, 1, 0), "weight 0"),
        ((0, 0, 1, 1, -(2**31)), "too large a weight"),
        ((0, 0, 1, 1, 1), "do not sum to 0"),
    ],
)
def test_features_that_do_not_fit_are_refused(rectangle, fault):
    features = haar_features((4, 4))[:2].copy()
    features[1, 2] = rectangle
    at, why = _core.haar_fault(features, 4, 4)
    assert at == 1
    assert fault in why
    with pytest.raises(ValueError, match=f"feature 1 .*{fault}"):
        haar_values(np.zeros((1, 4, 4), np.uint8), features)


@pytest.mark.parametrize("learner", [None, Tree(4)], ids=repr)
def test_bars_are_found(learner):
    model, X, y = boosted(learner=learner)
    fresh, labels = bars(seed=1)
    assert model.score(X, y) > 0.97
    assert model.score(fresh, labels) > 0.95
    assert model.n_features_in_ == 48
    assert len(model.feature_importances_) == model.ensemble_.n_features <= 300
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_the_estimator_decides_where_the_learner_has_no_seed():
    X, y = bars()
    fits = [AdaBoostMHClassifier(Haar(50), n_rounds=5, random_state=s).fit(X, y) for s in (0, 0, 1)]
    np.testing.assert_array_equal(fits[0].scores(X), fits[1].scores(X))
    assert (fits[0].scores(X) != fits[2].scores(X)).any()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_continued_model_is_the_whole_one(n_jobs):
    whole, X, y = boosted()
    part = clone(whole).set_params(n_rounds=5, warm_start=True, n_jobs=n_jobs).fit(X, y)
    part.set_params(n_rounds=12).fit(X, y)
    np.testing.assert_array_equal(part.scores(X), whole.scores(X))
    part.set_params(n_rounds=13, learner__random_state=1)
    with pytest.raises(ValueError, match="keep n_features and random_state as they were"):
        part.fit(X, y)


def test_constant_patches_leave_nothing_to_learn():
    X, y = np.full((20, 4, 4), 9, np.uint8), np.arange(20) % 2
    model = AdaBoostMHClassifier(Haar(None), n_rounds=3).fit(X, y)
    assert model.n_rounds_ == 0
    assert model.stopped_by_ == "chance"
    assert (model.predict(X) == 0).all()


def test_more_features_than_there_are_is_a_doubt():
    X, y = bars()
    with pytest.warns(DoubtfulResult, match=r"n_features is 9999, but patches of \(8, 6\) have 1"):
        model = AdaBoostMHClassifier(Haar(9999), n_rounds=2).fit(X, y)
    assert model.score(X, y) > 0.5


def columns_of(patches, step=1, **settings):
    features = PatchFeatures.of(patches.shape[1:], haar_features(patches.shape[1:])[::step])
    return PatchColumns.of(patches, features, **{"max_bins": None} | settings)


def values_of(columns):
    values = np.empty(columns.codes.shape, np.float32)
    _core.haar_columns(columns.cells, columns.rectangles, values, 1)
    return values


@given(
    hnp.arrays(np.uint8, st.tuples(st.integers(1, 20), st.integers(2, 5), st.integers(2, 5))),
    st.sampled_from([2, 7, 256]),
)
def test_codes_and_columns_are_those_of_the_twin(patches, n_bins):
    columns = columns_of(patches, 7, max_bins=n_bins)
    values = values_of(columns)
    np.testing.assert_array_equal(values.T, haar_values(patches, columns.rectangles))
    for codes, column in zip(columns.codes, values, strict=True):
        assert codes.tolist() == reference.codes(column, n_bins)


def test_thresholds_part_values_as_cuts_part_codes():
    columns = columns_of(bars(200)[0], 40, max_bins=16)
    for f, values in enumerate(values_of(columns)):
        for cut in range(columns.codes[f].min(), columns.codes[f].max()):
            threshold = columns.threshold(f, cut)
            assert np.float32(threshold) == threshold
            np.testing.assert_array_equal(values <= threshold, columns.codes[f] <= cut)
            assert columns._cut(f, threshold) == cut
    assert columns.threshold(0, 255) == values_of(columns)[0].max()


@pytest.mark.parametrize("fitted", [Stump().fit, Tree(5).fit])
def test_trees_reach_the_same_leaves_by_codes_and_by_values(fitted):
    columns = columns_of(bars(200)[0], 5)
    targets, weights = labels(np.random.default_rng(0), 200, 2)
    nodes = fitted(columns, targets, weights)
    values = values_of(columns).T
    assert columns.leaf_codes(nodes).tolist() == [leaf_code(nodes, x) for x in values]
