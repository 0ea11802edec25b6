import pytest

from mddag.metrics import RealisedRates

NUMBERS = {
    "fpr": 0.0013, "fpr_error": 0.0005, "fpr_interval": (0.0004, 0.003),
    "tpr": 0.91, "tpr_error": 0.012, "tpr_interval": (0.88, 0.93),
    "n_negatives": 5000, "n_positives": 700, "n_evaluated": 9.5,
}  # fmt: skip


def test_the_realised_rate_stands_beside_the_wanted_one():
    found = RealisedRates(target="target_fpr", wanted=0.001, **NUMBERS)
    assert found.line("fpr") == (
        "FPR: 0.001 wanted, 0.0013 +- 0.0005 realised on 5000 negatives held out "
        "(95 %: 0.0004 to 0.003)"
    )
    assert "wanted" not in found.line("tpr")
    assert str(found).splitlines() == [found.line("fpr"), found.line("tpr")]


def test_a_wanted_tpr():
    found = RealisedRates(target="target_tpr", wanted=0.9, **NUMBERS)
    assert "TPR: 0.9 wanted, 0.91 +- 0.012 realised on 700 positives" in found.line("tpr")


def test_intervals_are_pairs():
    assert RealisedRates(
        target="target_fpr", wanted=0.1, **NUMBERS | {"fpr_interval": [0, 1]}
    ).fpr_interval == (0.0, 1.0)
    with pytest.raises(ValueError, match="target is 'fpr'"):
        RealisedRates(target="fpr", wanted=0.1, **NUMBERS)
