"""PurchaseDisplay."""

import pytest
from matplotlib import pyplot as plt

from mddag import PurchaseDisplay
from tests.acquisition.costly import bought


def test_flows_are_those_of_the_rows():
    estimator, X, _ = bought()
    trace = estimator.trace(X)
    shown = PurchaseDisplay.from_trace(trace, estimator.dag_.purchases)
    paid = estimator.dag_.purchases.prices.paid
    assert sum(shown.last_.values()) == len(X)
    for held, n in shown.last_.items():
        rows = [set(row.nonzero()[0].tolist()) == set(held) for row in trace.groups & paid]
        assert sum(rows) == n
    assert sum(shown.flows_.values()) == trace.waves.sum()
    assert shown.ax_.get_xlabel() == "price of the groups bought"
    assert any("quit" in text.get_text() for text in shown.ax_.texts)
    plt.close("all")


def test_what_is_no_trace_is_refused():
    with pytest.raises(TypeError, match=r"trace is .*; wanted a Trace"):
        PurchaseDisplay(3, None)
