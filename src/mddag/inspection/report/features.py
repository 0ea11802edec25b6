"""Show which features base classifiers read, and what rows pay for them.

Prices of features are known where a trace has ``groups`` and ``feature_cost``; prices of base
classifiers where the ensemble has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.inspection.explanation.rules import feature_name, one_line
from mddag.inspection.report.facts import Facts, Reads
from mddag.inspection.report.markup import Section, escaped, figure, paragraph, percent, table
from mddag.inspection.report.paths import histogram

MOST_LISTED = 25


def features(facts: Facts) -> Section | None:
    """Show the use of features; None without rows, or if base classifiers are not trees."""
    read = facts.reads
    if facts.rows is None or not read:
        return None
    uses = facts.paths.uses(facts.n_classifiers + 1).sum(axis=1)
    times = np.zeros(facts.ensemble.n_features)
    for j, columns in read.items():
        times[columns] += uses[j]
    order = np.argsort(-times, kind="stable")
    order = order[times[order] > 0][:MOST_LISTED]
    shares = {int(i): _share(facts, read, int(i)) for i in order}
    bars = "".join(
        _bar(feature_name(facts.ensemble.features, i), share, times[i] / len(facts.paths))
        for i, share in shares.items()
    )
    n_read = int((times > 0).sum())
    more = f" The {len(order)} that are read most often are listed." if n_read > len(order) else ""
    text = (
        f"{n_read} of {facts.ensemble.n_features} features are read by some evaluated tree.{more} "
        "Bar: the share of rows for which an evaluated tree reads the feature. Number: evaluated "
        "trees that read it, per row." + facts.counted_on
    )
    return Section("features", "Use of features", paragraph(text) + f'<ul class="bars">{bars}</ul>')


def _share(facts: Facts, read: Reads, i: int) -> float:
    """Return the share of rows with a base classifier on their path that reads feature i."""
    reads = np.zeros(max(read) + 1, bool)
    reads[[j for j, columns in read.items() if i in columns]] = True
    hits = np.concatenate([[0], np.cumsum(reads[facts.paths.indices])])
    return float((np.diff(hits[facts.paths.indptr]) > 0).mean())


def _bar(name: str, share: float, times: float) -> str:
    width = f"{100 * share:.1f}"
    return (
        f"<li><span>{escaped(name)}</span>"
        f'<svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" '
        f'aria-label="{percent(share)} of rows"><rect class="back" width="100" height="10" />'
        f'<rect class="c0" width="{width}" height="10" /></svg>'
        f"<span>{percent(share)}</span><span>{times:.1f}</span></li>"
    )


def costs(facts: Facts) -> Section | None:
    """Show what rows pay; None without rows, or if nothing has a price."""
    if facts.rows is None:
        return None
    bought = getattr(facts.trace, "groups", None)
    if bought is not None:
        return _of_features(facts, np.asarray(bought))
    if not facts.ensemble.priced:
        return None
    paid = facts.trace.cost
    everything = float(facts.ensemble.cost.sum())
    text = (
        f"Base classifiers have prices. A row pays {paid.mean():.4g} on average, "
        f"{percent(paid.mean() / everything) if everything else '0 %'} of what all of them cost; "
        f"the most expensive row pays {paid.max():.4g}."
    )
    return Section("costs", "Costs", paragraph(text))


def _of_features(facts: Facts, bought: NDArray[np.bool_]) -> Section:
    names, prices = _prices(facts, bought.shape[1])
    cost: NDArray[np.float64] = np.asarray(facts.trace.feature_cost)
    share = bought.mean(axis=0)
    order = np.argsort(-share, kind="stable").tolist()
    rows = [
        (
            names[g],
            "" if prices is None else f"{prices[g]:.4g}",
            percent(float(share[g])),
            "" if prices is None else f"{prices[g] * share[g]:.4g}",
        )
        for g in order
    ]
    listed = table(
        ("group of features", "price", "rows that buy it", "mean cost"), rows, "Groups of features"
    )
    text = (
        f"A row pays {cost.mean():.4g} for its features on average and buys "
        f"{bought.sum(axis=1).mean():.1f} of {bought.shape[1]} groups; the most expensive row pays "
        f"{cost.max():.4g}."
    )
    group, n_bought = np.zeros(facts.n_rows, np.intp), bought.sum(axis=1).astype(np.int64)
    chart = histogram(n_bought, group, 1).replace("base classifiers evaluated", "groups bought")
    html = paragraph(text) + figure(chart, "Rows by the number of groups that they buy.") + listed
    return Section("costs", "Cost per feature group", html)


def _prices(facts: Facts, n_groups: int) -> tuple[Sequence[str], NDArray[np.float64] | None]:
    """Return names and prices of the groups, as far as they are known."""
    known: Any = getattr(getattr(facts.dag, "purchases", None), "prices", None)
    if known is None:
        return [f"group {g}" for g in range(n_groups)], None
    return [one_line(name) for name in known.names], np.asarray(known.costs, float)
