"""The kernel of the descent equals its twin, and what a sweep must never do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import Policy
from mddag.solvers.descent.sweep import Guards, Sweep
from tests import strategies as s
from tests.reference import descent as twin
from tests.solvers.problems import LOSSES, mdp_of

KINDS = [("zero_one", "classes"), ("prices", "shares"), ("exponential", "classes")]
KINDS += [("logistic", "shares"), ("squared", "values"), ("callback", "values")]
guards = st.builds(
    Guards,
    n_cells=st.sampled_from([0, 1, 2, 3, 8]),
    min_count=st.sampled_from([1, 3]),
    z_skip=st.sampled_from([0.0, 0.5]),
    z_quit=st.sampled_from([0.0, 0.3]),
)


@st.composite
def problems(draw):
    """An MDP of any kind with a policy for it, whose decisions may be few."""
    loss, labels = draw(st.sampled_from(KINDS))
    mdp = mdp_of(
        draw(st.integers(0, 10**6)),
        n_scores=1 if labels == "values" else draw(st.sampled_from([1, 3])),
        labels=labels,
        loss=LOSSES[loss],
        weighted=draw(st.booleans()),
        actions=draw(
            st.sampled_from([("eval", "skip", "quit"), ("eval", "skip"), ("eval", "quit")])
        ),
        n=draw(st.integers(1, 12)),
        n_steps=draw(st.integers(1, 6)),
        n_cells=6,
        several_trees=draw(st.booleans()),
    )
    start = draw(s.policies(mdp.n_steps, mdp.n_scores, mdp.grid))
    return mdp, Policy(start.actions, start.grid, np.arange(mdp.n_steps), start.every)


@given(problem=problems(), guards=guards, data=st.data())
@settings(deadline=None)
def test_the_kernel_equals_its_twin(problem, guards, data):
    mdp, start = problem
    everyone = st.lists(st.integers(0, mdp.n_instances - 1), min_size=1, unique=True)
    instances = np.array(data.draw(everyone))
    wanted, got = start.actions.tolist(), start.actions.copy()
    twin.sweep(mdp, wanted, start.every, guards, instances.tolist())
    value = Sweep(mdp, every=start.every, instances=instances, n_threads=2)(got, guards)
    np.testing.assert_array_equal(got, wanted)
    improved = Policy(got, mdp.grid, start.order, start.every)
    scores, _, cost = mdp.rollout(improved)
    paid = mdp.losses(scores) + mdp.beta * cost
    weight = mdp.weight[instances]
    if weight.sum() > 0:
        assert value == pytest.approx(np.average(paid[instances], weights=weight))


@given(problem=problems())
@settings(deadline=None)
def test_without_guards_the_objective_never_rises(problem):
    mdp, start = problem
    actions = start.actions.copy()
    sweep = Sweep(mdp, every=start.every, actions=("eval", "skip", "quit"))
    before = mdp.evaluate(start).objective
    for _ in range(4):
        after = sweep(actions, Guards())
        assert after <= before + 1e-12
        before = after
