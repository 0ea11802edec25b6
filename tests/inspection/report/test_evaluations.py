import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mddag.inspection.report.paths import bins, evaluations, histogram
from tests.inspection.report.reports import Page, bare, page_of, two


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_every_count_is_in_one_bin(a, b):
    low, high = sorted((a, b))
    edges = bins(low, high)
    assert (np.diff(edges) > 0).all()
    assert edges[0] <= low
    assert edges[-1] == high + 1
    assert len(edges) <= 43


@pytest.mark.parametrize("high", [5, 500])
def test_bars_are_all_rows(high):
    counts = np.random.default_rng(0).integers(0, high, 300)
    page = Page(histogram(counts, np.arange(300) % 2, 2))
    bars = [a for a in page.all("rect") if a["class"] in ("c0", "c1")]
    area = sum(float(a["height"]) for a in bars)
    assert area > 0
    assert {a["class"] for a in bars} == {"c0", "c1"}


def test_quantiles_are_in_the_table():
    facts = two()
    text = page_of(evaluations(facts)).text()
    assert f"{facts.trace.n_evaluated.mean():.2f}" in text
    assert f"{facts.trace.n_evaluated.max()}" in text
    assert evaluations(bare()) is None
