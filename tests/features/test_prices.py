import pickle

import numpy as np
import pytest

from mddag.features.features import Features
from mddag.features.prices import FeaturePrices

GROUPS = {"work": [1, 3], "bank": [2, 3]}


def test_of_a_users_lists():
    prices = FeaturePrices.of(Features(4), {"work": 3, "bank": 4, 0: 0}, GROUPS, wave_cost=0.5)
    assert prices.names == ("work", "bank", 0, "work+bank")
    assert prices.costs.tolist() == [3, 4, 0, 0]
    assert prices.paid.tolist() == [True, True, False, False]
    assert prices.full_cost == 7.5
    assert prices.group_of(4).tolist() == [2, 0, 1, 3]


def test_a_price_list_in_one_line():
    prices = FeaturePrices.of(Features(4), {"work": 3, "bank": 4, 0: 0}, GROUPS, wave_cost=0.5)
    assert str(prices) == (
        "prices: 7 for 4 groups (work 3, bank 4, 0 0, work+bank 0), 0.5 per wave"
    )
    assert str(FeaturePrices.of(Features(9))).endswith("5 1, …)")


def test_what_is_computed_comes_with_what_it_needs():
    prices = FeaturePrices.of(Features(4), None, GROUPS)
    alone = np.eye(4, dtype=bool)
    closed = prices.closed(alone)
    assert closed[3].tolist() == [True, True, False, True]
    assert (closed[:3] == alone[:3]).all()


def test_free_features_make_no_wave():
    assert FeaturePrices.of(Features(2), [0, 0], wave_cost=9.0).full_cost == 0.0


def test_arrays_stay_read_only_after_pickling():
    prices = pickle.loads(pickle.dumps(FeaturePrices.of(Features(2))))
    assert not prices.costs.flags.writeable


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
