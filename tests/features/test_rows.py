import pickle

import numpy as np
import pytest
from sklearn.utils import _safe_indexing

from mddag.features.features import Features
from mddag.features.rows import Rows

two = Features(2)
complete = Features(2, missing=False)


def test_checked_rows_pass_again_as_they_are():
    rows = two.rows([[1, 2], [3, 4]])
    assert type(rows) is Rows
    assert two.rows(rows) is rows
    assert Features(2).rows(rows) is rows  # equal features check alike
    other = Features(2, names=("a", "b"))
    assert other.rows(rows).features is other


@pytest.mark.parametrize(
    "index", [slice(1), slice(None, None, 2), [2, 0], np.array([True, False, True])]
)
def test_a_selection_of_rows_stays_checked(index):
    rows = two.rows(np.arange(6.0).reshape(3, 2))
    for part in (rows[index], rows[index, ...]):
        assert two.rows(part) is part
    if not isinstance(index, slice):
        assert two.rows(part := _safe_indexing(rows, index)) is part


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[:, ::-1],
        lambda rows: rows[:, [0, 0]],
        lambda rows: rows.astype(np.float32),
        lambda rows: rows.T[:2].T,
        lambda rows: rows + 1,
        lambda rows: rows.view(),
    ],
)
def test_what_has_changed_is_checked_again(change):
    changed = change(two.rows(np.arange(6.0).reshape(3, 2)))
    assert changed.features is None
    again = two.rows(changed)
    assert again is not changed
    np.testing.assert_array_equal(again, changed)


def test_columns_that_are_left_out_are_missed():
    rows = two.rows(np.ones((3, 2)))
    with pytest.raises(ValueError, match="X has 1 features, but the model reads 2"):
        two.rows(rows[:, :1])
    with pytest.raises(ValueError, match="X has dtype <U1"):
        two.rows(rows.astype("U1"))
    with pytest.raises(ValueError, match=r"X has 1 dimension\(s\)"):
        two.rows(rows[0])


def test_a_shape_or_type_that_was_set_in_place_does_not_pass():
    rows = two.rows(np.ones((4, 2)))
    rows.shape = (2, 4)
    with pytest.raises(ValueError, match="X has 4 features, but the model reads 2"):
        two.rows(rows)
    rows = two.rows(np.ones((4, 2)))
    rows.dtype = np.int64
    assert two.rows(rows).dtype == np.float64


def test_no_missing_value_comes_in_behind_the_check():
    X = np.ones((3, 2))
    rows = complete.rows(X)
    with pytest.raises(ValueError, match="read-only"):
        rows[0, 0] = np.nan
    encoded = rows.in_c_order()
    X[0, 0] = np.nan
    assert not np.isnan(encoded).any()
    with pytest.raises(ValueError, match="X contains NaN"):
        complete.rows(X)
    with pytest.raises(ValueError, match="read-only"):
        encoded[:2][0, 0] = np.nan
    taken = rows[[1, 2]]
    with pytest.raises(ValueError, match="read-only"):
        taken[0, 0] = np.nan


def test_rows_in_c_order_share_memory_where_they_can():
    rows = two.rows(np.ones((3, 2)))
    assert rows.in_c_order() is rows
    columns = two.rows(np.asfortranarray(np.arange(6.0).reshape(3, 2)))
    ordered = columns.in_c_order()
    assert ordered.flags.c_contiguous
    assert two.rows(ordered) is ordered
    np.testing.assert_array_equal(ordered, columns)


def test_rows_can_be_pickled():
    rows = two.rows(np.arange(6.0).reshape(3, 2))
    again = pickle.loads(pickle.dumps(rows))
    assert two.rows(again) is again
    np.testing.assert_array_equal(again, rows)
    changed = pickle.loads(pickle.dumps(rows[:, ::-1]))
    assert (type(changed), changed.features) == (Rows, None)
