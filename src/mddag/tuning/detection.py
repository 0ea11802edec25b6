"""sparsify(model, X, y, target_fpr=…): a trained ensemble made into a cascade of rejects.

The knob is beta, the price of one evaluation of a negative in misses, or budget, the mean
evaluations of negatives. All rows serve as policy rows: ``Rejection`` holds parts of them out for
theta and the realised rates by itself. The model is never refitted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from mddag.adapters import ModelParts, ensemble_of, parts_of
from mddag.dag.replay import replay
from mddag.estimators.classifier import MDDAGClassifier
from mddag.estimators.detection import check_two_classes, detecting_solver
from mddag.features.checks import counted_rows
from mddag.mdp.mdp import mdp_of
from mddag.serving.summary import Summary
from mddag.solvers import Rejection
from mddag.tuning.arguments import one_knob, supported
from mddag.tuning.measurement import finite_speed

BETA = 1e-3  # one evaluation of a negative is worth a thousandth of the positives


def sparse_detector(
    model: Any,
    X: Any,
    y: Any,
    *,
    knobs: dict[str, float | None],
    others: dict[str, Any],
    sample_weight: Any,
    solver: Any,
    ordering: Any,
    every: int,
    n_threads: int,
    random_state: Any,
    target_fpr: float | None,
    target_tpr: float | None,
) -> MDDAGClassifier:
    """A fitted MDDAGClassifier that detects the second class at a wanted rate."""
    _check_others(others)
    knobs = {"beta": BETA, "budget": None} if set(knobs.values()) == {None} else knobs
    knob, value = one_knob(**knobs)
    wanted = detecting_solver(solver, target_fpr, target_tpr)
    source = parts_of(model)
    ensemble = supported(ensemble_of(source), knob)
    check_two_classes(ensemble, wanted.target.name)
    estimator = MDDAGClassifier(
        ensemble if source.transformer is None else ModelParts(ensemble, source.transformer),
        beta=value if knob == "beta" else BETA,
        solver=replace(wanted, budget=value) if knob == "budget" else wanted,
        ordering=ordering,
        every=every,
        n_threads=n_threads,
        random_state=random_state,
        target_fpr=target_fpr,
        target_tpr=target_tpr,
    )
    learner = estimator.checked_solver().with_seed(check_random_state(random_state))
    assert isinstance(learner, Rejection)
    X, y, weight = counted_rows(X, _checked_labels(y), sample_weight)
    votes = ensemble.votes(ensemble.features.rows(source.rows(X)), n_threads=n_threads)
    targets = ensemble.task.checked_targets(y)
    check_consistent_length(votes.codes, targets)
    mdp = mdp_of(ensemble, votes, targets, beta=estimator.beta, weight=weight)
    estimator.describe_rows(X)
    estimator.take(learner.detector(mdp), ensemble, mdp)
    estimator.summary_ = _summary(estimator, knob, value, mdp)
    return estimator


def _summary(estimator: MDDAGClassifier, knob: str, value: float, mdp: Any) -> Summary:
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
        speed=finite_speed(estimator.dag_.expected_speedup),
        speed_one=finite_speed(estimator.dag_.expected_speedup_one),
        rates=rates,
    )


def _check_others(others: dict[str, Any]) -> None:
    """Refuse arguments that detection has no use for."""
    for name, value in others.items():
        if value is not None:
            raise ValueError(
                f"{name}={value!r} is given beside a rate to detect at; wanted beta or budget, or "
                "neither"
            )


def _checked_labels(y: Any) -> Any:
    """The labels, if there are any."""
    if y is None:
        raise ValueError(
            "y is None; a rate of detection is that of true labels: give those of the rows X"
        )
    return y
