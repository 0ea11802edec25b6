"""Say what to put into a bug report, in the spirit of ``sklearn.show_versions``."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version

from mddag import _core

NEEDED = ("mddag", "numpy", "scikit-learn", "scipy", "treelite", "safetensors", "joblib")
OPTIONAL = ("lightgbm", "xgboost", "catboost", "matplotlib", "pandas", "polars", "pillow")


def show_versions() -> None:
    """Print what a bug report should contain: system, versions and the level of kernels.

    The level is the fastest that the machine runs, or the one that the environment names as
    MDDAG_LEVEL. Nothing is imported to learn its version.

    Examples
    --------
    >>> import mddag
    >>> mddag.show_versions()
            python: 3...
    """
    facts = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count()),
        "level": _core.level(),
        "levels": " ".join(_core.levels()),
        **{name: _version(name) for name in (*NEEDED, *OPTIONAL)},
    }
    for name, found in facts.items():
        if found:
            print(f"{name:>14}: {found}")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
