"""TrainingJob: models in many shapes, the front of all their candidates, and the estimator made.

    front()   : a first look at models of all shapes and their simple candidates; the shapes that
                promise most trained on all rows, with their candidates, of the best those of the
                default solver, too
    settled() : a candidate of the front as a fitted estimator, with what was tried

What the knob takes of the front is chosen by ``train``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mddag._internal.progress import progress
from mddag.adapters import ModelParts
from mddag.dag.dag import compile as compile_dag
from mddag.ensemble.tasks import TASKS
from mddag.ensemble.tasks.task import Kind
from mddag.estimators.dag_estimator import DagEstimator
from mddag.estimators.solver_choice import chosen_solver
from mddag.tuning.arguments import measure_of
from mddag.tuning.candidate_front import Candidate
from mddag.tuning.contestant import Contestant
from mddag.tuning.folded_rows import FoldedRows
from mddag.tuning.guarantee import Guarantee
from mddag.tuning.measurement import finite_speed, measured
from mddag.tuning.node_prices import node_prices
from mddag.tuning.prices import Prices
from mddag.tuning.shape_models import ShapeModel, slower, trained_again, trained_shapes
from mddag.tuning.shapes import Shape, library_of
from mddag.tuning.sparsify import ESTIMATORS, EVERY, settle_chosen
from mddag.tuning.time_prices import TimePrices, batch_time
from mddag.tuning.trained_front import TrainedCandidate, TrainedFront, affordable

MOST_TRAINED = 8  # shapes that are trained on all rows, the tuned full model besides


@dataclass(frozen=True)
class TrainedShape:
    """A line of ``trained_``: a shape that was tried.

    name       : leaves, learning rate, and the rounds after which it was best
    n_rounds   : these
    error      : of the whole model on rows that it was not trained on (regressors: R2)
    cost       : of the whole model there, in the unit of the objective
    trained    : whether it was trained on all rows, or had a first look alone
    kept       : whether policies were learned for it by the default solver
    chosen     : whether the model returned has its base classifiers
    """

    name: str
    n_rounds: int
    error: float
    cost: float
    trained: bool
    kept: bool
    chosen: bool


@dataclass(frozen=True)
class Reference:
    """``reference_``: the tuned full model, against which losses were measured.

    name   : its shape
    error  : on the rows that ``summary_`` is of (regressors: R2)
    cost   : there, in the unit of the objective
    """

    name: str
    error: float
    cost: float


@dataclass(frozen=True)
class TrainingJob:
    """The arguments of one call, and what is done with them."""

    estimator: Any
    rows: FoldedRows
    kind: Kind
    knob: str
    objective: str
    n_threads: int
    verbose: bool

    def front(self) -> TrainedFront:
        """The front of all candidates."""
        looked_at = self._looked_at()
        promising = looked_at.promising()
        kept = promising[:MOST_TRAINED]
        if looked_at.reference not in kept:
            kept.append(looked_at.reference)
        models = self._trained([contestant.model for contestant in kept])
        front = self._front(models, [c for c in promising if c not in kept])
        self._solve(front)
        return front

    def _looked_at(self) -> TrainedFront:
        """Models in all shapes without the first fold, and their simple candidates."""
        shapes = [Shape(), *library_of(self.estimator).grid()]
        with progress("train", 2 * len(shapes), self.verbose) as report:
            models = trained_shapes(self.estimator, shapes, self.rows, report)
            slow = slower(min(models, key=lambda model: model.loss))
            if slow is not None:
                models += trained_shapes(self.estimator, [slow], self.rows, report)
        return self._front(models)

    def _trained(self, looked_at: list[ShapeModel]) -> list[ShapeModel]:
        """The same shapes, trained on all rows."""
        found = []
        with progress("train on all rows", len(looked_at), self.verbose) as report:
            for done, model in enumerate(looked_at, 1):
                again = trained_again(self.estimator, model, self.rows)
                if again is not None:
                    found.append(again)
                report(done, model.name)
        if not found:
            raise ValueError(
                f"models of {type(self.estimator).__name__} that are trained on different rows "
                "have trees that vote for different scores, so that they cannot judge each other; "
                "fit one model, and make it sparse: mddag.sparsify(model, X, y, ...)"
            )
        return found

    def _front(
        self, models: list[ShapeModel], only_looked_at: Sequence[Contestant] = ()
    ) -> TrainedFront:
        """All simple candidates of some models; the best model is the reference."""
        reference = min(models, key=lambda model: model.loss)
        contestants = [self._contestant(model, reference) for model in models]
        front = TrainedFront(
            contestants[models.index(reference)],
            measure_of(TASKS[self.kind](), self.knob),
            only_looked_at,
        )
        for contestant in contestants:
            for entry in contestant.simple():
                front.add(entry)
        return front

    def _contestant(self, model: ShapeModel, reference: ShapeModel) -> Contestant:
        parts = reference.parts
        targets = parts.full if self.knob == "max_disagreement" else parts.truth
        return Contestant(model, targets, parts.scores, self._prices(model), self._every)

    def _prices(self, model: ShapeModel) -> Prices | None:
        if self.objective == "nodes":
            return node_prices(model.parts)
        return TimePrices(model.parts.ensemble) if self.objective == "time" else None

    @property
    def _every(self) -> int:
        """Fewer decisions keep more rows of a batch together."""
        return EVERY if self.objective == "time" else 1

    def _solve(self, front: TrainedFront) -> None:
        """The candidates of the default solver for the contestants that promise most."""
        solver = chosen_solver(None, every=self._every, n_threads=self.n_threads)
        solver = solver.with_seed(np.random.RandomState(self.rows.seed))
        kept = affordable(front.promising())
        with progress("policies", len(kept), self.verbose) as report:
            for done, contestant in enumerate(kept, 1):
                front.add(contestant.solved(solver))
                report(done, contestant.model.name)

    def settled(
        self,
        front: TrainedFront,
        chosen: Candidate,
        knob: str,
        value: float,
        guarantee: Guarantee | None,
        random_state: Any,
    ) -> DagEstimator:
        """The estimator with the chosen policy over the ensemble of its shape."""
        assert isinstance(chosen, TrainedCandidate)
        assert chosen.contestant is not None
        contestant, reference = chosen.contestant, front.reference
        source, ensemble = contestant.model.source, contestant.parts.ensemble
        made = ESTIMATORS[self.kind](
            ensemble if source.transformer is None else ModelParts(ensemble, source.transformer),
            every=self._every,
            n_threads=self.n_threads,
            verbose=self.verbose,
            random_state=random_state,
        )
        parts = replace(contestant.parts, full=reference.parts.full)
        settle_chosen(made, chosen, parts.truth, self.rows.given, parts, None)
        if guarantee is not None:
            made.promise_ = guarantee
        summary = measured(made, knob, value, guarantee, chosen, parts, None, contestant.prices)
        of_summary = parts.choosing if guarantee is None else parts.certifying
        whole = compile_dag(reference.parts.ensemble)
        made.reference_ = Reference(
            reference.model.name, float(summary.full or 0.0), reference.mean_cost(of_summary)
        )
        made.summary_ = replace(
            summary,
            reference=reference.model.name,
            is_reference=chosen is front.everything,
            n_nodes_full=None if summary.n_nodes is None else made.reference_.cost,
            speed=finite_speed(batch_time(whole) / max(batch_time(made.dag_), 1e-9)),
            speed_one=finite_speed(
                whole.program.full_costs.one / max(made.dag_.program.costs.one, 1e-9)
            ),
        )
        made.trained_ = self._table(front, contestant)
        return made

    def _table(self, front: TrainedFront, chosen: Contestant) -> tuple[TrainedShape, ...]:
        """All shapes, the best full models first, those that had a first look alone last."""
        solved = {entry.contestant for entry in front.entries if entry.by == "choosing"}
        trained = sorted(dict.fromkeys(front.owners), key=lambda c: c.model.loss)
        others = sorted(front.only_looked_at, key=lambda c: c.model.loss)
        return tuple(
            TrainedShape(
                c.model.name,
                c.parts.ensemble.n_classifiers,
                c.quality(),
                c.mean_cost(c.parts.choosing),
                c in trained,
                c in solved,
                c is chosen,
            )
            for c in (*trained, *others)
        )
