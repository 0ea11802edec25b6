"""``mddag.detection.sparsify``: a trained ensemble made into a cascade of rejects."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from mddag._utils.checks import check_positive
from mddag.adapters import ModelParts, ensemble_of, parts_of
from mddag.detection.rejection import Rejection, check_two_classes, detecting_solver
from mddag.engine.replay import replay
from mddag.ensemble.row_checks import counted_rows
from mddag.estimators.classifier import MDDAGClassifier
from mddag.policy.arguments import checked_beta
from mddag.policy.mdp import MDP, mdp_of
from mddag.serving.summary import Summary

BETA = 1e-3  # one evaluation of a negative is worth a thousandth of the positives


def sparsify(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    target_fpr: float | None = None,
    target_tpr: float | None = None,
    beta: float | None = None,
    budget: float | None = None,
    sample_weight: ArrayLike | None = None,
    solver: Rejection | None = None,
    ordering: Any = None,
    every: int = 1,
    n_threads: int = 1,
    random_state: Any = 0,
) -> MDDAGClassifier:
    """Return the cascade of rejects that detects the second class at a wanted rate.

    The model is not refitted. Every row given is a policy row: the solver holds parts of them out
    by itself, for the threshold at the end and for the realised rates.

    Parameters
    ----------
    model : model, path or Pipeline
        Anything that ``mddag.as_ensemble`` reads, with two classes and one score.
    X : array-like of shape (n, d)
        Rows that the model was not trained on; patches for a model that reads patches.
    y : array-like of shape (n,)
        Their labels; the second class is to be detected.
    target_fpr : float, default None
        Share of the negatives that may be called positive. Give this or `target_tpr`.
    target_tpr : float, default None
        Share of the positives to be found.
    beta : float, default None
        Price of one evaluation of a negative, in misses; None means 0.001.
    budget : float, default None
        Mean evaluations of negatives, at most, instead of `beta`.
    sample_weight : array-like of shape (n,), default None
        What each row counts for; None means 1.
    solver : Rejection, default None
        A solver with settings of its own; its rates and budget are replaced by those given here.
    ordering : Ordering, default None
        The only order to try; None tries the order of the model and one by correlation.
    every : int, default 1
        Steps between two looks at the score. More than 1 pays in large batches: try 16.
    n_threads : int, default 1
        Threads of prediction, -1 for all cores. No result depends on it.
    random_state : int, RandomState or None, default 0
        Decides which rows are held out together.

    Returns
    -------
    MDDAGClassifier
        The fitted detector. ``realised_rates_`` has FPR and TPR on rows held out, with their
        errors; ``summary_``, printed by ``repr``, compares them with the rate that was wanted.

    Raises
    ------
    ValueError
        If not exactly one rate is given, or both `beta` and `budget`, or a model of more than two
        classes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mddag import AdaBoostMHClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> boost = AdaBoostMHClassifier(n_rounds=50, random_state=0).fit(X[:200], y[:200])
    >>> fast = sparsify(boost, X[200:], y[200:], target_fpr=0.1, budget=5)
    >>> bool(fast.n_evaluated(X).mean() < 50)
    True
    """
    if beta is not None and budget is not None:
        raise ValueError(f"got beta={beta}, budget={budget}; wanted at most one of the two")
    price = checked_beta(BETA if beta is None else beta)
    wanted = detecting_solver(solver, target_fpr, target_tpr)
    if budget is not None:
        check_positive("budget", budget)
        wanted = replace(wanted, budget=float(budget))
    source = parts_of(model)
    ensemble = ensemble_of(source)
    ensemble.require_link()
    check_two_classes(ensemble, wanted.target.name)
    estimator = MDDAGClassifier(
        ensemble if source.transformer is None else ModelParts(ensemble, source.transformer),
        beta=price,
        solver=wanted,
        ordering=ordering,
        every=every,
        n_threads=n_threads,
        random_state=random_state,
        target_fpr=target_fpr,
        target_tpr=target_tpr,
    )
    learner = estimator.checked_solver().with_seed(check_random_state(random_state))
    assert isinstance(learner, Rejection)
    if y is None:
        raise ValueError(
            "y is None; a rate of detection is that of true labels: give those of the rows X"
        )
    X, y, weight = counted_rows(X, y, sample_weight)
    votes = ensemble.votes(ensemble.features.rows(source.rows(X)), n_threads=n_threads)
    targets = ensemble.task.checked_targets(y)
    check_consistent_length(votes.codes, targets)
    mdp = mdp_of(ensemble, votes, targets, beta=price, weight=weight)
    estimator.describe_rows(X)
    estimator.take(learner.detector(mdp), ensemble, mdp)
    knob, value = ("beta", price) if budget is None else ("budget", float(budget))
    estimator.summary_ = _summary(estimator, knob, value, mdp)
    return estimator


def _summary(estimator: MDDAGClassifier, knob: str, value: float, mdp: MDP) -> Summary:
    """What is known of the detector; its rates are of rows held out."""
    ensemble, rates = estimator.ensemble_, estimator.realised_rates_
    left = replay(ensemble, estimator.policy_, mdp.votes)
    full = ensemble.codes(mdp.votes.scores())
    return Summary(
        kind=ensemble.kind,
        knob=knob,
        value=value,
        n_classifiers=ensemble.n_classifiers,
        rows="choosing",
        n_rows=mdp.n_instances,
        n_evaluated=float(np.average(left.n_evaluated, weights=mdp.weight)),
        measured_against="labels",
        full=float(np.average(full != mdp.labels, weights=mdp.weight)),
        sparse=float(np.average(left.verdict != mdp.labels, weights=mdp.weight)),
        difference=float(np.average(left.verdict != full, weights=mdp.weight)),
        lost=None,
        confidence=None,
        speed=_finite(estimator.dag_.expected_speedup),
        speed_one=_finite(estimator.dag_.expected_speedup_one),
        rates=rates,
    )


def _finite(speed: float) -> float | None:
    """The speed; None where nothing is evaluated."""
    return float(speed) if isfinite(speed) else None
