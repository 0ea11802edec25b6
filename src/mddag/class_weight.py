"""Class weights: factors on the weights of the classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.training_set import TrainingSet


def class_weights(class_weight: Any, rows: TrainingSet) -> NDArray[np.float64]:
    """One factor per class, float64 (n_classes,): from None, "balanced" or a dict by label."""
    if class_weight is None:
        return np.ones(len(rows.classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        mass = np.bincount(rows.labels, rows.weight, len(rows.classes))
        return np.asarray(mass.sum() / (len(mass) * mass))
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight is {class_weight!r}; wanted None, 'balanced' or a dict by class label"
        )
    return _from_mapping(class_weight, rows.classes.tolist())


def _from_mapping(by_label: Mapping[Any, float], classes: list[Any]) -> NDArray[np.float64]:
    bad = next((label for label, factor in by_label.items() if not 0 < factor < np.inf), None)
    if bad is not None:
        raise ValueError(f"class_weight[{bad!r}] is {by_label[bad]}; wanted a number above 0")
    strangers = [label for label in by_label if label not in classes]
    left_out = [label for label in classes if label not in by_label]
    if strangers and left_out:  # most likely a label misspelt
        raise ValueError(
            f"class_weight has labels that are not classes, {strangers[:5]}, and lacks the "
            f"classes {left_out[:5]}"
        )
    return np.array([float(by_label.get(label, 1.0)) for label in classes])
