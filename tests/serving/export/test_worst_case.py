import numpy as np
import pytest

import mddag
from mddag.dag.dag import Dag
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, SKIP, Policy
from mddag.serving.export.walk_tables import WalkTables
from mddag.serving.export.worst_case import WorstCase, tree_depths
from tests.dag.test_dag import stumps
from tests.reference import exported
from tests.serving.export.cases import N_RANDOM, N_STAGED, cases


def worst(dag):
    return WorstCase.of(WalkTables.of(dag))


def test_evaluate_all_is_its_own_worst_case():
    assert worst(mddag.compile(stumps(7))) == WorstCase(7, 7)


def test_a_prefix_ends():
    assert worst(Dag(stumps(7), Policy.prefix(3, 7, Grid(np.empty(0))))) == WorstCase(3, 3)


def test_the_longest_way_skips():
    """One cell evaluates the first step and quits, the other skips it and evaluates two."""
    actions = np.array([[EVAL, SKIP], [QUIT, EVAL], [QUIT, EVAL]])
    dag = Dag(stumps(3), Policy(actions, Grid(np.array([0.0])), np.arange(3)))
    # At each decision one comparison finds the cell, but behind the last step, where all quit.
    assert worst(dag) == WorstCase(3, 3 + 3)
    actions[0] = [SKIP, SKIP]
    assert worst(Dag(stumps(3), Policy(actions, dag.policy.grid, np.arange(3)))) == WorstCase(2, 4)


def test_depths_are_those_of_the_deepest_leaf():
    for case in cases():
        splits = WalkTables.of(case.model.model.dag).splits

        def depth(at, splits=splits):
            if at < 0:
                return 0
            node = splits.records[at]
            return 1 + max(depth(node["left"]), depth(node["right"]))

        assert tree_depths(splits).tolist() == [depth(root) for root in splits.roots]


NAMES = [f"random{i}" for i in range(N_RANDOM)] + [f"staged{i}" for i in range(N_STAGED)]


@pytest.mark.parametrize("name", NAMES)
def test_no_row_exceeds_it(name):
    case = next(case for case in cases() if case.name == name)
    dag = case.model.model.dag
    tables = WalkTables.of(dag)
    bound = WorstCase.of(tables)
    for row in case.rows:
        _, n_evaluated, _ = exported.run(tables, row)
        assert n_evaluated <= bound.evaluations <= tables.n_steps
    assert bound.evaluations <= bound.comparisons or not len(tables.splits.records)
