import pytest

import mddag
from mddag.inspection.report.facts import Facts
from mddag.inspection.report.paths import flow
from mddag.mdp.policy import QUIT
from tests.dag.test_dag import stumps
from tests.inspection.report.reports import bare, facts_of, long_chain, numbers, page_of, three, two


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
