import array
import pickle
from collections import OrderedDict
from datetime import date, timedelta
from decimal import Decimal
from types import MappingProxyType

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing

from mddag.ensemble.features import Features, Rows, one_row
from mddag.ensemble.row_checks import checked_array, checked_labels, checked_rows
from mddag.estimators.adaboost import AdaBoostMHClassifier

two = Features(2)
named = Features(2, names=("age", "pay"))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_float_rows_pass_without_a_copy(dtype, order):
    X = np.zeros((3, 2), dtype, order=order)
    rows = two.rows(X)
    assert np.shares_memory(rows, X)
    assert (rows.dtype, rows.strides) == (X.dtype, X.strides)


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


@pytest.mark.parametrize("dtype", [np.float32, np.float64, ">f8"])
def test_unaligned_rows_are_copied(dtype):
    X = np.arange(6.0).reshape(3, 2).astype(dtype)
    off = np.frombuffer(b"x" + X.tobytes(), dtype, offset=1).reshape(3, 2)
    rows = two.rows(off)
    assert not off.flags.aligned
    assert rows.flags.aligned
    assert rows.dtype.isnative
    np.testing.assert_array_equal(rows, X)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1,), "features is -1"),
        ((2.0,), "features is 2.0"),
        ((2**30 + 1,), "1073741825 features"),
        ((2, ("age",)), "1 names for 2 features"),
        ((2, None, {2: ("a",)}), "column 2 has categories"),
        ((2, None, {-1: ("a",)}), "column -1 has categories"),
    ],
)
def test_features_that_cannot_be_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Features(*arguments)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros(2), r"X has 1 dimension\(s\), shape \(2,\); Expected 2D array"),
        (np.zeros((1, 2, 1)), "3 dimension"),
        (np.zeros((4, 3)), "X has 3 features, but the model reads 2 features"),
        (np.zeros((0, 2)), "X has 0 rows"),
        ([["a", "b"]], "dtype <U1; mddag reads numbers"),
        (np.array([["a", 1]], object), "object and holds values that are not numbers, such as 'a'"),
        (np.array([[1, 2j]], object), "dtype object and holds .* such as 2j"),
        (np.zeros((1, 2), "M8[s]"), "dtype datetime64"),
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
    rows = two.rows(X)
    assert np.shares_memory(rows, X)
    assert (rows.dtype, rows.strides) == (X.dtype, X.strides)
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


def test_a_space_passes_for_an_underscore():
    features = Features(2, names=("my_age", "pay"))
    np.testing.assert_array_equal(
        features.rows(pd.DataFrame([[1, 2]], columns=["my age", "pay"])), [[1, 2]]
    )
    with pytest.raises(ValueError, match="other columns"):
        features.rows(pd.DataFrame([[1, 2]], columns=["my-age", "pay"]))
    with pytest.raises(ValueError, match=r"missing \[\], unexpected \['sex'\]; pass the 2"):
        features.rows(pd.DataFrame([[1, 2, 0]], columns=["my age", "pay", "sex"]))
    with pytest.raises(ValueError, match="in another order: column 0 is 'pay', wanted 'my_age'"):
        features.rows(pd.DataFrame([[1, 2]], columns=["pay", "my age"]))
    with pytest.raises(ValueError, match=r"missing \[\], unexpected \['my age pay'\]"):
        Features(1, names=("my_age_pay",)).rows(
            pd.DataFrame([[1, 2]], columns=["my age_pay", "my age pay"])
        )


DAYS = [date(2026, 1, 1), date(2026, 1, 2)]


@pytest.mark.parametrize(
    ("column", "dtype"),
    [
        (pd.Series(DAYS, dtype="datetime64[s]"), "datetime64"),
        (pd.Series(DAYS, dtype="datetime64[s]").dt.tz_localize("UTC"), "datetime64.*UTC"),
        (pd.Series([1, 2], dtype="timedelta64[s]"), "timedelta64"),
        (pd.Series([1j, 2]), "complex128"),
        (pd.Series([1, "2"], dtype=object), "object and holds '2'"),
        (pd.Series(["1", "2"], dtype="string"), "str"),
        (pd.Series(pd.period_range("2026", periods=2, freq="D")), "period"),
        (pl.Series(DAYS), "Date"),
        (pl.Series([timedelta(1)] * 2), "Duration"),
        (pl.Series(["1", "2"]), "String"),
        (pl.Series([[1], [2]]), "List"),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_columns_that_are_no_numbers_are_refused_by_name_and_dtype(column, dtype):
    frame = pl.DataFrame if isinstance(column, pl.Series) else pd.DataFrame
    with pytest.raises(ValueError, match=f"column 'pay' has dtype {dtype}.*; mddag reads numbers"):
        named.rows(frame({"age": [1, 2], "pay": column}))


@pytest.mark.parametrize(
    ("column", "numbers"),
    [
        (pd.Series([1, None], dtype="Int64"), [1, np.nan]),
        (pd.Series([0.5, None], dtype="Float32"), [0.5, np.nan]),
        (pd.Series([True, None], dtype="boolean"), [1, np.nan]),
        (pd.Series([True, False]), [1, 0]),
        (pd.Series([1, None], dtype=object), [1, np.nan]),
        (pd.Series([Decimal("0.5"), np.float32(2)], dtype=object), [0.5, 2]),
        (pd.Series([True, pd.NA], dtype=object), [1, np.nan]),
        (pd.Series([0, 1.5], dtype="Sparse[float]"), [0, 1.5]),
        (pl.Series([True, None]), [1, np.nan]),
        (pl.Series([1, None], dtype=pl.UInt8), [1, np.nan]),
        (pl.Series([Decimal("0.5"), None]), [0.5, np.nan]),
        (pl.Series([None, None]), [np.nan, np.nan]),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_columns_of_numbers_of_every_kind_are_read(column, numbers):
    frame = pl.DataFrame if isinstance(column, pl.Series) else pd.DataFrame
    rows = named.rows(frame({"age": [1, 2], "pay": column}))
    np.testing.assert_array_equal(rows[:, 1], numbers)


def test_two_columns_of_one_name_are_refused():
    X = pd.DataFrame([[1, 2]], columns=["age", "age"])
    with pytest.raises(ValueError, match="X has 2 columns of the name 'age'; give each its own"):
        two.rows(X)
    with pytest.raises(ValueError, match="X has 2 columns of the name 'age'"):
        AdaBoostMHClassifier().fit(X, [0])


def test_a_lazy_frame_is_refused():
    X = pl.LazyFrame({"age": [1.0], "pay": [2.0]})
    with pytest.raises(TypeError, match=r"X is a polars LazyFrame.*; pass X\.collect\(\)"):
        two.rows(X)
    with pytest.raises(TypeError, match="X is a polars LazyFrame"):
        AdaBoostMHClassifier().fit(X, [0])


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


def test_rows_can_be_pickled():
    rows = two.rows(np.arange(6.0).reshape(3, 2))
    again = pickle.loads(pickle.dumps(rows))
    assert two.rows(again) is again
    np.testing.assert_array_equal(again, rows)
    changed = pickle.loads(pickle.dumps(rows[:, ::-1]))
    assert (type(changed), changed.features) == (Rows, None)


class Fitted(BaseEstimator):
    n_features_in_ = 2


class Named(Fitted):
    feature_names_in_ = np.array(["a", "b"], object)


def test_rows_may_miss_values_and_be_infinite_but_in_fit():
    X = np.array([[0.0, np.nan]])
    np.testing.assert_array_equal(checked_array(Fitted(), X, finite=True), X)
    infinite = np.array([[0.0, np.inf]])
    frame = pd.DataFrame(infinite)
    for rows in (infinite, frame):
        np.testing.assert_array_equal(checked_rows(Fitted(), rows, Features(2)), infinite)
        with pytest.raises(ValueError, match="X contains infinity"):
            checked_rows(Fitted(), rows, Features(2), finite=True)
    with pytest.raises(ValueError, match="X has 1 features, but Fitted is expecting 2"):
        checked_array(Fitted(), np.zeros((3, 1)))


def test_checked_rows_are_known_to_have_been_a_frame():
    features = Features(2, names=("a", "b"))
    rows = features.rows(np.ones((3, 2)))
    assert checked_rows(Named(), rows, features) is rows
    assert len(checked_rows(Named(), _safe_indexing(rows, [0, 2]), features)) == 2
    for unknown in (np.ones((1, 2)), rows[:, ::-1], rows.astype(np.float32)):
        with pytest.warns(UserWarning, match="X does not have valid feature names"):
            assert checked_rows(Named(), unknown, features).features is features
    with pytest.raises(ValueError, match="X has 1 features, but Fitted"):
        checked_rows(Fitted(), rows[:, :1], features)


def test_labels_are_discrete_and_present():
    assert checked_labels([0, 1]).tolist() == [0, 1]
    assert checked_labels(["a", "b"]).tolist() == ["a", "b"]
    with pytest.raises(ValueError, match=r"y contains None \(row 1\)"):
        checked_labels(np.array(["a", None], object))
    with pytest.raises(ValueError, match="continuous"):
        checked_labels([0.5, 1.5])


FEATURES = Features(3, ("age", "town", "pay"), {1: ("ulm", "bonn")})
NUMBERS = Features(3, ("age", "town", "pay"))
NAMED = {"age": 3, "town": "bonn", "pay": 0.5}
FRAME = pd.DataFrame({"age": [3], "town": pd.Categorical(["bonn"]), "pay": [0.5]})
POLARS = pl.DataFrame({"age": [3], "town": ["bonn"], "pay": [0.5]})
WANTED = [3.0, 1.0, 0.5]


@pytest.mark.parametrize(
    "x",
    [
        NAMED,
        {"pay": 0.5, "town": "bonn", "age": np.int8(3)},
        OrderedDict(NAMED),
        MappingProxyType(NAMED),
        pd.Series(NAMED),
        FRAME.iloc[0],
        FRAME[["pay", "town", "age"]].iloc[0],
        FRAME,
        POLARS,
        POLARS.row(0),
        POLARS.row(0, named=True),
        POLARS.with_columns(pl.col("town").cast(pl.Categorical)),
        next(FRAME.itertuples(index=False)),
        [3, "bonn", 0.5],
        (3, "bonn", 0.5),
        np.array([3, "bonn", 0.5], object),
        [3, 1, 0.5],
        [[3, 1, 0.5]],
        np.array([WANTED]),
        np.array([3, 9, 1, 9, 0.5, 9])[::2],
        np.array([0.5, 1, 3])[::-1],
        np.asfortranarray(np.tile(WANTED, (4, 1)))[2],
        np.array(WANTED, ">f8"),
        np.array(WANTED, np.float16),
        np.array(WANTED, np.longdouble),
        np.frombuffer(b"x" + np.array(WANTED).tobytes(), np.uint8)[1:].view(np.float64),
        pd.Series(WANTED),
        pl.Series(WANTED),
        array.array("d", WANTED),
        memoryview(np.array(WANTED)),
        memoryview(b"x" + np.array(WANTED).tobytes())[1:].cast("d"),
    ],
    ids=lambda x: f"{type(x).__name__} {getattr(x, 'dtype', '')}",
)
def test_one_row_in_every_form(x):
    row = one_row(FEATURES, x)
    np.testing.assert_array_equal(row, WANTED)
    assert row.dtype in (np.float32, np.float64)
    assert row.flags.c_contiguous
    assert row.flags.aligned


def test_types_are_those_of_batches():
    for x in (np.ones(3, np.uint8), np.ones(3, bool), np.ones(3, np.int64), [1, 2, 3], [True] * 3):
        row = one_row(NUMBERS, x)
        assert row.dtype == NUMBERS.rows([x] if isinstance(x, list) else x[None]).dtype


def test_what_is_missing_is_nan():
    for x in (
        [1, None, 2.5],
        pd.Series([1, pd.NA, 2.5], dtype="Float64"),
        {"age": 1, "town": np.nan, "pay": 2.5},
        {"age": 1, "town": pd.NA, "pay": 2.5},
    ):
        np.testing.assert_array_equal(one_row(FEATURES, x), [1, np.nan, 2.5])
    with pytest.raises(ValueError, match=r"x contains NaN \(column 'town'\), .* impute them first"):
        one_row(Features(3, NUMBERS.names, missing=False), [1, None, 2])


def test_numbers_are_values_where_there_are_names_and_codes_elsewhere():
    tens = Features(2, ("age", "n"), {1: (0, 10, 20)})
    assert one_row(tens, {"age": 0, "n": 20})[1] == 2
    assert one_row(tens, pd.Series({"age": 0, "n": 20}))[1] == 2
    assert one_row(tens, [0, 2])[1] == 2
    assert one_row(tens, pd.Series([0, 2]))[1] == 2


def test_a_space_passes_for_an_underscore_one_row():
    spaced = Features(2, ("my_age", "pay"))
    assert one_row(spaced, {"pay": 2, "my age": 1}).tolist() == [1, 2]
    with pytest.raises(ValueError, match="unknown"):
        one_row(spaced, {"my age": 1, "my_age": 2, "pay": 3})
    for x in ({"pay": 2, "my age": 1, "sex": 0}, pd.Series({"pay": 2, "my age": 1, "sex": 0})):
        with pytest.raises(ValueError, match=r"missing \[\], unknown \['sex'\]; wanted one"):
            one_row(spaced, x)
    with pytest.raises(ValueError, match=r"missing \['pay'\], unknown \[\]; wanted one key"):
        one_row(spaced, {"my age": 1})
    with pytest.raises(ValueError, match=r"missing \[\], unknown \['a_b c'\]"):
        one_row(Features(1, ("a_b_c",)), {"a b_c": 1, "a_b c": 2})


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        ([1, 2], ValueError, "x is a list of 2 values"),
        (np.zeros(4), ValueError, r"x is a ndarray of float64 \(4,\)"),
        (np.zeros((2, 3)), ValueError, r"x is a ndarray of float64 \(2, 3\)"),
        (pd.concat([FRAME, FRAME]), ValueError, "x is a DataFrame of 2 rows; wanted one row"),
        (None, TypeError, "x is a NoneType"),
        ({1, 2, 3}, TypeError, "x is a set"),
        (3.0, TypeError, "x is a float"),
        (scipy.sparse.csr_matrix((1, 3)), TypeError, r"x is a sparse csr_matrix.*: pass x\.toarr"),
        ([1, [2, 3], 4], ValueError, "x is a list that holds sequences; wanted one row of numbers"),
        (["a", "ulm", 2], ValueError, r"x\[0\] is 'a', a str; wanted a number"),
        ([1, "ulm", 2j], ValueError, r"x\[2\] is 2j, a complex; wanted a number"),
        (np.zeros(3, "M8[s]"), ValueError, r"x\[0\] is datetime.*, a datetime; wanted a number"),
        (NAMED | {"pay": "much"}, ValueError, r"x\['pay'\] is 'much', a str; wanted a number"),
        (NAMED | {"pay": date(2026, 1, 1)}, ValueError, r"x\['pay'\] is datetime.*, a date"),
        (NAMED | {"town": 1}, ValueError, "column 'town' holds numbers, such as 1; the model was"),
        ({"age": 1, "town": "ulm"}, ValueError, r"missing \['pay'\], unknown \[\]"),
        (NAMED | {"paid": 1}, ValueError, r"missing \[\], unknown \['paid'\]"),
        (pd.Series({"age": 1, "town": "ulm", "paid": 2}), ValueError, r"unknown \['paid'\]"),
        (pd.Series([1, "ulm", 2], index=["age", "age", "pay"]), ValueError, "label 'age'"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_row_is_refused_by_what_is_different(x, error, message):
    with pytest.raises(error, match=message):
        one_row(FEATURES, x)


def test_names_need_a_model_that_knows_them():
    with pytest.raises(ValueError, match="x is a dict, but the model knows no feature names; pass"):
        one_row(Features(1), {"age": 1})
    assert one_row(Features(1), pd.Series({"age": 1})).tolist() == [1]


@pytest.mark.parametrize("form", [dict, pd.Series, lambda row: pd.DataFrame([row])])
def test_an_unknown_value_is_missing_without_a_warning(form):
    """A server would warn at every such request; warnings are errors here."""
    assert np.isnan(one_row(FEATURES, form(NAMED | {"town": "rome"}))[1])
