"""Ratios of readings and their paired errors."""

import numpy as np
import pytest

from benchmarks.quality.readings import Ratio, gathered, named, over


def line(method, seed, cost):
    return {"data": "adult", "library": "LightGBM", "unit": "nodes", "tolerance": 0.002,
            "method": method, "seed": seed, "cost": cost, "full_cost": 100.0}  # fmt: skip


def test_ratios_are_paired_by_seed():
    (case,) = gathered(
        [
            line("best rival", 0, 10),
            line("best rival", 1, 20),
            line("train", 0, 5),
            line("train", 1, 10),
        ]
    )
    ratio = case.ratio("train", "best rival")
    assert ratio.mean == pytest.approx(0.5)
    assert ratio.error == pytest.approx(0)
    assert case.mean("full") == pytest.approx(100)
    assert not case.ratio("sparsify", "best rival")


def test_a_tie_is_within_two_standard_errors_of_one():
    assert str(Ratio([np.log(0.5), np.log(1.8)])).endswith("=")
    assert not str(Ratio([np.log(0.5), np.log(0.51)])).endswith("=")
    assert str(Ratio([np.log(0.5)])) == "0.50"  # nothing is known of its error


def test_the_mean_over_problems_is_geometric():
    assert over([Ratio([np.log(0.5)]), Ratio([np.log(2.0)]), Ratio([])])[0] == pytest.approx(1)


def test_ours_is_read_in_the_unit_it_was_made_for():
    assert named("train, nodes", "nodes") == "train"
    assert named("sparsify, nodes", "evaluations") is None
    assert named("train, nodes", "evaluations") == "train"  # it has no other
    assert named("margin", "nodes") == "margin"
