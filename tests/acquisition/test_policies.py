"""Sets of groups, policies over them, and how they are learned, against slow twins."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.acquisition.dag import EnsembleBlocks, block_policy
from mddag.acquisition.feature_sets import SetPolicy, completed, completed_set
from mddag.acquisition.rows import between
from mddag.acquisition.search import LEAST, Cascades, all_members, best_member, solve
from tests.acquisition import costly as problems
from tests.engine.test_dag import stumps
from tests.reference import set_policies as twin

SETS = problems.all_sets((1.0, 2.0), wave_cost=0.25)
CHAIN = [0, 1, 4, 7]


def test_fares_are_the_prices_of_new_groups_and_the_wave():
    sets = problems.all_sets((1.0, 2.0, 4.0), wave_cost=0.5)
    assert len(sets) == 8
    assert not sets.held[0].any()
    assert sets.held[-1].all()
    small = sets.held.tolist().index([True, False, False])
    assert sets.fares[small, -1] == 6.5
    assert sets.fares[0, small] == 1.5
    assert np.isinf(sets.fares[-1, small])
    assert not np.tril(sets.leads).any()  # a subset has the lower number


def test_free_and_computed_groups_come_with_those_they_need():
    sets = problems.all_sets((0.0, 2.0))
    assert len(sets) == 2
    assert sets.held[:, 0].all()
    assert sets.names(0) == ["g0"]
    assert sets.columns(1).tolist() == [0, 1]
    priced = problems.prices((1.0, 1.0, 0.0), needs=((), (), (0, 1)))
    found = completed(priced, np.array([[True, False, False], [True, True, False]]))
    assert found.tolist() == [[True, False, False], [True, True, True]]
    assert completed_set(priced, np.array([False, False, True])).all()


def test_no_edge_lies_between_values_that_differ_by_rounding():
    values = np.repeat([0.0, 1.0, 2.0], 50) + np.random.default_rng(0).normal(size=150) * 1e-9
    edges = between(values, np.linspace(0.1, 0.9, 9))
    np.testing.assert_allclose(edges, [0.5, 1.5], atol=1e-6)
    assert len(between(np.ones(5), np.array([0.5]))) == 0


@given(problems.samples())
@settings(deadline=None, max_examples=50)
def test_cells_are_those_between_edges(drawn):
    sample, _ = drawn
    for s in range(len(sample.sets)):
        edges = sample.edges[s]
        assert sample.cells[:, s].tolist() == [sum(v > edges) for v in sample.values[:, s]]
        spread = sample.values[:, s].min() < 0 < sample.values[:, s].max()
        assert sample.around is None or not spread or 0.0 in edges


@given(problems.samples(), st.sampled_from([0.0, 0.125, 0.5]), st.data())
@settings(deadline=None, max_examples=100)
def test_the_backward_solution_is_that_of_the_twin(drawn, beta, data):
    sample, losses = drawn
    m = len(sample.sets)
    some = data.draw(st.lists(st.booleans(), min_size=m * m, max_size=m * m))
    leads = np.array(some).reshape(m, m)
    solved = solve(sample, losses, beta, leads)
    targets, loss, cost = twin.solve(sample, losses, beta, leads & sample.sets.leads)
    assert [t.tolist() for t in solved.policy.targets] == [targets[s] for s in range(m)]
    assert solved.loss.tolist() == loss
    assert solved.cost.tolist() == cost


@given(problems.samples(problems.all_sets((1.0, 2.0, 0.0), wave_cost=0.5)), st.floats(0.0, 0.3))
@settings(deadline=None, max_examples=50)
def test_rows_stop_and_pay_as_the_twin_says(drawn, beta):
    sample, losses = drawn
    policy = solve(sample, losses, beta).policy
    stops = policy.follow(sample.sets, sample.values)
    found = [twin.follow(policy, sample.sets, row) for row in sample.values]
    assert stops.last.tolist() == [last for last, _ in found]
    np.testing.assert_allclose(stops.cost, [cost for _, cost in found])


def test_a_static_policy_evaluates_one_set():
    sets = problems.all_sets()
    policy = SetPolicy.static(len(sets), 3)
    stops = policy.follow(sets, np.zeros((5, len(sets))))
    assert stops.last.tolist() == [3] * 5
    assert stops.seen.sum(axis=1).tolist() == [1] * 5
    nothing = SetPolicy.static(len(sets), 0).follow(sets, np.zeros((3, len(sets))))
    assert not nothing.cost.any()
    assert nothing.seen[:, 0].all()


@given(problems.samples(SETS), st.data())
@settings(deadline=None, max_examples=60)
def test_sums_of_cascades_are_those_of_following_the_policy(drawn, data):
    sample, losses = drawn
    cascades = Cascades.of(sample, losses, [[0, 1, 3], [1, 3]])
    at = data.draw(st.integers(0, len(cascades.stages) - 1))
    stops = cascades.policy(at).follow(sample.sets, sample.values)
    lost = losses[np.arange(len(sample)), stops.last]
    for fold in range(sample.n_folds):
        own = sample.fold == fold
        assert cascades.losses[at, fold] == pytest.approx(lost[own].sum())
        assert cascades.costs[at, fold] == pytest.approx(stops.cost[own].sum())
    solved = cascades.solve(0.1)
    stops = solved.policy.follow(sample.sets, sample.values)
    found = (losses[np.arange(len(sample)), stops.last] + 0.1 * stops.cost).sum()
    assert found == pytest.approx((cascades.losses + 0.1 * cascades.costs).sum(axis=1).min())
    assert solved.loss.shape == solved.cost.shape == (len(sample),)


def test_the_best_member_has_the_smallest_objective():
    sample, losses = problems.nested()
    members = all_members(sample, {"mean": losses}, [CHAIN])
    assert {name.split(",")[0] for name in members} == {"lattice", "chain 0", "cascade", "static"}
    name, best = best_member(members, 0.01)
    assert best.objective(0.01) == min(m(0.01).objective(0.01) for m in members.values())
    assert members[name](0.01).objective(0.01) == best.objective(0.01)
    costs = [best_member(members, beta)[1].cost.mean() for beta in (1e-4, 1.0)]
    assert costs[0] > costs[1] == 0.0


def test_sets_that_hardly_any_row_evaluates_are_left_out():
    sample, losses = problems.nested(2000)
    lattice = all_members(sample, {"mean": losses}, [CHAIN])["lattice, mean"]
    share = lattice(0.02).policy.follow(sample.sets, sample.values).seen.mean(axis=0)
    assert ((share == 0) | (share >= LEAST)).sum() >= len(share) - 1


def test_rows_leap_from_block_to_block():
    parts = [stumps(n, seed=n) for n in (3, 4, 5)]
    blocks = EnsembleBlocks.of(parts, parts[-1])
    X = np.random.default_rng(0).normal(size=(300, 2))
    scores = [part.scores(X)[:, 0] for part in parts]
    edges = [between(scores[0], np.array([0.3, 0.7])), between(scores[1], np.array([0.5])), []]
    edges = [np.array(e) for e in edges]
    targets = [np.array([0, 1, 2]), np.array([1, 2]), np.array([2])]
    policy = block_policy(blocks, edges, targets, 1)
    trace = mddag.compile(blocks.ensemble, policy).run(X)
    first = np.searchsorted(edges[0], scores[0])
    last = np.where(first == 1, np.where(scores[1] > edges[1], 2, 1), targets[0][first])
    assert set(last.tolist()) == {0, 1, 2}
    assert trace.exit_step.tolist() == blocks.gates[last].tolist()
    np.testing.assert_allclose(trace.scores[:, 0], np.choose(last, scores), atol=1e-5)
    assert not set(trace.indices.tolist()) & set(blocks.gates.tolist())


@pytest.mark.parametrize("first", [-1, 1])
def test_rows_may_begin_elsewhere_or_quit_at_once(first):
    parts = [stumps(3, seed=1), stumps(4, seed=2)]
    blocks = EnsembleBlocks.of(parts, parts[0])
    targets = [np.array([0]), np.array([1])]
    policy = block_policy(blocks, [np.empty(0)] * 2, targets, 1, first)
    trace = mddag.compile(blocks.ensemble, policy).run(np.zeros((2, 2)))
    assert trace.n_evaluated.tolist() == [0 if first < 0 else 4] * 2


def test_a_block_votes_what_its_ensemble_does():
    parts = [
        replace(s, tables=replace(s.tables, bias=np.array([b])))
        for s, b in ((stumps(3, seed=1), 0.25), (stumps(5, seed=2), -1.0))
    ]
    blocks = EnsembleBlocks.of(parts, parts[1])
    X = np.random.default_rng(0).normal(size=(20, 2))
    votes = blocks.ensemble.votes(X).dense()[:, :, 0]
    for start, gate, part in zip(blocks.starts, blocks.gates, parts, strict=True):
        found = blocks.ensemble.bias[0] + votes[:, start:gate].sum(axis=1)
        np.testing.assert_allclose(found, part.scores(X)[:, 0])
        assert not votes[:, gate].any()
    assert len(blocks.ensemble) == 10
