"""Metrics of rankings: how well scores sort the documents of each query by their relevance labels.

DCG@k is the sum of (2^label - 1) / discount(i) over the positions i <= k, and NDCG@k = DCG@k /
ideal DCG@k. A metric is the mean over all queries; queries without a relevant document count as 0.
Ties keep the input order, and k beyond the size of a query means all of its documents.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.cached import cached_property
from mddag._utils.checks import Parameters, as_floats, check_one_of, check_whole, described

WANTED = "one query number (a whole number or a str) for each row"


@dataclass(frozen=True, eq=False)
class Queries:
    """Group documents by query.

    Rows of a query need not be adjacent: position p of the grouped documents is row ``rows[p]``,
    and query q has the positions ``starts[q]`` to ``starts[q + 1]``.
    """

    rows: NDArray[np.intp]  # (n,), rows query by query, in input order within a query
    starts: NDArray[np.intp]  # (n_queries + 1,), where the positions of each query begin

    @classmethod
    def of(cls, qid: Any, n_rows: int) -> Queries:
        """Group rows by the query number of each, (n_rows,)."""
        values = checked_qid(qid, n_rows)
        if n_rows and (values[1:] == values[:-1]).all():
            return cls.of_sizes([n_rows])
        _, first, query = np.unique(values, return_index=True, return_inverse=True)
        place = np.empty(len(first), np.intp)  # of each query, by its first appearance
        place[np.argsort(first)] = np.arange(len(first))
        query = place[query.reshape(-1)]
        rows = np.argsort(query, kind="stable")
        return cls(rows, _starts(np.bincount(query, minlength=len(first))))

    @classmethod
    def of_sizes(cls, sizes: ArrayLike) -> Queries:
        """Group consecutive rows by the number of documents of each query."""
        starts = _starts(np.asarray(sizes))
        return cls(np.arange(starts[-1]), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def n_rows(self) -> int:
        """Number of documents."""
        return len(self.rows)

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """Number of documents of each query, (n_queries,)."""
        return np.diff(self.starts)

    @cached_property
    def query(self) -> NDArray[np.intp]:
        """Query of each position, (n,)."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def ranks(self) -> NDArray[np.intp]:
        """Number of positions of the same query before each position, (n,)."""
        return np.arange(self.n_rows) - self.starts[:-1][self.query]

    @cached_property
    def are_whole(self) -> bool:
        """Whether position p is row p."""
        return bool((self.rows == np.arange(self.n_rows)).all())

    def taken(self, values: NDArray[Any]) -> NDArray[Any]:
        """Reorder values of rows (n, ...) query by query."""
        return values if self.are_whole else values[self.rows]

    def returned(self, values: NDArray[Any]) -> NDArray[Any]:
        """Reorder values of positions (n, ...) as values of rows; the inverse of `taken`."""
        if self.are_whole:
            return values
        out = np.empty_like(values)
        out[self.rows] = values
        return out

    def order(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        """Sort positions by falling score within each query; ties keep the input order."""
        return np.lexsort((-scores, self.query))

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum values of positions over each query, (n_queries,)."""
        return np.bincount(self.query, values, len(self)).astype(float)

    def running_sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the values at each position and before it in its query, (n,).

        Queries of about the same size are added together as a matrix, so that each sum has its own
        terms alone and no rounding of a total over all queries.
        """
        out = np.empty(len(values))
        for at in self._tables():
            out[at[at >= 0]] = np.where(at >= 0, values[at], 0.0).cumsum(axis=1)[at >= 0]
        return out

    def _tables(self) -> Iterator[NDArray[np.intp]]:
        """Yield positions of queries of about the same size, (n_queries, largest), padded by -1."""
        widths = np.ceil(np.log2(np.maximum(self.sizes, 1))).astype(int)
        for width in np.unique(widths):
            of = np.flatnonzero(widths == width)
            place = np.arange(self.sizes[of].max())
            there = place < self.sizes[of][:, None]
            yield np.where(there, self.starts[of][:, None] + place, -1)

    def some(self, chosen: NDArray[np.intp]) -> tuple[NDArray[np.intp], Queries]:
        """Return the rows of some queries, (m,), query by query, and these queries alone."""
        spans = [np.arange(self.starts[q], self.starts[q + 1]) for q in chosen]
        at = np.concatenate(spans) if spans else np.empty(0, np.intp)
        return self.rows[at], Queries.of_sizes(self.sizes[chosen])


def checked_qid(qid: Any, n_rows: int) -> NDArray[Any]:
    """Return `qid` as an array (n_rows,) after checking that it names the query of each row."""
    if qid is None:
        raise ValueError(
            f"qid is missing; a ranker needs {WANTED}. If all rows are of one query, give "
            "qid=np.zeros(len(X), int)"
        )
    if np.ma.is_masked(qid):
        raise ValueError(f"qid is an array with masked entries; wanted {WANTED}")
    try:
        values: NDArray[Any] = np.asarray(qid)
    except ValueError:  # lists of several lengths
        raise ValueError(f"qid is {described(qid)} that is no array; wanted {WANTED}") from None
    if values.ndim != 1 or len(values) != n_rows:
        raise ValueError(f"qid has shape {values.shape}; wanted {WANTED}, ({n_rows},)")
    if values.dtype.kind == "f":  # neither fractions nor numbers too large to be distinguished
        largest = 2.0 ** (np.finfo(values.dtype).nmant + 1)
        bad = np.flatnonzero(~((np.abs(values) <= largest) & (values == np.floor(values))))
        if len(bad):
            raise ValueError(
                f"qid[{bad[0]}] is {values[bad[0]]}; wanted {WANTED}, as {values.dtype} up to "
                f"{largest:.0f}"
            )
        return values
    kinds = {type(value) for value in values.tolist()} if values.dtype.kind == "O" else set()
    whole = bool not in kinds and all(issubclass(kind, Integral) for kind in kinds)
    named = kinds and (whole or all(issubclass(kind, str) for kind in kinds))
    if n_rows and not (values.dtype.kind in "iuUS" or named):
        raise ValueError(f"qid is {described(values)}; wanted {WANTED}")
    return values


def _starts(sizes: NDArray[Any]) -> NDArray[np.intp]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)


LARGEST_LABEL = 60  # 2^label is to remain a number with a use


class RankingMetric(ABC, Parameters):
    """Base class of metrics of scores, labels and queries, from 0 to 1; larger is better."""

    def __call__(self, scores: ArrayLike, labels: ArrayLike, qid: Any) -> float:
        """Compute the mean over all queries.

        Parameters
        ----------
        scores : array-like of shape (n,)
            What documents are sorted by, the largest first.
        labels : array-like of shape (n,)
            Relevance of the documents, 0 or more.
        qid : array-like of shape (n,)
            Query of each document, in any order.

        Returns
        -------
        float
            The mean.
        """
        return float(self.per_query(scores, labels, qid).mean())

    def per_query(self, scores: ArrayLike, labels: ArrayLike, qid: Any) -> NDArray[np.float64]:
        """Compute the metric of each query.

        Parameters
        ----------
        scores : array-like of shape (n,)
            What documents are sorted by, the largest first.
        labels : array-like of shape (n,)
            Relevance of the documents, 0 or more.
        qid : array-like of shape (n,)
            Query of each document, in any order.

        Returns
        -------
        ndarray of shape (n_queries,)
            Values by query, in the order in which queries first appear.
        """
        numbers, relevance = checked_scores(scores), checked_labels(labels)
        if len(numbers) != len(relevance):
            raise ValueError(
                f"there are {len(numbers)} scores and {len(relevance)} labels; wanted one of each "
                "for every document"
            )
        if len(numbers) == 0:
            raise ValueError("there are no documents; wanted at least one")
        queries = Queries.of(qid, len(numbers))
        return self.of_queries(queries.taken(numbers), queries.taken(relevance), queries)

    @abstractmethod
    def of_queries(
        self, scores: NDArray[np.float64], labels: NDArray[np.float64], queries: Queries
    ) -> NDArray[np.float64]:
        """Compute the metric of documents that are checked and grouped.

        Parameters
        ----------
        scores : ndarray of shape (n,)
            Scores by position.
        labels : ndarray of shape (n,)
            Relevance by position.
        queries : Queries
            Queries of the positions.

        Returns
        -------
        ndarray of shape (n_queries,)
            Values by query.
        """


class GainMetric(RankingMetric):
    """Base class of metrics that are sums over positions of gain times worth."""

    @abstractmethod
    def worth(self, ideal: NDArray[np.float64], queries: Queries) -> NDArray[np.float64]:
        """Return what a unit of gain is worth at each position; it never rises within a query.

        Parameters
        ----------
        ideal : ndarray of shape (n,)
            Gains of all documents, falling within each query. If all are 0, worth is 0.
        queries : Queries
            Queries of the positions.

        Returns
        -------
        ndarray of shape (n,)
            Worth of each position.
        """

    @abstractmethod
    def depth(self, size: int) -> int:
        """Return the number of positions after which worth is constant.

        Parameters
        ----------
        size : int
            Number of documents of the query.

        Returns
        -------
        int
            Number of positions.
        """

    def gains(self, labels: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the gains of documents.

        Parameters
        ----------
        labels : ndarray of shape (n,)
            Relevance labels.

        Returns
        -------
        ndarray of shape (n,)
            Gains, 2^label - 1.
        """
        return np.exp2(labels) - 1.0

    def of_queries(
        self, scores: NDArray[np.float64], labels: NDArray[np.float64], queries: Queries
    ) -> NDArray[np.float64]:
        return self.of_gains(scores, self.gains(labels), queries)

    def of_gains(
        self, scores: NDArray[np.float64], gains: NDArray[np.float64], queries: Queries
    ) -> NDArray[np.float64]:
        """Compute the metric of grouped documents from gains instead of labels.

        Parameters
        ----------
        scores : ndarray of shape (n,)
            Scores by position.
        gains : ndarray of shape (n,)
            Gains by position, 0 or more.
        queries : Queries
            Queries of the positions.

        Returns
        -------
        ndarray of shape (n_queries,)
            Values by query.
        """
        ideal = gains[queries.order(gains)]
        worth = self.worth(ideal, queries)
        best = queries.sums(ideal * worth)  # 1, but for rounding: the best order is to have it all
        found = queries.sums(gains[queries.order(scores)] * worth)
        return np.divide(found, best, out=np.zeros(len(queries)), where=best > 0)


@dataclass
class NDCG(GainMetric):
    """Normalized discounted cumulative gain with discounts log2(i + 1), as in most libraries.

    Parameters
    ----------
    k : int or None, default=10
        Number of positions that count; None for all.
    gain : {"exponential", "linear"}, default="exponential"
        Use 2^label - 1, or the label as trec_eval does.

    Examples
    --------
    >>> from mddag.metrics import NDCG
    >>> round(NDCG(10)([3.0, 2.0, 1.0], [2, 0, 1], [7, 7, 7]), 4)
    0.9639
    """

    k: int | None = 10
    gain: str = "exponential"

    def __post_init__(self) -> None:
        _check_k(self.k)
        check_one_of("gain", self.gain, ("exponential", "linear"))

    def gains(self, labels: NDArray[np.float64]) -> NDArray[np.float64]:
        return labels if self.gain == "linear" else super().gains(labels)

    def depth(self, size: int) -> int:
        return size if self.k is None else min(self.k, size)

    def worth(self, ideal: NDArray[np.float64], queries: Queries) -> NDArray[np.float64]:
        ranks = queries.ranks
        counted = ranks < (queries.n_rows if self.k is None else self.k)
        discounted = np.where(counted, self.discounted(ranks), 0.0)
        best = queries.sums(ideal * discounted)
        shares = np.divide(1.0, best, out=np.zeros(len(best)), where=best > 0)
        return np.asarray(discounted * shares[queries.query])

    @staticmethod
    def discounted(ranks: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return 1 / discount of each position.

        Parameters
        ----------
        ranks : ndarray of shape (n,)
            Positions from 0.

        Returns
        -------
        ndarray of shape (n,)
            Reciprocal discounts.
        """
        return np.asarray(1.0 / np.log2(ranks + 2.0), np.float64)


@dataclass
class LetorNDCG(NDCG):
    """NDCG@k of the LETOR 4.0 script, whose discounts are 1, 1, log2(3), log2(4) and so on.

    Parameters
    ----------
    k : int or None, default=10
        Number of positions that count; None for all.
    gain : {"exponential", "linear"}, default="exponential"
        Use 2^label - 1, or the label as trec_eval does.

    Examples
    --------
    >>> from mddag.metrics import LetorNDCG
    >>> round(LetorNDCG(10)([3.0, 2.0, 1.0], [2, 0, 1], [7, 7, 7]), 4)
    0.9077
    """

    @staticmethod
    def discounted(ranks: NDArray[np.intp]) -> NDArray[np.float64]:
        return np.asarray(1.0 / np.log2(np.maximum(ranks + 1.0, 2.0)), np.float64)


@dataclass
class MeanNDCG(GainMetric):
    """MeanNDCG of the LETOR 4.0 script: the mean of LetorNDCG@1 … LetorNDCG@n.

    Here n is the number of documents of the query.

    Examples
    --------
    >>> from mddag.metrics import MeanNDCG
    >>> round(MeanNDCG()([3.0, 2.0, 1.0], [2, 0, 1], [7, 7, 7]), 4)
    0.8859
    """

    def depth(self, size: int) -> int:
        return size

    def worth(self, ideal: NDArray[np.float64], queries: Queries) -> NDArray[np.float64]:
        discounted = LetorNDCG.discounted(queries.ranks)
        ideals = queries.running_sums(ideal * discounted)
        shares = np.divide(1.0, ideals, out=np.zeros(len(ideals)), where=ideals > 0)
        total = queries.sums(shares)[queries.query]
        before = queries.running_sums(shares) - shares
        worth: NDArray[np.float64] = discounted * np.maximum(total - before, 0.0)
        return worth / queries.sizes[queries.query]


@dataclass
class MAP(RankingMetric):
    """Mean average precision; documents with labels above 0 are relevant.

    The average precision of a query is the sum of precision@i over relevant documents at positions
    i <= k, divided by the number of its relevant documents.

    Parameters
    ----------
    k : int or None, default=None
        Number of positions that count; None for all.

    Examples
    --------
    >>> from mddag.metrics import MAP
    >>> round(MAP()([3.0, 2.0, 1.0], [2, 0, 1], [7, 7, 7]), 4)
    0.8333
    """

    k: int | None = None

    def __post_init__(self) -> None:
        _check_k(self.k)

    def of_queries(
        self, scores: NDArray[np.float64], labels: NDArray[np.float64], queries: Queries
    ) -> NDArray[np.float64]:
        relevant = (labels[queries.order(scores)] > 0).astype(float)
        found = queries.running_sums(relevant) / (queries.ranks + 1)
        counted = relevant * (queries.ranks < (queries.n_rows if self.k is None else self.k))
        n_relevant = queries.sums(relevant)
        return queries.sums(found * counted) / np.maximum(n_relevant, 1.0)


@dataclass
class MRR(RankingMetric):
    """Mean reciprocal rank of the first document with a label above 0.

    Parameters
    ----------
    k : int or None, default=None
        Number of positions that count; None for all.

    Examples
    --------
    >>> from mddag.metrics import MRR
    >>> MRR()([3.0, 2.0, 1.0], [0, 2, 1], [7, 7, 7])
    0.5
    """

    k: int | None = None

    def __post_init__(self) -> None:
        _check_k(self.k)

    def of_queries(
        self, scores: NDArray[np.float64], labels: NDArray[np.float64], queries: Queries
    ) -> NDArray[np.float64]:
        relevant = labels[queries.order(scores)] > 0
        counted = relevant & (queries.ranks < (queries.n_rows if self.k is None else self.k))
        first = np.full(len(queries), np.inf)
        np.minimum.at(first, queries.query[counted], queries.ranks[counted] + 1.0)
        return 1.0 / first


def checked_scores(scores: ArrayLike) -> NDArray[np.float64]:
    """Return scores (n,) after checking that they can be sorted."""
    return _numbers("scores", scores, "one number to sort by for each document, (n,)")


def checked_labels(labels: ArrayLike) -> NDArray[np.float64]:
    """Return relevance labels (n,) as float64 after checking that they are in range."""
    wanted = f"one relevance label from 0 to {LARGEST_LABEL} for each document, (n,)"
    if labels is None:
        raise ValueError(f"labels are missing: y is None; wanted {wanted}")
    return _numbers("labels", labels, wanted, 0, LARGEST_LABEL)


def _numbers(
    name: str, values: ArrayLike, wanted: str, least: float = -np.inf, most: float = np.inf
) -> NDArray[np.float64]:
    numbers = as_floats(name, values, wanted)
    if numbers.ndim != 1:
        raise ValueError(f"{name} have shape {numbers.shape}; wanted {wanted}")
    bad = np.flatnonzero(~((numbers >= least) & (numbers <= most)))  # NaN too
    if len(bad):
        raise ValueError(f"{name}[{bad[0]}] is {numbers[bad[0]]}; wanted {wanted}")
    return numbers


def _check_k(k: Any) -> None:
    if k is not None:
        check_whole("k", k, 1)
