"""What a result says of itself."""

from dataclasses import replace

import pytest

from mddag.serving.result import MeasuredBound, Training
from tests.serving.model_file.kinds import RESULT

CHOSEN = {"target": "budget", "value": 20.0, "rows": "choosing", "n_rows": 4000}
CHOSEN |= {"bounds": (), "confidence": None}


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


BOTH = (*RESULT.bounds, MeasuredBound("ROC AUC", 0.004, exact=False))
LABELS = (MeasuredBound("labels changed", 0.016, exact=True),)
UNLABELLED = {"target": "max_disagreement", "against": "model", "metrics": (), "bounds": LABELS}
FULL = {"n_evaluated": 2.0}


@pytest.mark.parametrize(
    ("changes", "name", "words"),
    [
        (CHOSEN, "measured on", "4,000 rows held out to choose the policy"),
        (CHOSEN, "guarantee", "none"),
        (CHOSEN | {"rows": "policy"}, "measured on", "4,000 rows that also fitted the policy"),
        ({"confidence": None}, "guarantee", "none (confidence=None); accuracy lost at most 0.02"),
        ({"bounds": BOTH}, "guarantee", "accuracy and ROC AUC lost at most 0.02 with 90 % confid"),
        ({"bounds": BOTH}, "guarantee", "by a test for many rows (measured 0.006, 0.004)"),
        (UNLABELLED, "disagreement", "0.0160 with the full model"),
        (UNLABELLED, "guarantee", "labels changed against the full model at most 0.02"),
        (FULL, "guarantee", "the full model needs no proof"),
        (FULL, "expected speed", "that of evaluating everything"),
        ({"n_evaluated": 0.0}, "expected speed", "nothing is evaluated"),
        ({"speed": 2.34, "speed_one": 12.3}, "expected speed", "2.3x in large batches, 12x for"),
        ({"speed": 1.04, "speed_one": 0.9}, "expected speed", "no faster in large batches, no f"),
    ],
)
def test_a_line_of_the_text(changes, name, words):
    assert words in line(replace(RESULT, **changes), name)


def test_the_full_model_is_named():
    assert str(replace(RESULT, **FULL)).startswith("Full model (")
    trained = Training("8 leaves", 3.0, True, given=(0.7, 0.8), n_trained=85, n_rows=100)
    assert replace(RESULT, training=trained).evaluates_all


def test_a_metric_by_its_name():
    assert RESULT.metric("ROC AUC").sparse == 0.89
    with pytest.raises(KeyError):
        RESULT.metric("R2")


@pytest.mark.parametrize("name", ["kind", "made_by", "rows", "against"])
def test_other_words_raise(name):
    with pytest.raises(ValueError, match=f"{name} is 'other'; wanted one of"):
        replace(RESULT, **{name: "other"})
