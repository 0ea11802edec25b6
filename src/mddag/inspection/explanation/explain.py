"""Explain one row: walk it through the policy, then change one feature at a time.

The row is walked once in Python, and the DAG is run on all changed rows at once. The jump table
folds chains of SKIPs; the walk unfolds them, since they are to be listed. Its sums are those of the
executors to the last bit: integers where base classifiers are trees on scores or stages
(``IntegerVotes``), else float64.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import typed
from mddag.engine.dag import Dag
from mddag.engine.executors.steps import votes_on
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
    Change,
    changed_predictions,
    feature_name,
    label_changes,
    number_changes,
    path_of,
    rule_of_path,
    tries_of,
    value_of,
)
from mddag.policy.calibration import Calibration
from mddag.policy.policy import ACTIONS, EVAL, QUIT, Policy
from mddag.policy.state import Score, Stages


def explain(dag: Dag, calibration: Calibration | None, row: Rows) -> Explanation:
    """Explain what the DAG does with a row (1, n_features) that has been checked, and why."""
    if dag.needs_queries:
        raise ValueError(
            f"the model decides by the place of a document in its query "
            f"({typed(dag.policy.state)}), so one row has no path of its own to explain; "
            "model.report(path, X, y, qid=qid) shows the paths of many"
        )
    program, features, x = dag.program, dag.ensemble.features, np.asarray(row)[0]
    walked = walk(program, row)
    predict = partial(predictions, dag, calibration)
    prediction = predict(row).tolist()[0]
    trees = [tree for step in walked.steps for tree in _trees(program.ensemble, step.classifier)]
    read = dict.fromkeys(int(node["feature"]) for tree in trees for node, _ in path_of(tree, x)[0])
    changes: tuple[Change, ...] = ()
    tries = []
    if not isinstance(features, PatchFeatures):  # no pixel changes one Haar feature alone
        tries = tries_of(trees, features, x)
        sort = label_changes if dag.ensemble.task.predicts_classes else number_changes
        found = changed_predictions(tries, x, features, predict)
        changes = sort(tries, found, prediction, x, features)
    classes, why = classes_of(dag.ensemble), exit_of(program, walked)
    probabilities = None
    if classes is not None and calibration is not None:
        exit_step = walked.steps[-1].step + 1 if walked.steps else 0
        shares = calibration.probabilities(walked.scores[None], np.array([exit_step]))
        probabilities = tuple(shares[0].tolist())
    missing_score = None
    if dag.ensemble.task.predicts_classes and why.verdict is None:
        missing_score = _margin(walked.scores)
    policy = program.policy
    return Explanation(
        kind=dag.ensemble.kind,
        prediction=prediction,
        classes=None if classes is None else tuple(classes.tolist()),
        probabilities=probabilities,
        start=tuple(walked.start.tolist()),
        scores=tuple(walked.scores.tolist()),
        steps=walked.steps,
        skipped=tuple(j for step in walked.steps for j in step.skipped) + walked.skipped,
        not_reached=tuple(policy.order[walked.decision * policy.every :].tolist()),
        exit=why,
        inputs={feature_name(features, i): value_of(features, i, float(x[i])) for i in read},
        changes=changes,
        n_tried=len(tries),
        missing_score=missing_score,
    )


def predictions(dag: Dag, calibration: Calibration | None, rows: Rows) -> NDArray[Any]:
    """Return the labels or numbers that a model of this DAG predicts, (n,)."""
    classes = classes_of(dag.ensemble)
    if classes is not None:
        labels: NDArray[Any] = classes[dag.verdicts_of(rows, 1)]
        return labels
    return numbers_of(dag.ensemble, calibration, *dag.exits_of(rows, 1))


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


@dataclass(frozen=True, eq=False)
class Walked:
    """All evaluations of a row, and its end.

    `decision` is that at which it quits, or their number if it passed all of them; `cell` is its
    cell there, and `read` the scores that the cell is made of, which with stages need not be
    the final ones. `skipped` are those after the last evaluation.
    """

    steps: tuple[Step, ...]
    start: NDArray[np.float64]
    scores: NDArray[np.float64]
    decision: int
    cell: int
    read: NDArray[np.float64]
    skipped: tuple[int, ...]


def walk(program: Program, row: Rows) -> Walked:
    """Take a row (1, n_features) through the policy of a program."""
    policy, tally, x = program.policy, _Tally(program, row), np.asarray(row)[0]
    start = tally.scores()
    steps: list[Step] = []
    skipped: list[int] = []
    decision = 0
    while decision < len(policy.actions):
        cell = tally.cell(decision * policy.every)
        action = policy.actions[decision, cell]
        if action == QUIT:
            break
        after = decision + 1
        if policy.leaps is not None and action != EVAL:  # a SKIP to a later decision
            after = int(policy.leaps[decision, cell])
        for j in range(policy.n_steps)[decision * policy.every : after * policy.every]:
            classifier = int(policy.order[j])
            if action != EVAL:
                skipped.append(classifier)
                continue
            votes, scores = (tuple(values.tolist()) for values in tally.add(j))
            rules = _rules(program.ensemble, classifier, x)
            name = name_of(classifier)
            steps.append(Step(j, classifier, name, rules, votes, scores, tuple(skipped)))
            skipped = []
        decision = after
    last = min(decision * policy.every, policy.n_steps)
    return Walked(
        steps=tuple(steps),
        start=start,
        scores=tally.scores(),
        decision=decision,
        cell=tally.cell(last),
        read=tally.read(last)[0],
        skipped=tuple(skipped),
    )


class _Tally:
    """Carry the policy's state for one row."""

    def __init__(self, program: Program, row: Rows) -> None:
        self.program, self.state = program, program.policy.state
        ensemble, self.unit, tables = program.ensemble, 1.0, program.ensemble.tables
        if program.has_walk:  # integers, which float64 holds exactly
            fixed = program.fixed_point
            values, bias = (a.astype(np.float64) for a in (fixed.values, fixed.bias))
            tables, self.unit = replace(tables, values=values, bias=bias), fixed.unit
        self.vote = votes_on(replace(ensemble, tables=tables), row, 1)
        self.carried: Any = self.state.start(tables.bias, 1)

    def cell(self, j: int) -> int:
        """Return the cell at step j."""
        if not self.program.has_walk:
            return int(self.state.cells(self.carried, j, THE_ROW)[0])
        return int(self.program.cells(self.read(j))[0])

    def add(self, j: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Evaluate step j; return its votes, and the sum that it wrote to."""
        votes = self.vote(int(self.program.policy.order[j]), THE_ROW)
        self.state.add(self.carried, j, THE_ROW, votes)
        return votes[0] * self.unit, self.scores()

    def scores(self) -> NDArray[np.float64]:
        """Return the scores so far, (K,); of stages, those of the column that is read next."""
        copy: NDArray[np.float64] = self.state.scores(self.carried)[0] * self.unit
        return copy

    def read(self, j: int) -> NDArray[np.float64]:
        """Return the scores that step j looks at, (1, K)."""
        if not isinstance(self.state, Stages):
            return self.scores()[None]
        columns = self.carried[0].reshape(1, self.state.n_columns, -1)
        column: NDArray[np.float64] = columns[:, self.state.reads[j]] * self.unit
        return column


def exit_of(program: Program, walked: Walked) -> ExitReason:
    """Say why a walk ended."""
    policy, d = program.policy, walked.decision
    ended = d == len(policy.actions)
    verdict = None
    if policy.verdict is not None and (code := int(policy.verdict[d, walked.cell])) >= 0:
        classes = program.ensemble.classes
        verdict = code if classes is None else classes.tolist()[code]
    reads, value = "state", None
    if isinstance(policy.state, (Score, Stages)):
        reads = "score" if len(walked.read) == 1 else "margin"
        value = float(walked.read[0]) if reads == "score" else _margin(walked.read)
    segments: tuple[Segment, ...] = ()
    at = 0
    if not ended and value is not None:
        segments, at = segments_of(policy, d, walked.cell)
    step = min(d * policy.every, policy.n_steps)
    return ExitReason("end" if ended else "quit", step, reads, value, segments, at, verdict)


def segments_of(policy: Policy, decision: int, cell: int) -> tuple[tuple[Segment, ...], int]:
    """Return the actions of a decision by score or margin, and the position of the cell's own."""
    edges = policy.grid.edges
    top, place = divmod(cell, len(edges) + 1)
    actions = policy.actions[decision].reshape(-1, len(edges) + 1)[top]
    return merged(actions, edges), int(np.count_nonzero(np.diff(actions[: place + 1])))


def merged(actions: NDArray[np.uint8], edges: NDArray[np.float64]) -> tuple[Segment, ...]:
    """Merge neighboring cells with one action; actions (n_edges + 1,)."""
    at = np.flatnonzero(np.diff(actions))
    bounds = [-np.inf, *edges[at].tolist(), np.inf]
    named = [ACTIONS[actions[i]] for i in [*at, len(actions) - 1]]
    spans = zip(bounds[:-1], bounds[1:], named, strict=True)
    return tuple(Segment(low, high, action) for low, high, action in spans)
