"""Where rows quit, found afterwards, is where they quit."""

from dataclasses import replace
from functools import partial

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.dag.executors.steps import exit_steps, follow, votes_on
from mddag.mdp.quits import Quits
from tests import strategies
from tests.reference import stages as twin


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_what_is_carried_at_the_end_says_where_rows_quit(data):
    ensemble = data.draw(strategies.ensembles(n_scores=1))
    X = np.nan_to_num(data.draw(strategies.rows(ensemble.n_features)))
    staged = replace(data.draw(strategies.staged_policies(len(ensemble))), leaps=None)
    policy = data.draw(strategies.with_verdicts(staged))
    carried, written = policy.state.start(ensemble.bias, len(X)), Quits.of(policy, len(X))
    visits = follow(policy, votes_on(ensemble, X, 1), carried, len(X), written)
    cells = partial(policy.state.cells, carried)
    found = Quits.found(policy, exit_steps(visits, len(X)), cells)
    verdicts = [walk.verdict for walk in twin.on_rows(ensemble, policy, X)]
    assert written.verdicts(cells).tolist() == verdicts
    assert found.verdicts(cells).tolist() == verdicts
    np.testing.assert_array_equal(found.decision, written.decision)
    np.testing.assert_array_equal(found.cell, written.cell)
