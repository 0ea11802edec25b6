import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag import _core
from mddag.dag.row_walk import AT_END, PASSED, walk_verdicts
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, SKIP, Policy
from mddag.mdp.stages import Stages
from tests import strategies
from tests.dag.test_dag import stumps

GRID = Grid(np.array([0.0]))


def test_verdicts_of_a_walk_that_has_the_first_decisions_alone():
    actions = np.array([[EVAL, SKIP], [QUIT, SKIP], [SKIP, QUIT], [QUIT, EVAL]])
    verdict = np.array([[-1, -1], [1, -1], [-1, 0], [0, -1], [1, 1]])
    policy = Policy(actions, GRID, np.arange(4), verdict=verdict)
    table, passed = walk_verdicts(policy, 2)
    assert table.tolist() == [[1, AT_END], [1, AT_END], [0, 0]]
    assert passed.tolist() == [1, 1]
    table, _ = walk_verdicts(policy, 4)
    assert table.tolist() == [[1, 0], [1, 0], [0, 0], [0, AT_END], [PASSED, PASSED]]
    assert walk_verdicts(Policy(actions, GRID, np.arange(4)), 2) is None


def test_stages_have_a_walk_of_their_own():
    ensemble = stumps(2)
    assert type(mddag.compile(ensemble).walk) is _core.Walk
    state = Stages(GRID, [0, 1, 0])
    policy = Policy(np.zeros((2, 2)), GRID, np.arange(2), state=state)
    assert type(mddag.compile(ensemble, policy).walk) is _core.StageWalk


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_single_rows_have_the_verdicts_of_batches(data):
    ensemble = data.draw(strategies.ensembles())
    X = np.nan_to_num(data.draw(strategies.rows(ensemble.n_features)))
    policy = data.draw(strategies.policies(ensemble.n_classifiers, ensemble.n_scores))
    dag = mddag.compile(ensemble, data.draw(strategies.with_verdicts(policy)))
    codes = [dag.walk.predict_one(x) for x in np.ascontiguousarray(X)]
    assert codes == dag.verdicts(X).tolist() == dag.run(X).verdict.tolist()
