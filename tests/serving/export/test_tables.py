"""The tables of exported code, the longest way through them, labels, and the exp it computes."""

import math
import sys

import numpy as np
import pytest

from mddag.engine.dag import Dag
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, SKIP, Policy
from mddag.serving.export.tables import Labels, WalkTables, WorstCase
from tests.engine.test_dag import stumps
from tests.reference import serving
from tests.serving.export.cases import cases


def worst(dag):
    return WorstCase.of(WalkTables.of(dag))


def test_the_longest_way_skips():
    """One cell evaluates the first step and quits, the other skips it and evaluates two."""
    actions = np.array([[EVAL, SKIP], [QUIT, EVAL], [QUIT, EVAL]])
    dag = Dag(stumps(3), Policy(actions, Grid(np.array([0.0])), np.arange(3)))
    # At each decision one comparison finds the cell, but behind the last step, where all quit.
    assert worst(dag) == WorstCase(3, 3 + 3)
    actions[0] = [SKIP, SKIP]
    assert worst(Dag(stumps(3), Policy(actions, dag.policy.grid, np.arange(3)))) == WorstCase(2, 4)


def test_no_row_exceeds_it():
    for case in cases():
        tables = WalkTables.of(case.model.model.dag)
        bound = WorstCase.of(tables)
        n_evaluated = case.model.n_evaluated(case.rows)
        assert n_evaluated.max() <= bound.evaluations <= tables.n_steps


@pytest.mark.parametrize(
    ("values", "kind", "wanted"),
    [
        ([3, -1], "whole", (3, -1)),
        ([False, True], "whole", (0, 1)),
        (np.array([1, 2], np.uint8), "whole", (1, 2)),
        ([2**60, 1], "real", (2.0**60, 1.0)),
        ([2**60 + 1, 1], "text", (str(2**60 + 1), "1")),
        ([0.5, 2], "real", (0.5, 2.0)),
        ([10**400, 1], "text", (str(10**400), "1")),
        ([float("nan"), 2], "text", ("nan", "2")),
        (["a", 1], "text", ("a", "1")),
        ([None, "b"], "text", ("None", "b")),
    ],
)
def test_values_of_one_type(values, kind, wanted):
    assert Labels.of(values) == Labels(kind, wanted)


RNG = np.random.default_rng(0)


@pytest.mark.skipif(sys.platform != "linux", reason="the C library is another one")
@pytest.mark.parametrize("reach", [1e-15, 1.0, 30.0, 760.0])
def test_exp_has_the_bits_of_the_c_library(reach):
    for x in RNG.uniform(-reach, min(reach, 700.0), 300).tolist():
        assert serving.exp(x) == math.exp(x)
    for x in (0.0, -0.0, 0.5**54, -(0.5**54), -512.0, 512.0, -708.5, -745.13, -746.0, 709.7):
        assert serving.exp(x) == math.exp(x)


def test_exp_is_within_a_unit_in_the_last_place_everywhere():
    for x in RNG.uniform(-700, 700, 300).tolist():
        assert abs(serving.exp(x) - math.exp(x)) <= math.ulp(math.exp(x))
    assert serving.exp(2000.0) == math.inf
    assert serving.exp(-2000.0) == 0
