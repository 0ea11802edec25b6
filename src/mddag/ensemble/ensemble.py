"""Ensemble: H = (h_1 … h_N), the neutral form of a trained boosted ensemble.

The full classifier is f(x) = bias + sum_j h_j(x). Base classifiers are flat trees, or any functions
of rows; these have no kernels and are called with all rows that evaluate them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag import _core
from mddag._utils.arrays import checked_out, read_only
from mddag._utils.checks import (
    as_floats,
    check_is,
    check_one_of,
    check_whole,
    checked_jobs,
    checked_permutation,
    typed,
)
from mddag.ensemble.features import Features, Floats, Rows
from mddag.ensemble.nodes import Nodes, flat_nodes, flat_tables
from mddag.ensemble.rescaling import Rescaling
from mddag.ensemble.tasks import LINKS, TASKS, Classification, Kind, Link, Task
from mddag.ensemble.votes import Tables, Votes, take_segments

Voter = Callable[[Floats], ArrayLike]


@dataclass(frozen=True, eq=False)
class Rescaled:
    """A callable base classifier whose votes are multiplied by (K,) and shifted by (K,)."""

    voter: Voter
    scale: NDArray[np.float64]
    shift: NDArray[np.float64]

    def __call__(self, rows: Floats) -> NDArray[np.float64]:
        votes = np.asarray(self.voter(rows), np.float64)
        return self.scale * votes.reshape(len(rows), -1) + self.shift


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Base classifiers in order, as flat arrays.

    Make one with `mddag.as_ensemble`, `from_trees` or `from_callables`, which check everything. A
    binary ensemble has one score (K = 1), and f > 0 means class 1.

    Parameters
    ----------
    features : Features
        What the columns of X are.
    tables : Tables
        Votes of every leaf, and which trees make up which h_j.
    nodes : ndarray of shape (n_nodes,), NODE
        Nodes of all trees, concatenated; children count from their root.
    starts : ndarray of shape (n_trees + 1,)
        Where the nodes of each tree begin.
    words : ndarray of uint32
        Category sets of nominal splits, tree by tree.
    word_starts : ndarray of shape (n_trees + 1,)
        Where the words of each tree begin.
    cost : ndarray of shape (N,)
        Price of evaluating each h_j; the number of its trees by default.
    task : Task
        What scores stand for; its `kind`, `classes` and `link` are attributes here, too.
    priced : bool, default=False
        Whether prices were given; otherwise solvers count base classifiers.
    callables : tuple of callable, default=()
        Base classifiers that are not trees; then there are no nodes.

    Examples
    --------
    >>> import mddag
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> ensemble = mddag.as_ensemble(model)
    >>> ensemble
    <Ensemble of 10 base classifiers (10 trees), classifier, 1 score(s), 30 features>
    >>> bool((ensemble.labels(ensemble.scores(X)) == model.predict(X)).all())
    True
    """

    features: Features
    tables: Tables
    nodes: NDArray[np.void]
    starts: NDArray[np.int64]
    words: NDArray[np.uint32]
    word_starts: NDArray[np.int64]
    cost: NDArray[np.float64]
    task: Task = field(default_factory=Classification)
    priced: bool = False
    callables: tuple[Voter, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        instead = "use mddag.as_ensemble, Ensemble.from_trees or Ensemble.from_callables"
        check_is("features", self.features, Features, f"Features: {instead}")
        check_is("tables", self.tables, Tables, f"Tables: {instead}")

    @property
    def n_classifiers(self) -> int:
        """Number of base classifiers, N."""
        return self.tables.n_classifiers

    @property
    def n_scores(self) -> int:
        """Number of scores, K; 1 for a binary ensemble."""
        return self.tables.n_scores

    @property
    def kind(self) -> Kind:
        """Kind of model: "classifier", "regressor" or "ranker"."""
        return self.task.kind

    @property
    def classes(self) -> NDArray[Any] | None:
        """Labels that scores stand for; None for regressors and rankers."""
        return self.task.classes

    @property
    def link(self) -> Link:
        """What turns a regressor's score into its prediction: "identity", "exp" or "unknown"."""
        return self.task.link

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.features.n

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return self.tables.n_trees

    @property
    def bias(self) -> NDArray[np.float64]:
        """Initial scores f^(0), (K,)."""
        return self.tables.bias

    def __len__(self) -> int:
        return self.n_classifiers

    def __repr__(self) -> str:
        voters = f"{len(self.callables)} callables" if self.callables else f"{self.n_trees} trees"
        return (
            f"<Ensemble of {self.n_classifiers} base classifiers ({voters}), {self.kind}, "
            f"{self.n_scores} score(s), {self.n_features} features>"
        )

    def votes(self, X: Any, *, n_jobs: int = 1) -> Votes:
        """Compute the vote of every h_j on every row.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.
        n_jobs : int, default=1
            Number of threads.

        Returns
        -------
        Votes
            The votes, as leaf codes.
        """
        n_jobs = checked_jobs(n_jobs)
        rows = self.features.rows(X)
        if self.callables:
            called = [self.call(j, rows) for j in range(self.n_classifiers)]
            return Votes.from_dense(np.stack(called, axis=1), self.bias)
        codes = np.empty((len(rows), self.n_trees), self.tables.code_dtype())
        _core.leaf_codes(self.native, rows, codes, n_jobs)
        return Votes(codes, self.tables)

    def scores(
        self, X: Any, out: NDArray[np.float64] | None = None, *, n_jobs: int = 1
    ) -> NDArray[np.float64]:
        """Compute f(x) = bias + sum_j h_j(x), in float64 and in the order of the h_j.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.
        out : ndarray of shape (n, K), default=None
            Array to fill.
        n_jobs : int, default=1
            Number of threads.

        Returns
        -------
        ndarray of shape (n, K)
            Scores.
        """
        n_jobs = checked_jobs(n_jobs)
        rows = self.features.rows(X)
        scores = checked_out(out, (len(rows), self.n_scores), rows)
        scores[:] = self.bias
        if self.callables:
            for j in range(self.n_classifiers):
                scores += self.call(j, rows)
        else:
            _core.add_scores(self.native, self.tables.native, rows, scores, n_jobs)
        return scores

    def codes(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the index of the winning class of each row; a tie goes to the first class.

        Parameters
        ----------
        scores : ndarray of shape (n, K)
            Scores.

        Returns
        -------
        ndarray of shape (n,)
            Places in `classes`.
        """
        return self.task.codes(scores, self.n_scores)

    def labels(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """Return the winning class of each row.

        Parameters
        ----------
        scores : ndarray of shape (n, K)
            Scores.

        Returns
        -------
        ndarray of shape (n,)
            Labels.
        """
        codes = self.codes(scores)
        assert self.classes is not None
        return self.classes[codes]

    def reordered(self, order: Sequence[int] | NDArray[np.intp]) -> Ensemble:
        """Return the same base classifiers in another order; the full sum keeps its value.

        Parameters
        ----------
        order : sequence of int
            A permutation of 0 … N - 1.

        Returns
        -------
        Ensemble
            The reordered ensemble.
        """
        return self.taken(checked_permutation(order, self.n_classifiers))

    def rescaled(self, rescaling: Rescaling) -> Ensemble:
        """Return the same base classifiers with other weights and constants.

        Parameters
        ----------
        rescaling : Rescaling
            Weights and constants, such as a policy has.

        Returns
        -------
        Ensemble
            The rescaled ensemble.
        """
        check_is("rescaling", rescaling, Rescaling, "a Rescaling, such as a policy has")
        callables = tuple(map(Rescaled, self.callables, rescaling.scale, rescaling.shift))
        tables = rescaling.applied(self.tables)
        return replace(self, tables=tables, callables=callables)

    def truncated(self, n_classifiers: int) -> Ensemble:
        """Return the first base classifiers.

        Parameters
        ----------
        n_classifiers : int
            How many to keep.

        Returns
        -------
        Ensemble
            The shorter ensemble.
        """
        check_whole("n_classifiers", n_classifiers, 0)
        if n_classifiers > self.n_classifiers:
            raise ValueError(
                f"cannot keep {n_classifiers} base classifiers; "
                f"wanted a number from 0 to {self.n_classifiers}"
            )
        return self.taken(np.arange(n_classifiers))

    def with_cost(self, cost: ArrayLike) -> Ensemble:
        """Return the same ensemble with other prices.

        Parameters
        ----------
        cost : array-like of shape (N,)
            Price of evaluating each base classifier.

        Returns
        -------
        Ensemble
            The priced ensemble.
        """
        cost = read_only(as_floats("cost", cost, "one price per base classifier"), np.float64)
        if cost.shape != (self.n_classifiers,):
            raise ValueError(
                f"cost has shape {cost.shape}; wanted one price for each of the "
                f"{self.n_classifiers} base classifiers, shape ({self.n_classifiers},)"
            )
        if not (np.isfinite(cost).all() and (cost >= 0).all()):
            bad = int(np.flatnonzero(~(np.isfinite(cost) & (cost >= 0)))[0])
            raise ValueError(f"cost[{bad}] is {cost[bad]}; prices must be finite and not negative")
        return replace(self, cost=cost, priced=True)

    def tree(self, t: int) -> Nodes:
        """Return one tree.

        Parameters
        ----------
        t : int
            Its number.

        Returns
        -------
        Nodes
            The tree.
        """
        check_whole("t", t, 0)
        if t >= self.n_trees:
            raise ValueError(f"t is {t}; wanted a number from 0 to {self.n_trees - 1}")
        nodes = self.nodes[self.starts[t] : self.starts[t + 1]]
        words = self.words[self.word_starts[t] : self.word_starts[t + 1]]
        values = self.tables.values[self.tables.starts[t] : self.tables.starts[t + 1]]
        width = self.n_scores if self.tables.score[t] < 0 else 1
        return Nodes(nodes, values.reshape(-1, width), words)

    @classmethod
    def from_trees(
        cls,
        trees: Sequence[Nodes],
        *,
        features: Features,
        bias: ArrayLike = 0.0,
        score: ArrayLike | None = None,
        rounds: ArrayLike | None = None,
        cost: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        kind: Kind = "classifier",
        link: Link = "identity",
    ) -> Ensemble:
        """Make an ensemble of trees.

        Parameters
        ----------
        trees : sequence of Nodes
            The trees.
        features : Features
            What the columns of X are.
        bias : array-like of shape (K,), default=0.0
            Initial scores; their number is K.
        score : array-like of shape (n_trees,), default=None
            Score that each tree votes for, -1 for all. By default trees of width K vote for all
            scores, trees of width 1 for score 0.
        rounds : array-like of shape (N + 1,), default=None
            Base classifier j is the sum of trees rounds[j] … rounds[j + 1] - 1; by default each
            tree is one.
        cost : array-like of shape (N,), default=None
            Price of each base classifier; the number of its trees by default.
        classes : array-like, default=None
            Labels of a classifier; 0, 1, … by default.
        kind : {"classifier", "regressor", "ranker"}, default="classifier"
            What the model is.
        link : {"identity", "exp", "unknown"}, default="identity"
            What turns a regressor's score into its prediction.

        Returns
        -------
        Ensemble
            The ensemble.
        """
        check_is("features", features, Features, "Features, such as Features(n)")
        _check_choices(kind, link)
        check_is("trees", trees, Iterable, "a list of Nodes")
        nodes, starts, words, word_starts = flat_nodes(trees, features.n)
        tables = flat_tables(trees, bias, score, rounds)
        labels = None if classes is None else TASKS[kind].labels(classes, tables.n_scores)
        ensemble = cls(
            features=features,
            tables=tables,
            nodes=nodes,
            starts=starts,
            words=words,
            word_starts=word_starts,
            cost=read_only(np.diff(tables.rounds), np.float64),
            task=TASKS[kind](classes=labels, link=link),
        )
        return ensemble if cost is None else ensemble.with_cost(cost)

    @classmethod
    def from_callables(
        cls,
        callables: Sequence[Voter],
        *,
        n_features: int,
        bias: ArrayLike = 0.0,
        cost: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        kind: Kind = "classifier",
        link: Link = "identity",
    ) -> Ensemble:
        """Make an ensemble of any functions of rows.

        Parameters
        ----------
        callables : sequence of callable
            Functions of X that return votes (n,) or (n, K).
        n_features : int
            Number of columns of X.
        bias : array-like of shape (K,), default=0.0
            Initial scores; their number is K.
        cost : array-like of shape (N,), default=None
            Price of each base classifier; 1 by default.
        classes : array-like, default=None
            Labels of a classifier; 0, 1, … by default.
        kind : {"classifier", "regressor", "ranker"}, default="classifier"
            What the model is.
        link : {"identity", "exp", "unknown"}, default="identity"
            What turns a regressor's score into its prediction.

        Returns
        -------
        Ensemble
            The ensemble.
        """
        check_is("callables", callables, Sequence, "a list of functions of X")
        _check_choices(kind, link)
        bad = next((i for i, h in enumerate(callables) if not callable(h)), None)
        if bad is not None:
            raise TypeError(f"callables[{bad}] is {typed(callables[bad])}; wanted functions of X")
        if not callables:
            raise ValueError("callables is empty; an ensemble needs at least one base classifier")
        empty = cls.from_trees([], features=Features(n_features), bias=bias)
        ensemble = replace(
            empty,
            tables=replace(empty.tables, rounds=np.zeros(len(callables) + 1, np.int64)),
            cost=np.ones(len(callables)),
            task=TASKS[kind](classes=TASKS[kind].labels(classes, empty.n_scores), link=link),
            callables=tuple(callables),
        )
        return ensemble if cost is None else ensemble.with_cost(cost)

    def taken(self, order: NDArray[np.intp]) -> Ensemble:
        """Select base classifiers.

        Parameters
        ----------
        order : ndarray of intp
            Their numbers, in the new order.

        Returns
        -------
        Ensemble
            The selection.
        """
        trees = self.tables.trees_of(order)
        nodes, starts = take_segments(self.nodes, self.starts, trees)
        words, word_starts = take_segments(self.words, self.word_starts, trees)
        return replace(
            self,
            tables=self.tables.taken(order),
            nodes=nodes,
            starts=starts,
            words=words,
            word_starts=word_starts,
            cost=self.cost[order],
            callables=tuple(self.callables[j] for j in order) if self.callables else (),
        )

    @property
    def native(
        self,
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint32], NDArray[np.int64]]:
        """Trees as the kernels take them."""
        return self.nodes.view(np.uint8), self.starts, self.words, self.word_starts

    def call(self, j: int, rows: Rows) -> NDArray[np.float64]:
        """Return the votes of callable h_j.

        Parameters
        ----------
        j : int
            Number of the base classifier.
        rows : Rows
            Checked rows.

        Returns
        -------
        ndarray of shape (n, K)
            Votes.
        """
        votes = np.asarray(self.callables[j](np.asarray(rows)), np.float64)
        votes = votes[:, None] if votes.ndim == 1 else votes
        if votes.shape != (len(rows), self.n_scores):
            raise ValueError(
                f"base classifier {j} returned votes of shape {votes.shape} for {len(rows)} rows; "
                f"wanted ({len(rows)}, {self.n_scores})"
            )
        return votes


def _check_choices(kind: Kind, link: Link) -> None:
    check_one_of("kind", kind, tuple(TASKS))
    check_one_of("link", link, LINKS)
