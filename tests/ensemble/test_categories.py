from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from mddag.ensemble.categories import Categories, category_values

TOWNS = ("ulm", "bonn", "paris")
towns = Categories("town", TOWNS)
GOT = ["bonn", "ulm", "rome", None]
CODES = [1, 0, np.nan, np.nan]


def columns(values):
    """The same values in every kind of column that can hold them."""
    known = sorted({value for value in values if value is not None})
    return {
        "pandas category": pd.Series(pd.Categorical(values)),
        "pandas object": pd.Series(values, dtype=object),
        "pandas str": pd.Series(values, dtype="str"),
        "pandas string": pd.Series(values, dtype="string"),
        "polars String": pl.Series(values),
        "polars Categorical": pl.Series(values, dtype=pl.Categorical),
        "polars Enum": pl.Series(values, dtype=pl.Enum(known)),
        "polars Object": pl.Series(values, dtype=pl.Object),
    }


@pytest.mark.parametrize("kind", columns(GOT))
def test_values_become_codes_and_unknown_ones_are_missing(kind):
    np.testing.assert_array_equal(towns.codes(columns(GOT)[kind]), CODES)
    np.testing.assert_array_equal([towns.code(value) for value in GOT[:2]], CODES[:2])


@pytest.mark.parametrize("kind", columns(GOT))
def test_where_none_is_known_a_warning_names_column_got_and_wanted(kind):
    message = r"'town'.*'ULM'.*'ulm', 'bonn', 'paris'"
    with pytest.warns(UserWarning, match=message) as caught:
        codes = towns.codes(columns(["ULM", None])[kind])
    assert np.isnan(codes).all()
    assert caught[0].filename == __file__


@pytest.mark.parametrize("kind", columns(GOT))
def test_one_row_with_an_unknown_value_is_no_reason_to_warn(kind):
    """A server would warn at every such request; warnings are errors here."""
    assert np.isnan(towns.codes(columns(["ULM"])[kind])).all()
    assert np.isnan(towns.code("ULM"))
    with pytest.raises(ValueError, match="column 'town' holds 'ULM', which was not there"):
        Categories("town", TOWNS, refuses=True).code("ULM")


def test_a_column_of_missing_values_is_no_reason_to_warn():
    empty = [
        pd.Series([None, None], dtype=object),
        pd.Series([np.nan, np.nan]),
        pd.Series([pd.NA, pd.NA], dtype="string"),
        pd.Series(pd.Categorical([None, None], categories=["rome"])),
        pl.Series([None, None]),
        pl.Series([None, None], dtype=pl.String),
        pl.Series([float("nan"), None]),
    ]
    for column in empty:
        assert np.isnan(towns.codes(column)).all()
    assert np.isnan(towns.code(None))


@pytest.mark.parametrize(
    ("column", "got"),
    [
        (pd.Series([2.0, np.nan]), r"numbers, such as 2\.0"),
        (pd.Series([1, None], dtype="Int64"), "numbers, such as 1"),
        (pd.Series(pd.Categorical([1, 0])), "numbers, such as 0"),
        (pd.Series(["ulm", 1], dtype=object), "numbers, such as 1"),
        (pd.Series([True, None], dtype="boolean"), "bools, such as True"),
        (pd.Series([date(2026, 1, 1)] * 2), "dates, such as datetime"),
        (pd.Series([b"ulm", b"bonn"]), "bytes objects, such as b'ulm'"),
        (pl.Series([0.5, None]), r"numbers, such as 0\.5"),
        (pl.Series([date(2026, 1, 1)] * 2), "dates, such as"),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_a_column_of_another_type_is_refused(column, got):
    with pytest.raises(ValueError, match=f"column 'town' holds {got}.*'ulm', 'bonn', 'paris'"):
        towns.codes(column)


@pytest.mark.parametrize(
    ("values", "column", "message"),
    [
        ((0, 10, 20), pd.Series(["0", "10"]), "strings, such as '0'"),
        ((0, 10, 20), pd.Series([False, True]), "bools, such as False"),
        ((0.5, 1.5), pl.Series(["0.5"]), r"strings, such as '0\.5'"),
        ((False, True), pd.Series([0, 1]), "numbers, such as 0"),
        (("a", 1), pd.Series([True]), "bools, such as True"),
    ],
)
def test_numbers_strings_and_bools_are_kept_apart(values, column, message):
    with pytest.raises(ValueError, match=f"column 3 holds {message}"):
        Categories(3, values).codes(column)


def test_numbers_are_numbers_whatever_their_type():
    tens = Categories("n", (0, 10, 20))
    for column in (
        pd.Series([10, 0], dtype=np.int8),
        pd.Series([10.0, 0.0]),
        pd.Series([10, 0], dtype="Int64"),
        pd.Series([Decimal(10), np.float32(0)], dtype=object),
        pd.Series(pd.Categorical([10.0, 0.0])),
        pl.Series([10, 0], dtype=pl.UInt8),
    ):
        np.testing.assert_array_equal(tens.codes(column), [1, 0])
    assert tens.code(np.int64(20)) == 2


def test_bools_are_zero_and_one_where_training_turned_them_into_numbers():
    """As HistGradientBoosting does."""
    both = Categories("b", (0.0, 1.0))
    np.testing.assert_array_equal(both.codes(pd.Series([True, False])), [1, 0])
    np.testing.assert_array_equal(both.codes(pd.Series([1, 0])), [1, 0])


def test_unknown_values_are_refused_where_the_source_refuses_them():
    strict = Categories("town", TOWNS, refuses=True)
    np.testing.assert_array_equal(strict.codes(pd.Series(["bonn", None])), [1, np.nan])
    with pytest.raises(
        ValueError,
        match="column 'town' holds 'rome'",
    ):
        strict.codes(pd.Series(["bonn", "rome"]))


def test_lists_are_no_categories():
    with pytest.raises(ValueError, match="column 'town' holds values that are no scalars; the mod"):
        towns.codes(pd.Series([["ulm"], ["bonn"]]))
    with pytest.raises(ValueError, match=r"holds list objects, such as \['ulm'\]"):
        towns.code(["ulm"])


def test_long_lists_and_values_are_cut_in_messages():
    many = Categories("c", tuple(f"{i:0>99}" for i in range(1000)))
    with pytest.warns(UserWarning, match="…") as caught:
        many.codes(pd.Series(["x" * 1000] * 2))
    assert len(str(caught[0].message)) < 400


def test_the_values_of_categorical_columns():
    assert category_values(pd.Series(pd.Categorical(["b", "a"], categories=["b", "a"]))) == (
        "b",
        "a",
    )
    assert category_values(pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"]))) == ("b", "a")
    assert category_values(pl.Series(["b", "a"], dtype=pl.Categorical)) == ("a", "b")
    assert category_values(pd.Series(["a"])) is None
    assert category_values(pl.Series([1])) is None
