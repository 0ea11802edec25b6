import numpy as np

from mddag import Features
from mddag.inspection.explanation.rules import (
    changed_predictions,
    label_changes,
    number_changes,
    tries_of,
    value_of,
)
from tests.inspection.explanation.models import nominal_ensemble

FEATURES = nominal_ensemble().features
TREES = [nominal_ensemble().tree(t) for t in range(2)]


def tries(row):
    return tries_of(TREES, FEATURES, np.array(row))


def test_values_at_and_above_thresholds_and_other_categories_are_tried():
    found = {(t.feature, t.to): (t.tried, t.far) for t in tries([35.0, 1.0])}
    assert found == {
        (0, "<= 30"): (30.0, 0.5),
        (0, "> 40"): (np.nextafter(40.0, np.inf), 0.5),
        (1, "is private"): (0.0, 0.5),
        (1, "is none"): (2.0, 0.5),
    }
    assert {t.far for t in tries([20.0, 1.0]) if t.feature == 0} == {0.5, 1.0}


def test_a_missing_value_may_become_any():
    found = [t.to for t in tries([np.nan, np.nan]) if t.feature == 0]
    assert found == ["<= 30", "<= 40", "> 40"]
    assert value_of(FEATURES, 1, np.nan) is None
    assert value_of(FEATURES, 1, 2.0) == "none"
    assert value_of(Features(2), 1, 2.0) == 2.0


def test_the_nearest_change_of_each_feature_counts():
    row = np.array([20.0, 1.0])
    some = tries_of(TREES, FEATURES, row)
    found = changed_predictions(some, row, FEATURES, lambda rows: (rows[:, 0] > 25) * 1)
    assert found.tolist() == [1 if t.feature == 0 else 0 for t in some]
    (change,) = label_changes(some, found, 0, row, FEATURES)
    assert (change.name, change.to, change.value, change.prediction) == ("age", "> 30", 20.0, 1)
    numbers = changed_predictions(some, row, FEATURES, lambda rows: rows[:, 0] - 3 * rows[:, 1])
    first, second = number_changes(some, numbers, 17.0, row, FEATURES)
    assert (first.name, first.to) == ("age", "> 40")
    assert (second.name, second.to) == ("work", "is private")


def test_without_tries_nothing_changes():
    assert changed_predictions([], np.zeros(2), FEATURES, None).tolist() == []
    assert label_changes([], np.empty(0), 0, np.zeros(2), FEATURES) == ()
