import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from mddag.features import Features

two = Features(2)
named = Features(2, names=("age", "pay"))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_float_rows_pass_without_a_copy(dtype, order):
    X = np.zeros((3, 2), dtype, order=order)
    assert two.rows(X) is X


@pytest.mark.parametrize(
    ("X", "dtype"),
    [
        (np.ones((1, 2), np.uint8), np.float32),
        (np.ones((1, 2), np.int64), np.float64),
        (np.ones((1, 2), bool), np.float32),
        (np.ones((1, 2), np.float16), np.float32),
        ([[1, 2.5]], np.float64),
        (np.ones((1, 2), ">f4"), np.float32),
        (np.array([[1, None]], object), np.float64),
    ],
)
def test_numbers_of_other_types_are_converted_exactly(X, dtype):
    rows = two.rows(X)
    assert rows.dtype == dtype
    np.testing.assert_array_equal(rows, np.asarray(X, np.float64))


def test_a_packed_record_view_is_copied_to_whole_strides():
    packed = np.zeros(3, np.dtype([("a", "<f8"), ("b", "u1")]))
    packed["a"] = [1, 2, 3]
    column = packed["a"][:, None]
    np.testing.assert_array_equal(Features(1).rows(column), [[1.0], [2.0], [3.0]])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros(2), r"X has 1 dimension\(s\), shape \(2,\); Expected 2D array"),
        (np.zeros((1, 2, 1)), "3 dimension"),
        (np.zeros((4, 3)), "X has 3 features, but the model reads 2 features"),
        (np.zeros((0, 2)), "X has 0 rows"),
        ([["a", "b"]], "dtype <U1; mddag reads numbers"),
        (np.array([["a", 1]], object), "dtype object and holds values that are not numbers"),
        (np.ones((1, 2), complex), "complex"),
    ],
)
def test_bad_rows_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        two.rows(X)


def test_sparse_rows_are_refused_by_name():
    with pytest.raises(TypeError, match=r"sparse csr_matrix; mddag reads dense rows: pass X.toarr"):
        two.rows(scipy.sparse.csr_matrix((3, 2)))


def test_missing_values_only_where_allowed():
    X = np.array([[0.0, 1.0], [0.0, np.nan], [np.inf, -np.inf]])
    assert two.rows(X) is X
    with pytest.raises(ValueError, match=r"NaN \(column 1, row 1\)"):
        Features(2, missing=False).rows(X)
    with pytest.raises(ValueError, match="column 'pay', row 1"):
        Features(2, names=("age", "pay"), missing=False).rows(X)
    assert len(Features(2, missing=False).rows(X[[0, 2]])) == 2


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
class TestFrames:
    def test_columns_are_read_in_order(self, frame):
        X = frame({"age": [1, 2], "pay": [0.5, None]})
        np.testing.assert_array_equal(named.rows(X), [[1, 0.5], [2, np.nan]])
        np.testing.assert_array_equal(two.rows(X), [[1, 0.5], [2, np.nan]])

    def test_other_columns_are_refused(self, frame):
        with pytest.raises(ValueError, match=r"missing \['pay'\], unexpected \['paid'\]"):
            named.rows(frame({"age": [1], "paid": [2]}))

    def test_another_order_is_refused(self, frame):
        with pytest.raises(ValueError, match="column 0 is 'pay', wanted 'age'"):
            named.rows(frame({"pay": [1], "age": [2]}))

    def test_strings_are_refused_by_column(self, frame):
        with pytest.raises(ValueError, match="column 'pay' has dtype"):
            named.rows(frame({"age": [1], "pay": ["much"]}))


def test_nominal_columns_become_codes():
    features = Features(2, names=("age", "town"), categories={1: ("ulm", "bonn")})
    towns = ["bonn", "ulm", "paris", None]
    pandas_rows = features.rows(pd.DataFrame({"age": [1, 2, 3, 4], "town": pd.Categorical(towns)}))
    np.testing.assert_array_equal(pandas_rows[:, 1], [1, 0, np.nan, np.nan])
    polars_rows = features.rows(
        pl.DataFrame(
            {"age": [1, 2, 3, 4], "town": pl.Series(towns, dtype=pl.Enum(["ulm", "bonn", "paris"]))}
        )
    )
    np.testing.assert_array_equal(polars_rows[:, 1], [1, 0, np.nan, np.nan])


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"age": [1], "pay": pd.Categorical(["much"])}),
        pl.DataFrame({"age": [1], "pay": pl.Series(["much"], dtype=pl.Categorical)}),
    ],
)
def test_a_categorical_column_where_numbers_are_wanted_is_refused(X):
    with pytest.raises(ValueError, match="column 'pay' is categorical"):
        named.rows(X)


def test_a_space_passes_for_an_underscore():
    features = Features(2, names=("my_age", "pay"))
    np.testing.assert_array_equal(
        features.rows(pd.DataFrame([[1, 2]], columns=["my age", "pay"])), [[1, 2]]
    )
    with pytest.raises(ValueError, match="other columns"):
        features.rows(pd.DataFrame([[1, 2]], columns=["my-age", "pay"]))
