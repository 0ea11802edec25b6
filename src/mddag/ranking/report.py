"""The section of a report on rankings: the quality of the order, and where evaluations go."""

from __future__ import annotations

import numpy as np

from mddag.inspection.report.facts import Facts
from mddag.inspection.report.markup import Axis, Chart, Section
from mddag.metrics.ranking import NDCG, Queries

MOST_RANKS = 50
CUTS = (5, 10, 20)


def section(facts: Facts) -> Section:
    """Return the section; without queries it says what is not shown."""
    if facts.rows is None or facts.qid is None:
        return Section.of_template("mddag.ranking/ranking", "Ranking", queries=None)
    queries = Queries.of(facts.qid, facts.n_rows)
    quality = []
    if facts.targets is not None:
        for k in CUTS:
            both = (facts.predicted, facts.full_predicted)
            of_both = [
                "" if values is None else f"{NDCG(k)(values, facts.targets, facts.qid):.4f}"
                for values in both
            ]
            quality.append((f"NDCG at {k}", *of_both))
    return Section.of_template(
        "mddag.ranking/ranking",
        "Ranking",
        queries=queries,
        chart=_by_rank(facts, queries),
        most=MOST_RANKS,
        quality=quality,
    )


def _by_rank(facts: Facts, queries: Queries) -> Chart:
    """Draw the mean evaluations of the documents at each rank of this model."""
    taken = queries.taken(np.asarray(facts.predicted, float))
    counts = facts.trace.n_evaluated[queries.rows[queries.order(taken)]]
    n = min(int(queries.ranks.max()) + 1, MOST_RANKS)
    means = [float(counts[queries.ranks == r].mean()) for r in range(n)]
    x = Axis("rank in the order of this model", 1.0, float(max(n, 2)))
    y = Axis("evaluations per document", 0.0, max(means) * 1.1 or 1.0)
    line = [(r + 1.0, mean) for r, mean in enumerate(means)]
    return Chart("evaluations by rank", x, y, lines=[(line, "c0")])
