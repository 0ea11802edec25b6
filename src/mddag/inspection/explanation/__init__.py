"""One row explained: a ``Dag`` and a row come in, an ``Explanation`` goes out.

rules        the conditions that a row meets in a tree, in words
walk         the row's way through the policy, step by step
exits        where the policy quits, and at which scores
changes      one feature changed at a time: what would change the prediction
explanation  all of it as one object: text, dict, picture
"""

from mddag.inspection.explanation.explain import explain as explain
from mddag.inspection.explanation.explanation import Explanation as Explanation

__all__ = ["Explanation", "explain"]
