"""Ensembles one behind the other."""

from dataclasses import replace

import numpy as np

from mddag.acquisition.dag import EnsembleBlocks
from mddag.acquisition.models import on_columns
from mddag.ensemble.features import Features
from tests.engine.test_dag import stumps


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


def test_an_ensemble_of_some_columns_reads_these():
    small = stumps(4, seed=0)
    wide = on_columns(small, np.array([3, 1]), Features(5))
    X = np.random.default_rng(0).normal(size=(10, 5))
    np.testing.assert_array_equal(wide.scores(X), small.scores(X[:, [3, 1]]))


def test_a_block_may_be_empty():
    part = stumps(2, seed=0)
    empty = replace(part.truncated(0), tables=part.truncated(0).tables)
    assert len(EnsembleBlocks.of([empty, part], part).ensemble) == 4
