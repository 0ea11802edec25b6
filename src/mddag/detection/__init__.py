"""Objects in images: windows of all places and scales, classified, and overlapping hits grouped.

    Detector                      learns an object from patches and finds it in images
    VJCascadeClassifier, …        the classic cascades, as scikit-learn estimators
    Rejection                     the solver that learns a cascade for an FPR or a TPR
    Haar                          the learner of stumps on patches

A `WindowClassifier` says which windows of a scanned image hold the object. It comes from training
or from a cascade file of OpenCV (`read_cascade`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mddag.detection.cascades import FCBoostClassifier as FCBoostClassifier
    from mddag.detection.cascades import SoftCascadeClassifier as SoftCascadeClassifier
    from mddag.detection.cascades import VJCascadeClassifier as VJCascadeClassifier
    from mddag.detection.cascades import WaldBoostClassifier as WaldBoostClassifier
    from mddag.detection.detector import Detector as Detector
    from mddag.learners import Haar as Haar
    from mddag.solvers import Rejection as Rejection

# Loaded when first used: a detector is read and run without scikit-learn.
_HOMES = {
    "Detector": "mddag.detection.detector",
    "FCBoostClassifier": "mddag.detection.cascades",
    "Haar": "mddag.learners",
    "Rejection": "mddag.solvers",
    "SoftCascadeClassifier": "mddag.detection.cascades",
    "VJCascadeClassifier": "mddag.detection.cascades",
    "WaldBoostClassifier": "mddag.detection.cascades",
}

__all__ = [
    "Detector",
    "FCBoostClassifier",
    "Haar",
    "Rejection",
    "SoftCascadeClassifier",
    "VJCascadeClassifier",
    "WaldBoostClassifier",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mddag.detection' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
