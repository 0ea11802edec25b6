"""Collect what a report is about, and what several of its sections take from that.

Everything that takes time is made once, when a section first needs it. Without rows there is no
trace, and most sections do not apply.

A sweep learns policies of its own, at its own prices, on its own rows; a point of its curve is
not this model, even where the price is the same. So with rows and targets the model is measured
by the loss of the curve; without them it is not drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import spaced_rows
from mddag._utils.cached import cached_property
from mddag._utils.checks import check_is
from mddag.engine.dag import Dag
from mddag.engine.trace import Trace
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Patches, Rows
from mddag.ensemble.votes import starts_of
from mddag.inspection.explanation.explain import classes_of
from mddag.inspection.plotting._axes import OKABE_ITO, group_of
from mddag.inspection.plotting.graph import Graph, Grouping
from mddag.losses import ZeroOne
from mddag.metrics.detection import RealisedRates
from mddag.policy.calibration import Calibration
from mddag.policy.curve import Curve
from mddag.policy.mdp import Evaluation

MOST_GROUPS = 24  # columns of the DAG
MOST_EVALUATIONS = 4_000_000  # on all paths that are counted: some 200 MB at work


class ReportedModel(Protocol):
    """What a model file holds, ``mddag.serving.model_file.Model``."""

    @property
    def dag(self) -> Dag: ...
    @property
    def calibration(self) -> Calibration | None: ...
    @property
    def beta(self) -> float | None: ...
    @property
    def evaluation(self) -> Evaluation | None: ...
    @property
    def full(self) -> Evaluation | None: ...
    @property
    def summary(self) -> Any: ...


@dataclass(frozen=True, eq=False)
class Facts:
    """A fitted model, and what it is shown on; unknown parts are None.

    `lines` is the summary in words that ``sparsify`` left; `evaluation` and `full_evaluation` are
    the policy and the full ensemble on the policy rows; `source` is the full ensemble, before a
    policy reweighs it; `rates` are those of a detector. `rows` are as the ensemble reads them, with
    `targets` (n,) and, for rankers, the query `qid` of each; `curve` is a trade-off to draw.
    """

    title: str
    dag: Dag
    calibration: Calibration | None = None
    lines: Sequence[str] = ()
    beta: float | None = None
    evaluation: Evaluation | None = None
    full_evaluation: Evaluation | None = None
    source: Ensemble | None = None
    rates: RealisedRates | None = None
    rows: Rows | Patches | None = None
    targets: NDArray[Any] | None = None
    qid: Any = None
    curve: Curve | None = None
    n_jobs: int = 1

    def __post_init__(self) -> None:
        if self.curve is not None:
            check_is("curve", self.curve, Curve, "a Curve, such as mddag.sweep gives, or None")
        if self.targets is not None and self.rows is None:
            raise ValueError("y is given without X; wanted the rows X that y belongs to")
        if self.targets is not None and len(self.targets) != self.n_rows:
            raise ValueError(
                f"y has {len(self.targets)} entries, but X has {self.n_rows} rows; "
                "wanted one for each row"
            )
        if self.codes is None and self.targets is not None:
            _check_numbers(self.targets)

    @classmethod
    def of_model(cls, model: ReportedModel, **more: Any) -> Facts:
        """Take what is known of a model, and what else is given."""
        summary = model.summary
        known: dict[str, Any] = {
            "title": _title(model.dag.ensemble),
            "lines": () if summary is None else summary.lines(),
            "rates": None if summary is None else summary.rates,
        }
        return cls(
            dag=model.dag,
            calibration=model.calibration,
            beta=model.beta,
            evaluation=model.evaluation,
            full_evaluation=model.full,
            **(known | more),
        )

    @property
    def ensemble(self) -> Ensemble:
        """The ensemble that the policy runs."""
        return self.dag.ensemble

    @property
    def n_rows(self) -> int:
        """The number of rows; 0 without rows."""
        return 0 if self.rows is None else len(self.rows)

    @property
    def n_classifiers(self) -> int:
        """The number of base classifiers."""
        return len(self.ensemble)

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
    def paths(self) -> Trace:
        """The paths that are counted: of all rows, or of evenly spaced ones if these are long."""
        whole = self.trace
        share = min(MOST_EVALUATIONS / max(len(whole.indices), 1), 1.0)
        rows = spaced_rows(self.n_rows, max(int(share * self.n_rows), 1))
        lengths = whole.n_evaluated[rows]
        return Trace(
            whole.scores[rows],
            starts_of(lengths),
            whole.indices[_ranges(whole.indptr[rows], lengths)],
            whole.exit_step[rows],
            whole.cost[rows],
            whole.verdict[rows],
        )

    @property
    def counted_on(self) -> str:
        """What captions say if not all rows are counted."""
        n = len(self.paths)
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
        """Class places, or numbers, (n,)."""
        if self.classes is not None:
            return self.trace.verdict
        return self.numbers(self.trace.scores, self.trace.exit_step)

    def numbers(
        self, scores: NDArray[np.float64], exit_step: NDArray[np.integer[Any]]
    ) -> NDArray[np.float64]:
        """Return what a regressor predicts, or a ranker sorts by, (n,)."""
        if self.calibration is not None:
            scores = self.calibration.calibrated(scores, exit_step)
        if self.ensemble.kind == "ranker":
            return scores[:, 0]
        found: NDArray[np.float64] = self.ensemble.task.predictions(scores)
        return found

    @cached_property
    def probabilities(self) -> NDArray[np.float64] | None:
        """(n, n_classes); None where there are none."""
        if self.classes is None or self.calibration is None:
            return None
        return self.calibration.probabilities(self.trace.scores, self.trace.exit_step)

    @cached_property
    def full_predicted(self) -> NDArray[Any] | None:
        """What the full ensemble predicts; None where it is not at hand."""
        if self.source is None or self.rows is None:
            return None
        scores = self.source.scores(self.columns, n_jobs=self.n_jobs)
        if self.classes is not None:
            return self.source.task.codes(scores, self.source.n_scores)
        ranks = self.ensemble.kind == "ranker"
        found: NDArray[Any] = scores[:, 0] if ranks else self.source.task.predictions(scores)
        return found

    @cached_property
    def colored(self) -> tuple[tuple[str, ...], NDArray[np.intp]]:
        """Names of groups of rows with a color each, and the group of each row.

        Groups are the true classes, or the predicted ones without labels; numbers have none.
        """
        codes = self.codes if self.codes is not None else self.predicted
        if self.classes is None:
            return (), np.zeros(self.n_rows, np.intp)
        names, group = group_of(codes, self.n_rows, "y")
        labels = self.classes.tolist()
        known = tuple(n if n == "other" else str(labels[int(n)]) for n in names)
        return known[: len(OKABE_ITO)], group

    @property
    def colors(self) -> str:
        """What the colors of rows stand for."""
        return "rows of class" if self.codes is not None else "rows that are predicted to be"

    @cached_property
    def reads(self) -> Reads:
        """The features that each base classifier reads."""
        return reads_of(self.ensemble)

    @cached_property
    def graph(self) -> Graph:
        """The walked DAG, by color."""
        names, group = self.colored
        counted = group[spaced_rows(self.n_rows, len(self.paths))]
        return Graph.of_trace(self.paths, counted if names else None)

    @cached_property
    def grouping(self) -> Grouping:
        """Its base classifiers in groups."""
        return Grouping.of(self.graph, MOST_GROUPS)


def _check_numbers(targets: NDArray[Any]) -> None:
    if np.asarray(targets).dtype.kind not in "biuf":
        raise ValueError(
            f"y has dtype {np.asarray(targets).dtype}; wanted numbers, the targets of a regressor "
            "or the relevance of documents"
        )


def _ranges(starts: NDArray[Any], lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Return the numbers starts[i] .. starts[i] + lengths[i], one range after the other."""
    before = np.cumsum(lengths) - lengths
    found: NDArray[np.int64] = np.repeat(starts - before, lengths) + np.arange(lengths.sum())
    return found


def _title(ensemble: Ensemble) -> str:
    return f"{ensemble.kind.capitalize()} of {len(ensemble)} base classifiers"


Reads = dict[int, NDArray[np.int32]]


def reads_of(ensemble: Ensemble) -> Reads:
    """Return the columns that the trees of each base classifier split on; empty for callables."""
    if ensemble.callables:
        return {}
    rounds, starts = ensemble.tables.rounds, ensemble.starts
    found = {}
    for j in range(len(ensemble)):
        column = ensemble.nodes["feature"][starts[rounds[j]] : starts[rounds[j + 1]]]
        found[j] = np.unique(column[column >= 0])
    return found


@dataclass(frozen=True)
class CurvePoint:
    """Evaluations and loss of this model on the rows of the report, and the full model's loss."""

    n_evaluated: float
    loss: float
    full_loss: float | None


def point_of(curve: Curve, facts: Facts) -> CurvePoint | None:
    """Measure the model by the loss of a curve; None where that is not possible.

    That is without rows or targets, and for rankers and losses of probabilities, which scores of
    single rows do not say.
    """
    if facts.rows is None or facts.targets is None:
        return None
    if facts.ensemble.kind == "ranker" or curve.loss.of_probabilities:
        return None
    own = _loss(curve, facts, facts.trace.scores, facts.predicted)
    full = None
    if facts.source is not None:
        scores = facts.source.scores(facts.columns, n_jobs=facts.n_jobs)
        full = _loss(curve, facts, scores, facts.full_predicted)
    return CurvePoint(float(facts.trace.n_evaluated.mean()), own, full)


def _loss(
    curve: Curve, facts: Facts, scores: NDArray[np.float64], predicted: NDArray[Any] | None
) -> float:
    """Return the mean loss of rows with these final scores and labels."""
    if facts.codes is None:
        return float(np.mean(curve.loss(scores, np.asarray(facts.targets, np.float64))))
    if counts_errors(curve):  # by labels: a policy may give others than the scores say
        return float(np.mean(predicted != facts.codes))
    return float(np.mean(curve.loss(scores, facts.codes)))


def counts_errors(curve: Curve) -> bool:
    """Tell whether the loss is the share of wrong labels."""
    return isinstance(curve.loss, ZeroOne) and curve.loss.weights is None
