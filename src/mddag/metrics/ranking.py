"""Metrics of rankings: how well scores sort the documents of each query, by their relevance labels.

    DCG@k = sum of (2^label - 1) / discount(i) over the positions i <= k;     NDCG@k = DCG@k / ideal

where the ideal is the DCG of the documents sorted by label. NDCG has discount(i) = log2(i + 1);
LetorNDCG, that of the LETOR 4.0 script, has 1 at the positions 1 and 2, then log2(i). MeanNDCG,
also LETOR's, is the mean of LetorNDCG@1 … LetorNDCG@n over all n documents of a query.

A metric is the mean over all queries; those without a relevant document count 0. Ties keep the
order of the file. k beyond the size of a query means all of its documents. For given labels the
first three are sums of gains times the worth of positions (``worth``), which rankers with early
exits make use of.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._internal.checks import as_floats, check_one_of, check_whole
from mddag._internal.parameters import Parameters
from mddag.metrics.queries import Queries

LARGEST_LABEL = 60  # 2^label is to remain a number with a use


class RankingMetric(ABC, Parameters):
    """A metric of scores, labels and queries, from 0 to 1; larger is better."""

    def __call__(self, scores: ArrayLike, labels: ArrayLike, qid: Any) -> float:
        """The mean over all queries.

        scores, labels : (n,); qid : (n,), the query of each document, in any order
        """
        return float(self.per_query(scores, labels, qid).mean())

    def per_query(self, scores: ArrayLike, labels: ArrayLike, qid: Any) -> NDArray[np.float64]:
        """The metric of each query, (n_queries,), in the order in which they first appear."""
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
        """The same of numbers that have been checked and taken query by query."""


class GainMetric(RankingMetric):
    """A metric that is a sum over positions of gain times worth.

    value of a query = sum over its positions r of gain(document at r) * worth(r)
    """

    @abstractmethod
    def worth(self, ideal: NDArray[np.float64], queries: Queries) -> NDArray[np.float64]:
        """What a unit of gain is worth at each position, (n,); it does not rise inside a query.

        ideal : gains of all documents, falling inside of each query; all 0: worth is 0
        """

    @abstractmethod
    def depth(self, size: int) -> int:
        """Behind so many positions of a query of `size` documents all have the same worth."""

    def gains(self, labels: NDArray[np.float64]) -> NDArray[np.float64]:
        """What documents with these labels are worth."""
        return np.exp2(labels) - 1.0

    def of_queries(
        self, scores: NDArray[np.float64], labels: NDArray[np.float64], queries: Queries
    ) -> NDArray[np.float64]:
        return self.of_gains(scores, self.gains(labels), queries)

    def of_gains(
        self, scores: NDArray[np.float64], gains: NDArray[np.float64], queries: Queries
    ) -> NDArray[np.float64]:
        """The same of gains (n,), 0 or more, instead of labels."""
        ideal = gains[queries.order(gains)]
        worth = self.worth(ideal, queries)
        best = queries.sums(ideal * worth)  # 1, but for rounding: the best order is to have it all
        found = queries.sums(gains[queries.order(scores)] * worth)
        return np.divide(found, best, out=np.zeros(len(queries)), where=best > 0)


@dataclass
class NDCG(GainMetric):
    """NDCG@k with log2(i + 1) discounts, as most libraries define it.

    k    : positions that count; None for all
    gain : "exponential", 2^label - 1, or "linear", the label, as trec_eval has it
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
        return _over_ideal(np.where(counted, self.discounted(ranks), 0.0), ideal, queries)

    @staticmethod
    def discounted(ranks: NDArray[np.intp]) -> NDArray[np.float64]:
        return np.asarray(1.0 / np.log2(ranks + 2.0), np.float64)


@dataclass
class LetorNDCG(NDCG):
    """NDCG@k of the LETOR 4.0 script: discounts 1, 1, log2(3), log2(4), …

    k : positions that count; None for all
    """

    @staticmethod
    def discounted(ranks: NDArray[np.intp]) -> NDArray[np.float64]:
        return _letor_discounted(ranks)


@dataclass
class MeanNDCG(GainMetric):
    """MeanNDCG of the LETOR 4.0 script: the mean of LetorNDCG@1 … LetorNDCG@n of a query.

    worth(r) = 1 / discount(r) * mean over the cuts i = 1 … n of I{r <= i} / ideal DCG@i
    """

    def depth(self, size: int) -> int:
        return size

    def worth(self, ideal: NDArray[np.float64], queries: Queries) -> NDArray[np.float64]:
        discounted = _letor_discounted(queries.ranks)
        ideals = queries.running_sums(ideal * discounted)
        shares = np.divide(1.0, ideals, out=np.zeros(len(ideals)), where=ideals > 0)
        total = queries.sums(shares)[queries.query]
        before = queries.running_sums(shares) - shares
        worth: NDArray[np.float64] = discounted * np.maximum(total - before, 0.0)
        return worth / queries.sizes[queries.query]


@dataclass
class MAP(RankingMetric):
    """Mean average precision: labels above 0 are relevant.

        of a query = sum over relevant documents at positions i <= k of precision@i / n_relevant

    k : positions that count; None for all
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
    """Mean reciprocal rank: 1 / the position of the first document with a label above 0.

    k : positions that count; None for all
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


def _letor_discounted(ranks: NDArray[np.intp]) -> NDArray[np.float64]:
    return np.asarray(1.0 / np.log2(np.maximum(ranks + 1.0, 2.0)), np.float64)


def _over_ideal(
    discounted: NDArray[np.float64], ideal: NDArray[np.float64], queries: Queries
) -> NDArray[np.float64]:
    best = queries.sums(ideal * discounted)
    shares = np.divide(1.0, best, out=np.zeros(len(best)), where=best > 0)
    return discounted * shares[queries.query]


def checked_scores(scores: ArrayLike) -> NDArray[np.float64]:
    """Scores (n,), if they can be sorted."""
    wanted = "one number to sort by for each document, (n,)"
    numbers = as_floats("scores", scores, wanted)
    if numbers.ndim != 1:
        raise ValueError(f"scores have shape {numbers.shape}; wanted {wanted}")
    bad = np.flatnonzero(np.isnan(numbers))
    if len(bad):
        raise ValueError(f"scores[{bad[0]}] is NaN; wanted numbers to sort by")
    return numbers


def checked_labels(labels: ArrayLike) -> NDArray[np.float64]:
    """Relevance labels (n,) as float64, if they are 0 or more."""
    wanted = f"one relevance label from 0 to {LARGEST_LABEL} for each document, (n,)"
    if labels is None:
        raise ValueError(f"labels are missing: y is None; wanted {wanted}")
    numbers = as_floats("labels", labels, wanted)
    if numbers.ndim != 1:
        raise ValueError(f"labels have shape {numbers.shape}; wanted {wanted}")
    bad = np.flatnonzero(~((numbers >= 0) & (numbers <= LARGEST_LABEL)))
    if len(bad):
        raise ValueError(f"labels[{bad[0]}] is {numbers[bad[0]]}; wanted {wanted}")
    return numbers


def _check_k(k: Any) -> None:
    if k is not None:
        check_whole("k", k, 1)
