"""Predict with a fitted ranker: values to sort the documents of a query by, and their order.

Where the policy looks at whole queries, what a document gets depends on the others, so every method
wants qid, the query of each row, and there is no prediction of a document by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.arrays import checked_out
from mddag._utils.checks import typed
from mddag.engine.node_counts import visited
from mddag.engine.trace import Trace
from mddag.metrics.ranking import Queries
from mddag.serving.model_file import Model
from mddag.serving.predictor import Label, Predictor
from mddag.serving.served_model import OneRow, ServedModel


def predictor_of(model: Model, *, n_jobs: int) -> Predictor:
    """Return what predicts by the model of a ranker."""
    return RankPredictor(model, n_jobs=n_jobs)


class RankedDocuments(ServedModel):
    """What `RankPredictor` and ``MDDAGRanker`` do alike."""

    def predict(
        self,
        X: ArrayLike,
        qid: ArrayLike | None = None,
        out: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Return what to sort the documents of a query by, the larger the better.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Documents; a query must be whole.
        qid : array-like of shape (n,)
            The query of each document, in any order. Not needed where all trees are evaluated, nor
            for a classifier.
        out : ndarray of float64, shape (n,), optional
            Where to write the result.

        Returns
        -------
        ndarray of shape (n,)
            The expected full score of each document, as of its exit; for a classifier the expected
            relevance.
        """
        rows = self._rows(X)
        out = checked_out(out, (len(rows),), rows)
        out[:] = self._values(rows, qid)
        return out

    def _values(self, rows: Any, qid: Any) -> NDArray[np.float64]:
        """Return what to sort rows by, (n,)."""
        return self.scores(rows, qid)[:, 0]

    def rank(self, X: ArrayLike, qid: ArrayLike | None = None) -> NDArray[np.intp]:
        """Return the rows of X query by query, the best document first.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Documents; a query must be whole.
        qid : array-like of shape (n,)
            The query of each document, in any order.

        Returns
        -------
        ndarray of int, shape (n,)
            Row numbers; queries come in the order in which they first appear.
        """
        values = self.predict(X, qid)
        queries = Queries.of(qid, len(values))
        return queries.rows[queries.order(queries.taken(values))]

    def scores(
        self,
        X: ArrayLike,
        qid: ArrayLike | None = None,
        out: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Return raw scores: what `predict` does as a column, or those of a classifier.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Documents; a query must be whole.
        qid : array-like of shape (n,), optional
            The query of each document; see `predict`.
        out : ndarray of float64, shape (n, K), optional
            Where to write the result.

        Returns
        -------
        ndarray of float64, shape (n, K)
            K = 1, but for a classifier of more than two relevance classes.
        """
        served = self.untransformed()
        return served.model.dag.scores(self._rows(X), out, qid=qid, n_jobs=served.n_jobs)

    def trace(self, X: ArrayLike, qid: ArrayLike | None = None) -> Trace:
        """Follow every document through the DAG.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Documents; a query must be whole.
        qid : array-like of shape (n,), optional
            The query of each document; see `predict`.

        Returns
        -------
        Trace
            Scores and the base classifiers that each document evaluates.
        """
        served = self.untransformed()
        return served.model.dag.run(self._rows(X), qid, n_jobs=served.n_jobs)

    def n_evaluated(self, X: ArrayLike, qid: ArrayLike | None = None) -> NDArray[np.int64]:
        """Count the base classifiers that each document evaluates.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Documents; a query must be whole.
        qid : array-like of shape (n,), optional
            The query of each document; see `predict`.

        Returns
        -------
        ndarray of int64, shape (n,)
            Numbers of base classifiers.
        """
        served = self.untransformed()
        return served.model.dag.n_evaluated(self._rows(X), qid, n_jobs=served.n_jobs)

    def n_nodes(self, X: ArrayLike, qid: ArrayLike | None = None) -> NDArray[np.int64]:
        """Count the nodes that each document visits in the trees that it evaluates.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Documents; a query must be whole.
        qid : array-like of shape (n,), optional
            The query of each document; see `predict`.

        Returns
        -------
        ndarray of int64, shape (n,)
            Sums of the depths of the leaves reached.
        """
        served = self.untransformed()
        return visited(served.model.dag, self._rows(X), qid, n_jobs=served.n_jobs)


class RankPredictor(RankedDocuments, Predictor):  # type: ignore[misc]  # qid is second
    """Rank documents with a fitted model, without scikit-learn.

    ``mddag.load(path)`` and ``MDDAGRanker.predictor()`` make one.

    Parameters
    ----------
    model : Model
        A DAG whose policy looks at whole queries, or evaluates all trees.
    n_jobs : int, default 1
        Threads to predict with; -1 for all cores. No result depends on it.

    See Also
    --------
    mddag.Predictor : The same for classifiers and regressors.

    Examples
    --------
    >>> import mddag
    >>> import numpy as np
    >>> from sklearn.ensemble import HistGradientBoostingRegressor
    >>> rng = np.random.default_rng(0)
    >>> X, qid = rng.normal(size=(1000, 3)), np.repeat(np.arange(50), 20)
    >>> y = np.digitize(X[:, 0] + X[:, 1], [0.5, 1.5])
    >>> ranker = HistGradientBoostingRegressor(max_iter=20).fit(X, y)
    >>> served = mddag.ranking.sparsify(ranker, X, y, qid=qid, beta=1e-4).predictor()
    >>> order = served.rank(X, qid)
    >>> bool(served.predict(X, qid)[order[0]] >= served.predict(X, qid)[order[1]])
    True
    """

    run = RankedDocuments.trace  # as for other Predictors

    def predict_one(self, x: OneRow) -> Label:
        if not self.model.dag.needs_queries:
            return super().predict_one(x)
        raise ValueError(
            f"the model decides by the place of a document in its query "
            f"({typed(self.model.dag.policy.state)}), so one row has no prediction of its own; "
            "use predict(X, qid) with all documents of the query"
        )
