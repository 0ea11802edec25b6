"""Tables from which features are fetched, with a record of the calls."""

import numpy as np


class Table:
    """fetch(group, rows) out of a matrix.

    calls : (group, number of rows), in order
    """

    def __init__(self, predictor, X):
        self.X, self.calls = np.asarray(X), []
        prices = predictor.feature_prices
        names = predictor.model.dag.ensemble.features
        self.columns = (
            {names.called(c): (c,) for c in range(names.n)}
            if prices is None
            else dict(zip(prices.names, prices.columns, strict=True))
        )

    def __call__(self, group, rows):
        self.calls.append((group, len(rows)))
        return self.X[rows][:, self.columns[group]]

    async def fetch(self, group, rows):
        return self(group, rows)

    def one(self, i):
        """fetch_one(group) of row i."""
        return lambda group: self(group, np.array([i]))[0]
