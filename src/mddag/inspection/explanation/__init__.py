"""Explain one row: a ``Dag`` and a row come in, an ``Explanation`` goes out."""

from mddag.inspection.explanation.explain import explain as explain
from mddag.inspection.explanation.explanation import Explanation as Explanation

__all__ = ["Explanation", "explain"]
