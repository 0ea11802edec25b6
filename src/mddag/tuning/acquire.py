"""acquire(model, X, y, feature_costs, knob): a DAG that buys only the features a row needs.

Features come in groups with prices. Each useful set of groups gets a model of its own, trained like
the given one, which is that of the full set; a policy goes from set to set: quit, or buy up to a
larger one (``solvers.acquisition``). The result is one ``Dag``: the models are blocks of steps,
each with its own score column. The knob is a price in units of loss per unit of feature cost
(beta), a mean feature cost (budget), or what may be lost against the full model.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from mddag._internal.checks import checked_threads
from mddag._internal.doubts import doubt_confidence, doubt_few_rows
from mddag.adapters import ensemble_of, parts_of
from mddag.ensemble.ensemble import Ensemble
from mddag.estimators.classifier import MDDAGClassifier
from mddag.estimators.dag_estimator import DagEstimator
from mddag.estimators.regressor import MDDAGRegressor
from mddag.features.prices import FeaturePrices
from mddag.tuning.acquisition import learned
from mddag.tuning.arguments import (
    BOUNDS,
    check_confidence,
    measure_of,
    one_knob,
    supported,
)
from mddag.tuning.given_rows import GivenRows
from mddag.tuning.guarantee import Guarantee
from mddag.tuning.set_choice import chosen_set_policy

ESTIMATORS: dict[str, type[DagEstimator]] = {
    "classifier": MDDAGClassifier,
    "regressor": MDDAGRegressor,
}


def acquire(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    feature_costs: Any,
    feature_groups: Any = None,
    wave_cost: float = 0.0,
    X_train: Any = None,
    y_train: Any = None,
    beta: float | None = None,
    budget: float | None = None,
    max_loss: float | None = None,
    max_disagreement: float | None = None,
    confidence: float | None = 0.9,
    n_threads: int = 1,
    random_state: Any = 0,
) -> Any:
    """A fitted MDDAGClassifier or MDDAGRegressor that buys features as it needs them.

    model            : a trained classifier or regressor that ``mddag.as_ensemble`` reads. One with
                       the interface of scikit-learn is cloned for smaller sets of features
    X, y             : rows that the model was not trained on; without y it is its own teacher
    feature_costs    : an array (d,), or a dict by feature name, position or group name
    feature_groups   : {name: [features]} that come together and are paid once; features in no
                       group are groups of their own
    wave_cost        : the price of a round trip, for whatever groups are fetched by it
    X_train, y_train : rows that train the models of smaller sets, such as those that trained
                       the model; without them one half of X does, and the other half decides.
                       Without y_train the model's own labels are learned. With labels they also
                       teach the policy, scored by models of other folds, trained for this
    beta             : the price of one unit of feature cost, in units of the error (regressors:
                       of R2)
    budget           : mean feature cost per row, at most, on rows held out
    max_loss         : accuracy (regressors: R2) that may be lost against the full model
    max_disagreement : share of rows whose label may differ from the full model's
    confidence       : with which the last two hold on rows to come, proved by half of the rows;
                       None takes the estimate on rows held out
    n_threads        : of prediction, -1 for all cores

    Exactly one of the four knobs must be given. ``feature_cost(X)`` and ``groups_bought(X)`` say
    what rows pay; ``acquisition_`` what was learned and measured.
    """
    knob, value = one_knob(
        beta=beta, budget=budget, max_loss=max_loss, max_disagreement=max_disagreement
    )
    check_confidence(confidence)
    n_threads = checked_threads(n_threads)
    if knob not in BOUNDS and confidence not in (None, 0.9):
        doubt_confidence(confidence, knob, value)
    ensemble = supported(_trees(model), knob)
    prices = FeaturePrices.of(ensemble.features, feature_costs, feature_groups, wave_cost)
    _check_prices(prices)
    random = check_random_state(random_state)
    given = GivenRows(model, ensemble, X, y, X_train, y_train, random)
    guarantee = None
    if knob in BOUNDS and confidence is not None:
        guarantee = Guarantee(knob, value, float(confidence), measure_of(ensemble.task, knob))
    n_certifying = 0 if guarantee is None else len(given.rows) // 2
    if guarantee is not None:
        guarantee.require(len(given.rows), n_certifying)
    else:
        doubt_few_rows(len(given.rows), knob)
    seed = int(random.randint(2**31 - 1))
    certifying = np.sort(random.permutation(len(given.rows))[:n_certifying])
    found = learned(given, prices, knob, certifying, seed, n_threads)
    candidate = chosen_set_policy(found, knob, value, guarantee)
    estimator = ESTIMATORS[ensemble.kind](
        model, beta=candidate.beta, n_threads=n_threads, random_state=random_state
    )
    estimator.describe_rows(X)
    found.settle(estimator, candidate, knob, value)
    if guarantee is not None:
        estimator.promise_ = guarantee
    return estimator


def _trees(model: Any) -> Ensemble:
    """The ensemble of a model whose features can be bought."""
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
            "regressors alone; sparsify(model, X, y, qid=…) takes it"
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


def _check_prices(prices: FeaturePrices) -> None:
    if not prices.paid.any():
        raise ValueError(
            "all features are free, so there is nothing to save; give feature_costs above 0, or "
            "use sparsify(model, X, y, …)"
        )
