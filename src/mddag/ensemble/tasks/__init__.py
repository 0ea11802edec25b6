"""What scores stand for. An Ensemble holds one Task: targets and scores come in; the numbers that
an MDP reads, the default loss, and predictions go out.

| task | scores (n, K) | prediction of a row |
|---|---|---|
| Classification | K = 1 for two classes, else one for each class | the label of the largest score |
| Regression | one | the score, or exp of it (``link``) |
| Ranking | one | the score, to sort by |

``task`` has the contract: start there. ``quality`` has what is reported of predictions.
Another kind of model is one more member here, and its quality.
"""

from mddag.ensemble.tasks.classification import Classification
from mddag.ensemble.tasks.ranking import Ranking
from mddag.ensemble.tasks.regression import Regression
from mddag.ensemble.tasks.task import Task

__all__ = ["TASKS", "Classification", "Ranking", "Regression"]

TASKS: dict[str, type[Task]] = {
    member.kind: member for member in (Classification, Regression, Ranking)
}
