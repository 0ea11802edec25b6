"""``mddag.acquire``: learn which features to buy, given a trained model and feature prices.

Each useful set of feature groups gets a model of its own, trained like the given one, which is that
of the full set. A policy goes from set to set: quit, or buy up to a larger one. The result is one
``Dag``: the models are blocks of steps, each with its own score column.

The path of a call: ``SplitRows`` splits the rows, ``SetModels`` trains the models, ``SetSearch``
learns policies at many prices, ``Acquisition.chosen`` takes one of them, and ``Acquisition.settle``
gives its DAG to the estimator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from mddag._utils.checks import checked_jobs
from mddag._utils.warnings import (
    doubt,
    doubt_objective,
    doubt_rare_class,
)
from mddag.acquisition.feature_sets import FeatureSets, candidate_sets, completed_set
from mddag.acquisition.models import SetModels, cross_fitted_rows
from mddag.acquisition.policy import SetPolicy, set_dag
from mddag.acquisition.rows import SetSample, SetScores, SplitRows
from mddag.acquisition.search import SetCandidate, SetSearch
from mddag.adapters import ensemble_of, other_than_mean, parts_of
from mddag.engine.dag import Dag
from mddag.ensemble.costs import read_groups
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.ensemble.features import Rows
from mddag.estimators.classifier import MDDAGClassifier
from mddag.estimators.dag_estimator import DagEstimator
from mddag.estimators.regressor import MDDAGRegressor
from mddag.policy.by_exit import exit_calibration
from mddag.policy.calibration import Calibration
from mddag.policy.mdp import Evaluation
from mddag.tuning.guarantee import last_promised
from mddag.tuning.targets import Bound, target_of

ESTIMATORS: dict[str, type[MDDAGClassifier | MDDAGRegressor]] = {
    "classifier": MDDAGClassifier,
    "regressor": MDDAGRegressor,
}
HALVINGS = 5  # between two prices, to use a budget


def acquire(
    model: Any,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    feature_costs: Any,
    feature_groups: Any = None,
    wave_cost: float = 0.0,
    X_train: ArrayLike | None = None,
    y_train: ArrayLike | None = None,
    beta: float | None = None,
    budget: float | None = None,
    max_loss: float | None = None,
    max_disagreement: float | None = None,
    confidence: float | None = 0.9,
    n_jobs: int = 1,
    random_state: Any = 0,
) -> MDDAGClassifier | MDDAGRegressor:
    """Learn a model that buys only the features that each row needs.

    Give exactly one of `beta`, `budget`, `max_loss` and `max_disagreement`.

    Parameters
    ----------
    model : object
        A trained classifier or regressor that ``mddag.as_ensemble`` reads. One with the interface
        of scikit-learn is cloned for smaller sets of features.
    X : array-like of shape (n, d)
        Rows that the model was not trained on.
    y : array-like of shape (n,), optional
        Their labels. Without them the predictions of the model take their place.
    feature_costs : array-like of shape (d,) or dict
        Prices, or a dict from feature names, positions or group names to prices.
    feature_groups : dict of str to list, optional
        Features that come together and are paid once. A feature in no group is a group of its own.
    wave_cost : float, default 0.0
        The price of a round trip, whatever groups it fetches.
    X_train, y_train : array-like, optional
        Rows that train the models of smaller sets, such as those that trained `model`; without
        them one half of `X` does, and the other half learns the policy. Without `y_train` the
        model's own predictions are learned. With labels they also teach the policy, scored by
        models of other folds.
    beta : float, optional
        The price of one unit of feature cost, in units of the error (regressors: of R2).
    budget : float, optional
        The largest mean feature cost of a row, on held-out rows.
    max_loss : float, optional
        The accuracy (regressors: R2) that may be lost compared with the model.
    max_disagreement : float, optional
        The share of rows whose label may differ from the model's.
    confidence : float or None, default 0.9
        Probability with which `max_loss` or `max_disagreement` holds on unseen data; one half of
        the rows tests it. None takes the estimate on held-out rows. No effect on the other two.
    n_jobs : int, default 1
        Threads of prediction; -1 for all cores.
    random_state : int, RandomState or None, default 0
        Seed of splits and of models that have none.

    Returns
    -------
    MDDAGClassifier or MDDAGRegressor
        A fitted estimator. ``feature_cost(X)`` and ``groups_bought(X)`` say what rows pay for;
        ``acquisition_`` summarizes what was learned and measured.

    Raises
    ------
    TypeError
        If the model cannot be read.
    ValueError
        If an argument is invalid, or the model is a ranker, a pipeline or not made of trees.

    See Also
    --------
    sparsify : Evaluate fewer trees, where features cost nothing.

    Examples
    --------
    >>> import mddag
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> X, y = make_classification(2000, 4, n_informative=3, n_redundant=0, random_state=0)
    >>> model = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(X[:500], y[:500])
    >>> cheap = mddag.acquire(model, X[500:], y[500:], feature_costs=[1, 1, 5, 5], budget=4.0)
    >>> bool(cheap.feature_cost(X).mean() < 5)
    True
    """
    target = target_of(
        beta=beta,
        budget=budget,
        max_loss=max_loss,
        max_disagreement=max_disagreement,
        confidence=confidence,
    )
    n_jobs = checked_jobs(n_jobs)
    ensemble = _trees(model)
    target = target.measured(ensemble.task)
    ensemble.require_link()
    knob, value = target.name, target.value
    prices = FeaturePrices.of(ensemble.features, feature_costs, feature_groups, wave_cost)
    if not prices.paid.any():
        raise ValueError(
            "all features are free, so there is nothing to save; give feature_costs above 0, or "
            "use sparsify(model, X, y, …)"
        )
    if ensemble.kind == "regressor":
        doubt_objective(other_than_mean(parts_of(model).model))
    random = check_random_state(random_state)
    given = SplitRows(model, ensemble, X, y, X_train, y_train, random)
    if isinstance(target, Bound) and ensemble.classes is not None and given.labels is not None:
        doubt_rare_class(ensemble.classes[given.labels], knob, value)
    guarantee = target if isinstance(target, Bound) and target.certifies else None
    n_certifying = len(given.rows) // 2 if target.certifies else 0
    target.require(len(given.rows), n_certifying)
    seed = int(random.randint(2**31 - 1))
    certifying = np.sort(random.permutation(len(given.rows))[:n_certifying])
    found = learned(given, prices, knob, certifying, seed, n_jobs)
    candidate = found.chosen(knob, value, guarantee)
    estimator = ESTIMATORS[ensemble.kind](
        model, beta=candidate.beta, n_jobs=n_jobs, random_state=random_state
    )
    estimator.describe_rows(X)
    found.settle(estimator, candidate, knob, value)
    if guarantee is not None:
        estimator.promise_ = guarantee
    return estimator


def _trees(model: Any) -> Ensemble:
    """Return the ensemble of a model whose features can be bought."""
    source = parts_of(model)
    if source.transformer is not None:
        raise ValueError(
            f"the model reads rows after {source.transformer}, but prices are of the features that "
            "it reads; pass its last step, model[-1], with rows that are transformed"
        )
    ensemble = ensemble_of(source)
    if ensemble.kind not in ESTIMATORS:
        raise ValueError(
            f"the model is a {ensemble.kind}, but features are bought for classifiers and "
            "regressors alone; mddag.ranking.sparsify(model, X, y, qid=…) takes it"
        )
    if ensemble.task.link == "exp":
        raise ValueError(
            "the model predicts exp of its score, but features are bought by the squared error of "
            "scores; train it with squared error, or use sparsify(model, X, y, …)"
        )
    if ensemble.callables:
        raise ValueError(
            "the base classifiers are callables, whose features are not known; wanted trees"
        )
    return ensemble


def learned(
    given: SplitRows,
    prices: FeaturePrices,
    knob: str,
    certifying: NDArray[np.intp],
    seed: int,
    n_jobs: int,
) -> Acquisition:
    """Train the models, compute the scores of all rows in every set, and set up the search."""
    ensemble = given.ensemble
    full = completed_set(prices, np.asarray(read_groups(prices, ensemble).any(axis=0)))
    coded = ensemble.task.coded(given.train_labels)
    X = np.asarray(given.train_rows, np.float64)
    sets = FeatureSets.of(prices, [*candidate_sets(prices, full, X, coded, seed), full])
    models = SetModels.trained(given.model, ensemble, sets, given.train, given.train_labels, seed)
    scores = models.scores(given.rows, ensemble.bias, n_jobs)
    rows = SetScores.of(models.sets, scores, given.labels, ensemble.task.predicts_classes)
    learning = np.setdiff1d(np.arange(len(rows)), certifying)
    seen = rows.rows(learning)
    further = cross_fitted_rows(given, models, seen, seed, n_jobs)
    taught = seen if further is None else seen.joined(further)
    losses = taught.losses(knob)
    sample = taught.sample(next(iter(losses.values())), seed)
    search = SetSearch.of(sample, losses, models.sets.chains(taught.risks()), len(seen))
    return Acquisition(
        ensemble, models, rows, taught, given.rows, learning, certifying, sample, search
    )


@dataclass(frozen=True, eq=False)
class Acquisition:
    """Models of sets, rows with their scores, and the search among policies.

    Attributes
    ----------
    rows : SetScores
        All policy rows.
    taught : SetScores
        What policies are learned from: the learning rows, then training rows with cross-fitted
        scores.
    learning, certifying : ndarray of intp
        The rows that learn and choose, and those that only certify.
    sample : SetSample
        `taught` as policies see them.
    """

    ensemble: Ensemble
    models: SetModels
    rows: SetScores
    taught: SetScores
    policy_rows: Rows
    learning: NDArray[np.intp]
    certifying: NDArray[np.intp]
    sample: SetSample
    search: SetSearch

    def chosen(self, knob: str, value: float, guarantee: Bound | None) -> SetCandidate:
        """Return the candidate that the target takes.

        For a price, that with the smallest objective; else the best candidates at all prices are
        walked from the most expensive to the cheapest.
        """
        if knob == "beta":
            return self.search.best(value)
        if knob == "budget":
            return self._within_budget(value)
        if guarantee is None:
            return self._within_loss(value)
        return self._certified(guarantee)

    def _within_budget(self, budget: float) -> SetCandidate:
        """Return the best at the lowest price whose candidate is within the budget."""

        def fits(candidate: SetCandidate) -> bool:
            return candidate.held_cost <= budget

        betas = self._prices()
        at = next((i for i, beta in enumerate(betas) if fits(self.search.best(beta))), None)
        best = self._static(0, "nothing") if at is None else self.search.best(betas[at])
        if at:
            best = self._between(betas[at - 1], best, fits)
        if not best.cost.any() and self.models.models[0] is None:
            doubt(
                "no policy that buys anything is within the budget; returned is one that buys "
                "nothing and gives every row the same answer: give a larger budget"
            )
        return best

    def _between(
        self, low: float, best: SetCandidate, fits: Callable[[SetCandidate], bool]
    ) -> SetCandidate:
        """Return the best that fits at the lowest price above `low`, up to that of `best`."""
        high = best.beta
        for _ in range(HALVINGS):
            middle = float(np.sqrt(low * high))
            candidate = self.search.best(middle)
            if fits(candidate):
                high, best = middle, candidate
            else:
                low = middle
        return best

    def _within_loss(self, bound: float) -> SetCandidate:
        """Return the cheapest whose estimated loss is within a bound.

        That of all more expensive ones must be, too, so that no lucky outlier passes.
        """
        chosen = full = self._full()
        for candidate in self._cheaper_and_cheaper():
            if candidate.held_loss - full.held_loss > bound:
                break
            chosen = candidate
        return chosen

    def _certified(self, guarantee: Bound) -> SetCandidate:
        """Return the cheapest whose guarantee holds, tested in a fixed sequence."""
        full = self._full()
        most = full.held_loss + 2 * guarantee.value  # what loses more would only end the sequence
        tested = [c for c in self._cheaper_and_cheaper() if c.held_loss <= most]
        p_values = (guarantee.p_value(self._excess(c, guarantee.name)[None]) for c in tested)
        assert guarantee.confidence is not None
        n_proved = last_promised(p_values, guarantee.confidence)
        if n_proved:
            return tested[n_proved - 1]
        doubt(
            f"{len(self.certifying)} certifying rows prove {guarantee} for "
            "no policy that buys less than the full model, which is returned; give more rows or a "
            "larger bound"
        )
        return full

    def _prices(self) -> list[float]:
        by_none, *_, by_all = self.sample.judged.mean(axis=0).tolist()
        return list(self.search.prices(by_none, by_all).tolist())

    def _cheaper_and_cheaper(self) -> list[SetCandidate]:
        """Yield the best at each price, each cheaper than the one before."""
        kept: list[SetCandidate] = []
        for beta in self._prices():
            best = self.search.best(beta)
            if not kept or best.held_cost < kept[-1].held_cost:
                kept.append(best)
        return kept

    def _full(self) -> SetCandidate:
        return self._static(len(self.models) - 1, "full model")

    def _static(self, s: int, name: str) -> SetCandidate:
        """Send all rows to set s."""
        sets, n = self.models.sets, len(self.learning)
        fare = 0.0 if s == 0 else float(sets.fares[0, s])
        policy = SetPolicy.static(len(sets), s)
        return SetCandidate(policy, self.sample.judged[:n, s], np.full(n, fare), name, 0.0)

    def _excess(self, candidate: SetCandidate, knob: str) -> NDArray[np.float64]:
        """Return what a candidate loses on the certifying rows beyond the full model, (n,)."""
        rows = self.rows.rows(self.certifying)
        answers, _ = _outcome(candidate, rows)
        if knob == "max_disagreement":
            return rows.changed(answers)
        return rows.lost(answers) - rows.lost(rows.full)

    def settle(
        self, estimator: DagEstimator, candidate: SetCandidate, knob: str, value: float
    ) -> None:
        """Give the estimator the Dag of a candidate, calibrated and measured."""
        dag, used = set_dag(self.models, candidate.policy, self.ensemble)
        trace = dag.run(self.policy_rows)
        assert trace.feature_cost is not None
        rows = self.rows
        answers = trace.verdict if self.ensemble.task.predicts_classes else trace.scores[:, 0]
        loss, cost = float(rows.lost(answers).mean()), float(trace.feature_cost.mean())
        evaluated = float(trace.n_evaluated.mean())
        measured = Evaluation(loss, cost, loss + candidate.beta * cost, evaluated)
        cost = float(rows.sets.cost[-1]) + rows.sets.prices.wave_cost
        loss, evaluated = float(rows.lost(rows.full).mean()), float(len(self.ensemble))
        of_full = Evaluation(loss, cost, loss + candidate.beta * cost, evaluated)
        against = "model" if rows.labels is None else "labels"
        estimator.take_dag(dag, self._calibration(dag, trace), (measured, of_full), against)
        estimator.acquisition_ = self._summary(candidate, used, knob, value, of_full.cost)

    def _calibration(self, dag: Dag, trace: Any) -> Calibration:
        """Calibrate probabilities; regressors are left as they were trained."""
        if not self.ensemble.task.predicts_classes:
            return Calibration.one_group(1.0, dag.ensemble.n_classifiers)
        scores, exits = trace.scores[self.learning], trace.exit_step[self.learning]
        targets = self.rows.rows(self.learning).soft_targets()
        return exit_calibration(dag.ensemble, scores, exits, targets)

    def _summary(
        self,
        candidate: SetCandidate,
        used: NDArray[np.intp],
        knob: str,
        value: float,
        full_cost: float,
    ) -> AcquisitionSummary:
        certified = len(self.certifying) > 0
        rows = self.rows.rows(self.certifying if certified else self.learning)
        answers, paid = _outcome(candidate, rows)
        known = rows.labels is not None
        return AcquisitionSummary(
            estimator=self.ensemble.task.estimator,
            knob=knob,
            value=value,
            member=candidate.member,
            sets=tuple(tuple(rows.sets.names(s)) for s in used),
            n_rows=len(rows),
            feature_cost=float(paid.mean()) if certified else candidate.held_cost,
            full_cost=full_cost,
            error=float(rows.lost(answers).mean()) if known else None,
            full_error=float(rows.lost(rows.full).mean()) if known else None,
            disagreement=float(rows.changed(answers).mean()),
        )


def _outcome(candidate: SetCandidate, rows: SetScores) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return what a candidate answers, class codes or numbers (n,), and what rows pay."""
    stops = candidate.policy.follow(rows.sets, rows.values)
    return rows.answers(stops.last), stops.cost


@dataclass(frozen=True, eq=False)
class AcquisitionSummary:
    """What was learned, and what it does to rows on which it was not learned.

    Attributes
    ----------
    estimator : str
        Name of the estimator's class.
    knob, value : str, float
        What was asked for.
    member : str
        The kind of policy that won, and what it learned from.
    sets : tuple
        The groups of each set that has a model in the result.
    n_rows : int
        How many rows measured.
    feature_cost, full_cost : float
        Mean price of a row, and that of all that the full model reads.
    error, full_error : float or None
        Of the labels, None without labels; for regressors 1 - R2.
    disagreement : float
        Share of rows that differ from the full model; for regressors the squared difference, in
        units of R2.
    """

    estimator: str
    knob: str
    value: float
    member: str
    sets: tuple[tuple[Any, ...], ...]
    n_rows: int
    feature_cost: float
    full_cost: float
    error: float | None
    full_error: float | None
    disagreement: float

    def __str__(self) -> str:
        regresses = self.estimator == "MDDAGRegressor"
        against = "squared difference from" if regresses else "disagreement with"
        against += f" the full model: {self.disagreement:.4f}"
        if self.error is not None and self.full_error is not None:
            error = "1 - R2" if regresses else "error"
            against = f"{error} {self.error:.4f}, full model {self.full_error:.4f}; {against}"
        return (
            f"{self.estimator} by acquire({self.knob}={self.value:g}): features are bought as a "
            f"row needs them\nfeatures bought for {self.feature_cost:.4g} per row, all cost "
            f"{self.full_cost:.4g}; {self.member}, {len(self.sets)} sets\n"
            f"{against} (on {self.n_rows} held-out rows)"
        )
