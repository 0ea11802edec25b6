"""Twins of native/solvers/sarsa.hpp, values.hpp and random.hpp."""

import math
from collections import defaultdict
from dataclasses import dataclass, field

from mddag.policy.policy import EVAL, QUIT, SKIP
from tests.reference import rollout

# Twin of native/solvers/random.hpp: xoshiro256** (Blackman & Vigna), on Python's own integers.


MASK = 2**64 - 1


def rotated(x, k):
    return (x << k | x >> (64 - k)) & MASK


class Random:
    """state : four integers below 2^64, not all 0."""

    def __init__(self, state):
        self.state = [int(word) for word in state]

    def bits(self):
        a, b, c, d = self.state
        result = rotated(b * 5 & MASK, 7) * 9 & MASK
        c, d = c ^ a, d ^ b
        self.state = [a ^ d, b ^ c, c ^ (b << 17 & MASK), rotated(d, 45)]
        return result

    def uniform(self):
        """In [0, 1)."""
        return (self.bits() >> 11) / 2**53

    def below(self, n):
        """In 0 .. n-1."""
        return int(self.uniform() * n)


# Twins of native/solvers/values.hpp: value functions that are linear in what they learn.
#
# ``features(slot, action, s)`` names the learned numbers that make up Q(s, action), each with its
# factor; ``learned`` holds them. ``grown`` says what a large error adds to them.


class Values:
    def __init__(self):
        self.learned = defaultdict(float)

    def value(self, slot, action, s):
        return sum(x * self.learned[p] for p, x in self.features(slot, action, s).items())

    def grown(self, slot, action, s, error):
        return {}


class Table(Values):
    """Equal bins, closed on the right; the first one on both sides."""

    def __init__(self, n_bins):
        super().__init__()
        self.n_bins = n_bins

    def features(self, slot, action, s):
        holds = (b for b in range(self.n_bins) if s * self.n_bins <= b + 1)
        return {(slot, action, next(holds)): 1.0}


class RadialBasis(Values):
    """Gaussian bumps, 0 beyond five sigma."""

    def __init__(self, n_centers, sigma, max_centers, normalized):
        super().__init__()
        self.sigma, self.max_centers, self.normalized = sigma, max_centers, normalized
        start = [(i + 1) / (n_centers + 1) for i in range(n_centers)]
        self.centers = defaultdict(lambda: list(start))

    def activations(self, slot, action, s):
        reach = 5 * self.sigma
        return {
            (slot, action, c): math.exp(-(((s - c) / self.sigma) ** 2) / 2)
            for c in self.centers[slot, action]
            if s - reach <= c <= s + reach
        }

    def features(self, slot, action, s):
        active = self.activations(slot, action, s)
        total = sum(active.values()) if self.normalized else 1.0
        return {p: x / total for p, x in active.items()}

    def grown(self, slot, action, s, error):
        """A center at s, where the error is large and no center is near."""
        centers = self.centers[slot, action]
        largest = max((abs(self.learned[slot, action, c]) for c in centers), default=0.0)
        near = max(self.activations(slot, action, s).values(), default=0.0)
        if near >= 0.4 or abs(error) <= 0.1 * largest or len(centers) == self.max_centers:
            return {}
        return {(slot, action, s): error}

    def add(self, grown):
        for (slot, action, s), weight in grown.items():
            self.centers[slot, action].append(s)
            self.learned[slot, action, s] = weight


# Twin of native/solvers/sarsa.hpp: online SARSA(lambda) and Watkins' Q(lambda), as in textbooks.
#
# There is a trace per learned number, replaced on a visit and decayed after every step; every step
# makes one update of all that has a trace (Sutton & Barto 1998, Sections 7.5-7.6, gamma = 1).


@dataclass
class Learner:
    """An MDP, a value function, random numbers, and the rules."""

    mdp: object
    values: object
    norm: list
    random: object
    rate: float
    trace_decay: float
    off_policy: bool
    actions: list = field(default_factory=list)  # all that were taken

    def __post_init__(self):
        names = {"eval": EVAL, "skip": SKIP, "quit": QUIT}
        self.allowed = sorted(names[name] for name in self.mdp.actions)
        self.votes = self.mdp.votes.dense().tolist()

    def state(self, j, cell):
        """The slot of step j and the cell's top class, and s in [0, 1]."""
        centers = self.mdp.grid.centers.tolist()
        part, at = divmod(cell, len(centers))
        share = centers[at] / self.norm[j]
        s = (share + 1) / 2 if self.mdp.n_scores == 1 else share / 2
        n_parts = self.mdp.grid.n_cells // len(centers)
        return j * n_parts + part, min(max(s, 0.0), 1.0)

    def q(self, state):
        slot, s = state
        return {a: self.values.value(slot, a, s) for a in self.allowed}

    def greedy(self, q):
        return max(self.allowed, key=lambda a: (q[a], a))  # of equals QUIT, then SKIP, then EVAL

    def choose(self, q, epsilon):
        if self.random.uniform() < epsilon:
            action = self.allowed[self.random.below(len(self.allowed))]
        else:
            action = self.greedy(q)
        self.actions.append(action)
        return action

    def draw(self):
        weight = self.mdp.weight.tolist()
        if len(set(weight)) == 1:
            return self.random.below(len(weight))
        at, passed = self.random.uniform() * sum(weight), 0.0
        for i, w in enumerate(weight):
            passed += w
            if at < passed:
                return i
        return len(weight) - 1

    def episode(self, epsilon, quit_loss):
        i, n_steps, traces = self.draw(), self.mdp.n_steps, {}
        f = self.mdp.votes.tables.bias.tolist()
        state = self.state(0, rollout.cell(self.mdp.grid, f))
        q = self.q(state)
        action = self.choose(q, epsilon[0])
        for j in range(n_steps):
            reward = 0.0
            if action == EVAL:
                f = [a + b for a, b in zip(f, self.votes[i][j], strict=True)]
                reward = -self.mdp.beta * self.mdp.costs[j]
            if action == QUIT or j + 1 == n_steps:
                self.update(traces, state, action, reward - quit_loss(f, i) - q[action])
                return
            next_state = self.state(j + 1, rollout.cell(self.mdp.grid, f))
            next_q = self.q(next_state)
            next_action = self.choose(next_q, epsilon[j + 1])
            best = next_q[self.greedy(next_q)]
            ahead = best if self.off_policy else next_q[next_action]
            self.update(traces, state, action, reward + ahead - q[action])
            cut = self.off_policy and next_q[next_action] < best
            for p in traces:
                traces[p] *= 0.0 if cut else self.trace_decay
            state, q, action = next_state, next_q, next_action

    def update(self, traces, state, action, error):
        slot, s = state
        traces.update(self.values.features(slot, action, s))
        grown = self.values.grown(slot, action, s, error)
        for p, trace in traces.items():
            self.values.learned[p] += self.rate * error * trace
        if grown:
            self.values.add(grown)

    def policy_actions(self):
        """The greedy action at every step in every cell, (N, n_cells)."""
        cells = range(self.mdp.grid.n_cells)
        return [
            [self.greedy(self.q(self.state(j, cell))) for cell in cells]
            for j in range(self.mdp.n_steps)
        ]
