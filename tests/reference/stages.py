"""Twin of src/mddag/policy/state.py: columns of scores, one action at a time."""

from dataclasses import dataclass
from types import SimpleNamespace

from mddag.policy.policy import EVAL, QUIT, SKIP
from tests.reference import rollout
from tests.reference import trees as trees_twin


@dataclass
class Walk:
    """What happened to one instance."""

    columns: list[list[float]]
    path: list[int]
    exit_step: int
    scores: list[float]
    verdict: int


def follow(vote, policy, bias, edges):
    """vote(j) is the vote (K,) of base classifier j; columns are compared with `edges`."""
    state = policy.state
    columns, path, exit_step = [list(bias)] * state.n_columns, [], 0
    at = len(policy.actions)  # the decision where it quits; by default it passes the end
    leaps_to = 0  # the step before which a row that leaps is not looked at

    def cell(step):
        return rollout.cell(SimpleNamespace(edges=edges), columns[state.reads[step]])

    for step in range(policy.n_steps):
        if step < leaps_to:
            continue
        if step % policy.every == 0:
            action = policy.actions[step // policy.every, cell(step)]
        if action == QUIT:
            at = step // policy.every
            break
        if action == SKIP and policy.leaps is not None:
            leaps_to = int(policy.leaps[step // policy.every, cell(step)]) * policy.every
        if action == EVAL:
            h = vote(int(policy.order[step]))
            columns = [
                [f + v for f, v in zip(column, h, strict=True)] if write else column
                for column, write in zip(columns, state.writes[step], strict=True)
            ]
            path.append(int(policy.order[step]))
            exit_step = step + 1
    verdict = -1
    if policy.verdict is not None:
        verdict = int(policy.verdict[at, cell(min(at * policy.every, policy.n_steps))])
    return Walk(columns, path, exit_step, columns[state.reads[exit_step]], verdict)


def on_rows(ensemble, policy, X, edges=None):
    """The walks of rows down the trees of an ensemble."""
    tables, edges = ensemble.tables, policy.grid.edges if edges is None else edges

    def votes_of(row):
        def vote(j):
            total = [0.0] * tables.n_scores
            for t in range(tables.rounds[j], tables.rounds[j + 1]):
                said = tables.table(t)[trees_twin.leaf_code(ensemble.tree(t), row)].tolist()
                total = [f + v for f, v in zip(total, said, strict=True)]
            return total

        return vote

    return [follow(votes_of(row), policy, ensemble.bias.tolist(), edges) for row in X]


def on_rows_in_fixed_point(ensemble, policy, X, fixed):
    """The walks that kernels take, which add integers and compare them with integer edges."""
    edges = [float(edge) * fixed.unit for edge in fixed.edges(policy.grid.edges)]
    return on_rows(rollout.in_fixed_point(ensemble), policy, X, edges)
