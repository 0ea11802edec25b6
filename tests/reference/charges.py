"""Twin of native/mdp/charges.hpp and paid.hpp, and of the walk of features paid: Python sets of
groups, one action at a time."""

from dataclasses import dataclass, field

from mddag.mdp.policy import EVAL, QUIT, SKIP
from tests.reference import grid as grid_twin
from tests.reference import trees as trees_twin


@dataclass(frozen=True)
class Row:
    """What is carried for one row."""

    scores: list
    read: frozenset = frozenset()  # groups of the base classifiers that were evaluated
    paid: frozenset = frozenset()


def members(bits):
    return frozenset(g for g, bit in enumerate(bits) if bit)


def cell(grid, wants, row):
    """The cell of the scores; behind all of these where the wanted groups have been read."""
    doubled = wants is not None and wants <= row.read
    n_cells = grid.n_scores * (len(grid.edges) + 1)
    return grid_twin.cell(grid, row.scores) + (n_cells if doubled else 0)


def price(prices, new, charge):
    """What new groups cost."""
    paid = [g for g in new if prices.costs[g] > 0]
    waves = len(paid) if charge == "path" else min(len(paid), 1)
    return sum(prices.costs[g] for g in new) + prices.wave_cost * waves


def evaluated(charges, row, j, votes, leaves):
    """The row after base classifier j, whose trees add `votes` and end in `leaves`; its price."""
    scores = row.scores
    for vote in votes:
        scores = [f + v for f, v in zip(scores, vote, strict=True)]
    charged = frozenset().union(*(members(charges.leaves[leaf]) for leaf in leaves))
    after = Row(scores, row.read | members(charges.wants[j]), row.paid | charged)
    return after, price(charges.prices, charged - row.paid, charges.charge)


def evaluated_on_codes(charges, tables, codes, row, j):
    """The same of a row whose leaf codes are known."""
    trees = range(tables.rounds[j], tables.rounds[j + 1])
    n_before = [int(tables.n_leaves[:t].sum()) for t in trees]
    leaves = [n + int(codes[t]) for n, t in zip(n_before, trees, strict=True)]
    return evaluated(charges, row, j, [tables.table(t)[codes[t]] for t in trees], leaves)


def groups_on_the_way(prices, tree, row):
    """The groups of the splits that a row passes in a tree."""
    group, node = prices.group_of(len(row)), tree.records[0]
    found = set()
    while node["feature"] >= 0:
        found.add(int(group[node["feature"]]))
        left = trees_twin.goes_left(node, tree.words, float(row[node["feature"]]))
        node = tree.records[node["left"] if left else node["right"]]
    return with_needs(prices, found)


def with_needs(prices, groups):
    while True:
        more = groups | {need for g in groups for need in prices.needs[g]}
        if more == groups:
            return frozenset(groups)
        groups = more


@dataclass
class Walk:
    """What happened to one row under a policy in the state ``Paid``."""

    row: Row
    path: list = field(default_factory=list)
    exit_step: int = 0
    cost: float = 0.0
    verdict: int = -1


def follow(policy, bias, evaluate):
    """evaluate(row, j) is (row, cost) after base classifier j; the grid of the policy decides."""
    wants, walk, at = policy.state.wants, Walk(Row(list(bias))), len(policy.actions)
    leaps_to = 0
    for step in range(policy.n_steps):
        if step < leaps_to:
            continue
        if step % policy.every == 0:
            here = cell(policy.grid, members(wants[step]), walk.row)
            action = policy.actions[step // policy.every, here]
        if action == QUIT:
            at = step // policy.every
            break
        if action == SKIP and policy.leaps is not None:
            leaps_to = int(policy.leaps[step // policy.every, here]) * policy.every
        if action == EVAL:
            walk.row, cost = evaluate(walk.row, int(policy.order[step]))
            walk.cost += cost
            walk.path.append(int(policy.order[step]))
            walk.exit_step = step + 1
    if policy.verdict is not None:
        last = at * policy.every
        wanted = members(wants[last]) if last < policy.n_steps else None
        walk.verdict = int(policy.verdict[at, cell(policy.grid, wanted, walk.row)])
    return walk
