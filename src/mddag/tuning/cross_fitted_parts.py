"""CrossFittedParts: rows that a model was trained on, judged by models of the same shape that were
trained without them.

A policy that is learned and chosen on such rows goes with the model that was trained on all of
them. What it does there is not known row by row, but it is what it does to rows to come: step j of
that model is much like step j of the others, with fewer errors, since it had more rows. Rows that
certify are new to all models, and are judged by that model itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mddag.adapters import ModelParts, ensemble_of
from mddag.dag.replay import Replay, replay
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.fold_votes import are_alike, fold_votes, joined_depths
from mddag.ensemble.leaf_depths import LeafDepths
from mddag.ensemble.votes import Codes, Votes
from mddag.mdp.policy import Policy
from mddag.tuning.folded_rows import ALL, FOLDS, FoldedRows
from mddag.tuning.row_parts import RowParts


@dataclass(frozen=True, eq=False)
class CrossFittedParts(RowParts):
    """Rows in their parts, each with the votes of the model that judges it.

    models : those without each fold, and last the one of all rows, which is `ensemble`
    """

    models: tuple[Ensemble, ...] = ()

    @classmethod
    def of_models(cls, sources: Sequence[ModelParts], rows: FoldedRows) -> Self | None:
        """Of models of one shape, without each fold, and of all rows; None where they differ in
        form.

        They are as long as the shortest of them.
        """
        models = [ensemble_of(source) for source in sources]
        length = min(map(len, models))
        models = [model.truncated(length) for model in models]
        if length == 0 or not are_alike(models):
            return None
        folds = [*range(FOLDS), ALL]
        own = [rows.judged_by(fold) for fold in folds]
        codes = [
            _leaf_codes(model, source, rows, of_model)
            for model, source, of_model in zip(models, sources, own, strict=True)
        ]
        final, votes = models[-1], fold_votes(models, own, codes)
        scores = votes.scores()
        learning, choosing = rows.split(np.arange(len(rows.judging)))
        return cls(
            ensemble=final,
            votes=votes,
            scores=scores,
            full=final.task.predictions(scores),
            truth=rows.given_targets,
            labelled=True,
            learning=learning,
            choosing=choosing,
            certifying=rows.judged_by(ALL),
            weight=rows.given_weight,
            models=tuple(models),
        )

    def votes_of(self, rows: NDArray[np.intp]) -> Votes:
        """Of rows that certify those of the ensemble, of others those of the models without."""
        if not np.isin(rows, self.certifying).all():
            return self.votes.rows(rows)
        before: Any = sum(model.tables.n_leaves for model in self.models[:-1])
        tables = self.ensemble.tables
        codes = (self.votes.codes[rows] - before).astype(tables.code_dtype())
        return Votes(codes, tables)

    def replayed(self, policy: Policy) -> Replay:
        """What a policy does to all rows, to those that certify in the ensemble itself."""
        found = super().replayed(policy)
        own = replay(self.ensemble, policy, self.votes_of(self.certifying))
        for name, of_own in vars(own).items():
            getattr(found, name)[self.certifying] = of_own
        return found

    def leaf_depths(self) -> LeafDepths:
        """By the leaf codes of all models."""
        return joined_depths(self.models)

    def cut(self, n_classifiers: int) -> Self:
        """The same rows for the first so many base classifiers of all models."""
        models = tuple(model.truncated(n_classifiers) for model in self.models)
        return replace(super().cut(n_classifiers), models=models)


def _leaf_codes(
    model: Ensemble, source: ModelParts, rows: FoldedRows, given: NDArray[np.intp]
) -> Codes:
    if len(given) == 0:  # no rows certify
        return np.empty((0, model.n_trees), model.tables.code_dtype())
    return model.votes(source.rows(rows.some_given(given)), n_threads=rows.n_threads).codes
