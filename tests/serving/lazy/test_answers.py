import numpy as np
import pandas as pd
import pytest

from mddag.features.features import Features
from mddag.features.prices import FeaturePrices
from mddag.serving.lazy.answers import Answers, columns_of

FEATURES = Features(4, ("age", "town", "pay", "debt"), {1: ("ulm", "bonn")})
PRICES = FeaturePrices.of(FEATURES, None, {"bank": ["debt", "town"], "work": ["pay"]})
ANSWERS = Answers(FEATURES, PRICES)
BANK, WORK = 0, 1


def test_columns_keep_names_and_categories():
    bank = columns_of(FEATURES, (3, 1))
    assert bank.names == ("debt", "town")
    assert bank.categories == {1: ("ulm", "bonn")}


@pytest.mark.parametrize(
    "answer",
    [
        np.array([[5, 1], [6, 0]]),
        [[5.0, 1], [6, 0]],
        np.array([[5, 1], [6, 0]], object),
        pd.DataFrame({"debt": [5, 6], "town": ["bonn", "ulm"]}),
    ],
)
def test_arrays_hold_codes_and_frames_values(answer):
    assert ANSWERS.of_rows(BANK, answer, 2).tolist() == [[5, 1], [6, 0]]


@pytest.mark.parametrize("answer", [[3, 4], np.array([3.0, 4]), pd.Series([3, 4]), [[3], [4]]])
def test_a_single_column_may_stand_alone(answer):
    assert ANSWERS.of_rows(WORK, answer, 2).tolist() == [[3], [4]]


def test_missing_values_are_values():
    assert np.isnan(ANSWERS.of_rows(WORK, [None, np.nan], 2)).all()


def test_a_frame_of_other_columns_is_refused():
    frame = pd.DataFrame({"town": ["ulm"], "debt": [1]})
    with pytest.raises(ValueError, match=r"the group 'bank' gave what cannot be read: .* order"):
        ANSWERS.of_rows(BANK, frame, 1)


@pytest.mark.parametrize(
    "answer", [[5, 1], (5.0, "bonn"), {"town": "bonn", "debt": 5}, np.array([[5, 1]])]
)
def test_one_row_in_any_form(answer):
    assert ANSWERS.of_one(BANK, answer).tolist() == [[5, 1]]


def test_one_number():
    assert ANSWERS.of_one(WORK, 7).tolist() == [[7]]
    assert np.isnan(ANSWERS.of_one(WORK, None)).all()
    with pytest.raises(ValueError, match=r"the group 'work' gave what cannot be read: .*'high'"):
        ANSWERS.of_one(WORK, "high")
    with pytest.raises(ValueError, match="the group 'bank' gave what cannot be read: x is an int"):
        ANSWERS.of_one(BANK, 3)
