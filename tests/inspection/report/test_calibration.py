from dataclasses import replace

import numpy as np
import pytest

from mddag.inspection.report.calibration import calibration
from tests.inspection.report.reports import bare, numbers, page_of, three, two


@pytest.mark.parametrize("make", [two, three])
def test_probabilities_stand_beside_the_truth(make):
    facts = make()
    page = page_of(calibration(facts))
    group = facts.calibration.groups[facts.trace.exit_step]
    assert len(page.all("circle")) == len(np.unique(group))
    here = group == group[0]
    right = (facts.predicted == facts.codes)[here].mean()
    sure = facts.probabilities[np.flatnonzero(here), facts.predicted[here]].mean()
    assert f"{right:.3f}" in page.texts["td"]
    assert f"{sure:.3f}" in page.texts["td"]


def test_means_stand_beside_targets():
    facts = numbers()
    page = page_of(calibration(facts))
    group = facts.calibration.groups[facts.trace.exit_step]
    here = group == group[0]
    assert f"{facts.targets[here].mean():.4g}" in page.texts["td"]
    assert "R2 of all rows" in page.text()


def test_it_needs_targets_and_a_calibration():
    assert calibration(bare()) is None
    assert calibration(two(targets=False)) is None
    assert calibration(replace(two(), calibration=None)) is None
