"""Search policies over sets at many prices, estimated by rows with no part in their actions.

| member  | policies |
|---|---|
| static  | one set for all rows |
| cascade | up to three nested sets; a row quits in s where abs(value) > t_s |
| chain   | cells along a chain of nested sets, with jumps |
| lattice | cells over all sets that were given |

Each is learned from several losses: of the labels softened by the full model, and of the full model
alone. At a price the member with the smallest cross-fitted objective is taken.

Cells are solved backwards, from the last set to the first, by exact returns:

    Q(s, QUIT) = loss of quitting in s
    Q(s, t)    = beta x fare(s, t) + what the row then loses and pays, known exactly

In each cell of s the action of the smallest mean Q over the rows in it is taken. Models of larger
sets are known on every row, so no return is estimated; what is noisy is the mean over few rows, so
neighboring cells lend each other half of their rows. A row's own return uses the actions that the
other folds learned, and so do the loss and the cost by which the policy is estimated.

Cascades have few numbers to learn, so few rows suffice: every choice of one to three sets of a
chain with every threshold of a grid of quantiles is a candidate. Sums over rows are taken once,
fold by fold; a price then picks among them. These are the cascades that engineers build by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise, product

import numpy as np
from numpy.typing import NDArray

from mddag.acquisition.feature_sets import FeatureSets, SetPolicy
from mddag.acquisition.rows import SetSample, between

LENT = 0.5  # of the rows of a cell, to each of its neighbors
SHARES = np.concatenate([[0.01, 0.03], np.linspace(0.06, 0.94, 12), [0.97, 0.99]])
LEAST = 0.01  # of the rows, for a set to stay
Floats = NDArray[np.float64]
Stages = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Solved:
    """A policy of all rows, and what the policies of the other folds do to each row."""

    policy: SetPolicy
    last: NDArray[np.intp]  # (n,), set in which it quits
    loss: Floats  # (n,), by ``SetSample.measured``
    cost: Floats  # (n,), paid for features

    def objective(self, beta: float) -> float:
        """Return the mean loss plus beta times the mean cost."""
        return float((self.loss + beta * self.cost).mean())


Member = Callable[[float], Solved]  # learns a policy at a price


def all_members(
    sample: SetSample, losses: dict[str, Floats], chains: Sequence[Sequence[int]]
) -> dict[str, Member]:
    """Make all members, learned from each of these losses (n, M)."""
    leads, singles = sample.sets.leads, [[s] for s in range(len(sample.sets))]
    ways = {"lattice": leads}
    for i, chain in enumerate(chains):
        along = _along(chain, leads)
        if len(chains) > 1 or (along != leads).any():  # otherwise the same twice
            ways[f"chain {i}"] = along
    members: dict[str, Member] = {}
    for name, lost in losses.items():
        for way, along in ways.items():
            members[f"{way}, {name}"] = partial(_solve_without_rare, sample, lost, along)
        members[f"cascade, {name}"] = Cascades.of(sample, lost, chains).solve
        members[f"static, {name}"] = Cascades.of(sample, lost, singles).solve
    return members


def best_member(members: dict[str, Member], beta: float) -> tuple[str, Solved]:
    """Return the smallest cross-fitted objective at a price; the simplest of equals wins."""
    solved = {name: learned(beta) for name, learned in members.items()}
    return min(solved.items(), key=lambda item: (item[1].objective(beta), len(item[0])))


def _along(chain: Sequence[int], leads: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Allow ways from the first set, and each set of a chain, to all that follow in it."""
    along = np.zeros_like(leads)
    on = np.array(sorted({0, *chain}))
    along[np.ix_(on, on)] = True
    return np.triu(along, 1)


# -------------------------------------------------------------------------------- backward by cells


def _solve_without_rare(
    sample: SetSample, losses: Floats, leads: NDArray[np.bool_], beta: float
) -> Solved:
    """Solve over some ways, then again without the sets that hardly any row evaluates."""
    solved = solve(sample, losses, beta, leads)
    for _ in range(2):
        seen = solved.policy.follow(sample.sets, sample.values).seen
        rare = seen.any(axis=0) & (seen.mean(axis=0) < LEAST)
        rare[[0, -1]] = False
        if not rare.any():
            break
        solved = solve(sample, losses, beta, leads & ~rare)
    return solved


def solve(
    sample: SetSample, losses: Floats, beta: float, leads: NDArray[np.bool_] | None = None
) -> Solved:
    """Return the policy learned from losses (n, M) at a price, over some of the ways, or all."""
    sets, n, every = sample.sets, len(sample), np.arange(len(sample))
    leads = sets.leads if leads is None else leads & sets.leads
    edges = [np.empty(0)] * len(sets)
    targets = [np.array([s]) for s in range(len(sets))]
    # What each row still loses and pays from a set on. A row that quits in a set pays nothing more;
    # so each set begins.
    worth = losses.copy()
    to = np.tile(np.arange(len(sets))[:, None], n)  # (M, n), where each row goes from each set
    room = np.empty(worth.size)  # one allocation: temporary arrays of this size are slow
    for s in range(len(sets) - 1, -1, -1):
        options = np.append(s, np.flatnonzero(leads[s]))
        if len(options) == 1:
            continue
        paid = beta * np.append(0.0, sets.fares[s, options[1:]])
        returns = room[: n * len(options)].reshape(n, -1)
        np.take(worth, options, axis=1, out=returns, mode="clip")
        members = sample.members[s]
        n_rows = np.diff(members.indptr)[:, None]
        sums = (members @ returns + n_rows * paid).reshape(sample.n_folds, -1, len(options))
        total = sums.sum(axis=0)
        by_fold = _best(total - sums)
        chosen = by_fold[sample.fold, sample.cells[:, s]]
        worth[:, s] = returns[every, chosen] + paid[chosen]
        to[s] = options[chosen]
        edges[s], targets[s] = sample.edges[s], options[_best(total)]
    last, cost = _followed(sets, to)
    policy = SetPolicy(tuple(edges), tuple(targets))
    return Solved(policy, last, sample.measured[every, last], cost)


def _followed(sets: FeatureSets, to: NDArray[np.intp]) -> tuple[NDArray[np.intp], Floats]:
    """Follow rows to where they quit and what they pay, given where each goes, (M, n)."""
    last, cost = to[0].copy(), np.zeros(to.shape[1])
    rows = np.flatnonzero(last)
    cost[rows] = sets.fares[0, last[rows]]
    while len(rows):
        at = last[rows]
        then = to[at, rows]
        rows, at, then = (of[then != at] for of in (rows, at, then))
        cost[rows] += sets.fares[at, then]
        last[rows] = then
    return last, cost


def _best(sums: Floats) -> NDArray[np.intp]:
    """Return the option of the smallest sum in each cell; sums (..., n_cells, n_options)."""
    lent = sums.copy()
    lent[..., 1:, :] += LENT * sums[..., :-1, :]
    lent[..., :-1, :] += LENT * sums[..., 1:, :]
    return np.asarray(lent.argmin(axis=-1), np.intp)


# -------------------------------------------------------------------------- cascades of thresholds


@dataclass(frozen=True, eq=False)
class Cascades:
    """All cascades over some chains, with sums of losses and costs for each fold.

    `thresholds`, (n_cascades, 2), are those of all stages but the last; unused ones are 0.
    """

    sample: SetSample
    stages: list[Stages]
    thresholds: Floats
    losses: Floats
    costs: Floats

    @classmethod
    def of(cls, sample: SetSample, losses: Floats, chains: Sequence[Sequence[int]]) -> Cascades:
        """Make cascades along chains of sets, each a list of rising numbers."""
        sure = np.abs(sample.values) if sample.around is not None else sample.values
        distinct = {c for chain in chains for k in (1, 2, 3) for c in combinations(chain, k)}
        grids = {s: between(sure[:, s], SHARES) for s in {s for c in distinct for s in c[:-1]}}
        places = {s: np.searchsorted(grid, sure[:, s]) for s, grid in grids.items()}
        stages, found = list[Stages](), []
        for chosen in sorted(distinct):
            asked = chosen[:-1]
            pairs = np.array(list(product(*(grids[s] for s in asked))))
            thresholds = np.zeros((len(pairs), 2))
            thresholds[:, : len(asked)] = pairs.reshape(len(pairs), len(asked))
            sums = _sums(sample, losses, chosen, [(places[s], len(grids[s])) for s in asked])
            stages += [chosen] * len(pairs)
            found.append((thresholds, *sums))
        return cls(sample, stages, *(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def solve(self, beta: float) -> Solved:
        """Return the best at a price; rows are estimated by the best of the other folds."""
        objective = self.losses + beta * self.costs
        total, sample = objective.sum(axis=1), self.sample
        last, cost = np.empty(len(sample), np.intp), np.empty(len(sample))
        for fold in range(sample.n_folds):
            rows = np.flatnonzero(sample.fold == fold)
            best = self.policy(int(np.argmin(total - objective[:, fold])))
            stops = best.follow(sample.sets, sample.values[rows])
            last[rows], cost[rows] = stops.last, stops.cost
        loss = sample.measured[np.arange(len(sample)), last]
        return Solved(self.policy(int(np.argmin(total))), last, loss, cost)

    def policy(self, at: int) -> SetPolicy:
        """Make the policy of a cascade."""
        n_sets = len(self.sample.sets)
        edges = [np.empty(0)] * n_sets
        targets = [np.array([s]) for s in range(n_sets)]
        stages, signed = self.stages[at], self.sample.around is not None
        if stages[0] != 0:
            targets[0] = np.array([stages[0]])
        for s, t, threshold in zip(stages, stages[1:], self.thresholds[at], strict=False):
            edges[s] = np.array([-threshold, threshold] if signed else [threshold])
            targets[s] = np.array([s, t, s] if signed else [t, s])
        return SetPolicy(tuple(edges), tuple(targets))


def _sums(
    sample: SetSample, losses: Floats, stages: Stages, asked: list[tuple[NDArray[np.intp], int]]
) -> tuple[Floats, Floats]:
    """Sum losses and costs (n_thresholds, n_folds) of a cascade with all pairs of thresholds.

    `asked` has, for each stage but the last, how many thresholds lie below the value of each row,
    and how many there are: the row goes on at threshold k if no more than k lie below.
    """
    fares = [0.0 if stages[0] == 0 else sample.sets.fares[0, stages[0]]]
    fares += [sample.sets.fares[s, t] for s, t in pairwise(stages)]
    # A stage that is missing has one threshold, at which no row goes on.
    asked = asked + [(np.ones(len(sample), np.intp), 1)] * (2 - len(asked))
    (first, n_first), (second, n_second) = asked
    shape = sample.n_folds, n_first + 1, n_second + 1
    key = np.ravel_multi_index((sample.fold, first, second), shape)

    def by_place(numbers: Floats | None) -> Floats:
        """Sum over the rows of each fold that lie between the same thresholds."""
        sums = np.bincount(key, numbers, int(np.prod(shape)))
        return sums.astype(np.float64, copy=False).reshape(shape)

    def stay(sums: Floats, axis: int) -> Floats:
        """Sum over rows that quit at each threshold."""
        return np.asarray(sums.sum(axis=axis, keepdims=True) - go_on(sums, axis))

    def go_on(sums: Floats, axis: int) -> Floats:
        """Sum over rows that do not."""
        index = [slice(None)] * 3
        index[axis] = slice(-1)
        return np.cumsum(sums, axis=axis)[tuple(index)]

    count = by_place(None)
    loss = stay(by_place(losses[:, stages[0]]), 1).sum(axis=2, keepdims=True)
    cost = fares[0] * count.sum(axis=(1, 2), keepdims=True)
    if len(stages) > 1:
        loss = loss + stay(go_on(by_place(losses[:, stages[1]]), 1), 2)
        cost = cost + fares[1] * go_on(count, 1).sum(axis=2, keepdims=True)
    if len(stages) > 2:
        loss = loss + go_on(go_on(by_place(losses[:, stages[2]]), 1), 2)
        cost = cost + fares[2] * go_on(go_on(count, 1), 2)
    wanted = sample.n_folds, n_first, n_second
    both = (np.broadcast_to(of, wanted).reshape(sample.n_folds, -1).T for of in (loss, cost))
    losses_by_fold, costs_by_fold = both
    return losses_by_fold, costs_by_fold
