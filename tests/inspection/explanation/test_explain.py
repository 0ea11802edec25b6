import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.inspection.explanation import explain
from tests import strategies
from tests.inspection.explanation.models import (
    classifier,
    frame,
    nominal_ensemble,
    regressor,
)

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
