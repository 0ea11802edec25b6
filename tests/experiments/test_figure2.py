"""Figure 2 on few rows: it runs, goes on where it was stopped, and its files hold what they say."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not os.environ.get("MDDAG_DATA"), reason="MDDAG_DATA is not set")


def made(folder, *more):
    command = [sys.executable, ROOT / "experiments" / "figure2.py", "--quick", "--jobs", "1"]
    command += ["--data", "vj", "--keep", folder / "kept", "--out", folder, *more]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=os.environ | {"MPLBACKEND": "Agg"}
    )
    return done.stdout


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figure2")
    made(folder)
    return folder


@pytest.fixture(scope="module")
def curves(results):
    with open(results / "curves.csv") as file:
        return list(csv.DictReader(file))


def test_the_picture_is_drawn(results):
    assert (results / "figure2.png").stat().st_size > 50_000


def test_every_method_is_there_at_both_rates(curves):
    methods = {line["method"] for line in curves}
    assert len(methods) == 8
    assert {(line["method"], line["fpr"]) for line in curves} == {
        (method, fpr) for method in methods for fpr in ("0.01", "0.001")
    }


def test_settings_are_chosen_within_the_bound_by_training_rows(curves):
    best = {}
    for line in curves:
        assert float(line["train_cost"]) <= float(line["bound"])
        key = line["seed"], line["fpr"], line["method"]
        if line["method"] != "Rejection":  # which judges at several rates
            assert float(line["train_tpr"]) >= best.get(key, 0.0)  # bounds rise
        best[key] = float(line["train_tpr"])


def test_raw_scores_gain_little_by_the_exponential_loss(results):
    with open(results / "exponential.csv") as file:
        lines = [line for line in csv.DictReader(file) if float(line["scale"]) == 1]
    assert all(float(line["least_loss"]) > 0.75 for line in lines)
    assert all(float(line["loss_of_all"]) > 5 for line in lines)


def test_kept_runs_are_not_computed_again(results):
    before = (results / "means.csv").read_bytes()
    kept = {path: path.stat().st_mtime_ns for path in (results / "kept").iterdir()}
    made(results)
    assert {path: path.stat().st_mtime_ns for path in (results / "kept").iterdir()} == kept
    assert (results / "means.csv").read_bytes() == before
