"""RankPredictor: readings and orders of the documents of queries, by a fitted ranker.

Where the policy looks at whole queries, a document's reading depends on the others, so every method
wants qid, the query of each row, and there is no prediction of a document by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import checked_out
from mddag._utils.checks import typed
from mddag.engine.node_counts import visited
from mddag.engine.trace import Trace
from mddag.metrics.ranking import Queries
from mddag.serving.model_file import Model
from mddag.serving.predictor import Label, Predictor
from mddag.serving.served_model import OneRow


def predictor_of(model: Model, *, n_jobs: int) -> Predictor:
    """What predicts by the model of a ranker."""
    return RankPredictor(model, n_jobs=n_jobs)


class RankPredictor(Predictor):
    """Predictions of a `Model` whose policy looks at whole queries."""

    def predict(  # type: ignore[override]  # qid is second, as for the estimator
        self, X: Any, qid: Any = None, out: NDArray[Any] | None = None
    ) -> NDArray[Any]:
        """Return what to sort the documents of a query by, the larger the better.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Documents; a query must be whole.
        qid : array-like of shape (n,)
            The query of each document, in any order. Not needed where all trees are evaluated.
        out : ndarray of float64, shape (n,), default None
            Where to write the result.

        Returns
        -------
        ndarray of shape (n,)
        """
        rows = self._features.rows(X)
        out = checked_out(out, (len(rows),), rows)
        out[:] = self.scores(rows, qid=qid)[:, 0]
        return out

    def rank(self, X: Any, qid: Any = None) -> NDArray[np.intp]:
        """Return the rows of X query by query, the best document first.

        Parameters
        ----------
        X, qid : as for ``predict``

        Returns
        -------
        ndarray of int, shape (n,)
            Queries come in the order in which they first appear.
        """
        rows = self._features.rows(X)
        queries = Queries.of(qid, len(rows))
        readings = queries.taken(self.predict(rows, qid))
        return queries.rows[queries.order(readings)]

    def scores(
        self, X: Any, out: NDArray[np.float64] | None = None, *, qid: Any = None
    ) -> NDArray[np.float64]:
        """The readings as a column, float64 (n, 1)."""
        return self.model.dag.scores(X, out, qid=qid, n_jobs=self.n_jobs)

    def run(self, X: Any, qid: Any = None) -> Trace:
        """Readings and paths of every row."""
        return self.model.dag.run(X, qid, n_jobs=self.n_jobs)

    def n_evaluated(self, X: Any, qid: Any = None) -> NDArray[np.int64]:
        """Base classifiers evaluated on each row, (n,)."""
        return self.model.dag.lengths(X, qid, n_jobs=self.n_jobs)[2]

    def n_nodes(self, X: Any, qid: Any = None) -> NDArray[np.int64]:
        """Nodes visited in the trees evaluated on each row, (n,)."""
        return visited(self.model.dag, X, qid, n_jobs=self.n_jobs)

    def predict_one(self, x: OneRow) -> Label:
        """Raise ValueError where the policy looks at whole queries: one row has no place in one."""
        if not self.model.dag.needs_queries:
            return super().predict_one(x)
        raise ValueError(
            f"the model decides by the place of a document in its query "
            f"({typed(self.model.dag.policy.state)}), so one row has no prediction of its own; "
            "use predict(X, qid) with all documents of the query"
        )

    def on_threads(self, n_jobs: int) -> RankPredictor:
        """The same with another number of threads."""
        return (
            self
            if type(n_jobs) is int and n_jobs == self.n_jobs
            else RankPredictor(self.model, n_jobs=n_jobs)
        )
