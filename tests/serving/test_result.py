"""What a result says of itself."""

from dataclasses import replace

import pytest

from mddag.serving.result import MeasuredBound, Training
from tests.serving.model_file.kinds import RESULT

CHOSEN = replace(
    RESULT, target="budget", value=20.0, rows="choosing", n_rows=4000, bounds=(), confidence=None
)


def line(result, name):
    """What the text says after a name."""
    found = [text.strip() for text in str(result).split("\n")[1:]]
    return next(text.removeprefix(name).strip() for text in found if text.startswith(name))


def test_the_whole_text():
    assert str(RESULT).split("\n") == [
        "Sparse decision DAG (MDDAGClassifier, sparsify(max_loss=0.02))",
        "  evaluations per row  1.2 of 2",
        "  accuracy             0.7440 (full model 0.7500)",
        "  ROC AUC              0.8900 (full model 0.9000)",
        "  measured on          500 rows held out to test the guarantee",
        "  guarantee            accuracy lost at most 0.02 with 90 % confidence (measured 0.006)",
        "  expected speed       no faster in large batches, 1.5x for single rows (vs. evaluating "
        "everything)",
    ]


def test_rows_that_chose_guarantee_nothing():
    assert line(CHOSEN, "measured on") == "4,000 rows held out to choose the policy"
    assert line(CHOSEN, "guarantee") == "none"
    fitted = replace(CHOSEN, made_by="fit", rows="policy")
    assert line(fitted, "measured on").startswith("4,000 rows that also fitted the policy")


def test_a_point_estimate_is_not_a_guarantee():
    text = line(replace(RESULT, confidence=None), "guarantee")
    assert text == "none (confidence=None); accuracy lost at most 0.02 wanted, 0.006 measured"


def test_several_bounds_and_tests_that_are_not_exact():
    both = (*RESULT.bounds, MeasuredBound("ROC AUC", 0.004, exact=False))
    text = line(replace(RESULT, bounds=both), "guarantee")
    assert text.startswith("accuracy and ROC AUC lost at most 0.02 with 90 % confidence, by a test")
    assert text.endswith("(measured 0.006, 0.004)")


def test_without_labels_there_is_no_metric():
    changed = (MeasuredBound("labels changed", 0.016, exact=True),)
    unlabelled = replace(
        RESULT, target="max_disagreement", against="model", metrics=(), bounds=changed
    )
    assert line(unlabelled, "disagreement") == "0.0160 with the full model"
    assert "labels changed against the full model at most 0.02" in str(unlabelled)
    assert "accuracy" not in str(unlabelled)


def test_the_full_model_is_named():
    full = replace(RESULT, n_evaluated=2.0)
    assert str(full).startswith("Full model (")
    assert line(full, "guarantee").endswith("the full model needs no proof")
    assert line(full, "expected speed") == "that of evaluating everything"
    trained = Training("8 leaves", 3.0, True, given=(0.7, 0.8), n_trained=85, n_rows=100)
    assert replace(RESULT, training=trained).evaluates_all


@pytest.mark.parametrize(
    ("speed", "speed_one", "words"),
    [
        (2.34, 12.3, "2.3x in large batches, 12x for single rows (vs. evaluating everything)"),
        (1.04, 0.9, "no faster in large batches, no faster for single rows"),
    ],
)
def test_expected_speed(speed, speed_one, words):
    assert words in line(replace(RESULT, speed=speed, speed_one=speed_one), "expected speed")
    nothing = replace(RESULT, n_evaluated=0.0)
    assert "nothing is evaluated" in line(nothing, "expected speed")


def test_a_metric_by_its_name():
    assert RESULT.metric("ROC AUC").sparse == 0.89
    with pytest.raises(KeyError):
        RESULT.metric("R2")


@pytest.mark.parametrize("name", ["kind", "made_by", "rows", "against"])
def test_other_words_raise(name):
    with pytest.raises(ValueError, match=f"{name} is 'other'; wanted one of"):
        replace(RESULT, **{name: "other"})
