"""PooledCascadeClassifier: a cascade that may also be made of an ensemble trained elsewhere.

The base classifiers and their votes then stay those of the ensemble. What is learned is which of
them are evaluated in which order, and the thresholds, on all rows given to ``fit``: they should be
rows that the ensemble has not seen.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, validate_data

from mddag.adapters import as_ensemble
from mddag.boosting.training_set import TrainingSet
from mddag.detection.cascades.cascade import CascadeClassifier, Trained
from mddag.detection.cascades.chain import Chain
from mddag.detection.cascades.material import Supply
from mddag.ensemble.ensemble import Ensemble
from mddag.features.checks import checked_labels, checked_rows
from mddag.features.patches import PatchFeatures


class PooledCascadeClassifier(CascadeClassifier):
    """A cascade with a parameter `ensemble`; see ``CascadeClassifier``."""

    ensemble: Any

    @abstractmethod
    def _chain(self, ensemble: Ensemble, votes: Any, positive: NDArray[np.bool_]) -> Chain:
        """The cascade of an ensemble with these votes (n, N) on rows that it has not seen."""

    @abstractmethod
    def _boosted(self, given: TrainingSet, supply: Supply | None, seed: int) -> Trained:
        """The cascade where no ensemble is given."""

    def _given(self, X: Any, y: Any, seed: int) -> TrainingSet:
        if self.ensemble is None:
            return super()._given(X, y, seed)
        pool = checked_pool(as_ensemble(self.ensemble))
        features = pool.features
        if isinstance(features, PatchFeatures):
            flat = features.patches(X).reshape(len(X), -1)
            validate_data(self, flat, reset=True, skip_check_array=True)
        else:
            validate_data(self, X, reset=True, skip_check_array=True)
        rows, labels = checked_rows(self, X, features, finite=True), checked_labels(y)
        check_consistent_length(rows, labels)
        codes = pool.task.coded(labels)
        nominal = np.zeros(features.n, bool)
        classes = np.asarray(pool.classes)
        return TrainingSet(rows, codes, np.ones(len(codes)), classes, features, nominal)

    def _trained(self, given: TrainingSet, supply: Supply | None, seed: int) -> Trained:
        if self.ensemble is None:
            return self._boosted(given, supply, seed)
        if supply is not None:
            raise ValueError(
                "negatives are given beside an ensemble, which is not trained here; add them to X "
                "and y, or leave ensemble out"
            )
        pool = as_ensemble(self.ensemble)
        votes = pool.votes(given.rows, n_threads=self.n_threads).dense()[:, :, 0]
        chain = self._chain(pool, votes, given.labels > 0)
        return Trained(pool, chain, "n_steps")


def checked_pool(pool: Ensemble) -> Ensemble:
    """An ensemble that decides between two classes by one score."""
    if pool.classes is None or pool.n_scores != 1:
        what = pool.kind if pool.classes is None else f"classifier with {pool.n_scores} scores"
        raise ValueError(
            f"Only binary classification is supported. The ensemble is a {what}; wanted one of two "
            "classes with one score"
        )
    return pool
