"""LambdaMART: its prefixes, and exits that look at the query, as in `benchmarks.ranking.exits`.

Order and readings are fitted on training and validation queries. A member with one number has a
run for each; settings with several numbers are those that are cheapest on validation queries at
each of some losses against the full model's own order. Labels of test queries choose nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.ranking import exits
from experiments.ranking.cases import Case
from experiments.ranking.documents_alone import lengths
from experiments.ranking.runs import RankingRun
from mddag.ranking import UrgencyExits

NO_CHOICE = np.nan, np.nan


def prefixes(case: Case) -> Iterator[RankingRun]:
    """The first j trees as LightGBM grew them."""
    test = case.problems["test"]
    sums = np.cumsum(test.votes.dense()[:, :, 0], axis=1)
    gains = fitted(case).gains(test)
    for j in lengths(case.size.n_trees):
        scores = sums[:, min(j, sums.shape[1]) - 1]
        lost = test.order_loss(scores, gains)
        yield RankingRun(f"j={j}", *NO_CHOICE, case.ndcg("test", scores), lost, float(j))


def tested(name: str, case: Case) -> Iterator[RankingRun]:
    """The runs of a member or of LEAR."""
    family, test = fitted(case), case.problems["test"]
    gains = family.gains(test)
    for k, (readings, steps) in enumerate(exits.tested(name, family, case.parts, case.problems)):
        lost, ndcg = test.order_loss(readings, gains), case.ndcg("test", readings)
        yield RankingRun(f"{k}", *NO_CHOICE, ndcg, lost, float(steps.mean()))


def fitted(case: Case) -> exits.ExitFamily:
    return UrgencyExits().fit(case.problems["vali"], more=case.problems["train"])


METHODS: dict[str, Callable[[Case], Iterator[RankingRun]]] = {
    "LambdaMART": prefixes,
    **{name: partial(tested, name) for name in exits.NAMES},
}
