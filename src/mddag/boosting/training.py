"""Training: one fit of AdaBoost.MH, from checked rows to fitted attributes.

Rows are held out, columns coded once, rounds played until a stopping rule holds. A model is
continued by playing its rounds again, which costs little compared with learning them and needs no
hidden state: all weights are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import checked_jobs
from mddag._utils.output import progress
from mddag.boosting.rounds import (
    BoostedRows,
    BoostingRound,
    VotedRows,
    play,
    rounds,
    scored,
    start,
    vote,
)
from mddag.boosting.training_set import (
    TrainingSet,
    among,
    class_weights,
    on_used_columns,
)
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import Nodes
from mddag.ensemble.patches import PatchFeatures
from mddag.learners import Stump
from mddag.learners.columns import Columns
from mddag.learners.learner import own_columns
from mddag.policy.calibration import Calibration, fit_factor


class BoostingParameters(Protocol):
    """Parameters of ``AdaBoostMHClassifier`` that training reads."""

    learner: Any
    n_rounds: int
    class_weight: Any
    max_features: Any
    max_bins: int | None
    min_weight_fraction_leaf: float
    early_stopping: int | None
    validation_fraction: float
    calibration_fraction: float
    n_jobs: int
    verbose: bool


@dataclass(frozen=True, eq=False)
class BoostingFit:
    """A fit in progress."""

    rows: TrainingSet  # rows to boost on
    watched: Watch | None  # rows of early stopping
    probed: TrainingSet | None  # rows of calibration
    columns: Columns  # coded columns of `rows`
    boosted: BoostedRows  # weights and scores of `rows`
    seed: int  # seed of the draws
    played: list[BoostingRound] = field(default_factory=list)  # rounds so far
    seconds: list[float] = field(default_factory=list)  # time of each round

    @classmethod
    def begin(cls, settings: BoostingParameters, given: TrainingSet, seed: int) -> BoostingFit:
        """Hold rows out, code the columns of the rest, and weigh it."""
        rng = np.random.default_rng(seed)
        rows, watch, probed = given, None, None
        n_classes, n_jobs = len(given.classes), checked_jobs(settings.n_jobs)
        if settings.early_stopping is not None:
            rows, held = rows.held_out(settings.validation_fraction, "validation_fraction", rng)
            on = scored(held.labels, n_classes, held.weight, n_jobs)
            watch, probed = Watch(held.in_c_order(), on), held
        if settings.calibration_fraction > 0:
            fraction = settings.calibration_fraction
            rows, probed = rows.held_out(fraction, "calibration_fraction", rng)
        columns = _columns(settings, rows, n_jobs)
        factors = class_weights(settings.class_weight, rows)
        if settings.min_weight_fraction_leaf > 0:
            initial = rows.weight * factors[rows.labels]
            columns = without_rare_sides(columns, initial, settings.min_weight_fraction_leaf)
        boosted = start(rows.labels, n_classes, rows.weight, factors, n_jobs)
        return cls(rows, watch, probed, columns, boosted, seed)

    def replay(self, ensemble: Ensemble, seconds: NDArray[np.float64]) -> None:
        """Play the rounds of a fitted model again; `seconds` are their first times."""
        rows = self.rows.in_c_order()
        for t, nodes in enumerate(among(self.rows.features, ensemble)):
            alpha = float(np.abs(nodes.votes).max())
            leaf = rows.leaf_codes(nodes, self.boosted.n_jobs)
            signs = replace(nodes, votes=np.sign(nodes.votes))
            again = play(self.boosted, signs, leaf, alpha)
            if again is not None:
                self._keep(again, float(seconds[t]))

    def run(self, settings: BoostingParameters, tasks: Tasks) -> str:
        """Play rounds until a stopping rule holds, and return its name."""
        stream = self._stream(settings)
        with progress("AdaBoost.MH", settings.n_rounds, settings.verbose) as report:
            while len(self.played) < settings.n_rounds:
                tasks.begin_round()
                began = perf_counter()
                new = next(stream, None)
                stop = ""
                if new is not None:
                    self._keep(new, perf_counter() - began)
                    report(len(self.played), f"training error {new.error:.4f}")
                    if self.watched is not None and self.watched.stale(settings.early_stopping):
                        stop = "early_stopping"
                else:
                    stop = "perfect" if self.played and self.played[-1].perfect else "chance"
                if tasks.end_round(partial(self.fitted, stop)):
                    return "callback"
                if stop:
                    return stop
        return "n_rounds"

    def fitted(self, stopped_by: str) -> dict[str, Any]:
        """Return the fitted attributes of the estimator so far."""
        kept = self.played if self.watched is None else self.played[: self.watched.best]
        classes = self.rows.classes
        trees, features = on_used_columns([r.nodes for r in kept], self.rows.features)
        ensemble = Ensemble.from_trees(
            trees,
            features=features,
            bias=np.zeros(self.boosted.targets.shape[1]),
            classes=classes,
        )
        return {
            "ensemble_": ensemble,
            "classes_": classes,
            "n_rounds_": len(kept),
            "history_": self._history(),
            "stopped_by_": stopped_by,
            "feature_importances_": feature_importances(
                [replace(r, nodes=nodes) for r, nodes in zip(kept, trees, strict=True)],
                ensemble.n_features,
            ),
            "calibration_": self._calibration(ensemble),
        }

    def _stream(self, settings: BoostingParameters) -> Iterator[BoostingRound]:
        if self.played and self.played[-1].perfect:
            return iter(())
        learner = Stump() if settings.learner is None else settings.learner
        candidates = None
        if settings.max_features is not None:
            n_open = open_columns(settings.max_features, self.columns.n_features)
            candidates = draws(self.seed, len(self.played), self.columns.n_features, n_open)
        return rounds(self.boosted, learner, self.columns, candidates)

    def _keep(self, new: BoostingRound, seconds: float) -> None:
        self.played.append(new)
        self.seconds.append(seconds)
        if self.watched is not None:
            self.watched.see(new.nodes)

    def _history(self) -> dict[str, NDArray[np.float64]]:
        names = ("edge", "alpha", "error")
        history = {name: np.array([getattr(r, name) for r in self.played]) for name in names}
        unseen = np.full(len(self.played), np.nan)
        history["held_out_error"] = (
            unseen if self.watched is None else np.array(self.watched.errors)
        )
        history["seconds"] = np.array(self.seconds)
        return history

    def _calibration(self, ensemble: Ensemble) -> Calibration:
        rows, scores = self.rows, self.boosted.scores
        if self.probed is not None:
            rows = self.probed
            scores = ensemble.scores(rows.rows, n_jobs=self.boosted.n_jobs)
        factor = fit_factor(scores, rows.labels, rows.weight)
        return Calibration.one_group(factor, ensemble.n_classifiers)


def _columns(settings: BoostingParameters, rows: TrainingSet, n_jobs: int) -> Columns:
    """Return the columns that the learner reads, as codes."""
    own = own_columns(settings.learner)
    if own is None or not isinstance(rows.features, PatchFeatures):
        return Columns.from_rows(
            rows.rows, max_bins=settings.max_bins, nominal=rows.nominal, n_jobs=n_jobs
        )
    if settings.min_weight_fraction_leaf > 0:
        raise ValueError(
            f"min_weight_fraction_leaf is {settings.min_weight_fraction_leaf}, but "
            f"{type(own).__name__} places its own thresholds; leave it at 0"
        )
    return own.columns(np.asarray(rows.rows), rows.features, settings.max_bins, n_jobs)


def without_rare_sides(columns: Columns, weight: NDArray[np.float64], fraction: float) -> Columns:
    """Keep only cuts that have `fraction` of the weight (n,) on both sides.

    Missing values are on neither side. Nominal columns stay as they are.
    """
    least = fraction * weight.sum()
    codes, cuts, n_codes = columns.codes.copy(), list(columns.cuts), columns.n_codes.copy()
    for f in np.flatnonzero(~columns.nominal):
        by_code = np.bincount(columns.codes[f], weight, n_codes[f] + 1)[:-1]
        left = np.cumsum(by_code)
        stays = ((left >= least) & (left[-1] - left >= least))[:-1]
        cuts[f] = columns.cuts[f][stays]
        n_codes[f] = len(cuts[f]) + 1
        new_code = np.concatenate([[0], np.cumsum(stays), [n_codes[f]]])
        codes[f] = new_code[columns.codes[f]]
    return replace(columns, codes=codes, cuts=tuple(cuts), n_codes=n_codes)


def open_columns(max_features: Any, n_features: int) -> int:
    """Return the number of columns that `max_features` opens to a round, at least one."""
    if isinstance(max_features, str) and max_features == "sqrt":
        return max(1, int(np.sqrt(n_features)))
    if isinstance(max_features, int | np.integer) and not isinstance(max_features, bool):
        if 1 <= max_features <= n_features:
            return int(max_features)
    elif isinstance(max_features, float | np.floating) and 0 < max_features <= 1:
        return max(1, int(max_features * n_features))
    raise ValueError(
        f"max_features is {max_features!r}; wanted None, 'sqrt', a fraction in (0, 1], or a whole "
        f"number from 1 to the {n_features} columns of X"
    )


def draws(seed: int, first: int, n_features: int, n_open: int) -> Iterator[NDArray[np.intp]]:
    """Yield the columns open to rounds `first`, `first` + 1, …; each draw depends on its round."""
    j = first
    while True:
        yield np.random.default_rng([seed, j]).choice(n_features, n_open, replace=False)
        j += 1


@dataclass(frozen=True, eq=False)
class Watch:
    """Held-out rows, and the error on them after each round."""

    rows: TrainingSet
    scored: VotedRows
    errors: list[float] = field(default_factory=list)

    def see(self, nodes: Nodes) -> None:
        """Add the error after `nodes`, with votes ±alpha, has voted, too."""
        leaf = self.rows.leaf_codes(nodes, self.scored.n_jobs)
        self.errors.append(vote(self.scored, nodes, leaf))

    @property
    def best(self) -> int:
        """Number of rounds with the smallest error, the fewest if several have it."""
        return int(np.argmin(self.errors)) + 1 if self.errors else 0

    def stale(self, patience: int | None) -> bool:
        """Return whether the last `patience` rounds brought no improvement."""
        return len(self.errors) - self.best >= (patience or 1)


try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method: Any) -> Any:
        """Return the method."""
        return method


__all__ = ["CallbackSupportMixin", "Tasks", "with_callbacks"]

Fitted = Callable[[], dict[str, Any]]


class Tasks:
    """Report the fit and each of its rounds to the callbacks of an estimator, if it has any."""

    def __init__(self, estimator: Any, n_rounds: int, X: Any, y: Any, sample_weight: Any) -> None:
        self._fit: Any = None
        self._round: Any = None
        metadata = {} if sample_weight is None else {"sample_weight": sample_weight}
        self._given = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}
        if hasattr(estimator, "_init_callback_context"):
            context = estimator._init_callback_context(max_subtasks=n_rounds)
            self._fit = context if getattr(estimator, "_skl_callbacks", None) else None
        if self._fit is not None:
            self._fit.call_on_fit_task_begin(**self._given)

    def begin_round(self) -> None:
        """Begin the next round."""
        if self._fit is not None:
            self._round = self._fit.subcontext(task_name="round")
            self._round.call_on_fit_task_begin(**self._given)

    def end_round(self, fitted: Fitted) -> bool:
        """End the round and return whether a callback stops the fit.

        `fitted` makes the fitted attributes.
        """
        return self._fit is not None and self._end(self._round, fitted)

    def end(self, fitted: Fitted) -> None:
        """End the fit."""
        if self._fit is not None:
            self._end(self._fit, fitted)

    def _end(self, task: Any, fitted: Fitted) -> bool:
        return bool(task.call_on_fit_task_end(**self._given, reconstruction_attributes=fitted))


def feature_importances(played: Iterable[BoostingRound], n_features: int) -> NDArray[np.float64]:
    """Return the share of each feature, float64 (n_features,)."""
    importances = np.zeros(n_features)
    for r in played:
        splits = r.nodes.records["feature"] >= 0
        if not splits.any():
            continue
        gains = split_gains(r.nodes, r.sums)[splits].astype(np.float64)
        gains = gains if gains.any() else np.ones(len(gains))
        share = r.alpha * r.edge * gains / gains.sum()
        np.add.at(importances, r.nodes.records["feature"][splits], share)
    total = importances.sum()
    return importances / total if total > 0 else importances


def split_gains(nodes: Nodes, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the gain of every node, int64 (n_nodes,), 0 at leaves.

    `sums` (n_leaves, K) are by leaf.
    """
    below = np.zeros((len(nodes.records), sums.shape[1]), np.int64)
    gains = np.zeros(len(nodes.records), np.int64)
    for at in reversed(range(len(nodes.records))):  # children follow their parent
        _, feature, left, right, *_ = nodes.records[at]
        if feature < 0:
            below[at] = sums[left]
            continue
        below[at] = below[left] + below[right]
        parts = np.abs(below[[left, right]]).sum()
        gains[at] = parts - np.abs(below[at]).sum()
    return gains
