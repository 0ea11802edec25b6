"""The study of one difference at a time, on few rows: it runs, resumes, and chooses as it says."""

import os

import pytest

from tests.experiments import run, table

NAMES = ("AdaBoost", "MDDAG.I, the base", "every snapshot is a run")
pytestmark = pytest.mark.skipif(not os.environ.get("MDDAG_DATA"), reason="MDDAG_DATA is not set")


def made(folder):
    options = ["--quick", "--seeds", "0", "--only", *NAMES, "--keep", folder / "kept"]
    run("reproduction", *options, "--out", folder)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduction")
    made(folder)
    return folder


def test_every_formulation_is_there_and_drawn(results):
    assert {line["formulation"] for line in table(results / "contributions.csv")} == set(NAMES)
    assert (results / "contributions.png").stat().st_size > 10_000


def test_a_larger_bound_never_has_a_smaller_training_rate(results):
    best = {}
    for line in table(results / "contributions.csv"):
        key = line["formulation"], line["fpr"], line["ties"]
        assert float(line["train_tpr"]) >= best.get(key, 0.0)
        best[key] = float(line["train_tpr"])


def test_runs_are_not_computed_again(results):
    before = (results / "runs.csv").read_bytes()
    made(results)
    assert (results / "runs.csv").read_bytes() == before
