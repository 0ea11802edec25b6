"""Explain one row: follow its path, then change one feature at a time.

The path is that of the executors; its sums are added up again to list them, to the last bit as
executors do: in integers where base classifiers are trees on scores or stages (``IntegerVotes``),
else in float64. The jump table folds chains of SKIPs, which are unfolded to find where the row
quits.
"""

from __future__ import annotations

from collections.abc import Iterator
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
    feature_name,
    path_of,
    rule_of_path,
    tries_of,
    value_of,
)
from mddag.policy.calibration import Calibration
from mddag.policy.policy import ACTIONS, QUIT
from mddag.policy.state import Score, Stages


def explain(dag: Dag, calibration: Calibration | None, row: Rows) -> Explanation:
    """Explain what the DAG does with a row (1, n_features) that has been checked, and why."""
    if dag.needs_queries:
        raise ValueError(
            f"the model decides by the place of a document in its query "
            f"({typed(dag.policy.state)}), so one row has no path of its own to explain; "
            "model.report(path, X, y, qid=qid) shows the paths of many"
        )
    ensemble, features, x = dag.ensemble, dag.ensemble.features, np.asarray(row)[0]
    trace, walk = dag.run(row), _Walk(dag.program, row)
    steps = tuple(walk.steps(trace.path(0).tolist()))
    end = walk.exit(int(trace.exit_step[0]))
    predict = partial(predictions, dag, calibration)
    trees = [tree for step in steps for tree in _trees(ensemble, step.classifier)]
    read = dict.fromkeys(int(node["feature"]) for tree in trees for node, _ in path_of(tree, x)[0])
    tries = tries_of(trees, features, x)
    classes, probabilities = classes_of(ensemble), None
    if classes is not None and calibration is not None:
        shares = calibration.probabilities(trace.scores, trace.exit_step)
        probabilities = tuple(shares[0].tolist())
    order, of_classes = dag.policy.order.tolist(), ensemble.task.predicts_classes
    evaluated = {step.classifier for step in steps}
    return Explanation(
        kind=ensemble.kind,
        prediction=predict(row).tolist()[0],
        classes=None if classes is None else tuple(classes.tolist()),
        probabilities=probabilities,
        start=tuple(walk.start.tolist()),
        scores=tuple(trace.scores[0].tolist()),
        steps=steps,
        skipped=tuple(j for j in order[: end.step] if j not in evaluated),
        not_reached=tuple(order[end.step :]),
        exit=end,
        inputs={feature_name(features, i): value_of(features, i, float(x[i])) for i in read},
        changes=best_changes(tries, x, features, predict, of_numbers=not of_classes),
        n_tried=len(tries),
        missing_score=_margin(trace.scores[0]) if of_classes and end.verdict is None else None,
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


class _Walk:
    """What a row (1, n_features) carries along its path through a program."""

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

    @property
    def scores(self) -> NDArray[np.float64]:
        """The scores so far, (K,); of stages, those of the column that is read next."""
        copy: NDArray[np.float64] = self.state.scores(self.carried)[0] * self.unit
        return copy

    def steps(self, path: list[int]) -> Iterator[Step]:
        """Evaluate the base classifiers of the path."""
        place = np.argsort(self.policy.order).tolist()
        for classifier in path:
            votes = self.votes_on(classifier, THE_ROW)
            self.state.add(self.carried, place[classifier], THE_ROW, votes)
            yield Step(
                step=place[classifier],
                classifier=classifier,
                name=name_of(classifier),
                rules=_rules(self.ensemble, classifier, self.x),
                votes=tuple((votes[0] * self.unit).tolist()),
                scores=tuple(self.scores.tolist()),
            )

    def exit(self, exit_step: int) -> ExitReason:
        """Say where and why the row stopped, having evaluated nothing from `exit_step` on."""
        policy, state = self.policy, self.state
        d, n_decisions = -(-exit_step // policy.n_together), len(policy.actions)
        read, cell = self._looked_at(d)
        while d < n_decisions and policy.actions[d, cell] != QUIT:
            d = d + 1 if policy.leaps is None else int(policy.leaps[d, cell])
            read, cell = self._looked_at(d)
        verdict = None
        if policy.verdict is not None and (code := int(policy.verdict[d, cell])) >= 0:
            classes = self.ensemble.classes
            verdict = code if classes is None else classes.tolist()[code]
        reads, value = "state", None
        segments: tuple[Segment, ...] = ()
        segment: Segment | None = None
        if isinstance(state, (Score, Stages)):
            reads = "score" if len(read) == 1 else "margin"
            value = float(read[0]) if reads == "score" else _margin(read)
            if d < n_decisions:
                edges = policy.grid.edges
                top, place = divmod(cell, len(edges) + 1)  # each best class has cells by margin
                actions = policy.actions[d].reshape(-1, len(edges) + 1)[top]
                segments = merged(actions, edges)
                segment = segments[np.count_nonzero(np.diff(actions[: place + 1]))]
        reason, step = ("quit" if d < n_decisions else "end"), self._step_of(d)
        return ExitReason(reason, step, reads, value, segments, segment, verdict)

    def _step_of(self, decision: int) -> int:
        return min(decision * self.policy.every, self.policy.n_steps)

    def _looked_at(self, decision: int) -> tuple[NDArray[np.float64], int]:
        """Return the scores (K,) that a decision looks at, and its cell."""
        step, read = self._step_of(decision), self.scores
        if isinstance(self.state, Stages):
            columns = self.carried[0].reshape(self.state.n_columns, -1)
            read = columns[self.state.reads[step]] * self.unit
        if self.program.has_walk:
            return read, int(self.program.cells(read[None])[0])
        return read, int(self.state.cells(self.carried, step, THE_ROW)[0])


def merged(actions: NDArray[np.uint8], edges: NDArray[np.float64]) -> tuple[Segment, ...]:
    """Merge neighboring cells with one action; actions (n_edges + 1,)."""
    at = np.flatnonzero(np.diff(actions))
    bounds = [-np.inf, *edges[at].tolist(), np.inf]
    named = [ACTIONS[actions[i]] for i in [*at, len(actions) - 1]]
    spans = zip(bounds[:-1], bounds[1:], named, strict=True)
    return tuple(Segment(low, high, action) for low, high, action in spans)
