"""explain(dag, calibration, row): the Explanation of one row.

The row is walked once in Python, then one feature at a time is changed and the DAG run on all
changed rows at once.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import typed
from mddag.calibration.calibration import Calibration
from mddag.dag.dag import Dag
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import Nodes
from mddag.features.patches import PatchFeatures
from mddag.features.rows import Rows
from mddag.inspection.explanation.changes import (
    Change,
    changed_predictions,
    label_changes,
    number_changes,
    tries_of,
    value_of,
)
from mddag.inspection.explanation.exits import exit_of
from mddag.inspection.explanation.explanation import Explanation, Rule, Step
from mddag.inspection.explanation.rules import feature_name, path_of, rule_of_path
from mddag.inspection.explanation.walk import Visit, Walked, walk


def explain(dag: Dag, calibration: Calibration | None, row: Rows) -> Explanation:
    """What the DAG does with a row (1, n_features) that has been checked, and why.

    calibration : what scores at each exit stand for; None where there is none
    """
    if dag.needs_queries:
        raise ValueError(
            f"the model decides by the place of a document in its query "
            f"({typed(dag.policy.state)}), so one row has no path of its own to explain; "
            "model.report(path, X, y, qid=qid) shows the paths of many"
        )
    path = _Path(dag, row)
    exit_step = path.walked.visits[-1].step + 1 if path.walked.visits else 0
    predict = partial(predictions, dag, calibration)
    prediction = predict(row).tolist()[0]
    changes, n_tried = path.changes(predict, prediction)
    why = exit_of(path.program, path.walked)
    classes = classes_of(dag.ensemble)
    probabilities = None
    if classes is not None and calibration is not None:
        scores = path.walked.scores[None]
        shares = calibration.probabilities(scores, np.array([exit_step]))
        probabilities = tuple(shares[0].tolist())
    return Explanation(
        kind=dag.ensemble.kind,
        prediction=prediction,
        classes=None if classes is None else tuple(classes.tolist()),
        probabilities=probabilities,
        start=tuple(path.walked.start.tolist()),
        scores=tuple(path.walked.scores.tolist()),
        steps=tuple(path.step(visit) for visit in path.walked.visits),
        skipped=path.skipped,
        not_reached=path.not_reached,
        exit=why,
        inputs=path.inputs,
        changes=changes,
        n_tried=n_tried,
        missing_score=_missing(dag, path.walked) if why.verdict is None else None,
    )


def predictions(dag: Dag, calibration: Calibration | None, rows: Rows) -> NDArray[Any]:
    """The labels or numbers that a model of this DAG predicts, (n,)."""
    classes = classes_of(dag.ensemble)
    if classes is not None:
        labels: NDArray[Any] = classes[dag.verdicts_of(rows, 1)]
        return labels
    scores, exit_step = dag.exits_of(rows, 1)
    if calibration is not None:
        scores = calibration.calibrated(scores, exit_step)
    return dag.ensemble.task.predictions(scores)


def classes_of(ensemble: Ensemble) -> NDArray[Any] | None:
    """The labels, numbers where a classifier has none; None for regressors and rankers."""
    if ensemble.classes is None and ensemble.task.predicts_classes:
        return np.arange(max(ensemble.n_scores, 2))
    return ensemble.classes


class _Path:
    """A row, the program that runs it, and its walk."""

    def __init__(self, dag: Dag, row: Rows) -> None:
        self.row, self.rows, self.features = np.asarray(row)[0], row, dag.ensemble.features
        self.program = dag.program
        self.walked: Walked = walk(self.program, row)

    @property
    def ensemble(self) -> Ensemble:
        return self.program.ensemble

    def trees(self, classifier: int) -> list[Nodes]:
        """The trees of a base classifier of the program."""
        if self.ensemble.callables:
            return []
        rounds = self.ensemble.tables.rounds
        return [self.ensemble.tree(t) for t in range(rounds[classifier], rounds[classifier + 1])]

    def step(self, visit: Visit) -> Step:
        """An evaluation in words."""
        return Step(
            step=visit.step,
            classifier=int(visit.classifier),
            name=f"h_{visit.classifier}",
            rules=tuple(self._rules(visit.classifier)),
            votes=tuple(visit.votes.tolist()),
            scores=tuple(visit.scores.tolist()),
            skipped=tuple(map(int, visit.skipped)),
        )

    def _rules(self, classifier: int) -> list[Rule]:
        tables, rules = self.ensemble.tables, []
        for t, tree in enumerate(self.trees(classifier), int(tables.rounds[classifier])):
            splits, leaf = path_of(tree, self.row)
            text = rule_of_path(splits, tree, self.features, self.row)
            rules.append(Rule(text, tuple(tables.table(t)[leaf].tolist())))
        return rules

    @property
    def skipped(self) -> tuple[int, ...]:
        every = [j for visit in self.walked.visits for j in visit.skipped]
        return tuple(map(int, [*every, *self.walked.skipped]))

    @property
    def not_reached(self) -> tuple[int, ...]:
        policy = self.program.policy
        return tuple(policy.order[self.walked.decision * policy.every :].tolist())

    @property
    def inputs(self) -> dict[str, Any]:
        read = {
            int(node["feature"]): None
            for visit in self.walked.visits
            for tree in self.trees(visit.classifier)
            for node, _ in path_of(tree, self.row)[0]
        }
        return {
            feature_name(self.features, i): value_of(self.features, i, float(self.row[i]))
            for i in read
        }

    def changes(self, predict: Any, prediction: Any) -> tuple[tuple[Change, ...], int]:
        """What would change the prediction, and how many values were tried."""
        if isinstance(self.features, PatchFeatures):  # no pixel changes one Haar feature alone
            return (), 0
        trees = (tree for visit in self.walked.visits for tree in self.trees(visit.classifier))
        tries = tries_of(trees, self.features, self.row)
        found = changed_predictions(tries, self.row, self.features, predict)
        sort = label_changes if self.ensemble.task.predicts_classes else number_changes
        return sort(tries, found, prediction, self.row, self.features), len(tries)


def _missing(dag: Dag, walked: Walked) -> float | None:
    """How far the scores are from another label."""
    if not dag.ensemble.task.predicts_classes:
        return None
    if len(walked.scores) == 1:
        return abs(float(walked.scores[0]))
    second, first = np.sort(walked.scores)[-2:]
    return float(first - second)
