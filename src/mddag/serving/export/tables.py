"""All of a model that leaves Python, as named numbers and arrays for every language.

A language has one text, the walk, with sections that hold for some models alone (``facts``), and
one way to write an array. Sums stay within 31 bits (``IntegerVotes``), so 32-bit integers hold
them exactly in every language, and so do the doubles of JavaScript. Languages without structs
read a split as four int32 in a row, which are in one line of the cache:

    threshold as the bits of a float32, or the place of a set of categories
    feature x 4 + 2 if it is a set + 1 if missing values go left
    left, right: a split, or below 0 the leaf whose votes begin at ~child

A set of categories is its number of words, and then as many words of 32 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mddag._utils.cached import cached_property
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.patches import PatchFeatures
from mddag.policy.calibration import Calibration
from mddag.serving.export.walk_tables import WalkTables
from mddag.serving.model_file import Model

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ModelTables:
    """A model as renderers take it; made by ``ModelTables.of``."""

    model: Model
    walk: WalkTables

    @classmethod
    def of(cls, model: Model) -> ModelTables:
        """Take the tables of a model of trees that reads one row at a time."""
        if not model.dag.ensemble.task.predicts_classes:
            model.dag.ensemble.task.require_predictions()
        return cls(model, WalkTables.of(model.dag))

    @property
    def ensemble(self) -> Ensemble:
        """The ensemble that the policy runs."""
        return self.model.dag.ensemble

    @property
    def patches(self) -> PatchFeatures | None:
        """The features of patches, where the model reads those."""
        features = self.ensemble.features
        return features if isinstance(features, PatchFeatures) else None

    @property
    def classes(self) -> Labels | None:
        """The labels; None for regressors and rankers."""
        classes = self.ensemble.classes
        return None if classes is None else Labels.of(classes.tolist())

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the features; None if there are none, as for pixels."""
        names = self.ensemble.features.names
        return None if self.patches is not None or names is None else tuple(map(str, names))

    @property
    def categories(self) -> dict[int, tuple[Any, ...]]:
        """The values of nominal columns in the order of their codes: text, or floats.

        In a row by name a value is text or a number; two values that look alike there keep both
        codes, and a look-up gives one of them.
        """
        columns = sorted(self.ensemble.features.categories.items())
        return {i: tuple(map(_key, values)) for i, values in columns}

    @property
    def facts(self) -> frozenset[str]:
        """Which sections of a walk this model needs."""
        return frozenset(name for name, holds in self.all_facts.items() if holds)

    @cached_property
    def all_facts(self) -> dict[str, bool]:
        """What sections of a walk can be for, and whether the model needs them."""
        walk, features, task = self.walk, self.ensemble.features, self.ensemble.task
        probabilities = task.predicts_classes and self.model.calibration is not None
        # A ranker predicts its scores whatever its link.
        exp_link = self.ensemble.kind == "regressor" and self.ensemble.link == "exp"
        return {
            "staged": walk.stages is not None,
            "verdicts": walk.verdicts is not None,
            "nominal": bool((walk.splits.records["n_words"] > 0).any()),
            "many": walk.n_scores > 1,
            "together": walk.every > 1,
            "patches": self.patches is not None,
            "classifies": task.predicts_classes,
            "calibrated": self.calibration is not None,
            "probabilities": probabilities,
            "exp_link": exp_link,
            "exp": probabilities or exp_link,
            "named": self.names is not None,
            "missing": features.missing,
            "refuses": features.unknown == "error",
        }

    @property
    def constants(self) -> dict[str, int]:
        """Sizes that a walk reads."""
        walk = self.walk
        sizes = {
            "n_features": self.ensemble.features.n_given,
            "n_scores": walk.n_scores,
            "n_sums": walk.n_scores if walk.stages is None else walk.stages.n_columns,
            "n_steps": walk.n_steps,
            "every": walk.every,
        }
        if self.ensemble.task.predicts_classes:
            sizes["n_classes"] = max(walk.n_scores, 2)
        if self.patches is not None:
            sizes |= {"height": self.patches.window[0], "width": self.patches.window[1]}
        return sizes

    @property
    def unit(self) -> float:
        """A score is a sum times this power of two."""
        return float(np.ldexp(1.0, -self.walk.exponent))

    @cached_property
    def calibration(self) -> Calibration | None:
        """The calibration by kept exit; None for classifiers that have none."""
        calibration = self.model.calibration
        if calibration is None:
            if self.ensemble.task.predicts_classes:
                return None
            calibration = Calibration.one_group(1.0, len(self.ensemble))
        groups = calibration.groups[np.concatenate([[0], self.walk.steps + 1])]
        return Calibration(groups, calibration.factors, calibration.offsets)

    @property
    def integers(self) -> dict[str, Integers]:
        """The arrays of a walk without structs; each value fits into 32 bits with a sign."""
        walk, rest = self.walk, self.rest
        nodes, sets = self._nodes
        arrays: dict[str, NDArray[Any]]
        arrays = {"nodes": nodes, "sets": sets, "roots": walk.splits.roots, "votes": walk.votes}
        arrays |= {"bias": walk.bias, "rounds": walk.rounds, "starts": walk.jumps.starts}
        arrays |= {"bounds": self._signed(walk.jumps.bounds), "jumps": walk.jumps.values, **rest}
        if walk.verdicts is not None:
            arrays["verdict_bounds"] = self._signed(walk.verdicts.bounds)
        return {name: np.asarray(values, np.int64) for name, values in arrays.items()}

    @property
    def rest(self) -> dict[str, Integers]:
        """The arrays that some models alone have."""
        walk, arrays = self.walk, {}
        if walk.n_scores > 1:
            arrays["score"] = walk.score.astype(np.int64)
        if walk.stages is not None:
            arrays |= {"reads": walk.stages.reads, "write_starts": walk.stages.starts}
            arrays["write_columns"] = walk.stages.columns
        if walk.verdicts is not None:
            arrays |= {"verdict_starts": walk.verdicts.starts, "verdicts": walk.verdicts.values}
            arrays["verdict_bounds"] = walk.verdicts.bounds
        if self.calibration is not None:
            arrays["groups"] = self.calibration.groups.astype(np.int64)
        if self.patches is not None:
            arrays["corners"], arrays["weights"] = self.rectangles(self.patches)
        return arrays

    @property
    def doubles(self) -> dict[str, NDArray[np.float64]]:
        """The arrays of float64 numbers."""
        if self.calibration is None:
            return {}
        return {"factors": self.calibration.factors, "offsets": self.calibration.offsets}

    @property
    def longs(self) -> dict[str, NDArray[np.uint64]]:
        """The arrays of 64 bits."""
        return {"two_powers": two_powers()} if "exp" in self.facts else {}

    @cached_property
    def thresholds(self) -> NDArray[np.float32]:
        """The largest float32 that is not above the threshold of each split."""
        exact = self.walk.splits.records["threshold"]
        with np.errstate(over="ignore"):  # CatBoost splits at the least float32, before missing
            rounded: NDArray[np.float32] = exact.astype(np.float32)
            below = np.nextafter(rounded, np.float32(-np.inf))
        return np.where(rounded > exact, below, rounded)

    @staticmethod
    def rectangles(features: PatchFeatures) -> tuple[Integers, Integers]:
        """Return the corners (4 m,) of rectangles in an integral image, and their weights."""
        x, y, w, h, weight = features.rectangles.reshape(-1, 5).astype(np.int64).T
        stride = features.window[1] + 1
        upper, lower = y * stride + x, (y + h) * stride + x
        return np.stack([upper, upper + w, lower, lower + w], axis=1).ravel(), weight

    @cached_property
    def _nodes(self) -> tuple[Integers, Integers]:
        """Splits as four numbers each, and the sets of categories."""
        records, words = self.walk.splits.records, self.walk.splits.words
        first = self.thresholds.view(np.int32).astype(np.int64)
        is_set, sets = records["n_words"] > 0, [np.empty(0, np.int64)]
        at = 0
        for i in np.flatnonzero(is_set).tolist():
            own = words[records["word"][i] :][: records["n_words"][i]].view(np.int32)
            sets.append(np.concatenate([[len(own)], own]).astype(np.int64))
            first[i], at = at, at + len(sets[-1])
        second = records["feature"] * 4 + 2 * is_set + records["missing_left"]
        nodes = np.stack([first, second, records["left"], records["right"]], axis=1)
        return nodes.ravel().astype(np.int64), np.concatenate(sets)

    def _signed(self, bounds: Integers) -> Integers:
        """Bounds of margins, 0 .. 2^32 - 2, less 2^31; those of scores as they are."""
        return bounds - 2**31 if self.walk.n_scores > 1 else bounds


EXACT = 2**53  # the largest whole number up to which doubles hold all


@dataclass(frozen=True)
class Labels:
    """Names of features, values of categories or classes, all int, float or str.

    Whole numbers that a double holds exactly and bools stay whole numbers, other real numbers
    become doubles, and everything else, mixed columns too, is text.
    """

    kind: Literal["whole", "real", "text"]
    values: tuple[Any, ...]

    @classmethod
    def of(cls, values: Sequence[Any]) -> Labels:
        """Take values as numbers where a language can hold them all, else as text."""
        plain = [v.item() if isinstance(v, np.generic) else v for v in values]
        if all(isinstance(v, Integral) and abs(int(v)) <= EXACT for v in plain):
            return cls("whole", tuple(map(int, plain)))
        if all(map(_is_double, plain)):
            return cls("real", tuple(map(float, plain)))
        return cls("text", tuple(v if isinstance(v, str) else str(v) for v in plain))


def _is_double(value: Any) -> bool:
    """Tell whether a double holds the number; NaN, which equals nothing, is text."""
    try:
        return isinstance(value, (Real, np.bool_)) and bool(float(value) == value)
    except OverflowError:
        return False


def _key(value: Any) -> str | float:
    if _is_double(value):
        return float(value)
    return value if isinstance(value, str) else str(value)


STEPS = 128


@cache
def two_powers() -> NDArray[np.uint64]:
    """Return two entries for each i of 2^(i/128), of which D is the nearest double.

    The bits of D's relative error, and those of D less i 2^45: adding k 2^45 gives 2^(k/128). With
    x = k ln 2 / 128 + r, exported code computes exp(x) = 2^(k/128) x (1 + tail + r + r^2/2 + ... +
    r^5/120) by fused multiply-adds, the algorithm of Arm's optimized routines (MIT license), which
    the C library of Linux has and by which the library computes probabilities there: the same bits
    in every language. JavaScript computes fused operations of sums and products (Boldo and
    Melquiond, 2008). Other C libraries may differ by one unit in the last place.
    """
    entries: list[int] = []
    with localcontext() as context:
        context.prec = 60
        for i in range(STEPS):
            exact = Decimal(2) ** (Decimal(i) / STEPS)
            nearest = float(exact)
            tail = float(Fraction(exact) / Fraction(nearest) - 1)
            entries += [_bits(tail), _bits(nearest) - (i << 45)]
    return np.array(entries, np.uint64)


def _bits(number: float) -> int:
    return int(np.float64(number).view(np.uint64))
