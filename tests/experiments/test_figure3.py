"""Figure 3 on a few made queries: it runs, goes on where it was stopped, and its files hold what
they say."""

import numpy as np
import pytest

from tests.experiments import run, table

pytest.importorskip("lightgbm")
MADE = """
import numpy as np

def part(seed):
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(60), 12)
    X = rng.normal(size=(len(qid), 5))
    worth = X[:, 0] + np.sin(2 * X[:, 1]) + rng.normal(size=len(qid))
    return X, np.digitize(worth, [0.8, 1.8]), qid

def mq2008(fold):
    return {name: part(3 * fold + k) for k, name in enumerate(("train", "vali", "test"))}
"""


def made(folder):
    """Figure 3 of made documents."""
    (folder / "load.py").write_text(MADE)
    options = ["--quick", "--jobs", "1", "--data", "mq2008", "--keep", folder / "kept"]
    run("figure3", *options, "--out", folder, MDDAG_DATA=str(folder))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figure3")
    made(folder)
    return folder


def test_the_picture_is_drawn(results):
    assert (results / "figure3.png").stat().st_size > 50_000


def test_every_method_is_there(results):
    lines = table(results / "curves.csv")
    methods = {line["method"] for line in lines}
    assert len(methods) >= 17
    assert {line["queries"] for line in lines} == {"120"}  # of both folds


def test_the_whole_curves_end_at_the_full_models(results):
    lines = table(results / "curves.csv")
    for method in ("AdaBoost.MH", "LambdaMART"):
        last = [line for line in lines if line["method"] == method][-1]
        assert float(last["evaluations"]) == 40
        assert float(last["minus_full"]) == float(last["minus_full_error"]) == 0
    assert float(last["lost"]) == pytest.approx(0, abs=1e-12)


def test_settings_are_chosen_within_the_bound(results):
    best = {}
    for line in table(results / "choices.csv"):
        assert float(line["choice_cost"]) <= float(line["bound"])
        key = line["fold"], line["method"]
        assert float(line["choice_ndcg"]) >= best.get(key, 0.0)  # bounds rise
        best[key] = float(line["choice_ndcg"])


def test_evaluations_buy_the_full_order(results):
    own = [line for line in table(results / "curves.csv") if line["method"] == "UrgencyExits"]
    cost, lost = (np.array([float(line[name]) for line in own]) for name in ("evaluations", "lost"))
    assert cost.min() < 12
    assert lost[cost.argmin()] > lost[cost.argmax()]


def test_kept_runs_are_not_computed_again(results):
    before = (results / "curves.csv").read_bytes()
    kept = {path: path.stat().st_mtime_ns for path in (results / "kept").iterdir()}
    made(results)
    assert {path: path.stat().st_mtime_ns for path in (results / "kept").iterdir()} == kept
    assert (results / "curves.csv").read_bytes() == before
