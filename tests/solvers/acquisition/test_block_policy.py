"""A policy over blocks takes rows where the policy over sets takes them."""

import numpy as np
import pytest

import mddag
from mddag.ensemble.blocks import Blocks
from mddag.solvers.acquisition.block_policy import block_policy
from mddag.solvers.acquisition.set_sample import between
from tests.dag.test_dag import stumps


def test_rows_leap_from_block_to_block():
    parts = [stumps(n, seed=n) for n in (3, 4, 5)]
    blocks = Blocks.of(parts, parts[-1])
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
    blocks = Blocks.of(parts, parts[0])
    targets = [np.array([0]), np.array([1])]
    policy = block_policy(blocks, [np.empty(0)] * 2, targets, 1, first)
    trace = mddag.compile(blocks.ensemble, policy).run(np.zeros((2, 2)))
    assert trace.n_evaluated.tolist() == [0 if first < 0 else 4] * 2
