"""Rows through a policy, block by block, against the walk of one row at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import _core
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, SKIP, Policy
from mddag.policy.rollout import IntegerVotes
from tests.native.blocks.forests import forest_of, random_ensemble, rows_on, run_of
from tests.reference import trees as twin
from tests.strategies import ensembles, policies, rows


@given(st.data(), st.sampled_from(_core.levels()), st.integers(0, 40))
@settings(deadline=None)
def test_blocks_are_the_twin(data, level, expected_steps):
    ensemble = data.draw(ensembles())
    policy = data.draw(policies(ensemble.n_classifiers, ensemble.n_scores))
    X = data.draw(rows(ensemble.n_features))
    fixed = IntegerVotes.of(ensemble.tables)
    forest = forest_of(ensemble, policy.order, level)
    sums, exit_step = run_of(forest, policy, fixed, X, expected_steps=expected_steps)
    wanted = twin.run(ensemble, policy, fixed, X)
    assert (sums.tolist(), exit_step.tolist()) == wanted


def stepped(ensemble, policy, fixed, X):
    """Decision by decision with numpy: quick enough for many rows, where the twin is not."""
    dense = np.zeros((len(X), ensemble.n_classifiers, ensemble.n_scores), np.int64)
    tables, codes = ensemble.tables, ensemble.votes(X).codes
    for j in range(ensemble.n_classifiers):
        votes = fixed.values[tables.starts[j] : tables.starts[j + 1]]
        dense[:, j, tables.score[j]] = votes[codes[:, j]]
    sums = np.tile(fixed.bias.astype(np.int64), (len(X), 1))
    edges = fixed.edges(policy.grid.edges)
    exit_step = np.zeros(len(X), np.int64)
    alive = np.ones(len(X), bool)
    for d, actions in enumerate(policy.actions):
        ranked = np.sort(sums, axis=1)
        state = sums[:, 0] if ensemble.n_scores == 1 else ranked[:, -1] - ranked[:, -2]
        cell = sums.argmax(axis=1) * (len(edges) + 1) + np.searchsorted(edges, state)
        alive &= actions[cell] != QUIT
        here = alive & (actions[cell] == EVAL)
        steps = policy.order[d * policy.every : (d + 1) * policy.every]
        sums[here] += dense[np.ix_(here, steps)].sum(axis=1)
        exit_step[here] = d * policy.every + len(steps)
    return sums, exit_step


@pytest.mark.parametrize("level", _core.levels())
@pytest.mark.parametrize("n_scores", [1, 2, 5])
@pytest.mark.parametrize("n_cells", [3, 200])
@pytest.mark.parametrize("skips", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_rows_leave_in_many_ways(dtype, skips, n_cells, n_scores, level):
    rng = np.random.default_rng(n_cells + n_scores)
    thresholds = [rng.normal(size=60) for _ in range(20)]
    ensemble = random_ensemble(rng, rng.integers(1, 20, size=103), thresholds, n_scores)
    X = rows_on(rng, thresholds, 9000, dtype)
    edges = np.sort(rng.normal(size=n_cells) if n_scores == 1 else rng.exponential(size=n_cells))
    grid = Grid(edges * 4, n_scores)
    chances = [0.7, 0.15, 0.15] if skips else [0.85, 0, 0.15]
    actions = rng.choice([EVAL, SKIP, QUIT], size=(15, grid.n_cells), p=chances)
    policy = Policy(actions, grid, rng.permutation(103), every=7)
    fixed = IntegerVotes.of(ensemble.tables)
    forest = forest_of(ensemble, policy.order, level)
    wanted = stepped(ensemble, policy, fixed, X)
    for n_jobs, expected in ((1, 0), (2, 30)):
        run = run_of(forest, policy, fixed, X, n_jobs, expected)
        for got, want in zip(run, wanted, strict=True):
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("action", [EVAL, SKIP, QUIT])
def test_the_same_action_everywhere(action):
    rng = np.random.default_rng(0)
    thresholds = [rng.normal(size=60) for _ in range(4)]
    ensemble = random_ensemble(rng, [8] * 20, thresholds)
    X = rows_on(rng, thresholds, 100, np.float64)
    policy = Policy(np.full((5, 1), action), Grid(np.empty(0)), np.arange(20), every=4)
    fixed = IntegerVotes.of(ensemble.tables)
    sums, exit_step = run_of(forest_of(ensemble), policy, fixed, X)
    assert set(exit_step) == {20 if action == EVAL else 0}
    if action != EVAL:
        assert set(sums[:, 0]) == {int(fixed.bias[0])}
