"""MDDAGRanker: a trained ranker made into a sparse decision DAG that looks at whole queries.

A document quits where it can hardly move the metric of its query any more (``UrgencyExits``). With
a classifier of relevance classes (AdaBoost.MH, the paper's way) documents are taken by themselves,
and sorted by their expected relevance, sum_k p_k(x) k, p being calibrated (McRank, Li et al. 2007).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import check_consistent_length, has_fit_parameter

from mddag._utils.checks import check_between, check_fraction, check_is, checked_jobs
from mddag._utils.output import Report, progress
from mddag._utils.warnings import doubt_queries
from mddag.adapters import ensemble_of, parts_of
from mddag.engine.dag import compile as compile_dag
from mddag.engine.trace import Trace
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.row_checks import all_or_nothing
from mddag.ensemble.tasks import Ranking
from mddag.estimators.classifier import MDDAGClassifier
from mddag.estimators.dag_estimator import DagEstimator
from mddag.estimators.fitted_model import FittedModel, is_fitted
from mddag.metrics.ranking import NDCG, GainMetric, Queries, checked_labels, sizes_of_groups
from mddag.policy.mdp import Evaluation
from mddag.policy.policy import Policy
from mddag.ranking.exits import CrossFitted, Exits, UrgencyExits, cross_fitted
from mddag.ranking.predictor import RankPredictor
from mddag.ranking.problem import RankingProblem
from mddag.ranking.states import check_gain_metric
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor

FITTED_BY = {"group": "sizes", "qid": "codes", "group_id": "codes"}  # what rankers call queries


class MDDAGRanker(DagEstimator):
    """A sparse decision DAG over the trees of a ranker.

    Parameters
    ----------
    ensemble : estimator or model, default None
        A ranker or regressor of LightGBM, XGBoost, CatBoost or scikit-learn, or a classifier of
        relevance classes, such as ``AdaBoostMHClassifier``. A fitted one is used as it is; one that
        is not fitted is trained on a part of the queries. None means scikit-learn's
        ``HistGradientBoostingRegressor`` with trees of eight leaves.
    beta : float, default 1e-5
        The price of one evaluation per document in units of the metric.
    metric : NDCG, LetorNDCG or MeanNDCG, default None
        What is to be kept of the full model's order; None means ``NDCG(10)``.
    solver : Exits, default None
        How documents quit; None means ``UrgencyExits()``. For a classifier: as for
        ``MDDAGClassifier``.
    policy_fraction : float, default 0.3
        The share of queries that a model trained here does not see, for the policy.
    n_jobs, verbose, random_state
        As for ``MDDAGClassifier``.

    Attributes
    ----------
    ensemble_, policy_, dag_, transformer_, n_features_in_, feature_names_in_ : as for
        ``MDDAGClassifier``
    evaluation_, full_evaluation_ : Evaluation
        The metric lost against the full model's own order, and evaluations, on queries that order
        and readings were not fitted on.
    classifier_ : MDDAGClassifier
        What sorts, where the ensemble is a classifier; None else.
    summary_, promise_ : as for ``MDDAGClassifier``
    """

    kind = "ranker"
    classifier_: MDDAGClassifier | None = None
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"qid": True}
    __metadata_request__predict: ClassVar[dict[str, bool]] = {"qid": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"qid": True, "sample_weight": True}

    def __init__(
        self,
        ensemble: Any = None,
        *,
        beta: float = 1e-5,
        metric: Any = None,
        solver: Any = None,
        policy_fraction: float = 0.3,
        n_jobs: int = 1,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.ensemble = ensemble
        self.beta = beta
        self.metric = metric
        self.solver = solver
        self.policy_fraction = policy_fraction
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any, qid: Any = None, group: Any = None) -> Self:
        """Learn the policy from documents, and the ensemble if it is not fitted.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Documents.
        y : array-like of shape (n,)
            Relevance labels, 0 or more.
        qid : array-like of shape (n,)
            The query of each document, in any order.
        group : array-like of int, default None
            Instead of `qid`: the number of documents of each query, one after the other.

        Returns
        -------
        MDDAGRanker
            The estimator itself.
        """
        metric = self.checked_metric()
        if self._trains_no_classifier():
            self.checked_exits()
        with all_or_nothing(self):
            X = self._seen(X, finite=False)
            labels = checked_labels(y)
            check_consistent_length(X, labels)
            queries = queries_of(qid, group, len(labels))
            with progress(type(self).__name__, 2, self.verbose) as report:
                self._fit_policy(X, np.asarray(y), labels, queries, metric, report)
        return self

    def _fit_policy(
        self,
        X: Any,
        y: NDArray[Any],
        labels: NDArray[np.float64],
        queries: Queries,
        metric: GainMetric,
        report: Report,
    ) -> None:
        random = check_random_state(self.random_state)
        model, held_out, trained = self._fitted(X, y, queries, random)
        rows, some = queries.some(held_out)
        X_policy, y_policy = _safe_indexing(X, rows), labels[rows]
        ensemble = ensemble_of(parts_of(model))
        report(1, f"{ensemble.n_classifiers} base classifiers")
        if ensemble.kind == "classifier":
            self._fit_classifier(model, X_policy, y[rows], random)
        else:
            exits = self.checked_exits()
            doubt_queries(len(some), y_policy)
            source = FittedModel(ranking_ensemble(model), rows, parts_of(model).transformer)
            read = self._enter(source, X_policy, finite=False)
            problem = self._problem(source.ensemble, read, some, metric, y_policy)
            more = None
            if len(trained):
                of_model, others = queries.some(trained)
                read = self._read(_safe_indexing(X, of_model), source.ensemble)
                more = self._problem(source.ensemble, read, others, metric, None)
            found = cross_fitted(
                exits, problem, random, more=more, odds=has_odds(model), verbose=self.verbose
            )
            lost, n_evaluated = found.losses.mean(axis=1), found.n_evaluated
            at = int(np.argmin(lost + self.beta * n_evaluated))
            policy = found.family.policy(found.settings[at])
            self.settle_ranking(source.ensemble, policy, found, at)
        report(2, f"{self.evaluation_.n_evaluated:.1f} evaluated")

    def adopt(self, policy: Policy, X: Any, y: Any, sample_weight: Any = None) -> Self:
        raise TypeError("policies of a ranker are learned by fit or sparsify; there is no adopt")

    def predict(self, X: Any, qid: Any = None) -> NDArray[np.float64]:
        """Return what to sort the documents of a query by, the larger the better.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Documents; a query must be whole.
        qid : array-like of shape (n,)
            The query of each document, in any order. Of a classifier it is not needed.

        Returns
        -------
        ndarray of shape (n,)
        """
        rows = self._rows(X)
        if self.classifier_ is not None:
            return expected_relevance(self.classifier_, rows)
        return self._of_queries().predict(rows, qid)

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
        readings = self.predict(X, qid)
        queries = Queries.of(qid, len(readings))
        return queries.rows[queries.order(queries.taken(readings))]

    def score(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> float:
        """Return the metric of the order.

        Parameters
        ----------
        X, qid : as for ``predict``
        y : array-like of shape (n,)
            Relevance labels.
        sample_weight : None
            Queries count alike; it is there for scikit-learn's Pipeline.

        Returns
        -------
        float
        """
        if sample_weight is not None:
            raise ValueError("sample_weight is given, but queries count alike; leave it out")
        return self.checked_metric()(self.predict(X, qid), y, qid)

    def scores(self, X: Any, qid: Any = None) -> NDArray[np.float64]:
        """The readings as a column, (n, 1); of a classifier the raw scores."""
        if self.classifier_ is not None:
            return self.classifier_.scores(self._rows(X))
        return self._of_queries().scores(self._rows(X), qid=qid)

    def trace(self, X: Any, qid: Any = None) -> Trace:
        """Readings and classification paths of every document."""
        if self.classifier_ is not None:
            return self.classifier_.trace(self._rows(X))
        return self._of_queries().run(self._rows(X), qid)

    def n_evaluated(self, X: Any, qid: Any = None) -> NDArray[np.int64]:
        """Base classifiers evaluated on each document, (n,)."""
        if self.classifier_ is not None:
            return self.classifier_.n_evaluated(self._rows(X))
        return self._of_queries().n_evaluated(self._rows(X), qid)

    def n_nodes(self, X: Any, qid: Any = None) -> NDArray[np.int64]:
        """Nodes visited in the trees evaluated on each document, (n,)."""
        if self.classifier_ is not None:
            return self.classifier_.n_nodes(self._rows(X))
        return self._of_queries().n_nodes(self._rows(X), qid)

    def predictor(self) -> Predictor:
        """The fitted model without scikit-learn; its predictions are the same."""
        if self.classifier_ is not None:
            raise ValueError(
                "the ranker sorts by the expected relevance of a classifier; use "
                "ranker.classifier_.predictor(), whose predict_proba(X) @ classes_ is what it "
                "sorts by"
            )
        model = super().predictor().model
        return RankPredictor(model, n_jobs=self.n_jobs)

    def settle_ranking(
        self, ensemble: Ensemble, policy: Policy, found: CrossFitted, at: int | None
    ) -> None:
        """Take a policy over an ensemble; `at` is the place of its setting, None: evaluate all."""
        for of_another_policy in ("promise_", "summary_"):
            self.__dict__.pop(of_another_policy, None)
        self.classifier_ = None
        self.__dict__.pop("calibration_", None)
        n = float(len(ensemble))
        self.full_evaluation_ = Evaluation(0.0, n, self.beta * n, n)
        self.evaluation_ = self.full_evaluation_
        if at is not None:
            lost, mean = float(found.losses[at].mean()), float(found.n_evaluated[at])
            self.evaluation_ = Evaluation(lost, mean, lost + self.beta * mean, mean)
        self.measured_against_ = "model"
        self.ensemble_, self.policy_ = ensemble, policy
        self.dag_ = compile_dag(
            ensemble, policy, expected_evaluations=float(self.evaluation_.n_evaluated)
        )
        known = self.beta, self.evaluation_, self.full_evaluation_, self.measured_against_
        model = Model(self.dag_, None, *known)
        self._predictor = RankPredictor(model, n_jobs=self.n_jobs)

    def checked_metric(self) -> GainMetric:
        """The metric; all parameters are checked here, before any work."""
        checked_jobs(self.n_jobs)
        check_fraction("policy_fraction", self.policy_fraction, zero=False)
        check_between("beta", self.beta, 0.0, np.inf, "a finite price, 0 or more")
        metric: GainMetric = NDCG(10) if self.metric is None else self.metric
        check_gain_metric(metric)
        return metric

    def checked_exits(self) -> Exits:
        """How documents quit."""
        exits: Exits = UrgencyExits() if self.solver is None else self.solver
        check_is("solver", exits, Exits, "how documents of queries quit, such as UrgencyExits()")
        return exits

    def _trains_no_classifier(self) -> bool:
        """Whether a ranker or regressor is trained here, which is known before it is."""
        return self.ensemble is None or not (
            is_fitted(self.ensemble) or is_classifier(self.ensemble)
        )

    def _fitted(
        self, X: Any, y: NDArray[Any], queries: Queries, random: np.random.RandomState
    ) -> tuple[Any, NDArray[np.intp], NDArray[np.intp]]:
        """A fitted model, queries that it has not seen, and those that it was trained on here."""
        everything, none = np.arange(len(queries)), np.empty(0, np.intp)
        model = self._default_model() if self.ensemble is None else self.ensemble
        if is_fitted(model):
            return model, everything, none
        if len(queries) < 3:
            raise ValueError(
                f"there are {len(queries)} queries, too few to train a ranker on some and to learn "
                "a policy from others; give more queries, or a fitted ensemble"
            )
        n_held = min(max(round(self.policy_fraction * len(queries)), 2), len(queries) - 1)
        parts = train_test_split(everything, test_size=n_held, random_state=random)
        trained, held_out = np.sort(parts[0]), np.sort(parts[1])
        rows, some = queries.some(trained)
        model = clone(model)
        if model.get_params().get("random_state", 0) is None:
            model.set_params(random_state=random.randint(2**31 - 1))
        given = {}
        for name in FITTED_BY:
            if has_fit_parameter(model, name):
                given = {name: some.sizes if FITTED_BY[name] == "sizes" else some.query}
                break
        model.fit(_safe_indexing(X, rows), y[rows], **given)
        return model, held_out, trained

    def _fit_classifier(
        self, model: Any, X: Any, y: NDArray[Any], random: np.random.RandomState
    ) -> None:
        given = {"beta": self.beta, "solver": self.solver, "n_jobs": self.n_jobs}
        seed = int(random.randint(2**31 - 1))
        inner = MDDAGClassifier(model, **given, verbose=self.verbose, random_state=seed)
        self.classifier_ = inner.fit(X, y)
        for name in ("ensemble_", "policy_", "dag_", "evaluation_", "full_evaluation_"):
            setattr(self, name, getattr(inner, name))
        self.calibration_, self.measured_against_ = inner.calibration_, inner.measured_against_
        self.transformer_, self._predictor = inner.transformer_, inner.untransformed()

    def _problem(
        self,
        ensemble: Ensemble,
        rows: Any,
        queries: Queries,
        metric: GainMetric,
        labels: NDArray[np.float64] | None,
    ) -> RankingProblem:
        votes = ensemble.votes(rows, n_jobs=self.n_jobs)
        return RankingProblem.of(votes, queries, metric, labels)

    def _of_queries(self) -> RankPredictor:
        found = self.untransformed()
        assert isinstance(found, RankPredictor)
        return found

    def _default_model(self) -> Any:
        return HistGradientBoostingRegressor(max_leaf_nodes=8, early_stopping=False)


def queries_of(qid: Any, group: Any, n_rows: int) -> Queries:
    """The queries of rows, by the one of qid and group that is given."""
    if group is None:
        return Queries.of(qid, n_rows)
    if qid is not None:
        raise ValueError("both qid and group are given; wanted one of them")
    return sizes_of_groups(group, n_rows)


def ranking_ensemble(model: Any) -> Ensemble:
    """The ensemble of a ranker or regressor, as that of a ranker."""
    ensemble = ensemble_of(parts_of(model))
    if ensemble.n_scores != 1:
        raise ValueError(
            f"the ensemble has {ensemble.n_scores} scores; wanted a ranker or a regressor of one "
            "score, or a classifier of relevance classes"
        )
    return replace(ensemble, task=Ranking())


def has_odds(model: Any) -> bool:
    """Whether scores are those of a ranker, whose differences are log-odds of pairs."""
    return ensemble_of(parts_of(model)).kind != "regressor"


def expected_relevance(classifier: MDDAGClassifier, X: Any) -> NDArray[np.float64]:
    """sum_k p_k(x) k of relevance classes, (n,)."""
    shares = classifier.untransformed().predict_proba(X)
    means: NDArray[np.float64] = shares @ classifier.classes_.astype(np.float64)
    return means
