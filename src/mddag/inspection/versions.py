"""show_versions: what to put into a bug report, in the spirit of ``sklearn.show_versions``.

The level of kernels is that of native/levels/level.hpp: the fastest that the machine runs, or the
one that the environment names as MDDAG_LEVEL. Nothing is imported to learn its version.
"""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version

from mddag import _core

NEEDED = ("mddag", "numpy", "scikit-learn", "scipy", "treelite", "safetensors", "joblib")
OPTIONAL = ("lightgbm", "xgboost", "catboost", "matplotlib", "pandas", "polars", "pillow")


def facts() -> dict[str, str]:
    """System, machine and versions, by name."""
    versions = {name: _version(name) for name in (*NEEDED, *OPTIONAL)}
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count()),
        "level": _core.level(),
        "levels": " ".join(_core.levels()),
        **{name: found for name, found in versions.items() if found},
    }


def show_versions() -> None:
    """Print system, versions, and the level of kernels that runs."""
    for name, value in facts().items():
        print(f"{name:>14}: {value}")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
