"""Show the DAG as a river of rows, and single rows in it.

Columns of the river are groups of neighboring base classifiers, so hundreds stay readable. Of
single rows some are chosen: short and long paths, and where targets are given rows that are wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mddag.inspection.explanation.explain import explain
from mddag.inspection.explanation.explanation import name_of
from mddag.inspection.explanation.rules import leaf_rules, one_line
from mddag.inspection.report.facts import Facts
from mddag.inspection.report.markup import Section

CROWDED = 115.0  # letters and columns that fit next to each other, or every second name is lower
MOST_LEAVES = 6  # of a tree, those with the largest votes
MOST_TREES = 4  # of a base classifier


def flow(facts: Facts) -> Section | None:
    """Show the DAG; None without rows, or if nothing is evaluated."""
    if facts.rows is None or len(facts.graph.nodes) == 0:
        return None
    grouping = facts.grouping
    names, totals = grouping.names(), grouping.rows.sum(axis=1).tolist()
    per_column = zip(
        ["start", *names], totals, grouping.rows.tolist(), grouping.quits.tolist(), strict=True
    )
    columns = [
        {"name": name, "n": n, "share": n / totals[0], "rows": rows, "quits": quits}
        for name, n, rows, quits in per_column
    ]
    arcs = [
        (a, b, int(count.argmax()), int(count.sum()), max(totals[a : b + 1]))
        for a, b, count in grouping.jumps()
        if a > 0  # not from the start
    ]
    return Section.of_template(
        "dag", "The decision DAG", {"groups": _groups(facts)},
        facts=facts, columns=columns, arcs=arcs,
        most_quit=max(int(grouping.quits.sum(axis=1).max()), 1),
        crowded=max(map(len, names)) * (len(names) + 1.2) > CROWDED,
    )  # fmt: skip


def _groups(facts: Facts) -> list[dict[str, Any]]:
    """Return what the script shows of each column."""
    grouping, graph = facts.grouping, facts.graph
    quits, uses = grouping.quits.sum(axis=1), graph.uses.sum(axis=1)
    return [
        {
            "name": name,
            "rows": int(grouping.graph.uses[g].sum()),
            "quit": int(quits[g + 1]),
            "all": len(facts.paths),
            "members": [
                {"rows": int(uses[k]), **_in_words(facts, int(graph.nodes[k]))}
                for k in range(grouping.first[g], grouping.last[g] + 1)
            ],
        }
        for g, name in enumerate(grouping.names())
    ]


def _in_words(facts: Facts, j: int) -> dict[str, Any]:
    """Name base classifier j, and give the leaves of its trees that have the largest votes."""
    ensemble, tables = facts.ensemble, facts.ensemble.tables
    if ensemble.callables:
        return {"name": name_of(j), "trees": [], "more": 0}
    trees = range(int(tables.rounds[j]), int(tables.rounds[j + 1]))
    shown = []
    for t in trees[:MOST_TREES]:
        tree, score = ensemble.tree(t), int(tables.score[t])
        leaves = list(leaf_rules(tree, ensemble.features))
        leaves.sort(key=lambda leaf: -float(np.abs(leaf[1]).max()))
        rules = [
            [text, ", ".join(f"{v:+.3g}" for v in votes)] for text, votes in leaves[:MOST_LEAVES]
        ]
        label = ""
        if facts.classes is not None and ensemble.n_scores > 1 and score >= 0:
            label = one_line(facts.classes.tolist()[score])
        shown.append({"for": label, "rules": rules, "more": tree.n_leaves - len(rules)})
    return {"name": name_of(j), "trees": shown, "more": max(len(trees) - MOST_TREES, 0)}


SHARES = {"the shortest path": 0.0, "a path in the middle": 0.5, "longer than 90 %": 0.9,
          "longer than 99 %": 0.99, "the longest path": 1.0}  # fmt: skip
MOST_WRONG = 2


def single_rows(facts: Facts) -> Section | None:
    """Explain some rows; None without rows, or if paths depend on other rows."""
    if facts.rows is None or facts.dag.needs_queries or len(facts.graph.nodes) == 0:
        return None
    column = {
        int(j): g
        for g, (a, b) in enumerate(zip(facts.grouping.first, facts.grouping.last, strict=True))
        for j in facts.graph.nodes[a : b + 1]
    }
    rows, paths = [], []
    for what, i in chosen(facts).items():
        one = explain(facts.dag, facts.model.calibration, facts.columns[[i]])
        name = f"{what}: X[{i}], {facts.trace.n_evaluated[i]} evaluations"
        if facts.codes is not None and facts.classes is not None:
            name += f", truly {facts.classes[facts.codes[i]]}"
        rows.append((name, str(one)))
        path = {column.get(step.classifier, -1) for step in one.steps}  # -1: on no counted path
        paths.append(sorted(path - {-1}))
    return Section.of_template("rows", "Single rows", {"paths": paths}, rows=rows)


def chosen(facts: Facts) -> dict[str, int]:
    """Choose rows, with a name for each: by the length of their paths, then wrong ones."""
    order = np.argsort(facts.trace.n_evaluated, kind="stable")
    found = {what: int(order[round(q * (len(order) - 1))]) for what, q in SHARES.items()}
    if facts.codes is not None:
        wrong = np.flatnonzero(facts.predicted != facts.codes)[:MOST_WRONG]
        found |= {f"wrong row {k + 1}": int(i) for k, i in enumerate(wrong)}
    if facts.classes is not None and facts.full_predicted is not None:
        other = np.flatnonzero(facts.predicted != facts.full_predicted)[:MOST_WRONG]
        found |= {f"another label than the full model {k + 1}": int(i) for k, i in enumerate(other)}
    return found
