"""Ratios of readings and their paired errors."""

import numpy as np
import pytest

from benchmarks.quality.curves import N_BINS, chosen, cost, reading
from benchmarks.quality.report import FIELDS, Ratio, gathered, joined, named, over
from benchmarks.quality.rivals import with_margin
from benchmarks.quality.times import of_methods, table
from benchmarks.table import written
from tests.benchmarks.quality.models import ensemble, rows


def line(data, seed, method, cost):
    usual = dict.fromkeys(FIELDS, "")
    named = {"data": data, "library": "LightGBM", "sealed": False, "seed": seed}
    return {**usual, **named, "unit": "nodes", "tolerance": 0.002, "method": method, "cost": cost}


def test_lines_made_elsewhere_are_kept_and_those_made_anew_replaced(tmp_path):
    path = tmp_path / "readings.csv"
    there = [line("higgs", 0, "sparsify", 3.0), line("electricity", 1, "train", 2.0)]
    written(path, FIELDS, there)
    found = joined([line("higgs", 0, "sparsify", 1.5), line("higgs", 0, "margin", 9.0)], path)
    costs = [(row["data"], row["method"], row["cost"]) for row in found]
    assert costs == [
        ("electricity", "train", "2.0"),
        ("higgs", "sparsify", "1.5"),
        ("higgs", "margin", "9.0"),
    ]


def test_without_a_file_there_is_nothing_to_keep(tmp_path):
    assert len(joined([line("higgs", 0, "margin", 9.0)], tmp_path / "none.csv")) == 1


def line_readings(method, seed, cost):
    return {"data": "adult", "library": "LightGBM", "unit": "nodes", "tolerance": 0.002,
            "method": method, "seed": seed, "cost": cost, "full_cost": 100.0}  # fmt: skip


def test_ratios_are_paired_by_seed():
    (case,) = gathered(
        [
            line_readings("best rival", 0, 10),
            line_readings("best rival", 1, 20),
            line_readings("train", 0, 5),
            line_readings("train", 1, 10),
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


FULL = (500.0, 0.1)


@pytest.mark.parametrize(
    ("points", "read", "at"),
    [
        ([(10, 0.2), (50, 0.102), (80, 0.1)], 50, 1),  # at the tolerance is within it
        ([(10, 0.112), (50, 0.092)], 30, 1),  # halfway between the two
        ([(10, 0.112), (20, 0.2), (50, 0.092)], 30, 2),  # from the best before it
        ([(50, 0.09), (80, 0.1)], 50, 0),  # the cheapest is good enough
        ([(10, 0.122)], 10 + 490 * 20 / 22, 1),  # rows drawn for the full model
        ([(600, 0.09)], 500, 1),  # dearer than the full model
        ([], 500, 0),
    ],
)
def test_the_cost_within_the_tolerance(points, read, at):
    assert reading(points, FULL, 0.002) == (pytest.approx(read), at)


def test_each_ratio_of_costs_has_the_least_error_on_policy_rows():
    costs = np.array([2.0, 2.01, 90.0, 91.0, 400.0])
    errors = np.array([0.11, 0.105, 0.104, 0.101, 0.1])
    assert chosen(costs, errors, 500.0, 0.12) == [1, 3, 4]


def test_candidates_without_hope_or_dearer_than_the_full_model_are_left_out():
    costs = np.array([1.0, 5.0, 700.0])
    errors = np.array([0.4, 0.1, 0.05])
    assert chosen(costs, errors, 500.0, 0.12) == [1]


def test_where_all_are_without_hope_the_best_remains():
    assert chosen(np.array([1.0, 5.0]), np.array([0.4, 0.3]), 500.0, 0.12) == [1]


def test_no_curve_has_more_points_than_bins():
    costs = np.geomspace(1, 499, 5000)
    assert len(chosen(costs, np.full(5000, 0.1), 500.0, 0.12)) == N_BINS


def test_costs_are_one_at_least():
    assert cost((0.1, 0.0, 7.0), "evaluations") == 1
    assert cost((0.1, 0.0, 7.0), "nodes") == 7


def test_every_method_is_timed_on_its_fastest_engine():
    X, y = rows()
    model = ensemble(X, y)
    methods = {"full": (model, None), "margin": with_margin(model, 6, 0.5)}
    full, margin = of_methods(methods, X)
    assert (full["method"], margin["method"]) == ("full", "margin")
    for line in (full, margin):
        assert float(line["one_row_us"]) > 0
        assert float(line["batch_ns"]) > 0
        assert line["engine"]


def test_ours_is_beside_the_best_and_the_fastest_rival():
    times = {"full": 9, "margin": 4, "best rival": 5, "sparsify": 1, "train": 2}
    methods = {method: {"batch_ns": time} for method, time in times.items()}
    lines = table({("adult", "LightGBM"): methods}, "batch_ns")
    assert lines[2] == (
        "| adult, LightGBM | 9 | 5 | 4 | 1 | 2 | margin | 0.20 | 0.25 | 0.40 | 0.50 |"
    )
    assert lines[3].endswith("| **0.20** | **0.25** | **0.40** | **0.50** |")
