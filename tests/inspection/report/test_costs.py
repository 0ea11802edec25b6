from dataclasses import replace
from types import SimpleNamespace

import numpy as np

import mddag
from mddag.inspection.report.features import costs
from tests.inspection.report.reports import bare, page_of, two


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
