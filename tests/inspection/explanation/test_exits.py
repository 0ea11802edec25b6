import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.inspection.explanation.explain import exit_of, merged, walk
from mddag.inspection.explanation.explanation import Exit, Segment
from mddag.mdp.policy import EVAL, QUIT, SKIP
from tests import strategies
from tests.dag.test_dag import random_policy, stumps
from tests.mdp.test_state import SEED, cascade


def test_neighbouring_cells_of_one_action_are_one_segment():
    actions = np.array([QUIT, QUIT, EVAL, SKIP, QUIT], np.uint8)
    segments = merged(actions, np.array([-2.0, -1.0, 0.0, 1.0]))
    assert segments == (
        Segment(-np.inf, -1.0, "quit"),
        Segment(-1.0, 0.0, "eval"),
        Segment(0.0, 1.0, "skip"),
        Segment(1.0, np.inf, "quit"),
    )
    assert segments[0].to_dict() == {"above": None, "up_to": -1.0, "action": "quit"}


@pytest.mark.parametrize("n_scores", [1, 3])
def test_the_segment_of_a_row_quits(n_scores):
    ensemble, policy = stumps(12, n_scores), random_policy(12, n_scores)
    program = mddag.compile(ensemble, policy).program
    X = np.random.default_rng(0).normal(size=(40, 2))
    reasons = set()
    for row in X:
        why = exit_of(program, walk(program, ensemble.features.rows(row[None])))
        reasons.add(why.reason)
        assert why.reads == ("score" if n_scores == 1 else "margin")
        if why.reason == "quit":
            assert why.segment.action == "quit"
            assert why.segment.low < why.value <= why.segment.high
            assert why.to_dict()["segment"] in why.to_dict()["segments"]
        else:
            assert why.segments == ()
            assert why.step == 12
    assert reasons == {"quit", "end"}


def test_a_cascade_says_its_verdict():
    ensemble = stumps(12, seed=SEED)
    program = mddag.compile(ensemble, cascade()).program
    X = np.random.default_rng(0).normal(size=(300, 2))
    trace = mddag.compile(ensemble, cascade()).run(X)
    for i in range(20):
        why = exit_of(program, walk(program, ensemble.features.rows(X[[i]])))
        assert why.verdict == trace.verdict[i]


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_stages_quit_by_the_column_that_they_read(data):
    ensemble = data.draw(strategies.ensembles(n_scores=1))
    policy = data.draw(strategies.staged_policies(ensemble.n_classifiers))
    program = mddag.compile(ensemble, policy).program
    X = data.draw(strategies.rows(ensemble.n_features))
    why = exit_of(program, walk(program, ensemble.features.rows(X)[[0]]))
    if why.reason == "quit":
        assert why.segment.action == "quit"


def test_other_states_have_no_segments():
    assert Exit("quit", 3, "state", None, ()).segment is None
