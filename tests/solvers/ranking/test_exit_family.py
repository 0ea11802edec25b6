"""Policies by a knob."""

import numpy as np

from mddag.mdp.policy import EVAL, QUIT
from mddag.solvers.ranking import UrgencyExits
from mddag.solvers.ranking.exit_family import ExitFamily
from tests import rankings


def family():
    return UrgencyExits().fit(rankings.problem())


def test_a_larger_knob_quits_sooner():
    found, problem = family(), rankings.problem(seed=3)
    blocks, gains = found.blocks(problem), found.gains(problem)
    runs = [found.run(blocks, problem.queries, knob) for knob in (0.0, 1e-4, 1e-3, 1e-2, 10.0)]
    steps = [s.mean() for _, s in runs]
    lost = [problem.teacher_loss(r, gains).mean() for r, _ in runs]
    assert steps == sorted(steps, reverse=True)
    assert lost[0] < 1e-9
    assert lost[1] < lost[-1]
    assert steps[-1] == 8


def test_the_policy_quits_up_to_the_thresholds():
    found = family()
    policy = found.policy(1e-3)
    assert policy.every == 8
    assert (policy.actions[0] == EVAL).all()
    thresholds = found.thresholds(1e-3)
    assert policy.grid.edges.tolist() == sorted(set(thresholds))
    for j, threshold in zip(found.checks[:-1], thresholds, strict=True):
        cells = policy.state.grid.cells(np.array([[threshold], [threshold * 1.001]]))
        assert policy.actions[j // 8, cells].tolist() == [QUIT, EVAL]


def test_infinite_thresholds():
    found = family()
    n = len(found.checks) - 1
    given = np.where(np.arange(n) == 2, np.inf, -np.inf)
    stopped = ExitFamily(found.state, found.order, 8, lambda knob: given)
    policy = stopped.policy(None)
    assert policy.n_reached == found.checks[2]
    problem = rankings.problem()
    assert set(stopped.run(stopped.blocks(problem), problem.queries, None)[1]) == {found.checks[2]}
