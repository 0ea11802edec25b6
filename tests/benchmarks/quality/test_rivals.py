"""Rivals on walks are the same as their policies, compiled."""

import numpy as np
import pytest

import mddag
from benchmarks.quality.nodes import depths_of
from benchmarks.quality.rivals import measured, with_margin
from benchmarks.quality.rows import Sample
from benchmarks.quality.walks import walk
from tests.benchmarks.quality.models import ensemble, rows


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("every", [1, 3])
def test_a_margin_rule_ends_where_its_policy_quits(n_classes, every):
    X, y = rows(n_classes)
    model = ensemble(X, y, 12)
    whole = walk(model, model.votes(X), y)
    margin = float(np.quantile(whole.margin, 0.6))
    by_walk = whole.ended(np.minimum(whole.first_above(margin, every), 9))
    small, policy = with_margin(model, 9, margin, every)
    assert by_walk == pytest.approx(
        measured(policy, small.votes(X), Sample(X, y), depths_of(small))
    )
    dag = mddag.compile(small, policy)
    assert dag.run(X).n_evaluated.mean() == pytest.approx(by_walk[1])
    assert 1 < by_walk[1] < 9


def test_without_a_margin_it_is_a_smaller_model():
    X, y = rows()
    model = ensemble(X, y)
    small, policy = with_margin(model, 5, np.inf)
    assert policy is None
    assert len(small) == 5
    whole = walk(model, model.votes(X), y)
    assert whole.errors[4] == np.mean(small.labels(small.scores(X)) != y)
