"""One row explained: its way through the policy, where it stops, and the text and dict of it."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag import Ensemble
from mddag.inspection.explanation import explain
from mddag.inspection.explanation.explanation import (
    ExitReason,
    Segment,
    shortened,
    shown_steps,
    why,
)
from mddag.policy.policy import QUIT
from tests import strategies
from tests.engine.test_dag import random_policy, stumps
from tests.inspection.explanation.models import classifier, frame, nominal_ensemble, regressor
from tests.reference import trees as trees_twin

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
    assert one.steps[0].rules[0].rule == "age <= 30 and work is missing"
    assert one.prediction == "no"
    one = explain(dag, None, dag.ensemble.features.rows(np.array([[np.nan, 1.0]])))
    assert one.steps[0].rules[0].rule == "age is missing"
    assert "age <= 30 instead of missing: no" in str(one)


def test_a_loaded_model_explains_too(tmp_path):
    model, row = classifier(), frame().iloc[3]
    model.save(tmp_path / "m.mddag")
    assert mddag.load(tmp_path / "m.mddag").explain(row) == model.explain(row)


def assert_same(dag, X):
    """Every row's walk is its path in the trace, with the same bits of scores."""
    trace, policy = dag.run(X), dag.policy
    for i in range(len(trace)):
        one = explained(dag, X[i])
        assert [step.classifier for step in one.steps] == trace.path(i).tolist()
        assert list(one.scores) == trace.scores[i].tolist()
        assert (one.steps[-1].step + 1 if one.steps else 0) == trace.exit_step[i]
        if policy.verdict is None and dag.ensemble.task.predicts_classes:
            assert one.prediction == trace.verdict[i]
        if one.exit.segment is not None:
            assert one.exit.segment.action == "quit"
            assert one.exit.segment.low < one.exit.value <= one.exit.segment.high
        # Every step is evaluated, skipped or after the decision that quits.
        seen = sorted([*trace.path(i).tolist(), *one.skipped])
        assert seen == sorted(policy.order[: one.exit.step].tolist())
        assert [*one.not_reached] == policy.order[one.exit.step :].tolist()


def explained(dag, x):
    return explain(dag, None, dag.ensemble.features.rows(np.asarray(x)[None]))


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


@pytest.mark.parametrize("n_scores", [1, 3])
def test_the_segment_of_a_row_quits(n_scores):
    dag = mddag.compile(stumps(12, n_scores), random_policy(12, n_scores))
    reasons = set()
    for row in np.random.default_rng(0).normal(size=(40, 2)):
        end = explained(dag, row).exit
        reasons.add(end.reason)
        assert end.reads == ("score" if n_scores == 1 else "margin")
        assert (end.segments == ()) == (end.step == 12) == (end.reason == "end")
    assert reasons == {"quit", "end"}


@pytest.mark.parametrize("make", [classifier, lambda: classifier(3), regressor])
def test_the_dict_is_ready_for_json(make):
    one = make().explain(frame().iloc[0])
    again = json.loads(json.dumps(one.to_dict(), allow_nan=False))
    assert again["prediction"] == one.prediction
    assert len(again["steps"]) == one.n_evaluated
    end = again["exit"]
    assert end["step"] == one.exit.step
    assert end["segment"] is None or end["segment"] in end["segments"]
    assert all(set(segment) == {"low", "high", "action"} for segment in end["segments"])
    assert again["steps"][0]["rules"][0].keys() == {"rule", "votes"}
    assert isinstance(one, mddag.Explanation)
    assert str(one)


def test_every_part_is_there():
    dag = mddag.compile(nominal_ensemble())
    text = str(explain(dag, None, dag.ensemble.features.rows(np.array([[35.0, 1.0]]))))
    assert text.splitlines() == [
        "classifier: predicts yes",
        "2 of 2 base classifiers evaluated, 0 skipped, 0 not reached",
        "",
        "       step       adds     score",
        "      start                 0.25",
        "          1         +1      1.25  h_1: age > 30",
        "          2         -1      0.25  h_2: age <= 40 and work is state",
        "",
        "It stopped at the end: all 2 steps were decided on.",
        "",
        "What would change the class:",
        "  a score other by 0.25",
        "  age <= 30 instead of 35: no",
    ]


def test_long_paths_are_grouped():
    ensemble = stumps(500)
    dag = mddag.compile(ensemble)
    one = explain(dag, None, ensemble.features.rows(np.zeros((1, 2))))
    assert len(str(one).splitlines()) < 45
    pieces = shown_steps(one)
    assert [step for piece in pieces for step in piece] == list(one.steps)
    largest = max(one.steps, key=lambda step: abs(step.votes[0]))
    assert [largest] in pieces
    assert "base classifiers together" in str(one)


def test_rules_are_cut_between_conditions():
    rule = " and ".join(f"feature {k} <= {k}" for k in range(9))
    assert shortened(rule, 60) == "feature 0 <= 0 and feature 1 <= 1 and 7 more"
    assert shortened("a <= 1") == "a <= 1"
    assert len(shortened("a" * 300)) == 72


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (1.5, np.inf, "quits if the score is above 1.5; it was 2."),
        (-np.inf, 2.5, "quits if the score is at or below 2.5; it was 2."),
        (1.5, 2.5, "quits if the score is between 1.5 and 2.5; it was 2."),
    ],
)
def test_why_it_quit(low, high, words):
    segments = (Segment(-9.0, -8.0, "eval"), Segment(low, high, "quit"))
    end = ExitReason("quit", 4, "score", 2.0, segments, segments[1])
    assert why(end) == f"at step 5, where the policy {words}"


def test_a_row_that_evaluates_nothing():
    ensemble = stumps(3)
    dag = mddag.compile(ensemble, mddag.Policy.constant(QUIT, 3, mddag.Grid(np.empty(0))))
    text = str(explain(dag, None, ensemble.features.rows(np.zeros((1, 2)))))
    assert "0 of 3 base classifiers evaluated, 0 skipped, 3 not reached" in text
    assert "no change of one feature alone, of 0 that were tried" in text
