"""Cascades: stages in order (`Chain`), the score below which each rejects, and their estimator.

Stage m has a score f_m, the sum of the votes of its base classifiers. A row leaves at the first
stage with f_m <= r_m, and is accepted if there is none. Every base classifier is evaluated once, in
the first stage that counts it; later stages may count it again at no cost.

A row is ranked by where it left, later being better, and there by f_m: m + (f_m / reach_m + 1) / 2,
reach_m being the largest |f_m| there can be. There are no probabilities, because scores of
different stages cannot be compared; ``CalibratedClassifierCV(cascade)`` makes some from
``decision_function``.

Training boosts on some rows and sets thresholds by others; rows that are rejected leave both.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from mddag._utils.checks import check_fraction, check_whole, checked_jobs
from mddag.adapters import as_ensemble
from mddag.boosting.rounds import check_votes
from mddag.boosting.training_set import TrainingSet, on_used_columns, training_set
from mddag.engine.dag import Dag
from mddag.engine.dag import compile as compile_dag
from mddag.engine.trace import Trace
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Rows
from mddag.ensemble.nodes import Nodes
from mddag.ensemble.patches import PatchFeatures
from mddag.ensemble.row_checks import all_or_nothing, checked_labels, checked_rows
from mddag.estimators.adaboost import check_learner
from mddag.learners import Stump
from mddag.learners.columns import Columns
from mddag.learners.learner import Learner, own_columns
from mddag.policy.grid import Grid
from mddag.policy.policy import BY_SCORES, EVAL, QUIT, Policy
from mddag.policy.state import Score, Stages
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor
from mddag.serving.served_model import HasPredictor

ROUNDING = 1e-9
SMOOTHING = 0.01  # rows: keeps alpha finite, as in AdaBoost.MH
CLEARANCE = 1e-4  # of the spread of scores: far more than executors round by

Vector = NDArray[np.float64]
Flags = NDArray[np.bool_]
Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Chain:
    """Stages of base classifiers."""

    order: NDArray[np.intp]  # intp (T,), step t evaluates base classifier order[t]
    ends: NDArray[np.intp]  # intp (M,), stage m evaluates the steps ends[m - 1] .. ends[m]
    rejects: Vector  # float64 (M,), r_m; -inf where a stage rejects nothing
    # bool (T, M), whether stage m counts step t; None: a stage counts all before it
    counts: Flags | None = None
    bias: float = 0.0  # what every score begins with, that of the ensemble

    @property
    def n_stages(self) -> int:
        """Count the stages."""
        return len(self.ends)

    @classmethod
    def of_steps(cls, order: NDArray[np.intp], rejects: ArrayLike, bias: float = 0.0) -> Chain:
        """Make stages of one base classifier each, which count all before them."""
        ends = np.arange(1, len(order) + 1)
        return cls(order.astype(np.intp), ends, np.asarray(rejects, float), bias=bias)

    @classmethod
    def of_stages(cls, sizes: list[int], rejects: list[float]) -> Chain:
        """Make stages with scores of their own, over base classifiers as they come."""
        ends = np.cumsum(np.asarray(sizes, np.intp))
        of = np.repeat(np.arange(len(ends)), sizes)
        counts = of[:, None] == np.arange(len(ends))
        return cls(np.arange(len(of)), ends, np.asarray(rejects, float), counts)

    def sums(self, votes: Vector) -> Vector:
        """Return f_m without the bias of rows with these votes (n, N), float64 (n, M)."""
        taken = votes[:, self.order]
        if self.counts is not None:
            return np.asarray(taken @ self.counts)
        return np.asarray(np.cumsum(taken, axis=1)[:, self.ends - 1])

    def reach(self, most: Vector) -> Vector:
        """Return the largest |f_m| there can be, float64 (M,), by the largest votes (N,)."""
        sums = self.sums(most[None, :])[0] + abs(self.bias)
        return np.where(sums > 0, sums, 1.0)

    def ranks(self, scores: Vector, exit_step: NDArray[np.integer[Any]], reach: Vector) -> Vector:
        """Return what an ROC curve is made of, (n,), of scores (n,) of rows that left at steps."""
        stage = np.searchsorted(self.ends, exit_step)
        return np.asarray(stage + (scores / reach[stage] + 1) / 2)

    def boundary(self, reach: Vector) -> float:
        """Return the rank above which rows are accepted."""
        most = float(reach[-1])
        last = min(max(float(self.rejects[-1]), -most), most)
        return self.n_stages - 1 + (last / most + 1) / 2

    def policy(self, n_classifiers: int) -> Policy:
        """Return the chain as a policy over an ensemble of `n_classifiers` base classifiers."""
        n_steps = len(self.order)
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
        state: Score | Stages = Score(grid)
        if self.counts is not None:
            # One score column for each stage; the first step of a stage reads that of the last.
            reads = np.full(n_classifiers + 1, self.n_stages - 1)
            reads[: n_steps + 1] = np.searchsorted(self.ends, np.arange(n_steps + 1))
            writes = np.zeros((n_classifiers, self.n_stages), bool)
            writes[:n_steps] = self.counts
            state = Stages(grid, reads, writes)
        unused = np.setdiff1d(np.arange(n_classifiers), self.order)
        order = np.concatenate([self.order, unused])
        return Policy(actions, grid, order, state=state, verdict=verdict)


def highest_reject(positives: Vector, negatives: Vector, n_lost: int) -> float:
    """Return the largest r that rejects at most `n_lost` positives, of scores (n,) by class."""
    ordered = np.sort(positives)
    if n_lost >= len(ordered):
        return -np.inf  # nothing would be left
    # Scores of stumps repeat, and executors round them: so r lies midway between the lowest score
    # that is kept and the next one below, whichever class that is of.
    kept = float(ordered[n_lost])
    below = max(float(s[s < kept].max(initial=-np.inf)) for s in (positives, negatives))
    if below == -np.inf:
        spread = float(np.abs(ordered).max()) or 1.0
        return kept - CLEARANCE * spread
    return (below + kept) / 2


class BoostedTree(NamedTuple):
    """One round of AdaBoost."""

    tree: Nodes  # with votes ±alpha
    votes: Vector  # of the rows
    is_perfect: bool


@dataclass(frozen=True, eq=False)
class CascadeRows:
    """Binary rows to boost on, and rows held out for thresholds."""

    boosted: TrainingSet
    held: TrainingSet
    learner: Learner
    columns: Columns  # the rows to boost on as codes
    n_jobs: int = 1

    @classmethod
    def of(
        cls, boosted: TrainingSet, held: TrainingSet, learner: Learner, n_jobs: int = 1
    ) -> CascadeRows:
        """Code the columns that the learner reads."""
        own = own_columns(learner)
        if own is not None and isinstance(boosted.features, PatchFeatures):
            columns = own.columns(np.asarray(boosted.rows), boosted.features, None, n_jobs)
        else:
            columns = Columns.from_rows(boosted.rows, nominal=boosted.nominal, n_jobs=n_jobs)
        return cls(boosted, held, learner, columns, n_jobs)

    @property
    def positive(self) -> Flags:
        """Return which of the rows to boost on are positives, bool (n,)."""
        return np.asarray(self.boosted.labels > 0)

    @property
    def signs(self) -> Vector:
        """Return labels y, +1 for positives and -1 for negatives, float64 (n,)."""
        return np.where(self.positive, 1.0, -1.0)

    def kept(self, boosted: Index, held: Index) -> CascadeRows:
        """Return some of the rows; they keep their codes."""
        return replace(
            self,
            boosted=self.boosted.take(boosted),
            held=self.held.take(held),
            columns=self.columns.taken(boosted),
        )

    def held_votes(self, tree: Nodes) -> Vector:
        """Return the votes of a tree on the rows held out, (n,)."""
        votes: Vector = tree.votes[self.held.leaf_codes(tree, self.n_jobs), 0]
        return votes

    def steepest(self, pull: Vector) -> tuple[Nodes, Vector]:
        """Learn the tree with the largest sum of pull (n,) x votes ±1, and its votes (n,)."""
        size = np.abs(pull)
        targets = np.where(pull < 0, -1, 1).astype(np.int8)[:, None]
        nodes = self.learner.fit(self.columns, targets, (size / size.sum())[:, None])
        check_votes(nodes, 1, self.learner)
        return nodes, nodes.votes[:, 0][self.columns.leaf_codes(nodes)]

    def next_tree(self, weight: Vector) -> BoostedTree | None:
        """Learn AdaBoost's next tree at weights (n,) that sum to 1; None if none beats chance."""
        signs = self.signs
        nodes, votes = self.steepest(weight * signs)
        right = float(weight[votes == signs].sum())
        delta = SMOOTHING / np.count_nonzero(weight)
        alpha = 0.5 * math.log((right + delta) / (1 - right + delta))
        if alpha <= 0:
            return None
        return BoostedTree(weighed(nodes, alpha), alpha * votes, right > 1 - ROUNDING)

    def adaboost(self) -> Iterator[BoostedTree]:
        """Yield trees, from equal weights of both classes, until one is perfect or none helps."""
        weight = balanced(self.positive)
        while (found := self.next_tree(weight)) is not None:
            yield found
            weight = weight * np.exp(-found.votes * self.signs)
            weight /= weight.sum()
            if found.is_perfect:
                return


def balanced(positive: Flags, positive_weight: float = 1.0) -> Vector:
    """Return weights (n,) that sum to 1; the positives weigh `positive_weight` negatives."""
    n_positive = int(positive.sum())
    of_positive = positive_weight / max(n_positive, 1)
    weight = np.where(positive, of_positive, 1 / max(len(positive) - n_positive, 1))
    return np.asarray(weight / weight.sum())


def weighed(nodes: Nodes, alpha: float) -> Nodes:
    """Return the tree with votes ±alpha instead of ±1."""
    return Nodes(nodes.records, alpha * nodes.votes, nodes.words)


def votes_of(rows: TrainingSet, trees: list[Nodes]) -> Vector:
    """Return the votes of trees, (n, T)."""
    used, features = on_used_columns(trees, rows.features)
    return Ensemble.from_trees(used, features=features).votes(rows.rows).dense()[:, :, 0]


@dataclass(frozen=True, eq=False)
class TrainedChain:
    """What training gives: base classifiers, the chain over them, and why there are no more."""

    trees: list[Nodes]
    chain: Chain
    stopped_by: str


@dataclass(eq=False, repr=False)  # writes __init__; equality and repr are scikit-learn's
class CascadeClassifier(HasPredictor, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Parameters, attributes and methods of every cascade.

    A member adds its parameters, their checks and `_train`. A parameter `policy_fraction` holds
    rows out for thresholds; one that can take the base classifiers of a model trained elsewhere has
    a parameter `ensemble`, and `_chain`.

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

    whole_numbers: ClassVar[tuple[str, ...]] = ()  # parameters of 1 or more
    fractions: ClassVar[tuple[str, ...]] = ()  # parameters between 0 and 1

    learner: Learner | None = None
    _: KW_ONLY
    n_jobs: int = 1
    random_state: int | np.random.RandomState | None = None

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train the cascade.

        If fit fails or is interrupted, the estimator is as it was before.

        Parameters
        ----------
        X : array-like of shape (n, d), or patches of shape (n, h, w) with a ``Haar()`` learner
            Rows of both classes.
        y : array-like of shape (n,)
            Two labels; the larger one is to be detected.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter is out of its range, if y is not binary, or if no base classifier is
            better than chance.
        """
        check_learner(self.learner)
        checked_jobs(self.n_jobs)
        for name in self.fractions:
            check_fraction(name, getattr(self, name), zero=False)
        for name in self.whole_numbers:
            check_whole(name, getattr(self, name), 1)
        self._check_parameters()
        with all_or_nothing(self):
            if getattr(self, "ensemble", None) is None:
                self._fit_all(X, y)
            else:
                self._fit_chain(X, y)
            self.policy_: Policy = self.chain_.policy(self.ensemble_.n_classifiers)
            self.dag_: Dag = compile_dag(self.ensemble_, self.policy_)
            self.classes_ = np.asarray(self.ensemble_.classes)
        return self

    def _check_parameters(self) -> None:
        """Check the parameters that are neither whole numbers nor fractions."""

    @abstractmethod
    def _train(self, rows: CascadeRows, seed: int) -> TrainedChain:
        """Train the base classifiers and the chain."""

    @abstractmethod
    def _chain(self, votes: Vector, positive: Flags, bias: float) -> Chain:
        """Learn the chain of base classifiers that vote (n, N) on rows that they have not seen."""

    def _fit_all(self, X: Any, y: Any) -> None:
        """Train base classifiers and the chain over them."""
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        own = own_columns(self.learner)
        features = None if own is None else own.features(X, seed)
        given = training_set(self, X, y, None, None, features=features)
        if len(given.classes) > 2:
            raise ValueError(
                f"Only binary classification is supported. y has {len(given.classes)} classes, "
                f"{given.classes.tolist()[:5]}; wanted two, of which the second is to be detected"
            )
        boosted = held = given
        if hasattr(self, "policy_fraction"):  # FCBoost has no thresholds to set
            rng = np.random.default_rng(seed)
            boosted, held = given.held_out(self.policy_fraction, "policy_fraction", rng)
            held = held.in_c_order()
        learner = Stump() if self.learner is None else self.learner
        rows = CascadeRows.of(boosted, held, learner, self.n_jobs)
        trained = self._train(rows, seed)
        if not trained.trees:
            raise ValueError(
                "no base classifier is better than chance on these rows, so there is no cascade; "
                "give other features or another learner"
            )
        used, read = on_used_columns(trained.trees, given.features)
        self.ensemble_ = Ensemble.from_trees(used, features=read, classes=given.classes)
        self.chain_, self.stopped_by_ = trained.chain, trained.stopped_by

    def _fit_chain(self, X: Any, y: Any) -> None:
        """Learn the chain over the base classifiers of `ensemble`."""
        pool = as_ensemble(self.ensemble)
        if pool.classes is None or pool.n_scores != 1:
            kind = pool.kind if pool.classes is None else f"classifier with {pool.n_scores} scores"
            raise ValueError(
                f"Only binary classification is supported. The ensemble is a {kind}; wanted a "
                "binary one with one score"
            )
        features, flat = pool.features, X
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
        votes = pool.votes(rows, n_jobs=self.n_jobs).dense()[:, :, 0]
        self.ensemble_, self.stopped_by_ = pool, "n_steps"
        self.chain_ = self._chain(votes, codes > 0, float(pool.bias[0]))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return ``classes_[1]`` for rows that pass every stage, else ``classes_[0]``.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows, or patches where the cascade was trained on those.

        Returns
        -------
        ndarray of shape (n,)
            Labels.
        """
        return self.predictor().predict(self._rows(X))

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return scores to rank rows by, as for an ROC curve; accepted rows are above 0.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows, or patches where the cascade was trained on those.

        Returns
        -------
        ndarray of shape (n,)
            The stage at which a row leaves and, within a stage, its score there.
        """
        rows = self._rows(X)
        scores, exit_step = self.dag_.exits(rows, n_jobs=self.n_jobs)
        reach = self.chain_.reach(self.ensemble_.tables.reach())
        ranks = self.chain_.ranks(scores[:, 0], exit_step, reach)
        decision: NDArray[np.float64] = ranks - self.chain_.boundary(reach)
        return decision

    def trace(self, X: ArrayLike) -> Trace:
        """Return raw scores, paths and verdicts of every row.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows, or patches where the cascade was trained on those.

        Returns
        -------
        Trace
            The base classifiers that each row evaluates, and where it leaves.
        """
        return self.predictor().run(self._rows(X))

    def n_evaluated(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the number of base classifiers evaluated on each row.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows, or patches where the cascade was trained on those.

        Returns
        -------
        ndarray of shape (n,)
            Numbers of base classifiers.
        """
        return self.predictor().n_evaluated(self._rows(X))

    def predictor(self) -> Predictor:
        check_is_fitted(self)
        return Predictor(Model(self.dag_), n_jobs=self.n_jobs)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        return tags

    def _rows(self, X: Any) -> Rows:
        check_is_fitted(self)
        return checked_rows(self, X, self.ensemble_.features)
