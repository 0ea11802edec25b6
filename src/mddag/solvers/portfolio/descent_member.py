"""Descent as a member of the portfolio: in which arrangements, from which start, on which rows.

Descents take most of the time, so they run where they gain: over weak base classifiers, and in
condensed arrangements. A small problem with labels is explored by many starts in the order by
correlation; soft targets gain nothing by that.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

import numpy as np

from mddag.policy.mdp import MDP
from mddag.policy.ordering import Correlation, Given
from mddag.policy.policy import Policy
from mddag.solvers.descent import CAREFUL, FEW, FREE, Descent, Guards
from mddag.solvers.portfolio.arranged_rows import ArrangementRule, RowSubset
from mddag.solvers.portfolio.candidates import ArrangedRows, Entries
from mddag.solvers.solver import Solver

N_PRICES = 6  # at which descents run; what they find competes at all
N_VOTES = 4_000_000  # instances times base classifiers, where none are left out
N_STARTS = 48  # explorations of a small problem, over all prices
THOROUGH_SWEEPS = 4
SMALL = 256, 600_000  # base classifiers; instances times base classifiers


def runs_in(rule: ArrangementRule, rules: list[ArrangementRule], mdp: MDP) -> bool:
    """Return whether descents run in one of the arrangements."""
    if rule.size or not any(other.size for other in rules):
        return True
    return mdp.n_scores == 1 and not mdp.of_numbers


def explored(rules: list[ArrangementRule]) -> ArrangementRule | None:
    """Return the arrangement to explore: that of the source if descents run in it, else the first.

    The first votes of the source differ most from each other.
    """
    given = [rule for rule in rules if rule.size is None and isinstance(rule.ordering, Given)]
    return next(iter(given or rules), None)


def is_thorough(member: Solver, rule: ArrangementRule, learning: RowSubset) -> TypeGuard[Descent]:
    """Return whether a descent explores thoroughly in an arrangement.

    It does on labels, in the order of all base classifiers by correlation, if these and the rows
    for learning are few.
    """
    few, small = SMALL
    n_steps, n_rows = learning.whole.n_steps, len(learning)
    if n_steps > few or n_rows * n_steps > small or rule.size is not None:
        return False
    if learning.whole.labels.ndim == 2:
        return False
    explores = isinstance(member, Descent) and member.targets == "labels"
    return explores and isinstance(rule.ordering, Correlation)


def explore_thoroughly(
    member: Descent,
    rows: ArrangedRows,
    betas: list[float],
    entries: Entries,
) -> None:
    """Run descents from many starts, shared among some of the prices.

    The rows for learning choose one of their ends by Eq. (8): ends differ more among starts than
    between rows, and choosing among all of them by the few rows for choosing would be biased.
    """
    prices = thinned(betas)
    how = replace(member, n_starts=-(-N_STARTS // len(prices)), n_sweeps=THOROUGH_SWEEPS)
    for beta in prices:
        learning = rows.learning.with_beta(beta)
        found = [how.search(learning).policy]
        entries.add_policies(repr(how), found, rows, by_labels=True)


def descend(
    member: Descent,
    rows: ArrangedRows,
    betas: list[float],
    entries: Entries,
    *,
    explores: bool,
) -> None:
    """Run descents at several prices, from the best that is known in this arrangement.

    They explore only at the highest price, in one arrangement, every cell for itself: what is found
    there is short, quick to find and a start for the next, and the cheaper evaluations are, the
    less there is to gain by leaving some out. From a good start careful guards are enough.
    """

    def found(how: Descent, learning: MDP) -> None:
        by_labels = member.targets == "labels"
        policies = how.policies(learning)
        entries.add_policies(repr(member), policies, rows, by_labels=by_labels)

    most = rows.learning.n_rows
    if rows.arrangement.n_kept is None:
        most = max(N_VOTES // rows.learning.n_steps, 1)
    if explores and member.n_starts > 0:  # first, while there are no copies of other rows
        few = _some(_some(rows.learning, most), FEW)
        found(_guarded(member, FREE), few.with_beta(betas[0]))
        del few
    learning, careful = _some(rows.learning, most), _guarded(member, CAREFUL)
    for beta in thinned(betas):
        start = entries.best_in(rows.arrangement, beta)
        if start is None or not _continues(start, member.every):
            start = learning.evaluate_all(member.every)
        found(replace(careful, start=start), learning.with_beta(beta))


def _some(mdp: MDP, most: int) -> MDP:
    """Return at most `most` of the rows that count; votes are copied where some are left out."""
    return mdp if mdp.n_rows <= most else mdp.rows(mdp.counting(most))


def _guarded(member: Descent, guards: Guards) -> Descent:
    """Return the member with these guards, as far as it does not name its own."""
    n_cells = guards.n_cells if member.n_cells is None else member.n_cells
    return replace(member, n_cells=n_cells, z=guards.z_skip if member.z is None else member.z)


def _continues(start: Policy, every: int) -> bool:
    """Return whether a descent with this `every` can start from a policy."""
    as_arranged = start.rescaling is None and np.array_equal(start.order, np.arange(start.n_steps))
    return as_arranged and start.every == every


def thinned(betas: list[float]) -> list[float]:
    """Return the first, the last and some prices evenly between, N_PRICES at most."""
    if len(betas) <= N_PRICES:
        return betas
    return [betas[i] for i in np.linspace(0, len(betas) - 1, N_PRICES).astype(int)]
