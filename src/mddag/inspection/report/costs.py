"""Costs: what rows pay, by group of features where features have prices.

Prices of features are known where a trace has ``groups`` and ``feature_cost``; prices of base
classifiers where the ensemble has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.inspection.explanation.rules import one_line
from mddag.inspection.report.evaluations import histogram
from mddag.inspection.report.facts import Facts
from mddag.inspection.report.section import Section, figure, paragraph, percent, table


def costs(facts: Facts) -> Section | None:
    """None without rows, or where nothing has a price."""
    if facts.rows is None:
        return None
    bought = getattr(facts.trace, "groups", None)
    if bought is not None:
        return _of_features(facts, np.asarray(bought))
    if not facts.ensemble.priced:
        return None
    paid = facts.trace.cost
    everything = float(facts.ensemble.cost.sum())
    said = (
        f"Base classifiers have prices. A row pays {paid.mean():.4g} on average, "
        f"{percent(paid.mean() / everything) if everything else '0 %'} of what all of them cost; "
        f"the dearest row pays {paid.max():.4g}."
    )
    return Section("costs", "Costs", paragraph(said))


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
    said = (
        f"A row pays {cost.mean():.4g} for its features on average and buys "
        f"{bought.sum(axis=1).mean():.1f} of {bought.shape[1]} groups; the dearest row pays "
        f"{cost.max():.4g}."
    )
    group, n_bought = np.zeros(facts.n_rows, np.intp), bought.sum(axis=1).astype(np.int64)
    chart = histogram(n_bought, group, 1).replace("base classifiers evaluated", "groups bought")
    html = paragraph(said) + figure(chart, "Rows by the number of groups that they buy.") + listed
    return Section("costs", "Cost per feature group", html)


def _prices(facts: Facts, n_groups: int) -> tuple[Sequence[str], NDArray[np.float64] | None]:
    """Names and prices of the groups, as far as they are known."""
    known: Any = getattr(getattr(facts.dag, "purchases", None), "prices", None)
    if known is None:
        return [f"group {g}" for g in range(n_groups)], None
    return [one_line(name) for name in known.names], np.asarray(known.costs, float)
