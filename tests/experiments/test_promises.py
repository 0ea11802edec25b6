"""What the long experiment writes, skips and reports, without its long runs."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "experiments" / "promises.py"
pytest.importorskip("lightgbm")


@pytest.fixture
def promises(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("promises", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "RESULTS", tmp_path / "results" / "promises.csv")
    return module


class Pretended:
    def __init__(self, fields, asked):
        self.fields, self.asked = fields, asked

    def resampled(self, knob, seed):
        self.asked.append((knob, seed))
        numbers = (10, 10, 0.004 + seed / 1000, 0.0001, 30.0, 20.0 if seed == 0 else "", 25.0, 1.0)
        return dict(zip(self.fields, ("higgs", knob, 0.005, seed, *numbers), strict=True))


def test_what_was_done_is_not_done_again(promises, monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(
        promises.Unseen, "of", lambda name, folder: Pretended(promises.FIELDS, asked)
    )
    promises.run("", ["higgs"], 1)
    promises.run("", ["higgs"], 3)
    assert asked == [(knob, seed) for seed in range(3) for knob in promises.PROMISES]
    promises.report()
    said = capsys.readouterr().out
    assert "max_loss=0.005: 1 of 3 violated (limit 1), 1 beyond noise" in said
    assert "1.50 of the best, 1.20 of the ideal" in said


def test_harm_is_counted_against_the_full_ensemble(promises):
    y, full = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0])
    unseen = promises.Unseen("higgs", None, None, y, full)
    labels, rows = np.array([1, 1, 0]), np.array([0, 2, 3])
    assert unseen.harm(labels, rows, "max_loss")[0] == pytest.approx(1 / 3)
    assert unseen.harm(labels, rows, "max_disagreement")[0] == pytest.approx(1 / 3)
