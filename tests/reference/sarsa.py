"""Twin of native/solvers/sarsa.hpp: online SARSA(lambda) and Watkins' Q(lambda), as in textbooks.

There is a trace per learned number, replaced on a visit and decayed after every step; every step
makes one update of all that has a trace (Sutton & Barto 1998, Sections 7.5-7.6, gamma = 1).
"""

from dataclasses import dataclass, field

from mddag.policy.policy import EVAL, QUIT, SKIP
from tests.reference import grid as grid_twin


@dataclass
class Learner:
    """An MDP, a value function of tests/reference/values.py, random numbers, and the rules."""

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
        state = self.state(0, grid_twin.cell(self.mdp.grid, f))
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
            next_state = self.state(j + 1, grid_twin.cell(self.mdp.grid, f))
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
