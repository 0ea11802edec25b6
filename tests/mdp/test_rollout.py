"""Rollouts of scores against the twin; those of stages are in test_stages.py."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.ensemble.votes import Votes
from mddag.mdp.rollout import roll_out
from tests import strategies
from tests.reference import rollout as twin


@given(st.data(), st.integers(1, 6), st.sampled_from([1, 3]))
@settings(deadline=None)
def test_rows_go_as_single_actions_say(data, n_steps, n_scores):
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    votes = Votes.from_dense(rng.choice([-1.0, 0.25, 1.5], (20, n_steps, n_scores)))
    policy = data.draw(strategies.policies(n_steps, n_scores))
    if data.draw(st.booleans()):
        policy = data.draw(strategies.with_verdicts(policy))
    costs = rng.integers(1, 5, n_steps).astype(float)
    found = roll_out(policy, votes, votes.tables, policy.grid.native, costs, 1)
    walks = twin.on_votes(votes, policy, costs)
    assert found.scores.tolist() == [walk.scores for walk in walks]
    assert found.n_evaluated.tolist() == [len(walk.path) for walk in walks]
    assert found.exit_step.tolist() == [walk.exit_step for walk in walks]
    assert found.cost.tolist() == [walk.cost for walk in walks]
    if policy.verdict is None:
        assert found.verdict is None
    else:
        assert found.verdict.tolist() == [walk.verdict for walk in walks]
