"""Explain one row: a ``Dag`` and a row come in, an ``Explanation`` goes out.

explain      follows the row through the policy and tries what would change its prediction
explanation  what was found, as one object: text, dict, plot
rules        the conditions a row meets in a tree, in words, and the values worth trying
"""

from mddag.inspection.explanation.explain import explain as explain
from mddag.inspection.explanation.explanation import Explanation as Explanation

__all__ = ["Explanation", "explain"]
