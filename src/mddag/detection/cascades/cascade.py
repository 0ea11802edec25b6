"""CascadeClassifier: what the cascades share; the contract of the family.

A cascade decides between two classes, the second of which (``classes_[1]``) is to be detected. It
is trained as `_trained` of the member says and becomes a `Dag`: an ensemble and a policy whose
verdicts reject rows on the way. So it has the same trace, model file and export as any other.

There are no probabilities: rows that leave early have scores of other stages, and most of them were
rejected by rates that have nothing to do with the odds. ``CalibratedClassifierCV(cascade)`` makes
some from ``decision_function``.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mddag._internal.checks import checked_threads
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
from mddag.estimators.shipping import Shipping
from mddag.features.checks import all_or_nothing, checked_rows
from mddag.features.patches import PatchFeatures
from mddag.features.rows import Rows
from mddag.learners import Stump
from mddag.learners.learner import own_columns
from mddag.mdp.policy import Policy
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
        """A chain over trees that read the columns of `rows`."""
        return cls(ensemble_of(rows, trees), chain, stopped_by)


class CascadeClassifier(Shipping, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
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

    refills: ClassVar[bool] = True  # whether training replaces negatives that are rejected
    learner: Any
    n_threads: int
    random_state: Any
    chain_: Chain
    ensemble_: Ensemble
    policy_: Policy
    dag_: Dag

    def fit(self, X: Any, y: Any, negatives: Any = None) -> Self:
        """Train on X (n, d), or patches (n, h, w) with a ``Haar()`` learner, and two labels y.

        `negatives` are further rows of the first class, a pool of them or a function of a number n
        that returns about n rows: they replace negatives that are rejected during training. If fit
        fails or is interrupted, the estimator is as it was before.
        """
        if negatives is not None and not self.refills:
            raise ValueError(
                f"negatives are given, but {type(self).__name__} rejects nothing while it is "
                "trained, so there is nothing to replace; add them to X and y"
            )
        self._check_parameters()
        with all_or_nothing(self):
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            given = self._given(X, y, seed)
            supply = self._supply(negatives, given)
            self._settle(self._trained(given, supply, seed))
        return self

    @abstractmethod
    def _trained(self, given: TrainingSet, supply: Supply | None, seed: int) -> Trained:
        """The cascade of these rows."""

    @abstractmethod
    def _check_parameters(self) -> None:
        """Refuse what makes no sense, before any work."""

    def predict(self, X: Any) -> NDArray[Any]:
        """``classes_[1]`` for rows that pass every stage, ``classes_[0]`` for others, (n,)."""
        return self.predictor().predict(self._rows(X))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """What an ROC curve is made of, (n,): stage and score there, see ``Chain``; accepted rows
        are above 0."""
        rows = self._rows(X)
        scores, exit_step = self.dag_.exits_of(rows, self.n_threads)
        reach = self.chain_.reach(self.ensemble_.tables.reach())
        ranks = self.chain_.ranks(scores[:, 0], exit_step, reach)
        decision: NDArray[np.float64] = ranks - self.chain_.boundary(reach)
        return decision

    def scores(self, X: Any) -> NDArray[np.float64]:
        """The raw score of the stage at which each row leaves, float64 (n, 1)."""
        return self.predictor().scores(self._rows(X))

    def trace(self, X: Any) -> Trace:
        """Raw scores, paths and verdicts of every row."""
        return self.predictor().run(self._rows(X))

    def n_evaluated(self, X: Any) -> NDArray[np.int64]:
        """Base classifiers evaluated on each row, (n,)."""
        return self.predictor().n_evaluated(self._rows(X))

    def predictor(self) -> Predictor:
        """The fitted model without scikit-learn; its predictions are the same."""
        check_is_fitted(self)
        return Predictor(Model(self.dag_), n_threads=self.n_threads)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        return tags

    def _check_shared(self) -> None:
        """The parameters that every cascade has."""
        check_learner(self.learner)
        checked_threads(self.n_threads)

    def _parted(self, given: TrainingSet, seed: int, held_out: float) -> Material:
        """The rows, a share of them held out for thresholds."""
        rng = np.random.default_rng(seed)
        boosted, held = given.held_out(held_out, "policy_fraction", rng)
        return Material(boosted, held, self._learner(), self.n_threads)

    def _learner(self) -> Any:
        return Stump() if self.learner is None else self.learner

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

    def _rows(self, X: Any) -> Rows:
        check_is_fitted(self)
        return checked_rows(self, X, self.ensemble_.features)


def ensemble_of(rows: TrainingSet, trees: list[Nodes]) -> Ensemble:
    """The ensemble of trees that read the columns of `rows`."""
    if not trees:
        raise ValueError(
            "no base classifier is better than chance on these rows, so there is no cascade; give "
            "other features or another learner"
        )
    used, features = on_used_columns(trees, rows.features)
    return Ensemble.from_trees(used, features=features, classes=rows.classes)
