"""Warnings that point to the user's line: why a result may be unreliable, and what to do."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

BETWEEN = {"mddag", "contextlib", "joblib", "sklearn"}  # the user's line is in none of these


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the first line outside of BETWEEN that led here."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


# Fewer policy rows leave too much to chance: docs/sparsify.md has the numbers.
FEWEST_ROWS = {"beta": 500, "budget": 1000, "max_loss": 1000, "max_disagreement": 1000}
FEWEST_TO_FIT = 250  # fewer than a price wants: rows held out for the policy are lost to boosting


class DoubtfulResult(UserWarning):
    """Warning that a result may be unreliable; the message says why, and what to do.

    Examples
    --------
    >>> import warnings
    >>> import mddag
    >>> warnings.simplefilter("error", mddag.DoubtfulResult)
    """


def doubt(message: str) -> None:
    """Warn at the user's line."""
    warn_user(message, DoubtfulResult)


def doubt_few_rows(n_rows: int, target: str) -> None:
    """Warn of fewer rows than `target` needs if nothing is certified."""
    if n_rows < FEWEST_ROWS[target]:
        doubt(
            f"X has {n_rows} rows, but {target} wants {FEWEST_ROWS[target]} or more where nothing "
            "is certified: policies are learned on some of them and chosen by the others, and with "
            "so few rows the choice is mostly noise; give more rows"
        )


def doubt_few_policy_rows(n_rows: int, *, held_out: bool) -> None:
    """Warn of a `fit` whose policy has few rows, held-out ones or all."""
    if n_rows < FEWEST_TO_FIT:
        larger = " or a larger policy_fraction" if held_out else ""
        doubt(
            f"the policy is learned on {n_rows} rows; wanted {FEWEST_TO_FIT} or more, because with "
            f"so few it is mostly noise: give more rows{larger}"
        )


def doubt_one_class(labels: NDArray[Any], *, given: bool = True) -> None:
    """Warn of policy rows (n,) that all have one label, given or predicted by the model."""
    if len(labels) and (labels == labels[0]).all():
        label = labels[:1].tolist()[0]
        have = "have the label" if given else "get from the model the label"
        doubt(
            f"the policy rows, {len(labels)} in all, {have} {label!r} alone, so a policy that "
            "gives it to every row seems perfect; give rows of every class"
        )


def doubt_rare_class(
    labels: NDArray[Any], target: str, bound: float, weight: NDArray[np.float64] | None = None
) -> None:
    """Warn of a bound that a model meets which never predicts the rarest class."""
    classes, places = np.unique(labels, return_inverse=True)
    shares = np.bincount(places, weights=weight)
    shares = shares / shares.sum()
    rarest = int(np.argmin(shares))
    label = classes[rarest : rarest + 1].tolist()[0]
    if len(classes) > 1 and bound >= shares[rarest]:
        doubt(
            f"{target}={bound:g} is not below the share of class {label!r} in y, "
            f"{shares[rarest]:.2g}: a model that never predicts this class may keep the bound; "
            "give a smaller bound, or metric=LogLoss() or RocAuc(), which protect probabilities "
            "and their order (without a metric max_loss protects the order, too)"
        )
