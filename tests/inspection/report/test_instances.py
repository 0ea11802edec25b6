import pytest

from mddag.inspection.report.paths import chosen, instances
from tests.inspection.report.reports import bare, numbers, page_of, three, two


@pytest.mark.parametrize("make", [two, three, numbers])
def test_rows_are_explained_and_followed(make):
    facts = make()
    section = instances(facts)
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
    assert instances(bare()) is None
