"""Warnings that point to the user's line, however deep inside of the libraries they arise."""

from __future__ import annotations

import sys
import warnings

BETWEEN = {"mddag", "contextlib", "joblib", "sklearn"}  # the user's line is in none of these


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the first line outside of BETWEEN that led here."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
