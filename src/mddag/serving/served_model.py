"""What a Predictor and a fitted estimator do alike: counts, prices, reports, files and code."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag.engine.dag import traces
from mddag.engine.node_counts import visited
from mddag.engine.purchases import Purchases
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.ensemble.features import Patches, Rows
from mddag.serving.model_file import Model

if TYPE_CHECKING:
    import mddag
    from mddag.serving.export import Exported, Language
    from mddag.serving.predictor import Predictor

OneRow = ArrayLike | Mapping[str, Any]
Name = str | int

# What explains and reports: packages above this one, imported when they are needed.
EXPLANATION, REPORT = "mddag.inspection.explanation", "mddag.inspection.report"


class HasPredictor:
    """What can be saved and exported, because it has a Predictor."""

    @abstractmethod
    def predictor(self) -> Predictor:
        """Return what predicts without scikit-learn.

        Returns
        -------
        Predictor
            Its predictions are the same.
        """

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that ``mddag.load`` reads.

        Parameters
        ----------
        path : str or os.PathLike
            The file to write, whole or not at all.
        """
        self.predictor().model.save(path)

    def export(
        self,
        path: str | os.PathLike[str],
        language: Language = "c",
        *,
        name: str | None = None,
        integer_thresholds: bool = False,
    ) -> Exported:
        """Write the model as source code of another language.

        Parameters
        ----------
        path : str or os.PathLike
            The file to write.
        language : {"c", "java", "go", "rust", "javascript", "wasm"}, default "c"
            The language.
        name : str, optional
            What the code is called.
        integer_thresholds : bool, default False
            Whether rows are integers, in C.

        Returns
        -------
        Exported
            Sizes, and the longest path of a row.

        See Also
        --------
        mddag.export : The same for other models; it describes the parameters in full.
        """
        from mddag.serving.export import export  # it imports this module

        return export(self, path, language, name=name, integer_thresholds=integer_thresholds)


class ServedModel(HasPredictor):
    """A fitted model that reads rows in its own way and runs them through a Predictor."""

    @abstractmethod
    def untransformed(self) -> Predictor:
        """Return the Predictor of rows as the ensemble reads them, after the steps of a Pipeline.

        Returns
        -------
        Predictor
            It has as many threads as this model.
        """

    @abstractmethod
    def _rows(self, X: Any) -> Rows | Patches:
        """Return rows as the ensemble reads them."""

    @abstractmethod
    def _one_row(self, x: OneRow) -> Rows:
        """Return a batch of one row as the ensemble reads it."""

    @abstractmethod
    def _with_model(self, model: Model) -> Self:
        """Return the same for another model of the same ensemble."""

    @abstractmethod
    def _report_facts(self) -> dict[str, Any]:
        """Return what the report shows besides what is in the model."""

    def n_evaluated(self, X: ArrayLike) -> NDArray[np.int64]:
        """Count the base classifiers that each row evaluates.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of int64, shape (n,)
            Numbers of base classifiers.
        """
        served = self.untransformed()
        return served.model.dag.n_evaluated(self._rows(X), n_jobs=served.n_jobs)

    def n_nodes(self, X: ArrayLike) -> NDArray[np.int64]:
        """Count the nodes that each row visits in the trees that it evaluates.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of int64, shape (n,)
            Sums of the depths of the leaves reached.
        """
        served = self.untransformed()
        return visited(served.model.dag, self._rows(X), n_jobs=served.n_jobs)

    def encode(self, X: ArrayLike) -> Rows:
        """Encode rows as numbers, once for many calls.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of float, shape (n, n_features)
            What every method here reads without another copy.
        """
        features = self.untransformed().model.dag.ensemble.features
        return features.rows(self._rows(X)).in_c_order()

    def explain(self, x: OneRow) -> mddag.Explanation:
        """Explain what the model does with one row, and why.

        Parameters
        ----------
        x : array-like of shape (n_features,) or (1, n_features), dict, Series or DataFrame
            One row, in any form that ``predict_one`` takes; a DataFrame or an array (1, n_features)
            if the model of an estimator reads rows after the steps of a Pipeline.

        Returns
        -------
        Explanation
            The rules that the row met, why it stopped, and what would change the prediction.
        """
        model = self.untransformed().model
        explain: Callable[..., mddag.Explanation] = import_module(EXPLANATION).explain
        return explain(model.dag, model.calibration, self._one_row(x))

    def report(
        self,
        path: str | os.PathLike[str],
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        curve: mddag.Curve | None = None,
    ) -> None:
        """Write one HTML file that shows the model and needs no network.

        Parameters
        ----------
        path : str or os.PathLike
            The file to write.
        X : array-like or DataFrame of shape (n, n_features), optional
            Rows to show the model on, best those that it has not seen.
        y : array-like of shape (n,), optional
            Targets of these rows.
        qid : array-like of shape (n,), optional
            The query of each row, for rankers.
        curve : Curve, optional
            A trade-off to draw, such as ``mddag.sweep`` gives.
        """
        served, package = self.untransformed(), import_module(REPORT)
        facts = package.Facts(
            served.model,
            **self._report_facts(),
            rows=None if X is None else self._rows(X),
            targets=None if y is None else np.asarray(y),
            qid=qid,
            curve=curve,
            n_jobs=served.n_jobs,
        )
        package.write_report(path, facts)

    def with_prices(
        self,
        feature_costs: ArrayLike | Mapping[Name, float] | None = None,
        feature_groups: Mapping[str, Sequence[Name]] | Sequence[Sequence[Name]] | None = None,
        wave_cost: float = 0.0,
    ) -> Self:
        """Return the same model with prices of features.

        Parameters
        ----------
        feature_costs : array-like of shape (d,) or dict, optional
            Prices by feature; or a dict by feature (name or position) and by group. None is 1 for
            each group. With prices by feature, a group costs their sum.
        feature_groups : dict of {name: features} or list of lists, optional
            Features that are fetched together. A feature in no group is a group of its own; a
            feature in several groups is computed from them.
        wave_cost : float, default 0.0
            The price of a round trip.

        Returns
        -------
        Predictor or estimator
            A copy with ``feature_prices``; its predictions are the same.
        """
        model = self.untransformed().model
        features = model.dag.ensemble.features
        prices = FeaturePrices.of(features, feature_costs, feature_groups, wave_cost)
        priced = replace(model.dag, purchases=Purchases.of(prices, model.dag.ensemble))
        return self._with_model(replace(model, dag=priced))

    @property
    def feature_prices(self) -> FeaturePrices | None:
        """The groups of features and their prices; None if there are none."""
        purchases = self.untransformed().model.dag.purchases
        return None if purchases is None else purchases.prices

    def feature_cost(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return what each row pays for the features that it needs.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of float64, shape (n,)
            Prices of groups and waves.
        """
        return self._bought(X)[1]

    def groups_bought(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return the groups of features that each row needs.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of bool, shape (n, G)
            A column for each of ``feature_prices.names``.
        """
        return self._bought(X)[0]

    def _bought(self, X: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return the groups of rows and their costs."""
        served = self.untransformed()
        dag = served.model.dag
        if dag.purchases is None:
            raise ValueError(
                "the model has no prices of features; give them by "
                "with_prices(feature_costs=..., feature_groups=...), or use mddag.acquire"
            )
        if dag.needs_queries:
            raise ValueError(
                "the model decides by the place of a document in its query; use run(X, qid), whose "
                "Trace has groups and feature_cost"
            )
        groups, costs = [np.zeros((0, dag.purchases.prices.n_groups), bool)], [np.zeros(0)]
        for _, trace in traces(dag, self._rows(X), n_jobs=served.n_jobs):
            assert trace.groups is not None
            assert trace.feature_cost is not None
            groups.append(trace.groups)
            costs.append(trace.feature_cost)
        return np.concatenate(groups), np.concatenate(costs)
