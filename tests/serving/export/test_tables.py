"""The tables of exported code, the longest way through them, labels, and the exp it computes."""

import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.engine.dag import Dag
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, SKIP, Policy
from mddag.policy.rollout import IntegerVotes
from mddag.serving.export.tables import (
    Labels,
    ModelTables,
)
from mddag.serving.export.walk_tables import WalkTables, WorstCase
from mddag.serving.model_file import Model
from tests import strategies
from tests.engine.test_dag import stumps
from tests.reference import rollout, serving
from tests.serving.export.cases import N_RANDOM, N_STAGED, cases


def test_thresholds_are_the_largest_float32_not_above():
    ensemble = stumps(1)
    nodes = ensemble.nodes.copy()
    for threshold in (0.1, -0.1, 1e300, -1e300, np.inf, 0.5):
        nodes["threshold"][nodes["feature"] >= 0] = threshold
        tables = ModelTables.of(Model(Dag(replace(ensemble, nodes=nodes), policy_of(ensemble))))
        (rounded,) = tables.thresholds
        assert float(rounded) <= threshold
        with np.errstate(over="ignore"):
            above = float(np.nextafter(rounded, np.float32(np.inf)))
        assert above > threshold or np.isinf(threshold)


def policy_of(ensemble):
    return mddag.compile(ensemble).policy


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_every_state_goes_where_the_jump_table_says(data):
    """A state is an integer and a top class; its run must lead to the step of its cell."""
    ensemble = data.draw(strategies.ensembles())
    n_scores = ensemble.n_scores
    policy = data.draw(strategies.policies(len(ensemble), n_scores))
    tables = WalkTables.of(Dag(ensemble, policy))
    edges = IntegerVotes.of(ensemble.tables).edges(policy.grid.edges)
    states = np.unique(np.concatenate([edges - 1, edges, edges + 1, [0, 1, 2**31 - 2]]))
    states = states[(states >= (0 if n_scores > 1 else -(2**31) + 1)) & (states < 2**31)]
    consulted = [0, *(tables.steps + 1)][:: policy.every]
    kept = [*tables.steps.tolist(), policy.n_steps]
    for row, step in enumerate(consulted):
        for top in range(n_scores):
            runs = slice(*tables.jumps.starts[row * n_scores + top :][:2])
            bounds, jumps = tables.jumps.bounds[runs], tables.jumps.values[runs]
            for state in states:
                cell = top * (len(edges) + 1) + int((edges < state).sum())
                target = kept[jumps[np.searchsorted(bounds, state)]]
                if step < policy.n_steps:
                    assert target == rollout.next_step(policy, step, cell)
                else:
                    assert target == policy.n_steps


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


NAMES = [f"random{i}" for i in range(N_RANDOM)] + [f"staged{i}" for i in range(N_STAGED)]


@pytest.mark.parametrize("name", NAMES)
def test_no_row_exceeds_it(name):
    case = next(case for case in cases() if case.name == name)
    dag = case.model.model.dag
    tables = WalkTables.of(dag)
    bound = WorstCase.of(tables)
    for row in case.rows:
        _, n_evaluated, _ = serving.run(tables, row)
        assert n_evaluated <= bound.evaluations <= tables.n_steps


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
