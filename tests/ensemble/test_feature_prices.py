"""Price lists by name and position; every fault says what was got, wanted, and what to do."""

import numpy as np
import pytest

from mddag.ensemble.feature_prices import FeaturePrices, group_costs, grouped_columns
from mddag.ensemble.features import Features

GROUPS = {"work": [1, 3], "bank": [2, 3]}


def test_a_price_list_in_one_line():
    prices = FeaturePrices.of(Features(4), {"work": 3, "bank": 4, 0: 0}, GROUPS, wave_cost=0.5)
    assert str(prices) == (
        "prices: 7 for 4 groups (work 3, bank 4, 0 0, work+bank 0), 0.5 per wave"
    )
    assert str(FeaturePrices.of(Features(9))).endswith("5 1, …)")


@pytest.mark.parametrize(
    ("fields", "got"),
    [
        ({"names": ("a", "a")}, "there are 2 groups; wanted a name of its own for each"),
        ({"columns": ((0,), (0,))}, "wanted disjoint groups of one column or more"),
        ({"columns": ((0,), ())}, "wanted disjoint groups of one column or more"),
        ({"costs": [1, -1]}, "costs\\[1\\] is -1.0; wanted finite numbers, 0 or more"),
        ({"wave_cost": -1}, "wave_cost is -1; wanted a finite number, 0 or more"),
        ({"wave_cost": np.nan}, "wave_cost is nan"),
        ({"wave_cost": "dear"}, "wave_cost is 'dear'"),
        ({"needs": ((1,), ())}, "the numbers of groups before it"),
    ],
)
def test_faults(fields, got):
    given = {"names": ("a", "b"), "columns": ((0,), (1,)), "costs": [1, 1], **fields}
    with pytest.raises(ValueError, match=got):
        FeaturePrices(**given)


def test_prices_of_another_model():
    with pytest.raises(ValueError, match="the groups have 2 columns, but the model reads 3"):
        FeaturePrices.of(Features(2)).require(3)


NAMED = Features(4, names=("age", "pay", "debt", "ratio"))


def costs(features, feature_costs, groups=None):
    return group_costs(features, feature_costs, *grouped_columns(features, groups)).tolist()


def test_given_groups_come_first_and_keep_their_order():
    names, columns, _ = grouped_columns(NAMED, {"b": ["debt", 0], "a": np.array([3])})
    assert names == ("b", "a", "pay")
    assert columns == ((2, 0), (3,), (1,))


def test_a_feature_of_two_groups_is_computed_from_them():
    groups = {"work": ["pay", "ratio"], "bank": ["debt", "ratio"]}
    names, columns, needs = grouped_columns(NAMED, groups)
    assert names == ("work", "bank", "age", "work+bank")
    assert columns == ((1,), (2,), (0,), (3,))
    assert needs == ((), (), (), (0, 1))
    assert costs(NAMED, {"work": 3, "bank": 4, "age": 0}, groups) == [3, 4, 0, 0]
    assert costs(NAMED, None, groups) == [1, 1, 1, 0]
    assert costs(NAMED, [0, 3, 4, 0.5], groups) == [3, 4, 0, 0.5]
    assert costs(NAMED, {"work": 3, "bank": 4, "age": 0, "work+bank": 2}, groups)[-1] == 2


def test_prices_by_array_name_position_and_group():
    wanted = [1, 2, 3, 4]
    assert costs(NAMED, wanted) == wanted
    assert costs(NAMED, dict(zip(NAMED.names, wanted, strict=True))) == wanted
    assert costs(NAMED, {"age": 1, 1: 2, np.int64(2): 3, 3: 4}) == wanted
    groups = {"money": ["pay", "debt"]}
    assert costs(NAMED, wanted, groups) == [5, 1, 4], "prices by feature add up"
    assert costs(NAMED, {"money": 7, "age": 1, 3: 4}, groups) == [7, 1, 4]


def test_a_group_may_have_the_name_of_a_feature_that_it_holds():
    assert costs(NAMED, {"pay": 7, "age": 1, 3: 4}, {"pay": ["pay", "debt"]}) == [7, 1, 4]


@pytest.mark.parametrize(
    ("groups", "got"),
    [
        (3, "feature_groups is 3"),
        ({1: [0]}, "group named 1"),
        ({"a": []}, "group 'a' is empty"),
        ({"a": 1.5}, "group 'a' is 1.5"),
        ({"a": ["size"]}, "group 'a' has 'size'"),
        ({"a": [4]}, "has 4"),
        ({"a": [-1]}, "has -1"),
        ({"a": [True]}, "has True"),
        ({"a": ["age", 0]}, "group 'a' has the feature 'age' twice"),
        ({"a": [0, 1], "b": [0, 1]}, "group 'a'"),
        ({"age": ["pay"]}, "'age'"),
        ([[0, 1], [0, 1]], "group '0\\+1' twice"),
        ({"a": [0, 1], "b": [1, 2], "a+b": [3]}, "group 'a\\+b'"),
    ],
)
def test_faults_of_groups(groups, got):
    with pytest.raises((TypeError, ValueError), match=got):
        grouped_columns(NAMED, groups)


@pytest.mark.parametrize(
    ("prices", "got"),
    [
        ([1, 2], "feature_costs has shape \\(2,\\)"),
        ([1, 2, -3, 4], "feature_costs\\[2\\] is -3.0"),
        ("free", "feature_costs is 'free'"),
        ({"m": 1, "age": 1, "ratio": np.nan}, "feature_costs\\['ratio'\\] is nan"),
        ({"m": "1", "age": 1, "ratio": 1}, "feature_costs\\['m'\\] is '1'"),
        ({"m": 1, "age": 1}, "no price for the feature 'ratio'"),
        ({"pay": 1, "age": 1, 3: 0}, "feature 'debt' of the group 'm'"),
        ({"m": 1, "pay": 1, "age": 1, 3: 0}, "group 'm' and for its feature 'pay'"),
        ({"m": 1, "age": 1, 3: 0, "ratio": 0}, "feature 'ratio'"),
        ({"m": 1, "age": 1, 3: 0, "size": 0}, "'size'"),
    ],
)
def test_faults_of_prices(prices, got):
    with pytest.raises((TypeError, ValueError), match=got):
        costs(NAMED, prices, {"m": ["pay", "debt"]})
