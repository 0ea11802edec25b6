"""The sections with features, costs and calibration."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import mddag
from mddag.inspection.report.features import costs, features
from mddag.inspection.report.summary import calibration
from tests.inspection.explanation.models import HOSTILE
from tests.inspection.report.reports import bare, numbers, page_of, share, three, two


def test_shares_are_those_of_the_paths():
    facts = two()
    page = page_of(features(facts))
    for i, name in enumerate(facts.ensemble.features.names):
        reads = [i in facts.reads[j] for j in range(len(facts.ensemble))]
        rows = [any(reads[j] for j in facts.trace.path(k)) for k in range(facts.n_rows)]
        assert name in page.texts["span"]
        at = page.texts["span"].index(name)
        assert page.texts["span"][at + 1].rstrip(" %") in f"{100 * share(rows):.4f}"
    assert HOSTILE in page.texts["span"]
    assert features(bare()) is None


def paid(facts, prices):
    """Facts whose trace has prices, and whose DAG names the groups."""
    n = facts.n_rows
    groups = np.column_stack([np.ones(n, bool), np.arange(n) % 4 == 0])
    known = SimpleNamespace(names=("cheap", "<dear>"), costs=prices)
    trace = replace(facts.trace, groups=groups, feature_cost=groups @ prices)
    own = replace(facts)
    object.__setattr__(own, "trace", trace)
    dag = SimpleNamespace(ensemble=facts.ensemble, purchases=SimpleNamespace(prices=known))
    object.__setattr__(own, "dag", dag)
    return own


def test_groups_of_features_with_their_prices():
    page = page_of(costs(paid(two(), np.array([1.0, 8.0]))))
    assert {"cheap", "<dear>"} <= set(page.texts["th"])
    assert {"8", "25 %", "2"} <= set(page.texts["td"])
    assert "A row pays 3 for its features on average and buys 1.2 of 2 groups" in page.text()


def test_prices_of_base_classifiers():
    facts = two()
    ensemble = facts.ensemble.with_cost(np.full(len(facts.ensemble), 5.0))
    dear = replace(facts, dag=mddag.compile(ensemble, facts.dag.policy))
    mean = 5 * facts.trace.n_evaluated.mean()
    assert f"A row pays {mean:.4g} on average" in page_of(costs(dear)).text()


def test_nothing_has_a_price():
    assert costs(two()) is None
    assert costs(bare()) is None


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
