"""The probe batch visits the places where conversions go wrong."""

import numpy as np

from mddag import Ensemble, Features
from mddag.adapters._probe import FAR, probe_rows, source_rows
from mddag.ensemble.nodes import TreeBuilder


def stump(feature: int, threshold: float):
    tree = TreeBuilder()
    leaves = tree.leaf(-1.0), tree.leaf(1.0)
    return tree.finish(tree.split(feature, threshold, *leaves, missing_left=False))


def nominal_stump(feature: int, categories: list[int]):
    tree = TreeBuilder()
    leaves = tree.leaf(-1.0), tree.leaf(1.0)
    return tree.finish(tree.nominal_split(feature, np.array(categories), *leaves, True))


def test_numeric_columns_sit_around_their_thresholds() -> None:
    ensemble = Ensemble.from_trees([stump(0, 0.1)], features=Features(2))
    rows = probe_rows(ensemble)
    assert rows.shape == (256, 2)
    single = np.float32(0.1)
    for value in (0.1, np.nextafter(0.1, 1), np.nextafter(0.1, 0), 0.0, FAR, -FAR, single):
        assert value in rows[:, 0]
    assert float(np.nextafter(single, np.float32(1))) in rows[:, 0]
    assert np.isnan(rows).any()


def test_no_missing_where_none_is_allowed() -> None:
    ensemble = Ensemble.from_trees([stump(0, 0.1)], features=Features(2, missing=False))
    assert np.isfinite(probe_rows(ensemble)).all()


def test_endless_thresholds_stay_finite() -> None:
    trees = [stump(0, np.inf), stump(0, -1e300)]
    ensemble = Ensemble.from_trees(trees, features=Features(1, missing=False))
    assert np.isfinite(probe_rows(ensemble).astype(np.float32)).all()


def test_it_is_always_the_same() -> None:
    ensemble = Ensemble.from_trees([stump(0, 0.1)], features=Features(3))
    np.testing.assert_array_equal(probe_rows(ensemble), probe_rows(ensemble))


def test_nominal_columns_take_known_and_unknown_categories() -> None:
    ensemble = Ensemble.from_trees([nominal_stump(1, [2, 5])], features=Features(2))
    seen = set(probe_rows(ensemble)[:, 1].tolist())
    assert {2.0, 5.0, -1.0, 6.0, 45.0, 1005.0} <= seen


def test_frames_hold_the_values_of_their_categories() -> None:
    features = Features(2, names=("a", "b"), categories={1: ("x", "y", "z")})
    ensemble = Ensemble.from_trees([nominal_stump(1, [0, 2])], features=features)
    rows = probe_rows(ensemble)
    frame = source_rows(features, rows)
    assert list(frame.columns) == ["a", "b"]
    assert set(frame["b"].dropna()) == {"x", "y", "z"}
    np.testing.assert_array_equal(features.rows(frame), rows)


def test_an_ensemble_without_splits_can_be_probed() -> None:
    tree = TreeBuilder()
    constant = tree.finish(tree.leaf(0.5))
    ensemble = Ensemble.from_trees([constant], features=Features(2))
    assert probe_rows(ensemble).shape == (256, 2)
