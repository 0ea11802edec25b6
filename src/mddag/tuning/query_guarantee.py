"""Promises of rankers: bounds on the mean that queries lose, which count queries, never documents.

    mean over queries of the metric lost  <= bound     with the confidence wanted, by Student's t
                                                        made symmetric (Hall 1992)

Most queries lose nothing and a few of them much, so that a mean over few queries looks too small
where none of these was drawn. So there must be enough queries for a rare one to be among them.
"""

from __future__ import annotations

from mddag.tuning.arguments import BOUNDS
from mddag.tuning.guarantee import Guarantee
from mddag.tuning.p_values import rows_for_share

WORST = 0.1  # a query hardly loses more: so rare ones must be noticed
FEWEST = 30  # queries, for a mean to be about normal


def query_guarantee(knob: str, bound: float, confidence: float | None, n: int) -> Guarantee | None:
    """What n queries are to prove; None for beta and budget, and for a point estimate."""
    if knob not in BOUNDS or confidence is None:
        return None
    guarantee = Guarantee(knob, bound, float(confidence), "mean")
    needed = queries_needed(guarantee)
    if n < needed:
        raise ValueError(
            f"{n} queries are too few to promise {knob}={bound} with confidence {confidence}: it "
            f"takes {needed} or more, whatever number of documents they have, and some hundred to "
            "be near the bound; give more queries, a larger bound, or confidence=None"
        )
    return guarantee


def queries_needed(guarantee: Guarantee) -> int:
    """So many that a share of bound / WORST of bad ones would be noticed."""
    share = min(guarantee.bound / WORST, 0.5)
    return max(rows_for_share(share, guarantee.confidence), FEWEST)
