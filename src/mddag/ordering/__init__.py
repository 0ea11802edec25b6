"""Orderings: which base classifiers to ask first.

| ordering | use it when |
|---|---|
| Correlation | by default: the ensemble was not made with early exits in mind (gradient boosting) |
| QWYCOrder | you want what QWYC does, for comparison; one score, slower |
| Given | the sequence is good as it is |
"""

from mddag.ordering.correlation import Correlation
from mddag.ordering.given import Given
from mddag.ordering.order import Ordering
from mddag.ordering.qwyc import QWYCOrder

__all__ = ["Correlation", "Given", "Ordering", "QWYCOrder"]
