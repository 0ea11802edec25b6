"""The ablation measures, resumes and reports; searching once for two losses changes nothing."""

import numpy as np
import pytest

from benchmarks import ablation
from mddag import sparsify, train
from mddag.solvers import Margin, Portfolio
from mddag.tuning import shapes

VARIANTS = (ablation.DEFAULT, "- Margin")


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(ablation, "REPEATS", 1)
    monkeypatch.setattr(ablation, "BOTH", ("Margin", "Residual", "refitted"))


@pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult", "ignore:X does not have valid")
def test_what_is_measured_is_not_measured_again(small, tmp_path):
    path, problems = tmp_path / "some.csv", (ablation.Problem("clusters", 8),)
    how = {"shrink": 8, "variants": VARIANTS}
    fields = (*ablation.FIELDS, *ablation.RANKING)
    first = ablation.Store(path, ablation.place(), fields)
    ablation.measure_sparsify(first, problems, [0], **how)
    written = path.read_text()
    again = ablation.Store(path, ablation.place(), fields)
    ablation.measure_sparsify(again, problems, [0], **how)
    assert path.read_text() == written
    assert len(again.rows) == 2 * len(ablation.MAX_LOSSES)
    lines = ablation.report(again.rows, "sparsify")
    assert any(line.startswith("| - Margin | 1 |") for line in lines)


@pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult", "ignore:X does not have valid")
def test_one_search_serves_all_losses():
    rows = ablation.split_rows("clusters", 0, shrink=8)
    model = ablation.trained(ablation.Problem("clusters", 8), *rows.train, 0, shrink=8)
    solver = Portfolio(members=(Margin(),))

    def sparse(max_loss):
        return sparsify(model, *rows.policy, max_loss=max_loss, confidence=None, solver=solver)

    with ablation.one_search():
        sparse(0.002)
        shared = sparse(0.02)
    np.testing.assert_array_equal(
        shared.n_evaluated(rows.test[0]), sparse(0.02).n_evaluated(rows.test[0])
    )


@pytest.mark.filterwarnings("ignore:X does not have valid")
def test_one_training_serves_all_losses(monkeypatch):
    monkeypatch.setattr(shapes, "LEAVES", (8,))
    monkeypatch.setattr(shapes, "ROUNDS", {0.3: 12})
    X, y = ablation.split_rows("hastie", 0, shrink=8).train
    asked = {"confidence": None, "objective": "nodes"}
    with ablation.one_front():
        train(None, X, y, max_loss=0.002, **asked)
        shared = train(None, X, y, max_loss=0.05, **asked)
    alone = train(None, X, y, max_loss=0.05, **asked)
    np.testing.assert_array_equal(shared.n_nodes(X), alone.n_nodes(X))
