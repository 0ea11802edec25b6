"""The table by labels on made documents."""

import numpy as np
import pytest

pytest.importorskip("lightgbm")
from benchmarks.ranking import labels
from tests import rankings


def test_rows(monkeypatch, tmp_path):
    def documents(data, fold):
        sizes = {"train": 120, "vali": 60, "test": 40}
        made = {part: rankings.documents(n, seed=fold + n) for part, n in sizes.items()}
        return {part: (X, y.astype(float), qid) for part, (X, y, qid) in made.items()}

    trained = labels.lambda_mart

    def small(name, part, rate, n_leaves=8, n_trees=60):
        return trained(name, part, rate, n_leaves, min(n_trees, 60), tmp_path)

    monkeypatch.setattr(labels, "documents", documents)
    monkeypatch.setattr(labels, "lambda_mart", small)
    monkeypatch.setattr(labels, "RATES", {"made": 0.1})
    rows = list(labels.measure((1, 2)))
    assert len(rows) == len(labels.METRICS) * 5
    full, careful, bold, chosen, fixed = rows[:5]
    assert full["trees"] == fixed["trees"] == 60
    assert full["minus full"] == full["error"] == full["lost"] == 0
    assert bold["trees"] <= careful["trees"] < 60
    assert careful["lost"] <= bold["lost"] < 0.03
    assert chosen["trees"] <= labels.SMALL
    # the full model was trained as the fixed one was
    assert fixed["value"] == full["value"]


def test_the_last_knob_within_a_bound():
    losses = np.array([0.001, 0.002, 0.004, 0.003])
    assert labels.last_within(losses, 0.0035) == 1
    assert labels.last_within(losses, 1.0) == 3
    assert labels.last_within(losses, 0.0001) == 0
