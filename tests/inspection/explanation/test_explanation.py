"""An Explanation as a dict and as text."""

import json

import numpy as np
import pytest

import mddag
from mddag.inspection.explanation import explain
from mddag.inspection.explanation.explanation import (
    ExitReason,
    Segment,
    shortened,
    shown_steps,
    why,
)
from mddag.policy.policy import QUIT
from tests.engine.test_dag import stumps
from tests.inspection.explanation.models import classifier, frame, nominal_ensemble, regressor


@pytest.mark.parametrize("make", [classifier, lambda: classifier(3), regressor])
def test_the_dict_is_ready_for_json(make):
    one = make().explain(frame().iloc[0])
    again = json.loads(json.dumps(one.to_dict(), allow_nan=False))
    assert again["prediction"] == one.prediction
    assert len(again["steps"]) == one.n_evaluated
    end = again["exit"]
    assert end["step"] == one.exit.step
    assert end["segment"] is None or end["segment"] in end["segments"]
    assert all(set(segment) == {"above", "up_to", "action"} for segment in end["segments"])
    assert "at" not in end
    assert again["steps"][0]["rules"][0].keys() == {"rule", "votes"}
    assert isinstance(one, mddag.Explanation)
    assert str(one)


def test_the_two_best_scores():
    one = classifier(3).explain(frame().iloc[0])
    first, second = one.top_two
    assert one.scores[first] == max(one.scores)
    assert one.scores[second] == sorted(one.scores)[-2]
    assert one.effect(one.scores) == one.missing_score
    assert classifier().explain(frame().iloc[0]).top_two is None


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


@pytest.mark.parametrize("make", [classifier, lambda: classifier(3), regressor])
def test_no_line_is_too_long(make):
    for i in range(20):
        assert max(map(len, str(make().explain(frame().iloc[i])).splitlines())) < 160


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
    others = (Segment(-9.0, -8.0, "eval"), Segment(low, high, "quit"))
    assert (
        why(ExitReason("quit", 4, "score", 2.0, others, 1))
        == f"at step 5, where the policy {words}"
    )


def test_why_without_a_choice():
    everywhere = (Segment(-np.inf, np.inf, "quit"),)
    assert "whatever the score" in why(ExitReason("quit", 4, "score", 2.0, everywhere))
    said = why(ExitReason("quit", 4, "state", None, (), verdict="face"))
    assert said.endswith("Its verdict there is face.")


def test_a_row_that_evaluates_nothing():
    ensemble = stumps(3)
    dag = mddag.compile(ensemble, mddag.Policy.constant(QUIT, 3, mddag.Grid(np.empty(0))))
    text = str(explain(dag, None, ensemble.features.rows(np.zeros((1, 2)))))
    assert "0 of 3 base classifiers evaluated, 0 skipped, 3 not reached" in text
    assert "no change of one feature alone, of 0 that were tried" in text
