"""Collect what a report is about, and what several of its sections take from that.

Everything that takes time is made once, when a section first needs it. Without rows there is no
trace, and most sections do not apply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import spaced_rows
from mddag._utils.cached import cached_property
from mddag._utils.checks import check_is
from mddag.engine.dag import Dag
from mddag.engine.trace import Trace
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Patches, Rows
from mddag.ensemble.votes import take_segments
from mddag.inspection.explanation.explain import classes_of, numbers_of
from mddag.inspection.plotting._axes import group_of
from mddag.inspection.plotting.graph import Graph, Grouping
from mddag.policy.curve import Curve
from mddag.serving.model_file import Model

MOST_GROUPS = 24  # columns of the DAG
MOST_EVALUATIONS = 4_000_000  # on all paths that are counted: some 200 MB at work


@dataclass(frozen=True, eq=False)
class Facts:
    """A fitted model, and what it is shown on; unknown parts are None.

    `title` is by default made of the ensemble; `lines` are what was measured, in words; `source`
    is the full ensemble, before a policy reweighs it. `rows` are as the ensemble reads them, with
    `targets` (n,) and, for rankers, the query `qid` of each; `curve` is a trade-off to draw.
    """

    model: Model
    title: str = ""
    lines: Sequence[str] = ()
    source: Ensemble | None = None
    rows: Rows | Patches | None = None
    targets: NDArray[Any] | None = None
    qid: Any = None
    curve: Curve | None = None
    n_jobs: int = 1

    def __post_init__(self) -> None:
        if not self.title:
            title = f"{self.ensemble.kind.capitalize()} of {len(self.ensemble)} base classifiers"
            object.__setattr__(self, "title", title)
        if self.curve is not None:
            check_is("curve", self.curve, Curve, "a Curve, such as mddag.sweep gives, or None")
        if self.targets is None:
            return
        if self.rows is None:
            raise ValueError("y is given without X; wanted the rows X that y belongs to")
        if len(self.targets) != self.n_rows:
            raise ValueError(
                f"y has {len(self.targets)} entries, but X has {self.n_rows} rows; "
                "wanted one for each row"
            )
        if self.codes is None and self.targets.dtype.kind not in "biuf":
            raise ValueError(
                f"y has dtype {self.targets.dtype}; wanted numbers, the targets of a regressor "
                "or the relevance of documents"
            )

    @property
    def dag(self) -> Dag:
        """The model's DAG."""
        return self.model.dag

    @property
    def ensemble(self) -> Ensemble:
        """The ensemble that the policy runs."""
        return self.dag.ensemble

    @property
    def n_rows(self) -> int:
        """The number of rows; 0 without rows."""
        return 0 if self.rows is None else len(self.rows)

    @cached_property
    def classes(self) -> NDArray[Any] | None:
        """The labels, or their numbers; None for regressors and rankers."""
        return classes_of(self.ensemble)

    @cached_property
    def columns(self) -> Rows:
        """The rows as trees read them."""
        assert self.rows is not None
        return self.ensemble.features.rows(self.rows)

    @cached_property
    def trace(self) -> Trace:
        """Paths of all rows."""
        assert self.rows is not None
        return self.dag.run(self.rows, self.qid, n_jobs=self.n_jobs)

    @cached_property
    def counted(self) -> NDArray[np.intp]:
        """The rows whose paths are counted: all, or evenly spaced ones if paths are long."""
        share = min(MOST_EVALUATIONS / max(len(self.trace.indices), 1), 1.0)
        return spaced_rows(self.n_rows, max(int(share * self.n_rows), 1))

    @cached_property
    def paths(self) -> Trace:
        """The paths that are counted."""
        whole, rows = self.trace, self.counted
        if len(rows) == self.n_rows:
            return whole
        indices, indptr = take_segments(whole.indices, whole.indptr, rows)
        return Trace(
            whole.scores[rows],
            indptr,
            indices,
            whole.exit_step[rows],
            whole.cost[rows],
            whole.verdict[rows],
        )

    @property
    def counted_on(self) -> str:
        """What captions say if not all rows are counted."""
        n = len(self.counted)
        return "" if n == self.n_rows else f" Counted on {n:,} evenly spaced rows."

    @cached_property
    def codes(self) -> NDArray[np.intp] | None:
        """The true classes as places among the classes; None without labels, or for numbers."""
        if self.targets is None or self.classes is None:
            return None
        if self.ensemble.classes is None:
            return np.asarray(self.targets, np.intp)
        found: NDArray[np.intp] = self.ensemble.task.coded(np.asarray(self.targets))
        return found

    @cached_property
    def predicted(self) -> NDArray[Any]:
        """Class places, or numbers (of a ranker those to sort by), (n,)."""
        if self.classes is not None:
            return self.trace.verdict
        scores, exit_step = self.trace.scores, self.trace.exit_step
        return numbers_of(self.ensemble, self.model.calibration, scores, exit_step)

    @cached_property
    def probabilities(self) -> NDArray[np.float64] | None:
        """(n, n_classes); None where there are none."""
        if self.classes is None or self.model.calibration is None:
            return None
        return self.model.calibration.probabilities(self.trace.scores, self.trace.exit_step)

    @cached_property
    def full_scores(self) -> NDArray[np.float64] | None:
        """The scores of the full ensemble, (n, K); None where it is not at hand."""
        if self.source is None or self.rows is None:
            return None
        return self.source.scores(self.columns, n_jobs=self.n_jobs)

    @cached_property
    def full_predicted(self) -> NDArray[Any] | None:
        """What the full ensemble predicts; None where it is not at hand."""
        if self.source is None or self.full_scores is None:
            return None
        if self.classes is not None:
            return self.source.task.codes(self.full_scores, self.source.n_scores)
        return numbers_of(self.source, None, self.full_scores, np.empty(0, np.intp))

    @cached_property
    def colored(self) -> tuple[tuple[str, ...], NDArray[np.intp]]:
        """Names of groups of rows with a color each, and the group of each row.

        Groups are the true classes, or the predicted ones without labels; numbers have none.
        """
        if self.classes is None:
            return (), np.zeros(self.n_rows, np.intp)
        codes = self.codes if self.codes is not None else self.predicted
        return group_of(self.classes[codes], self.n_rows, "y")

    @property
    def colors(self) -> str:
        """What the colors of rows stand for."""
        return "rows of class" if self.codes is not None else "rows that are predicted to be"

    @cached_property
    def graph(self) -> Graph:
        """The walked DAG, by color."""
        names, group = self.colored
        return Graph.of_trace(self.paths, group[self.counted] if names else None)

    @cached_property
    def grouping(self) -> Grouping:
        """Its base classifiers in groups."""
        return Grouping.of(self.graph, MOST_GROUPS)
