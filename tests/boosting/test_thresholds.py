"""Cuts with too little weight on one side are left out, and codes follow."""

import numpy as np
from numpy.testing import assert_array_equal

from mddag.boosting.training_set import without_rare_sides
from mddag.learners.columns import Columns


def test_thin_sides_go_and_the_codes_follow():
    X = np.column_stack([[0, 1, 2, 3, 4, np.nan], [0, 1, 1, 2, 2, 0]])
    columns = Columns.from_rows(X, nominal=[False, True])
    weight = np.array([1.0, 1, 1, 1, 1, 1])
    kept = without_rare_sides(columns, weight, 0.3)
    assert kept.cuts[0].tolist() == [1.5, 2.5]
    assert kept.codes[0].tolist() == [0, 0, 1, 2, 2, 3]
    assert kept.n_codes.tolist() == [3, 3]
    assert_array_equal(kept.codes[1], columns.codes[1])


def test_a_column_may_lose_all_its_cuts():
    columns = Columns.from_rows(np.array([[0.0], [1.0], [np.nan]]))
    kept = without_rare_sides(columns, np.ones(3), 0.9)
    assert len(kept.cuts[0]) == 0
    assert kept.codes[0].tolist() == [0, 0, 1]
    assert columns.codes[0].tolist() == [0, 1, 2]
