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
    """Return the labels or numbers that a model of this DAG predicts, (n,)."""
    classes = classes_of(dag.ensemble)
    if classes is not None:
        labels: NDArray[Any] = classes[dag.verdicts_of(rows, 1)]
        return labels
    scores, exit_step = dag.exits_of(rows, 1)
    if calibration is not None:
        scores = calibration.calibrated(scores, exit_step)
    return dag.ensemble.task.predictions(scores)


def classes_of(ensemble: Ensemble) -> NDArray[Any] | None:
    """Return the labels, or numbers if a classifier has none; None for other models."""
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
        """Return the trees of a base classifier of the program."""
        if self.ensemble.callables:
            return []
        rounds = self.ensemble.tables.rounds
        return [self.ensemble.tree(t) for t in range(rounds[classifier], rounds[classifier + 1])]

    def step(self, visit: Visit) -> Step:
        """Describe an evaluation in words."""
        return Step(
            step=visit.step,
            classifier=int(visit.classifier),
            name=f"h_{visit.classifier}",
            rules=tuple(self._rules(visit.classifier)),
            votes=tuple(visit.votes.tolist()),
            scores=tuple(visit.scores.tolist()),
            skipped=tuple(map(int, visit.skipped)),
        )

    def _rules(self, classifier: int) -> list[TreeRule]:
        tables, rules = self.ensemble.tables, []
        for t, tree in enumerate(self.trees(classifier), int(tables.rounds[classifier])):
            splits, leaf = path_of(tree, self.row)
            text = rule_of_path(splits, tree, self.features, self.row)
            rules.append(TreeRule(text, tuple(tables.table(t)[leaf].tolist())))
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
        """Find what would change the prediction, and say how many values were tried."""
        if isinstance(self.features, PatchFeatures):  # no pixel changes one Haar feature alone
            return (), 0
        trees = (tree for visit in self.walked.visits for tree in self.trees(visit.classifier))
        tries = tries_of(trees, self.features, self.row)
        found = changed_predictions(tries, self.row, self.features, predict)
        sort = label_changes if self.ensemble.task.predicts_classes else number_changes
        return sort(tries, found, prediction, self.row, self.features), len(tries)


def _missing(dag: Dag, walked: Walked) -> float | None:
    """Return how far the scores are from another label."""
    if not dag.ensemble.task.predicts_classes:
        return None
    if len(walked.scores) == 1:
        return abs(float(walked.scores[0]))
    second, first = np.sort(walked.scores)[-2:]
    return float(first - second)


THE_ROW = np.zeros(1, np.intp)


@dataclass(frozen=True, eq=False)
class Visit:
    """One evaluation: its votes (K,), the scores (K,) after it, and what was skipped before it."""

    step: int
    classifier: int
    votes: NDArray[np.float64]
    scores: NDArray[np.float64]
    skipped: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Walked:
    """All evaluations of a row, and its end.

    `decision` is that at which it quits, or their number if it passed all of them; `cell` is its
    cell there, and `read` the scores that the cell is made of, which with stages need not be
    the final ones. `skipped` are those after the last evaluation.
    """

    visits: tuple[Visit, ...]
    start: NDArray[np.float64]
    scores: NDArray[np.float64]
    decision: int
    cell: int
    read: NDArray[np.float64]
    skipped: tuple[int, ...]


def walk(program: Program, row: Rows) -> Walked:
    """Take a row (1, n_features) through the policy of a program."""
    policy, tally = program.policy, _Tally(program, row)
    start = tally.scores()
    visits: list[Visit] = []
    skipped: list[int] = []
    decision = 0
    while decision < len(policy.actions):
        cell = tally.cell(decision * policy.every)
        action = policy.actions[decision, cell]
        if action == QUIT:
            break
        after = _next_decision(policy, decision, cell)
        steps = range(policy.n_steps)[decision * policy.every : after * policy.every]
        for j in steps:
            if action == EVAL:
                votes, scores = tally.add(j)
                visits.append(Visit(j, int(policy.order[j]), votes, scores, tuple(skipped)))
                skipped = []
            else:
                skipped.append(int(policy.order[j]))
        decision = after
    last = min(decision * policy.every, policy.n_steps)
    return Walked(
        visits=tuple(visits),
        start=start,
        scores=tally.scores(),
        decision=decision,
        cell=tally.cell(last),
        read=tally.read(last)[0],
        skipped=tuple(skipped),
    )


def _next_decision(policy: Policy, decision: int, cell: int) -> int:
    """Return the next decision, or the later one that ``Policy.leaps`` names for a SKIP."""
    leaps = getattr(policy, "leaps", None)
    if leaps is None or policy.actions[decision, cell] == EVAL:
        return decision + 1
    return int(leaps[decision, cell])


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
    reads, value = _read(policy, walked)
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


def _read(policy: Policy, walked: Walked) -> tuple[str, float | None]:
    if not isinstance(policy.state, (Score, Stages)):
        return "state", None
    if len(walked.read) == 1:
        return "score", float(walked.read[0])
    second, first = np.sort(walked.read)[-2:]
    return "margin", float(first - second)
