"""Cascades: stages in order (`Chain`), the score below which each rejects, and their estimator.

Stage m has a score f_m, the sum of the votes of its base classifiers. A row leaves at the first
stage with f_m <= r_m, and is accepted if there is none. Every base classifier is evaluated once, in
the first stage that counts it; later stages may count it again at no cost:

    VJCascade     a stage counts its own base classifiers alone
    SoftCascade, WaldBoost   a stage is one base classifier, and counts all before it
    FCBoost       some are counted by one stage, some by all stages from their own on

A row is ranked by where it left, later being better, and there by f_m: m + (f_m / reach_m + 1) / 2,
reach_m being the largest |f_m| there can be. There are no probabilities: rows that leave early have
scores of other stages, and most of them were rejected by rates that have nothing to do with the
odds. ``CalibratedClassifierCV(cascade)`` makes some from ``decision_function``.

`CascadeClassifier` is the estimator that the four cascades share. It becomes a `Dag`: an ensemble
and a policy whose verdicts reject rows on the way, with the same trace, model file and export as
any other. A member adds its parameters, their checks and `_train`; one with a parameter `ensemble`
also `_chain`, the cascade of a model trained elsewhere.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from mddag._utils.checks import checked_threads
from mddag.adapters import as_ensemble
from mddag.boosting.training_set import TrainingSet, on_used_columns, training_set
from mddag.detection.cascade_rows import Material, Supply, votes_of
from mddag.engine.dag import Dag
from mddag.engine.dag import compile as compile_dag
from mddag.engine.trace import Trace
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Rows
from mddag.ensemble.nodes import Nodes
from mddag.ensemble.patches import PatchFeatures
from mddag.ensemble.row_checks import all_or_nothing, checked_labels, checked_rows
from mddag.estimators.adaboost import check_learner
from mddag.estimators.dag_estimator import Shipping
from mddag.learners import Stump
from mddag.learners.learner import own_columns
from mddag.policy.grid import Grid
from mddag.policy.policy import BY_SCORES, EVAL, QUIT, Policy
from mddag.policy.state import Score, Stages
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor

Vector = NDArray[np.float64]

CLEARANCE = 1e-4  # of the spread of scores: far more than executors round by


@dataclass(frozen=True, eq=False)
class Left:
    """Where rows left a chain.

    stage       : intp (n,), the last stage entered
    score       : float64 (n,), f_m there
    accepted    : bool (n,)
    n_evaluated : int64 (n,)
    rank        : float64 (n,), what an ROC curve is made of
    """

    stage: NDArray[np.intp]
    score: Vector
    accepted: NDArray[np.bool_]
    n_evaluated: NDArray[np.int64]
    rank: Vector


@dataclass(frozen=True, eq=False)
class Chain:
    """Stages of base classifiers.

    order   : intp (T,), step t evaluates base classifier order[t] of the source ensemble
    ends    : intp (M,), rising to T: stage m evaluates the steps ends[m - 1] .. ends[m]
    rejects : float64 (M,), r_m; -inf where a stage rejects nothing
    counts  : bool (T, M), whether stage m counts step t; None: a stage counts all before it
    bias    : what every score begins with, that of the ensemble
    """

    order: NDArray[np.intp]
    ends: NDArray[np.intp]
    rejects: Vector
    counts: NDArray[np.bool_] | None = None
    bias: float = 0.0

    @property
    def n_stages(self) -> int:
        return len(self.ends)

    @classmethod
    def of_steps(cls, order: NDArray[np.intp], rejects: Vector, bias: float = 0.0) -> Chain:
        """One base classifier a stage, each counting all before it."""
        return cls(order.astype(np.intp), np.arange(1, len(order) + 1), rejects, bias=bias)

    @classmethod
    def of_stages(cls, sizes: list[int], rejects: list[float]) -> Chain:
        """Stages with scores of their own, over base classifiers as they come."""
        ends = np.cumsum(np.asarray(sizes, np.intp))
        of = np.repeat(np.arange(len(ends)), sizes)
        counts = of[:, None] == np.arange(len(ends))
        return cls(np.arange(len(of)), ends, np.asarray(rejects, float), counts)

    def truncated(self, n_stages: int) -> Chain:
        """The first stages alone."""
        n_steps = int(self.ends[n_stages - 1])
        counts = None if self.counts is None else self.counts[:n_steps, :n_stages]
        return replace(
            self,
            order=self.order[:n_steps],
            ends=self.ends[:n_stages],
            rejects=self.rejects[:n_stages],
            counts=counts,
        )

    def stage_scores(self, votes: Vector) -> Vector:
        """f_m of rows with these votes (n, N), float64 (n, M)."""
        taken = votes[:, self.order]
        if self.counts is None:
            sums: Vector = np.cumsum(taken, axis=1)[:, self.ends - 1]
        else:
            sums = taken @ self.counts
        return sums + self.bias

    def left(self, votes: Vector, most: Vector | None = None) -> Left:
        """Where rows with these votes (n, N) leave.

        most : the largest |vote| of each base classifier, (N,); by default those of these rows
        """
        scores = self.stage_scores(votes)
        rejected = scores <= self.rejects
        out: NDArray[np.bool_] = np.asarray(rejected.any(axis=1))
        stage = np.where(out, rejected.argmax(axis=1), self.n_stages - 1)
        score = scores[np.arange(len(scores)), stage]
        reach = self.reach(np.abs(votes).max(axis=0, initial=0.0) if most is None else most)
        rank = self.ranks(score, self.ends[stage], reach)
        return Left(stage, score, np.logical_not(out), self.ends[stage].astype(np.int64), rank)

    def ranks(self, scores: Vector, exit_step: NDArray[np.integer[Any]], reach: Vector) -> Vector:
        """What an ROC curve is made of, (n,): of scores (n,) of rows that left at steps (n,)."""
        stage = np.searchsorted(self.ends, exit_step)
        ranks: Vector = stage + (scores / reach[stage] + 1) / 2
        return ranks

    def boundary(self, reach: Vector) -> float:
        """The rank above which rows are accepted."""
        most = float(reach[-1])
        last = min(max(float(self.rejects[-1]), -most), most)
        return self.n_stages - 1 + (last / most + 1) / 2

    def policy(self, n_classifiers: int) -> Policy:
        """The same as a policy over an ensemble of so many base classifiers."""
        n_steps = len(self.order)
        unused = np.setdiff1d(np.arange(n_classifiers), self.order)
        grid = Grid(np.unique(self.rejects[np.isfinite(self.rejects)]))
        actions = np.full((n_classifiers, grid.n_cells), QUIT, np.uint8)
        actions[:n_steps] = EVAL
        verdict = np.full((n_classifiers + 1, grid.n_cells), BY_SCORES, np.int16)
        verdict[n_steps] = 1
        for end, reject in zip(self.ends.tolist(), self.rejects.tolist(), strict=True):
            below = np.searchsorted(grid.edges, reject) + 1 if reject > -np.inf else 0
            verdict[end, :below] = 0
            if end < n_steps:
                actions[end, :below] = QUIT
        state = Score(grid) if self.counts is None else self._state(grid, n_classifiers)
        order = np.concatenate([self.order, unused])
        return Policy(actions, grid, order, state=state, verdict=verdict)

    def _state(self, grid: Grid, n_classifiers: int) -> Stages:
        """A score column for each stage; the first step of a stage reads that of the last."""
        assert self.counts is not None
        n_steps = len(self.order)
        reads = np.full(n_classifiers + 1, self.n_stages - 1)
        reads[: n_steps + 1] = np.searchsorted(self.ends, np.arange(n_steps + 1))
        writes = np.zeros((n_classifiers, self.n_stages), bool)
        writes[:n_steps] = self.counts
        return Stages(grid, reads, writes)

    def reach(self, most: Vector) -> Vector:
        """The largest |f_m| there can be, float64 (M,), of the largest votes (N,) of each h_j."""
        taken = most[self.order]
        sums = np.cumsum(taken)[self.ends - 1] if self.counts is None else taken @ self.counts
        sums = sums + abs(self.bias)
        reach: Vector = np.where(sums > 0, sums, 1.0)
        return reach


def passing(chain: Chain, trees: list[Nodes], rows: TrainingSet) -> NDArray[np.bool_]:
    """Which rows the chain of these trees accepts, (n,)."""
    return chain.left(votes_of(rows, trees)).accepted


def highest_reject(positives: Vector, negatives: Vector, n_lost: int) -> float:
    """The largest r that rejects at most `n_lost` of the positives, of scores (n,) of each class.

    Scores of stumps repeat, and executors round them: so r lies midway between the lowest score
    that is kept and the next one below, whichever class that is of.
    """
    ordered = np.sort(positives)
    if n_lost >= len(ordered):
        return -np.inf  # nothing would be left
    kept = float(ordered[n_lost])
    below = max(
        (float(s[s < kept].max(initial=-np.inf)) for s in (positives, negatives)), default=-np.inf
    )
    if below == -np.inf:
        spread = float(np.abs(ordered).max()) or 1.0
        return kept - CLEARANCE * spread
    return (below + kept) / 2


@dataclass(frozen=True, eq=False)
class Trained:
    """What training gives: base classifiers, the chain over them, and why there are no more."""

    trees: list[Nodes]
    chain: Chain
    stopped_by: str


@dataclass(eq=False, repr=False)  # writes __init__; equality and repr are scikit-learn's
class CascadeClassifier(Shipping, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Parameters, attributes and methods of every cascade.

    Attributes
    ----------
    chain_ : Chain
        Stages, their base classifiers and thresholds.
    ensemble_ : Ensemble
        The base classifiers.
    policy_ : Policy
        What the chain is as a policy.
    dag_ : Dag
        What is run.
    classes_ : ndarray of shape (2,)
        The second one is to be detected.
    stopped_by_ : str
        Why the cascade is no longer.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    refills: ClassVar[bool] = True  # whether training replaces negatives that are rejected
    ensemble = None  # a parameter of some members: base classifiers trained elsewhere

    learner: Any = None
    _: KW_ONLY
    n_threads: int = 1
    random_state: Any = None

    def fit(self, X: ArrayLike, y: ArrayLike, negatives: Any = None) -> Self:
        """Train the cascade.

        If fit fails or is interrupted, the estimator is as it was before.

        Parameters
        ----------
        X : array-like of shape (n, d), or patches of shape (n, h, w) with a ``Haar()`` learner
            Rows of both classes.
        y : array-like of shape (n,)
            Two labels; the larger one is to be detected.
        negatives : array-like or callable, default None
            Further rows of the first class, or a function of a number n that returns about n of
            them: they replace negatives that are rejected during training.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if negatives is not None and not self.refills:
            raise ValueError(
                f"negatives are given, but {type(self).__name__} rejects nothing while it is "
                "trained, so there is nothing to replace; add them to X and y"
            )
        if negatives is not None and self.ensemble is not None:
            raise ValueError(
                "negatives are given beside an ensemble, which is not trained here; add them to X "
                "and y, or leave ensemble out"
            )
        check_learner(self.learner)
        checked_threads(self.n_threads)
        self._check_parameters()
        with all_or_nothing(self):
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            if self.ensemble is None:
                given = self._given(X, y, seed)
                trained = self._train(given, self._supply(negatives, given), seed)
                self.ensemble_: Ensemble = ensemble_of(given, trained.trees)
                self.chain_: Chain = trained.chain
                self.stopped_by_ = trained.stopped_by
            else:
                pool = checked_pool(as_ensemble(self.ensemble))
                rows, positive = self._given_to(pool, X, y)
                votes = pool.votes(rows, n_threads=self.n_threads).dense()[:, :, 0]
                self.ensemble_ = pool
                self.chain_ = self._chain(votes, positive, float(pool.bias[0]))
                self.stopped_by_ = "n_steps"
            self.policy_: Policy = self.chain_.policy(self.ensemble_.n_classifiers)
            self.dag_: Dag = compile_dag(self.ensemble_, self.policy_)
            self.classes_ = np.asarray(self.ensemble_.classes)
        return self

    def _check_parameters(self) -> None:
        """Raise where a parameter of the member makes no sense, before any work."""
        raise NotImplementedError

    def _train(self, given: TrainingSet, supply: Supply | None, seed: int) -> Trained:
        """Train the base classifiers and the chain."""
        raise NotImplementedError

    def _chain(self, votes: NDArray[np.float64], positive: NDArray[np.bool_], bias: float) -> Chain:
        """Learn the chain of base classifiers that vote (n, N) on rows that they have not seen."""
        raise NotImplementedError

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return ``classes_[1]`` for rows that pass every stage, else ``classes_[0]``, (n,)."""
        return self.predictor().predict(self._rows(X))

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return what an ROC curve is made of, (n,): the stage at which a row leaves and its score
        there, see ``Chain``; accepted rows are above 0."""
        rows = self._rows(X)
        scores, exit_step = self.dag_.exits_of(rows, self.n_threads)
        reach = self.chain_.reach(self.ensemble_.tables.reach())
        ranks = self.chain_.ranks(scores[:, 0], exit_step, reach)
        decision: NDArray[np.float64] = ranks - self.chain_.boundary(reach)
        return decision

    def scores(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the raw score of the stage at which each row leaves, float64 (n, 1)."""
        return self.predictor().scores(self._rows(X))

    def trace(self, X: ArrayLike) -> Trace:
        """Return raw scores, paths and verdicts of every row."""
        return self.predictor().run(self._rows(X))

    def n_evaluated(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the number of base classifiers evaluated on each row, (n,)."""
        return self.predictor().n_evaluated(self._rows(X))

    def predictor(self) -> Predictor:
        """Return the fitted model without scikit-learn; its predictions are the same."""
        check_is_fitted(self)
        return Predictor(Model(self.dag_), n_threads=self.n_threads)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        return tags

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

    def _given_to(self, pool: Ensemble, X: Any, y: Any) -> tuple[Any, NDArray[np.bool_]]:
        """What was given to fit beside an ensemble: rows, and which of them are positive."""
        features = pool.features
        flat = X
        if isinstance(features, PatchFeatures):
            flat = features.patches(X).reshape(len(X), -1)
        validate_data(self, flat, reset=True, skip_check_array=True)
        rows, labels = checked_rows(self, X, features, finite=True), checked_labels(y)
        check_consistent_length(rows, labels)
        codes = pool.task.coded(labels)
        if len(np.unique(codes)) < 2:
            raise ValueError(
                f"all {len(codes)} rows are of class {np.asarray(pool.classes)[codes[0]].item()!r};"
                " a cascade wants rows of both classes: its thresholds part them"
            )
        return rows, codes > 0

    def _supply(self, negatives: Any, given: TrainingSet) -> Supply | None:
        if negatives is None:
            return None
        if isinstance(given.features, PatchFeatures):
            return Supply.of(negatives, given, given.features.patches)
        return Supply.of(negatives, given, lambda rows: checked_rows(self, rows, given.features))

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


def checked_pool(pool: Ensemble) -> Ensemble:
    """An ensemble that decides between two classes by one score."""
    if pool.classes is None or pool.n_scores != 1:
        what = pool.kind if pool.classes is None else f"classifier with {pool.n_scores} scores"
        raise ValueError(
            f"Only binary classification is supported. The ensemble is a {what}; wanted one of two "
            "classes with one score"
        )
    return pool
