"""Explain one row: walk it through the policy, then change one feature at a time.

The row is walked once in Python, and the DAG is run on all changed rows at once. The jump table
folds chains of SKIPs; the walk unfolds them, since they are to be listed. Its sums are those of the
executors to the last bit: integers where base classifiers are trees on scores or stages
(``IntegerVotes``), else float64.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import typed
from mddag.engine.dag import Dag
from mddag.engine.executors import votes_on
from mddag.engine.program import Program
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Rows
from mddag.ensemble.nodes import Nodes
from mddag.ensemble.patches import PatchFeatures
from mddag.inspection.explanation.explanation import (
    ExitReason,
    Explanation,
    Segment,
    Step,
    TreeRule,
    name_of,
)
from mddag.inspection.explanation.rules import (
    best_changes,
    changed_predictions,
    feature_name,
    path_of,
    rule_of_path,
    tries_of,
    value_of,
)
from mddag.policy.calibration import Calibration
from mddag.policy.policy import ACTIONS, EVAL, QUIT
from mddag.policy.state import Score, Stages


def explain(dag: Dag, calibration: Calibration | None, row: Rows) -> Explanation:
    """Explain what the DAG does with a row (1, n_features) that has been checked, and why."""
    if dag.needs_queries:
        raise ValueError(
            f"the model decides by the place of a document in its query "
            f"({typed(dag.policy.state)}), so one row has no path of its own to explain; "
            "model.report(path, X, y, qid=qid) shows the paths of many"
        )
    features, x = dag.ensemble.features, np.asarray(row)[0]
    walk = WalkOfRow(dag.program, row)
    predict = partial(predictions, dag, calibration)
    prediction = predict(row).tolist()[0]
    trees = [tree for step in walk.steps for tree in _trees(walk.ensemble, step.classifier)]
    read = dict.fromkeys(int(node["feature"]) for tree in trees for node, _ in path_of(tree, x)[0])
    # No pixel changes one Haar feature alone, so of patches nothing is tried.
    tries = [] if isinstance(features, PatchFeatures) else tries_of(trees, features, x)
    found = changed_predictions(tries, x, features, predict)
    classes, end = classes_of(dag.ensemble), walk.exit()
    probabilities = None
    if classes is not None and calibration is not None:
        exit_step = walk.steps[-1].step + 1 if walk.steps else 0
        shares = calibration.probabilities(walk.scores[None], np.array([exit_step]))
        probabilities = tuple(shares[0].tolist())
    predicts_classes = dag.ensemble.task.predicts_classes
    return Explanation(
        kind=dag.ensemble.kind,
        prediction=prediction,
        classes=None if classes is None else tuple(classes.tolist()),
        probabilities=probabilities,
        start=tuple(walk.start.tolist()),
        scores=tuple(walk.scores.tolist()),
        steps=tuple(walk.steps),
        skipped=tuple(walk.skipped),
        not_reached=tuple(walk.policy.order[walk.at :].tolist()),
        exit=end,
        inputs={feature_name(features, i): value_of(features, i, float(x[i])) for i in read},
        changes=best_changes(tries, found, prediction, of_numbers=not predicts_classes),
        n_tried=len(tries),
        missing_score=_margin(walk.scores) if predicts_classes and end.verdict is None else None,
    )


def predictions(dag: Dag, calibration: Calibration | None, rows: Rows) -> NDArray[Any]:
    """Return the labels or numbers that a model of this DAG predicts, (n,)."""
    classes = classes_of(dag.ensemble)
    if classes is not None:
        labels: NDArray[Any] = classes[dag.verdicts(rows)]
        return labels
    return numbers_of(dag.ensemble, calibration, *dag.exits(rows))


def numbers_of(
    ensemble: Ensemble,
    calibration: Calibration | None,
    scores: NDArray[np.float64],
    exit_step: NDArray[np.integer[Any]],
) -> NDArray[Any]:
    """Return what a regressor predicts, or a ranker sorts by, (n,)."""
    if calibration is not None:
        scores = calibration.calibrated(scores, exit_step)
    return ensemble.task.predictions(scores)


def classes_of(ensemble: Ensemble) -> NDArray[Any] | None:
    """Return the labels, or numbers if a classifier has none; None for other models."""
    if ensemble.classes is None and ensemble.task.predicts_classes:
        return np.arange(max(ensemble.n_scores, 2))
    return ensemble.classes


def _trees(ensemble: Ensemble, classifier: int) -> list[Nodes]:
    """Return the trees of a base classifier; none for a callable."""
    if ensemble.callables:
        return []
    rounds = ensemble.tables.rounds
    return [ensemble.tree(t) for t in range(rounds[classifier], rounds[classifier + 1])]


def _rules(ensemble: Ensemble, classifier: int, x: NDArray[Any]) -> tuple[TreeRule, ...]:
    """Return the rules that a row (n_features,) meets in the trees of a base classifier."""
    tables, rules = ensemble.tables, []
    for t, tree in enumerate(_trees(ensemble, classifier), int(tables.rounds[classifier])):
        splits, leaf = path_of(tree, x)
        text = rule_of_path(splits, tree, ensemble.features, x)
        rules.append(TreeRule(text, tuple(tables.table(t)[leaf].tolist())))
    return tuple(rules)


def _margin(scores: NDArray[np.float64]) -> float:
    """Return how far scores (K,) are from another label."""
    if len(scores) == 1:
        return abs(float(scores[0]))
    second, first = np.sort(scores)[-2:]
    return float(first - second)


THE_ROW = np.zeros(1, np.intp)


class WalkOfRow:
    """A row (1, n_features) on its way through the policy of a program.

    `steps` are its evaluations, `skipped` what it skipped; `decision` is that at which it quits, or
    their number if it passed all of them, and `at` the step of this decision.
    """

    def __init__(self, program: Program, row: Rows) -> None:
        self.program, self.policy, self.ensemble = program, program.policy, program.ensemble
        self.state, self.x = self.policy.state, np.asarray(row)[0]
        tables, self.unit = self.ensemble.tables, 1.0
        if program.has_walk:  # integers, which float64 holds exactly
            fixed = program.fixed_point
            values, bias = (a.astype(np.float64) for a in (fixed.values, fixed.bias))
            tables, self.unit = replace(tables, values=values, bias=bias), fixed.unit
        self.votes_on = votes_on(replace(self.ensemble, tables=tables), row, 1)
        self.carried: Any = self.state.start(tables.bias, 1)
        self.start = self.scores
        self.steps: list[Step] = []
        self.skipped: list[int] = []
        self._listed = 0  # of them in the steps so far
        self.decision = 0
        while self.decision < len(self.policy.actions):
            action = self.policy.actions[self.decision, self.cell]
            if action == QUIT:
                break
            self._take(action)

    @property
    def at(self) -> int:
        """The step of the decision."""
        return min(self.decision * self.policy.every, self.policy.n_steps)

    @property
    def scores(self) -> NDArray[np.float64]:
        """The scores so far, (K,); of stages, those of the column that is read next."""
        copy: NDArray[np.float64] = self.state.scores(self.carried)[0] * self.unit
        return copy

    @property
    def read(self) -> NDArray[np.float64]:
        """The scores that the decision looks at, (K,); with stages not always the final ones."""
        if not isinstance(self.state, Stages):
            return self.scores
        columns = self.carried[0].reshape(self.state.n_columns, -1)
        column: NDArray[np.float64] = columns[self.state.reads[self.at]] * self.unit
        return column

    @property
    def cell(self) -> int:
        """The cell of the decision."""
        if not self.program.has_walk:
            return int(self.state.cells(self.carried, self.at, THE_ROW)[0])
        return int(self.program.cells(self.read[None])[0])

    def _take(self, action: int) -> None:
        """Evaluate or skip up to the next decision, which a SKIP may choose."""
        after = self.decision + 1
        if self.policy.leaps is not None and action != EVAL:
            after = int(self.policy.leaps[self.decision, self.cell])
        for j in range(self.policy.n_steps)[self.at : after * self.policy.every]:
            classifier = int(self.policy.order[j])
            if action != EVAL:
                self.skipped.append(classifier)
                continue
            votes = self.votes_on(classifier, THE_ROW)
            self.state.add(self.carried, j, THE_ROW, votes)
            self.steps.append(
                Step(
                    step=j,
                    classifier=classifier,
                    name=name_of(classifier),
                    rules=_rules(self.ensemble, classifier, self.x),
                    votes=tuple((votes[0] * self.unit).tolist()),
                    scores=tuple(self.scores.tolist()),
                    skipped=tuple(self.skipped[self._listed :]),
                )
            )
            self._listed = len(self.skipped)
        self.decision = after

    def exit(self) -> ExitReason:
        """Say why the walk ended."""
        d, cell = self.decision, self.cell
        ended = d == len(self.policy.actions)
        verdict = None
        if self.policy.verdict is not None and (code := int(self.policy.verdict[d, cell])) >= 0:
            classes = self.ensemble.classes
            verdict = code if classes is None else classes.tolist()[code]
        reads, value = "state", None
        if isinstance(self.state, (Score, Stages)):
            reads = "score" if len(self.read) == 1 else "margin"
            value = float(self.read[0]) if reads == "score" else _margin(self.read)
        segments: tuple[Segment, ...] = ()
        segment: Segment | None = None
        if not ended and value is not None:
            edges = self.policy.grid.edges
            top, place = divmod(cell, len(edges) + 1)  # by margin, each best class has its cells
            actions = self.policy.actions[d].reshape(-1, len(edges) + 1)[top]
            segments = merged(actions, edges)
            segment = segments[np.count_nonzero(np.diff(actions[: place + 1]))]
        reason = "end" if ended else "quit"
        return ExitReason(reason, self.at, reads, value, segments, segment, verdict)


def merged(actions: NDArray[np.uint8], edges: NDArray[np.float64]) -> tuple[Segment, ...]:
    """Merge neighboring cells with one action; actions (n_edges + 1,)."""
    at = np.flatnonzero(np.diff(actions))
    bounds = [-np.inf, *edges[at].tolist(), np.inf]
    named = [ACTIONS[actions[i]] for i in [*at, len(actions) - 1]]
    spans = zip(bounds[:-1], bounds[1:], named, strict=True)
    return tuple(Segment(low, high, action) for low, high, action in spans)
