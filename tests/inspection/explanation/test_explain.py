"""One row explained: its way through the policy, where it stops, and what is made of it."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag import Ensemble
from mddag.engine.program import Program
from mddag.inspection.explanation import explain
from mddag.inspection.explanation.explain import WalkOfRow, merged
from mddag.inspection.explanation.explanation import ExitReason, Segment
from mddag.policy.policy import EVAL, QUIT, SKIP
from tests import strategies
from tests.engine.test_dag import random_policy, stumps
from tests.engine.test_steps import trees_twin
from tests.inspection.explanation.models import classifier, frame, nominal_ensemble, regressor
from tests.policy.test_state import SEED, cascade

MODELS = {
    "two": lambda: classifier(2),
    "three": lambda: classifier(3),
    "regressor": regressor,
}


@pytest.mark.parametrize("name", MODELS)
def test_it_says_what_predict_and_trace_say(name):
    model, X = MODELS[name](), frame()
    trace, predicted = model.trace(X), model.predict(X)
    for i in range(0, len(X), 23):
        one = model.explain(X.iloc[[i]])
        assert [step.classifier for step in one.steps] == trace.path(i).tolist()
        assert list(one.scores) == trace.scores[i].tolist()
        assert one.prediction == predicted[i]
        assert one.n_classifiers == len(model.ensemble_)
        everything = [*trace.path(i).tolist(), *one.skipped, *one.not_reached]
        assert sorted(everything) == list(range(len(model.ensemble_)))
        bound = model.dag_.fixed_point.bound
        total = np.add(one.start, np.sum([s.votes for s in one.steps], axis=0))
        np.testing.assert_allclose(total, one.scores, atol=2 * bound)
        for step in one.steps:
            parts = np.sum([rule.votes for rule in step.rules], axis=0)
            np.testing.assert_allclose(parts, step.votes, atol=2 * bound)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_are_those_of_the_model(n_classes):
    model, X = classifier(n_classes), frame()
    for i in range(0, len(X), 57):
        one = model.explain(X.iloc[i])
        assert list(one.probabilities) == model.predict_proba(X)[i].tolist()
        assert one.classes == tuple(model.classes_.tolist())


@pytest.mark.parametrize("name", MODELS)
def test_a_change_gives_what_it_says(name):
    model, X, found = MODELS[name](), frame(), 0
    for i in range(0, len(X), 29):
        for change in model.explain(X.iloc[i].to_dict()).changes:
            row = X.iloc[[i]].copy()
            row.iloc[0, change.feature] = change.tried
            assert model.predict(row)[0] == pytest.approx(change.prediction)
            assert X.iloc[i, change.feature] == change.value
            found += 1
    assert found > 5


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_it_follows_the_paths_of_any_policy(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.policies(ensemble.n_classifiers, ensemble.n_scores))
    dag = mddag.compile(ensemble, policy)
    trace = dag.run(X)
    for i in range(len(trace)):
        one = explain(dag, None, dag.ensemble.features.rows(X[[i]]))
        assert [step.classifier for step in one.steps] == trace.path(i).tolist()
        assert list(one.scores) == trace.scores[i].tolist()
        assert one.prediction == trace.verdict[i]


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_verdicts_decide_where_the_policy_has_them(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.policies(ensemble.n_classifiers, ensemble.n_scores))
    dag = mddag.compile(ensemble, data.draw(strategies.with_verdicts(policy)))
    trace = dag.run(X)
    one = explain(dag, None, dag.ensemble.features.rows(X[[0]]))
    assert one.prediction == trace.verdict[0]
    assert (one.missing_score is None) == (one.exit.verdict is not None)
    json.dumps(one.to_dict(), allow_nan=False)


def test_categories_and_missing_values_are_named():
    dag = mddag.compile(nominal_ensemble())
    one = explain(dag, None, dag.ensemble.features.rows(np.array([[25.0, np.nan]])))
    assert one.inputs == {"age": 25.0, "work": None}
    assert one.steps[0].rules[0].text == "age <= 30 and work is missing"
    assert one.prediction == "no"
    one = explain(dag, None, dag.ensemble.features.rows(np.array([[np.nan, 1.0]])))
    assert one.steps[0].rules[0].text == "age is missing"
    assert "age <= 30 instead of missing: no" in str(one)


def test_a_loaded_model_explains_too(tmp_path):
    model, row = classifier(), frame().iloc[3]
    model.save(tmp_path / "m.mddag")
    assert mddag.load(tmp_path / "m.mddag").explain(row) == model.explain(row)


def assert_same(dag, X):
    """Every row's walk is its path in the trace, with the same bits of scores."""
    trace = dag.run(X)
    rows = dag.ensemble.features.rows(X)
    for i in range(len(trace)):
        walk = WalkOfRow(dag.program, rows[[i]])
        assert [step.classifier for step in walk.steps] == trace.path(i).tolist()
        np.testing.assert_array_equal(walk.scores, trace.scores[i])
        last = walk.steps[-1].step + 1 if walk.steps else 0
        assert last == trace.exit_step[i]
        assert_ends(dag.policy, walk)


def assert_ends(policy, walk):
    """Every step is evaluated, skipped or after the decision that quits."""
    if walk.decision < len(policy.actions):
        assert policy.actions[walk.decision, walk.cell] == QUIT
    seen = [j for step in walk.steps for j in (*step.skipped, step.classifier)]
    seen += walk.skipped[sum(len(step.skipped) for step in walk.steps) :]
    assert seen == policy.order[: walk.at].tolist()


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_trees_go_the_way_of_the_executors(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.policies(ensemble.n_classifiers, ensemble.n_scores))
    assert_same(mddag.compile(ensemble, policy), X)


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_stages_go_the_way_of_the_executors(data):
    ensemble = data.draw(strategies.ensembles(n_scores=1))
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.staged_policies(ensemble.n_classifiers))
    assert_same(mddag.compile(ensemble, policy), X)


@given(st.data())
@settings(deadline=None, max_examples=30)
def test_callables_go_the_way_of_the_executors(data):
    source = data.draw(strategies.ensembles().filter(lambda e: e.n_classifiers > 0))
    X = data.draw(strategies.rows(source.n_features))
    policy = data.draw(strategies.policies(source.n_classifiers, source.n_scores))
    voters = [
        lambda rows, j=j: trees_twin.votes(source, rows)[:, j] for j in range(source.n_classifiers)
    ]
    ensemble = Ensemble.from_callables(voters, n_features=source.n_features, bias=source.bias)
    assert_same(mddag.compile(ensemble, policy), X)


def test_what_is_skipped_last_belongs_to_no_visit():
    ensemble = mddag.Ensemble.from_callables([np.ndarray.sum] * 3, n_features=1)
    policy = mddag.Policy.constant(SKIP, 3, mddag.Grid(np.empty(0)))
    program = Program(ensemble, replace(policy, order=np.array([2, 0, 1])))
    walk = WalkOfRow(program, ensemble.features.rows(np.zeros((1, 1))))
    assert (walk.steps, walk.skipped, walk.decision) == ([], [2, 0, 1], 3)


def test_neighboring_cells_of_one_action_are_one_segment():
    actions = np.array([QUIT, QUIT, EVAL, SKIP, QUIT], np.uint8)
    segments = merged(actions, np.array([-2.0, -1.0, 0.0, 1.0]))
    assert segments == (
        Segment(-np.inf, -1.0, "quit"),
        Segment(-1.0, 0.0, "eval"),
        Segment(0.0, 1.0, "skip"),
        Segment(1.0, np.inf, "quit"),
    )


@pytest.mark.parametrize("n_scores", [1, 3])
def test_the_segment_of_a_row_quits(n_scores):
    ensemble, policy = stumps(12, n_scores), random_policy(12, n_scores)
    program = mddag.compile(ensemble, policy).program
    X = np.random.default_rng(0).normal(size=(40, 2))
    reasons = set()
    for row in X:
        why = WalkOfRow(program, ensemble.features.rows(row[None])).exit()
        reasons.add(why.reason)
        assert why.reads == ("score" if n_scores == 1 else "margin")
        if why.reason == "quit":
            assert why.segment.action == "quit"
            assert why.segment.low < why.value <= why.segment.high
        else:
            assert why.segments == ()
            assert why.step == 12
    assert reasons == {"quit", "end"}


def test_a_cascade_says_its_verdict():
    ensemble = stumps(12, seed=SEED)
    program = mddag.compile(ensemble, cascade()).program
    X = np.random.default_rng(0).normal(size=(300, 2))
    trace = mddag.compile(ensemble, cascade()).run(X)
    for i in range(20):
        why = WalkOfRow(program, ensemble.features.rows(X[[i]])).exit()
        assert why.verdict == trace.verdict[i]


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_stages_quit_by_the_column_that_they_read(data):
    ensemble = data.draw(strategies.ensembles(n_scores=1))
    policy = data.draw(strategies.staged_policies(ensemble.n_classifiers))
    program = mddag.compile(ensemble, policy).program
    X = data.draw(strategies.rows(ensemble.n_features))
    why = WalkOfRow(program, ensemble.features.rows(X)[[0]]).exit()
    if why.reason == "quit":
        assert why.segment.action == "quit"


def test_other_states_have_no_segments():
    assert ExitReason("quit", 3, "state", None, ()).segment is None
