"""Haar features of patches as codes, against their twin and against their values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mddag import _core
from mddag.features.haar import haar_features, haar_values
from mddag.features.patches import PatchFeatures
from mddag.learners.learner import best_first_tree, best_stump
from mddag.learners.patch_columns import PatchColumns
from tests.learners.problems import assert_same, labels
from tests.patches import bars
from tests.reference import haar as reference
from tests.reference.columns import leaf


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


def test_codes_rise_with_values():
    columns = columns_of(bars(500)[0], 11)
    for codes, values in zip(columns.codes, values_of(columns), strict=True):
        in_order = np.argsort(values, kind="stable")
        assert (np.diff(codes[in_order].astype(int)) >= 0).all()


def test_thresholds_part_values_as_cuts_part_codes():
    columns = columns_of(bars(200)[0], 40, max_bins=16)
    for f, values in enumerate(values_of(columns)):
        for cut in range(columns.codes[f].min(), columns.codes[f].max()):
            threshold = columns.threshold(f, cut)
            assert np.float32(threshold) == threshold
            np.testing.assert_array_equal(values <= threshold, columns.codes[f] <= cut)
            assert columns._cut(f, threshold) == cut
    assert columns.threshold(0, 255) == values_of(columns)[0].max()


@pytest.mark.parametrize("fitted", [best_stump, lambda *a: best_first_tree(*a, 5)])
def test_trees_reach_the_same_leaves_by_codes_and_by_values(fitted):
    columns = columns_of(bars(200)[0], 5)
    targets, weights = labels(np.random.default_rng(0), 200, 2)
    nodes = fitted(columns, targets, weights)
    values = values_of(columns).T
    assert columns.leaf_codes(nodes).tolist() == [leaf(nodes, x) for x in values]


def test_threads_do_not_matter():
    X = bars(300)[0]
    targets, weights = labels(np.random.default_rng(0), 300, 1)
    one, two = (columns_of(X, 1, n_threads=n) for n in (1, 2))
    np.testing.assert_array_equal(one.codes, two.codes)
    assert_same(best_stump(one, targets, weights), best_stump(two, targets, weights))


def test_constant_patches_have_one_code_each():
    columns = columns_of(np.full((9, 4, 4), 7, np.uint8))
    assert (columns.codes == columns.codes[:, :1]).all()
    nodes = best_stump(columns, *labels(np.random.default_rng(0), 9, 1))
    assert len(nodes.records) == 1


def test_a_threshold_of_its_own_making_is_refused():
    columns = columns_of(bars(20)[0])
    targets, weights = labels(np.random.default_rng(0), 20, 1)
    nodes = best_stump(columns, targets, weights)
    nodes.records["threshold"] += 1e-3
    with pytest.raises(ValueError, match="is none of those found so far"):
        columns.leaf_codes(nodes)


def test_restricted_columns_are_still_of_patches():
    columns = columns_of(bars(50)[0]).restricted([3, 5])
    targets, weights = labels(np.random.default_rng(0), 50, 1)
    nodes = best_stump(columns, targets, weights)
    assert nodes.records["feature"][0] in (3, 5)
    assert len(columns.leaf_codes(nodes)) == 50
