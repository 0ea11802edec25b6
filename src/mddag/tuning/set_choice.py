"""Set choice: the candidate that a knob takes.

At a price it is the member with the smallest objective out of its folds. For the other knobs the
best members at all prices are laid out from the dearest to the cheapest: a budget takes the dearest
that fits, a bound the cheapest behind which all are within it, or up to which the certifying
rows prove it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from mddag._internal.doubts import doubt
from mddag.solvers.acquisition.search import Candidate
from mddag.solvers.acquisition.set_policy import SetPolicy
from mddag.tuning.guarantee import Guarantee
from mddag.tuning.p_values import last_promised

if TYPE_CHECKING:  # which imports this file's users
    from mddag.tuning.acquisition import Acquisition

STEPS = 5  # of halving between two prices


def chosen_set_policy(
    found: Acquisition, knob: str, value: float, guarantee: Guarantee | None
) -> Candidate:
    """The candidate of a knob."""
    if knob == "beta":
        return found.search.best(value)
    if knob == "budget":
        return _refined(found, lambda c: c.held_cost > value)
    if guarantee is None:
        return _within(found, value)
    return _certified(found, guarantee)


def _refined(found: Acquisition, too_dear: Callable[[Candidate], bool]) -> Candidate:
    """The best at the lowest price whose candidate is not too dear."""
    prices = found.prices.tolist()
    fits = next((i for i, beta in enumerate(prices) if not too_dear(found.search.best(beta))), None)
    best = _nothing(found) if fits is None else found.search.best(prices[fits])
    if fits is not None and fits > 0:
        best = _between(found, prices[fits - 1], best, too_dear)
    if not best.cost.any() and found.models.models[0] is None:
        doubt(
            "no policy that buys anything is within the budget; returned is one that buys "
            "nothing and gives every row the same answer: give a larger budget"
        )
    return best


def _between(
    found: Acquisition, low: float, best: Candidate, too_dear: Callable[[Candidate], bool]
) -> Candidate:
    """The best at the lowest price above `low`, up to that of `best`, that is not too dear."""
    high = best.beta
    for _ in range(STEPS):
        middle = float(np.sqrt(low * high))
        candidate = found.search.best(middle)
        if too_dear(candidate):
            low = middle
        else:
            high, best = middle, candidate
    return best


def _laid_out(found: Acquisition) -> list[Candidate]:
    """The best at each price, each cheaper than the one before."""
    kept: list[Candidate] = []
    for beta in found.prices.tolist():
        best = found.search.best(beta)
        if not kept or best.held_cost < kept[-1].held_cost:
            kept.append(best)
    return kept


def _within(found: Acquisition, bound: float) -> Candidate:
    """The cheapest whose judged loss, and that of all dearer ones, is within a bound."""
    chosen, full = everything(found), everything(found).held_loss
    for candidate in _laid_out(found):
        if candidate.held_loss - full > bound:
            break
        chosen = candidate
    return chosen


def _certified(found: Acquisition, guarantee: Guarantee) -> Candidate:
    """The cheapest that the certifying rows prove, all dearer ones being proved before it."""
    full = everything(found)
    plausible = [c for c in _laid_out(found) if c.held_loss - full.held_loss <= 2 * guarantee.bound]
    rows = found.certifying
    tested = (guarantee.p_value(found.excess(c, rows, guarantee.knob)) for c in plausible)
    n_proved = last_promised(tested, guarantee.confidence)
    if n_proved:
        return plausible[n_proved - 1]
    doubt(
        f"{len(rows)} certifying rows prove {guarantee.knob}={guarantee.bound} for no policy that "
        "buys less than the full model, which is returned; give more rows or a larger bound"
    )
    return full


def everything(found: Acquisition) -> Candidate:
    """The full model on every row."""
    return _static(found, len(found.models) - 1, "full model")


def _nothing(found: Acquisition) -> Candidate:
    return _static(found, 0, "nothing")


def _static(found: Acquisition, s: int, name: str) -> Candidate:
    sets, n = found.models.sets, len(found.learning)
    sample = next(iter(found.search.samples.values()))
    fare = 0.0 if s == 0 else float(sets.fares[0, s])
    policy = SetPolicy.static(len(sets), s)
    return Candidate(name, "score", 0.0, policy, sample.judged[:n, s], np.full(n, fare))
