"""The kernel of the descent equals its twin, and what a sweep must never do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import MDP
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, SKIP, Policy
from mddag.solvers import Descent
from mddag.solvers.descent import Descents, Guards, Sweep, suited
from mddag.solvers.solver import with_soft_targets
from tests import strategies as s
from tests.reference import solvers as twin
from tests.reference.solvers import best_objective
from tests.solvers.problems import LOSSES, absolute, interrupted_after, mdp_of, three_classifiers

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
    everyone = st.lists(st.integers(0, mdp.n_rows - 1), min_size=1, unique=True)
    rows = np.array(data.draw(everyone))
    wanted, got = start.actions.tolist(), start.actions.copy()
    twin.sweep(mdp, wanted, start.every, guards, rows.tolist())
    value = Sweep(mdp, every=start.every, rows=rows, n_jobs=2)(got, guards)
    np.testing.assert_array_equal(got, wanted)
    improved = Policy(got, mdp.grid, start.order, start.every)
    scores, _, cost = mdp.rollout(improved)
    paid = mdp.losses(scores) + mdp.beta * cost
    weight = mdp.weight[rows]
    if weight.sum() > 0:
        assert value == pytest.approx(np.average(paid[rows], weights=weight))


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


def tiny(seed):
    """Three base classifiers of two votes each, few enough cells to try all policies."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(3, 2))
    votes = table[np.arange(3), rng.integers(0, 2, (40, 3))]
    return MDP(votes, rng.integers(0, 2, 40), beta=0.02, grid=Grid([-0.5, 0.0, 0.5]))


@pytest.mark.parametrize("seed", range(8))
def test_the_optimum_is_reached_from_many_starts(seed):
    mdp = tiny(seed)
    policy = Descent(n_starts=40, random_state=0).solve(mdp)
    assert mdp.evaluate(policy).objective == pytest.approx(best_objective(mdp), abs=1e-12)


def test_one_start_may_end_in_a_local_optimum():
    """What the starts are for: the two classifiers help together, neither alone."""
    votes = np.array([[1.0, -3.0], [1.0, 2.0], [-1.0, 3.0], [-1.0, -2.0]])
    mdp = MDP(votes, [0, 1, 1, 0], beta=0.01, grid=Grid([0.0]))
    asleep = np.full((2, 2), QUIT, np.uint8)
    value = Sweep(mdp)(asleep, Guards())
    assert value > mdp.evaluate(Descent(random_state=0).solve(mdp)).objective


def test_history_holds_every_candidate():
    mdp = mdp_of(0, n=40)
    solver = Descent(n_starts=4, random_state=0)
    search = solver.search(mdp)
    values = [mdp.evaluate(policy).objective for policy in solver.policies(mdp)]
    assert search.history == values
    assert search.best == min(values)
    assert mdp.evaluate(search.policy).objective == search.best


@pytest.mark.parametrize("n_scores", [1, 3])
def test_threads_do_not_change_the_answer(n_scores):
    mdp = mdp_of(4, n_scores=n_scores, n=700, n_steps=7)
    one, two = (
        [p.actions for p in Descent(n_starts=3, random_state=0, n_jobs=n).policies(mdp)]
        for n in (1, 3)
    )
    assert len(one) == len(two)
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("every", [2**63, 2**64 - 1, 2**70])
def test_more_steps_than_there_are_is_all_of_them(every):
    mdp = mdp_of(2, n=60, n_steps=7)
    wanted = Descent(every=mdp.n_steps, random_state=0).solve(mdp)
    got = Descent(every=every, random_state=0).solve(mdp)
    np.testing.assert_array_equal(got.actions, wanted.actions)


@pytest.mark.parametrize("every", [2, 3])
def test_decisions_every_few_steps(every):
    mdp = mdp_of(2, n=60, n_steps=7)
    policy = Descent(every=every, random_state=0).solve(mdp)
    assert policy.every in (1, every)  # 1: the full ensemble
    best = min(Descent(every=every, random_state=0).search(mdp).history)
    assert mdp.evaluate(policy).objective <= best


def test_a_start_replaces_exploring():
    mdp = mdp_of(3, n=60)
    best = Descent(n_starts=20, random_state=0).search(mdp)
    warm = Descent(start=best.policy, n_cells=0, z=0.0).search(mdp)
    assert warm.best <= best.best
    assert len(warm.history) <= 1 + Descent().n_sweeps


@pytest.mark.parametrize("n_scores", [1, 3])
def test_a_start_on_another_grid_is_tabulated_anew(n_scores):
    mdp = mdp_of(5, n_scores=n_scores, n=30, n_cells=8)
    fine = mdp_of(5, n_scores=n_scores, n=30, n_cells=64)
    start = Descent(n_starts=0).solve(mdp)
    actions = suited(start, fine, 1)
    row_cells = len(fine.grid.edges) + 1
    for c, action in enumerate(actions[2]):
        scores = np.zeros((1, n_scores))
        scores[0, c // row_cells] = fine.grid.centers[c % row_cells]
        if n_scores == 1 or scores.max() > 0:
            assert action == start.actions[2, start.grid.cells(scores)[0]]


def test_guards_group_cells():
    mdp = mdp_of(0, n=200, n_cells=64)
    for policy in Descent(n_starts=0, n_cells=3).policies(mdp):
        runs = (np.diff(policy.actions.astype(int), axis=1) != 0).sum(axis=1)
        assert runs.max() <= 2


@pytest.mark.parametrize("seed", range(4))
def test_a_demanding_guard_never_skips(seed):
    """Groups are large and their gains differ: where all gain alike there is nothing to guard."""
    mdp = mdp_of(seed, n=2000, loss=LOSSES["logistic"])
    policies = list(Descent(n_starts=0, z=1e9, n_cells=4).policies(mdp))
    assert not any((policy.actions == SKIP).any() for policy in policies)


@pytest.mark.parametrize("n_scores", [1, 3])
def test_soft_targets_are_those_of_the_full_ensemble(n_scores):
    mdp = mdp_of(0, n_scores=n_scores, n=200)
    soft = with_soft_targets(mdp)
    scores = mdp.votes.scores()
    winner = (scores[:, 0] > 0).astype(int) if n_scores == 1 else scores.argmax(axis=1)
    np.testing.assert_array_equal(soft.labels.argmax(axis=1), winner)
    np.testing.assert_allclose(soft.labels.sum(axis=1), 1)
    assert isinstance(Descent(targets="model", n_starts=1, random_state=0).solve(mdp), Policy)


def test_on_many_rows_exploring_looks_at_a_few(monkeypatch):
    monkeypatch.setattr("mddag.solvers.descent.FEW", 30)
    mdp = mdp_of(0, n=300)
    descents = Descents(mdp, 1, 5, 1)
    assert len(descents.on_few.sample[2]) == 30
    full = mdp.evaluate(mdp.evaluate_all()).objective
    assert Descent(n_starts=6, random_state=0).search(mdp).best < full


def test_rows_without_weight_are_not_looked_at():
    mdp = mdp_of(0, n=40)
    weight = np.arange(40) % 4 == 3
    weighted = MDP(mdp.votes, mdp.labels, beta=0.05, weight=weight, grid=mdp.grid)
    alone = MDP(mdp.votes.rows(weight), mdp.labels[weight], beta=0.05, grid=mdp.grid)
    one, two = (Descent(n_starts=4, random_state=0).search(m).history for m in (weighted, alone))
    assert one == pytest.approx(two)


def test_ctrl_c_raises():
    mdp = mdp_of(0, labels="values", loss=absolute, n=20)
    mdp = mdp.with_labels(mdp.labels, interrupted_after(30))
    with pytest.raises(KeyboardInterrupt):
        Descent(random_state=0).search(mdp)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_starts": -1}, "n_starts is -1"),
        ({"n_sweeps": 0}, "n_sweeps is 0"),
        ({"n_cells": 2.5}, "n_cells is 2.5"),
        ({"z": -1.0}, "z is -1.0"),
        ({"targets": "both"}, "targets is 'both'"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        Descent(**parameters).solve(three_classifiers())


def test_a_start_that_does_not_fit_is_refused():
    mdp = three_classifiers()
    start = mdp.evaluate_all()
    backwards = Policy(start.actions, start.grid, np.array([2, 1, 0]))
    pairs = Policy(np.full((2, 4), EVAL), mdp.grid, np.arange(3), every=2)
    with pytest.raises(TypeError, match="start is an int; wanted a Policy"):
        Descent(start=0).solve(mdp)
    with pytest.raises(ValueError, match="start takes the base classifiers in another order"):
        Descent(start=backwards).solve(mdp)
    with pytest.raises(ValueError, match="start decides every 2 steps; wanted every=1"):
        Descent(start=pairs).solve(mdp)
    with pytest.raises(ValueError, match="policy is for 3 base classifiers"):
        Descent(start=start).solve(mdp_of(0))
