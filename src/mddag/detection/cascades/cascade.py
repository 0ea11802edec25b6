"""CascadeClassifier: what the cascades share; the contract of the family.

A cascade decides between two classes, the second of which (``classes_[1]``) is to be detected. It
is trained as `_train` of the member says and becomes a `Dag`: an ensemble and a policy whose
verdicts reject rows on the way. So it has the same trace, model file and export as any other.

There are no probabilities: rows that leave early have scores of other stages, and most of them were
rejected by rates that have nothing to do with the odds. ``CalibratedClassifierCV(cascade)`` makes
some from ``decision_function``.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mddag._internal.checks import check_fraction, checked_threads
from mddag.boosting.training_set import TrainingSet, training_set
from mddag.boosting.used_columns import on_used_columns
from mddag.dag.dag import Dag
from mddag.dag.dag import compile as compile_dag
from mddag.dag.trace import Trace
from mddag.detection.cascades.chain import Chain
from mddag.detection.cascades.material import Material, Supply
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import Nodes
from mddag.estimators.adaboost import check_learner
from mddag.features.checks import all_or_nothing, checked_rows
from mddag.features.patches import PatchFeatures
from mddag.features.rows import Rows
from mddag.learners import Stump
from mddag.learners.learner import own_columns
from mddag.mdp.policy import Policy
from mddag.serving.export import export_c
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor


@dataclass(frozen=True, eq=False)
class Trained:
    """What training gives: base classifiers, the chain over them, and why there are no more."""

    ensemble: Ensemble
    chain: Chain
    stopped_by: str

    @classmethod
    def of_trees(
        cls, rows: TrainingSet, trees: list[Nodes], chain: Chain, stopped_by: str
    ) -> Trained:
        """The ensemble of trees over the columns of `rows`."""
        used, features = on_used_columns(trees, rows.features)
        ensemble = Ensemble.from_trees(used, features=features, classes=rows.classes)
        return cls(ensemble, chain, stopped_by)


class CascadeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Parameters and methods of every cascade.

    Attributes
    ----------
    chain_ : Chain
        Stages, their base classifiers and thresholds.
    ensemble_ : Ensemble
    policy_ : Policy
    dag_ : Dag
    classes_ : ndarray (2,)
    stopped_by_ : str
        Why the cascade is no longer.
    n_features_in_, feature_names_in_ : as in scikit-learn
    """

    chain_: Chain
    ensemble_: Ensemble
    policy_: Policy
    dag_: Dag

    def __init__(
        self,
        learner: Any = None,
        *,
        policy_fraction: float = 0.3,
        n_threads: int = 1,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.policy_fraction = policy_fraction
        self.n_threads = n_threads
        self.random_state = random_state

    def fit(self, X: Any, y: Any, negatives: Any = None) -> Self:
        """Train on X (n, d), or patches (n, h, w) with a ``Haar()`` learner, and two labels y.

        `negatives` are further rows of the first class, a pool of them or a function of a number n
        that returns about n rows: they replace negatives that are rejected during training. If fit
        fails or is interrupted, the estimator is as it was before.
        """
        self._check_parameters()
        with all_or_nothing(self):
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            given = self._given(X, y, seed)
            supply = self._supply(negatives, given)
            self._settle(self._trained(given, supply, seed))
        return self

    @abstractmethod
    def _train(self, material: Material, supply: Supply | None, seed: int) -> Trained:
        """The cascade of these rows."""

    def _trained(self, given: TrainingSet, supply: Supply | None, seed: int) -> Trained:
        """The cascade of rows of which a part is held out."""
        rng = np.random.default_rng(seed)
        boosted, held = given.held_out(self.policy_fraction, "policy_fraction", rng)
        learner = Stump() if self.learner is None else self.learner
        return self._train(Material(boosted, held, learner, self.n_threads), supply, seed)

    def predict(self, X: Any) -> NDArray[Any]:
        """``classes_[1]`` for rows that pass every stage, ``classes_[0]`` for others, (n,)."""
        return self._of(X, Predictor.predict)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """What an ROC curve is made of, (n,): stage and score there, see ``Chain``; accepted rows
        are above 0."""
        rows = self._rows(X)
        scores, exit_step = self.dag_.exits_of(rows, self.n_threads)
        reach = self.chain_.reach(largest_votes(self.ensemble_))
        ranks = self.chain_.ranks(scores[:, 0], exit_step, reach)
        decision: NDArray[np.float64] = ranks - self.chain_.boundary(reach)
        return decision

    def scores(self, X: Any) -> NDArray[np.float64]:
        """The raw score of the stage at which each row leaves, float64 (n, 1)."""
        return self._of(X, Predictor.scores)

    def trace(self, X: Any) -> Trace:
        """Raw scores, paths and verdicts of every row."""
        return self._of(X, Predictor.run)

    def n_evaluated(self, X: Any) -> NDArray[np.int64]:
        """Base classifiers evaluated on each row, (n,)."""
        return self._of(X, Predictor.n_evaluated)

    def predictor(self) -> Predictor:
        """The fitted model without scikit-learn; its predictions are the same."""
        check_is_fitted(self)
        return Predictor(Model(self.dag_), n_threads=self.n_threads)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file that ``mddag.load`` reads, without pickle."""
        self.predictor().save(path)

    def export_c(
        self,
        path: str | os.PathLike[str],
        *,
        name: str = "model",
        integer_thresholds: bool = False,
    ) -> None:
        """Write the fitted model as one C99 header; see ``mddag.export_c``."""
        export_c(self.predictor(), path, name=name, integer_thresholds=integer_thresholds)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        return tags

    def _check_parameters(self) -> None:
        check_learner(self.learner)
        check_fraction("policy_fraction", self.policy_fraction, zero=False)
        checked_threads(self.n_threads)

    def _given(self, X: Any, y: Any, seed: int) -> TrainingSet:
        """What was given to fit, if it is of two classes."""
        own = own_columns(self.learner)
        features = None if own is None else own.features(X, seed)
        given = training_set(self, X, y, None, None, features=features)
        if len(given.classes) > 2:
            raise ValueError(
                f"Only binary classification is supported. y has {len(given.classes)} classes, "
                f"{given.classes.tolist()[:5]}; wanted two, of which the second is to be detected"
            )
        return given

    def _supply(self, negatives: Any, given: TrainingSet) -> Supply | None:
        if negatives is None:
            return None
        if isinstance(given.features, PatchFeatures):
            return Supply.of(negatives, given, given.features.patches)
        return Supply.of(negatives, given, lambda rows: checked_rows(self, rows, given.features))

    def _settle(self, trained: Trained) -> None:
        ensemble, chain = trained.ensemble, trained.chain
        self.ensemble_, self.chain_, self.stopped_by_ = ensemble, chain, trained.stopped_by
        self.policy_ = chain.policy(ensemble.n_classifiers)
        self.dag_ = compile_dag(ensemble, self.policy_)
        self.classes_ = np.asarray(ensemble.classes)

    def _of(self, X: Any, method: Any) -> Any:
        rows = self._rows(X)
        return method(self.predictor(), rows)

    def _rows(self, X: Any) -> Rows:
        check_is_fitted(self)
        return checked_rows(self, X, self.ensemble_.features)


def largest_votes(ensemble: Ensemble) -> NDArray[np.float64]:
    """The largest |h_j(x)| of every base classifier, float64 (N,)."""
    return ensemble.tables.reach()
