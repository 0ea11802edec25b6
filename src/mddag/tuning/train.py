"""train(estimator, X, y, knob): the ensemble too is trained for the knob, not the policy alone.

A good engineer would not make a large model sparse without trying a smaller one first: fewer,
deeper trees, a higher learning rate, a margin rule. So an estimator is trained in many shapes
(``shapes``, ``shape_models``), each shape sends its candidates (``contestant``), all of them are
judged by the same rows, against the best full model of any shape (``trained_front``), and the knob
takes the best. What is returned was trained on all rows but those that certify, which do nothing
else; rows judge by models of other folds, which have not seen them (``folded_rows``). This file is
the door and the choice; ``training_job`` does the work.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_consistent_length, has_fit_parameter

from mddag._internal.checks import check_one_of, checked_threads, typed
from mddag._internal.doubts import doubt, doubt_confidence
from mddag.adapters.adapter import lineage
from mddag.ensemble.tasks import TASKS
from mddag.ensemble.tasks.task import Kind
from mddag.estimators.adaboost import AdaBoostMHClassifier
from mddag.estimators.fitted_model import is_fitted, reads_patches
from mddag.features.checks import counted_rows
from mddag.tuning.arguments import (
    BOUNDS,
    check_confidence,
    check_provable,
    measure_of,
    one_knob,
)
from mddag.tuning.candidate_front import Candidate
from mddag.tuning.folded_rows import FOLDS, FoldedRows
from mddag.tuning.guarantee import Guarantee, certified
from mddag.tuning.shapes import library_of
from mddag.tuning.sparsify import (
    CONFIDENCE,
    OBJECTIVES,
    DefaultNumber,
)
from mddag.tuning.trained_front import TrainedFront
from mddag.tuning.training_job import TrainingJob

FEWEST = 60  # rows in all


def train(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    beta: float | None = None,
    budget: float | None = None,
    max_loss: float | None = None,
    max_disagreement: float | None = None,
    confidence: float | None = CONFIDENCE,
    objective: str = "evaluations",
    sample_weight: Any = None,
    n_threads: int | None = None,
    verbose: bool = False,
    random_state: Any = 0,
) -> Any:
    """A fitted MDDAGClassifier or MDDAGRegressor whose ensemble was trained for the knob, too.

    estimator        : an unfitted model of LightGBM, XGBoost, CatBoost or scikit-learn (histogram
                       or plain gradient boosting, forests), AdaBoostMHClassifier, or a Pipeline
                       that ends with one of them. Leaves, learning rate and rounds are tried in
                       many combinations; all other parameters stay as they are. None: LightGBM if
                       it is installed, else AdaBoost.MH with trees (of numbers: scikit-learn's
                       histogram gradient boosting)
    X, y             : all rows that there are; the model returned is trained on all of them but
                       those that certify a bound, a seventh. Choices are made by models of three
                       folds
    beta, budget     : as for ``sparsify``
    max_loss         : accuracy (regressors: R2) that may be lost against the tuned full model: the
                       best model of any shape, by its log-loss (squared error) in folds
    max_disagreement : share of rows whose label may differ from that model's
    confidence       : as for ``sparsify``; rows that chose never certify
    objective        : "evaluations", "nodes" or "time" of large batches: the unit of cost, and of
                       beta and budget, as for ``sparsify`` (time: expected nanoseconds per row)
    sample_weight    : as for ``sparsify``; models are trained with it
    n_threads        : of policies and prediction, -1 for all cores; 1 unless given. An estimator
                       has its own parameter for its training
    verbose, random_state : as for ``sparsify``

    Besides the usual attributes the result has ``trained_``, a tuple of the shapes that were tried,
    with their errors and costs, and ``reference_``, the tuned full model. At n = 20 000 it takes a
    few minutes.
    """
    knob, value = one_knob(
        None, beta=beta, budget=budget, max_loss=max_loss, max_disagreement=max_disagreement
    )
    check_confidence(confidence)
    if knob not in BOUNDS and not isinstance(confidence, DefaultNumber | None):
        doubt_confidence(confidence, knob, value)
    check_one_of("objective", objective, OBJECTIVES)
    threads = checked_threads(1 if n_threads is None else n_threads)
    estimator, kind = checked_estimator(estimator, y, threads)
    X, y, weight = counted_rows(X, y, sample_weight)
    targets = TASKS[kind]().checked_targets(y)
    check_consistent_length(X, targets)
    random = check_random_state(random_state)
    if knob == "max_disagreement" and kind == "regressor":
        raise ValueError("a regressor has no labels to disagree on; give max_loss, in units of R2")
    sure = confidence if knob in BOUNDS else None
    if sure is not None:
        check_provable(knob, sure, weight)
    if weight is not None:
        _check_takes_weight(estimator)
    rows = folded(X, targets, weight, kind, sure is not None, random, threads)
    guarantee = None
    if sure is not None:
        guarantee = _guarantee(kind, knob, value, float(sure), rows)
    job = TrainingJob(estimator, rows, kind, knob, objective, threads, verbose)
    front = job.front()
    chosen = chosen_from(front, knob, value, guarantee)
    return job.settled(front, chosen, knob, value, guarantee, random_state)


def checked_estimator(estimator: Any, y: Any, n_threads: int) -> tuple[Any, Kind]:
    """The estimator to train, by default one that suits y, and its kind."""
    if estimator is None:
        return _default(y, n_threads)
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        raise TypeError(
            f"estimator is {estimator!r}; wanted an unfitted model, such as LGBMClassifier(), or "
            "None"
        )
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    if any(name.endswith("Ranker") for name in lineage(last)):
        raise TypeError(
            f"estimator is {typed(last)}, a ranker, but train takes classifiers and regressors; "
            "fit it and make it sparse: mddag.ranking.sparsify(ranker, X, y, qid=qid, ...)"
        )
    library_of(estimator)
    if reads_patches(estimator):
        raise TypeError(
            f"estimator is {estimator!r}, which reads patches, but train grows trees over columns; "
            "wanted another learner, or mddag.Detector"
        )
    if is_fitted(estimator):
        raise ValueError(
            f"estimator, a {type(estimator).__name__}, is fitted, but train trains models in many "
            "shapes; pass sklearn.base.clone(estimator), or make the fitted one sparse: "
            "mddag.sparsify(model, X, y, ...)"
        )
    return estimator, "classifier" if is_classifier(last) else "regressor"


def _default(y: Any, n_threads: int) -> tuple[Any, Kind]:
    classes = not type_of_target(y).startswith("continuous")
    if find_spec("lightgbm") is not None:
        from lightgbm import LGBMClassifier, LGBMRegressor

        model = LGBMClassifier if classes else LGBMRegressor
        made = model(verbose=-1, n_jobs=n_threads, random_state=0)
        return made, "classifier" if classes else "regressor"
    if classes:
        return AdaBoostMHClassifier(n_threads=n_threads, random_state=0), "classifier"
    return HistGradientBoostingRegressor(random_state=0), "regressor"


def _check_takes_weight(estimator: Any) -> None:
    if isinstance(estimator, Pipeline) or not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"sample_weight is given, but {type(estimator).__name__}.fit does not take it; leave "
            "it out"
        )


def folded(
    X: Any,
    targets: NDArray[Any],
    weight: NDArray[np.float64] | None,
    kind: Kind,
    proves: bool,
    random: np.random.RandomState,
    n_threads: int,
) -> FoldedRows:
    """Rows in folds, and those that certify."""
    n = len(targets)
    if n < FEWEST:
        raise ValueError(
            f"X has {n} rows, too few to train models on some and to choose among them by others; "
            f"give at least {FEWEST}, and some thousand for a good choice"
        )
    strata = TASKS[kind]().strata(targets)
    rows = FoldedRows.of(X, targets, weight, strata, proves, random, n_threads)
    if len(rows.judging) == 0:
        raise ValueError(
            f"y has {len(np.unique(targets))} classes in {n} rows, and none of them has {FOLDS} "
            "rows to train models on some and judge them by others; give more rows of each class"
        )
    return rows


def _guarantee(
    kind: Kind, knob: str, value: float, confidence: float, rows: FoldedRows
) -> Guarantee:
    guarantee = Guarantee(knob, value, confidence, measure_of(TASKS[kind](), knob))
    n_rows, n_certifying = len(rows.targets), len(rows.certifying)
    guarantee.require(n_rows, n_certifying, n_certifying / n_rows)
    return guarantee


def chosen_from(
    front: TrainedFront, knob: str, value: float, guarantee: Guarantee | None
) -> Candidate:
    """What the knob takes of all candidates."""
    parts = front.reference.parts
    if knob == "beta":
        return front.learned(value)
    front.lay_out()
    if knob == "budget":
        chosen = front.within_budget(value, parts.choosing)
        if not chosen.n_evaluated.any():
            doubt(
                f"there is no policy within budget={value:g}; returned is one that evaluates "
                "nothing and gives every row the same answer: give a larger budget"
            )
        return chosen
    if guarantee is None:
        return front.within_loss(value, parts.seen, parts.choosing)
    return certified(front, guarantee, parts.seen, parts.certifying)
