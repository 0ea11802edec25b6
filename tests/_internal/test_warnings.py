import warnings

import numpy as np
import pytest

import mddag
from mddag._internal.warnings import (
    FEWEST_ROWS,
    FEWEST_TO_FIT,
    DoubtfulResult,
    doubt,
    doubt_few_policy_rows,
    doubt_few_rows,
    doubt_one_class,
    warn_user,
)


def test_a_warning_names_the_line_outside_of_the_package():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_user("look here", UserWarning)
    assert [str(w.message) for w in caught] == ["look here"]
    assert caught[0].filename == __file__


def test_a_doubt_points_to_the_line_outside_of_the_package():
    with pytest.warns(DoubtfulResult, match="perhaps") as told:
        doubt("perhaps")
    assert told[0].filename == __file__
    with pytest.warns(DoubtfulResult) as told:
        doubt_few_rows(3, "beta")
    assert told[0].filename == __file__
    assert mddag.DoubtfulResult is DoubtfulResult
    assert issubclass(DoubtfulResult, UserWarning)


def test_few_rows_are_told_how_many_are_wanted():
    for knob, fewest in FEWEST_ROWS.items():
        with pytest.warns(
            DoubtfulResult, match=f"X has 20 rows, but {knob} wants {fewest} or more .*; give more"
        ):
            doubt_few_rows(20, knob)
        doubt_few_rows(fewest, knob)


@pytest.mark.filterwarnings("error::mddag.DoubtfulResult")
def test_few_rows_for_a_fit_are_told_how_many_are_wanted():
    few = f"the policy is learned on 20 rows; wanted {FEWEST_TO_FIT} or more, .*: give more rows"
    with pytest.warns(DoubtfulResult, match=f"{few} or a larger policy_fraction$"):
        doubt_few_policy_rows(20, held_out=True)
    with pytest.warns(DoubtfulResult, match=f"{few}$"):
        doubt_few_policy_rows(20, held_out=False)
    doubt_few_policy_rows(FEWEST_TO_FIT, held_out=True)


def test_rows_of_one_class_are_told_to_be_joined_by_others():
    for labels in (np.full(5, "no"), np.array(["no"] * 5, object)):
        with pytest.warns(
            DoubtfulResult, match="5 in all, have the label 'no' alone, .*; give rows of every"
        ):
            doubt_one_class(labels)
    with pytest.warns(DoubtfulResult, match="3 in all, get from the model the label 1 alone"):
        doubt_one_class(np.ones(3, int), given=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        doubt_one_class(np.array([0, 1]))
