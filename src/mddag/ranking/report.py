"""The section of a report on rankings: the quality of the order, and where evaluations go."""

from __future__ import annotations

import numpy as np

from mddag.inspection.report.facts import Facts
from mddag.inspection.report.markup import Chart, Section, figure, paragraph, table
from mddag.metrics.ranking import NDCG, Queries

MOST_RANKS = 50
CUTS = (5, 10, 20)


def section(facts: Facts) -> Section:
    """The section; without queries it says what is not shown."""
    if facts.rows is None or facts.qid is None:
        said = "Give rows and their queries to see orders: report(path, X, y, qid=qid)."
        return Section("ranking", "Ranking", paragraph(said))
    queries = Queries.of(facts.qid, facts.n_rows)
    html = paragraph(
        f"{len(queries)} queries with {queries.sizes.mean():.1f} documents each on average."
    )
    html += _by_rank(facts, queries)
    html += _quality(facts)
    html += paragraph("Not shown: single queries, and documents at which the two orders differ.")
    return Section("ranking", "Ranking", html)


def _by_rank(facts: Facts, queries: Queries) -> str:
    """Mean evaluations of the documents that come to stand first, second, …"""
    taken = queries.taken(np.asarray(facts.predicted, float))
    order = queries.order(taken)
    counts = facts.trace.n_evaluated[queries.rows[order]]
    ranks = queries.ranks
    n = min(int(ranks.max()) + 1, MOST_RANKS)
    means = [float(counts[ranks == r].mean()) for r in range(n)]
    chart = Chart(
        "evaluations by rank", (1.0, float(max(n, 2))), (0.0, max(means) * 1.1 or 1.0),
        "rank in the order of this model", "evaluations per document",
    )  # fmt: skip
    chart.line([(r + 1.0, mean) for r, mean in enumerate(means)], "c0")
    rest = f", of the first {n} ranks" if ranks.max() >= n else ""
    return figure(chart.svg(), f"Mean evaluations of documents by rank{rest}.")


def _quality(facts: Facts) -> str:
    if facts.targets is None:
        return paragraph("No labels were given, so nothing is said of the quality of orders.")
    rows = []
    for k in CUTS:
        metric = NDCG(k)
        sparse = metric(facts.predicted, facts.targets, facts.qid)
        full = facts.full_predicted
        of_full = "" if full is None else f"{metric(full, facts.targets, facts.qid):.4f}"
        rows.append((f"NDCG at {k}", f"{sparse:.4f}", of_full))
    return table(("", "this model", "full model"), rows, "Quality of the order on the rows given")
