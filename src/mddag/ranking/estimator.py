"""MDDAGRanker: a trained ranker made into a sparse decision DAG that looks at whole queries."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import check_consistent_length, has_fit_parameter

from mddag._utils.checks import check_between, check_fraction, check_is, checked_jobs
from mddag._utils.output import Report, progress
from mddag.adapters import ensemble_of, parts_of
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.row_checks import all_or_nothing
from mddag.ensemble.tasks import Ranking
from mddag.estimators.classifier import MDDAGClassifier
from mddag.estimators.dag_estimator import DagEstimator
from mddag.estimators.fitted_model import FittedModel, is_fitted
from mddag.metrics.ranking import NDCG, GainMetric, MeanNDCG, Queries, checked_labels
from mddag.policy.policy import Policy
from mddag.ranking.exits import Exits, UrgencyExits
from mddag.ranking.front import cross_fitted, result_of
from mddag.ranking.predictor import RankedDocuments
from mddag.ranking.problem import RankingProblem
from mddag.serving.predictor import Predictor
from mddag.tuning.targets import Price


class MDDAGRanker(RankedDocuments, DagEstimator):
    """A sparse decision DAG over the trees of a ranker.

    A document quits where it can hardly move the metric of its query any more. With a classifier of
    relevance classes (AdaBoost.MH, the paper's way) documents are taken by themselves, and sorted
    by their expected relevance, sum_k p_k(x) k, with calibrated p (McRank, Li et al. 2007).

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
    n_jobs : int, default 1
        Threads of prediction; -1 for all cores.
    verbose : bool, default False
        Show progress on standard error.
    random_state : int, RandomState or None, default None
        Seed of folds, and of a model that is trained here.

    Attributes
    ----------
    ensemble_ : Ensemble
        The trees.
    policy_ : Policy
        What was learned.
    dag_ : Dag
        Both together.
    result_ : Result
        What was asked for, found, guaranteed and measured, on queries that order and readings were
        not fitted on.
    classifier_ : MDDAGClassifier
        What sorts, where the ensemble is a classifier; None otherwise.

    See Also
    --------
    mddag.ranking.sparsify : The same with a budget or a bound instead of a price.

    Examples
    --------
    >>> import mddag
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, qid = rng.normal(size=(2000, 3)), np.repeat(np.arange(100), 20)
    >>> y = np.digitize(X[:, 0] + X[:, 1] * X[:, 2], [0.5, 1.5])
    >>> ranker = mddag.MDDAGRanker(beta=1e-4, random_state=0).fit(X, y, qid=qid)
    >>> bool(ranker.score(X, y, qid) > 0.8 and ranker.n_evaluated(X, qid).mean() < 90)
    True
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

    def fit(self, X: ArrayLike, y: ArrayLike, qid: ArrayLike | None = None) -> Self:
        """Learn the policy from documents, and the ensemble if it is not fitted.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Documents.
        y : array-like of shape (n,)
            Relevance labels, 0 or more.
        qid : array-like of shape (n,)
            The query of each document, in any order. From the sizes of queries that follow one
            another: ``np.repeat(np.arange(len(sizes)), sizes)``.

        Returns
        -------
        MDDAGRanker
            The estimator itself.
        """
        metric = self._checked_metric()
        given = self.ensemble
        if given is None or not (is_fitted(given) or is_classifier(given)):
            checked_exits(self.solver)  # before a model is trained
        with all_or_nothing(self):
            X = self._seen(X, finite=False)
            labels = checked_labels(y)
            check_consistent_length(X, labels)
            queries = Queries.of(qid, len(labels))
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
        source, X_policy = parts_of(model), _safe_indexing(X, rows)
        ensemble = ensemble_of(source)
        report(1, f"{ensemble.n_classifiers} base classifiers")
        if ensemble.kind == "classifier":
            self._fit_classifier(model, X_policy, y[rows], random)
        else:
            exits, more = checked_exits(self.solver), None
            odds, ensemble = ensemble.kind == "ranker", as_ranker(ensemble)
            fitted = FittedModel(ensemble, rows, source.transformer)
            read = self._enter(fitted, X_policy, finite=False)
            votes = ensemble.votes(read, n_jobs=self.n_jobs)
            problem = RankingProblem.of(votes, some, metric, labels[rows])
            if len(trained):
                seen, others = queries.some(trained)
                read = self._read(_safe_indexing(X, seen), ensemble)
                more = RankingProblem.of(ensemble.votes(read, n_jobs=self.n_jobs), others, metric)
            verbose = self.verbose
            front = cross_fitted(exits, problem, random, more=more, odds=odds, verbose=verbose)
            candidate = front.at_price(self.beta)
            dag = front.dag(ensemble, candidate)
            result = result_of(problem, Price(self.beta), candidate, dag, "fit")
            self.classifier_ = None
            self._take(ensemble, dag.policy, dag, None, result)
        report(2, f"{self.result_.n_evaluated:.1f} evaluated")

    def adopt(self, policy: Policy, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Raise TypeError: policies of a ranker are learned by `fit` or ``ranking.sparsify``.

        Parameters
        ----------
        policy, X, y, sample_weight : object
            Not used.

        Returns
        -------
        MDDAGRanker
            Never.
        """
        raise TypeError("policies of a ranker are learned by fit or sparsify; there is no adopt")

    def _values(self, rows: Any, qid: Any) -> NDArray[np.float64]:
        if self.classifier_ is not None:
            return expected_relevance(self.classifier_, rows)
        return super()._values(rows, qid)

    def score(
        self, X: ArrayLike, y: ArrayLike, qid: ArrayLike | None = None, sample_weight: None = None
    ) -> float:
        """Return the metric of the order.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Documents; a query must be whole.
        y : array-like of shape (n,)
            Relevance labels.
        qid : array-like of shape (n,)
            The query of each document.
        sample_weight : None
            Queries count alike; it is there for scikit-learn's Pipeline.

        Returns
        -------
        float
            The mean over queries.
        """
        if sample_weight is not None:
            raise ValueError("sample_weight is given, but queries count alike; leave it out")
        return self._checked_metric()(self.predict(X, qid), y, qid)

    def predictor(self) -> Predictor:
        if self.classifier_ is not None:
            raise ValueError(
                "the ranker sorts by the expected relevance of a classifier; use "
                "ranker.classifier_.predictor(), whose predict_proba(X) @ classes_ is what it "
                "sorts by"
            )
        return super().predictor()

    def _checked_metric(self) -> GainMetric:
        """Return the metric; all parameters but the solver are checked here, before any work."""
        checked_jobs(self.n_jobs)
        check_fraction("policy_fraction", self.policy_fraction, zero=False)
        check_between("beta", self.beta, 0.0, np.inf, "a finite price, 0 or more")
        return checked_metric(self.metric)

    def _fitted(
        self, X: Any, y: NDArray[Any], queries: Queries, random: np.random.RandomState
    ) -> tuple[Any, NDArray[np.intp], NDArray[np.intp]]:
        """Return a fitted model, queries that it has not seen, and those that trained it here."""
        everything = np.arange(len(queries))
        model = self.ensemble
        if model is None:
            model = HistGradientBoostingRegressor(max_leaf_nodes=8, early_stopping=False)
        if is_fitted(model):
            return model, everything, np.empty(0, np.intp)
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
        names = {"group": some.sizes, "qid": some.query, "group_id": some.query}
        taken = [name for name in names if has_fit_parameter(model, name)][:1]
        model.fit(_safe_indexing(X, rows), y[rows], **{name: names[name] for name in taken})
        return model, held_out, trained

    def _fit_classifier(
        self, model: Any, X: Any, y: NDArray[Any], random: np.random.RandomState
    ) -> None:
        given = {"beta": self.beta, "solver": self.solver, "n_jobs": self.n_jobs}
        seed = int(random.randint(2**31 - 1))
        inner = MDDAGClassifier(model, **given, verbose=self.verbose, random_state=seed)
        self.classifier_ = inner.fit(X, y)
        for name in ("ensemble_", "policy_", "dag_", "calibration_", "result_"):
            setattr(self, name, getattr(inner, name))
        self.transformer_, self._predictor = inner.transformer_, inner.untransformed()


def checked_metric(metric: Any) -> GainMetric:
    """Return the metric, ``NDCG(10)`` for None, if it is a sum of gains times worth of places."""
    found: GainMetric = NDCG(10) if metric is None else metric
    check_is("metric", found, (NDCG, MeanNDCG), "NDCG(k), LetorNDCG(k) or MeanNDCG()")
    return found


def checked_exits(solver: Any) -> Exits:
    """Return how documents quit, ``UrgencyExits()`` for None."""
    found: Exits = UrgencyExits() if solver is None else solver
    check_is("solver", found, Exits, "how documents of queries quit, such as UrgencyExits()")
    return found


def as_ranker(ensemble: Ensemble) -> Ensemble:
    """Return the ensemble of a ranker or regressor as that of a ranker."""
    if ensemble.n_scores != 1:
        raise ValueError(
            f"the ensemble has {ensemble.n_scores} scores; wanted a ranker or a regressor of one "
            "score, or a classifier of relevance classes"
        )
    return replace(ensemble, task=Ranking())


def expected_relevance(classifier: MDDAGClassifier, X: Any) -> NDArray[np.float64]:
    """Return sum_k p_k(x) k of relevance classes, (n,)."""
    shares = classifier.untransformed().predict_proba(X)
    means: NDArray[np.float64] = shares @ classifier.classes_.astype(np.float64)
    return means
