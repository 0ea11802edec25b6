import array
from collections import OrderedDict
from datetime import date
from types import MappingProxyType

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from mddag.features.features import Features, one_row

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


def test_infinities_are_numbers():
    assert one_row(NUMBERS, [np.inf, -np.inf, 0]).tolist() == [np.inf, -np.inf, 0]


def test_numbers_are_values_where_there_are_names_and_codes_elsewhere():
    tens = Features(2, ("age", "n"), {1: (0, 10, 20)})
    assert one_row(tens, {"age": 0, "n": 20})[1] == 2
    assert one_row(tens, pd.Series({"age": 0, "n": 20}))[1] == 2
    assert one_row(tens, [0, 2])[1] == 2
    assert one_row(tens, pd.Series([0, 2]))[1] == 2


def test_a_space_passes_for_an_underscore():
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


ONE_ROW = "wanted one row, 3 values, as an array, list, dict by name or Series"


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        ([1, 2], ValueError, f"x is a list of 2 values; {ONE_ROW}"),
        (np.zeros(4), ValueError, rf"x is a ndarray of float64 \(4,\); {ONE_ROW}"),
        (np.zeros((2, 3)), ValueError, rf"x is a ndarray of float64 \(2, 3\); {ONE_ROW}"),
        (np.zeros((3, 1)), ValueError, r"x is a ndarray of float64 \(3, 1\)"),
        (pd.concat([FRAME, FRAME]), ValueError, "x is a frame of 2 rows; wanted one row: use pred"),
        (None, TypeError, f"x is a NoneType; {ONE_ROW}"),
        ("abc", TypeError, "x is a str; wanted one row"),
        ({1, 2, 3}, TypeError, "x is a set; wanted one row"),
        (3.0, TypeError, "x is a float; wanted one row"),
        (scipy.sparse.csr_matrix((1, 3)), TypeError, r"x is a sparse csr_matrix.*: pass x\.toarr"),
        ([1, [2, 3], 4], ValueError, "x is a list that holds sequences; wanted one row of numbers"),
        (["a", "ulm", 2], ValueError, r"x\[0\] is 'a', a str; wanted a number"),
        ([1, "ulm", 2j], ValueError, r"x\[2\] is 2j, a complex; wanted a number"),
        (np.zeros(3, "M8[s]"), ValueError, r"x\[0\] is datetime.*, a datetime; wanted a number"),
        (NAMED | {"pay": "much"}, ValueError, r"x\['pay'\] is 'much', a str; wanted a number"),
        (NAMED | {"pay": date(2026, 1, 1)}, ValueError, r"x\['pay'\] is datetime.*, a date"),
        (NAMED | {"town": 1}, ValueError, "column 'town' holds numbers, such as 1; the model was"),
        (
            {"age": 1, "town": "ulm"},
            ValueError,
            r"x has other keys than the model has features: missing \['pay'\], unknown \[\]; "
            "wanted one key for each of the 3 features",
        ),
        (NAMED | {"paid": 1}, ValueError, r"missing \[\], unknown \['paid'\]"),
        (
            pd.Series({"age": 1, "town": "ulm", "paid": 2}),
            ValueError,
            r"x has other labels than .*: missing \['pay'\], unknown \['paid'\]",
        ),
        (
            pd.Series([1, "ulm", 2], index=["age", "age", "pay"]),
            ValueError,
            "x has the label 'age' more than once; wanted each feature once",
        ),
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
