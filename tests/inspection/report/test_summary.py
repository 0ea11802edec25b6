import numpy as np
import pytest

from mddag.inspection.report.summary import r2, summary
from tests.inspection.report.reports import bare, numbers, page_of, share, two


def test_the_numbers_are_those_of_the_rows():
    facts = two()
    text = page_of(summary(facts)).text()
    error = 100 * share(facts.predicted != facts.codes)
    full = 100 * share(facts.full_predicted != facts.codes)
    assert f"{error:.2f} %" in text
    assert f"full model {full:.2f} %" in text
    assert f"{facts.trace.n_evaluated.mean():.1f}" in text
    assert f"{100 * share(facts.full_predicted == facts.predicted):.2f} %" in text
    assert "On the 400 rows given" in text


def test_without_targets_nothing_is_said_of_errors():
    text = page_of(summary(two(targets=False))).text()
    assert "No targets were given" in text
    assert "error" not in text.replace("errors", "")


def test_regressors_have_r2():
    facts = numbers()
    assert f"{r2(facts.predicted, facts.targets):.4f}" in page_of(summary(facts)).text()
    assert np.isnan(r2(np.zeros(3), np.ones(3)))
    assert r2(np.array([1.0, 2.0]), np.array([1.0, 2.0])) == pytest.approx(1)


def test_without_rows_the_policy_rows_speak():
    text = page_of(summary(bare())).text()
    assert f"{bare().evaluation.n_evaluated:.1f}" in text
    assert "rows given" not in text
