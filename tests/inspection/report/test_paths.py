"""The sections with the DAG, evaluations, base classifiers and single rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mddag
from mddag.inspection.report.facts import Facts
from mddag.inspection.report.paths import (
    bins,
    chosen,
    evaluations,
    flow,
    histogram,
    single_rows,
)
from mddag.policy.policy import QUIT
from tests.engine.test_dag import stumps
from tests.inspection.report.reports import (
    Page,
    bare,
    facts_of,
    long_chain,
    numbers,
    page_of,
    three,
    two,
)


@pytest.mark.parametrize("make", [two, three, numbers])
def test_every_column_can_be_reached_and_says_its_share(make):
    facts = make()
    page = page_of(flow(facts))
    columns = [a for a in page.all("g") if a.get("class") == "node"]
    assert len(columns) == len(facts.grouping)
    assert [a["tabindex"] for a in columns] == ["0"] + ["-1"] * (len(columns) - 1)
    assert all(a["role"] == "button" and "% of rows" in a["aria-label"] for a in columns)


@pytest.mark.parametrize("make", [two, three, numbers])
def test_the_data_has_all_base_classifiers_with_counts_and_rules(make):
    facts = make()
    groups = flow(facts).data["groups"]
    members = [member for group in groups for member in group["members"]]
    uses = facts.trace.uses(len(facts.ensemble)).sum(axis=1)
    assert [m["name"] for m in members] == [f"h_{j}" for j in facts.graph.nodes]
    assert [m["rows"] for m in members] == uses[facts.graph.nodes].tolist()
    assert sum(group["quit"] for group in groups) == facts.n_rows
    first = members[0]["trees"][0]
    tree = facts.ensemble.tree(int(facts.ensemble.tables.rounds[facts.graph.nodes[0]]))
    assert len(first["rules"]) + first["more"] == tree.n_leaves
    assert all(" <= " in rule or " > " in rule for rule, _ in first["rules"])


def test_trees_of_classes_say_for_whom_they_vote():
    trees = flow(three()).data["groups"][0]["members"][0]["trees"]
    assert [tree["for"] for tree in trees] == ["ash", "birch & co", "cedar"]


def test_hundreds_are_grouped():
    model, X, y = long_chain()
    facts = facts_of(model, X, y)
    assert len(facts.graph.nodes) > 60
    section = flow(facts)
    assert len(section.data["groups"]) <= 24
    assert len(section.html) < 60_000


def test_it_needs_rows_and_evaluations():
    assert flow(bare()) is None
    ensemble = stumps(3)
    dag = mddag.compile(ensemble, mddag.Policy.constant(QUIT, 3, mddag.Grid([])))
    rows = ensemble.features.rows([[0.0, 1.0]])
    assert flow(Facts("nothing", dag, rows=rows)) is None


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


@pytest.mark.parametrize("make", [two, three, numbers])
def test_rows_are_explained_and_followed(make):
    facts = make()
    section = single_rows(facts)
    page, rows = page_of(section), chosen(facts)
    panels = [a for a in page.all("div") if "data-instance" in a]
    assert len(panels) == len(rows) == len(section.data["paths"])
    assert all("hidden" in a for a in panels)
    options = [a["value"] for a in page.all("option")]
    assert options == ["", *(str(k) for k in range(len(rows)))]
    for i, path in zip(rows.values(), section.data["paths"], strict=True):
        nodes = facts.graph.nodes
        columns = [set(nodes[a : b + 1].tolist()) for a, b in
                   zip(facts.grouping.first, facts.grouping.last, strict=True)]  # fmt: skip
        wanted = [g for g, some in enumerate(columns) if some & set(facts.trace.path(i).tolist())]
        assert path == wanted


def test_short_long_and_wrong_rows_are_chosen():
    facts = two()
    rows, counts = chosen(facts), facts.trace.n_evaluated
    assert counts[rows["the shortest path"]] == counts.min()
    assert counts[rows["the longest path"]] == counts.max()
    wrong = rows["wrong row 1"]
    assert facts.predicted[wrong] != facts.codes[wrong]
    assert not [name for name in chosen(two(targets=False)) if name.startswith("wrong")]


def test_it_needs_rows():
    assert single_rows(bare()) is None
