"""Serving rankers: executors, predictors, model files and reports, natively and step by step."""

import pickle
import subprocess
import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import mddag
from mddag.ensemble.tasks import Ranking, Regression
from mddag.inspection.report.paths import flow, single_rows
from mddag.metrics import NDCG
from mddag.ranking import ProximityExits, RankPredictor, UrgencyExits, model_file
from mddag.ranking.report import section
from mddag.serving.model_file import Model, ModelFileError
from tests import rankings
from tests.inspection.report.reports import facts_of, page_of

X, _, QID = rankings.documents(seed=31)
MEMBERS = [
    (UrgencyExits(), 1e-4),
    (UrgencyExits(), 3e-3),
    (UrgencyExits(16, 1.0), 1e-3),
    (ProximityExits(k=3), (1.0, 0.6)),
]


def predictor(exits=None, setting=1e-3):
    family = (exits or UrgencyExits()).fit(rankings.problem())
    return RankPredictor(Model(mddag.compile(rankings.ensemble(), family.policy(setting))))


def dag():
    return predictor().model.dag


@pytest.mark.parametrize(("exits", "setting"), MEMBERS)
def test_kernel_and_steps_give_the_same_bits(exits, setting):
    found = predictor(exits, setting).model.dag
    assert found.by_query.has_kernel
    mixed = np.random.default_rng(0).permutation(len(QID))
    rankings.check_steps(found, X[mixed], QID[mixed])


@pytest.mark.parametrize(("exits", "setting"), MEMBERS)
def test_a_query_is_decided_alike_in_any_batch(exits, setting):
    found = predictor(exits, setting).model.dag
    X, _, qid = rankings.documents(300, seed=6)
    scores = found.scores(X, qid=qid)
    for q in (0, 17, 299):
        alone = qid == q
        assert (found.scores(X[alone], qid=qid[alone]) == scores[alone]).all()
    assert (found.scores(X.astype(np.float32), qid=qid) == scores).all()


@pytest.mark.parametrize(("exits", "setting"), MEMBERS)
def test_simulation_is_the_policy_but_for_rounding(exits, setting):
    family = exits.fit(rankings.problem())
    problem = rankings.problem(seed=7)
    X, _, qid = rankings.documents(seed=7)
    readings, steps = family.run(family.blocks(problem), problem.queries, setting)
    found = mddag.compile(rankings.ensemble(), family.policy(setting)).run(X, qid)
    alike = found.exit_step == steps
    assert alike.mean() > 0.98
    np.testing.assert_allclose(found.scores[alike, 0], readings[alike], atol=1e-5)


def test_large_queries_run_step_by_step():
    found = dag()
    most = found.program.forest.most_documents
    rows = np.tile(X, (-(-(most + 1) // 60), 1))[: most + 1]
    assert found.scores(rows, qid=np.zeros(len(rows), int)).shape == (most + 1, 1)
    starts, out = np.array([0, len(rows)]), np.zeros(len(rows))
    decisions, steps = found.by_query.decisions, np.zeros(len(rows), np.int32)
    with pytest.raises(ValueError, match="more documents than a block"):
        found.program.forest.run_queries(rows, starts, decisions, out, steps, 1)


def test_queries_are_needed():
    found = dag()
    assert found.needs_queries
    assert found.run(X[:1], [5]).exit_step.tolist() == [8]  # one document has nothing to move
    assert 0 < found.expected_speedup < 2
    for call in (found.run, found.scores, found.n_evaluated):
        with pytest.raises(ValueError, match="qid is missing"):
            call(X)
    with pytest.raises(ValueError, match="wanted qid"):
        found.exits(X)
    with pytest.raises(ValueError, match="one row has no prediction"):
        predictor().predict_one(X[0])


def test_readings_and_orders():
    found = predictor()
    readings = found.predict(X, QID)
    assert (found.scores(X, qid=QID)[:, 0] == readings).all()
    assert (found.run(X, QID).scores[:, 0] == readings).all()
    assert (found.run(X, QID).n_evaluated == found.n_evaluated(X, QID)).all()
    order = found.rank(X, QID)
    assert (np.diff(readings[order])[np.diff(QID) == 0] <= 0).all()
    out = np.empty(len(X))
    assert found.predict(X, QID, out) is out
    assert (out == readings).all()
    for other in (pickle.loads(pickle.dumps(found)), found.on_threads(3)):
        assert (other.predict(X, QID) == readings).all()


@pytest.mark.parametrize(("exits", "setting"), MEMBERS[1::2])
def test_files(exits, setting, tmp_path):
    found = predictor(exits, setting)
    found.save(tmp_path / "model")
    loaded = mddag.load(tmp_path / "model")
    assert type(loaded.model.dag.policy.state) is type(found.model.dag.policy.state)
    assert loaded.model.to_bytes() == found.model.to_bytes()
    trace = found.run(X, QID)
    for other in (loaded, loaded.on_threads(2)):
        assert (other.predict(X, QID) == found.predict(X, QID)).all()
        assert (other.rank(X, QID) == found.rank(X, QID)).all()
        again = other.run(X, QID)
        for name in ("scores", "exit_step", "indices", "indptr", "cost"):
            assert (getattr(again, name) == getattr(trace, name)).all()


def test_a_file_is_served_by_a_process_that_imports_nothing_else(tmp_path):
    predictor().save(tmp_path / "model")
    code = (
        "import sys, mddag, numpy as np; model = mddag.load(sys.argv[1]); "
        "print(model.predict(np.zeros((4, 5)), [0, 0, 1, 1]).shape, 'sklearn' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "model")]
    assert subprocess.check_output(command, text=True).strip() == "(4,) False"


def test_a_state_of_queries_needs_a_ranker():
    other = replace(dag().ensemble, task=Regression())
    with pytest.raises(ValueError, match=r"an Urgency.* but the ensemble is a regressor"):
        Model(mddag.compile(other, dag().policy))


def test_a_ranker_that_evaluates_everything_needs_no_query(tmp_path):
    full = mddag.compile(rankings.ensemble())
    assert not full.needs_queries
    Model(full).save(tmp_path / "full")
    loaded = mddag.load(tmp_path / "full")
    assert (loaded.predict(X, QID) == loaded.predict(X)).all()
    assert loaded.predict_one(X[0]) == loaded.predict(X)[0]


def test_unsound_states_in_files():
    state = dag().policy.state
    metadata, tensors = model_file.urgency_parts(state)
    n_steps = len(rankings.ensemble())
    for error, words, changed, n in (
        (ModelFileError, "80 steps, but there are 81", {}, n_steps + 1),
        (ModelFileError, "'ERR'", {"metric": "ERR"}, n_steps),
        (ModelFileError, "slope", {"slope": -1.0}, n_steps),
        (ValueError, "k is 0", {"k": 0}, n_steps),
    ):
        with pytest.raises(error, match=words):
            model_file.urgency({**metadata, **changed}, tensors, state.grid, n)
    with pytest.raises(ValueError, match="k is 0"):
        model_file.gap({**metadata, "k": 0}, tensors, state.grid, n_steps)
    level, gain = tensors["state.level"], tensors["state.gain"]
    for name, value in {
        "checks": np.zeros_like(tensors["state.checks"]),
        "weights": np.ones((2, 2)),
        "level": np.where(np.arange(len(level)) == 1, np.nan, level),
        "edges": -tensors["state.edges"],
        "spread": -tensors["state.spread"],
        "gain_at": np.zeros_like(gain),
        "gain": gain[:-1],
    }.items():
        with pytest.raises(ModelFileError, match=f"tensor state.{name} "):
            model_file.urgency(metadata, {**tensors, f"state.{name}": value}, state.grid, n_steps)


def test_the_task():
    task = Ranking()
    assert (task.kind, task.estimator, task.counted) == ("ranker", "MDDAGRanker", "queries")
    assert task.predictions(np.array([[2.0], [1.0]])).tolist() == [2.0, 1.0]
    with pytest.raises(ValueError, match="a ranker has no classes"):
        task.codes(np.zeros((2, 1)), 1)


@cache
def sparse():
    X, y, qid = rankings.documents(60, seed=2)
    return mddag.MDDAGRanker(rankings.ranker(), beta=1e-5, random_state=0).fit(X, y, qid=qid)


def test_reports(tmp_path):
    model, (X, y, qid) = sparse(), rankings.documents(40, seed=3)
    facts = facts_of(model, X, y, qid=qid)
    page = page_of(section(facts))
    assert f"{NDCG(10)(model.predict(X, qid), y, qid):.4f}" in page.texts["td"]
    assert f"{NDCG(10)(rankings.ranker().predict(X), y, qid):.4f}" in page.texts["td"]
    assert "40 queries" in page.text()
    assert flow(facts) is not None
    assert single_rows(facts) is None  # the path of a document depends on the others
    assert "qid=qid" in page_of(section(facts_of(model))).text()
    assert "No labels" in page_of(section(facts_of(model, X, qid=qid))).text()
    model.predictor().report(tmp_path / "report.html", X, y, qid=qid)
    assert "40 queries" in (tmp_path / "report.html").read_text()
