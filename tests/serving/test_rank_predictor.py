"""Readings and orders without scikit-learn."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import mddag
from mddag.ensemble.tasks import Regression
from mddag.serving.model_file import Model, ModelFileError
from mddag.serving.model_file import _query_states as states
from mddag.serving.rank_predictor import RankPredictor
from mddag.solvers.ranking import (
    CapacityExits,
    PrefixExits,
    ProximityExits,
    QueryExits,
    RankExits,
    ScoreExits,
    UrgencyExits,
)
from tests import rankings

X, _, QID = rankings.documents(seed=31)


def predictor(member=None, knob=1e-3):
    family = (member or UrgencyExits()).fit(rankings.problem())
    return RankPredictor(Model(mddag.compile(rankings.ensemble(), family.policy(knob))))


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


@pytest.mark.parametrize(
    ("member", "knob"),
    [
        (UrgencyExits(), 1e-3),
        (QueryExits(), 1e-3),
        (ProximityExits(k=3), (1.0, 0.6)),
        (RankExits(k=3), (0.5, 1.0)),
        (CapacityExits(), (0.3, 1.0)),
        (ScoreExits(), (0.0, 0.8)),
        (PrefixExits(), 0.5),
    ],
    ids=lambda given: getattr(given, "name", ""),
)
def test_every_state_is_kept_in_a_file(member, knob, tmp_path):
    found = predictor(member, knob)
    found.save(tmp_path / "model")
    loaded = mddag.load(tmp_path / "model")
    assert type(loaded.model.dag.policy.state) is type(found.model.dag.policy.state)
    assert loaded.model.to_bytes() == found.model.to_bytes()
    trace = found.run(X, QID)
    for other in (loaded, loaded.on_threads(2)):
        assert (other.predict(X, QID) == found.predict(X, QID)).all()
        assert (other.rank(X, QID) == found.rank(X, QID)).all()
        assert (other.n_evaluated(X, QID) == trace.n_evaluated).all()
        again = other.run(X, QID)
        for name in ("scores", "exit_step", "indices", "indptr", "cost"):
            assert (getattr(again, name) == getattr(trace, name)).all()
    first = QID < 7  # queries do not depend on others
    assert (loaded.predict(X[first], QID[first]) == trace.scores[first, 0]).all()


def test_a_state_of_queries_needs_a_ranker():
    dag = predictor().model.dag
    other = replace(dag.ensemble, task=Regression())
    with pytest.raises(
        ValueError, match=r"\(an Urgency\), but the ensemble is a regressor; wanted"
    ):
        Model(mddag.compile(other, dag.policy))


def test_a_ranker_that_evaluates_everything_needs_no_query(tmp_path):
    Model(mddag.compile(rankings.ensemble())).save(tmp_path / "full")
    loaded = mddag.load(tmp_path / "full")
    assert (loaded.predict(X, QID) == loaded.predict(X)).all()
    assert loaded.predict_one(X[0]) == loaded.predict(X)[0]


def test_damaged_readings_are_refused(tmp_path):
    state = predictor().model.dag.policy.state
    metadata, tensors = states.urgency_parts(state)
    n_steps = len(rankings.ensemble())
    with pytest.raises(ModelFileError, match="the readings are of 80 steps, but there are 81"):
        states.urgency(metadata, tensors, state.grid, n_steps + 1)
    with pytest.raises(ModelFileError, match="the metric of an urgency is 'ERR'"):
        states.urgency({**metadata, "metric": "ERR"}, tensors, state.grid, n_steps)
    with pytest.raises(ValueError, match="k is 0"):
        states.urgency({**metadata, "k": 0}, tensors, state.grid, n_steps)
    torn = {**tensors, "state.spread": -tensors["state.spread"]}
    with pytest.raises(ValueError, match="spread of readings"):
        states.urgency(metadata, torn, state.grid, n_steps)


def test_one_row_is_refused():
    with pytest.raises(ValueError, match=r"\(an Urgency\), so one row has no prediction"):
        predictor().predict_one(X[0])
