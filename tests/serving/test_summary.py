from dataclasses import replace

import pytest

from tests.serving.model_file.kinds import SUMMARY

CHOSEN = replace(
    SUMMARY, knob="budget", value=20.0, rows="choosing", n_rows=400, lost=None, confidence=None
)


def test_a_certified_result_in_five_lines():
    assert str(SUMMARY).split("\n") == [
        "MDDAGClassifier by sparsify(max_loss=0.02): a sparse decision DAG",
        "evaluations per row: 1.2 of 2 base classifiers, on 500 certifying rows",
        "error: 0.2560 sparse, 0.2500 full, on the same 500 rows",
        "certified with confidence 0.9 by 500 rows: accuracy lost against the full model at most "
        "0.02; measured on them: 0.006",
        "expected speed: large batches no faster than evaluating everything, single rows 1.5 times "
        "as fast",
    ]


def test_rows_that_chose_are_named_and_promise_nothing():
    _, evaluations, _, promise, _ = CHOSEN.lines()
    assert evaluations.endswith("on 400 rows that chose the policy")
    assert promise.startswith("promised: nothing; other rows may fare a little worse")
    regressor = replace(CHOSEN, kind="regressor")
    assert regressor.lines()[0].startswith("MDDAGRegressor by sparsify(budget=20)")
    assert regressor.lines()[1].endswith("400 rows that chose the policy and calibrated it")


def test_a_point_estimate_is_not_a_promise():
    assert replace(SUMMARY, confidence=None).lines()[3] == (
        "promised: nothing (confidence=None); accuracy lost against the full model at most 0.02 "
        "wanted, 0.006 measured"
    )


def test_disagreement_is_called_so():
    promise = replace(SUMMARY, knob="max_disagreement", lost=0.016).lines()[3]
    assert "disagreement with the full model at most 0.02; measured on them: 0.016" in promise


def test_without_labels_there_is_no_error():
    unlabelled = replace(SUMMARY, measured_against="model", full=None, sparse=None)
    text = str(unlabelled)
    assert "error: unknown without labels; disagreement with the full model: 0.0160, on" in text
    assert "rows: disagreement with the full model at most 0.02" in text
    assert "accuracy" not in text
    regressor = str(replace(unlabelled, kind="regressor"))
    assert (
        "R2: unknown without labels; R2 against the full model's predictions: 0.9840" in regressor
    )
    assert "squared difference from the full model's predictions over their variance" in regressor


def test_regressors_have_r2_where_it_is_defined():
    regressor = replace(SUMMARY, kind="regressor", full=0.9, sparse=0.89)
    assert "\nR2: 0.8900 sparse, 0.9000 full, on the same 500 rows\n" in str(regressor)
    assert "R2 lost against the full model at most 0.02" in str(regressor)
    constant = replace(regressor, full=None, sparse=None)
    assert "R2: not defined where all targets are equal" in str(constant)


def test_the_full_model_is_named():
    lines = replace(SUMMARY, n_evaluated=2.0).lines()
    assert lines[0].endswith("the full model")
    assert lines[3].endswith("the full model needs no proof of it")
    assert lines[4] == "expected speed: that of evaluating everything"


@pytest.mark.parametrize(
    ("speed", "speed_one", "words"),
    [
        (2.34, 12.3, "large batches 2.3 times as fast as evaluating everything, single rows 12 "),
        (1.04, 0.9, "large batches no faster than evaluating everything, single rows no faster"),
        (None, None, "nothing is evaluated, and every row gets the same answer"),
    ],
)
def test_speed_is_told_as_it_is(speed, speed_one, words):
    assert words in replace(SUMMARY, speed=speed, speed_one=speed_one).lines()[4]


@pytest.mark.parametrize("name", ["kind", "knob", "rows", "measured_against"])
def test_words_that_mean_nothing_are_refused(name):
    with pytest.raises(ValueError, match=f"{name} is 'other'; wanted one of"):
        replace(SUMMARY, **{name: "other"})
