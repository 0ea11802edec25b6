"""The study of guarantees writes, skips and reports as it says; its long runs are replaced."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "experiments" / "guarantees.py"
pytest.importorskip("lightgbm")


@pytest.fixture
def guarantees(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("guarantees", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "RESULTS", tmp_path / "results" / "guarantees.csv")
    return module


class Pretended:
    def __init__(self, fields, asked):
        self.fields, self.asked = fields, asked

    def resampled(self, target, seed):
        self.asked.append((target, seed))
        numbers = (10, 10, 0.004 + seed / 1000, 0.0001, 30.0, 20.0 if seed == 0 else "", 25.0, 1.0)
        return dict(zip(self.fields, ("higgs", target, 0.005, seed, *numbers), strict=True))


def test_what_was_done_is_not_done_again(guarantees, monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(
        guarantees.Unseen, "of", lambda name, folder: Pretended(guarantees.FIELDS, asked)
    )
    guarantees.run("", ["higgs"], 1)
    guarantees.run("", ["higgs"], 3)
    assert asked == [(target, seed) for seed in range(3) for target in guarantees.TARGETS]
    guarantees.report()
    said = capsys.readouterr().out
    assert "max_loss=0.005: 1 of 3 violated (limit 1), 1 beyond noise" in said
    assert "1.50 of the best, 1.20 of the ideal" in said


def test_harm_is_counted_against_the_full_ensemble(guarantees):
    y, full = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0])
    unseen = guarantees.Unseen("higgs", None, None, y, full)
    labels, rows = np.array([1, 1, 0]), np.array([0, 2, 3])
    assert unseen.harm(labels, rows, "max_loss")[0] == pytest.approx(1 / 3)
    assert unseen.harm(labels, rows, "max_disagreement")[0] == pytest.approx(1 / 3)
