"""Sparse decision DAGs: fast decisions from boosted ensembles.

Start with ``fast = mddag.sparsify(model, X, y, budget=20)``, where `X` are rows that the trained
`model` has not seen. The method is that of Benbouzid, Busa-Fekete & Kégl, "Fast classification
using sparse decision DAGs" (ICML 2012). Public names are listed in ``__init__.pyi`` and loaded on
first use, so that ``import mddag`` stays light.
"""

from __future__ import annotations

from typing import Any

import lazy_loader

_public_name, _public_names, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # takes longer than all the rest

        return version("mddag")
    return _public_name(name)


def __dir__() -> list[str]:
    return [*_public_names(), "__all__", "__doc__", "__version__"]
