"""The study of one difference at a time, on few rows: it runs, resumes, and chooses as it says."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = ("AdaBoost", "MDDAG.I, the base", "every snapshot is a run")
pytestmark = pytest.mark.skipif(not os.environ.get("MDDAG_DATA"), reason="MDDAG_DATA is not set")


def made(folder):
    command = [sys.executable, ROOT / "experiments" / "reproduction.py", "--quick", "--seeds", "0"]
    command += ["--only", *NAMES, "--keep", folder / "kept", "--out", folder]
    subprocess.run(command, check=True, env=os.environ | {"MPLBACKEND": "Agg"})


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduction")
    made(folder)
    return folder


def table(results, name):
    with open(results / name) as file:
        return list(csv.DictReader(file))


def test_every_formulation_is_there_and_drawn(results):
    assert {line["formulation"] for line in table(results, "contributions.csv")} == set(NAMES)
    assert (results / "contributions.png").stat().st_size > 10_000


def test_a_larger_bound_never_has_a_smaller_training_rate(results):
    best = {}
    for line in table(results, "contributions.csv"):
        key = line["formulation"], line["fpr"], line["ties"]
        assert float(line["train_tpr"]) >= best.get(key, 0.0)
        best[key] = float(line["train_tpr"])


def test_runs_are_not_computed_again(results):
    before = (results / "runs.csv").read_bytes()
    made(results)
    assert (results / "runs.csv").read_bytes() == before
