"""Curves of error against cost, and how they are read.

A method has candidates: settings of its knobs, each with its error and its costs on policy rows.
Its curve in a unit of cost has one candidate for each of N_BINS equal ratios of cost, from the
cheapest that loses less than HOPELESS on policy rows to the full model: the one with the least
error on *policy* rows. Test rows never choose. (The front of all candidates would end at the
luckiest of thousands.)

The curve is read on *test* rows at a tolerance: the cost at which it first errs at most that much
more than the full model, interpolated from the point before (rows drawn for one of two settings
have just that cost and error). The full model ends every curve. Such a reading flatters all methods
alike: of the points of a curve some are lucky on the test rows. So all have as many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

N_BINS = 24
UNITS = ("evaluations", "nodes")
TOLERANCES = (0.002, 0.005)
# Loss on policy rows from which on a candidate is of no interest. Our judges charge cheap policies,
# which change many labels, some points for luck.
HOPELESS, HOPELESS_TO_JUDGES = 0.02, 0.06
ALL_ROWS = ", all rows"  # ends the names of methods whose models had training and policy rows

Measures = tuple[float, float, float]  # error, evaluations, nodes


@dataclass(frozen=True)
class Candidate:
    """A method at one setting.

    setting : in words
    policy  : its measures on policy rows; of ours the error is what is lost beyond the full model
    test    : () -> those on test rows
    make    : () -> (ensemble, policy or None), to measure its time
    ends    : knobs that are at an end of their grid, in words
    """

    method: str
    setting: str
    policy: Measures
    test: Callable[[], Measures] = field(repr=False)
    make: Callable[[], Any] = field(repr=False)
    ends: str = ""


def cost(measures: Sequence[float], unit: str) -> float:
    """In a unit; one at least, since costs are compared by their ratios."""
    return max(measures[1 + UNITS.index(unit)], 1.0)


def compared_with(full: dict[str, Any], method: str) -> Measures:
    """Test measures of the full model that a method is compared with."""
    found: Measures = full["all_rows"] if method.endswith(ALL_ROWS) else full["test"]
    return found


def chosen(costs: np.ndarray, errors: np.ndarray, full_cost: float, most: float) -> list[int]:
    """The candidates that make a curve, by what they do on policy rows, by rising cost.

    most : the error from which on a candidate is of no interest
    """
    hopeful = np.flatnonzero(errors < most)
    if not len(hopeful):
        return [int(errors.argmin())]
    low, high = costs[hopeful].min(), max(full_cost, costs[hopeful].min() * 1.01)
    place = np.log(costs[hopeful] / low) / np.log(high / low) * N_BINS
    bins = np.minimum(np.floor(place + 1e-9).astype(int), N_BINS)  # dearer than full: the last
    found = []
    for one in np.unique(bins[bins < N_BINS]):
        here = hopeful[bins == one]
        found.append(int(here[np.lexsort((costs[here], errors[here]))[0]]))
    return found


def reading(
    points: Sequence[tuple[float, float]], full: tuple[float, float], tolerance: float
) -> tuple[float, int]:
    """The cost at the tolerance, and the first point within it (their number: the full model).

    points : cost and error on test rows
    full   : those of the full model
    """
    cheaper = sorted(point for point in points if point[0] < full[0])
    costs, errors = (np.array(column) for column in zip(*cheaper, full, strict=True))
    # Errors are counts over rows: their sums are not exact.
    at = int((errors <= full[1] + tolerance + 1e-9).argmax())
    if at == 0:
        return float(costs[0]), 0 if cheaper else len(points)
    before = errors[:at].argmin()
    share = (errors[before] - full[1] - tolerance) / (errors[before] - errors[at])
    read = costs[before] + min(share, 1.0) * (costs[at] - costs[before])
    return float(read), at if at < len(cheaper) else len(points)
